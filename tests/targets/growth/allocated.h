// The number of bytes that this process has allocated in total; freed memory is not subtracted.
#pragma once
#include <atomic>
#include <cstddef>

namespace xt::test {

extern std::atomic<size_t> allocatedBytes;

} // namespace xt::test
