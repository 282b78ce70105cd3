// Internal to the pass distribute-to-lanes: which lane of a subgroup holds what of each vector, decided before anything
// changes.
//
// Vectors that an op computes element by element, and what loops and branches carry, are dealt out alike: they are one
// class. A class takes the layout of the product it goes into or comes from, else that of the block message that loads
// or stores it, else what transposes, slices, reductions and broadcasts next to it hand on; what is then left is dealt
// out from the last dimension on (ownLayout), the largest vectors first.
#pragma once
#include "ir/lane_fragments.h"
#include "passes/value_classes.h"

namespace xt {

class LaneLayouts {
public:
  LaneLayouts(Kernel &kernel, Context &context, int64_t lanes);

  // Of a vector, or of a scatter tile's offsets: whose registers hold which element. Never null.
  const Layout *of(const Value *value) const { return classes_[members_.classOf(value)].layout; }
  // Of a tensor_desc that a block message takes: the sg_map with which lanes get its elements. Null: no sg_map spells
  // how its messages deal them out.
  const Layout *ofBlock(const Value *desc) const { return of(desc); }
  // What load_nd gives of a block that is dealt out so.
  const Layout *loaded(const Op &load, const Layout *block) const;
  // Neighbours of the last dimension go to neighbouring lanes; lanes that are left go to the dimension before, and so on;
  // those that no dimension can use hold copies.
  const Layout *ownLayout(Type type) const;
  // Every lane holds everything.
  const Layout *replicated(std::span<const int64_t> shape) const;
  // The layout of a product's operand (0 a, 1 b, 2 c and the result) in the registers of the hardware; null where the
  // sizes are none of it.
  const Layout *ofProduct(const Op &dpas, size_t operand) const;

  // How many ops the constructor looked at to hand layouts on, each as often as it was: for tests of growth.
  size_t visited() const { return visited_; }

private:
  struct Class {
    Type type;
    const Layout *layout = nullptr;
    int strength = -1; // of what decided the layout
  };
  void demand(const Value *value, const Layout *layout, int strength);
  void demandAround(Op &op);
  void spread(const std::vector<Op *> &movers, std::span<const size_t> first);
  const Value *handOn(const Op &op);
  const Value *give(const Value *from, const Value *to, const Layout *layout);
  bool known(const Value *value) const { return of(value) != nullptr; }
  const Layout *blockLayout(const Value *desc) const;

  Context &context_;
  int64_t lanes_;
  ValueClasses members_;
  std::vector<Class> classes_;
  size_t visited_ = 0;
  std::vector<std::vector<size_t>> moversAt_; // by class: the ops that may give it a layout or take its own, as numbers
};

// The layout of a part of a vector that begins at `offsets`, when each lane keeps the elements that it has; null where
// these are not neighbours in the lane's registers, the same ones for each lane.
const Layout *slicedLayout(Context &context, const Layout *whole, std::span<const int64_t> shape);
// Where in a lane's registers the part lies; nothing where some lane would need what it does not hold, or (`exactly`)
// holds elements of the place that it does not have of the part.
std::optional<std::vector<int64_t>> ownOffsets(const Layout *whole, std::span<const int64_t> offsets, const Layout *part, bool exactly);

} // namespace xt
