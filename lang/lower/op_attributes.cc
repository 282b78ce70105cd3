#include "lang/lower/op_attributes.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "lang/check/literals.h"
#include "lang/check/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace xt {
std::vector<std::string_view> kindWords(const AttrSpec &spec) {
  std::vector<std::string_view> words;
  std::string_view rest = spec.doc;
  while (!rest.empty()) {
    size_t space = rest.find(' ');
    std::string_view word = rest.substr(0, space);
    if (!word.empty()) words.push_back(word);
    rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
  }
  return words;
}

namespace {

std::string_view withoutDollar(std::string_view key) { return key.starts_with("$") ? key.substr(1) : key; }

const AttrSpec *findSpec(const OpInfo &info, std::string_view name) {
  for (const AttrSpec &spec : info.attrs)
    if (spec.name == name || (!spec.spelling.empty() && spec.spelling == name)) return &spec;
  return nullptr;
}

// Words for what an op does without a flag.
struct Default {
  std::string_view word, flag;
};
constexpr Default kDefaults[] = {{"inclusive", "exclusive"}, {"ascending", "descending"}};

// Whether the entry names what the op does without one of its flags; offers to remove the entry from its group.
bool isDefault(Diagnostic &diagnostic, const OpInfo &op, const ast::Attr::Entry &entry, const ast::Attr *group) {
  for (const Default &known : kDefaults) {
    if (entry.value || entry.key.text != known.word || !findSpec(op, known.flag)) continue;
    diagnostic.note(str("`", op.name, "` is ", known.word, " unless it has the attribute `", known.flag, "`"));
    if (group && group->entries.size() == 1) diagnostic.fix("remove it", group->range, "");
    return true;
  }
  return false;
}

} // namespace

void reportUnknownAttribute(KernelState &state, const OpInfo &op, const ast::Attr::Entry &entry, const ast::Attr *group) {
  std::string_view key = withoutDollar(entry.key.text);
  auto &diagnostic = state.diagnostics().report(DiagCode::UnknownAttribute, entry.key.range,
                                                str("`", op.name, "` has no attribute `", key, "`"));
  if (isDefault(diagnostic, op, entry, group)) return;
  std::vector<std::string_view> names;
  for (const AttrSpec &spec : op.attrs) names.push_back(spec.name);
  suggestName(diagnostic, entry.key.range, 0, key, names);
}

namespace {

// A float type holds every number by rounding, an integer type only those it can represent exactly; only i1 holds true and
// false.
bool holdsLiteral(Elem elem, const ConstValue &value) {
  return !(value.kind == ConstValue::Kind::Bool && elem != Elem::I1) && fitsType(elem, value);
}

// Whether a literal gives the bits of a float: it is hexadecimal and the value of a float constant. MLIR prints an infinite f32
// as 0x7F800000.
bool isBits(const ast::Expr &expr, Elem elem) {
  return isFloat(elem) && expr.is(ast::Expr::Kind::Int) && (expr.text.starts_with("0x") || expr.text.starts_with("0X"));
}

std::optional<double> floatOfBits(const ast::Expr &expr, Elem elem) {
  if (!isBits(expr, elem)) return std::nullopt;
  auto bits = static_cast<uint64_t>(expr.integer);
  int width = elemInfo(elem).storageBytes * 8;
  if (width < 64 && bits >> width != 0) return std::nullopt;
  double value = loadFloat(elem, &bits); // the low bytes of `bits` come first in memory
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : roundTo(elem, value); // the IR prints every NaN alike
}

// Takes the attributes of one op. The functions return false if an error was reported.
class AttributeLowering {
public:
  AttributeLowering(KernelState &state, OpDraft &draft) : state_(state), draft_(draft) {}
  bool gather(const ast::OpClause &clause);
  bool takeNamed(const ast::Attr::Entry &entry, const ast::Attr *group);
  bool takeLiteral(const ast::Attr &literal);

private:
  std::string_view kindOfType(std::string_view word, const std::vector<std::string_view> &words) const;
  bool takeKind(const ast::Name &word);
  bool takeDims(const ast::Expr &list);
  bool takeWord(const AttrSpec &spec, const ast::Attr &value);
  bool takeText(const AttrSpec &spec, const ast::Attr &value);
  bool takeNumber(const AttrSpec &spec, std::string_view key, const ast::Attr &written);
  bool hasRequired();
  Diagnostics &diagnostics() const { return state_.diagnostics(); }

  KernelState &state_;
  OpDraft &draft_;
};

// The kind that `max` or `min` stands for on the elements of the first operand: the op of the functions `max` and `min`. "" for
// other words.
std::string_view AttributeLowering::kindOfType(std::string_view word, const std::vector<std::string_view> &words) const {
  if ((word != "max" && word != "min") || draft_.operands.empty()) return "";
  // The operand has an error, which was reported: any kind is right.
  if (!draft_.operands[0]) {
    auto any = std::ranges::find_if(words, [&](std::string_view known) { return known.starts_with(word); });
    return any == words.end() ? "" : *any;
  }
  Type type = draft_.operands[0]->type();
  if (!type.isScalar() && !type.isVector()) return "";
  const ElemInfo &info = elemInfo(type.elem());
  for (std::string_view ending : info.isFloat      ? std::array<std::string_view, 2>{"imumf", "imumf"}
                                 : info.isUnsigned ? std::array<std::string_view, 2>{"ui", "u"}
                                                   : std::array<std::string_view, 2>{"si", "s"})
    for (std::string_view known : words)
      if (known == str(word, ending)) return known;
  return "";
}

bool AttributeLowering::takeKind(const ast::Name &word) {
  const AttrSpec *spec = nullptr;
  for (const AttrSpec &s : draft_.info->attrs)
    if (s.kind == AttrKind::Kind) spec = &s;
  if (!spec) {
    diagnostics().report(DiagCode::UnknownKind, word.range, str("`", draft_.info->name, "` has no kinds"));
    return false;
  }
  std::vector<std::string_view> words = kindWords(*spec);
  if (std::string_view own = kindOfType(word.text, words); !own.empty()) {
    draft_.attrs.push_back({spec->name, std::string(own), word.range});
    return true;
  }
  if (std::find(words.begin(), words.end(), word.text) == words.end()) {
    auto &diagnostic =
        diagnostics().report(DiagCode::UnknownKind, word.range, str("`", draft_.info->name, "` has no kind `", word.text, "`"));
    diagnostic.note(str("the kinds are ", join(words, " ")));
    if (!kindOfType("max", words).empty()) diagnostic.note("`max` and `min` stand for the kind that fits the elements");
    return false;
  }
  draft_.attrs.push_back({spec->name, word.text, word.range});
  return true;
}

// Takes the value of a constant. Without a written type, the literal determines the type.
bool AttributeLowering::takeLiteral(const ast::Attr &literal) {
  const ast::Expr *expr = literal.value ? &*literal.value : nullptr;
  if (!expr) {
    if (literal.kind != ast::Attr::Kind::Error)
      diagnostics().report(DiagCode::LiteralValue, literal.range, "the value of a constant must be a number");
    return false;
  }
  std::optional<ConstValue> value = state_.params.eval(*expr);
  if (!value) return false;
  Elem elem = draft_.written                                                              ? draft_.written.elem()
              : value->literal && value->kind == ConstValue::Kind::Int && !isWide(*value) ? Elem::Index
                                                                                          : value->elem;
  if (!draft_.written) {
    if (value->kind == ConstValue::Kind::Type) {
      diagnostics().report(DiagCode::LiteralValue, expr->range, "the value of a constant must be a number");
      return false;
    }
    draft_.written = state_.context.scalar(elem);
    draft_.writtenRange = expr->range;
  }
  bool tooManyBits = isBits(*expr, elem) && !floatOfBits(*expr, elem);
  if (tooManyBits || !holdsLiteral(elem, *value)) {
    diagnostics()
        .report(DiagCode::LiteralValue, expr->range,
                tooManyBits ? str(expr->text, " has more bits than ", elemName(elem))
                            : str(constText(*value), " does not fit ", elemName(elem)))
        .note(tooManyBits ? "a hexadecimal constant of a float type is its bits, as MLIR prints inf and nan"
                          : "a literal is rounded once to a float type; an integer type must hold it exactly");
    return false;
  }
  if (std::optional<double> bits = floatOfBits(*expr, elem))
    draft_.attrs.push_back({"value", *bits, expr->range});
  else if (!isFloat(elem))
    draft_.attrs.push_back({"value", value->integer, expr->range});
  else {
    warnIfInfinite(diagnostics(), elem, *value, expr->range);
    draft_.attrs.push_back({"value", roundTo(elem, constNumber(*value)), expr->range});
  }
  return true;
}

// Takes an attribute of kind Int or Number.
bool AttributeLowering::takeNumber(const AttrSpec &spec, std::string_view key, const ast::Attr &written) {
  // The RFC for XeTile Dialect writes {$reduction_size = [32]}: a list of one integer is accepted as an integer.
  const ast::Attr *given = &written;
  if (spec.kind == AttrKind::Int && given->kind == ast::Attr::Kind::List && given->items.size() == 1) given = &given->items[0];
  const ast::Expr *expr = given->value ? &*given->value : nullptr;
  if (expr && spec.kind == AttrKind::Int && expr->is(ast::Expr::Kind::List) && expr->children.size() == 1)
    expr = &expr->children[0];
  std::optional<ConstValue> value = expr ? state_.params.eval(*expr) : std::nullopt;
  if (!value) {
    if (!expr && written.kind != ast::Attr::Kind::Error)
      diagnostics().report(DiagCode::AttributeValue, written.range, str("`", key, "` is a number"));
    return false;
  }
  if (spec.kind == AttrKind::Int) {
    if ((value->kind != ConstValue::Kind::Int && value->kind != ConstValue::Kind::Bool) || isWide(*value)) {
      diagnostics().report(DiagCode::AttributeValue, written.range, str("`", key, "` must be an integer"));
      return false;
    }
    draft_.attrs.push_back({spec.name, value->integer, written.range});
    return true;
  }
  // A number takes the element type of the first operand.
  Elem elem = draft_.operands.empty() || !draft_.operands[0] ? Elem::F64 : draft_.operands[0]->type().elem();
  if (!holdsLiteral(elem, *value)) {
    diagnostics().report(DiagCode::LiteralValue, written.range,
                         str("`", key, "` is of type ", elemName(elem), ", which cannot hold ", constText(*value)));
    return false;
  }
  if (isFloat(elem)) {
    warnIfInfinite(diagnostics(), elem, *value, written.range);
    draft_.attrs.push_back({spec.name, roundTo(elem, constNumber(*value)), written.range});
  } else
    draft_.attrs.push_back({spec.name, value->integer, written.range});
  return true;
}

// Takes an entry of `group`, or of none.
bool AttributeLowering::takeNamed(const ast::Attr::Entry &entry, const ast::Attr *group) {
  std::string_view key = withoutDollar(entry.key.text);
  const AttrSpec *spec = findSpec(*draft_.info, key);
  if (!spec || spec->kind == AttrKind::Kind) {
    reportUnknownAttribute(state_, *draft_.info, entry, group);
    return false;
  }
  if (spec->kind == AttrKind::Flag) return draft_.attrs.push_back({spec->name, int64_t{1}, entry.range}), true;
  if (!entry.value) {
    diagnostics().report(DiagCode::AttributeValue, entry.range, str("`", key, "` needs a value"));
    return false;
  }
  if (spec->kind == AttrKind::Word) return takeWord(*spec, *entry.value);
  if (spec->kind == AttrKind::Text) return takeText(*spec, *entry.value);
  if (spec->kind == AttrKind::Ints) {
    auto values = state_.types.integers(*entry.value, key);
    if (!values) return false;
    draft_.attrs.push_back({spec->name, std::move(*values), entry.value->range});
    return true;
  }
  return takeNumber(*spec, key, *entry.value);
}

bool AttributeLowering::takeWord(const AttrSpec &spec, const ast::Attr &value) {
  if (value.kind == ast::Attr::Kind::Error) return false;
  std::string_view word;
  if (value.kind == ast::Attr::Kind::Word)
    word = value.name.text;
  else if (value.value && (value.value->is(ast::Expr::Kind::Ident) || value.value->is(ast::Expr::Kind::Text)))
    word = value.value->text;
  std::vector<std::string_view> words = kindWords(spec);
  if (std::find(words.begin(), words.end(), word) != words.end()) {
    draft_.attrs.push_back({spec.name, std::string(word), value.range});
    return true;
  }
  auto &diagnostic =
      diagnostics().report(DiagCode::AttributeValue, value.range, str("`", spec.name, "` must be one of: ", join(words, " ")));
  suggestName(diagnostic, value.range, 0, word, words);
  return false;
}

bool AttributeLowering::takeText(const AttrSpec &spec, const ast::Attr &value) {
  std::string text = wordText(value);
  if (!text.empty() || (value.value && value.value->is(ast::Expr::Kind::Text))) {
    draft_.attrs.push_back({spec.name, std::move(text), value.range});
    return true;
  }
  if (value.kind != ast::Attr::Kind::Error)
    diagnostics().report(DiagCode::AttributeValue, value.range, str("`", spec.name, "` must be a word or a text in quotes"));
  return false;
}

// Lowers a list of dimensions: `[1]` of a reduction, `[1, 0]` of a transpose.
bool AttributeLowering::takeDims(const ast::Expr &list) {
  const AttrSpec *spec = nullptr;
  for (const AttrSpec &s : draft_.info->attrs)
    if (s.kind == AttrKind::Ints && !spec) spec = &s;
  if (!spec) {
    diagnostics().report(DiagCode::AttributeValue, list.range, str("`", draft_.info->name, "` takes no list of dimensions"));
    return false;
  }
  std::vector<int64_t> dims;
  for (const ast::Expr &item : list.children) {
    std::optional<int64_t> value = state_.params.evalInt(item, "a dimension");
    if (!value) return false;
    dims.push_back(*value);
  }
  draft_.attrs.push_back({spec->name, std::move(dims), list.range});
  return true;
}

// Whether all attributes that the op needs are given, except those that are derived later; otherwise reports an error.
bool AttributeLowering::hasRequired() {
  for (const AttrSpec &spec : draft_.info->attrs) {
    // A constant's value is lowered later, together with its type.
    if (!spec.required || spec.kind == AttrKind::Number) continue;
    // dimsFollow() derives these from the types, which are not known yet.
    if (spec.name == "dims" && (draft_.info->kind == OpKind::Iota || draft_.info->kind == OpKind::Broadcast)) continue;
    if (std::any_of(draft_.attrs.begin(), draft_.attrs.end(), [&](const Attr &a) { return a.name == spec.name; })) continue;
    reportMissing(state_, draft_, spec.name);
    return false;
  }
  return true;
}

bool AttributeLowering::gather(const ast::OpClause &clause) {
  bool ok = true;
  if (clause.kind) ok &= takeKind(*clause.kind);
  if (clause.dims) ok &= takeDims(*clause.dims);
  if (clause.text) draft_.attrs.push_back({"text", clause.text->text, clause.text->range});
  if (clause.locality) {
    std::optional<int64_t> value = state_.params.evalInt(*clause.locality, "locality");
    ok &= value.has_value() && findSpec(*draft_.info, "locality");
    if (value) draft_.attrs.push_back({"locality", *value, clause.locality->range});
  }
  for (const ast::Attr &group : clause.attrs)
    for (const ast::Attr::Entry &entry : group.entries) {
      if (!entry.key) {
        if (entry.value) draft_.layoutAttrs.push_back(&*entry.value);
        continue;
      }
      auto same = [&](const Attr &a) { return a.name == withoutDollar(entry.key.text); };
      if (std::any_of(draft_.attrs.begin(), draft_.attrs.end(), same)) {
        diagnostics().report(DiagCode::DuplicateName, entry.key.range, str("attribute `", entry.key.text, "` is given twice"));
        ok = false;
      } else {
        ok &= takeNamed(entry, &group);
      }
    }
  return ok && hasRequired();
}

} // namespace

bool gatherAttributes(KernelState &state, const ast::OpClause &clause, OpDraft &draft) {
  return AttributeLowering(state, draft).gather(clause);
}

bool takeNamedAttribute(KernelState &state, const ast::Attr::Entry &entry, OpDraft &draft) {
  return AttributeLowering(state, draft).takeNamed(entry, nullptr);
}

bool takeLiteral(KernelState &state, const ast::Attr &literal, OpDraft &draft) {
  return AttributeLowering(state, draft).takeLiteral(literal);
}

void reportMissing(KernelState &state, const OpDraft &draft, std::string_view name) {
  const AttrSpec *spec = findSpec(*draft.info, name);
  XT_CHECK(spec, str("`", draft.info->name, "` has no attribute `", name, "`"));
  std::string_view what = spec->kind == AttrKind::Kind   ? "a kind"
                          : spec->kind == AttrKind::Int  ? spec->name
                          : spec->kind == AttrKind::Text ? "a text"
                                                         : "a dimension, such as `[0]`";
  state.diagnostics()
      .report(spec->kind == AttrKind::Kind ? DiagCode::UnknownKind : DiagCode::AttributeValue, draft.nameRange,
              str("`", draft.info->name, "` needs ", what))
      .note(str("for example `", draft.info->example, "`"));
}

} // namespace xt
