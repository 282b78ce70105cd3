// What NVIDIA's assembler makes of a kernel: registers, spills, and the instructions of each loop.
#pragma once
#include "targets/nv/sass/assembler.h"
#include "targets/nv/sass/cubin.h"
#include "targets/nv/sass/sass_loops.h"

#include <map>
#include <string>
#include <vector>

namespace xt {

// Counts of instructions.
struct SassCounts {
  size_t instructions = 0, products = 0;
  size_t spills = 0; // accesses to a lane's own memory: of spilled registers and of arrays that have no place in registers
  std::map<std::string, size_t> mix; // by name
  size_t others() const { return instructions - products; }
  size_t count(const std::string &name) const;
};
struct SassLoopCounts : SassCounts {
  SassLoop loop;
};

struct SassReport {
  CubinKernel kernel;
  SpillBytes spilled;
  SassCounts all; // without the instructions that fill the end of the code
  std::vector<SassLoopCounts> loops;
};

// The reports of all kernels, in the order of the file, which is for this compute capability, such as 80.
Result<std::vector<SassReport>> sassReports(const AssembledPtx &assembled, int capability);

// "128 products, 119 others: 32 LDSM, 16 LDGSTS, …", most frequent first.
std::string mixText(const SassCounts &counts);

} // namespace xt
