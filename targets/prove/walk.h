// The walk over a kernel that finds its accesses (accesses.h).
#pragma once
#include "ir/module.h"
#include "targets/prove/assumptions.h"
#include "targets/prove/symbolic_values.h"

namespace xt {

// Walks a kernel once; accessesOf repeats the walk until none of its assumptions is refuted.
class AccessWalk {
public:
  AccessWalk(const Kernel &kernel, Smt &smt, Refuted &refuted)
      : kernel_(kernel), smt_(smt), refuted_(refuted), values_(smt, out_) {}
  AccessWalk(const AccessWalk &) = delete;

  KernelAccesses run();
  const std::vector<AssumedRange> &ranges() const { return ranges_; }

private:
  // --- the launch ---

  Term sizeOf(const View &view, size_t dim);
  void bindParameters();
  void bindInteger(size_t p, const Value &param);
  void bound(Term least, Term term, int64_t most);
  void makeGrid();
  bool isAssumedInRange(const Value &value) const;

  // --- ops ---

  void block(const Block &block);
  void visit(const Op &op);
  static bool isPrefetch(const Op &op);
  Term numberOf(const Op &op, const Value &result);
  // What the result of an op depends on that has no exact term.
  Source sourceOf(const Op &op);

  // Whether the term is in the range of the type in each execution of the op. Either this is evident, or the walk assumes it,
  // and it must be proved afterwards.
  bool stays(const Op &op, Term exact, Elem elem);

  // --- memory ---

  void castView(const Op &op);
  void initTile(const Op &op);
  void moveTile(const Op &op);
  void accessTile(const Op &op, size_t operand, Access::Kind kind);
  void accessElement(const Op &op, size_t operand, Access::Kind kind);

  // Records an access whose addresses are not known. Claims are about parameters only, so accesses to shared local memory are
  // ignored.
  void notFollowed(const Op &op, const Value &memory, std::string why);
  template <class Extent>
  void add(const Op &op, Access::Kind kind, const View &base, const std::vector<Term> &first, Extent extent);

  // --- control flow ---

  // The numbers of accesses and ranges before a loop. Only later ones can contain the symbols of carried values.
  struct Mark {
    size_t accesses, ranges;
  };
  Mark here() const { return {out_.accesses.size(), ranges_.size()}; }

  // A failed assert ends the launch, so sizes that violate its condition need not be considered.
  void visitAssert(const Op &op);
  void visitFor(const Op &op);
  void visitIf(const Op &op);
  // The number of iterations is unknown: accesses in the body have an unknown condition and may occur any number of times.
  void visitWhile(const Op &op);

  const Kernel &kernel_;
  Smt &smt_;
  Refuted &refuted_;
  KernelAccesses out_;
  std::vector<AssumedRange> ranges_;
  SymbolicValues values_;
  std::vector<Term> when_, loops_;
  Term before_; // the condition of all following accesses: the workgroup is in the grid, and asserts hold
  Term subgroup_;
};

} // namespace xt
