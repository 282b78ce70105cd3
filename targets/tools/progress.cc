#include "targets/tools/progress.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace xt {

ProgressLine::ProgressLine(bool quiet) : on_(!quiet && isatty(STDERR_FILENO)) {}

void ProgressLine::show(const std::string &text) {
  if (!on_) return;
  winsize window{};
  size_t width = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
  // A line that wraps could not be replaced. Cut before the first byte of a character.
  size_t length = std::min(text.size(), width - 1);
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(length), text.c_str());
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

TimeLimit::TimeLimit(double seconds, std::function<void()> over) {
  if (seconds <= 0) return;
  thread_ = std::thread([this, seconds, over = std::move(over)] {
    std::unique_lock lock(mutex_);
    auto limit = std::chrono::duration<double>(seconds);
    if (!wake_.wait_for(lock, limit, [this] { return done_; })) over();
  });
}

TimeLimit::~TimeLimit() {
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

} // namespace xt
