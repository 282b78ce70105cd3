#include "lang/lower/instance.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"

#include <algorithm>

namespace xt {
namespace {

// What the constraint of a generic name allows.
struct Constraint {
  std::string_view word, what;
  bool floats, ints;
};
constexpr Constraint kConstraints[] = {{"float", "a float type", true, false},
                                       {"int", "an integer type", false, true},
                                       {"number", "a number type", true, true},
                                       {"any", "an element type", true, true}};

ConstValue ofType(Elem elem) { return {.kind = ConstValue::Kind::Type, .elem = elem, .literal = false}; }
ConstValue ofExtent(int64_t extent) { return {.kind = ConstValue::Kind::Int, .integer = extent}; }

} // namespace

std::string_view constraintText(std::string_view word) {
  if (word == "index") return "an extent";
  auto found = std::ranges::find(kConstraints, word, &Constraint::word);
  return found == std::end(kConstraints) ? "" : found->what;
}

const ast::Generic *Instance::find(std::string_view name) const {
  auto found = std::ranges::find_if(decl_.generics, [&](const ast::Generic &generic) { return generic.name.text == name; });
  return found == decl_.generics.end() ? nullptr : &*found;
}

bool Instance::allowed(const ast::Generic &generic, const ConstValue &value, SourceRange range) {
  std::string_view word = generic.constraint.text;
  if (word.empty() || (word == "index" && value.kind == ConstValue::Kind::Int)) return true;
  const Constraint *constraint = std::ranges::find(kConstraints, word, &Constraint::word);
  if (constraint == std::end(kConstraints)) {
    auto &diagnostic = state_.diagnostics().report(DiagCode::UnknownAttribute, generic.constraint.range,
                                                   str("unknown constraint `", word, "`"));
    std::vector<std::string_view> words{"index"};
    for (const Constraint &known : kConstraints) words.push_back(known.word);
    if (!suggestName(diagnostic, generic.constraint.range, 0, word, words))
      diagnostic.note("the constraints are float, int, number, any, and index for an extent");
    return false;
  }
  bool type = value.kind == ConstValue::Kind::Type;
  bool fits =
      type && (isFloat(value.elem) ? constraint->floats : constraint->ints) && !(value.elem == Elem::I1 && word != "any");
  if (fits) return true;
  state_.diagnostics()
      .report(DiagCode::CallMismatch, range,
              str("`$", generic.name.text, "` of `@", decl_.name.text, "` is ", constraint->what, ", but here it is ",
                  constText(value)))
      .at(generic.constraint.range, "declared here");
  return false;
}

bool Instance::set(const ast::Generic &generic, const ConstValue &value, SourceRange range) {
  auto [known, isNew] = values_.try_emplace(generic.name.text, Bound{value, range});
  if (isNew) return allowed(generic, value, range);
  if (known->second.value == value) return true;
  state_.diagnostics()
      .report(DiagCode::CallMismatch, range,
              str("`$", generic.name.text, "` of `@", decl_.name.text, "` is ", constText(known->second.value),
                  " by another argument, but ", constText(value), " by this one"))
      .at(known->second.range, str("here it is ", constText(known->second.value)))
      .at(generic.name.range, "declared here");
  return false;
}

bool Instance::bindElement(const ast::TypeExpr &element, Type argument, SourceRange range) {
  bool name = element.kind == ast::TypeExpr::Kind::Param || element.kind == ast::TypeExpr::Kind::Word;
  const ast::Generic *generic = name ? find(element.name.text) : nullptr;
  return !generic || set(*generic, ofType(argument.elem()), range);
}

bool Instance::bind(const ast::TypeExpr &param, Type argument, SourceRange range) {
  bool shaped = argument.isVector() || argument.isMemRef() || argument.isTile() || argument.isTensorDesc();
  if (param.kind != ast::TypeExpr::Kind::Shaped) return !argument.isScalar() || bindElement(param, argument, range);
  if (!shaped) return true; // the types do not fit, which is reported later
  if (param.element && !bindElement(*param.element, argument, range)) return false;
  for (size_t d = 0; d < param.extents.size() && d < static_cast<size_t>(argument.rank()); ++d) {
    const std::optional<ast::Expr> &extent = param.extents[d].value;
    const ast::Generic *generic = extent && extent->is(ast::Expr::Kind::Param) ? find(extent->text) : nullptr;
    int64_t known = argument.extent(static_cast<int>(d));
    if (generic && known != kDynamic && !set(*generic, ofExtent(known), range)) return false;
  }
  return true;
}

bool Instance::decided(SourceRange call) {
  for (const ast::Generic &generic : decl_.generics) {
    auto bound = values_.find(generic.name.text);
    if (bound == values_.end()) {
      state_.diagnostics()
          .report(DiagCode::CallMismatch, call,
                  str("no argument decides what `$", generic.name.text, "` of `@", decl_.name.text, "` is"))
          .at(generic.name.range, "declared here");
      return false;
    }
    names_[generic.name.text] = bound->second.value;
  }
  return true;
}

bool Instance::assume(int64_t extent, Elem open) {
  bool extents = false;
  auto isExtent = [&](const ast::Generic &generic) {
    return std::ranges::any_of(decl_.params, [&](const ast::Param &param) {
      return std::ranges::any_of(param.type.extents, [&](const ast::Extent &e) {
        return e.value && e.value->is(ast::Expr::Kind::Param) && e.value->text == generic.name.text;
      });
    });
  };
  for (const ast::Generic &generic : decl_.generics) {
    bool ofExtents = isExtent(generic);
    extents |= ofExtents;
    const std::string &word = generic.constraint.text;
    Elem elem = word == "int" ? Elem::I32 : word == "float" ? Elem::F32 : open;
    ConstValue value = ofExtents ? ofExtent(extent) : ofType(elem);
    allowed(generic, value, generic.name.range);
    names_[generic.name.text] = value;
  }
  for (const ast::Param &param : decl_.params)
    if (param.isLayout) layouts[param.name.text] = {nullptr, param.name.range};
  return extents;
}

std::string Instance::text() const {
  std::string text;
  for (const ast::Generic &generic : decl_.generics)
    if (auto bound = values_.find(generic.name.text); bound != values_.end())
      text += str(text.empty() ? " with " : ", ", "$", generic.name.text, " = ", constText(bound->second.value));
  return text;
}

} // namespace xt
