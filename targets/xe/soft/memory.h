// Unified shared memory of the device: allocations between pages that fault, and where they are.
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
  uint64_t begin = 0, bytes = 0; // as asked for
  MemoryKind kind = MemoryKind::Device;
  uint64_t id = 0; // counts allocations
  // What kernels may touch of it: all, unless the host has said which part is a buffer (xtSoftBuffer), and its name.
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

// What is allocated at one moment, by address. Immutable: a launch keeps the one it began with.
using MemoryMap = std::vector<Allocation>;
const Allocation *findAllocation(const MemoryMap &map, uint64_t address); // the one that holds this byte; null: none
// Whether kernels may touch the byte.
bool isReachable(const MemoryMap &map, uint64_t address);
// "16 bytes beyond the end of an allocation of 256 bytes", "… of `%A`, of 256 bytes"; for an address that no kernel may touch.
std::string whereIs(const MemoryMap &map, uint64_t address);

// All functions may be called from any thread.
class DeviceMemory {
public:
  static DeviceMemory &instance(); // lives as long as the process
  // Null: no memory. The end touches a page that faults, as far as the alignment (a power of two; 0: 64) lets it.
  void *allocate(size_t bytes, size_t alignment, MemoryKind kind);
  bool free(void *pointer); // false: nothing begins there
  // Kernels may touch no more of the allocation that begins there than this part; false: it has no such part.
  bool setBuffer(void *pointer, size_t first, size_t bytes, const std::string &name);
  std::optional<Allocation> find(const void *address) const;
  std::shared_ptr<const MemoryMap> map() const;

private:
  DeviceMemory();
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace xt::soft
