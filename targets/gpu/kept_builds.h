// A cache of the driver's recent builds, so that the same binary is not built again.
#pragma once
#include "ir/base/result.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace xt {

template <class T> class KeptBuilds {
public:
  // Returns the build of this binary with these options. If the cache does not have it, calls `build`, which returns
  // Result<std::shared_ptr<T>>.
  template <class Build>
  Result<std::shared_ptr<T>> get(std::span<const uint8_t> binary, const std::string &options, Build build) {
    auto same = [&](const Kept &k) { return k.options == options && std::ranges::equal(k.binary, binary); };
    if (auto known = std::ranges::find_if(kept_, same); known != kept_.end()) {
      std::rotate(kept_.begin(), known, known + 1);
      return kept_.front().built;
    }
    Result<std::shared_ptr<T>> made = build();
    if (!made) return made.error();
    kept_.push_front({{binary.begin(), binary.end()}, options, *made});
    if (kept_.size() > kMost) kept_.pop_back();
    return made;
  }

private:
  static constexpr size_t kMost = 32;
  struct Kept {
    std::vector<uint8_t> binary;
    std::string options;
    std::shared_ptr<T> built;
  };
  std::deque<Kept> kept_; // the most recent first
};

} // namespace xt
