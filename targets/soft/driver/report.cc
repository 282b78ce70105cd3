#include "targets/soft/driver/report.h"

#include "targets/soft/memory.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace xt::soft {
namespace {

struct Reports {
  std::mutex mutex;
  std::string last;
};

// Lives as long as the process, because the driver's threads may live that long.
Reports &reports() {
  static Reports *only = new Reports;
  return *only;
}

} // namespace

void report(const std::string &text) {
  std::lock_guard lock(reports().mutex);
  reports().last = text;
  std::fprintf(stderr, "xt software device: %s\n", text.c_str());
  const char *path = std::getenv("XT_SOFT_REPORT");
  if (!path || !*path) return;
  if (std::FILE *file = std::fopen(path, "a")) {
    std::fprintf(file, "%s\n", text.c_str());
    std::fclose(file);
  }
}

} // namespace xt::soft

const char *xtSoftLastError() {
  std::lock_guard lock(xt::soft::reports().mutex);
  return xt::soft::reports().last.c_str();
}

int xtSoftBuffer(void *allocation, size_t first, size_t bytes, const char *name) {
  return xt::soft::DeviceMemory::instance().setBuffer(allocation, first, bytes, name ? name : "");
}
