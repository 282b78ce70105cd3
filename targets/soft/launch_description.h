// The properties of a launch that all its workgroups share.
#pragma once
#include "targets/soft/code_state.h"
#include "targets/soft/memory.h"

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace xt::soft {

class BankConflicts;

// A variable in shared local memory.
struct LocalVariable {
  std::string name;
  size_t offset = 0, bytes = 0;
};

// A place in the source of a kernel that reports refer to.
struct Site {
  std::string function; // the called function; empty: a memory access
  std::string place;    // " at file.cl:7:3"; empty: unknown
  int call = 0;         // number of this call among the calls of that function, from 1
};

using Dimensions = std::array<uint32_t, 3>;

inline constexpr uint32_t kNoOrderingCall = ~uint32_t{0};

// The creator of the launch owns the objects that its pointers refer to.
struct Launch {
  std::string kernel;
  void (*entry)(void *const *arguments) = nullptr;
  std::vector<void *> arguments; // addresses of the arguments' values
  Dimensions groupSize{1, 1, 1}, groupCount{1, 1, 1}, globalOffset{0, 0, 0};
  size_t subgroupSize = 16;
  size_t localBytes = 0; // including the gaps between variables
  std::vector<LocalVariable> locals;
  std::vector<size_t> localArguments; // by argument: 1 + index of its variable in `locals`; 0: not a local pointer
  bool watchesMemory = false, watchesGlobal = false, copiesAtOnce = false; // as in DeviceSettings
  uint32_t without = kNoOrderingCall; // the number of a barrier, wait or fence of the program that is left out
  bool reversed = false; // this and the next one: as in LaunchRequest
  std::optional<uint64_t> sameMemory;
  BankConflicts *bankConflicts = nullptr; // counted there unless null, if memory is watched
  size_t stackBytes = 1 << 16;
  const std::vector<Site> *sites = nullptr;
  std::shared_ptr<const MemoryMap> memory;
  const std::vector<Allocation> *programData = nullptr; // the program's variables in global memory
  const std::atomic<bool> *stop = nullptr;              // set: all workgroups give up
  const std::atomic<size_t> *firstFailed = nullptr;     // the first group that has failed; later ones give up

  size_t groups() const { return size_t{groupCount[0]} * groupCount[1] * groupCount[2]; }
  size_t items() const { return size_t{groupSize[0]} * groupSize[1] * groupSize[2]; } // number in a workgroup
  size_t subgroups() const { return (items() + subgroupSize - 1) / subgroupSize; }    // number in a workgroup
  size_t subgroupOf(size_t item) const { return item / subgroupSize; }
  // The coordinates of group number `linear` (x varies fastest), and the ids of one work-item of a group.
  Dimensions groupAt(size_t linear) const;
  WorkItemIds idsOf(const Dimensions &group, size_t item) const;
  const Site *siteOf(int32_t site) const; // null if the site is unknown
  bool inProgram(uint64_t address) const;
};

} // namespace xt::soft
