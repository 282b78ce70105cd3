// The values of a kernel as terms, as far as a walk over the kernel knows them.
#pragma once
#include "targets/prove/accesses.h"

#include <optional>
#include <unordered_map>
#include <variant>

namespace xt {

// A memref as a view of a parameter; a dimension of the view that the parameter lacks has extent 1.
struct View {
  size_t param = 0;
  std::vector<std::optional<size_t>> dims; // the parameter's dimension for each dimension of the view; nullopt: there is none
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
  // Symbols for unknown values, and the ranges of their types, are added to `out`.
  SymbolicValues(Smt &smt, KernelAccesses &out) : smt_(smt), out_(out) {}

  void set(const Value *value, Symbolic known) { values_[value] = std::move(known); }
  // The view, or the tile, that the value is known to be; null if it is not known to be one.
  const View *view(const Value *value) const;
  const TileAt *tile(const Value *value) const;
  // The memref that the value, a memref or a tile, refers to; null if it is not known.
  const View *baseOf(const Value *value) const;
  Term number(const Value *value); // a symbol for an unknown number if no term has been set

  Term unknown(const std::string &name) { return out_.unknowns.emplace_back(smt_.symbol(name)); }
  Term unknownTruth(const std::string &name) { return out_.unknowns.emplace_back(smt_.truthSymbol(name)); }
  Term unknownOf(const Value &value);

private:
  Smt &smt_;
  KernelAccesses &out_;
  std::unordered_map<const Value *, Symbolic> values_; // for lookup only; iteration order would not be deterministic
};

} // namespace xt
