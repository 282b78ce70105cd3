#include "ir/print.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/integer_text.h"
#include "ir/op_kinds.h"
#include "ir/print_expression.h"

#include <algorithm>

namespace xt {
namespace {

class KernelPrinter {
public:
  KernelPrinter(std::string &out, const Module *module) : out_(out), types_(module) {}

  void kernel(const Kernel &kernel);
  void block(const Block &block, int depth);
  // Prints one statement; if `whole` is false, regions print as "{…}".
  void statement(const Op &op, int depth, bool whole = true);
  ValueNames &names() { return names_; }
  std::vector<GridText> gridTexts(const Kernel &kernel);
  std::vector<std::string> requirementTexts(const Kernel &kernel);

private:
  void nameParameters(const Kernel &kernel);
  void grid(const Kernel &kernel);
  void expression(const Value &value) { printExpression(out_, value, names_); }
  void requirements(const Kernel &kernel);
  void clause(const Op &op);
  void structure(const Op &op, int depth, bool whole);
  void loop(const Op &op);
  void region(const Block &block, int depth, bool whole);
  void attributes(const Op &op);
  void signature(const Op &op);
  void operandTypes(const Op &op);
  void operands(const Op &op, size_t first = 0);
  void basedOperands(const Op &op);
  void resultTypes(const Op &op);
  std::string attributeText(const AttrValue &value, Elem elem) const;
  const std::string &name(const Value *value) { return names_.of(*value); }

  std::string &out_;
  TypeNames types_;
  ValueNames names_;
};

// Whether the op's clause spells an attribute: the first one of the row, and for a clause with a kind also the dimensions.
bool inClause(const OpInfo &info, const Attr &attr) {
  auto is = [&](size_t i) { return info.attrs.size() > i && info.attrs[i].name == attr.name; };
  switch (info.clause) {
  case Clause::Locality:
  case Clause::Dims:
  case Clause::Literal:
  case Clause::Text:
  case Clause::Dimension: return is(0);
  case Clause::Kind: return is(0) || (is(1) && info.attrs[1].kind == AttrKind::Ints); // <add> %v [1]
  case Clause::Operands:
  case Clause::Base:
  case Clause::Bare:
  case Clause::Structure: return false;
  }
  XT_UNREACHABLE("clause");
}

const Attr *clauseAttr(const Op &op, size_t i = 0) {
  return op.info().attrs.size() > i ? op.attr(op.info().attrs[i].name) : nullptr;
}

namespace {
bool hasLayouts(const Kernel &kernel) {
  bool found = false;
  walk(kernel.body, [&](const Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i) {
      Type type = op.result(i)->type();
      found |= type && (type.isVector() || type.isTile()) && type.layout();
    }
  });
  return found;
}
} // namespace

void KernelPrinter::nameParameters(const Kernel &kernel) {
  names_.add(kernel.body);
  for (size_t i = 0; i < kernel.gridBlock.params().size() && i < kernel.paramCount; ++i)
    names_.share(*kernel.gridBlock.param(i), *kernel.param(i));
}

void KernelPrinter::kernel(const Kernel &kernel) {
  nameParameters(kernel);
  out_ += "kernel " + symbolText(kernel.name) + "(";
  for (size_t i = 0; i < kernel.paramCount; ++i)
    out_ += (i ? ", " : "") + name(kernel.param(i)) + ": " + types_.of(kernel.param(i)->type());
  out_ += ")";
  grid(kernel);
  requirements(kernel);
  bool silent = kernel.scope == Scope::Workgroup && !hasLayouts(kernel);
  if (kernel.subgroupsWritten || silent || (kernel.scope != Scope::Workgroup && kernel.subgroups != 1))
    out_ += str(" subgroups(", kernel.subgroups, ")");
  if (kernel.scope == Scope::Lane) out_ += str(" lanes(", kernel.lanes, ")");
  std::string forms;
  for (size_t f = 0; f < kFormCount; ++f)
    if (kernel.forms.has(static_cast<Form>(f)))
      forms += (forms.empty() ? "" : ", ") + std::string(formText(static_cast<Form>(f)));
  if (silent) forms += str(forms.empty() ? "" : ", ", kWorkgroupScopeText);
  if (!forms.empty()) out_ += " form " + forms;
  out_ += " {\n";
  block(kernel.body, 1);
  out_ += "}\n";
}

void KernelPrinter::grid(const Kernel &kernel) {
  if (kernel.grid.empty()) return;
  out_ += " grid (";
  for (size_t d = 0; d < kernel.grid.size(); ++d) {
    const GridDim &dim = kernel.grid[d];
    out_ += (d ? ", " : "") + name(dim.variable) + " = ";
    expression(*dim.lower);
    out_ += " to ";
    expression(*dim.upper);
    out_ += " step ";
    expression(*dim.step);
  }
  out_ += ")";
}

void KernelPrinter::requirements(const Kernel &kernel) {
  for (const Requirement &requirement : kernel.requirements) {
    out_ += &requirement == &kernel.requirements.front() ? " requires (" : ", ";
    expression(*requirement.condition);
  }
  if (!kernel.requirements.empty()) out_ += ")";
}

std::vector<std::string> KernelPrinter::requirementTexts(const Kernel &kernel) {
  nameParameters(kernel);
  std::vector<std::string> texts;
  for (const Requirement &requirement : kernel.requirements) {
    out_.clear();
    expression(*requirement.condition);
    texts.push_back(out_);
  }
  return texts;
}

std::vector<GridText> KernelPrinter::gridTexts(const Kernel &kernel) {
  nameParameters(kernel);
  std::vector<GridText> texts;
  auto text = [&](const Value *bound) {
    out_.clear();
    expression(*bound);
    return out_;
  };
  for (const GridDim &dim : kernel.grid) texts.push_back({text(dim.lower), text(dim.upper), text(dim.step)});
  return texts;
}

void KernelPrinter::block(const Block &block, int depth) {
  for (const Op &op : block) {
    // A region that yields nothing ends without a `yield`.
    if (op.info().typeRule == TypeRule::Yield && op.operandCount() == 0) continue;
    out_.append(static_cast<size_t>(depth) * 2, ' ');
    statement(op, depth);
    out_ += "\n";
  }
}

void KernelPrinter::statement(const Op &op, int depth, bool whole) {
  XT_CHECK(depth < kMaxPrintDepth, "regions nest too deeply");
  for (size_t i = 0; i < op.resultCount(); ++i) out_ += (i ? ", " : "") + name(op.result(i));
  if (op.resultCount()) out_ += " = ";
  out_ += fullName(op.kind());
  if (op.info().clause == Clause::Structure) return structure(op, depth, whole);
  clause(op);
  attributes(op);
  signature(op);
}

// The number of offsets of a base. An address refers to a matrix, so it has two.
size_t baseRank(Type base) { return base.isMemRef() ? static_cast<size_t>(std::max(1, base.rank())) : 2; }

// A base and the lists that follow it, of one operand for each dimension: offsets, then a shape and strides if they are
// explicit. A view has a single offset, and the sizes and strides of its own dimensions.
void KernelPrinter::basedOperands(const Op &op) {
  bool view = op.kind() == OpKind::View;
  size_t offsets = view ? 1 : baseRank(op.operand(0)->type()), rank = view ? (op.operandCount() - 2) / 2 : offsets;
  out_ += " " + name(op.operand(0)) + "[";
  for (size_t i = 1; i < op.operandCount(); ++i)
    out_ += (i == 1 ? "" : i > offsets && (i - 1 - offsets) % rank == 0 ? "], [" : ", ") + name(op.operand(i));
  out_ += "]";
}

// The position of the first index among the operands, for ops that end in indices into the operand before them, as in
// `%v[%i, %j]`; SIZE_MAX for other ops.
size_t firstIndex(const OpInfo &info) {
  const auto &specs = info.operands;
  size_t last = specs.size() - 1;
  bool indexed = specs.size() > 1 && specs[last].arity == Arity::Variadic && specs[last].type == OperandClass::Index;
  return indexed ? last : SIZE_MAX;
}

void KernelPrinter::clause(const Op &op) {
  const Attr *attr = clauseAttr(op);
  Elem elem = numberElem(op);
  std::string word = attr ? attributeText(attr->value, elem) : "";
  switch (op.info().clause) {
  case Clause::Operands: operands(op); break;
  case Clause::Base:
    if (op.operandCount() == 0) break; // a broken op, in a message
    basedOperands(op);
    break;
  case Clause::Locality:
    operands(op);
    if (attr) out_ += " locality<" + word + ">";
    break;
  case Clause::Kind:
    out_ += " <" + word + ">";
    operands(op);
    if (const Attr *dims = clauseAttr(op, 1); dims && inClause(op.info(), *dims))
      out_ += " " + attributeText(dims->value, elem);
    break;
  case Clause::Dims:
    operands(op);
    if (attr) out_ += " " + word;
    break;
  case Clause::Literal:
  case Clause::Dimension: out_ += " " + word; break;
  case Clause::Text:
    out_ += " " + quotedText(word);
    if (op.operandCount()) out_ += ",";
    operands(op);
    break;
  case Clause::Bare:
  case Clause::Structure: break;
  }
}

void KernelPrinter::operands(const Op &op, size_t first) {
  size_t index = firstIndex(op.info());
  for (size_t i = first; i < op.operandCount(); ++i) out_ += (i == first ? " " : i == index ? "[" : ", ") + name(op.operand(i));
  if (op.operandCount() > index) out_ += "]";
}

std::string KernelPrinter::attributeText(const AttrValue &value, Elem elem) const {
  if (const auto *number = std::get_if<double>(&value)) return floatText(*number);
  if (const auto *integer = std::get_if<int64_t>(&value))
    return elem == Elem::I1 ? (*integer ? "true" : "false") : integerText(elem, *integer);
  if (const auto *list = std::get_if<std::vector<int64_t>>(&value)) return "[" + join(*list, ", ") + "]";
  return std::get<std::string>(value);
}

void KernelPrinter::attributes(const Op &op) {
  std::string text;
  auto add = [&](std::string_view entry) { text += str(text.empty() ? "" : ", ", entry); };
  for (const AttrSpec &spec : op.info().attrs) {
    const Attr *attr = op.attr(spec.name);
    if (!attr || inClause(op.info(), *attr)) continue;
    // An attribute that is a number has the op's element type; other integers are counts.
    Elem elem = spec.kind == AttrKind::Number ? numberElem(op) : Elem::Index;
    std::string value = attributeText(attr->value, elem);
    if (spec.kind == AttrKind::Flag)
      add(spec.name);
    else
      add(str(spec.name, " = ", spec.kind == AttrKind::Text ? quotedText(value) : value));
  }
  // A signature of operand types does not show a result layout that differs from theirs.
  if (op.info().signature == Signature::Operands && op.resultCount() == 1) {
    Type result = op.result()->type();
    bool shown = !result || result.isScalar() || result.isMemRef() || !result.layout();
    for (const Value *operand : op.operands()) shown |= operand->type() == result;
    if (!shown) add(types_.layoutOf(result));
  }
  if (!text.empty()) out_ += " {" + text + "}";
}

void KernelPrinter::operandTypes(const Op &op) {
  const auto &specs = op.info().operands;
  bool first = true;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    size_t row = std::min(i, specs.size() - 1);
    if (specs.size() && specs[row].type == OperandClass::Index) continue;
    if (specs.size() && specs[row].type == OperandClass::Offsets && op.operand(i)->type().isIndex()) continue;
    out_ += (first ? " : " : ", ") + types_.of(op.operand(i)->type());
    first = false;
  }
}

void KernelPrinter::signature(const Op &op) {
  Type result = op.resultCount() ? op.result()->type() : Type();
  switch (op.info().signature) {
  case Signature::None: return;
  case Signature::Same: {
    // For a comparison, the type is that of its operands. The layout is always that of the result, because the layouts of the
    // operands are known from their own types.
    bool compares = op.info().typeRule == TypeRule::Compare;
    Type type = compares && op.operandCount() ? op.operand(0)->type() : result;
    bool distributed = type && result && type.isVector() && result.isVector();
    out_ += " : " + (distributed ? types_.withLayout(type, result.layout()) : types_.of(type));
    return;
  }
  case Signature::Operands: operandTypes(op); return;
  case Signature::Result: out_ += " : " + types_.of(result); return;
  case Signature::OperandsToResult: {
    size_t before = out_.size();
    operandTypes(op);
    if (out_.size() == before) out_ += " : ()";
    out_ += " -> " + types_.of(result);
    return;
  }
  }
}

void KernelPrinter::resultTypes(const Op &op) {
  if (!op.resultCount()) return;
  out_ += " -> (";
  for (size_t i = 0; i < op.resultCount(); ++i) out_ += (i ? ", " : "") + types_.of(op.result(i)->type());
  out_ += ")";
}

void KernelPrinter::loop(const Op &op) {
  const Block &body = *op.region();
  CarriedAt at = carriedAt(op);
  size_t carried = op.operandCount() - std::min(op.operandCount(), at.operand);
  // A message may print a malformed loop.
  if (op.operandCount() < at.operand || body.params().size() != carried + at.param) return operands(op);
  if (op.kind() == OpKind::For)
    out_ +=
        " " + name(body.param(0)) + " = " + name(op.operand(0)) + " to " + name(op.operand(1)) + " step " + name(op.operand(2));
  else
    out_ += " " + name(op.operand(0));
  if (carried == 0) return;
  out_ += " iter_args(";
  for (size_t i = 0; i < carried; ++i)
    out_ += (i ? ", " : "") + name(body.param(i + at.param)) + " = " + name(op.operand(i + at.operand));
  out_ += ")";
}

void KernelPrinter::region(const Block &block, int depth, bool whole) {
  if (!whole) {
    out_ += "{…}";
    return;
  }
  out_ += "{\n";
  this->block(block, depth + 1);
  out_.append(static_cast<size_t>(depth) * 2, ' ');
  out_ += "}";
}

void KernelPrinter::structure(const Op &op, int depth, bool whole) {
  if (op.regionCount() && carriedAt(op).loops)
    loop(op);
  else
    operands(op);
  if (op.regionCount() == 0) return operandTypes(op); // a terminator
  resultTypes(op);
  out_ += " ";
  region(*op.region(0), depth, whole);
  if (op.regionCount() < 2) return;
  // An empty else is not printed.
  const Block &other = *op.region(1);
  if (op.resultCount() == 0 && (other.empty() || other.first()->info().typeRule == TypeRule::Yield)) return;
  out_ += " else ";
  region(other, depth, whole);
}

} // namespace

void printKernel(std::string &out, const Kernel &kernel, const Module *module) { KernelPrinter(out, module).kernel(kernel); }

std::vector<GridText> gridTexts(const Kernel &kernel) {
  std::string scratch;
  return KernelPrinter(scratch, nullptr).gridTexts(kernel);
}

std::vector<std::string> requirementTexts(const Kernel &kernel) {
  std::string scratch;
  return KernelPrinter(scratch, nullptr).requirementTexts(kernel);
}

// Names are the same as in a dump of the op's kernel, because all values of the outermost block are named first.
std::string print(const Op &op) {
  std::string out;
  KernelPrinter printer(out, nullptr);
  const Op *outermost = &op;
  while (outermost->block() && outermost->block()->parentOp()) outermost = outermost->block()->parentOp();
  if (outermost->block()) printer.names().add(*outermost->block());
  printer.statement(op, 0, false);
  return out;
}

} // namespace xt
