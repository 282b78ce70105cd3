// How many bytes this process has asked for so far; none are taken off when they are given back.
#pragma once
#include <atomic>
#include <cstddef>

namespace xt::test {

extern std::atomic<size_t> allocatedBytes;

} // namespace xt::test
