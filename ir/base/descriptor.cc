#include "ir/base/descriptor.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace xt {

int writeAll(int descriptor, std::string_view bytes) {
  constexpr size_t kMostAtOnce = size_t{1} << 30;
  while (!bytes.empty()) {
    ssize_t put = write(descriptor, bytes.data(), std::min(bytes.size(), kMostAtOnce));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    if (put == 0) return EIO;
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return 0;
}

int readAll(int descriptor, std::string &bytes, uint64_t most) {
  char buffer[65536];
  for (;;) {
    ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    if (bytes.size() + static_cast<size_t>(got) > most) return EFBIG;
    bytes.append(buffer, static_cast<size_t>(got));
  }
}

} // namespace xt
