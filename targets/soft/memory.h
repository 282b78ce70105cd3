// Unified shared memory of the device: allocations between guard pages, and a map of their addresses.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xt::soft {

enum class MemoryKind : uint8_t { Device, Host, Shared };

struct Allocation {
  uint64_t begin = 0, bytes = 0; // as requested
  MemoryKind kind = MemoryKind::Device;
  uint64_t id = 0; // number of the allocation
  // The part that kernels may access, and its name. It is everything, unless the host has declared a part as a buffer
  // (xtSoftBuffer).
  uint64_t buffer = 0, bufferBytes = 0;
  const char *name = ""; // lives as long as the process
  uint64_t end() const { return begin + bytes; }
  bool contains(uint64_t address, uint64_t size) const {
    return address >= begin && size <= bytes && address - begin <= bytes - size;
  }
  bool reaches(uint64_t address, uint64_t size) const {
    return address >= buffer && size <= bufferBytes && address - buffer <= bufferBytes - size;
  }
};

// The allocations at one moment, sorted by address. Immutable: a launch keeps the map that it began with.
using MemoryMap = std::vector<Allocation>;
// The allocation that contains this byte; null if there is none.
const Allocation *findAllocation(const MemoryMap &map, uint64_t address);
// Whether kernels may access the byte at this address.
bool isReachable(const MemoryMap &map, uint64_t address);
// Describes an address that no kernel may access: "16 bytes beyond the end of an allocation of 256 bytes", "… of
// `%A`, of 256 bytes".
std::string whereIs(const MemoryMap &map, uint64_t address);

// All functions are thread-safe.
class DeviceMemory {
public:
  static DeviceMemory &instance(); // lives as long as the process
  // Returns null if there is not enough memory. `alignment` is a power of two or 0; it is raised to 64 if it is less. The
  // end is as close to a guard page as the alignment permits.
  void *allocate(size_t bytes, size_t alignment, MemoryKind kind);
  bool free(void *pointer); // false: no allocation begins there
  // Restricts kernels to this part of the allocation that begins there. Returns false if none does, or if the part is not
  // inside of it.
  bool setBuffer(void *pointer, size_t first, size_t bytes, const std::string &name);
  std::optional<Allocation> find(const void *address) const;
  std::shared_ptr<const MemoryMap> map() const;

private:
  DeviceMemory();
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace xt::soft
