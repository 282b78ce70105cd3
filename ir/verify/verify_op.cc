#include "ir/async_copies.h"
#include "ir/atomic_update.h"
#include "ir/base/text.h"
#include "ir/block_mask.h"
#include "ir/elem_kinds.h"
#include "ir/infer/layout_rules.h"
#include "ir/infer/type_rules.h"
#include "ir/op_kinds.h"
#include "ir/verify/verifier.h"

#include <algorithm>

namespace xt {
namespace {

bool isWord(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != std::string_view::npos && !word.empty(); at = words.find(word, at + 1)) {
    size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

// Describes the mistake in an attribute's value; "" if there is none.
std::string attributeFault(const Op &op, const Attr &attr, const AttrSpec &spec) {
  bool integer = std::holds_alternative<int64_t>(attr.value), number = std::holds_alternative<double>(attr.value);
  switch (spec.kind) {
  case AttrKind::Int:
  case AttrKind::Flag: return integer ? "" : "is not an integer";
  case AttrKind::Ints: {
    const auto *list = std::get_if<std::vector<int64_t>>(&attr.value);
    if (!list) return "is not a list";
    return spec.length == 0 || list->size() == spec.length ? "" : str("has ", list->size(), " elements, not ", spec.length);
  }
  case AttrKind::Number: {
    if (!integer && !number) return "is not a number";
    if (op.resultCount() == 0) return "";
    Elem elem = numberElem(op);
    if (isFloat(elem) != number) return str("is not of the element type ", elemName(elem));
    bool fits = number || fitsInteger(elem, std::get<int64_t>(attr.value));
    return fits ? "" : str("does not fit ", elemName(elem));
  }
  case AttrKind::Text: return std::holds_alternative<std::string>(attr.value) ? "" : "is not text";
  case AttrKind::Word:
  case AttrKind::Kind: {
    const auto *word = std::get_if<std::string>(&attr.value);
    return word && isWord(spec.doc, *word) ? "" : str("is not one of: ", spec.doc);
  }
  case AttrKind::Maps:
  case AttrKind::Words: break; // no op of the IR has them
  }
  XT_UNREACHABLE("attribute kind");
}

// Whether two types are equal, except that one of them may have a layout that is not inferred yet.
bool agree(Type a, Type b) {
  if (!a || !b || a == b) return a == b;
  if (a.kind() != b.kind() || !(a.isVector() || a.isTile())) return false;
  if (a.layout() && b.layout() && a.layout() != b.layout()) return false;
  TypeData x = a.data(), y = b.data();
  x.layout = y.layout = nullptr;
  return x == y;
}

} // namespace

bool Verifier::op(const Op &op) { return attributes(op) && types(op) && windows(op) && regions(op); }

bool Verifier::attributes(const Op &op) {
  for (const AttrSpec &spec : op.info().attrs) {
    const Attr *attr = op.attr(spec.name);
    if (!attr && spec.required) return fail(op, str("the attribute `", spec.name, "` is missing"));
    std::string fault = attr ? attributeFault(op, *attr, spec) : "";
    if (!fault.empty()) return fail(op, str("the attribute `", spec.name, "` ", fault));
  }
  for (const Attr &attr : op.attrs())
    if (std::none_of(op.info().attrs.begin(), op.info().attrs.end(),
                     [&](const AttrSpec &spec) { return spec.name == attr.name; }))
      return fail(op, str("has no attribute `", attr.name, "`"));
  return true;
}

// Runs the op's type rule with the result's type as the written one.
bool Verifier::types(const Op &op) {
  if (op.info().results >= 0 && op.resultCount() != static_cast<size_t>(op.info().results))
    return fail(op, str("gives ", op.resultCount(), " results, not ", op.info().results));
  std::vector<Type> operands, inferred;
  for (const Value *operand : op.operands()) operands.push_back(operand->type());
  Diagnostics found;
  TypeRuleInput input{context_,   op.info(),
                      operands,   {},
                      op.attrs(), op.resultCount() == 1 ? op.result()->type() : Type(),
                      op.range(), op.range(),
                      found,      kernel_.scope == Scope::Lane ? kernel_.lanes : 0};
  if (!inferTypes(input, inferred)) return fail(op, found.all().empty() ? "breaks its type rule" : found.all()[0].message);
  if (op.info().results >= 0) {
    bool same = inferred.size() == op.resultCount();
    for (size_t i = 0; same && i < inferred.size(); ++i) same = agree(inferred[i], op.result(i)->type());
    if (!same) return fail(op, "a result has a type that differs from the inferred one");
  }
  if (std::optional<AsyncMistake> mistake = asyncMistake(op)) return fail(op, std::string(mistake->message));
  if (kernel_.scope == Scope::Workgroup) return true;
  return layoutBelowWorkgroup(op);
}

// The tiles of the IR are windows of rows and columns, one of which are adjacent in memory, and are accessed as a whole. The front
// end replaces all others (lang/lower/general_tiles.h).
bool Verifier::windows(const Op &op) {
  for (size_t i = 0; i < op.resultCount(); ++i)
    if (op.result(i)->type().isTile() && op.result(i)->type().rank() != 2)
      return fail(op, "a tile does not have two dimensions");
  if (blockMaskOf(op) && op.kind() != OpKind::LoadTile) return fail(op, "has a mask, which only loads and scatter tiles take");
  if (blockMaskOf(op) && kernel_.forms.has(Form::SubgroupTiles))
    return fail(op, "has a mask, which is expanded before subgroups have parts of the tile");
  if (op.kind() != OpKind::InitTile || op.result()->type().data().scatter) return true;
  Type base = op.operand(0)->type();
  bool explicitView = !base.isMemRef() || op.operandCount() != 1 + static_cast<size_t>(base.rank());
  StorageOrders orders = explicitView ? StorageOrders{true, true} : storageOrders(base);
  return orders.rowMajor || orders.columnMajor || fail(op, "the base of the tile has no stride of 1");
}

// A subgroup's vectors and tiles may have layouts for its lanes; at lane scope they belong to one lane.
bool Verifier::layoutBelowWorkgroup(const Op &op) {
  const Layout *first = nullptr;
  auto agrees = [&](const Value *value) {
    const Layout *layout = holdsLayout(value->type()) ? value->type().layout() : nullptr;
    if (!layout) return true;
    if (kernel_.scope == Scope::Lane) return fail(op, "a layout in a kernel at lane scope");
    if (layout->subgroups() != 1) return fail(op, "a layout of several subgroups in a kernel at subgroup scope");
    if (first && layout != first && op.info().layoutRule == LayoutRule::Same)
      return fail(op, "its vectors have different layouts");
    first = layout;
    return true;
  };
  for (size_t i = 0; i < op.resultCount(); ++i)
    if (!agrees(op.result(i))) return false;
  for (const Value *operand : op.operands())
    if (!agrees(operand)) return false;
  return true;
}

bool Verifier::regions(const Op &op) {
  if (op.regionCount() != static_cast<size_t>(op.info().regions))
    return fail(op, str("has ", op.regionCount(), " regions, not ", op.info().regions));
  for (size_t i = 0; i < op.regionCount(); ++i)
    if (const Op *last = op.region(i)->last(); !last || !has(last->info().effects, Effect::Terminates))
      return fail(op, "a region does not end with a terminator");
  TypeRule rule = op.info().typeRule;
  if (rule == TypeRule::If) return branch(op);
  return (rule != TypeRule::For && rule != TypeRule::While) || loop(op);
}

bool Verifier::yields(const Op &op, const Block &region) {
  const Op &yield = *region.last();
  size_t first = carriedAt(op).yield;
  if (yield.operandCount() != op.resultCount() + first)
    return fail(op, str("a region yields ", yield.operandCount(), " values for ", op.resultCount(), " results",
                        first ? " and a condition" : ""));
  for (size_t i = 0; i < op.resultCount(); ++i)
    if (!agree(yield.operand(i + first)->type(), op.result(i)->type()))
      return fail(op, str("the ", ordinal(i + 1), " result is ", typeText(op.result(i)->type()), ", but a region yields ",
                          typeText(yield.operand(i + first)->type())));
  if (first && !yield.operand(0)->type().isScalar(Elem::I1)) return fail(op, "the next condition is not a scalar i1");
  return true;
}

// A `for`: operands lower, upper, step, inits…; parameters the induction variable, then one for each init. A `while`:
// operands condition, inits…; one parameter for each init.
bool Verifier::loop(const Op &op) {
  const Block &body = *op.region();
  CarriedAt at = carriedAt(op);
  size_t carried = op.operandCount() - at.operand;
  if (op.resultCount() != carried || body.params().size() != carried + at.param)
    return fail(op, str("carries ", carried, " values, but has ", op.resultCount(), " results and ", body.params().size(),
                        " parameters of its body"));
  if (op.kind() == OpKind::For && !body.param(0)->type().isIndex()) return fail(op, "the loop variable is not an index");
  if (op.kind() == OpKind::While && !op.operand(0)->type().isScalar(Elem::I1))
    return fail(op, "the condition is not a scalar i1");
  for (size_t i = 0; i < carried; ++i) {
    Type type = op.result(i)->type();
    if (!agree(op.operand(i + at.operand)->type(), type) || !agree(body.param(i + at.param)->type(), type))
      return fail(op, str("the ", ordinal(i + 1), " carried value changes its type"));
  }
  return yields(op, body);
}

bool Verifier::branch(const Op &op) {
  if (!op.operand(0)->type().isScalar(Elem::I1)) return fail(op, "the condition is not a scalar i1");
  for (size_t i = 0; i < 2; ++i) {
    if (!op.region(i)->params().empty()) return fail(op, "a region of a branch has parameters");
    if (!yields(op, *op.region(i))) return false;
  }
  return true;
}

} // namespace xt
