#include "passes/transposed_memref.h"

namespace xt {

Type transposedMemRef(Context &context, Type memref) {
  TypeData data = memref.data();
  size_t rank = data.shape.size(), row = rank - 2, column = rank - 1;
  std::swap(data.shape[row], data.shape[column]);
  if (data.memory.kind == MemoryLayout::Kind::Strided) {
    std::swap(data.memory.strides[row], data.memory.strides[column]);
    return context.intern(std::move(data));
  }
  std::vector<int64_t> order;
  bool inOrder = true;
  for (size_t d = 0; d < rank; ++d) {
    auto own = static_cast<int64_t>(d), last = static_cast<int64_t>(column);
    int64_t at = data.memory.kind == MemoryLayout::Kind::Permuted ? data.memory.permutation[d] : own;
    order.push_back(at == last ? last - 1 : at == last - 1 ? last : at);
    inOrder &= order[d] == own;
  }
  data.memory = {};
  if (!inOrder) data.memory = {MemoryLayout::Kind::Permuted, {}, std::move(order)};
  return context.intern(std::move(data));
}

} // namespace xt
