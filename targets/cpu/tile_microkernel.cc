#include "targets/cpu/tile_microkernel.h"

#include <llvm/IR/IntrinsicsX86.h>

namespace xt {

namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr int kTileRows = 16, kTileBytes = 64, kTiles = 8;
// Tiles 0 to 3 are sums, by row and column; then two of a and two of b.
constexpr int kLeft = 4, kRight = 6;

} // namespace

// All eight tiles are as large as they can be (Intel's manual, "LDTILECFG": palette 1).
void TileMicrokernel::begin(LlvmValue *config) {
  uint8_t bytes[64] = {1};
  for (int tile = 0; tile < kTiles; ++tile) {
    bytes[16 + 2 * tile] = kTileBytes;
    bytes[48 + tile] = kTileRows;
  }
  llvm::Constant *image = llvm::ConstantDataVector::get(b.getContext(), llvm::ArrayRef<uint8_t>(bytes));
  b.CreateAlignedStore(image, config, llvm::Align(64));
  b.CreateIntrinsic(Intrinsic::x86_ldtilecfg, {}, {config});
}

void TileMicrokernel::end() { b.CreateIntrinsic(Intrinsic::x86_tilerelease, llvm::ArrayRef<llvm::Type *>(), {}); }

// Two tiles across and two down are four sums for four loads.
void TileMicrokernel::multiply(const Operands &operands, int64_t rows, Keep keep, llvm::function_ref<void(LlvmValue *turn)> meanwhile) {
  const int sums = rows == kRows ? 4 : 2;
  auto tile = [&](int number) { return b.getInt8(static_cast<uint8_t>(number)); };
  auto number = [&](int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); };
  for (int sum = 0; sum < sums; ++sum) b.CreateIntrinsic(Intrinsic::x86_tilezero, {}, {tile(sum)});
  LlvmValue *lower = byteOffset(b, operands.left, b.CreateMul(operands.leftStep, number(kTileRows)));
  forLoop(b, number(0), operands.depth, number(kDepth), [&](LlvmValue *k) {
    LlvmValue *along = b.CreateMul(k, number(4)), *down = byteOffset(b, operands.right, b.CreateMul(k, operands.rightStep));
    auto load = [&](int into, LlvmValue *from, LlvmValue *step) {
      Intrinsic::ID id = keep == Keep::Right && into < kRight ? Intrinsic::x86_tileloaddt164 : Intrinsic::x86_tileloadd64;
      b.CreateIntrinsic(id, {}, {tile(into), from, step});
    };
    load(kLeft, byteOffset(b, operands.left, along), operands.leftStep);
    load(kRight, down, operands.rightStep);
    multiplyAdd(0, kLeft, kRight);
    load(kRight + 1, byteOffset(b, down, number(kTileBytes)), operands.rightStep);
    multiplyAdd(1, kLeft, kRight + 1);
    if (sums == 4) {
      load(kLeft + 1, byteOffset(b, lower, along), operands.leftStep);
      multiplyAdd(2, kLeft + 1, kRight);
      multiplyAdd(3, kLeft + 1, kRight + 1);
    }
    meanwhile(b.CreateUDiv(k, number(kDepth)));
  });
  for (int sum = 0; sum < sums; ++sum) {
    LlvmValue *row = sum / 2 == 0 ? operands.sums : byteOffset(b, operands.sums, b.CreateMul(operands.sumStep, number(kTileRows)));
    b.CreateIntrinsic(Intrinsic::x86_tilestored64, {}, {tile(sum), byteOffset(b, row, number((sum % 2) * kTileBytes)), operands.sumStep});
  }
}

void TileMicrokernel::add(const Sums &to, const Sums &x, const Sums &y, LlvmValue *rows, llvm::FixedVectorType *type) {
  const uint64_t bytes = type->getPrimitiveSizeInBits().getFixedValue() / 8;
  forLoop(b, b.getInt64(0), rows, b.getInt64(1), [&](LlvmValue *row) {
    auto at = [&](const Sums &sums, uint64_t byte) { return byteOffset(b, byteOffset(b, sums.first, b.CreateMul(row, sums.step)), b.getInt64(byte)); };
    auto load = [&](const Sums &sums, uint64_t byte) { return b.CreateAlignedLoad(type, at(sums, byte), llvm::Align(bytes)); };
    for (uint64_t byte = 0; byte < kRowBytes; byte += bytes) {
      LlvmValue *one = load(x, byte), *other = load(y, byte);
      LlvmValue *sum = type_ == Type::Bf16 ? b.CreateFAdd(one, other) : b.CreateAdd(one, other);
      b.CreateAlignedStore(sum, at(to, byte), llvm::Align(1));
    }
  });
}

void TileMicrokernel::multiplyAdd(int sum, int left, int right) {
  Intrinsic::ID id = Intrinsic::x86_tdpbf16ps;
  if (type_ == Type::Bytes) {
    if (leftSigned_) id = rightSigned_ ? Intrinsic::x86_tdpbssd : Intrinsic::x86_tdpbsud;
    else id = rightSigned_ ? Intrinsic::x86_tdpbusd : Intrinsic::x86_tdpbuud;
  }
  b.CreateIntrinsic(id, {}, {b.getInt8(static_cast<uint8_t>(sum)), b.getInt8(static_cast<uint8_t>(left)), b.getInt8(static_cast<uint8_t>(right))});
}

} // namespace xt
