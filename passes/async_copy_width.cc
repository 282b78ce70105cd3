#include "passes/async_copy_width.h"

#include "ir/base/text.h"
#include "ir/constants.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"

#include <cmath>
#include <numeric>

namespace xt {
namespace {

// Why the elements of a window do not lie in rows of a memref; "" if they do.
std::string whyNoRows(const Op *root, Type tile) {
  if (!root) return "it may refer to different matrices";
  if (tile.data().scatter) return "each of its elements has its own offset";
  if (tile.data().packed) return "its rows are packed in memory";
  Type base = root->operand(0)->type();
  if (!base.isMemRef() || root->operandCount() != 1 + static_cast<size_t>(base.rank()))
    return "the shape and strides of its matrix are computed in the kernel";
  return storageOrders(base).rowMajor && tile.data().order == Order::RowMajor ? "" : "its matrix is column-major";
}

// Whether the portions of a window's rows begin at multiples of `bytes`, as far as is known at compile time.
bool isAligned(const Value *tile, const Op &root, const TileRoots &roots, int64_t bytes) {
  int64_t each = elemInfo(tile->type().elem()).storageBytes;
  if (roots.columnDivisor(tile) * each % bytes != 0) return false;
  std::vector<int64_t> strides = memrefStrides(root.operand(0)->type());
  strides.pop_back();
  for (int64_t stride : strides)
    if (stride != kDynamic && stride * each % bytes != 0) return false;
  return true;
}

// Whether each lane gets as many portions of a tile.
bool isShared(Type tile, int64_t portion, int64_t lanes) {
  int64_t along = std::gcd(tile.extent(1) * elemInfo(tile.elem()).storageBytes / portion, lanes);
  return tile.extent(0) % (lanes / along) == 0;
}

// Whether a buffer, and the swizzle of it, keep portions of this size whole.
bool keepsWhole(const Value *buffer, int64_t bytes) {
  const Op *made = buffer->definingOp();
  const Swizzle &swizzle = buffer->type().data().memory.swizzle;
  if (!made || made->kind() != OpKind::AllocSlm) return false;
  return (!swizzle || int64_t{1} << swizzle.base >= bytes) && AllocSlmOp(*made).offset().value_or(0) % bytes == 0;
}

} // namespace

AsyncCopyWidth asyncCopyWidth(const Op &copy, const TileRoots &roots, const TargetInfo &target, int64_t lanes) {
  AsyncCopyOp op(copy);
  const Value *from = op.from(), *to = op.to();
  const Op *source = roots.root(from), *destination = roots.root(to);
  if (target.asyncCopyBytes.empty()) return {0, str(target.name, " has no asynchronous copies")};
  if (op.padding() && !isPositiveZero(*op.padding())) return {0, "such copies pad only with zeros"};
  for (const auto &[root, tile] : {std::pair{source, from}, std::pair{destination, to}})
    if (std::string reason = whyNoRows(root, tile->type()); !reason.empty()) return {0, reason};
  const Block *block = withoutCasts(source->operand(0))->definingBlock();
  if (!block || block->parentOp()) return {0, "its base is not a parameter of the kernel"};
  int64_t rowBytes = from->type().extent(1) * elemInfo(from->type().elem()).storageBytes;
  for (int64_t bytes : target.asyncCopyBytes) {
    bool whole = rowBytes % bytes == 0 && bytes % elemInfo(from->type().elem()).storageBytes == 0;
    if (whole && isAligned(from, *source, roots, bytes) && isAligned(to, *destination, roots, bytes) &&
        keepsWhole(destination->operand(0), bytes) && isShared(from->type(), bytes, lanes))
      return {bytes, ""};
  }
  return {0, str(lanes, " lanes cannot share its ", from->type().extent(0), " rows of ", rowBytes, " bytes in portions of ",
                 target.asyncCopyBytes.back(), " bytes or more that are known to begin at multiples of their size")};
}

const Layout *asyncCopyLayout(Context &context, Type tile, int64_t portion, int64_t lanes) {
  if (portion < elemInfo(tile.elem()).storageBytes || !isShared(tile, portion, lanes)) return nullptr;
  int64_t each = portion / elemInfo(tile.elem()).storageBytes, along = std::gcd(tile.extent(1) / each, lanes);
  return dealtToLanes(context, {lanes / along, along}, {1, each}, tile.shape());
}

} // namespace xt
