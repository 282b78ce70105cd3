// A buffer with the memory layout that kernels see: strided elements, with guard bytes before, after, and between
// rows where the layout leaves gaps. It is in host memory; a target with separate memory copies from and to it.
#pragma once
#include "ir/type.h"
#include "targets/guard/guard.h"
#include "targets/run/raw_array.h"

#include <optional>
#include <string>

namespace xt {

// The memory layout of a buffer.
struct BufferPlan {
  std::vector<int64_t> sizes, strides; // in elements
  Elem elem = kF32Elem;
  int64_t dataBytes = 0; // from the first to the end of the last element; 0 if the buffer is empty
};
// Why a layout is not possible: the sizes are too large, a stride is not positive, elements would overlap, or the rank differs.
struct PlanError {
  std::string message;
};
// In a strided layout, a '?' stride is packed on the dimensions to its right.
std::variant<BufferPlan, PlanError> planBuffer(std::span<const int64_t> sizes, Elem elem, const MemoryLayout &memory);

class DeviceBuffer {
public:
  // Each guard zone has at least this many bytes; larger buffers have larger zones.
  static constexpr int64_t kMinGuardBytes = 64 << 10;

  // All bytes are guard bytes until written. The data starts at a multiple of 64 bytes. An Error is of the environment.
  static Result<DeviceBuffer> make(MemoryBudget &budget, BufferPlan plan, std::string_view what);

  const BufferPlan &plan() const { return plan_; }
  std::byte *data() { return memory_.data() + front_; }
  const std::byte *data() const { return memory_.data() + front_; }

  // Fills the whole memory with guard bytes, in a pattern that depends on the seed, then writes the elements.
  void reset(uint64_t seed, const RawArray &content, int threads);
  void resetPoisoned(uint64_t seed, std::byte poison, int threads);
  // Writes the elements, and leaves the guard bytes as they are.
  void write(const RawArray &content, int threads);
  // Copies the elements into `to`, which must have the buffer's sizes and element type.
  void read(RawArray &to, int threads) const;

  // Describes which guard bytes changed: "3 guard bytes changed after the buffer, the first 12 bytes after the end". Empty:
  // none.
  std::string guardReport() const;

private:
  void writeStrided(const std::byte *from, std::span<const int64_t> fromStrides, int threads);
  void fillGuards(uint64_t seed);

  BufferPlan plan_;
  Elements<std::byte> memory_;
  int64_t front_ = 0, back_ = 0; // bytes of the guard zones
  uint64_t seed_ = 0;
};

} // namespace xt
