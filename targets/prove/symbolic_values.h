// What a walk over a kernel knows about its values, as terms.
#pragma once
#include "targets/prove/accesses.h"

#include <optional>
#include <unordered_map>
#include <variant>

namespace xt {

// A memref as a view of a parameter; a dimension of the view that the parameter lacks has extent 1.
struct View {
  size_t param = 0;
  std::vector<std::optional<size_t>> dims; // the parameter's dimension, for each dimension of the view
  bool operator==(const View &) const = default;
};

struct TileAt {
  View base;
  std::vector<Term> first; // first index in each dimension of the base
  size_t row = 0, column = 0;
};

struct Opaque {}; // vectors, and values that are not tracked
using Symbolic = std::variant<Opaque, Term, View, TileAt>;

class SymbolicValues {
public:
  // Symbols for unknown values, and the ranges of their types, are noted in `out`.
  SymbolicValues(Smt &smt, KernelAccesses &out) : smt_(smt), out_(out) {}

  void set(const Value *value, Symbolic known) { values_[value] = std::move(known); }
  // Null if the value is not known as one.
  const View *view(const Value *value) const;
  const TileAt *tile(const Value *value) const;
  // The memref that the value, a memref or a tile, looks into; null if it is not known.
  const View *baseOf(const Value *value) const;
  Term number(const Value *value); // unknown if nothing has been set

  Term unknown(const std::string &name) { return out_.unknowns.emplace_back(smt_.symbol(name)); }
  Term unknownTruth(const std::string &name) { return out_.unknowns.emplace_back(smt_.truthSymbol(name)); }
  Term unknownOf(const Value &value);

private:
  Smt &smt_;
  KernelAccesses &out_;
  std::unordered_map<const Value *, Symbolic> values_; // for lookup only; iteration order would not be deterministic
};

} // namespace xt
