#include "ir/interp/block_executor.h"

#include "ir/interp/block_forms.h"
#include "ir/views/xegpu.h"

#include <algorithm>

namespace xt {
namespace {

// An address without a shape is treated as the middle of an array of 2 * kMiddle elements, so that offsets in both directions
// are in bounds. 2^40 elements are far from the limits of 64-bit numbers.
constexpr int64_t kMiddle = int64_t{1} << 40;

} // namespace

void BlockExecutor::createDesc(const Step &step) {
  Type desc = step.op->result()->type();
  std::vector<int64_t> values = values_.indices(step, 1);
  const RuntimeValue &given = values_.operand(step, 0);
  MemRefValue base;
  bool address = false;
  if (const auto *memref = std::get_if<MemRefValue>(&given)) {
    base = *memref;
  } else {
    address = true;
    base.data = reinterpret_cast<unsigned char *>(static_cast<intptr_t>(std::get<Number>(given).i));
    base.elem = desc.elem();
    base.rank = static_cast<size_t>(desc.rank());
  }
  bool explicitView = values.size() > base.rank;
  if (explicitView) {
    for (size_t d = 0; d < base.rank; ++d) {
      base.sizes[d] = std::max<int64_t>(0, values[base.rank + d]);
      base.strides[d] = values[2 * base.rank + d];
    }
  } else if (address) { // contiguous memory before and after the address
    base.data = reinterpret_cast<unsigned char *>(reinterpret_cast<uintptr_t>(base.data) -
                                                  static_cast<uintptr_t>(kMiddle * elemInfo(base.elem).storageBytes));
    base.sizes[0] = 2 * kMiddle;
    base.strides[0] = 1;
    values[0] = static_cast<int64_t>(static_cast<uint64_t>(values[0]) + static_cast<uint64_t>(kMiddle));
  }
  values.resize(base.rank);
  if (base.rank == 1) { // becomes a matrix of one row
    base.sizes = {1, base.sizes[0]};
    base.strides = {0, base.strides[0]};
    base.rank = 2;
    values.insert(values.begin(), 0);
  }
  TileValue block = initTile(base, values);
  block.checked = explicitView || address;
  values_.setResult(step, block);
}

Result<void> BlockExecutor::load(const Step &step) {
  const Op &op = *step.op;
  Type desc = op.operand(0)->type();
  const auto &block = values_.get<TileValue>(step, 0);
  if (Result<void> inside = worker_.staysInside(step, desc, block); !inside) return inside;
  int64_t rows = rowsOf(desc), columns = columnsOf(desc);
  Number zero = worker_.arithmetic().constant(desc.elem(), int64_t{0});
  std::vector<int64_t> used = usedOf(op, rows, columns);
  Fragment part(static_cast<size_t>(used[0] * used[1])), read(static_cast<size_t>(rows * columns), zero);
  if (auto element = loadTile(block, upTo(used[0]), upTo(used[1]), zero, part.data(), worker_.site(step)))
    return worker_.reachesOutside(step, block, *element);
  for (int64_t r = 0; r < used[0]; ++r) std::copy_n(part.begin() + r * used[1], used[1], read.begin() + r * columns);
  if (transposes(op) && desc.rank() == 2) {
    read = turned(read, rows, columns);
    std::swap(rows, columns);
  }
  // With vnni_axis = 1 there is nothing to do: neighbours along the second dimension are adjacent already.
  if (LoadNdOp(op).vnniAxis() == 0) {
    Fragment packed(read.size());
    forEachVnni(rows, columns, op.result()->type().extent(2), [&](size_t plain, size_t vnni) { packed[vnni] = read[plain]; });
    read = std::move(packed);
  }
  values_.setVector(step, std::move(read));
  return {};
}

Result<void> BlockExecutor::store(const Step &step) {
  Type desc = step.op->operand(1)->type();
  const auto &block = values_.get<TileValue>(step, 1);
  Holding::Part part{{upTo(rowsOf(desc)), upTo(columnsOf(desc))}, static_cast<size_t>(desc.elementCount())};
  if (worker_.tracing()) {
    worker_.environment().observer->stores(block, part, worker_.subgroup());
    return {};
  }
  if (Result<void> inside = worker_.staysInside(step, desc, block); !inside) return inside;
  const Number *in = values_.fragment(step, 0)->data();
  if (auto element = storeTile(block, part.slices[0], part.slices[1], in, worker_.site(step)))
    return worker_.reachesOutside(step, block, *element);
  return {};
}

void BlockExecutor::moveDesc(const Step &step) {
  const auto &block = values_.get<TileValue>(step, 0);
  bool matrix = step.operands.size() == 3;
  values_.setResult(step, moveTile(block, matrix ? values_.index(step, 1) : 0, values_.index(step, matrix ? 2 : 1)));
}

void BlockExecutor::multiply(const Step &step) {
  const Op &op = *step.op;
  Type a = op.operand(0)->type(), b = op.operand(1)->type(), result = op.result()->type();
  MmaExtents shape{static_cast<size_t>(result.extent(0)), static_cast<size_t>(result.extent(1)),
                   static_cast<size_t>(a.elementCount() / result.extent(0))};
  Fragment right = *values_.fragment(step, 1);
  if (b.rank() == 3) {
    Fragment packed = std::move(right);
    right.assign(packed.size(), Number());
    forEachVnni(b.extent(0) * b.extent(2), b.extent(1), b.extent(2),
                [&](size_t plain, size_t vnni) { right[plain] = packed[vnni]; });
  }
  Fragment sum = step.operands.size() > 2 ? *values_.fragment(step, 2)
                                          : Fragment(static_cast<size_t>(result.elementCount()),
                                                     worker_.arithmetic().constant(result.elem(), int64_t{0}));
  worker_.arithmetic().multiplyAccumulate(a.elem(), result.elem(), shape, values_.fragment(step, 0)->data(), right.data(),
                                          sum.data());
  values_.setVector(step, std::move(sum));
}

} // namespace xt
