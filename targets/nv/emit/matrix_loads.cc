// Blocks in shared memory that are loaded as matrices: ldmatrix.
#include "ir/gpu/matrix_loads.h"
#include "ir/base/check.h"
#include "ir/op_kinds.h"
#include "ir/views/xegpu.h"
#include "targets/llvm/lane/places.h"
#include "targets/nv/emit/nv_lane_device.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace xt {

namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr int64_t kLanesOfMatrix = 8; // lanes 8 i to 8 i + 7 give the addresses of the rows of matrix i


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

// The 32 bits of a lane of each of these matrices, which are the first ones of the block in row-major order from `first` on.
llvm::SmallVector<LlvmValue *, 4> words(LaneContext &c, const Op &op, const MatrixLoad &load, int64_t first, int64_t count) {
  const Value *block = op.operand(0);
  llvm::IRBuilderBase &b = c.b;
  LaneValues &v = c.values;
  int64_t columns = kMatrixRowBytes / elemInfo(block->type().elem()).storageBytes;
  LlvmValue *row = b.CreateAnd(c.lane, v.number32(kLanesOfMatrix - 1)), *column = nullptr;
  // Matrices beside and below each other: lanes with bit 3 and with bit 4 give rows of other ones.
  int64_t across = std::min(count, load.across - first % load.across);
  auto bit = [&](int64_t number, int64_t weight) {
    return b.CreateMul(b.CreateAnd(b.CreateLShr(c.lane, v.number32(number)), v.number32(1)), v.number32(weight));
  };
  int64_t number = 3;
  for (int64_t side = 1; side < across; side *= 2) {
    LlvmValue *part = bit(number++, side * columns);
    column = column ? b.CreateAdd(column, part) : part;
  }
  for (int64_t down = 1; down * across < count; down *= 2) row = b.CreateAdd(row, bit(number++, down * kMatrixRows));
  WindowElement element{row, column, first / load.across * kMatrixRows, first % load.across * columns};
  LlvmValue *address = LanePlaces(c).address(block, element);
  LlvmValue *loaded = b.CreateIntrinsic(loadOf(static_cast<size_t>(count), load.transposed), {address->getType()}, {address});
  llvm::SmallVector<LlvmValue *, 4> words;
  for (int64_t i = 0; i < count; ++i)
    words.push_back(count == 1 ? loaded : b.CreateExtractValue(loaded, static_cast<unsigned>(i)));
  return words;
}

// How many matrices one instruction loads at this place: whole rows of them, or a power of two within one.
int64_t countAt(const MatrixLoad &load, int64_t first) {
  for (int64_t count : {4, 2}) {
    int64_t left = load.across - first % load.across;
    bool beside = count <= left, below = first % load.across == 0 && count % load.across == 0 &&
                                         first / load.across + count / load.across <= load.down;
    if (beside || below) return count;
  }
  return 1;
}

} // namespace

// Rows have to begin at multiples of 16 bytes.
bool NvLaneDevice::takesBlock(const Op &op) const {
  if (op.kind() != OpKind::LoadNd || !context_) return false;
  const Value *block = op.operand(0);
  const Op *made = block->definingOp();
  const TypeData &type = block->type().data();
  if (type.space != MemorySpace::Slm || !made || made->kind() != OpKind::CreateNdTdesc || !type.layout || type.scatter) return false;
  if (type.boundaryCheck && !isInside(*made)) return false;
  const Value *buffer = made->operand(0);
  if (!buffer->type().isMemRef() || made->operandCount() != 1 + static_cast<size_t>(buffer->type().rank())) return false;
  const int64_t bytes = elemInfo(type.elem).storageBytes;
  if (!isSlmBuffer(buffer) || !storageOrders(buffer->type()).rowMajor) return false;
  std::vector<int64_t> strides = memrefStrides(buffer->type());
  strides.pop_back();
  for (int64_t stride : strides)
    if (stride == kDynamic || stride * bytes % kMatrixRowBytes != 0) return false;
  Swizzle swizzle = LanePlaces(*context_).swizzle(block);
  if (swizzle && int64_t{1} << swizzle.base < kMatrixRowBytes) return false;
  return LanePlaces(*context_).divisor(block, 1) * bytes % kMatrixRowBytes == 0 && matrixLoad(*type.layout, type.elem);
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
Fragment NvLaneDevice::loadBlock(LaneContext &c, const Op &op) {
  const Value *block = op.operand(0);
  Elem elem = block->type().elem();
  const MatrixLoad load = *matrixLoad(*block->type().layout(), elem);
  std::vector<LlvmValue *> all;
  for (int64_t first = 0; first < load.down * load.across; first += countAt(load, first))
    for (LlvmValue *word : words(c, op, load, first, countAt(load, first))) all.push_back(word);
  auto each = static_cast<unsigned>(4 / elemInfo(elem).storageBytes);
  std::vector<LlvmValue *> packed;
  for (LlvmValue *word : all)
    packed.push_back(c.ops.fromStorage(elem, castBits(c.b, word, c.ops.storageType(elem, each == 1 ? 0 : static_cast<int>(each)))));
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
