// The walk over a kernel that finds its accesses (accesses.h).
#pragma once
#include "ir/module.h"
#include "targets/prove/accesses.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <variant>

namespace xt {

// Walks a kernel once; accessesOf repeats the walk until none of its assumptions is refuted.
class AccessWalk {
public:
  // A walk assumes that integers stay in the range of their types, and that what a loop carries is always in the same
  // parameter. What turns out to be wrong is entered here, and the kernel is walked again.
  struct Refuted {
    std::unordered_set<const Op *> wraps; // the result leaves the range of its type
    std::vector<const Op *> shown; // those of them that do not depend on data
    std::unordered_set<const Value *> bases; // a parameter of a loop's body that is carried from one memref to another
    size_t size() const { return wraps.size() + bases.size(); }
  };
  // What a walk assumes about the result of an op.
  struct Range {
    const Op *op = nullptr;
    Term reached; // the op is executed
    Term fits; // the exact result is in the range of its type
  };

  AccessWalk(const Kernel &kernel, Smt &smt, Refuted &refuted) : kernel_(kernel), smt_(smt), refuted_(refuted) {}

  KernelAccesses run();
  const std::vector<Range> &ranges() const { return ranges_; }

private:
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

  // --- values ---

  Term unknown(const std::string &name) { return out_.unknowns.emplace_back(smt_.symbol(name)); }
  Term unknownTruth(const std::string &name) { return out_.unknowns.emplace_back(smt_.truthSymbol(name)); }
  Term unknownOf(const Value &value);
  // The memref that the value, a memref or a tile, looks into; null if it is not known.
  const View *baseOf(const Value *value) const;
  Term number(const Value *value);
  const View *view(const Value *value) const;
  const TileAt *tile(const Value *value) const;
  Term sizeOf(const View &view, size_t dim);
  void bindParameters();
  void bindInteger(size_t p, const Value &param);
  void bound(Term least, Term term, int64_t most);
  void makeGrid();

  // --- ops ---

  void block(const Block &block);
  void visit(const Op &op);
  static bool isPrefetch(const Op &op);
  Term numberOf(const Op &op, const Value &result);

  // Whether the term lies in the range of the type in each execution of the op: either it is evident, or the walk assumes it and it must be proved.
  bool stays(const Op &op, Term exact, Elem elem);

  // --- memory ---

  void castView(const Op &op);
  void initTile(const Op &op);
  void moveTile(const Op &op);
  void accessTile(const Op &op, size_t operand, Access::Kind kind);
  void accessElement(const Op &op, size_t operand, Access::Kind kind);

  // Claims are about parameters, which shared local memory is not part of.
  void notFollowed(const Op &op, const Value &memory, std::string why);
  template <class Extent>
  void add(const Op &op, Access::Kind kind, const View &base, const std::vector<Term> &first, Extent extent);

  // --- control flow ---

  // A failed assert ends the launch, so sizes that violate it need not be considered.
  void visitAssert(const Op &op);

  // A carried number or tile either advances by the same amount in each iteration, or is unknown.
  struct Carried {
    std::vector<Term> start, symbols, steps; // one per dimension for a tile, a single one for a number
  };
  void visitFor(const Op &op);
  Carried begin(const Value &init, const Value &param);
  void checkBases(const Op &op, CarriedAt at, const std::vector<Value *> &yields);
  void findSteps(Carried &carried, const Value *yielded);

  // The numbers of accesses and ranges before a loop; only later ones can mention the symbols of carried values.
  struct Mark {
    size_t accesses, ranges;
  };
  Mark here() const { return {out_.accesses.size(), ranges_.size()}; }

  // Replaces the symbols of carried values by their values in an iteration.
  void resolve(const std::vector<Carried> &all, Term iteration, Mark mark);

  // The result looks into what the body's parameter looks into.
  void finish(const Carried &carried, const Value &result, const Value &param, Term trips);
  void visitIf(const Op &op);

  // The number of iterations is unknown: accesses in the body have an unknown condition and may occur any number of times.
  void visitWhile(const Op &op);

  const Kernel &kernel_;
  Smt &smt_;
  Refuted &refuted_;
  KernelAccesses out_;
  std::vector<Range> ranges_;
  std::unordered_map<const Value *, Symbolic> values_; // for lookup only; iteration order would not be deterministic
  std::vector<Term> when_, loops_;
  Term before_; // holds in what follows: the workgroup is in the grid, and asserts hold
  Term subgroup_;
};

} // namespace xt
