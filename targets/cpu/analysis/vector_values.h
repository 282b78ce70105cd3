// Which values the emitter keeps in scratch memory, and which vector ops are pointwise.
#pragma once
#include "ir/op.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "targets/cpu/analysis/cpu_info.h"

namespace xt {

// Calls visit(op) for each op in the block and in its regions, outer ones first.
template <class F> void forEachOp(const Block &block, const F &visit) {
  for (const Op &op : block) {
    visit(op);
    for (size_t r = 0; r < op.regionCount(); ++r) forEachOp(*op.region(r), visit);
  }
}

// Whether values of the type have a buffer, unless they are evaluated at their uses: vectors, and the offsets of scatter tiles.
inline bool livesInBuffer(Type type) { return type.isVector() || (type.isTile() && type.data().scatter); }
inline Elem bufferElem(Type type) { return type.isVector() ? type.elem() : kIndexElem; }

// Whether a reshape keeps the rows of its operand: those of vectors of any rank are the elements along the last dimension. A
// vector of one column may be a dense column (dense_columns.h), and is left out.
inline bool keepsRows(const Op &op) {
  Type from = op.kind() == OpKind::Reshape ? op.operand(0)->type() : Type();
  return from && from.shape().back() == op.result()->type().shape().back() && from.shape().back() > 1;
}
// Whether the op's result at a position depends only on the operands at that position. A change of layout changes nothing here.
inline bool isPointwise(const Op &op) { return op.info().elementwise || op.kind() == OpKind::ConvertLayout || keepsRows(op); }

// Whether the rows of a tile or vector fill whole registers.
inline bool fillsRegisters(const CpuInfo &cpu, Type type) {
  return type.extent(1) * elemInfo(type.elem()).storageBytes % cpu.vectorBytes == 0;
}

// Whether the op is a load_tile that does not transpose.
inline bool isPlainLoad(const Op &op) { return op.kind() == OpKind::LoadTile && !transposes(op); }

// Whether the op reads each buffer only at the position that it writes next, if its result has a buffer.
inline bool worksInPlace(const Op &op) {
  if (op.kind() == OpKind::InitTile || op.kind() == OpKind::UpdateTileOffset) return op.result()->type().data().scatter;
  return op.kind() == OpKind::Insert || (isPointwise(op) && op.resultCount() == 1 && op.result()->type().isVector());
}

// Whether the op is evaluated at every use, which is as cheap as reading a buffer.
inline bool isGenerated(const Op &op) {
  return op.kind() == OpKind::Constant || op.kind() == OpKind::Splat || op.kind() == OpKind::Iota ||
         op.kind() == OpKind::CreateMask;
}
inline bool isUniform(const Value *value) {
  return value->definingOp() &&
         (value->definingOp()->kind() == OpKind::Constant || value->definingOp()->kind() == OpKind::Splat);
}
// Whether a broadcast is evaluated at its uses. It reads its operand at other positions, so the operand must have a buffer or
// be uniform.
inline bool isReadingBroadcast(const Op &op) {
  if (op.kind() != OpKind::Broadcast) return false;
  const Op *from = op.operand(0)->definingOp();
  return !from || isUniform(op.operand(0)) || (!isGenerated(*from) && from->kind() != OpKind::Broadcast);
}

// Whether the op is a reduction that one pass over its operand computes: of all rows or blocks of rows, or of whole rows.
inline bool isStreamedReduction(const Op &op) {
  if (op.kind() != OpKind::Reduction) return false;
  bool alongColumns = ReductionOp(op).dim() == 1;
  return !alongColumns || op.result()->type().extent(1) == 1;
}

} // namespace xt
