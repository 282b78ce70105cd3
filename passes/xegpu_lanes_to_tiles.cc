#include "passes/xegpu_lanes_to_tiles.h"

#include "ir/base/check.h"
#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "ir/views/xegpu.h"
#include "passes/lane_products.h"

namespace xt {
namespace {

// A base that is an address has no bounds: it becomes a row that extends this many elements to both sides of it.
constexpr int64_t kMiddle = int64_t{1} << 40;

class LanesToTiles {
public:
  LanesToTiles(Context &context, Kernel &kernel) : context_(context), kernel_(kernel), build_(context, kernel.body) {}

  void run() {
    if (Op *first = kernel_.body.first()) {
      build_.setBefore(first);
      lane_ = build_.value(OpKind::LaneId, {}, context_.index());
    }
    run(kernel_.body);
    if (lane_ && lane_->uses().empty()) kernel_.body.erase(lane_->definingOp());
  }

private:
  // The recursion depth is the nesting depth of the text, which the parser limits.
  void run(Block &block) {
    for (const auto &param : block.params()) asTile(*param);
    for (Op *op = block.first(); op;) {
      Op *next = op->next();
      for (size_t r = 0; r < op->regionCount(); ++r) run(*op->region(r));
      build_.setBefore(op);
      build_.setRange(op->range());
      if (op->info().dialect == Dialect::XeGpu)
        replace(*op);
      else
        for (size_t i = 0; i < op->resultCount(); ++i) asTile(*op->result(i)); // results of loops and branches
      op = next;
    }
  }

  // The tile keeps only the position where the block begins; descs_ keeps which lane holds which element.
  Type tileOf(Type desc) {
    TypeData data = desc.data();
    data.kind = TypeKind::Tile;
    data.shape = {1, data.chunk};
    data.layout = nullptr;
    data.boundaryCheck = true;
    data.chunk = 1;
    return context_.intern(std::move(data));
  }
  void asTile(Value &value) {
    if (!value.type().isTensorDesc()) return;
    descs_[&value] = value.type();
    value.setType(tileOf(value.type()));
  }

  void replace(Op &op) {
    Value *value = nullptr;
    switch (op.info().typeRule) {
    case TypeRule::CreateNdTdesc:
      value = build_.value(OpKind::InitTile, blockOperands(build_, op), tileOf(op.result()->type()));
      break;
    case TypeRule::LoadNd: value = load(op); break;
    case TypeRule::StoreNd: store(op); break;
    case TypeRule::PrefetchNd: meet(op); break;
    case TypeRule::UpdateNdOffset: value = moveBlock(op); break;
    case TypeRule::Dpas: value = multiply(op); break;
    case TypeRule::CreateTdesc: value = createLane(op); break;
    case TypeRule::GatherTdesc: value = gather(op); break;
    case TypeRule::ScatterTdesc: scatter(op); break;
    case TypeRule::PrefetchTdesc: break;
    case TypeRule::UpdateTdesc: value = moveLane(op); break;
    case TypeRule::AtomicTdesc: value = atomic(op); break;
    default:
      if (op.kind() == OpKind::CompileHint) break;
      return; // named barriers and fences stay
    }
    if (value) {
      if (op.result()->type().isTensorDesc()) descs_[value] = op.result()->type();
      if (value->name().empty()) value->setName(op.result()->name());
      value->setRange(op.result()->range());
      op.result()->replaceAllUsesWith(value);
    }
    op.block()->erase(&op);
  }

  // --- helpers -------------------------------------------------------------------------------------------------------

  Value *index(int64_t value) { return build_.index(value); }
  Value *arith(OpKind kind, Value *a, int64_t b) {
    if (b == 1 && kind != OpKind::RemSI) return a;
    return build_.value(kind, {a, index(b)}, context_.index());
  }
  Value *reshape(Value *value, std::vector<int64_t> shape) {
    Type type = value->type();
    if (shapeOf(type) == shape) return value;
    return build_.value(OpKind::Reshape, {value}, context_.vector(std::move(shape), type.elem()));
  }
  Value *transpose(Value *value, std::vector<int64_t> permutation) {
    std::vector<int64_t> shape;
    for (int64_t d : permutation) shape.push_back(value->type().extent(static_cast<int>(d)));
    Value *turned = build_.value(OpKind::Transpose, {value}, context_.vector(std::move(shape), value->type().elem()));
    TransposeOp(*turned->definingOp()).setPermutation(std::move(permutation));
    return turned;
  }
  Value *splat(Value *scalar, Type tile) {
    return build_.value(OpKind::Splat, {scalar}, context_.vector(shapeOf(tile), scalar->type().elem()));
  }
  Value *asIndex(Value *offset) {
    return offset->type().isIndex() ? offset : build_.value(OpKind::IndexCast, {offset}, context_.index());
  }
  Value *extract(Value *vector, Value *row, Value *column) {
    return build_.value(OpKind::Extract, {vector, row, column}, context_.scalar(vector->type().elem()));
  }
  Value *extractFirst(Value *row) {
    Value *zero = index(0);
    return extract(row, zero, zero);
  }
  Value *insert(Value *element, Value *vector, Value *row, Value *column) {
    return build_.value(OpKind::Insert, {element, vector, row, column}, vector->type());
  }
  Value *zeros(std::vector<int64_t> shape, Elem elem) {
    Type type = context_.vector(std::move(shape), elem);
    return isFloat(elem) ? build_.constantFloat(type, 0.0) : build_.constantInt(type, 0);
  }
  void meet(const Op &op) { // `op`: the op for which the lanes wait
    SubgroupBarrierOp(*build_.create(OpKind::SubgroupBarrier, {}, {})).setOf(*findWord<SubgroupBarrierOf>(op.info().name));
  }

  // Emits `for i from 0 up to count: carried = body(i, carried)`. `carried` may be null.
  template <class Body> Value *loop(int64_t count, Value *carried, Body body) {
    if (count == 1) return body(index(0), carried);
    std::vector<Value *> operands = {index(0), index(count), index(1)};
    if (carried) operands.push_back(carried);
    Op *made = carried ? build_.create(OpKind::For, std::move(operands), {carried->type()}, 1)
                       : build_.create(OpKind::For, std::move(operands), {}, 1);
    Builder around = build_;
    Block &region = *made->region();
    Value *i = region.addParam(context_.index(), "i", {});
    if (carried) carried = region.addParam(carried->type(), "", {});
    build_.setEnd(region);
    Value *next = body(i, carried);
    build_.create(OpKind::Yield, next ? std::vector<Value *>{next} : std::vector<Value *>{}, {});
    build_ = around;
    return next ? made->result() : nullptr;
  }

  // The index along a dimension of the `own`-th element of `lane`, combined from the digits of the layout.
  Value *coordinate(const Layout &layout, int dim, Value *lane, Value *own) {
    Value *sum = nullptr;
    int64_t weight = 1, inLane = 1; // weight of a digit in the index, and in `own`
    std::span<const Factor> digits = layout.factors(dim);
    for (size_t i = digits.size(); i-- > 0; weight *= digits[i].extent) {
      const Factor &f = digits[i];
      bool ofLane = f.axis == Axis::Lane;
      Value *digit = arith(OpKind::DivSI, ofLane ? lane : own, ofLane ? f.stride : inLane);
      digit = arith(OpKind::RemSI, digit, f.extent);
      if (!ofLane) inLane *= f.extent;
      digit = arith(OpKind::MulI, digit, weight);
      sum = sum ? build_.value(OpKind::AddI, {sum, digit}, context_.index()) : digit;
    }
    return sum ? sum : index(0);
  }

  // --- blocks --------------------------------------------------------------------------------------------------------

  // Calls body(tile of one element, row, column, carried) for each element of this lane's fragment.
  template <class Body> Value *forEachElement(Value *tile, Type desc, Value *carried, Body body) {
    const Layout &layout = *desc.layout();
    std::vector<int64_t> own = layout.ownerShape(Axis::Lane);
    bool matrix = desc.rank() == 2;
    return loop(matrix ? own[0] : 1, carried, [&](Value *r, Value *outer) {
      return loop(own.back(), outer, [&](Value *c, Value *inner) {
        Value *down = matrix ? coordinate(layout, 0, lane_, r) : index(0),
              *right = coordinate(layout, matrix ? 1 : 0, lane_, c);
        return body(build_.value(OpKind::UpdateTileOffset, {tile, down, right}, tile->type()), r, c, inner);
      });
    });
  }

  Value *load(Op &op) {
    Value *tile = op.operand(0);
    Type desc = descs_.at(tile), result = op.result()->type();
    std::vector<int64_t> own = desc.layout()->ownerShape(Axis::Lane);
    if (own.size() == 1) own.insert(own.begin(), 1);
    meet(op);
    Value *read = forEachElement(tile, desc, zeros(own, desc.elem()), [&](Value *at, Value *r, Value *c, Value *fragment) {
      Value *one = build_.value(OpKind::LoadTile, {at}, context_.vector({1, 1}, desc.elem()));
      return insert(extractFirst(one), fragment, r, c);
    });
    meet(op);
    if (transposes(op) && desc.rank() > 1) read = transpose(read, {1, 0});
    if (LoadNdOp(op).vnniAxis() != 0) return reshape(read, shapeOf(result));
    int64_t factor = result.extent(2);
    Type type = read->type();
    return transpose(reshape(read, {type.extent(0) / factor, factor, type.extent(1)}), {0, 2, 1});
  }

  void store(Op &op) {
    Value *value = op.operand(0), *tile = op.operand(1);
    if (value->type().rank() == 1) value = reshape(value, {1, value->type().extent(0)});
    meet(op);
    forEachElement(tile, descs_.at(tile), nullptr, [&](Value *at, Value *r, Value *c, Value *) -> Value * {
      Value *element = extract(value, r, c);
      build_.create(OpKind::StoreTile, {splat(element, at->type()), at}, {});
      return nullptr;
    });
    meet(op);
  }

  Value *moveBlock(Op &op) {
    bool matrix = op.operandCount() == 3;
    Value *down = matrix ? op.operand(1) : index(0), *right = op.operand(matrix ? 2 : 1);
    return build_.value(OpKind::UpdateTileOffset, {op.operand(0), down, right}, op.operand(0)->type());
  }

  // Collects a matrix whose elements the lanes hold in this layout.
  Value *whole(Value *own, const Layout &layout) {
    std::vector<int64_t> shape = layout.ownerShape(Axis::Lane);
    Value *lanes = build_.constantInt(context_.index(), kernel_.lanes);
    Value *zero = zeros({layout.shape()[0], layout.shape()[1]}, own->type().elem());
    return loop(kernel_.lanes, zero, [&](Value *from, Value *collected) {
      Op *shuffle = build_.create(OpKind::Shuffle, {own, from, lanes}, {own->type(), context_.i1()});
      ShuffleOp(*shuffle).setMode(ShuffleMode::Idx);
      return loop(shape[0], collected, [&](Value *r, Value *outer) {
        return loop(shape[1], outer, [&](Value *c, Value *inner) {
          Value *element = extract(shuffle->result(0), r, c), *row = coordinate(layout, 0, from, r);
          return insert(element, inner, row, coordinate(layout, 1, from, c));
        });
      });
    });
  }

  // The part of a matrix that goes with what this lane holds of another one along a dimension of both.
  Value *ownPart(Value *matrix, const Layout &of, int dim) {
    std::vector<int64_t> shape = shapeOf(matrix->type());
    shape[static_cast<size_t>(dim)] = of.ownerShape(Axis::Lane)[static_cast<size_t>(dim)];
    if (shape == shapeOf(matrix->type())) return matrix;
    return loop(shape[0], zeros(shape, matrix->type().elem()), [&](Value *r, Value *outer) {
      return loop(shape[1], outer, [&](Value *c, Value *inner) {
        Value *row = dim == 0 ? coordinate(of, 0, lane_, r) : r, *column = dim == 1 ? coordinate(of, 1, lane_, c) : c;
        return insert(extract(matrix, row, column), inner, r, c);
      });
    });
  }

  // Whether each lane holds the same indices along a dimension of both.
  static bool sameLanes(const Layout &x, const Layout &y, int dim) {
    for (int64_t lane = 0; lane < x.axisSize(Axis::Lane); ++lane)
      if (x.sliceOf(Axis::Lane, lane, dim) != y.sliceOf(Axis::Lane, lane, dim)) return false;
    return true;
  }

  Value *multiply(Op &op) {
    Type a = op.operand(0)->type(), b = op.operand(1)->type(), result = op.result()->type();
    auto found = dpasFragments(context_, a, b, result, kernel_.lanes);
    const auto *fragments = std::get_if<DpasFragments>(&found);
    XT_CHECK(fragments, "the type rule has found these fragments");
    meet(op);
    const Layout &ofA = *fragments->a, &ofB = *fragments->b, &ofC = *fragments->c;
    Value *left = ownPart(whole(reshape(op.operand(0), ofA.ownerShape(Axis::Lane)), ofA), ofC, 0);
    Value *right = rowsOfB(build_, op.operand(1), ofB.ownerShape(Axis::Lane)[0]);
    bool holdsColumns = ofB.ownerShape(Axis::Lane)[0] == fragments->depth && sameLanes(ofB, ofC, 1);
    if (!holdsColumns) right = ownPart(whole(right, ofB), ofC, 1);
    std::vector<Value *> operands = {left, right};
    if (op.operandCount() > 2) operands.push_back(op.operand(2));
    return build_.value(OpKind::TileMma, std::move(operands), result);
  }

  // --- lanes with offsets --------------------------------------------------------------------------------------------

  Value *createLane(Op &op) {
    Type tile = tileOf(op.result()->type());
    Value *offsets = splat(asIndex(op.operand(1)), tile);
    if (tile.extent(1) > 1) {
      Value *step = build_.value(OpKind::Iota, {}, offsets->type());
      IotaOp(*step->definingOp()).setDim(1);
      offsets = build_.value(OpKind::AddI, {offsets, step}, offsets->type());
    }
    return build_.value(OpKind::InitTile, {tileBase(build_, op.operand(0)), offsets}, tile);
  }
  Value *moveLane(Op &op) {
    Type tile = op.operand(0)->type();
    return build_.value(OpKind::UpdateTileOffset, {op.operand(0), splat(asIndex(op.operand(1)), tile)}, tile);
  }
  // Converts a lane's scalar or chunk to a row, and back.
  Value *asRow(Value *value, Type tile) {
    return value->type().isScalar() ? splat(value, tile) : reshape(value, shapeOf(tile));
  }
  Value *fromRow(Value *row, Type result) { return result.isScalar() ? extractFirst(row) : reshape(row, shapeOf(result)); }
  Value *gather(Op &op) {
    Type tile = op.operand(0)->type();
    Value *mask = splat(op.operand(1), tile);
    return fromRow(build_.value(OpKind::LoadGather, {op.operand(0), mask}, context_.vector(shapeOf(tile), tile.elem())),
                   op.result()->type());
  }
  void scatter(Op &op) {
    Type tile = op.operand(1)->type();
    build_.create(OpKind::StoreScatter, {asRow(op.operand(0), tile), splat(op.operand(2), tile), op.operand(1)}, {});
  }
  Value *atomic(Op &op) {
    Type tile = op.operand(1)->type();
    Op *made = build_.create(OpKind::AtomicRmw, {asRow(op.operand(0), tile), op.operand(1), splat(op.operand(2), tile)},
                             {context_.vector(shapeOf(tile), tile.elem())});
    AtomicRmwOp(*made).setKind(AtomicTdescOp(op).kind(), op.range());
    return fromRow(made->result(), op.result()->type());
  }

  Context &context_;
  Kernel &kernel_;
  Builder build_;
  Value *lane_ = nullptr;
  std::unordered_map<const Value *, Type> descs_; // original types of the tiles; for lookup only
};

} // namespace

void lanesToTiles(Context &context, Kernel &kernel) { LanesToTiles(context, kernel).run(); }

Value *tileBase(Builder &build, Value *base) {
  if (!base->type().isScalar(Elem::U64)) return base;
  Value *address = build.value(OpKind::IndexCast, {base}, build.context().index());
  return build.value(OpKind::IndexCast, {address}, build.context().scalar(Elem::I64));
}

std::vector<Value *> blockOperands(Builder &build, const Op &op) {
  Context &context = build.context();
  std::vector<Value *> operands = op.operands();
  Type base = operands[0]->type();
  if (base.isMemRef() && base.rank() == 1) { // becomes a matrix of one row
    TypeData row = base.data();
    row.shape.insert(row.shape.begin(), 1);
    if (row.memory.kind == MemoryLayout::Kind::Strided) row.memory.strides.insert(row.memory.strides.begin(), kDynamic);
    row.memory.permutation.clear();
    operands[0] = build.value(OpKind::Cast, {operands[0]}, context.intern(std::move(row)));
    operands.insert(operands.begin() + 1, build.index(0));
  } else if (!base.isMemRef() && operands.size() == 2) {
    // The row covers the memory on both sides of the address.
    Value *bytes = build.index(kMiddle * elemInfo(op.result()->type().elem()).storageBytes);
    Value *address = build.value(OpKind::IndexCast, {operands[0]}, context.index());
    Value *low = build.value(OpKind::SubI, {address, bytes}, context.index());
    operands[0] = build.value(OpKind::IndexCast, {low}, context.scalar(Elem::I64));
    Value *column = build.value(OpKind::AddI, {operands[1], build.index(kMiddle)}, context.index());
    operands = {operands[0],   build.index(0), column, build.index(1), build.index(2 * kMiddle), build.index(2 * kMiddle),
                build.index(1)};
  } else if (!base.isMemRef()) {
    operands[0] = tileBase(build, operands[0]);
  }
  return operands;
}

} // namespace xt
