// Internal to the verifier: one object checks one kernel.
#pragma once
#include "ir/context.h"
#include "ir/verify/verify.h"

#include <unordered_map>

namespace xt {

// The limit on the nesting of regions. The parser rejects text that is nested this deeply.
inline constexpr int kMaxVerifyDepth = 2000;
// Violations beyond this number are not reported: printing an op takes time linear in the size of its kernel.
inline constexpr size_t kMaxViolations = 20;

class Verifier {
public:
  Verifier(const Kernel &kernel, Context &context, Diagnostics &diagnostics)
      : kernel_(kernel), context_(context), diagnostics_(diagnostics) {}
  // Returns true if no violation was found.
  bool run();

private:
  // verify.cc: the kernel, its blocks, and how values are linked
  bool header();
  bool grid();
  bool ofHeader(const Value *value) const;
  bool requirements();
  bool gridOps();
  bool block(const Block &block, const Op *parent, int depth);
  bool blockEnds(const Block &block, const Op *parent);
  bool links(const Op &op, const Block &block, const Op *parent);
  bool visibleOperands(const Op &op);
  bool useLists();
  void define(const Value &value);
  bool inSight(const Value *value) const;

  // verify_op.cc: one op against its row of the table
  bool op(const Op &op);
  bool attributes(const Op &op);
  bool types(const Op &op);
  bool windows(const Op &op);
  bool layoutBelowWorkgroup(const Op &op);
  bool regions(const Op &op);
  bool loop(const Op &op);
  bool branch(const Op &op);
  bool yields(const Op &op, const Block &region);

  bool fail(const Op &op, std::string what);
  bool fail(std::string what);

  struct State {
    size_t uses = 0;
    bool inSight = true;
  };
  const Kernel &kernel_;
  Context &context_;
  Diagnostics &diagnostics_;
  size_t violations_ = 0;
  std::vector<const Value *> values_;               // all defined values, in text order
  std::vector<const Value *> sight_;                // a stack: the values that are visible at the current position
  std::unordered_map<const Value *, State> states_; // used for lookup only
};

} // namespace xt
