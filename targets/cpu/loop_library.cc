#include "targets/cpu/loop_library.h"

#include <algorithm>

namespace xt {

LoopLibrary &LoopLibrary::ofProcess() {
  static auto *library = new LoopLibrary; // never destroyed: kernels may still run when the process ends
  return *library;
}

std::shared_ptr<const LoadedCode> LoopLibrary::use(const std::string &key) {
  auto found = std::ranges::find(loops_, key, &Entry::first);
  if (found == loops_.end()) return nullptr;
  std::rotate(found, found + 1, loops_.end());
  return loops_.back().second;
}

std::shared_ptr<const LoadedCode> LoopLibrary::find(const std::string &key) {
  std::lock_guard lock(mutex_);
  return use(key);
}

std::shared_ptr<const LoadedCode> LoopLibrary::keep(const std::string &key, std::shared_ptr<const LoadedCode> loop) {
  std::lock_guard lock(mutex_);
  if (auto other = use(key)) return other;
  if (loops_.size() == kMost) loops_.erase(loops_.begin());
  loops_.emplace_back(key, std::move(loop));
  return loops_.back().second;
}

} // namespace xt
