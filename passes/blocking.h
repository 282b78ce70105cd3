// Internal to the pass block-tiles: replaces ops on tiles and vectors by ops on blocks.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "passes/block_classes.h"
#include "passes/lane_conversion.h"
#include "passes/tile_roots.h"

#include <set>

namespace xt {

// The new values for one old value. A scalar or memref keeps one value; a vector has one value per block. A tile
// whose root is known is its row and column (a scatter tile: the blocks of its offsets); any other tile is one tile
// per block.
using Values = std::vector<Value *>;

class Blocking {
public:
  Blocking(Kernel &kernel, const TargetInfo &target, Context &context, Diagnostics &diagnostics)
      : kernel_(kernel), target_(target), context_(context), diagnostics_(diagnostics), classes_(kernel, target, context),
        roots_(kernel), b(context, kernel.body), conversion_(kernel, target, b, diagnostics, classes_.lanes()) {}
  void run();

private:
  // block_tiles.cc: structure, and ops on each block
  void block(const Block &from);
  void op(const Op &op);
  void plain(const Op &op);
  void eachBlock(const Op &op);
  void constantLike(const Op &op);
  void iota(const Op &op);
  void createMask(const Op &op);
  void insert(const Op &op);
  void extract(const Op &op);
  void print(const Op &op);
  void extractSlice(const Op &op);
  void insertSlice(const Op &op);
  void asserted(const Op &op);
  void structure(const Op &op);
  std::vector<Type> partTypes(const Value *value) const;
  void bindAll(const std::vector<Value *> &olds, const Values &news);

  // block_memory.cc: tiles
  void initTile(const Op &op);
  void updateTile(const Op &op);
  void loadTile(const Op &op);
  void storeTile(const Op &op);
  void prefetchTile(const Op &op);
  void atomic(const Op &op);
  // `lanes`: which lane accesses which elements; null: distribute-to-lanes chooses.
  Value *tileOf(const Value *tile, const BlockGrid &grid, size_t k, const Layout *lanes = nullptr);
  Value *scatterBlock(const Op &init, Value *offsets);
  Value *tileBlock(const Value *tile, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape,
                   const Layout *lanes = nullptr);
  Value *descriptor(const Value *tile, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape);
  Values initOperands(const Value *tile, const std::vector<int64_t> &origin, bool turned = false);
  // The transpose of a parameter that is stored by columns, made by a cast at the start of the kernel.
  Value *transposedBase(const Value *param);
  BlockGrid memoryGrid(Type tile, const BlockGrid &wanted) const;
  BlockGrid messageGrid(Type tile, const BlockShape &shape, bool operandSized, const BlockGrid &wanted) const;
  const BlockShape *storeOfAtMost(int bits, int64_t columns) const;
  struct LoadPlan;
  std::optional<LoadPlan> planLoad(const Op &op) const;
  std::optional<LoadPlan> planShapedLoad(const Op &op, LoadPlan plan) const;
  bool dealsAsStated(const Op &op, const LoadPlan &plan);
  bool dealtAsStated(const Value *value, const BlockGrid &grid);
  void loadByMessages(const Op &op, const LoadPlan &plan);
  void storeByLanes(const Op &op, const std::string &reason);
  Values loadBlocks(const Op &op, const BlockGrid &grid);
  Value *loadMessage(const Op &op, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape,
                     const std::vector<int64_t> &used, bool transposed, bool packs);
  // Why 2D block messages cannot access the tile; "" where they can.
  std::string whyNoMessages(const Value *tile, bool stores) const;
  std::string whyNoBase(const Op &root) const;
  void fallBack(const Op &op, const std::string &reason);

  // block_math.cc: products, and ops that move elements
  void tileMma(const Op &op);
  Values mmaOperands(const Op &op, size_t operand, const BlockGrid &grid, const MmaShape *shape);
  Values mmaSums(const Op &op, const BlockGrid &grid, const MmaShape *shape);
  void convertLayout(const Op &op);
  void transpose(const Op &op);
  void reduction(const Op &op);
  void broadcast(const Op &op);
  void reshape(const Op &op);
  Value *reduceRegion(const Op &op, std::vector<int64_t> origin, std::vector<int64_t> shape);
  Value *reduceBlock(const Op &op, Value *block, int64_t size);
  Value *broadcastBlock(const Op &op, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape);

  // block_parts.cc: parts of a value that is held in blocks
  // The elements of [origin, origin + shape) as one vector of shape `whole`; elements of `whole` beyond `shape` are zero.
  Value *region(const Value *value, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape,
                std::vector<int64_t> whole = {});
  Value *region(const Values &blocks, const BlockGrid &grid, const std::vector<int64_t> &origin,
                const std::vector<int64_t> &shape, std::vector<int64_t> whole = {});
  Values reblocked(const Values &blocks, const BlockGrid &from, const BlockGrid &to);
  Values inGrid(const Value *value, const BlockGrid &grid) { return reblocked(of(value), classes_.grid(value), grid); }
  Value *wholeOf(const Value *value);
  Value *slice(Value *vector, const std::vector<int64_t> &origin, std::vector<int64_t> shape);
  Value *inserted(Value *part, Value *into, const std::vector<int64_t> &origin);
  Value *zeros(std::vector<int64_t> shape, Elem elem);
  Value *packed(Value *matrix);
  Value *reshaped(Value *vector, std::vector<int64_t> shape);
  Value *transposed(Value *vector, const std::vector<int64_t> &permutation);
  static std::vector<int64_t> packedShape(const std::vector<int64_t> &shape, Elem elem);

  Value *index(int64_t value) { return b.index(value); }
  Value *plus(Value *x, int64_t constant);
  Value *minus(Value *x, int64_t constant);
  Op *create(OpKind kind, Values operands, std::vector<Type> results) { return b.create(kind, std::move(operands), results); }
  Op *copy(const Op &op, Values operands, std::vector<Type> results);
  Value *make(OpKind kind, Values operands, Type result) { return b.value(kind, std::move(operands), result); }
  const Values &of(const Value *value) const { return values_.at(value); }
  Value *one(const Value *value) const { return values_.at(value)[0]; }
  Type blockType(const Value *value, size_t k) const; // of a vector
  // Blocks whose lanes have not the layout that the kernel states are converted.
  void bind(const Value *old, Values values);
  Value *inStatedLayout(const Value *old, size_t k, Value *block);
  bool isScatter(const Value *tile) const { return tile->type().data().scatter; }

  Kernel &kernel_;
  const TargetInfo &target_;
  Context &context_;
  Diagnostics &diagnostics_;
  BlockClasses classes_;
  TileRoots roots_;
  Builder b;
  LaneConversion conversion_;
  std::unordered_map<const Value *, Values> values_; // for lookup only; iteration order would not be deterministic
  std::unordered_map<const Value *, Value *> transposed_; // by parameter; for lookup only
  Op *lastOld_ = nullptr; // the last op of the old kernel body; new ops follow it
};

} // namespace xt
