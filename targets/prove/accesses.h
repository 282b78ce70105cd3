// What a kernel reads and writes, as terms of its sizes: where each access begins, and under which conditions it is made.
#pragma once
#include "ir/module.h"
#include "targets/prove/smt.h"

#include <string>
#include <vector>

namespace xt {

// Integers that differ from one execution of an access to another.
struct Access {
  enum class Kind : uint8_t { Load, Store, Atomic };
  Kind kind = Kind::Load;
  const Op *op = nullptr;
  size_t param = 0;            // the memref that it reaches
  std::vector<Term> first;     // of each dimension of the parameter, the first index …
  std::vector<int64_t> extent; // … and how many follow
  Term when;                   // the iterations and conditions under which it is made
  std::vector<Term> loops;     // the number of the iteration of each loop around it, from 0
  bool paddingWritten = false;
  bool known = true; // false: the terms hold symbols for what the kernel computes from data
};

// What keeps a claim from being decided.
struct Obstacle {
  const Op *op = nullptr;
  std::string why;
  bool writes = false; // it may write memory
};

struct KernelAccesses {
  std::vector<std::vector<Term>> sizes; // of each parameter that is a memref; symbols, or constants
  std::vector<Term> scalars;            // of each parameter that is an integer
  std::vector<Term> grid;               // the workgroup's coordinates, from 0, and the subgroup's where there are several
  size_t gridDims = 0;                  // of `grid`: without the subgroup
  Term inGrid;                          // they are in the grid
  std::vector<Access> accesses;
  std::vector<Obstacle> obstacles;
  std::vector<Term> asserted; // what the kernel asserts of sizes and arguments before all else it does with them
  std::vector<Term> unknowns; // symbols for what depends on data
  bool launchGrid = false;    // reads its coordinates in a grid that only the launch says
};

// Sizes are at least 0 and at most 2^31: the caller states it.
KernelAccesses accessesOf(const Kernel &kernel, Smt &smt);

} // namespace xt
