#include "targets/cpu/jit/code_library.h"

#include <algorithm>

namespace xt {

CodeLibrary &CodeLibrary::ofProcess() {
  static auto *library = new CodeLibrary; // never destroyed: kernels may still run when the process ends
  return *library;
}

std::shared_ptr<const LoadedCode> CodeLibrary::use(const std::string &key) {
  auto found = std::ranges::find(entries_, key, &Entry::first);
  if (found == entries_.end()) return nullptr;
  std::rotate(found, found + 1, entries_.end());
  return entries_.back().second;
}

std::shared_ptr<const LoadedCode> CodeLibrary::find(const std::string &key) {
  std::lock_guard lock(mutex_);
  return use(key);
}

std::shared_ptr<const LoadedCode> CodeLibrary::keep(const std::string &key, std::shared_ptr<const LoadedCode> code) {
  std::lock_guard lock(mutex_);
  if (auto other = use(key)) return other;
  if (entries_.size() == kMost) entries_.erase(entries_.begin());
  entries_.emplace_back(key, std::move(code));
  return entries_.back().second;
}

} // namespace xt
