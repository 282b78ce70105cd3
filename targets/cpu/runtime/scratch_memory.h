// Host memory that kernels work in.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace xt {

struct FreeScratch {
  void operator()(void *memory) const { std::free(memory); }
};
using ScratchMemory = std::unique_ptr<void, FreeScratch>;

// Allocates memory aligned to a page. Large blocks use huge pages if the system has them, because a product touches more small
// pages than the TLB holds. Null: out of memory.
ScratchMemory allocateScratch(size_t bytes);

} // namespace xt
