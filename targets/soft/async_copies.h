// Asynchronous copies from global to shared local memory (NVIDIA's cp.async), of each work-item its own. The data of a copy
// arrives either when it begins, or only when a wait forces it: then its bytes are ones until the wait.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace xt::soft {

struct CopyInFlight {
  std::byte *to = nullptr;
  const std::byte *from = nullptr;
  size_t bytes = 0, present = 0; // the bytes after the first `present` become 0
  int32_t site = -1;
  bool arrived = false; // when it began
};

class AsyncCopyQueue {
public:
  void reset() { open_.clear(), groups_.clear(); }
  void begin(CopyInFlight copy, bool atOnce);
  void commit();
  // Takes all groups but the last `later` ones; what has not arrived arrives.
  std::vector<CopyInFlight> land(size_t later);

private:
  std::vector<CopyInFlight> open_;
  std::vector<std::vector<CopyInFlight>> groups_; // oldest first
};

} // namespace xt::soft
