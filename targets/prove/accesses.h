// The memory accesses of a kernel, as terms of its sizes: where each access begins, and under which conditions it occurs.
#pragma once
#include "ir/module.h"
#include "targets/prove/smt.h"

#include <string>
#include <vector>

namespace xt {

// A memory access of the kernel; its terms are integers that vary between executions of the access.
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
  bool known = true; // false: the terms contain symbols for values that the kernel computes from data
};

// A reason why a claim cannot be decided.
struct Obstacle {
  const Op *op = nullptr;
  std::string why;
  bool writes = false; // it may write memory
};

struct KernelAccesses {
  std::vector<std::vector<Term>> sizes; // of each memref parameter; symbols or constants
  std::vector<Term> scalars;            // value of each integer parameter
  std::vector<Term> grid;               // the workgroup's coordinates, from 0, and the subgroup's if there are several
  size_t gridDims = 0;                  // dimensions of `grid`, without the subgroup
  Term inGrid;                          // the coordinates are in the grid
  std::vector<Access> accesses;
  std::vector<Obstacle> obstacles;
  std::vector<Term> asserted; // asserts on sizes and arguments that every execution reaches unconditionally
  std::vector<Term> unknowns; // symbols for values that depend on data
  bool launchGrid = false;    // the kernel reads its coordinates in a grid that only the launch defines
};

// The caller has to state that sizes are at least 0 and at most 2^31.
KernelAccesses accessesOf(const Kernel &kernel, Smt &smt);

} // namespace xt
