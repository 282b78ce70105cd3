#include "targets/run/memory.h"

#include "ir/base/text.h"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <unistd.h>
#include <vector>

namespace xt {

int64_t MemoryBudget::machineDefault() {
  int64_t pages = sysconf(_SC_PHYS_PAGES), pageBytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && pageBytes > 0 ? pages / 4 * 3 * pageBytes : int64_t{2} << 30;
}

bool MemoryBudget::take(int64_t bytes) {
  int64_t before = used_.load();
  do {
    if (bytes > limit_ - before) return false;
  } while (!used_.compare_exchange_weak(before, before + bytes));
  return true;
}

std::optional<int64_t> elementCount(std::span<const int64_t> shape) {
  // An extent of 0 makes the count 0 whatever the other extents are.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  int64_t count = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  return count < int64_t{1} << 62 ? std::optional(count) : std::nullopt;
}

std::string bytesText(int64_t bytes) {
  constexpr const char *kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return str(bytes, bytes == 1 ? " byte" : " bytes");
  double value = static_cast<double>(bytes);
  int unit = -1;
  while (value >= 1024 && unit < 5) value /= 1024, ++unit;
  char text[40];
  std::snprintf(text, sizeof text, value < 10 ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return text;
}

Error outOfMemory(std::string_view what, int64_t bytes, const MemoryBudget &budget) {
  return Error::environment(str("not enough memory: ", what, " needs ",
                                bytes == INT64_MAX ? "more than 8 EiB" : bytesText(bytes), ", but only ",
                                bytesText(std::max<int64_t>(0, budget.limit() - budget.used())), " of the limit of ",
                                bytesText(budget.limit()), " are left"));
}

void parallelFor(int64_t count, int64_t grain, int threads, const std::function<void(int64_t, int64_t)> &body) {
  if (count <= 0) return;
  int64_t grains = (count + grain - 1) / grain;
  int64_t workers = threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  workers = std::min(workers, grains);
  if (workers < 2) return body(0, count);
  std::vector<std::thread> pool;
  for (int64_t w = 0; w < workers; ++w) {
    int64_t begin = grains * w / workers * grain, end = std::min(count, grains * (w + 1) / workers * grain);
    if (w + 1 == workers)
      body(begin, end);
    else
      pool.emplace_back([&body, begin, end] { body(begin, end); });
  }
  for (std::thread &thread : pool) thread.join();
}

} // namespace xt
