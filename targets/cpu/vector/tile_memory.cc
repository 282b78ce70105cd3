// Emits tiles, and loads from and stores to the memory that tiles describe.
#include "ir/base/check.h"

#include "targets/cpu/vector/kernel_emitter.h"
#include "targets/cpu/vector/prefetch.h"
#include <llvm/IR/Module.h>

namespace xt {

using enum KernelContext::TilePart;
using enum KernelContext::ScatterPart;

Parts TileMemory::initTile(const Op &op) {
  if (op.result()->type().data().scatter) return k_.scatter.initScatterTile(op);
  const Value *memref = op.operand(0);
  Parts descriptor = c_.parts.at(memref);
  bool address = !memref->type().isMemRef();
  if (address) descriptor[0] = b.CreateIntToPtr(descriptor[0], b.getPtrTy());
  auto rank = static_cast<size_t>(address ? 2 : memref->type().rank());
  bool explicitView = op.operandCount() == 1 + 3 * rank; // a shape and strides that replace the descriptor's
  XT_CHECK(rank >= 2 && (explicitView || op.operandCount() == rank + 1), "the base of a tile is a matrix or more");
  auto size = [&](size_t d) { return explicitView ? c_.scalar(op.operand(1 + rank + d)) : descriptor[1 + d]; };
  auto stride = [&](size_t d) { return explicitView ? c_.scalar(op.operand(1 + 2 * rank + d)) : descriptor[1 + rank + d]; };
  auto offset = [&](size_t d) { return c_.scalar(op.operand(1 + d)); };
  size_t innermost = rank - (op.result()->type().data().order == Order::ColumnMajor ? 2 : 1);
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(stride(innermost)); explicitView && !(known && known->isOne()))
    c_.failIf(b.CreateAnd(b.CreateICmpNE(stride(innermost), c_.number(1)), b.CreateICmpSGT(size(innermost), c_.number(1))),
              c_.addFailure({op.range(), "the innermost stride of a base must be 1"}));
  LlvmValue *elements = c_.number(0), *inside = b.getTrue();
  for (size_t d = 0; d + 2 < rank; ++d) {
    elements = b.CreateAdd(elements, b.CreateMul(offset(d), stride(d)));
    inside = b.CreateAnd(inside, b.CreateICmpULT(offset(d), size(d))); // a negative offset is a large unsigned number
  }
  Parts tile(kTileParts, nullptr);
  LlvmValue *bytes = b.CreateMul(elements, c_.number(elemInfo(op.result()->type().elem()).storageBytes));
  tile[kBase] = byteOffset(b, descriptor[0], bytes);
  // If there is no matrix at this index, every row is out of bounds.
  tile[kRows] = b.CreateSelect(inside, size(rank - 2), c_.number(0));
  if (int64_t pack = op.result()->type().packFactor(); pack > 1)
    tile[kRows] = b.CreateSub(tile[kRows], b.CreateSRem(tile[kRows], c_.number(pack)));
  tile[kColumns] = size(rank - 1);
  tile[kRowStride] = stride(rank - 2);
  tile[kColumnStride] = stride(rank - 1);
  tile[kY] = offset(rank - 2);
  tile[kX] = offset(rank - 1);
  return tile;
}

Parts TileMemory::moveTile(const Op &op) {
  if (op.result()->type().data().scatter) return k_.scatter.moveScatterTile(op);
  Parts tile = c_.parts.at(op.operand(0));
  tile[kY] = b.CreateAdd(tile[kY], c_.scalar(op.operand(1)));
  tile[kX] = b.CreateAdd(tile[kX], c_.scalar(op.operand(2)));
  return tile;
}

TileAccess TileMemory::accessTile(const Value *tile, const AttrValue *padding) {
  return accessWindow(tile, c_.argument(tile->type().extent(0)), c_.argument(tile->type().extent(1)), padding);
}

TileAccess TileMemory::accessWindow(const Value *tile, LlvmValue *rows, LlvmValue *columns, const AttrValue *padding) {
  const Parts &parts = c_.parts.at(tile);
  Type type = tile->type();
  TileAccess access{};
  access.elem = type.elem();
  access.base = parts[kBase];
  LlvmValue *bytes = c_.number(elemInfo(type.elem()).storageBytes);
  access.rowStride = b.CreateMul(parts[kRowStride], bytes);
  access.pack = type.packFactor();
  access.firstRow = parts[kY];
  access.columnStride = b.CreateMul(parts[kColumnStride], b.CreateMul(bytes, c_.number(access.pack)));
  LlvmValue *above = access.pack > 1 ? c_.number(0) : b.CreateMul(parts[kY], access.rowStride);
  access.origin = byteOffset(b, parts[kBase], b.CreateAdd(above, b.CreateMul(parts[kX], access.columnStride)));
  // Index i of the tile is in bounds if 0 <= offset + i < size. Offsets near the ends of i64 wrap to "none in bounds".
  access.rowLow = inFrontOf(parts[kY], rows);
  access.rowHigh = upTo(b.CreateSub(parts[kRows], parts[kY]), rows);
  access.columnLow = inFrontOf(parts[kX], columns);
  access.columnHigh = upTo(b.CreateSub(parts[kColumns], parts[kX]), columns);
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(parts[kColumnStride]);
  access.unitStride = known && known->isOne() && access.pack == 1;
  access.maybeUnitStride = access.unitStride || (!known && access.pack == 1 && type.data().order == Order::RowMajor);
  access.padding = padding ? ops_.toStorage(access.elem, ops_.constant(access.elem, *padding, 0))
                           : llvm::Constant::getNullValue(ops_.storageType(access.elem, 0));
  return access;
}

LlvmValue *TileMemory::upTo(LlvmValue *value, LlvmValue *extent) {
  LlvmValue *positive = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, c_.number(0));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, positive, extent);
}

LlvmValue *TileMemory::inFrontOf(LlvmValue *offset, LlvmValue *extent) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(offset);
  if (c_.notNegative.contains(offset) || (known && !known->isNegative())) return c_.number(0);
  return upTo(b.CreateNeg(offset), extent);
}

// Whether the matrix is too large to stay in a cache until it is read, and is none of the matrices that the kernel reads.
LlvmValue *TileMemory::isStreamed(const Value *tile, const TileAccess &access) {
  constexpr int64_t kLarge = int64_t{32} << 20; // bytes; last-level caches are about as large
  if (!access.maybeUnitStride) return nullptr;
  const Parts &parts = c_.parts.at(tile);
  LlvmValue *bytes = b.CreateMul(b.CreateMul(parts[kRows], parts[kColumns]), c_.number(elemInfo(access.elem).storageBytes));
  LlvmValue *streams = b.CreateICmpSGT(bytes, c_.number(kLarge));
  for (const Value *read : c_.streamed.read) streams = b.CreateAnd(streams, b.CreateICmpNE(c_.parts.at(read)[0], parts[kBase]));
  c_.fences = true;
  return streams;
}

void TileMemory::storeWhole(const TileAccess &access, LlvmValue *address, LlvmValue *value) {
  auto plain = [&]() -> LlvmValues {
    b.CreateAlignedStore(value, address, memoryAlign());
    return {};
  };
  int64_t bytes = static_cast<int64_t>(c_.module.getDataLayout().getTypeStoreSize(value->getType()));
  if (!access.streams || bytes < 16) { // the smallest size with a non-temporal store instruction
    plain();
    return;
  }
  LlvmValue *place = b.CreateAnd(b.CreatePtrToInt(address, b.getInt64Ty()), c_.number(bytes - 1));
  ifElse(
      b, b.CreateAnd(access.streams, b.CreateICmpEQ(place, c_.number(0))),
      [&]() -> LlvmValues {
        llvm::StoreInst *store = b.CreateAlignedStore(value, address, llvm::Align(static_cast<uint64_t>(bytes)));
        store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                           llvm::MDNode::get(b.getContext(), llvm::ConstantAsMetadata::get(b.getInt32(1))));
        return {};
      },
      plain);
}

// Bytes from the origin to a row of the tile; for a packed tile, to the row's first element in its group of rows.
LlvmValue *TileMemory::rowDistance(const TileAccess &access, LlvmValue *row) {
  if (access.pack == 1) return b.CreateMul(row, access.rowStride);
  LlvmValue *ofBase = b.CreateAdd(access.firstRow, row);
  LlvmValue *inPack = b.CreateAnd(ofBase, c_.number(access.pack - 1)); // the pack is a power of two
  return b.CreateAdd(b.CreateMul(b.CreateSub(ofBase, inPack), access.rowStride),
                     b.CreateMul(inPack, c_.number(elemInfo(access.elem).storageBytes)));
}

// The pointer of a row that is out of bounds is the base: if a masked load without active lanes is from a missing page,
// processors take long to find that it does not touch the page.
RowAccess TileMemory::accessRow(const TileAccess &access, LlvmValue *row) {
  LlvmValue *inside = b.CreateAnd(b.CreateICmpSLT(row, access.rowHigh), isFromLow(row, access.rowLow));
  LlvmValue *pointer = b.CreateSelect(inside, byteOffset(b, access.origin, rowDistance(access, row)), access.base);
  return {pointer, b.CreateSelect(inside, access.columnHigh, c_.number(0))};
}

RowAccess TileMemory::accessRowOfBase(const Value *tile, const TileAccess &access, LlvmValue *row) {
  LlvmValue *inside = b.CreateICmpULT(b.CreateAdd(access.firstRow, row), c_.parts.at(tile)[kRows]);
  LlvmValue *pointer = b.CreateSelect(inside, byteOffset(b, access.origin, rowDistance(access, row)), access.base);
  return {pointer, b.CreateSelect(inside, access.columnHigh, c_.number(0))};
}

// Whether all lanes are in bounds and adjacent in memory.
LlvmValue *TileMemory::chunkIsWhole(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes) {
  if (!access.maybeUnitStride) return b.getFalse();
  LlvmValue *whole =
      b.CreateAnd(b.CreateICmpSLE(b.CreateAdd(column, c_.number(lanes)), row.high), isFromLow(column, access.columnLow));
  if (access.unitStride) return whole;
  return b.CreateAnd(whole, b.CreateICmpEQ(access.columnStride, c_.number(elemInfo(access.elem).storageBytes)));
}

// Uses shifts of one integer: comparing column numbers would need vectors wider than a register for small elements.
LlvmValue *TileMemory::insideBits(const TileAccess &access, LlvmValue *high, LlvmValue *column) {
  auto below = [&](LlvmValue *bound) { // ones for the columns before `bound`
    LlvmValue *count = b.CreateSub(bound, column);
    count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, count, c_.number(0));
    count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count, c_.number(64));
    LlvmValue *ones = b.CreateLShr(c_.number(-1), b.CreateAnd(b.CreateSub(c_.number(64), count), c_.number(63)));
    return b.CreateSelect(b.CreateICmpEQ(count, c_.number(0)), c_.number(0), ones);
  };
  return isKnownZero(access.columnLow) ? below(high) : b.CreateAnd(below(high), b.CreateNot(below(access.columnLow)));
}

LlvmValue *TileMemory::laneMask(LlvmValue *bits, int lanes) {
  auto width = static_cast<unsigned>(lanes);
  return b.CreateBitCast(b.CreateTrunc(bits, b.getIntNTy(width)), llvm::FixedVectorType::get(b.getInt1Ty(), width));
}

// The mask of a chunk that is not whole: fewer than `lanes` elements are in bounds.
LlvmValue *TileMemory::chunkMask(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes) {
  constexpr int kLaneBytes = 4;
  if (isKnownZero(access.columnLow) && lanes * kLaneBytes <= c_.cpu.vectorBytes) {
    LlvmValue *inside = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b.CreateSub(row.high, column), c_.number(0));
    return b.CreateICmpSLT(ops_.laneNumbers(lanes), ops_.splat(b.CreateTrunc(inside, b.getInt32Ty()), lanes));
  }
  return laneMask(insideBits(access, row.high, column), lanes);
}

void TileMemory::forEachLane(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes,
                             llvm::function_ref<void(LlvmValue *, LlvmValue *, LlvmValue *)> body) {
  forLoop(b, c_.number(0), c_.number(lanes), c_.number(1), [&](LlvmValue *lane) {
    LlvmValue *at = b.CreateAdd(column, lane);
    LlvmValue *valid = b.CreateAnd(b.CreateICmpSLT(at, row.high), isFromLow(at, access.columnLow));
    LlvmValue *address = byteOffset(b, row.pointer, b.CreateMul(at, access.columnStride));
    body(valid, address, b.CreateMul(lane, c_.number(elemInfo(access.elem).storageBytes)));
  });
}

LlvmValue *TileMemory::loadChunk(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes) {
  llvm::Type *type = ops_.storageType(access.elem, lanes), *scalarType = ops_.storageType(access.elem, 0);
  auto address = [&] { return byteOffset(b, row.pointer, b.CreateMul(column, c_.number(elemInfo(access.elem).storageBytes))); };
  auto whole = [&]() -> LlvmValues {
    if (access.ahead) prefetchLine(byteOffset(b, address(), access.ahead));
    return {b.CreateAlignedLoad(type, address(), memoryAlign())};
  };
  auto masked = [&]() -> LlvmValues {
    return {b.CreateMaskedLoad(type, address(), memoryAlign(), chunkMask(access, row, column, lanes),
                               ops_.splat(access.padding, lanes))};
  };
  auto byLane = [&]() -> LlvmValues {
    LlvmValue *chunk = ops_.stackSlot(0), *outside = ops_.stackSlot(1);
    b.CreateStore(access.padding, outside);
    forEachLane(access, row, column, lanes, [&](LlvmValue *valid, LlvmValue *inside, LlvmValue *laneByte) {
      LlvmValue *from = b.CreateSelect(valid, inside, outside); // no address that is out of bounds is accessed
      LlvmValue *element = b.CreateAlignedLoad(scalarType, from, memoryAlign());
      b.CreateAlignedStore(element, byteOffset(b, chunk, laneByte), memoryAlign());
    });
    return {b.CreateAlignedLoad(type, chunk, llvm::Align(64))};
  };
  bool useMask = access.unitStride && c_.cpu.maskedAccess;
  if (!access.maybeUnitStride) return byLane()[0];
  return ifElse(b, chunkIsWhole(access, row, column, lanes), whole, [&] { return useMask ? masked() : byLane(); })[0];
}

void TileMemory::storeChunk(const TileAccess &access, const RowAccess &row, LlvmValue *column, LlvmValue *value, int lanes) {
  auto address = [&] { return byteOffset(b, row.pointer, b.CreateMul(column, c_.number(elemInfo(access.elem).storageBytes))); };
  auto whole = [&]() -> LlvmValues {
    storeWhole(access, address(), value);
    return {};
  };
  auto masked = [&]() -> LlvmValues {
    b.CreateMaskedStore(value, address(), memoryAlign(), chunkMask(access, row, column, lanes));
    return {};
  };
  auto byLane = [&]() -> LlvmValues {
    LlvmValue *chunk = ops_.stackSlot(0), *outside = ops_.stackSlot(1);
    b.CreateAlignedStore(value, chunk, llvm::Align(64));
    forEachLane(access, row, column, lanes, [&](LlvmValue *valid, LlvmValue *inside, LlvmValue *laneByte) {
      LlvmValue *element = b.CreateAlignedLoad(ops_.storageType(access.elem, 0), byteOffset(b, chunk, laneByte), memoryAlign());
      b.CreateAlignedStore(element, b.CreateSelect(valid, inside, outside), memoryAlign());
    });
    return {};
  };
  bool useMask = access.unitStride && c_.cpu.maskedAccess;
  if (!access.maybeUnitStride) {
    byLane();
    return;
  }
  ifElse(b, chunkIsWhole(access, row, column, lanes), whole, [&] { return useMask ? masked() : byLane(); });
}

// Tiles are whole registers wide, so no register that is read holds elements outside of the tile.
LlvmValue *TileMemory::isInside(const TileAccess &access, LlvmValue *rows, int64_t columns) {
  LlvmValue *first = b.CreateOr(access.rowLow, access.columnLow);
  LlvmValue *down = b.CreateICmpSGE(access.rowHigh, rows), *across = b.CreateICmpEQ(access.columnHigh, c_.argument(columns));
  return b.CreateAnd(b.CreateICmpEQ(first, c_.number(0)), b.CreateAnd(down, across));
}

namespace {

// Whether a value has been computed on all paths to the block that is being emitted.
bool isKnownHere(const KernelContext &context, const Value *value) {
  const Block *defined = value->definingOp() ? value->definingOp()->block() : value->definingBlock();
  const Block *at = context.block;
  while (at && at != defined) at = at->parentOp() ? at->parentOp()->block() : nullptr;
  return at && context.parts.contains(value);
}

} // namespace

// The tile's first row is computed here again, as the tile itself is made after the loops in which its rows are computed.
LlvmValue *TileMemory::neededRows(const Value *value) {
  const Op *init = c_.needed.boundOf(value);
  if (!init) return nullptr;
  const Value *memref = init->operand(0);
  const auto rank = static_cast<size_t>(memref->type().rank());
  const bool explicitView = init->operandCount() == 1 + 3 * rank;
  const Value *offset = init->operand(rank - 1), *size = explicitView ? init->operand(2 * rank - 1) : memref;
  if (!isKnownHere(c_, offset) || !isKnownHere(c_, size)) return nullptr;
  LlvmValue *rows = explicitView ? c_.scalar(size) : c_.parts.at(memref)[rank - 1];
  return upTo(b.CreateSub(rows, c_.scalar(offset)), c_.argument(value->type().extent(0)));
}

void TileMemory::prefetchLine(LlvmValue *address, bool toL1) {
  prefetch(b, address, toL1 || c_.cpu.tuning.l2PrefetchIsLate ? Prefetch::ToL1 : Prefetch::ToL2);
}

} // namespace xt
