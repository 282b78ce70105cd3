#include "targets/cpu/runtime/scratch_memory.h"

#include <sys/mman.h>

namespace xt {

ScratchMemory allocateScratch(size_t bytes) {
  constexpr size_t kPage = 4096, kLargePage = size_t{2} << 20;
  size_t page = bytes >= kLargePage / 2 ? kLargePage : kPage;
  if (bytes > SIZE_MAX - page) return nullptr;
  size_t rounded = (bytes + page - 1) / page * page;
  ScratchMemory memory(std::aligned_alloc(page, rounded));
  if (memory && page == kLargePage) madvise(memory.get(), rounded, MADV_HUGEPAGE); // advice only
  return memory;
}

} // namespace xt
