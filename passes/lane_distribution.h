// Internal to the pass distribute-to-lanes: replaces ops of whole subgroups by ops of single lanes.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "passes/lane_hazards.h"
#include "passes/lane_layouts.h"

#include <array>
#include <functional>
#include <map>

namespace xt {

class LaneDistribution {
public:
  LaneDistribution(Kernel &kernel, Context &context, const TargetInfo &target, int64_t lanes)
      : kernel_(kernel), context_(context), lanes_(lanes), layouts_(kernel, context, target, lanes), b(context, kernel.body) {}
  void run();

private:
  // distribute_to_lanes.cc: structure, and ops on each lane's elements
  void block(const Block &from);
  void op(const Op &op);
  void plain(const Op &op);
  void structure(const Op &op);
  void iota(const Op &op);
  void createMask(const Op &op);
  void insert(const Op &op);
  void extract(const Op &op);
  void print(const Op &op);
  Op *copy(const Op &op, std::vector<Value *> operands, std::vector<Type> results);

  // lane_memory.cc: windows onto memory
  void initTile(const Op &op);
  void updateTile(const Op &op);
  void loadTile(const Op &op);
  void storeTile(const Op &op);
  void gather(const Op &op);
  void scatter(const Op &op);
  void atomic(const Op &op);
  void storeScalar(const Op &op);
  void xegpu(const Op &op);
  Value *loadBlock(const Op &op, const Layout *layout);
  struct Piece { // part of a fragment whose elements are adjacent in memory
    std::vector<int64_t> own, shape; // first index in the fragment, and extents
    std::vector<int64_t> start;      // index in the vector, without the part that depends on the lane number
  };
  std::vector<Piece> piecesOf(const Layout *layout) const;
  std::vector<Piece> elementsOf(const Layout *layout) const;
  // The window at a piece of a tile's vector; `turned` swaps rows and columns.
  Value *window(const Value *tile, const Layout *layout, const Piece &piece, bool turned);
  template <class Body> void eachPiece(const Value *tile, const Layout *layout, bool turned, Body body);
  void before(const Op &op, const Layout *layout);

  // lane_math.cc: ops that need elements from other positions than the lane's own
  void reduction(const Op &op);
  void broadcast(const Op &op);
  void transpose(const Op &op);
  void reshape(const Op &op);
  void extractSlice(const Op &op);
  void insertSlice(const Op &op);
  void dpas(const Op &op);
  void tileMma(const Op &op);
  // The layout with all of dimension `dim` in each lane's own registers.
  const Layout *gathered(const Layout *layout, int dim);

  // lane_exchange.cc: exchanges between lanes
  // The value converted to another layout; unchanged if it already has that layout.
  Value *in(const Value *value, const Layout *layout) { return converted(of(value), layouts_.of(value), layout); }
  Value *converted(Value *fragment, const Layout *from, const Layout *to);
  // Maps an index of the result to the source index; nullopt: the element comes from `otherwise` (null: any value).
  using Source = std::function<std::optional<std::vector<int64_t>>(std::span<const int64_t> index)>;
  Value *exchanged(Value *fragment, const Layout *from, const Layout *to, const Source &source, Value *otherwise = nullptr);
  struct Move { // how lanes obtain a group of adjacent elements
    std::vector<int64_t> lane;                  // for each lane: the lane that it reads from; -1: none
    std::vector<std::vector<int64_t>> registers; // for each lane: where the group begins among the source's elements
    std::vector<int64_t> shape;                  // shape of the group that moves at once
  };
  Value *moved(Value *fragment, const Move &move, Value *otherwise);
  Value *laneOf(const std::vector<int64_t> &table, const std::vector<bool> &wanted);
  Value *among(const std::vector<bool> &lanes);
  Value *shuffled(Value *value, Value *lane);

  // lane_places.cc: numbers that depend only on the lane, computed at the start of the kernel
  Value *laneId();
  // The part of the lane's indices along a dimension that depends on the lane number; null: nothing.
  Value *place(const Layout *layout, int dim);
  // Whether the lane is the first of those that hold the same elements; null: no two lanes do.
  Value *isFirstCopy(const Layout *layout);
  // The number of the first lane that holds the same elements as this lane.
  Value *firstCopy(const Layout *layout);
  // The indices of the lane's elements along a dimension, as a vector of the fragment's shape.
  Value *indices(const Layout *layout, int dim);
  Builder atTop();
  Value *top(OpKind kind, std::vector<Value *> operands, Type type);
  Value *topConstant(Type type, int64_t value);
  Value *digit(int64_t stride, int64_t extent);

  Type laneType(const Value *value) const;
  Type laneVector(const Layout *layout, Elem elem) const { return context_.vector(layout->ownerShape(Axis::Lane), elem); }
  Value *index(int64_t value) { return b.index(value); }
  Value *plus(Value *x, Value *y); // a null operand is 0
  Value *plus(Value *x, int64_t constant);
  Value *arith(OpKind kind, Value *x, int64_t constant);
  Value *slice(Value *vector, const std::vector<int64_t> &at, std::vector<int64_t> shape);
  Value *placed(Value *part, Value *into, const std::vector<int64_t> &at);
  Value *reshaped(Value *vector, std::span<const int64_t> shape);
  Value *splat(Value *scalar, Type like);
  Value *zeros(Type type) { return isFloat(type.elem()) ? b.constantFloat(type, 0) : b.constantInt(type, 0); }
  Op *create(OpKind kind, std::vector<Value *> operands, std::vector<Type> results) {
    return b.create(kind, std::move(operands), results);
  }
  Value *make(OpKind kind, std::vector<Value *> operands, Type result) { return b.value(kind, std::move(operands), result); }
  // Runs `body` where the condition holds and returns its value; the value is zero elsewhere.
  Value *where(Value *condition, Type result, const std::function<Value *()> &body);
  Value *of(const Value *value) const { return values_.at(value); }
  void bind(const Value *old, Value *value);

  Kernel &kernel_;
  Context &context_;
  int64_t lanes_;
  LaneLayouts layouts_;
  Builder b;
  LaneHazards hazards_;
  std::unordered_map<const Value *, Value *> values_; // for lookup only; iteration order would not be deterministic
  Op *topEnd_ = nullptr;                              // the last op at the start of the kernel
  Value *laneId_ = nullptr;
  std::map<std::array<int64_t, 2>, Value *> digits_;
  std::map<std::vector<std::array<int64_t, 3>>, Value *> places_;
  std::map<std::vector<int64_t>, Value *> tables_;
  std::map<std::vector<bool>, Value *> groups_;
};

} // namespace xt
