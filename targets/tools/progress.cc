#include "targets/tools/progress.h"

#include "ir/base/text.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace xt {
namespace {

constexpr auto kRenewed = std::chrono::milliseconds(500);
constexpr int64_t kQuietSeconds = 2;

} // namespace

ProgressLine::ProgressLine(bool quiet) : on_(!quiet && isatty(STDERR_FILENO)) {}

void ProgressLine::show(const std::string &text) {
  if (!on_) return;
  winsize window{};
  size_t width = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
  // Cuts the text to one line, because a wrapped line could not be replaced. The cut is before the first byte of a character.
  size_t length = std::min(text.size(), width - 1);
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(length), text.c_str());
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

StageLine::StageLine(std::string_view tool, bool quiet) : tool_(tool), line_(quiet) {
  if (line_.isOn()) thread_ = std::thread([this] { tick(); });
}

StageLine::~StageLine() {
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void StageLine::at(std::string stage) {
  if (!line_.isOn()) return;
  std::lock_guard lock(mutex_);
  if (stage_.empty()) begun_ = std::chrono::steady_clock::now();
  stage_ = std::move(stage);
  if (stage_.empty()) line_.clear();
}

void StageLine::tick() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kRenewed, [this] { return done_; })) {
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun_).count();
    if (!stage_.empty() && seconds >= kQuietSeconds) line_.show(str(tool_, ": ", stage_, ", ", seconds, " s"));
  }
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
