// How often banks of shared local memory must be accessed again because several words of one bank are wanted at the same time.
//
// There are 32 banks; words of 4 bytes that follow each other lie in banks that follow each other. An instruction of a warp takes one step
// for 32 lanes with up to 4 bytes each, for 16 lanes with 8, and for 8 lanes with 16. In a step, each bank gives or takes one word, to any
// number of lanes. (CUDA C++ Programming Guide, "Shared Memory"; wider accesses as NVIDIA's profilers count them.)
#pragma once
#include "targets/soft/launch_description.h"

#include <deque>
#include <map>
#include <mutex>

namespace xt::soft {

// What a launch found, by place in the source. Thread-safe.
class BankConflicts {
public:
  struct Count {
    uint64_t accesses = 0, again = 0; // instructions of warps, and steps more than they need without conflicts
  };
  enum class What : uint8_t { Load, Store, Matrix };
  using Key = std::pair<int32_t, What>; // site

  void clear() { counts_.clear(); }
  void add(const std::map<Key, Count> &counts);
  // "banks of shared memory were accessed 62 times more than without conflicts: 62 by 2 loads at k.xt:9:8"; "" if there were none.
  // Names the three places with the most.
  std::string text(const std::vector<Site> &sites) const;

private:
  std::mutex mutex_;
  std::map<Key, Count> counts_;
};

// Follows the accesses of one workgroup. Lanes run one after the other: the n-th access of each lane of a warp at a place, since the warp
// has last done something together, is taken to be one instruction.
class BankWatch {
public:
  explicit BankWatch(const Launch &launch) : launch_(launch), subgroups_(launch.subgroups()) {}

  // An access to `bytes` bytes at an offset in shared local memory, as instructions for `piece` bytes each: 1, 2, 4, 8 or 16.
  void access(size_t item, uint64_t offset, uint64_t bytes, uint64_t piece, bool writes, int32_t site);
  void matrixRows(std::span<const std::byte *const> rows, int32_t site); // of one ldmatrix: 8 rows of 16 bytes for each matrix
  void meet(size_t first, size_t count); // these work-items, whole subgroups, do something together
  void finish(); // adds what was found to that of the launch, and begins again

private:
  static constexpr size_t kLanes = 32, kMostBegun = 4096;
  struct Instruction {
    std::array<uint64_t, kLanes> offsets{};
    uint32_t lanes = 0; // that have come, as bits
  };
  struct Place {
    uint64_t bytes = 0, piece = 0;
    std::array<uint64_t, kLanes> executed{}; // accesses of each lane since the warp did something together
    uint64_t counted = 0; // instructions that all lanes have executed, or that fell behind by kMostBegun
    std::deque<Instruction> begun; // the ones after these
  };
  void count(BankConflicts::Key key, const Place &place, const Instruction &instruction);

  const Launch &launch_;
  std::vector<std::map<BankConflicts::Key, Place>> subgroups_;
  std::map<BankConflicts::Key, BankConflicts::Count> counts_;
};

} // namespace xt::soft
