#include "targets/run/buffer.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace xt {

namespace {
std::vector<size_t> dimsByStride(const BufferPlan &plan) {
  std::vector<size_t> order;
  for (size_t d = 0; d < plan.sizes.size(); ++d)
    if (plan.sizes[d] > 1) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return plan.strides[a] < plan.strides[b]; });
  return order;
}

// Computes strides from the innermost memory dimension outwards, each packed on those inside it.
bool packStrides(std::span<const int64_t> sizes, std::span<const size_t> memoryOrder, std::vector<int64_t> &strides) {
  int64_t packed = 1;
  for (size_t k = memoryOrder.size(); k-- > 0;) {
    strides[memoryOrder[k]] = packed;
    if (__builtin_mul_overflow(packed, std::max<int64_t>(1, sizes[memoryOrder[k]]), &packed)) return false;
  }
  return true;
}

bool packDynamic(std::span<const int64_t> sizes, std::vector<int64_t> &strides) {
  for (size_t d = strides.size(); d-- > 0;) {
    if (strides[d] != kDynamic) continue;
    if (d + 1 == strides.size())
      strides[d] = 1;
    else if (__builtin_mul_overflow(strides[d + 1], std::max<int64_t>(1, sizes[d + 1]), &strides[d]))
      return false;
  }
  return true;
}

std::string dimText(size_t d, const BufferPlan &plan) {
  return str("dimension ", d, " (stride ", plan.strides[d], ", extent ", plan.sizes[d], ")");
}

// Computes dataBytes, or returns the problem. Elements do not overlap if each stride, in ascending order, is at least the
// extent of all dimensions inside it.
std::optional<std::string> measure(BufferPlan &plan) {
  const std::string tooLarge = "a buffer of " + shapeText(plan.sizes) + " is too large: its bytes do not fit 62 bits";
  if (!elementCount(plan.sizes)) return tooLarge;
  if (std::find(plan.sizes.begin(), plan.sizes.end(), 0) != plan.sizes.end()) return std::nullopt;
  int64_t extent = 1; // elements from the first to the last one, over the dimensions so far
  std::optional<size_t> inner;
  for (size_t d : dimsByStride(plan)) {
    if (plan.strides[d] < extent)
      return inner
                 ? str("elements overlap: ", dimText(d, plan), " has a stride smaller than the span of ", dimText(*inner, plan))
                 : str("strides must be positive: ", dimText(d, plan));
    int64_t reach = 0;
    if (__builtin_mul_overflow(plan.strides[d], plan.sizes[d] - 1, &reach) || __builtin_add_overflow(extent, reach, &extent))
      return tooLarge;
    inner = d;
  }
  if (__builtin_mul_overflow(extent, static_cast<int64_t>(elemInfo(plan.elem).storageBytes), &plan.dataBytes) ||
      plan.dataBytes >= int64_t{1} << 62)
    return tooLarge;
  return std::nullopt;
}

// Calls f(begin, end) for each gap between runs of elements, in ascending order of the byte offsets from the data.
void eachGap(const BufferPlan &plan, const std::function<void(int64_t, int64_t)> &f) {
  if (plan.dataBytes == 0) return;
  int64_t run = 1; // length of a run of adjacent elements
  std::vector<size_t> outer = dimsByStride(plan);
  while (!outer.empty() && plan.strides[outer[0]] == run) {
    run *= plan.sizes[outer[0]];
    outer.erase(outer.begin());
  }
  if (outer.empty()) return;
  std::vector<int64_t> index(outer.size(), 0);
  int64_t elemBytes = elemInfo(plan.elem).storageBytes, end = -1;
  while (true) {
    int64_t start = 0;
    for (size_t k = 0; k < outer.size(); ++k) start += index[k] * plan.strides[outer[k]];
    if (end >= 0 && start > end) f(end * elemBytes, start * elemBytes);
    end = start + run;
    size_t k = 0;
    while (k < outer.size() && ++index[k] == plan.sizes[outer[k]]) index[k++] = 0;
    if (k == outer.size()) return;
  }
}

} // namespace

std::variant<BufferPlan, PlanError> planBuffer(std::span<const int64_t> sizes, Elem elem, const MemoryLayout &memory) {
  BufferPlan plan;
  plan.sizes.assign(sizes.begin(), sizes.end());
  plan.elem = elem;
  plan.strides.assign(sizes.size(), 1);
  const std::string tooLarge = "a buffer of " + shapeText(sizes) + " is too large: its bytes do not fit 62 bits";
  std::vector<size_t> order(sizes.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  switch (memory.kind) {
  case MemoryLayout::Kind::Contiguous:
    if (!packStrides(sizes, order, plan.strides)) return PlanError{tooLarge};
    break;
  case MemoryLayout::Kind::Permuted:
    if (memory.permutation.size() != sizes.size()) return PlanError{"the map's rank differs from the buffer's"};
    for (size_t k = 0; k < order.size(); ++k) order[k] = static_cast<size_t>(memory.permutation[k]);
    if (!packStrides(sizes, order, plan.strides)) return PlanError{tooLarge};
    break;
  case MemoryLayout::Kind::Strided:
    if (memory.strides.size() != sizes.size())
      return PlanError{str(memory.strides.size(), " strides for a buffer of rank ", sizes.size())};
    plan.strides = memory.strides;
    if (!packDynamic(sizes, plan.strides)) return PlanError{tooLarge};
    break;
  }
  if (auto problem = measure(plan)) return PlanError{*problem};
  return plan;
}

Result<DeviceBuffer> DeviceBuffer::make(MemoryBudget &budget, BufferPlan plan, std::string_view what) {
  DeviceBuffer buffer;
  // A sixteenth of the buffer, because stray writes are usually off by whole rows; limited, because the zones are
  // filled and checked.
  int64_t guard = std::clamp<int64_t>(plan.dataBytes / 16 / 64 * 64, kMinGuardBytes, 1 << 20);
  buffer.front_ = buffer.back_ = guard;
  auto memory = Elements<std::byte>::make(budget, plan.dataBytes + 2 * guard, what);
  if (!memory) return memory.error();
  buffer.memory_ = std::move(*memory);
  buffer.plan_ = std::move(plan);
  buffer.fillGuards(0);
  fillGuard(buffer.data(), 0, buffer.plan_.dataBytes, 0);
  return buffer;
}

void DeviceBuffer::fillGuards(uint64_t seed) {
  seed_ = seed;
  fillGuard(data(), -front_, 0, seed);
  eachGap(plan_, [&](int64_t begin, int64_t end) { fillGuard(data(), begin, end, seed); });
  fillGuard(data(), plan_.dataBytes, plan_.dataBytes + back_, seed);
}

void DeviceBuffer::writeStrided(const std::byte *from, std::span<const int64_t> fromStrides, int threads) {
  copyStrided(plan_.sizes, elemInfo(plan_.elem).storageBytes, from, fromStrides, data(), plan_.strides, threads);
}

void DeviceBuffer::reset(uint64_t seed, const RawArray &content, int threads) {
  fillGuards(seed);
  write(content, threads);
}

void DeviceBuffer::resetPoisoned(uint64_t seed, std::byte poison, int threads) {
  fillGuards(seed);
  std::byte one[8];
  std::fill(std::begin(one), std::end(one), poison);
  writeStrided(one, std::vector<int64_t>(plan_.sizes.size(), 0), threads);
}

void DeviceBuffer::write(const RawArray &content, int threads) {
  XT_CHECK(content.sizes == plan_.sizes && content.elem == plan_.elem, "content of another shape");
  writeStrided(content.bytes.data(), denseStrides(plan_.sizes), threads);
}

void DeviceBuffer::read(RawArray &to, int threads) const {
  XT_CHECK(to.sizes == plan_.sizes && to.elem == plan_.elem, "content of another shape");
  copyStrided(plan_.sizes, to.elemBytes(), data(), plan_.strides, to.bytes.data(), denseStrides(plan_.sizes), threads);
}

std::string DeviceBuffer::guardReport() const {
  if (auto damage = checkGuard(data(), -front_, 0, seed_))
    return str(counted(damage->count, "guard byte"), " changed before the buffer, the last ", counted(-damage->last, "byte"),
               " before its start");
  int64_t changed = 0, firstAt = 0, rowEnd = 0;
  eachGap(plan_, [&](int64_t begin, int64_t end) {
    auto damage = checkGuard(data(), begin, end, seed_);
    if (!damage) return;
    if (changed == 0) firstAt = damage->first, rowEnd = begin;
    changed += damage->count;
  });
  if (changed)
    return str(counted(changed, "guard byte"), " changed in the padding between rows, the first ",
               counted(firstAt - rowEnd, "byte"), " after the end of a row, ", counted(firstAt, "byte"),
               " after the buffer's start");
  if (auto damage = checkGuard(data(), plan_.dataBytes, plan_.dataBytes + back_, seed_))
    return str(counted(damage->count, "guard byte"), " changed after the buffer, the first ",
               counted(damage->first - plan_.dataBytes, "byte"), " after the end");
  return "";
}

} // namespace xt
