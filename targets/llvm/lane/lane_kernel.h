// The facts that a host needs about a kernel that the lane emitter has made: its arguments, and how it reports failures.
//
// Arguments of an entry point, in order:
//   per memref parameter   the address of element [0, …, 0] (global memory), then its sizes, then its strides in
//                          elements, one 64-bit integer per dimension each, static ones too
//   per scalar parameter   its value: integers and floats in their width, except that i1 and i4 take 8 bits, index takes
//                          64, and bf16 and the 8-bit floats are integers with their bits
//   per grid variable      lower bound and step, 64-bit integers, outermost first
//   outcome                only if LaneKernel::reportsFailures: the address of a 64-bit word, which the host sets to ~0. When a
//                          check fails, the subgroup atomically lowers the word to the minimum of its value and workgroup
//                          id << 32 | failure number << subgroupBits | subgroup number, and continues without the access
// Atomics on elements of 8 and 16 bits exchange the aligned 32-bit word that holds the element. If a buffer begins or ends
// within such a word, the kernel reads the other bytes of the word and writes them back unchanged, which no other access can
// observe. The word only needs to be allocated. No other access is out of bounds of a buffer.
// Group ids: the last grid variable is dimension x, the one before it y, and z counts all others row-major, so that the
// linear workgroup id (x fastest) counts the grid row-major. There are subgroups * subgroupSize work-items in x; a
// subgroup's lanes are neighbours.
#pragma once
#include "ir/base/source.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

// The name of the loop in which a subgroup waits at a named barrier is this prefix and the number of the wait in
// LaneKernel::waits. The software device names loops in its reports.
inline constexpr std::string_view kWaitName = "nbarrier_wait.";

// The bits of a subgroup's number in the outcome of a kernel with this many subgroups.
inline int subgroupBits(int64_t subgroups) { return std::bit_width(static_cast<uint64_t>(subgroups - 1)); }

// A failure that a workgroup may report. Each element of an assert's condition has its own failure number, from `first` on in
// row-major order; the lowest number that fails is reported.
struct LaneFailure {
  uint32_t first = 0;
  std::string text; // the text of an assert, or a message for the user
  SourceRange place;
  bool asserted = false;
  bool byWorkgroup = false; // the workgroup asserts as a whole: no subgroup is named
  std::vector<int64_t> shape; // the shape in which an assert counts its elements (assertedShape); empty: one number
};

// A condition at a launch for the memref that is passed for a parameter: its address is a multiple of `bytes`, and so is each
// stride but that of adjacent elements; no stride is negative or has more than 31 bits.
struct LaneAlignment {
  size_t param;
  int64_t bytes;
};

struct LaneKernel {
  std::string name; // of the kernel in its module
  std::string entry; // the entry point's name: letters, digits and '_'. It depends on the module's other kernels
  int64_t subgroups = 1, subgroupSize = 16;
  int64_t slmBytes = 0;
  bool reportsFailures = false;
  // Some subgroups of a workgroup may skip a subgroup barrier, or reach it more often than others, because it is in a branch or
  // a loop that depends on the subgroup.
  bool divergentBarriers = false;
  std::vector<LaneFailure> failures; // in the order of their numbers
  std::vector<LaneAlignment> alignments;
  std::vector<SourceRange> waits; // source ranges of the waits at named barriers
};

} // namespace xt
