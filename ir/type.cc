#include "ir/type.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"

#include <algorithm>

namespace xt {

int64_t Type::elementCount() const {
  int64_t count = 1;
  for (int64_t extent : shape()) {
    XT_CHECK(extent >= 0, "elementCount of a dynamic shape");
    count *= extent;
  }
  return count;
}

int64_t Type::byteCount() const { return elementCount() * elemInfo(elem()).storageBytes; }

bool Type::isAddress() const { return isScalar(Elem::I64) || isScalar(Elem::U64); }

bool Type::hasStaticShape() const {
  for (int64_t extent : shape())
    if (extent == kDynamic) return false;
  return true;
}

namespace {

std::string stride(int64_t value) { return value == kDynamic ? "?" : std::to_string(value); }

std::string shaped(std::string_view constructor, std::span<const int64_t> extents, Elem elem) {
  std::string shape = shapeText(extents);
  return str(constructor, "<", shape, shape.empty() ? "" : "x", elemName(elem));
}
std::string shaped(std::string_view constructor, Type type) { return shaped(constructor, type.shape(), type.elem()); }

std::string_view useText(MatrixUse use) {
  switch (use) {
  case MatrixUse::None: break;
  case MatrixUse::A: return "a";
  case MatrixUse::B: return "b";
  case MatrixUse::Accumulator: return "accumulator";
  }
  XT_UNREACHABLE("use of a matrix");
}

std::string vectorText(Type type) {
  const JointMatrix &matrix = type.data().matrix;
  if (!type.data().fragment.empty()) return shaped("vector", type.data().fragment, type.elem());
  if (!matrix) return shaped("vector", type);
  std::string memory = matrix.memory == MatrixMemory::Dynamic ? "" : str(", ", matrixMemoryText(matrix.memory));
  return str(shaped("joint_matrix", type), ", ", useText(matrix.use), memory, matrix.ofWorkgroup ? ", work_group" : "");
}

// The text after the element type of a tensor_desc, for properties that differ from the default.
std::string descText(const TypeData &data) {
  std::string text = data.scatter ? ", #scatter" : "";
  if (data.space == MemorySpace::Slm) text += ", memory_scope = slm";
  if (!data.boundaryCheck) text += ", boundary_check = false";
  if (data.chunk != 1) text += str(", chunk_size_per_lane = ", data.chunk);
  return text;
}

} // namespace

std::string_view matrixMemoryText(MatrixMemory memory) {
  switch (memory) {
  case MatrixMemory::Dynamic: return "dynamic";
  case MatrixMemory::RowMajor: return "row_major";
  case MatrixMemory::ColMajor: return "col_major";
  case MatrixMemory::Packed: return "packed";
  }
  XT_UNREACHABLE("memory of a matrix");
}

std::string memoryText(const MemoryLayout &memory) {
  switch (memory.kind) {
  case MemoryLayout::Kind::Contiguous: {
    const Swizzle &s = memory.swizzle;
    return s ? str(", swizzle<", int{s.bits}, ", ", int{s.base}, ", ", int{s.shift}, ">") : "";
  }
  case MemoryLayout::Kind::Strided: {
    std::string text = ", strided<[";
    for (size_t i = 0; i < memory.strides.size(); ++i) text += (i ? ", " : "") + stride(memory.strides[i]);
    return text + "]>";
  }
  case MemoryLayout::Kind::Permuted: {
    std::string from, to;
    for (size_t i = 0; i < memory.permutation.size(); ++i) {
      from += str(i ? ", " : "", "d", i);
      to += str(i ? ", " : "", "d", memory.permutation[i]);
    }
    return ", affine_map<(" + from + ") -> (" + to + ")>";
  }
  }
  XT_UNREACHABLE("memory layout");
}

std::string shapedText(Type type) {
  if (!type) return "<unknown>";
  switch (type.kind()) {
  case TypeKind::Scalar: return std::string(elemName(type.elem()));
  case TypeKind::MemRef:
    return shaped("memref", type) + memoryText(type.data().memory) + (type.data().space == MemorySpace::Slm ? ", slm>" : ">");
  case TypeKind::Vector: return vectorText(type) + ">";
  case TypeKind::Tile: return shaped("tile", type) + ">";
  case TypeKind::TensorDesc: return shaped("tensor_desc", type) + descText(type.data()) + ">";
  case TypeKind::NBarrier: return "nbarrier";
  case TypeKind::Token: return "token";
  }
  XT_UNREACHABLE("type kind");
}

int64_t Type::packFactor() const {
  if (!data_->packed) return 1;
  const ElemInfo &elem = elemInfo(data_->elem);
  return elem.bits == 8 || elem.bits == 16 ? 32 / elem.bits : 1;
}

std::string typeText(Type type) { return typeText(type, type && type.layout() ? type.layout()->text() : ""); }

std::string typeText(Type type, std::string_view layout, bool spellsOrder) {
  std::string text = shapedText(type);
  if (!type || !(type.isVector() || type.isWindow())) return text;
  text.pop_back();
  if (!layout.empty()) text += str(", ", layout);
  if (type.isTensorDesc()) return text + ">";
  if (type.data().packed) text += ", packed";
  if (type.isTile()) {
    if (type.data().order == Order::ColumnMajor && !spellsOrder) text += ", order = [0, 1]";
    if (type.data().scatter) text += ", #scatter";
  }
  return text + ">";
}

std::vector<int64_t> memrefStrides(Type memref) {
  const TypeData &data = memref.data();
  if (data.memory.kind == MemoryLayout::Kind::Strided) return data.memory.strides;
  size_t rank = data.shape.size();
  std::vector<int64_t> strides(rank, kDynamic);
  int64_t packed = 1;
  for (size_t k = rank; k-- > 0;) {
    size_t d = data.memory.kind == MemoryLayout::Kind::Permuted ? static_cast<size_t>(data.memory.permutation[k]) : k;
    // The innermost stride is 1 by definition. An outer stride is fixed only if all extents inside of it are fixed.
    strides[d] = packed;
    if (packed == kDynamic || data.shape[d] == kDynamic)
      packed = kDynamic;
    else if (__builtin_mul_overflow(packed, data.shape[d], &packed))
      packed = INT64_MAX; // no memory is so large
  }
  return strides;
}

std::optional<std::vector<int>> memrefCastDims(Type from, Type to) {
  if (from.data().memory.swizzle != to.data().memory.swizzle) return std::nullopt;
  std::vector<int64_t> fromStrides = memrefStrides(from), toStrides = memrefStrides(to);
  auto fits = [&](int source, int d) {
    auto known = [](int64_t wanted, int64_t got) { return wanted == kDynamic || wanted == got; };
    bool stride = to.extent(d) == 1 || known(toStrides[static_cast<size_t>(d)], fromStrides[static_cast<size_t>(source)]);
    return known(to.extent(d), from.extent(source)) && stride;
  };
  std::vector<int> own;
  if (from.rank() == to.rank())
    for (int d = 0; d < to.rank() && fits(d, d); ++d) own.push_back(d);
  if (own.size() == static_cast<size_t>(to.rank())) return own;
  // A memref that is stored by columns is the transpose of one that is stored by rows.
  if (int rank = to.rank(); from.rank() == rank && rank >= 2 && fromStrides[static_cast<size_t>(rank) - 2] == 1 &&
                            toStrides[static_cast<size_t>(rank) - 1] == 1) {
    std::vector<int> turned;
    for (int d = 0; d < rank; ++d) turned.push_back(d < rank - 2 ? d : d == rank - 2 ? rank - 1 : rank - 2);
    bool all = true;
    for (int d = 0; d < rank; ++d) all &= fits(turned[static_cast<size_t>(d)], d);
    if (all) return turned;
  }

  // Tries each choice of extents of 1 to add and to drop. The other dimensions correspond in order.
  auto ones = [](Type type) {
    unsigned mask = 0;
    for (int d = 0; d < type.rank(); ++d) mask |= type.extent(d) == 1 ? 1u << d : 0u;
    return mask;
  };
  auto chosen = [&](unsigned added, unsigned dropped) -> std::optional<std::vector<int>> {
    std::vector<int> dims;
    int source = 0;
    for (int d = 0; d < to.rank(); ++d) {
      while (dropped >> source & 1) ++source;
      bool isNew = added >> d & 1;
      if (!isNew && (source >= from.rank() || !fits(source, d))) return std::nullopt;
      dims.push_back(isNew ? -1 : source++);
    }
    while (dropped >> source & 1) ++source;
    if (source != from.rank()) return std::nullopt;
    return dims;
  };
  // Two mappings are equivalent if they differ only in which extents of 1 correspond to each other.
  auto alike = [&](int a, int b) {
    auto one = [&](int source) { return source < 0 || from.extent(source) == 1; };
    return a == b || (one(a) && one(b));
  };
  std::optional<std::vector<int>> found;
  for (unsigned added = ones(to) + 1; added-- > 0;) {
    if (added & ~ones(to)) continue;
    for (unsigned dropped = ones(from) + 1; dropped-- > 0;) {
      if (dropped & ~ones(from)) continue;
      auto dims = chosen(added, dropped);
      if (dims && found && !std::equal(dims->begin(), dims->end(), found->begin(), alike)) return std::nullopt;
      if (dims && !found) found = std::move(dims);
    }
  }
  return found;
}

StorageOrders storageOrders(Type memref) {
  int rank = memref.rank();
  if (rank < 2) return {true, true};
  std::vector<int64_t> strides = memrefStrides(memref);
  int64_t rowStride = strides[static_cast<size_t>(rank - 2)], columnStride = strides[static_cast<size_t>(rank - 1)];
  StorageOrders orders{columnStride == 1, rowStride == 1};
  const MemoryLayout &memory = memref.data().memory;
  if (memory.kind == MemoryLayout::Kind::Contiguous) orders.columnMajor = false;
  if (memory.kind == MemoryLayout::Kind::Permuted)
    orders = {memory.permutation.back() == rank - 1, memory.permutation.back() == rank - 2};
  // A single row or column has the same storage in both orders.
  if (memref.extent(rank - 2) == 1 && orders.rowMajor) orders.columnMajor = true;
  if (memref.extent(rank - 1) == 1 && (orders.rowMajor || rowStride == 1)) orders.rowMajor = orders.columnMajor = true;
  if (memref.extent(rank - 2) == 1 && orders.columnMajor) orders.rowMajor = true;
  return orders;
}

} // namespace xt
