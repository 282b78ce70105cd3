// Internal to the pass block-tiles: decides into which blocks each vector of a kernel is cut, before anything changes.
//
// Vectors that an elementwise op connects, and values that loops and branches carry, are cut in the same way: they form one
// class. A class takes the blocks of the product that uses or produces it (the blocks of an accumulator win over those of an
// operand), else those that neighbouring transposes, reductions and broadcasts suggest, else the default blocks (plainGrid).
#pragma once
#include "ir/context.h"
#include "ir/gpu/product_choice.h"
#include "ir/module.h"
#include "passes/block_grid.h"
#include "passes/value_classes.h"

namespace xt {

inline constexpr int64_t kProductDepth = 16; // step along K for a product that the hardware has no instruction for

class BlockClasses {
public:
  BlockClasses(Kernel &kernel, const TargetInfo &target, Context &context);

  // The blocks of a vector or a tile. A scatter tile is cut like its offsets, any other tile has the default
  // blocks of its type.
  const BlockGrid &grid(const Value *value) const { return classOf(value).grid; }
  // Whether the blocks have the form in which dpas takes operand b: [K/f, N, f], where f elements have 32 bits together.
  bool packed(const Value *value) const { return classOf(value).packed; }
  // The layout over lanes of a part of a vector that has this shape and consists of one block or of several adjacent ones.
  // Null: the kernel states no layout for the vector.
  const Layout *layout(const Value *value, std::span<const int64_t> shape) const;
  // Whether the value is an operand or the result of a product, so that it has the product's blocks.
  bool isOperand(const Value *value) const { return classOf(value).strength >= kOperand; }
  // The blocks of a product's result that suit its instruction.
  BlockGrid productGrid(const Op &mma) const;
  // The default blocks of a type: up to 8 rows with one element per lane, but a small value of more than two dimensions is one
  // block.
  BlockGrid plainGrid(Type type) const;
  int64_t lanes() const { return lanes_; }

private:
  static constexpr int kOperand = 2; // a product decides with at least this strength
  struct Class {
    Type type; // the type of its first value
    BlockGrid grid;
    int strength = -1; // strength of the rule that decided the grid; -1: undecided
    bool packed = false;
    const Layout *layout = nullptr; // the layout over lanes that the kernel states; null: none
  };
  const Class &classOf(const Value *value) const { return classes_[members_.classOf(value)]; }
  Class &classOf(const Value *value) { return classes_[members_.classOf(value)]; }

  void demand(const Value *value, BlockGrid grid, int strength);
  void demandWhole(Op &op);
  void demandMma(Op &op);
  void suggest(Op &op);
  void suggestTransposed(const Value *from, const Value *to, const std::vector<int64_t> &permutation);
  void suggestKept(const Value *many, const Value *few, size_t dim);
  void alignToLayout(Class &own) const;
  bool packsBlocks(const Class &own) const;
  void choosePacked(Block &body);

  Context &context_;
  const TargetInfo &target_;
  int64_t lanes_;
  ValueClasses members_;
  std::vector<Class> classes_;
};

} // namespace xt
