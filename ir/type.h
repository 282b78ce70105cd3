// Types are interned and immutable: a Type is a pointer-sized handle and equality is pointer equality.
#pragma once
#include "ir/elem.h"
#include "ir/layout/layout.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

class Context;

inline constexpr int64_t kDynamic = -1; // a '?' extent or stride

enum class TypeKind : uint8_t { Scalar, MemRef, Vector, Tile, TensorDesc, NBarrier, Token };
// The types that are spelled as a word and have no element type.
struct TypeWord {
  std::string_view text;
  TypeKind kind;
};
inline constexpr TypeWord kTypeWords[] = {{"nbarrier", TypeKind::NBarrier}, {"token", TypeKind::Token}};
enum class MemorySpace : uint8_t { Global, Slm };
enum class Order : uint8_t { RowMajor, ColumnMajor }; // [1, 0] and [0, 1]: the order of the last two dimensions

// What joint_matrix<8x32xi8, a, row_major> says beside shape and element type (sycl_ext_oneapi_matrix). Packed: memory
// [K/f][N][f], see packFactor. Dynamic: loads and stores state the order.
enum class MatrixUse : uint8_t { None, A, B, Accumulator };
enum class MatrixMemory : uint8_t { Dynamic, RowMajor, ColMajor, Packed };
struct JointMatrix {
  MatrixUse use = MatrixUse::None; // None: the vector is no joint matrix
  MatrixMemory memory = MatrixMemory::Dynamic;
  bool ofWorkgroup = false; // its scope: a workgroup instead of a subgroup
  explicit operator bool() const { return use != MatrixUse::None; }
  bool operator==(const JointMatrix &) const = default;
};

// Spreads the rows of a buffer over the banks of shared local memory: bits [base + shift, base + shift + bits) of an element's
// byte offset in the contiguous buffer are XORed into bits [base, base + bits). This is CuTe's Swizzle<bits, base, shift>, on
// bytes. Three bits from base 4 and shift 3 are NVIDIA's 128-byte swizzle (CUDA C++ Programming Guide, "Shared Memory Bank
// Swizzling").
struct Swizzle {
  uint8_t bits = 0, base = 0, shift = 0; // no bits: no swizzle
  explicit operator bool() const { return bits != 0; }
  bool operator==(const Swizzle &) const = default;
  // Maps the byte offset in the contiguous buffer to the byte offset in memory. The function is its own inverse.
  uint64_t operator()(uint64_t offset) const {
    return offset ^ (((offset >> (base + shift)) & ((uint64_t{1} << bits) - 1)) << base);
  }
  // Offsets change only within blocks of this many bytes. The size of a buffer is a multiple of it.
  int64_t blockBytes() const { return int64_t{1} << (bits + base); }
};

// The memory layout of a memref. Contiguous: row-major, innermost stride 1; outer strides follow from the extents if these are
// static, otherwise they are taken from the descriptor. Strided: strided<[..]>. Permuted: affine_map of a permutation,
// contiguous in the permuted order.
struct MemoryLayout {
  enum class Kind : uint8_t { Contiguous, Strided, Permuted } kind = Kind::Contiguous;
  std::vector<int64_t> strides; // Strided: one per dimension, kDynamic for '?'
  std::vector<int64_t> permutation; // Permuted: dimension m in memory (outermost first) is logical dimension permutation[m]
  Swizzle swizzle{}; // Contiguous, in shared local memory
  bool operator==(const MemoryLayout &) const = default;
};

inline constexpr int kMaxRank = 5; // dimensions of memrefs, tiles and vectors

struct TypeData {
  TypeKind kind = TypeKind::Scalar;
  Elem elem = kIndexElem;
  std::vector<int64_t> shape;
  // Vector, Tile: the owners of the elements; null if there is no layout, or if it is not known yet. TensorDesc at lane scope:
  // the lane that holds each element of the shape (sg_map).
  const Layout *layout = nullptr;
  // Vector: what only the checker distinguishes. A kernel whose lowering has ended has neither.
  JointMatrix matrix;
  std::vector<int64_t> fragment; // the shape of what one lane holds, between to_simt and to_simd
  bool packed = false; // Tile: memory [K/f][N][f], see packFactor
  Order order = Order::RowMajor; // Tile
  bool scatter = false; // Tile, TensorDesc
  MemorySpace space = MemorySpace::Global; // MemRef, Tile, TensorDesc (memory_scope)
  bool boundaryCheck = true; // TensorDesc
  int64_t chunk = 1; // TensorDesc: consecutive elements per lane; the shape is then [lanes, chunk]
  MemoryLayout memory; // MemRef
  bool operator==(const TypeData &) const = default;
};

class Type {
public:
  Type() = default;
  explicit Type(const TypeData *data) : data_(data) {}
  bool operator==(const Type &) const = default;
  explicit operator bool() const { return data_ != nullptr; }

  const TypeData &data() const { return *data_; }
  TypeKind kind() const { return data_->kind; }
  bool is(TypeKind k) const { return data_ && data_->kind == k; }
  bool isScalar() const { return is(TypeKind::Scalar); }
  bool isScalar(Elem e) const { return isScalar() && data_->elem == e; }
  bool isIndex() const { return isScalar(kIndexElem); }
  bool isVector() const { return is(TypeKind::Vector); }
  bool isTile() const { return is(TypeKind::Tile); }
  bool isMemRef() const { return is(TypeKind::MemRef); }
  bool isTensorDesc() const { return is(TypeKind::TensorDesc); }
  bool isWindow() const { return isTile() || isTensorDesc(); } // a window onto memory
  bool isAddress() const; // i64 or u64
  Elem elem() const { return data_->elem; }
  std::span<const int64_t> shape() const { return data_->shape; }
  int rank() const { return static_cast<int>(data_->shape.size()); }
  int64_t extent(int d) const { return data_->shape[static_cast<size_t>(d)]; }
  const Layout *layout() const { return data_->layout; }
  bool isPlain() const { return !data_->matrix && data_->fragment.empty(); }
  int64_t elementCount() const; // the shape must be static
  int64_t byteCount() const; // storage bytes; the shape must be static
  bool hasStaticShape() const;
  // The number of rows of a packed tile that are interleaved in memory to fill 32 bits (VNNI): 2 for elements of 16 bits, 4 for
  // 8 bits, 1 if the tile is not packed. Element (k, n) of its base is at [k / f][n][k % f], where f is this number; rows after
  // the last full group are out of bounds.
  int64_t packFactor() const;

private:
  const TypeData *data_ = nullptr;
};

// A copy of the type's extents, to change some of them.
inline std::vector<int64_t> shapeOf(Type type) { return {type.shape().begin(), type.shape().end()}; }

// "vector<256x32xf16, #wg_map<…>>": canonical spelling without aliases. A null type prints as "<unknown>".
std::string typeText(Type type);
// Like typeText(type), with another spelling of the layout ("#mp_a", "" for none). `spellsOrder`: whether that spelling
// includes the order of a tile.
std::string typeText(Type type, std::string_view layout, bool spellsOrder = false);
// The text after a memref's element type: ", strided<[?, 1]>"; "" if it is contiguous.
std::string memoryText(const MemoryLayout &memory);
// A type without layout and tile attributes, for messages about shapes.
std::string shapedText(Type type);
std::string_view matrixMemoryText(MatrixMemory memory); // "row_major"
// The storage orders that a memref has: both if an extent of 1 makes both true, none if it has neither.
struct StorageOrders {
  bool rowMajor, columnMajor;
};
StorageOrders storageOrders(Type memref);
// Strides in elements, as far as the type fixes them; kDynamic for strides that come from the descriptor.
std::vector<int64_t> memrefStrides(Type memref);
// For each dimension of `to`, the corresponding dimension of `from` in a memref.cast, or -1 for a new one of extent 1. Tries
// three mappings in order: the identity; the last two dimensions swapped, if the types show that the memref is stored by
// columns and its transpose by rows; dimensions of extent 1 added or dropped. Nullopt if the types do not fit, or fit in
// several ways.
std::optional<std::vector<int>> memrefCastDims(Type from, Type to);

} // namespace xt
