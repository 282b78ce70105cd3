#include "targets/cpu/vector/byte_range.h"

#include "ir/op_kinds.h"
#include "targets/cpu/analysis/tile_source.h"
#include "targets/cpu/vector/kernel_emitter.h"

namespace xt {

using enum KernelContext::TilePart;
using enum KernelContext::ScatterPart;

namespace {

namespace Intrinsic = llvm::Intrinsic;

// Saturates at the ends of i64: a shape may use a huge extent for "no bound".
LlvmValue *product(llvm::IRBuilderBase &b, LlvmValue *x, LlvmValue *y) {
  return b.CreateIntrinsic(Intrinsic::smul_fix_sat, {x->getType()}, {x, y, b.getInt32(0)});
}

} // namespace

ByteRange byteRange(llvm::IRBuilderBase &b, LlvmValue *base, llvm::ArrayRef<StridedDim> dims, int64_t elementBytes) {
  LlvmValue *bytes = b.getInt64(static_cast<uint64_t>(elementBytes)), *none = b.getInt64(0);
  LlvmValue *first = b.CreatePtrToInt(base, b.getInt64Ty()), *end = b.CreateBinaryIntrinsic(Intrinsic::uadd_sat, first, bytes);
  for (auto [count, stride] : dims) {
    LlvmValue *last = b.CreateBinaryIntrinsic(Intrinsic::smax, b.CreateSub(count, b.getInt64(1)), none);
    LlvmValue *extent = product(b, product(b, last, stride), bytes);
    LlvmValue *down = b.CreateICmpSLT(extent, none);
    first = b.CreateBinaryIntrinsic(Intrinsic::usub_sat, first, b.CreateSelect(down, b.CreateNeg(extent), none));
    end = b.CreateBinaryIntrinsic(Intrinsic::uadd_sat, end, b.CreateSelect(down, none, extent));
  }
  return {first, end};
}

LlvmValue *areApart(llvm::IRBuilderBase &b, const ByteRange &x, const ByteRange &y) {
  return b.CreateOr(b.CreateICmpUGE(x.first, y.end), b.CreateICmpUGE(y.first, x.end));
}

// The bytes of the whole matrix that a tile lies in.
ByteRange Overlaps::matrixBytes(const Value *tile) {
  const Parts &parts = c_.parts.at(tile);
  return byteRange(b, parts[kBase], {StridedDim{parts[kRows], parts[kRowStride]}, {parts[kColumns], parts[kColumnStride]}},
                   elemInfo(tile->type().elem()).storageBytes * tile->type().packFactor());
}

ByteRange Overlaps::memrefBytes(const Value *memref) {
  const Parts &parts = c_.parts.at(memref);
  auto rank = static_cast<size_t>(memref->type().rank());
  llvm::SmallVector<StridedDim, 4> dims;
  for (size_t d = 0; d < rank; ++d) dims.push_back({parts[1 + d], parts[1 + rank + d]});
  return byteRange(b, parts[0], dims, elemInfo(memref->type().elem()).storageBytes);
}

// The bytes of the matrix that a tile lies in. The tile itself may be defined only later in the program. Nullopt if its matrix
// is not known at this point.
std::optional<ByteRange> Overlaps::bytesAround(const Value *tile) {
  const Op *op = tile->definingOp();
  while (!c_.parts.contains(tile) && op && op->kind() == OpKind::UpdateTileOffset) {
    tile = op->operand(0);
    op = tile->definingOp();
  }
  if (c_.parts.contains(tile)) return matrixBytes(tile);
  if (!op || op->kind() != OpKind::InitTile) return std::nullopt;
  const Value *base = op->operand(0);
  bool whole = base->type().isMemRef() && op->operandCount() == static_cast<size_t>(base->type().rank()) + 1;
  return whole && c_.parts.contains(base) ? std::optional(memrefBytes(base)) : std::nullopt;
}

LlvmValue *Overlaps::isApartFrom(const Value *tile, const Value *memref) {
  const Value *param = parameterBehind(c_.kernel, tile);
  return param ? areParametersApart(param, memref) : areApart(b, matrixBytes(tile), memrefBytes(memref));
}

// Whether the memory of two tiles has no byte in common. Compares all memory of the parameters that they come from, if these
// are different; a tile whose parameter is not known is represented by its matrix, and so are both tiles if they come from the
// same parameter. Null: not known at this point.
LlvmValue *Overlaps::areTilesApart(const Value *tile, const Value *other) {
  const Value *x = parameterBehind(c_.kernel, tile), *y = parameterBehind(c_.kernel, other);
  if (x && x == y && x->type().rank() == 2) return b.getFalse();
  if (x && y && x != y) return areParametersApart(x, y);
  auto bytesOf = [&](const Value *param, const Value *of) {
    return param && x != y ? std::optional(memrefBytes(param)) : bytesAround(of);
  };
  std::optional<ByteRange> bytes = bytesOf(x, tile), others = bytesOf(y, other);
  return bytes && others ? areApart(b, *bytes, *others) : nullptr;
}

// The launch has compared the first kApartMemRefs memrefs; other pairs are compared here.
LlvmValue *Overlaps::areParametersApart(const Value *memref, const Value *other) {
  auto place = [&](const Value *param) { // the position among the memrefs
    size_t before = 0;
    for (size_t i = 0; i < param->index(); ++i) before += c_.kernel.param(i)->type().isMemRef();
    return before;
  };
  if (memref == other) return b.getFalse();
  std::optional<unsigned> bit = apartBit(place(memref), place(other));
  if (!bit) return areApart(b, memrefBytes(memref), memrefBytes(other));
  return b.CreateICmpNE(b.CreateAnd(c_.words.apart, uint64_t{1} << *bit), c_.number(0));
}

} // namespace xt
