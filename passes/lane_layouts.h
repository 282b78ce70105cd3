// Internal to the pass distribute-to-lanes: decides which lane of a subgroup holds which elements of each vector, before
// anything changes.
//
// Vectors that an elementwise op connects, and values that loops and branches carry, have the same layout: they form one
// class. A class takes the layout that the types of its vectors state because the user wrote it, else the layout of the
// product that uses or produces it, else the layout of the block message that loads or stores it, else one that neighbouring
// transposes, slices, reductions and broadcasts pass on. The elements of the remaining classes are distributed from the last
// dimension on (ownLayout), for the largest vectors first.
#pragma once
#include "ir/gpu/lane_fragments.h"
#include "passes/value_classes.h"

namespace xt {

class LaneLayouts {
public:
  LaneLayouts(Kernel &kernel, Context &context, const TargetInfo &target, int64_t lanes);

  // The layout of a vector, or of a scatter tile's offsets: which lane's registers hold which element. Not null for these.
  const Layout *of(const Value *value) const { return classes_[members_.classOf(value)].layout; }
  // Whether the kernel states the layout of the vector.
  bool isStated(const Value *value) const { return classes_[members_.classOf(value)].strength == kStated; }
  // The sg_map by which lanes get the elements of a tensor_desc in a block message. Null: no sg_map describes how its
  // messages distribute them.
  const Layout *ofBlock(const Value *desc) const { return of(desc); }
  // The layout of the result of a load_nd whose block has the layout `block`.
  const Layout *loaded(const Op &load, const Layout *block) const;
  // The layout in which adjacent elements of the last dimension go to adjacent lanes. The remaining lanes go to the dimension
  // before, and so on. Lanes that no dimension can use hold copies.
  const Layout *ownLayout(Type type) const;
  // The layout in which each lane holds all elements.
  const Layout *replicated(std::span<const int64_t> shape) const;
  // The layout of a product's operand (0: a, 1: b, 2: c and the result) that suits the target's instruction
  // (instructionFragments); null if lanes cannot hold a product of these sizes.
  const Layout *ofProduct(const Op &dpas, size_t operand) const;

  // Number of ops that the constructor visited to pass layouts on, repeated visits included; for tests of growth.
  size_t visited() const { return visited_; }

private:
  // Which rule decided a layout, weakest first.
  enum : int { kOwn, kHandedOn, kMessage, kOperandB, kOperandA, kAccumulator, kStated };
  struct Class {
    Type type;
    const Layout *layout = nullptr;
    int strength = -1; // strength of the rule that decided the layout
  };
  void demand(const Value *value, const Layout *layout, int strength);
  void demandAround(Op &op);
  void spread(const std::vector<Op *> &movers, std::span<const size_t> first);
  const Value *handOn(const Op &op);
  const Value *give(const Value *from, const Value *to, const Layout *layout);
  bool known(const Value *value) const { return of(value) != nullptr; }
  const Layout *blockLayout(const Value *desc) const;

  Context &context_;
  const TargetInfo &target_;
  int64_t lanes_;
  ValueClasses members_;
  std::vector<Class> classes_;
  size_t visited_ = 0;
  mutable std::vector<std::pair<MmaShape, DpasFragments>> products_; // the fragments of products of these shapes so far
  std::vector<std::vector<size_t>> moversAt_; // by class: numbers of the ops that may pass a layout to or from it
};

// The position of the part that begins at `offsets` in a lane's registers. Nullopt if it is not the same in each lane, or if
// some lane would need an element that it does not hold, or (with `exactly`) holds elements of that region of `whole` that it
// does not hold of the part.
std::optional<std::vector<int64_t>> ownOffsets(const Layout *whole, std::span<const int64_t> offsets, const Layout *part,
                                               bool exactly);

} // namespace xt
