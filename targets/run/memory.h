// Memory of a run: a budget for all large allocations, uninitialised arrays of numbers, and parallel loops over them.
#pragma once
#include "ir/base/result.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace xt {

// Limits the bytes that a run holds at any time. Thread-safe. Must outlive everything allocated under it.
class MemoryBudget {
public:
  explicit MemoryBudget(int64_t limitBytes) : limit_(limitBytes) {}
  // Three quarters of the machine's memory.
  static int64_t machineDefault();
  int64_t limit() const { return limit_; }
  int64_t used() const { return used_.load(); }
  bool take(int64_t bytes);
  void give(int64_t bytes) { used_ -= bytes; }

private:
  int64_t limit_;
  std::atomic<int64_t> used_{0};
};

// The number of elements of a shape, or nullopt if it does not fit 62 bits. Extents must not be negative.
std::optional<int64_t> elementCount(std::span<const int64_t> shape);

// "1.5 GiB", "12 bytes"
std::string bytesText(int64_t bytes);

// The error of a failed allocation: purpose, size, and the limit.
Error outOfMemory(std::string_view what, int64_t bytes, const MemoryBudget &budget);

// An array of numbers, 64-byte aligned, not initialised, counted in a budget. Empty when default-constructed.
template <class T> class Elements {
public:
  Elements() = default;
  Elements(Elements &&other) noexcept { swap(other); }
  Elements &operator=(Elements &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Elements() {
    std::free(data_);
    if (budget_) budget_->give(bytes_);
  }

  // The error is Error::environment. `count` is not negative.
  static Result<Elements> make(MemoryBudget &budget, int64_t count, std::string_view what) {
    Elements elements;
    int64_t bytes = 0;
    if (__builtin_mul_overflow(count, static_cast<int64_t>(sizeof(T)), &bytes) || bytes > INT64_MAX - 64)
      return outOfMemory(what, INT64_MAX, budget);
    bytes = (bytes + 63) / 64 * 64;
    if (!budget.take(bytes)) return outOfMemory(what, bytes, budget);
    elements.budget_ = &budget;
    elements.bytes_ = bytes;
    elements.data_ = static_cast<T *>(std::aligned_alloc(64, static_cast<size_t>(bytes ? bytes : 64)));
    if (!elements.data_) return outOfMemory(what, bytes, budget);
    elements.count_ = count;
    return elements;
  }

  bool empty() const { return count_ == 0; }
  int64_t count() const { return count_; }
  T *data() { return data_; }
  const T *data() const { return data_; }
  T &operator[](int64_t i) { return data_[i]; }
  const T &operator[](int64_t i) const { return data_[i]; }
  T *begin() { return data_; }
  T *end() { return data_ + count_; }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + count_; }

private:
  void swap(Elements &other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(bytes_, other.bytes_);
    std::swap(budget_, other.budget_);
  }
  T *data_ = nullptr;
  int64_t count_ = 0, bytes_ = 0;
  MemoryBudget *budget_ = nullptr;
};

// Calls body(begin, end) on ranges that partition [0, count), on up to `threads` threads (0: all cores). Ranges start
// at multiples of `grain`; fewer than two grains run on the calling thread.
void parallelFor(int64_t count, int64_t grain, int threads, const std::function<void(int64_t, int64_t)> &body);

} // namespace xt
