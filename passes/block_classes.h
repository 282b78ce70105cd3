// Internal to the pass block-tiles: into which blocks each vector of a kernel is cut, decided before anything changes.
//
// Vectors that an op computes element by element, and what loops and branches carry, are cut alike: they are one class.
// A class takes the blocks of the product that it goes into or comes from (the accumulator's before the operands'), else
// what transposes, reductions and broadcasts next to it suggest, else rows of one register for each lane.
#pragma once
#include "ir/module.h"
#include "ir/target_info.h"
#include "passes/block_grid.h"
#include "passes/value_classes.h"

namespace xt {

inline constexpr int64_t kProductDepth = 16; // K of a product that the hardware does not have

// The product that the hardware does a tile_mma with: its element types may be wider than those given (f8 goes as f16; sums
// of f16 and bf16 are kept in f32 where the hardware has none of 16 bits, and rounded once). Null: none.
struct MmaChoice {
  const MmaShape *shape = nullptr;
  std::string reason; // why there is none
};
MmaChoice chooseMma(const TargetInfo &target, const Op &mma);

class BlockClasses {
public:
  BlockClasses(Kernel &kernel, const TargetInfo &target);

  // Of a vector, or of a tile: a scatter tile is cut like its offsets, another like a vector that is loaded plainly.
  const BlockGrid &grid(const Value *value) const { return classOf(value).grid; }
  // Blocks lie as dpas takes b: [K/f, N, f].
  bool packed(const Value *value) const { return classOf(value).packed; }
  // Whether it goes into or comes from a product, whose blocks it has.
  bool isOperand(const Value *value) const { return classOf(value).strength >= kOperand; }
  // The default blocks of a shape.
  BlockGrid plainGrid(Type type) const;
  int64_t lanes() const { return lanes_; }

private:
  static constexpr int kOperand = 2; // the least strength of what a product decides
  struct Class {
    Type type; // of a member
    BlockGrid grid;
    int strength = -1; // of what decided the grid; -1: nothing yet
    bool packed = false;
  };
  const Class &classOf(const Value *value) const { return classes_[members_.classOf(value)]; }
  Class &classOf(const Value *value) { return classes_[members_.classOf(value)]; }

  void demand(const Value *value, BlockGrid grid, int strength);
  void demandWhole(Op &op);
  void demandMma(Op &op);
  void suggest(Op &op);
  void suggestTransposed(const Value *from, const Value *to, const std::vector<int64_t> &permutation);
  void suggestKept(const Value *many, const Value *few, size_t dim);
  void choosePacked(Block &body);

  const TargetInfo &target_;
  int64_t lanes_;
  ValueClasses members_;
  std::vector<Class> classes_;
};

} // namespace xt
