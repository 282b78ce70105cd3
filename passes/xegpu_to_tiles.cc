#include "passes/xegpu_to_tiles.h"

#include "ir/base/check.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "ir/views/xegpu.h"
#include "passes/masked_loads.h"
#include "passes/xegpu_lanes_to_tiles.h"

#include <unordered_set>

namespace xt {
namespace {

class XegpuToTiles {
public:
  // A null `chooses` selects all ops.
  XegpuToTiles(Context &context, Kernel &kernel, const std::function<bool(const Op &)> &chooses)
      : context_(context), build_(context, kernel.body) {
    walk(kernel.body, [&](Op &op) {
      if (op.info().dialect != Dialect::XeGpu || (chooses && !chooses(op))) return;
      chosen_.insert(&op);
      for (size_t i = 0; i < op.resultCount(); ++i) windows_.insert(op.result(i));
    });
    // A value that a loop or a branch carries is a window if its initial value or a yielded value is.
    for (bool changed = true; changed;) {
      changed = false;
      walk(kernel.body, [&](Op &op) { changed |= spread(op); });
    }
  }

  void run(Block &block) {
    for (const auto &param : block.params()) asTile(*param);
    for (Op *op = block.first(); op;) {
      Op *next = op->next();
      for (size_t r = 0; r < op->regionCount(); ++r) run(*op->region(r));
      build_.setBefore(op);
      build_.setRange(op->range());
      if (chosen_.count(op))
        replace(*op);
      else if (op->info().dialect != Dialect::XeGpu)
        for (size_t i = 0; i < op->resultCount(); ++i) asTile(*op->result(i)); // values carried by a loop
      op = next;
    }
  }

private:
  bool spread(const Op &op) {
    if (!op.regionCount()) return false;
    CarriedAt at = carriedAt(op);
    bool changed = false;
    for (size_t i = 0; i < op.resultCount(); ++i) {
      bool any = windows_.count(op.result(i)) > 0;
      if (at.loops) any |= windows_.count(op.operand(at.operand + i)) > 0;
      for (size_t r = 0; r < op.regionCount(); ++r)
        any |= op.region(r)->last() && windows_.count(op.region(r)->last()->operand(at.yield + i)) > 0;
      if (!any) continue;
      changed |= windows_.insert(op.result(i)).second;
      if (at.loops) changed |= windows_.insert(op.region()->param(at.param + i)).second;
    }
    return changed;
  }

  Type tileOf(Type desc) const {
    TypeData data = desc.data();
    data.kind = TypeKind::Tile;
    data.boundaryCheck = true;
    data.chunk = 1;
    if (data.shape.size() == 1) data.shape.insert(data.shape.begin(), 1); // one row, or one element per lane
    return context_.intern(std::move(data));
  }
  void asTile(Value &value) {
    if (value.type().isTensorDesc() && windows_.count(&value)) value.setType(tileOf(value.type()));
  }

  void replace(Op &op) {
    if (op.kind() == OpKind::CompileHint) return op.block()->erase(&op);
    if (!isXegpuData(op.info())) return; // named barriers and fences stay
    Value *value = nullptr;
    switch (op.info().typeRule) {
    case TypeRule::CreateNdTdesc: value = createBlock(op); break;
    case TypeRule::LoadNd: value = load(op); break;
    case TypeRule::StoreNd: store(op); break;
    case TypeRule::PrefetchNd: build_.create(OpKind::PrefetchTile, {op.operand(0)}, {}); break;
    case TypeRule::UpdateNdOffset: value = moveBlock(op); break;
    case TypeRule::Dpas: value = multiply(op); break;
    case TypeRule::CreateTdesc: value = createLanes(op); break;
    case TypeRule::GatherTdesc: value = gather(op); break;
    case TypeRule::ScatterTdesc: scatter(op); break;
    case TypeRule::PrefetchTdesc: break; // has no effect on results, and is of no use for single addresses
    case TypeRule::UpdateTdesc: value = moveLanes(op); break;
    case TypeRule::AtomicTdesc: value = atomic(op); break;
    default: XT_UNREACHABLE("an XeGPU op on data that this pass does not replace");
    }
    if (value) {
      if (value->name().empty()) value->setName(op.result()->name());
      value->setRange(op.result()->range());
      op.result()->replaceAllUsesWith(value);
    }
    op.block()->erase(&op);
  }

  Value *index(int64_t value) { return build_.index(value); }
  Value *reshape(Value *value, std::vector<int64_t> shape) {
    Type type = value->type();
    if (std::equal(shape.begin(), shape.end(), type.shape().begin(), type.shape().end())) return value;
    return build_.value(OpKind::Reshape, {value}, context_.vector(std::move(shape), type.elem()));
  }
  Value *transpose(Value *value, std::vector<int64_t> permutation) {
    std::vector<int64_t> shape;
    for (int64_t d : permutation) shape.push_back(value->type().extent(static_cast<int>(d)));
    Value *turned = build_.value(OpKind::Transpose, {value}, context_.vector(std::move(shape), value->type().elem()));
    TransposeOp(*turned->definingOp()).setPermutation(std::move(permutation));
    return turned;
  }

  // --- blocks --------------------------------------------------------------------------------------------------------

  Value *createBlock(Op &op) { return build_.value(OpKind::InitTile, blockOperands(build_, op), tileOf(op.result()->type())); }

  Value *load(Op &op) {
    Type tile = op.operand(0)->type(), result = op.result()->type();
    std::vector<int64_t> shape = shapeOf(tile);
    bool turned = transposes(op) && result.rank() > 1;
    if (turned) std::swap(shape[0], shape[1]);
    Op *load = build_.create(OpKind::LoadTile, {op.operand(0)}, {context_.vector(shape, tile.elem())});
    if (turned) LoadTileOp(*load).setTranspose({1, 0});
    if (LoadNdOp(op).vnniAxis() != 0) return reshape(load->result(), shapeOf(result));
    return packed(load->result(), result.extent(2));
  }

  // Converts [R, C] to [R/f, C, f].
  Value *packed(Value *value, int64_t factor) {
    Type type = value->type();
    return transpose(reshape(value, {type.extent(0) / factor, factor, type.extent(1)}), {0, 2, 1});
  }
  Value *unpacked(Value *value) {
    Type type = value->type();
    return reshape(transpose(value, {0, 2, 1}), {type.extent(0) * type.extent(2), type.extent(1)});
  }

  void store(Op &op) {
    Value *value = reshape(op.operand(0), shapeOf(op.operand(1)->type()));
    build_.create(OpKind::StoreTile, {value, op.operand(1)}, {});
  }

  Value *moveBlock(Op &op) {
    bool matrix = op.operandCount() == 3;
    Value *down = matrix ? op.operand(1) : index(0), *right = op.operand(matrix ? 2 : 1);
    return build_.value(OpKind::UpdateTileOffset, {op.operand(0), down, right}, op.operand(0)->type());
  }

  Value *multiply(Op &op) {
    Type result = op.result()->type();
    Value *a = op.operand(0), *b = op.operand(1);
    if (a->type().rank() == 3) a = reshape(a, {a->type().extent(0), a->type().extent(1) * a->type().extent(2)});
    if (b->type().rank() == 3) b = unpacked(b);
    std::vector<Value *> operands = {a, b};
    if (op.operandCount() > 2) operands.push_back(op.operand(2));
    return build_.value(OpKind::TileMma, std::move(operands), result);
  }

  // --- lanes with offsets --------------------------------------------------------------------------------------------

  // Repeats each lane's value for each element of its chunk.
  Value *perElement(Value *lanes, Type tile) {
    int64_t count = lanes->type().extent(0);
    if (tile.elementCount() == count) return reshape(lanes, shapeOf(tile));
    Value *column = reshape(lanes, {count, 1});
    Value *all = build_.value(OpKind::Broadcast, {column}, context_.vector(shapeOf(tile), lanes->type().elem()));
    BroadcastOp(*all->definingOp()).setDim(1);
    return all;
  }
  Value *asIndex(Value *offsets) {
    if (offsets->type().elem() == Elem::Index) return offsets;
    return build_.value(OpKind::IndexCast, {offsets}, context_.withElem(offsets->type(), Elem::Index));
  }

  Value *createLanes(Op &op) {
    Type tile = tileOf(op.result()->type());
    Value *offsets = asIndex(op.operand(1));
    int64_t lanes = offsets->type().extent(0);
    offsets = perElement(offsets, tile);
    if (tile.elementCount() != lanes) {
      Value *step = build_.value(OpKind::Iota, {}, offsets->type());
      IotaOp(*step->definingOp()).setDim(1);
      offsets = build_.value(OpKind::AddI, {offsets, step}, offsets->type());
    }
    return build_.value(OpKind::InitTile, {tileBase(build_, op.operand(0)), offsets}, tile);
  }

  Value *moveLanes(Op &op) {
    Type tile = op.operand(0)->type();
    return build_.value(OpKind::UpdateTileOffset, {op.operand(0), perElement(asIndex(op.operand(1)), tile)}, tile);
  }

  Value *gather(Op &op) {
    Type tile = op.operand(0)->type();
    Value *mask = perElement(op.operand(1), tile);
    Value *read = build_.value(OpKind::LoadGather, {op.operand(0), mask}, context_.vector(shapeOf(tile), tile.elem()));
    if (transposes(op) && op.result()->type().rank() == 2) read = transpose(read, {1, 0});
    return reshape(read, shapeOf(op.result()->type()));
  }

  void scatter(Op &op) {
    Type tile = op.operand(1)->type();
    Value *value = op.operand(0), *mask = perElement(op.operand(2), tile);
    if (transposes(op) && value->type().rank() == 2) value = transpose(value, {1, 0});
    build_.create(OpKind::StoreScatter, {reshape(value, shapeOf(tile)), mask, op.operand(1)}, {});
  }

  Value *atomic(Op &op) {
    Type tile = op.operand(1)->type();
    Value *value = reshape(op.operand(0), shapeOf(tile)), *mask = perElement(op.operand(2), tile);
    Op *made = build_.create(OpKind::AtomicRmw, {value, op.operand(1), mask}, {context_.vector(shapeOf(tile), tile.elem())});
    AtomicRmwOp(*made).setKind(AtomicTdescOp(op).kind(), op.range());
    return reshape(made->result(), shapeOf(op.result()->type()));
  }

  Context &context_;
  Builder build_;
  std::unordered_set<const Op *> chosen_;      // for lookup only
  std::unordered_set<const Value *> windows_;  // windows that become tiles; for lookup only
};

} // namespace

Result<void> xegpuToTiles(Module &module, Diagnostics &) {
  for (const auto &kernel : module.kernels) {
    expandMaskedLoads(*kernel, module.context());
    if (kernel->scope == Scope::Lane)
      lanesToTiles(module.context(), *kernel);
    else
      xegpuToTiles(module.context(), *kernel, nullptr);
  }
  return {};
}

void xegpuToTiles(Context &context, Kernel &kernel, const std::function<bool(const Op &op)> &chooses) {
  XegpuToTiles(context, kernel, chooses).run(kernel.body);
}

} // namespace xt
