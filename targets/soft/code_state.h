// The structures that compiled code reads and writes at fixed offsets.
#pragma once
#include <cstddef>
#include <cstdint>

namespace xt::soft {

// The ids of a work-item (lower_ids.cc). Arrays have four entries, so that a computed dimension needs no branch; the fourth is
// the value that OpenCL specifies for dimensions beyond the third.
struct WorkItemIds {
  int64_t localId[4], groupId[4], localSize[4], groupCount[4], globalId[4], globalSize[4], globalOffset[4];
  int64_t localLinear, globalLinear, subgroup, lane, subgroupSize, subgroupMaxSize, subgroupCount, dimensions;
};

// The state of a workgroup that compiled code accesses directly, so that most accesses and loop iterations need no call
// (lower_accesses.cc).
struct CodeState {
  static constexpr size_t kSlots = 16;
  struct {
    uint64_t begin, bytes; // memory that accesses from the sites of this slot may touch
  } slots[kSlots];
  uint64_t rounds; // number of loop iterations
};

} // namespace xt::soft
