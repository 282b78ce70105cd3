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

// Vectors, and values that are not tracked.
struct Opaque {
  std::string_view why = {}; // of a tile: what it is that has no known address; "": it has been taken from several others
};

// What an unknown value depends on.
enum class Source : uint8_t { Arithmetic, Memory };

using Symbolic = std::variant<Opaque, Term, View, TileAt>;

class SymbolicValues {
public:
  // Symbols for unknown values, and the ranges of their types, are added to `out`.
  SymbolicValues(Smt &smt, KernelAccesses &out) : smt_(smt), out_(out) {}

  void set(const Value *value, Symbolic known) { values_[value] = std::move(known); }
  // The view, or the tile, that the value is known to be; null if it is not known to be one.
  const View *view(const Value *value) const;
  const TileAt *tile(const Value *value) const;
  // Why the addresses of a value that is not tracked are not known; "" if there is no special reason.
  std::string_view whyOpaque(const Value *value) const;
  // The memref that the value, a memref or a tile, refers to; null if it is not known.
  const View *baseOf(const Value *value) const;
  Term number(const Value *value); // a symbol for an unknown number if no term has been set

  Term unknown(const std::string &name, Source source) { return unknown(smt_.symbol(name), source); }
  Term unknownTruth(const std::string &name, Source source) { return unknown(smt_.truthSymbol(name), source); }
  Term unknownOf(const Value &value, Source source);
  // Whether the term contains symbols for values that depend on what the kernel reads from memory.
  Source sourceOf(Term term) { return smt_.mentions(term, out_.fromMemory) ? Source::Memory : Source::Arithmetic; }

private:
  Term unknown(Term symbol, Source source);

  Smt &smt_;
  KernelAccesses &out_;
  std::unordered_map<const Value *, Symbolic> values_; // for lookup only; iteration order would not be deterministic
};

} // namespace xt
