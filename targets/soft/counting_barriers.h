// PTX's barrier.cta.sync and barrier.cta.arrive with a number of threads: barriers of a workgroup, each of which counts the threads
// of the warps that come, whichever they are.
#pragma once
#include "targets/soft/builtin_name.h"
#include "targets/soft/causality.h"
#include "targets/soft/collective.h"

#include <array>
#include <optional>
#include <vector>

namespace xt::soft {

// The names of the functions that replace the intrinsics: void (i32 number of the barrier, i32 threads).
inline constexpr const char *kSyncCountedName = "xtBarrierSync", *kArriveCountedName = "xtBarrierArrive";

struct CountingBarrier {
  uint32_t threads = 0; // that come in all, as the first of them says
  std::vector<size_t> arrived; // subgroups; empty: the barrier is free
  std::vector<size_t> waiting;
  Causality::Clock known; // what those that have arrived knew
};
using CountingBarriers = std::array<CountingBarrier, 16>;

// The operation of one of these functions; nullopt for other names. Reports what hangs or does not wait on a GPU: other numbers of
// barriers than 1 to 15, as 0 is that of the whole workgroup, numbers of threads that are no number of warps or more than there are, or
// that differ between those that come, and a subgroup that comes again before the others have come.
std::optional<Collective> countingBarrier(const BuiltinName &name);

} // namespace xt::soft
