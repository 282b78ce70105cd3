// Lowers the attributes of an op: kinds, literals, and attributes in braces.
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "lang/check/literals.h"
#include "lang/lower/kernel_lowering.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace xt {
namespace {

// The words that an attribute of kind Kind or Word allows; AttrSpec::doc lists them, separated by blanks.
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

std::string_view withoutDollar(std::string_view key) { return key.starts_with("$") ? key.substr(1) : key; }

const AttrSpec *findSpec(const OpInfo &info, std::string_view name) {
  for (const AttrSpec &spec : info.attrs)
    if (spec.name == name || (!spec.spelling.empty() && spec.spelling == name)) return &spec;
  return nullptr;
}

// A float type holds every number by rounding, an integer type only those it can represent exactly; only i1 holds true and
// false.
bool holdsLiteral(Elem elem, const ConstValue &value) {
  return !(value.kind == ConstValue::Kind::Bool && elem != Elem::I1) && fitsType(elem, value);
}

// A hexadecimal integer that is the value of a float constant gives its bits: MLIR prints an infinite f32 as 0x7F800000.
bool isBits(const ast::Expr &expr, Elem elem) {
  return isFloat(elem) && expr.is(ast::Expr::Kind::Int) && (expr.text.starts_with("0x") || expr.text.starts_with("0X"));
}
std::optional<double> floatOfBits(const ast::Expr &expr, Elem elem) {
  if (!isBits(expr, elem)) return std::nullopt;
  auto bits = static_cast<uint64_t>(expr.integer);
  int width = elemInfo(elem).storageBytes * 8;
  if (width < 64 && bits >> width != 0) return std::nullopt;
  double value = loadFloat(elem, &bits); // the low bytes come first
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : roundTo(elem, value); // the IR prints every NaN alike
}

} // namespace

bool KernelLowering::kindAttr(const ast::Name &word, OpDraft &draft) {
  const AttrSpec *spec = nullptr;
  for (const AttrSpec &s : draft.info->attrs)
    if (s.kind == AttrKind::Kind) spec = &s;
  if (!spec) {
    diagnostics().report(DiagCode::UnknownKind, word.range, str("`", draft.info->name, "` has no kinds"));
    return false;
  }
  std::vector<std::string_view> words = kindWords(*spec);
  if (std::find(words.begin(), words.end(), word.text) == words.end()) {
    auto &diagnostic =
        diagnostics().report(DiagCode::UnknownKind, word.range, str("`", draft.info->name, "` has no kind `", word.text, "`"));
    diagnostic.note(str("the kinds are ", join(words, " ")));
    return false;
  }
  draft.attrs.push_back({spec->name, word.text, word.range});
  return true;
}

bool KernelLowering::literalAttr(const ast::Attr &literal, Type type, OpDraft &draft) {
  const ast::Expr *expr = literal.value ? &*literal.value : nullptr;
  if (!expr) {
    if (literal.kind != ast::Attr::Kind::Error)
      diagnostics().report(DiagCode::LiteralValue, literal.range, "the value of a constant must be a number");
    return false;
  }
  std::optional<ConstValue> value = params_.eval(*expr);
  if (!value) return false;
  Elem elem = type                                                                               ? type.elem()
              : value->literal && value->kind == ConstValue::Kind::Int && !isWideLiteral(*value) ? Elem::Index
                                                                                                 : value->elem;
  if (!draft.written) {
    if (value->kind == ConstValue::Kind::Type) {
      diagnostics().report(DiagCode::LiteralValue, expr->range, "the value of a constant must be a number");
      return false;
    }
    draft.written = context_.scalar(elem);
    draft.writtenRange = expr->range;
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
    draft.attrs.push_back({"value", *bits, expr->range});
  else if (!isFloat(elem))
    draft.attrs.push_back({"value", value->integer, expr->range});
  else
    draft.attrs.push_back({"value", roundTo(elem, constNumber(*value)), expr->range});
  return true;
}

bool KernelLowering::namedAttr(const ast::Attr::Entry &entry, OpDraft &draft) {
  std::string_view key = withoutDollar(entry.key.text);
  const AttrSpec *spec = findSpec(*draft.info, key);
  if (!spec || spec->kind == AttrKind::Kind) {
    auto &diagnostic = diagnostics().report(DiagCode::UnknownAttribute, entry.key.range,
                                            str("`", draft.info->name, "` has no attribute `", key, "`"));
    std::vector<std::string_view> names;
    for (const AttrSpec &s : draft.info->attrs) names.push_back(s.name);
    suggestName(diagnostic, entry.key.range, 0, key, names);
    return false;
  }
  if (spec->kind == AttrKind::Flag) return draft.attrs.push_back({spec->name, int64_t{1}, entry.range}), true;
  if (!entry.value) {
    diagnostics().report(DiagCode::AttributeValue, entry.range, str("`", key, "` needs a value"));
    return false;
  }
  if (spec->kind == AttrKind::Word) return wordAttr(*spec, *entry.value, draft);
  if (spec->kind == AttrKind::Text) return textAttr(*spec, *entry.value, draft);
  if (spec->kind == AttrKind::Ints) {
    auto values = types_.integers(*entry.value, key);
    if (!values) return false;
    draft.attrs.push_back({spec->name, std::move(*values), entry.value->range});
    return true;
  }
  // The RFC for XeTile Dialect writes {$reduction_size = [32]}.
  const ast::Attr *given = &*entry.value;
  if (spec->kind == AttrKind::Int && given->kind == ast::Attr::Kind::List && given->items.size() == 1) given = &given->items[0];
  const ast::Expr *expr = given->value ? &*given->value : nullptr;
  if (expr && spec->kind == AttrKind::Int && expr->is(ast::Expr::Kind::List) && expr->children.size() == 1)
    expr = &expr->children[0];
  std::optional<ConstValue> value = expr ? params_.eval(*expr) : std::nullopt;
  if (!value) {
    if (!expr && entry.value->kind != ast::Attr::Kind::Error)
      diagnostics().report(DiagCode::AttributeValue, entry.value->range, str("`", key, "` is a number"));
    return false;
  }
  if (spec->kind == AttrKind::Int) {
    if ((value->kind != ConstValue::Kind::Int && value->kind != ConstValue::Kind::Bool) || isWideLiteral(*value)) {
      diagnostics().report(DiagCode::AttributeValue, entry.value->range, str("`", key, "` must be an integer"));
      return false;
    }
    draft.attrs.push_back({spec->name, value->integer, entry.value->range});
    return true;
  }
  // A number takes the element type of the first operand.
  Elem elem = draft.operands.empty() || !draft.operands[0] ? Elem::F64 : draft.operands[0]->type().elem();
  if (!holdsLiteral(elem, *value)) {
    diagnostics().report(DiagCode::LiteralValue, entry.value->range,
                         str("`", key, "` is of type ", elemName(elem), ", which cannot hold ", constText(*value)));
    return false;
  }
  if (isFloat(elem)) {
    draft.attrs.push_back({spec->name, roundTo(elem, constNumber(*value)), entry.value->range});
    return true;
  }
  draft.attrs.push_back({spec->name, value->integer, entry.value->range});
  return true;
}

bool KernelLowering::wordAttr(const AttrSpec &spec, const ast::Attr &value, OpDraft &draft) {
  if (value.kind == ast::Attr::Kind::Error) return false;
  std::string_view word;
  if (value.kind == ast::Attr::Kind::Word)
    word = value.name.text;
  else if (value.value && (value.value->is(ast::Expr::Kind::Ident) || value.value->is(ast::Expr::Kind::Text)))
    word = value.value->text;
  std::vector<std::string_view> words = kindWords(spec);
  if (std::find(words.begin(), words.end(), word) != words.end()) {
    draft.attrs.push_back({spec.name, std::string(word), value.range});
    return true;
  }
  auto &diagnostic =
      diagnostics().report(DiagCode::AttributeValue, value.range, str("`", spec.name, "` must be one of: ", join(words, " ")));
  suggestName(diagnostic, value.range, 0, word, words);
  return false;
}

bool KernelLowering::textAttr(const AttrSpec &spec, const ast::Attr &value, OpDraft &draft) {
  if (value.value && value.value->is(ast::Expr::Kind::Text)) {
    draft.attrs.push_back({spec.name, value.value->text, value.range});
    return true;
  }
  if (value.kind != ast::Attr::Kind::Error)
    diagnostics().report(DiagCode::AttributeValue, value.range, str("`", spec.name, "` must be a text in quotes"));
  return false;
}

bool KernelLowering::gatherAttrs(const ast::OpClause &clause, OpDraft &draft, std::vector<const ast::Attr *> &layouts) {
  bool ok = true;
  if (clause.kind) ok &= kindAttr(*clause.kind, draft);
  if (clause.dims) ok &= dimsAttr(*clause.dims, draft);
  if (clause.text) draft.attrs.push_back({"text", clause.text->text, clause.text->range});
  if (clause.locality) {
    std::optional<int64_t> value = params_.evalInt(*clause.locality, "locality");
    ok &= value.has_value() && findSpec(*draft.info, "locality");
    if (value) draft.attrs.push_back({"locality", *value, clause.locality->range});
  }
  for (const ast::Attr &group : clause.attrs)
    for (const ast::Attr::Entry &entry : group.entries) {
      if (!entry.key) {
        if (entry.value) layouts.push_back(&*entry.value);
        continue;
      }
      auto same = [&](const Attr &a) { return a.name == withoutDollar(entry.key.text); };
      if (std::any_of(draft.attrs.begin(), draft.attrs.end(), same)) {
        diagnostics().report(DiagCode::DuplicateName, entry.key.range, str("attribute `", entry.key.text, "` is given twice"));
        ok = false;
      } else {
        ok &= namedAttr(entry, draft);
      }
    }
  return ok && requiredAttrs(clause, draft);
}

bool KernelLowering::requiredAttrs(const ast::OpClause &clause, const OpDraft &draft) {
  for (const AttrSpec &spec : draft.info->attrs) {
    // A constant's value is lowered later, together with its type.
    if (!spec.required || spec.kind == AttrKind::Number) continue;
    // dimsFollow() derives these from the types, which are not known yet.
    if (spec.name == "dims" && (draft.info->kind == OpKind::Iota || draft.info->kind == OpKind::Broadcast)) continue;
    if (std::any_of(draft.attrs.begin(), draft.attrs.end(), [&](const Attr &a) { return a.name == spec.name; })) continue;
    return missingAttr(clause, draft, spec.name);
  }
  return true;
}

// Reports the missing attribute and returns false.
bool KernelLowering::missingAttr(const ast::OpClause &clause, const OpDraft &draft, std::string_view name) {
  if (const AttrSpec *found = findSpec(*draft.info, name)) {
    const AttrSpec &spec = *found;
    std::string_view what = spec.kind == AttrKind::Kind   ? "a kind"
                            : spec.kind == AttrKind::Int  ? spec.name
                            : spec.kind == AttrKind::Text ? "a text"
                                                          : "a dimension, such as `[0]`";
    diagnostics()
        .report(spec.kind == AttrKind::Kind ? DiagCode::UnknownKind : DiagCode::AttributeValue, clause.op.range,
                str("`", draft.info->name, "` needs ", what))
        .note(str("for example `", draft.info->example, "`"));
  }
  return false;
}

// Lowers a list of dimensions: `[1]` of a reduction, `[1, 0]` of a transpose.
bool KernelLowering::dimsAttr(const ast::Expr &list, OpDraft &draft) {
  const AttrSpec *spec = nullptr;
  for (const AttrSpec &s : draft.info->attrs)
    if (s.kind == AttrKind::Ints && !spec) spec = &s;
  if (!spec) {
    diagnostics().report(DiagCode::AttributeValue, list.range, str("`", draft.info->name, "` takes no list of dimensions"));
    return false;
  }
  std::vector<int64_t> dims;
  for (const ast::Expr &item : list.children) {
    std::optional<int64_t> value = params_.evalInt(item, "a dimension");
    if (!value) return false;
    dims.push_back(*value);
  }
  draft.attrs.push_back({spec->name, std::move(dims), list.range});
  return true;
}

} // namespace xt
