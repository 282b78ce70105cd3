#include "targets/prove/symbolic_values.h"

#include "ir/elem_kinds.h"
#include "targets/prove/integers.h"

namespace xt {

Term SymbolicValues::unknown(Term symbol, Source source) {
  out_.unknowns.push_back(symbol);
  if (source == Source::Memory) out_.fromMemory.push_back(symbol);
  return symbol;
}

Term SymbolicValues::unknownOf(const Value &value, Source source) {
  if (value.type().elem() == Elem::I1) return unknownTruth(value.name(), source);
  Term term = unknown(value.name(), source);
  out_.bounds.push_back(fits(term, value.type().elem(), smt_));
  return term;
}

const View *SymbolicValues::baseOf(const Value *value) const {
  const TileAt *at = tile(value);
  return at ? &at->base : view(value);
}

Term SymbolicValues::number(const Value *value) {
  auto found = values_.find(value);
  if (found != values_.end())
    if (const auto *term = std::get_if<Term>(&found->second)) return *term;
  Term term = unknownOf(*value, Source::Memory);
  values_[value] = term;
  return term;
}

const View *SymbolicValues::view(const Value *value) const {
  auto found = values_.find(value);
  return found == values_.end() ? nullptr : std::get_if<View>(&found->second);
}

std::string_view SymbolicValues::whyOpaque(const Value *value) const {
  auto found = values_.find(value);
  const Opaque *opaque = found == values_.end() ? nullptr : std::get_if<Opaque>(&found->second);
  return opaque ? opaque->why : "";
}

const TileAt *SymbolicValues::tile(const Value *value) const {
  auto found = values_.find(value);
  return found == values_.end() ? nullptr : std::get_if<TileAt>(&found->second);
}

} // namespace xt
