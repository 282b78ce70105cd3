// The launch ABI: what a compiled kernel and its launcher agree on.
//
//   void kernel(const uint64_t *frame, int64_t begin, int64_t end, void *scratch)
//
// runs the workgroups with linear ids in [begin, end). The id counts the grid row-major, its last dimension (x) fastest.
//   frame[0..8]   lower, step, count of the grid's three dimensions, outermost (z) first; absent ones are 0, 1, 1
//   frame[9]      address of a word that the caller sets to kNoFailure. When a check fails at run time, the workgroup
//                 atomically lowers the word to the minimum of its value and workgroup id << 32 | failure number, and
//                 ends. Workgroups after one that has failed need not run
//   frame[10]     the LaunchOutput, which collects prints and owns the panels that workgroups share
//   frame[11]     the number of parts of each workgroup (KernelOutput::mostParts). If it is above 1, [begin, end) counts
//                 parts, and the parts of a workgroup are consecutive. Parts may run at the same time
//   frame[12]     the number of threads that run the launch
//   frame[13]     a bit for each pair of memref parameters (apartBit), which the caller sets if the two do not overlap; 0 is
//                 always correct, but slower
//   frame[14]     address of KernelOutput::numbers
//   then per kernel parameter: a memref's data pointer, sizes, strides (in elements); or a scalar's register image in
//   the low bytes of one word (integers sign- or zero-extended).
// scratch: KernelCode::scratchBytes bytes, aligned to 64 bytes, for this call only. The kernel does not depend on their
// content, and does not preserve it.
//
// The kernel may call functions by name (jit/runtime_symbols.cc lists them): xt_plan_nest, before each nest
// (products/nest_plan.h); xt_panel_take and xt_panel_ready, for panels that workgroups share (runtime/panel_pool.h); those of
// runtime/host_runtime.h, which print, report failed asserts and wait at barriers; and functions of the C library.
#pragma once
#include "ir/module.h"
#include "targets/cpu/analysis/buffer_assignment.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace xt {

inline constexpr size_t kGridDims = 3;
inline constexpr size_t kGridWords = 3 * kGridDims;
// The indices of the words from frame[9] on.
enum RuntimeWord : size_t { kFailureWord, kOutputWord, kPartsWord, kThreadsWord, kApartWord, kNumbersWord, kRuntimeWords };
inline constexpr size_t kApartMemRefs = 11; // the number of memref parameters whose pairs have bits
inline constexpr uint64_t kNoFailure = ~uint64_t{0};
// A kernel at subgroup scope whose subgroups wait for each other, or at lane scope, has a different function: kernel(frame,
// workgroup, n, scratch) runs subgroup n of one workgroup, or lane n counted over all its subgroups, on its own stack. Its
// scratch memory starts with a header of kFiberHeader bytes: the address of the workgroup's shared local memory, and the
// FiberGroup.
// In the scratch memory of other kernels (needsFibers), shared local memory follows the buffers.
inline constexpr int64_t kFiberHeader = kBufferAlignment;
size_t frameWords(const Kernel &kernel);
// The bit of frame[13] for the n-th and m-th memref among a kernel's parameters: it is set if they have no byte in common.
// nullopt: the two are the same memref, or the word has no room for the pair.
constexpr std::optional<unsigned> apartBit(size_t memref, size_t other) {
  size_t later = std::max(memref, other),
         bit = later * (later - 1) / 2 + std::min(memref, other); // pairs of the first memrefs come first
  return memref != other && later < kApartMemRefs ? std::optional(static_cast<unsigned>(bit)) : std::nullopt;
}
// The function's name: "xt_kernel_" and the kernel's name.
std::string kernelSymbol(const Kernel &kernel);
// The name of the table of KernelOutput::numbers in an object file: "xt_numbers_" and the kernel's name.
std::string numbersSymbol(const std::string &kernelName);

} // namespace xt
