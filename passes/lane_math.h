// Internal to the pass distribute-to-lanes: ops that need elements which other lanes hold, or at other positions: products,
// transposes, reductions. Dimensions that a lane holds completely need no exchange.
#pragma once
#include "passes/fragment_exchange.h"
#include "passes/fragment_values.h"

#include <array>

namespace xt {

// The layouts in which lanes need the operands a and b of a product that they multiply element by element: each lane computes its
// own elements of the result from its rows of `a` and its columns of `b`.
std::array<const Layout *, 2> operandsOfLanes(const Op &tileMma, const LaneLayouts &layouts, Context &context);

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
  // The fragment of a value, converted to `layout`.
  Value *in(const Value *value, const Layout *layout);
  // Binds `old` to a fragment that has `layout`, after converting it to the layout of `old`.
  void bindFrom(const Value *old, Value *fragment, const Layout *layout);
  // The extraction of the slice that an insertion moves between lanes; null if it is another op, or if no lane needs another one's
  // elements. The elements then go to their places at once: the layout of a slice of odd extents would need exchanges of its own.
  const Op *sliceMovedBy(const Op &op) const;
  // Returns a layout in which each lane holds dimension `dim` completely.
  const Layout *gathered(const Layout *layout, int dim) const;

  Builder &b_;
  FragmentValues &values_;
  const LaneLayouts &layouts_;
  FragmentExchange &exchange_;
  int64_t lanes_;
};

} // namespace xt
