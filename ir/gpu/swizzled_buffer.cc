#include "ir/gpu/swizzled_buffer.h"

#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

bool accessesWindow(const Op &op) {
  switch (op.kind()) {
  case OpKind::LoadTile:
  case OpKind::StoreTile:
  case OpKind::LoadNd:
  case OpKind::StoreNd:
  case OpKind::AsyncCopy: return true;
  default: return false;
  }
}

// Whether the op makes a window of the buffer that is only accessed where it is.
bool makesPlainWindow(const Op &op, size_t rank) {
  if (op.kind() != OpKind::InitTile && op.kind() != OpKind::CreateNdTdesc) return false;
  const TypeData &window = op.result()->type().data();
  if (op.operandCount() != 1 + rank || window.scatter || window.packed || window.shape.size() != 2) return false;
  return std::ranges::all_of(op.result()->uses(), [](Use use) { return accessesWindow(*use.user); });
}

} // namespace

Swizzle storedSwizzle(const Value *buffer) {
  Type type = buffer->type();
  const Op *made = buffer->definingOp();
  Swizzle swizzle = type.isMemRef() ? type.data().memory.swizzle : Swizzle{};
  if (!swizzle || !made || made->kind() != OpKind::AllocSlm || type.rank() < 2) return {};
  int64_t matrixBytes = elemInfo(type.elem()).storageBytes * type.extent(type.rank() - 1) * type.extent(type.rank() - 2);
  bool wholeBlocks = matrixBytes % (int64_t{1} << (swizzle.base + swizzle.shift + swizzle.bits)) == 0;
  auto plain = [&](Use use) { return makesPlainWindow(*use.user, static_cast<size_t>(type.rank())); };
  return wholeBlocks && std::ranges::all_of(buffer->uses(), plain) ? swizzle : Swizzle{};
}

} // namespace xt
