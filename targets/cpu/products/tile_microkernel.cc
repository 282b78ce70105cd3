#include "targets/cpu/products/tile_microkernel.h"

#include <llvm/IR/IntrinsicsX86.h>

namespace xt {

namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr int kTileRows = 16, kTileBytes = 64, kTiles = 8;
// Tiles 0 to 3 hold the sums, in row-major order; then come two tiles of `a` and two of `b`.
constexpr int kLeft = 4, kRight = 6;

int sumsOf(int64_t rows) { return rows == TileMicrokernel::kRows ? 4 : 2; }
LlvmValue *number(llvm::IRBuilderBase &b, int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }

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

void TileMicrokernel::clearSums(int64_t rows) {
  for (int sum = 0; sum < sumsOf(rows); ++sum) b.CreateIntrinsic(Intrinsic::x86_tilezero, {}, {tile(sum)});
}

// Storing a tile from time to time keeps the processor from running so far ahead that its products wait for loads, which
// happens from about 128 products on.
void TileMicrokernel::brake(const Operands &operands) {
  if (operands.spare) b.CreateIntrinsic(Intrinsic::x86_tilestored64, {}, {tile(0), operands.spare, number(b, kTileBytes)});
}

void TileMicrokernel::storeSums(const Operands &operands, int64_t rows) {
  for (int sum = 0; sum < sumsOf(rows); ++sum) {
    LlvmValue *row =
        sum / 2 == 0 ? operands.sums : byteOffset(b, operands.sums, b.CreateMul(operands.sumStep, number(b, kTileRows)));
    b.CreateIntrinsic(Intrinsic::x86_tilestored64, {},
                      {tile(sum), byteOffset(b, row, number(b, (sum % 2) * kTileBytes)), operands.sumStep});
  }
}

// Two tiles of each operand give four products for four loads.
void TileMicrokernel::multiply(const Operands &operands, int64_t rows, Keep keep,
                               llvm::function_ref<void(LlvmValue *turn)> meanwhile) {
  clearSums(rows);
  LlvmValue *lower = byteOffset(b, operands.left, b.CreateMul(operands.leftStep, number(b, kTileRows)));
  forLoop(b, number(b, 0), operands.depth, number(b, kDepth), [&](LlvmValue *k) {
    LlvmValue *along = b.CreateMul(k, number(b, 4)), *down = byteOffset(b, operands.right, b.CreateMul(k, operands.rightStep));
    auto load = [&](int into, LlvmValue *from, LlvmValue *step) {
      Intrinsic::ID id = keep == Keep::Right && into < kRight ? Intrinsic::x86_tileloaddt164 : Intrinsic::x86_tileloadd64;
      b.CreateIntrinsic(id, {}, {tile(into), from, step});
    };
    load(kLeft, byteOffset(b, operands.left, along), operands.leftStep);
    load(kRight, down, operands.rightStep);
    multiplyAdd(0, kLeft, kRight);
    load(kRight + 1, byteOffset(b, down, number(b, kTileBytes)), operands.rightStep);
    multiplyAdd(1, kLeft, kRight + 1);
    if (rows == kRows) {
      load(kLeft + 1, byteOffset(b, lower, along), operands.leftStep);
      multiplyAdd(2, kLeft + 1, kRight);
      multiplyAdd(3, kLeft + 1, kRight + 1);
    }
    if (operands.spare) {
      constexpr int64_t kTurns = 8;
      LlvmValue *turn = b.CreateAnd(k, number(b, kTurns * kDepth - 1)),
                *isEighth = b.CreateICmpEQ(turn, number(b, (kTurns - 1) * kDepth));
      ifThen(b, isEighth, [&] { brake(operands); });
    }
    meanwhile(b.CreateUDiv(k, number(b, kDepth)));
  });
  storeSums(operands, rows);
}

// The products of the first slices are the largest. They are added after the others, so that the sums are rounded about as
// often as sums of products of the floats would be. Each of the other products has one slice in common with the previous
// product, so that only one operand is loaded.
void TileMicrokernel::multiplySlices(const Operands &operands, int slices, int64_t rows, Meanwhile meanwhile) {
  static constexpr Product kOfTwo[] = {{0, 1}, {1, 1}, {1, 0}};
  static constexpr Product kOfThree[] = {{2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}, {1, 1}, {1, 0}, {2, 0}};
  clearSums(rows);
  auto each = [&](LlvmValue *turn) {
    brake(operands);
    meanwhile(turn);
  };
  if (slices == 2)
    multiplySlicesOf(operands, slices, kOfTwo, rows, each);
  else
    multiplySlicesOf(operands, slices, kOfThree, rows, each);
  multiplySlicesOf(operands, slices, {{0, 0}}, rows, [](LlvmValue *) {});
  storeSums(operands, rows);
}

// Loads of matrix `a` bypass the L1 cache (tileloaddt1), so that a panel of `b` stays there.
void TileMicrokernel::multiplySlicesOf(const Operands &operands, int slices, llvm::ArrayRef<Product> products, int64_t rows,
                                       Meanwhile meanwhile) {
  LlvmValue *lower = b.CreateMul(operands.leftStep, number(b, kTileRows));
  auto load = [&](Intrinsic::ID id, int into, LlvmValue *from, LlvmValue *step) {
    b.CreateIntrinsic(id, {}, {tile(into), from, step});
  };
  forLoop(b, number(b, 0), operands.depth, number(b, kDepth), [&](LlvmValue *k) {
    LlvmValue *word = b.CreateMul(k, number(b, slices));
    LlvmValue *left = byteOffset(b, operands.left, b.CreateMul(word, number(b, 4)));
    LlvmValue *right = byteOffset(b, operands.right, b.CreateMul(word, operands.rightStep));
    Product loaded{-1, -1};
    for (const Product &product : products) {
      if (product.first != loaded.first) {
        LlvmValue *from = byteOffset(b, left, number(b, product.first * kTileBytes));
        load(Intrinsic::x86_tileloaddt164, kLeft, from, operands.leftStep);
        if (rows == kRows) load(Intrinsic::x86_tileloaddt164, kLeft + 1, byteOffset(b, from, lower), operands.leftStep);
      }
      if (product.second != loaded.second) {
        LlvmValue *from = byteOffset(b, right, b.CreateMul(operands.rightStep, number(b, product.second * kDepth)));
        load(Intrinsic::x86_tileloadd64, kRight, from, operands.rightStep);
        load(Intrinsic::x86_tileloadd64, kRight + 1, byteOffset(b, from, number(b, kTileBytes)), operands.rightStep);
      }
      for (int sum = 0; sum < sumsOf(rows); ++sum) multiplyAdd(sum, kLeft + sum / 2, kRight + sum % 2);
      loaded = product;
    }
    meanwhile(b.CreateUDiv(k, number(b, kDepth)));
  });
}

void TileMicrokernel::add(const Sums &to, const Sums &x, const Sums &y, LlvmValue *rows, llvm::FixedVectorType *type) {
  const uint64_t bytes = type->getPrimitiveSizeInBits().getFixedValue() / 8;
  forLoop(b, b.getInt64(0), rows, b.getInt64(1), [&](LlvmValue *row) {
    auto at = [&](const Sums &sums, uint64_t byte) {
      return byteOffset(b, byteOffset(b, sums.first, b.CreateMul(row, sums.step)), b.getInt64(byte));
    };
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
    if (leftSigned_)
      id = rightSigned_ ? Intrinsic::x86_tdpbssd : Intrinsic::x86_tdpbsud;
    else
      id = rightSigned_ ? Intrinsic::x86_tdpbusd : Intrinsic::x86_tdpbuud;
  }
  b.CreateIntrinsic(
      id, {},
      {b.getInt8(static_cast<uint8_t>(sum)), b.getInt8(static_cast<uint8_t>(left)), b.getInt8(static_cast<uint8_t>(right))});
}

} // namespace xt
