// How a kernel that was compiled to SPIR-V is launched: what its arguments are, and what a host has to know about it.
//
// Arguments of an entry point, in order:
//   per memref parameter   the address of element [0, …, 0] (global memory), then its sizes, then its strides in
//                          elements, one 64-bit integer per dimension each, static ones too
//   per scalar parameter   its value: integers and floats in their width, except that i1 and i4 take 8 bits, index takes
//                          64, and bf16 and the 8-bit floats are integers with their bits
//   per grid variable      lower bound and step, 64-bit integers, outermost first
//   outcome                the address of a 64-bit word, where XeKernel::reportsFailures: the host sets it to ~0. A subgroup
//                          that does what it must not lowers it (atomically: the least of all stays) to workgroup id << 32
//                          | failure number << xeSubgroupBits | its number, and goes on without the access
// Atomics on elements of 8 and 16 bits exchange the aligned word of 32 bits that holds the element. Where a buffer begins or
// ends within such a word, the kernel reads what else is in it and writes that back as it is, which no other access can
// tell: the word need only be allocated, and every allocation of Level Zero ends at a multiple of 4 bytes. No other access
// reaches outside of a buffer.
// Group ids: the last grid variable is dimension x, the one before it y, and z counts all others row-major, so that the
// linear workgroup id (x fastest) counts the grid row-major. There are subgroups * subgroupSize work-items in x; a
// subgroup's lanes are neighbours.
#pragma once
#include "ir/block_rules.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

// What must hold at a launch for the block messages of a kernel: the memref of this parameter, as it is given, keeps the
// rules of BlockRules for its last two dimensions, of which there is a row. Where it does not, the host launches a kernel that was compiled for
// a target without block messages. `turned`: it is its transpose, of the last two dimensions, that the messages look into.
struct XeBlockUse {
  size_t param;
  bool turned = false;
  bool operator==(const XeBlockUse &) const = default;
};

// The loop in which a subgroup waits at a named barrier is called so, with its number in XeKernel::waits behind: the
// software device names loops in what it reports.
inline constexpr std::string_view kXeWaitName = "nbarrier_wait.";

// Bits of a subgroup's number in the outcome of a kernel with so many.
inline int xeSubgroupBits(int64_t subgroups) { return std::bit_width(static_cast<uint64_t>(subgroups - 1)); }

// What a workgroup must not do. Each element of an assert's condition has a failure number of its own, from `first` on in
// row-major order: the least that fails is the one that is told.
struct XeFailure {
  uint32_t first = 0;
  std::string text; // of an assert, or what to tell the user
  SourceRange place;
  bool asserted = false;
  bool byWorkgroup = false;   // the workgroup asserts as one: no subgroup is named
  std::vector<int64_t> shape; // in which an assert counts its elements (assertedShape); empty: one number
};

struct XeKernel {
  std::string entry; // the entry point's name: letters, digits and '_'
  int64_t subgroups = 1, subgroupSize = 16;
  int64_t slmBytes = 0;
  bool largeRegisterFile = false; // wants 256 registers a thread
  bool reportsFailures = false;
  // Some subgroups of a workgroup may not reach one of its subgroup barriers, or reach it more often than others: it stands
  // in a branch or a loop that depends on the subgroup.
  bool divergentBarriers = false;
  std::vector<XeFailure> failures;   // in the order of their numbers
  std::vector<SourceRange> waits;    // at named barriers
  std::vector<XeBlockUse> blockUses;
};

// One kernel of a module, compiled for one target. The SPIR-V is the same for the same input.
struct XeProgram {
  std::vector<uint8_t> spirv;
  std::vector<XeKernel> kernels;
};

} // namespace xt
