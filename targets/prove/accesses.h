// The memory accesses of a kernel, as terms of its sizes: where each access begins, and under which conditions it occurs.
#pragma once
#include "ir/module.h"
#include "targets/prove/smt.h"

#include <string>
#include <vector>

namespace xt {

// Claims hold for extents up to this number, and for integer arguments whose magnitude is at most this number.
inline constexpr int64_t kMostSize = int64_t{1} << 31;

// One load, store or atomic of the kernel. Its terms are integers that may differ each time it is executed.
struct Access {
  enum class Kind : uint8_t { Load, Store, Atomic };
  Kind kind = Kind::Load;
  const Op *op = nullptr;
  size_t param = 0;            // the memref parameter that is accessed
  std::vector<Term> first;     // first index in each dimension of the parameter
  std::vector<int64_t> extent; // number of indices from there
  Term when;                   // the iterations and conditions under which the access occurs
  std::vector<Term> loops;     // iteration number of each enclosing loop, from 0
  bool paddingWritten = false;
  bool known = true;       // false: the terms contain symbols for values that the walk does not know
  bool addressKnown = true; // false: the first indices contain such symbols
  bool fromMemory = false;  // they contain symbols for values that come from memory
};

// An access whose addresses are not known.
struct Obstacle {
  const Op *op = nullptr;
  std::string why;
  std::vector<bool> writes; // per parameter: whether the access may write its memory
  bool padded = false;      // a load with explicit padding, which all its out-of-bounds elements read
  bool atomic = false;      // an atomic update
};

struct KernelAccesses {
  std::vector<std::vector<Term>> sizes; // sizes of each memref parameter: symbols or constants
  std::vector<Term> scalars;            // value of each integer parameter
  std::vector<Term> bounds;             // the sizes, arguments and unknowns are in their ranges; what the kernel requires
  std::vector<Term> grid;               // the workgroup's coordinates, from 0, and the subgroup's if there are several
  size_t gridDims = 0;                  // dimensions of `grid`, without the subgroup
  Term inGrid;                          // the coordinates are in the grid
  Term launches;                        // the grid is not empty
  Term validGrid;                       // the steps of the grid are positive; otherwise the launch is an error
  std::vector<Access> accesses;
  std::vector<Obstacle> obstacles;
  std::vector<Term> asserted; // asserts on sizes and arguments that every workgroup reaches unconditionally
  std::vector<Term> unknowns;   // symbols for values that the walk does not know
  std::vector<Term> fromMemory; // those of `unknowns` that depend on what the kernel reads from memory
  std::vector<const Op *>
      wrapping; // integer ops whose result leaves the range of its type at some sizes, and wraps around there
  bool launchGrid = false;    // the kernel reads its coordinates in a grid that only the launch defines
};

KernelAccesses accessesOf(const Kernel &kernel, Smt &smt);

} // namespace xt
