// The loops in the instructions of a kernel.
#pragma once
#include "targets/nv/sass/cubin.h"

#include <span>
#include <vector>

namespace xt {

// A natural loop: the instructions from which a branch back to its first one is reached without leaving it.
struct SassLoop {
  std::vector<size_t> code; // the numbers of its instructions, ascending
  size_t first = 0;         // the instruction that every way into the loop comes through
  size_t shortest = 0;      // instructions of the shortest way through it, which leaves out code for the edges of a matrix
  uint32_t line = 0;        // of the branch back, which is that of the loop in the source; 0: not known
  bool innermost = true;
};

// In the order of their first instructions, outer loops before inner ones.
std::vector<SassLoop> loopsOf(std::span<const SassInstruction> code);

} // namespace xt
