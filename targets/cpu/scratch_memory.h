// Memory of the process that kernels work in.
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

// Aligned to a page; large ones lie in large pages where the system has them, as a product walks over more small ones than
// the processor keeps translations of. Null: there is none.
ScratchMemory allocateScratch(size_t bytes);

} // namespace xt
