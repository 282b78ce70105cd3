#include "tests/targets/growth/allocated.h"

#include <cstdlib>
#include <new>

namespace xt::test {
std::atomic<size_t> allocatedBytes{0};
}

void *operator new(size_t bytes) {
  xt::test::allocatedBytes += bytes;
  void *p = std::malloc(bytes ? bytes : 1);
  if (!p) std::abort();
  return p;
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, size_t) noexcept { std::free(p); }
