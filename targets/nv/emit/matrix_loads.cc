// Blocks in shared memory that are loaded as matrices: ldmatrix.
#include "ir/gpu/matrix_loads.h"
#include "ir/base/check.h"
#include "ir/op_kinds.h"
#include "ir/views/xegpu.h"
#include "targets/llvm/lane/addresses.h"
#include "targets/nv/emit/nv_lane_device.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace xt {

namespace Intrinsic = llvm::Intrinsic;

namespace {

Intrinsic::ID loadOf(size_t matrices, bool transposed) {
  switch (matrices) {
  case 1:
    return transposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16
                      : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16;
  case 2:
    return transposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16
                      : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16;
  case 4:
    return transposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                      : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16;
  default: XT_UNREACHABLE("1, 2 or 4 matrices");
  }
}

// The matrices that one instruction loads: `down` below each other times `across` beside each other, from this one on.
struct Group {
  int64_t row, column, down, across;
};

// The 32 bits of a lane of each matrix of a group. They are numbered in the order in which a product takes them: first along
// the rows of the loaded value, which are columns in memory if the load transposes it.
llvm::SmallVector<LlvmValue *, 4> words(LaneContext &c, const Op &op, const MatrixLoad &load, const Group &group) {
  const Value *block = op.operand(0);
  llvm::IRBuilderBase &b = c.b;
  int64_t columns = kMatrixRowBytes / elemInfo(block->type().elem()).storageBytes;
  WindowElement element{group.row * kMatrixRows, group.column * columns, {{0, kMatrixRows, 1, 0}}};
  int64_t bit = 3; // lanes with bit 3 and with bit 4 give the rows of other matrices
  bool turns = transposes(op);
  for (bool below : {!turns, turns})
    for (int64_t count = 1; count < (below ? group.down : group.across); count *= 2)
      element.digits.push_back({bit++, 2, below ? count * kMatrixRows : 0, below ? 0 : count * columns});
  LlvmValue *address = LaneAddresses(c).slmAddress(block, element);
  auto count = static_cast<size_t>(group.down * group.across);
  LlvmValue *loaded = b.CreateIntrinsic(loadOf(count, load.transposed), {address->getType()}, {address});
  llvm::SmallVector<LlvmValue *, 4> words;
  for (unsigned i = 0; i < count; ++i) words.push_back(count == 1 ? loaded : b.CreateExtractValue(loaded, i));
  return words;
}

// Cuts a block into groups of four matrices, 2 x 2 where it has as many rows and columns of them, else of two or one.
std::vector<Group> groupsOf(const MatrixLoad &load) {
  auto even = [](int64_t count) { return count % 2 == 0 ? int64_t{2} : int64_t{1}; };
  int64_t down = even(load.down), across = even(load.across);
  if (down == 1 && load.across % 4 == 0) across = 4;
  if (across == 1 && load.down % 4 == 0) down = 4;
  std::vector<Group> groups;
  for (int64_t row = 0; row < load.down; row += down)
    for (int64_t column = 0; column < load.across; column += across) groups.push_back({row, column, down, across});
  return groups;
}

} // namespace

// Rows have to begin at multiples of 16 bytes.
bool NvLaneDevice::takesBlock(const Op &op) const {
  if (op.kind() != OpKind::LoadNd || !context_) return false;
  const Value *block = op.operand(0);
  const Op *made = block->definingOp();
  const TypeData &type = block->type().data();
  if (type.space != MemorySpace::Slm || !made || made->kind() != OpKind::CreateNdTdesc || !type.layout || type.scatter)
    return false;
  if (type.boundaryCheck && !isInside(*made)) return false;
  const Value *buffer = made->operand(0);
  if (!buffer->type().isMemRef() || made->operandCount() != 1 + static_cast<size_t>(buffer->type().rank())) return false;
  const int64_t bytes = elemInfo(type.elem).storageBytes;
  if (!isSlmBuffer(buffer) || !storageOrders(buffer->type()).rowMajor) return false;
  std::vector<int64_t> strides = memrefStrides(buffer->type());
  strides.pop_back();
  for (int64_t stride : strides)
    if (stride == kDynamic || stride * bytes % kMatrixRowBytes != 0) return false;
  Swizzle swizzle = LaneAddresses(*context_).swizzle(block);
  if (swizzle && int64_t{1} << swizzle.base < kMatrixRowBytes) return false;
  return LaneAddresses(*context_).divisor(block, 1) * bytes % kMatrixRowBytes == 0 && matrixLoad(*type.layout, type.elem);
}

// Whether a block is surely inside of its matrix.
bool NvLaneDevice::isInside(const Op &made) const {
  Type block = made.result()->type(), buffer = made.operand(0)->type();
  for (size_t d = 0; d < 2; ++d) {
    Interval first = context_->ranges.ofWindow(made.result(), d);
    int64_t size = buffer.extent(buffer.rank() - 2 + static_cast<int>(d));
    if (first.low < 0 || first.high > size - block.extent(static_cast<int>(d))) return false;
  }
  return true;
}

// The lane's part in row-major order: of the matrices of a row of them, first the words of its rows, then of the next row.
Fragment NvLaneDevice::loadBlock(LaneContext &c, const Op &op, llvm::function_ref<Fragment()> /*byLanes*/) {
  const Value *block = op.operand(0);
  Elem elem = block->type().elem();
  const MatrixLoad load = *matrixLoad(*block->type().layout(), elem);
  std::vector<LlvmValue *> all(static_cast<size_t>(load.down * load.across));
  bool turns = transposes(op);
  for (const Group &group : groupsOf(load)) {
    llvm::SmallVector<LlvmValue *, 4> own = words(c, op, load, group);
    for (int64_t i = 0; i < static_cast<int64_t>(own.size()); ++i) {
      int64_t row = group.row + (turns ? i / group.across : i % group.down),
              column = group.column + (turns ? i % group.across : i / group.down);
      all[static_cast<size_t>(row * load.across + column)] = own[static_cast<size_t>(i)];
    }
  }
  auto each = static_cast<unsigned>(4 / elemInfo(elem).storageBytes);
  std::vector<LlvmValue *> packed;
  for (LlvmValue *word : all)
    packed.push_back(
        c.ops.fromStorage(elem, castBits(c.b, word, c.ops.storageType(elem, each == 1 ? 0 : static_cast<int>(each)))));
  Fragment own;
  // A lane of a transposed matrix has neighbours in a column, in two rows of the block.
  unsigned rows = load.transposed ? each : 1, columns = load.transposed ? 1 : each;
  for (int64_t down = 0; down < load.down; ++down)
    for (unsigned r = 0; r < rows; ++r)
      for (int64_t across = 0; across < load.across; ++across)
        for (unsigned i = 0; i < columns; ++i)
          own.push_back({packed[static_cast<size_t>(down * load.across + across)],
                         each == 1 ? FragmentElement::kScalar : static_cast<int>(load.transposed ? r : i)});
  return own;
}

} // namespace xt
