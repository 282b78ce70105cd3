// Initialisers of test buffers. Each value depends only on the element's row-major index, whatever the memory layout.
#pragma once
#include "targets/run/eval.h"

#include <functional>

namespace xt {

// Output number `index`, from 0, of SplitMix64 started with `seed` (Steele, Lea and Flood, Fast Splittable Pseudorandom
// Number Generators, OOPSLA 2014).
uint64_t splitMix64(uint64_t seed, uint64_t index);

// The context of an initialiser; `load` passes its path, as written, to resolvePath.
struct InitContext {
  EvalSite site;
  ValueSource &source;
  std::function<std::string(const std::string &)> resolvePath;
  uint64_t defaultSeed = 1; // seed of `random` and `ints` if none is given; differs between the buffers of a test
  bool small = false;       // the small sizes of a test: `load` reads a corner of a larger file
};

// The content that an initialiser other than `out` gives a buffer. `output` is splitMix64(seed, index) at the row-major index
// of the element.
//   random(seed, dist, range)  floats: low + (high - low) * (output >> 11) / 2^53, rounded once; low = -1, high = 1.
//                              integers: low + floor(output * (high - low) / 2^64), or any bits of the type without
//                              bounds. dist = "normal": floats of the standard normal distribution, by Box and Muller
//                              from outputs 0 and 1 of the generator that starts with the element's own output; a
//                              number outside of the range is replaced by one from outputs 2 and 3, and so on.
//   ints(low, high, seed)      low + floor(output * (high - low + 1) / 2^64)
//   fill, iota, identity, from, load: see ir/ops/host.def.
// A value is rounded once to a float type; one that an integer type cannot hold is reported with its index. Errors of files are
// of the environment.
Result<RawArray> initialContent(const HostExpr &init, std::span<const int64_t> sizes, Elem elem, InitContext &context);

} // namespace xt
