// Internal to the pass distribute-to-lanes: ops that need elements from other places than the lane's own: products, transposes,
// reductions. Dimensions that a lane holds completely need no exchange.
#pragma once
#include "passes/fragment_exchange.h"
#include "passes/fragment_values.h"

namespace xt {

class LaneMath {
public:
  LaneMath(Builder &builder, FragmentValues &values, const LaneLayouts &layouts, FragmentExchange &exchange, int64_t lanes)
      : b_(builder), values_(values), layouts_(layouts), exchange_(exchange), lanes_(lanes) {}

  void reduction(const Op &op);
  void broadcast(const Op &op);
  void convertLayout(const Op &op) { values_.bind(op.result(), in(op.operand(0), layouts_.of(op.result()))); }
  void transpose(const Op &op);
  void reshape(const Op &op);
  void extractSlice(const Op &op);
  void insertSlice(const Op &op);
  void dpas(const Op &op);
  void tileMma(const Op &op);

private:
  // What the value becomes, in a layout of the op's choice.
  Value *in(const Value *value, const Layout *layout);
  // Makes a fragment in a layout of the op's choice what the value becomes.
  void bindFrom(const Value *old, Value *fragment, const Layout *layout);
  // The layout with all of dimension `dim` in each lane's own registers.
  const Layout *gathered(const Layout *layout, int dim) const;

  Builder &b_;
  FragmentValues &values_;
  const LaneLayouts &layouts_;
  FragmentExchange &exchange_;
  int64_t lanes_;
};

} // namespace xt
