#include "targets/ranks/transport.h"

#include <algorithm>

namespace xt {
namespace {

class SingleRank : public Transport {
public:
  int rank() const override { return 0; }
  int count() const override { return 1; }
  Result<void> allGather(std::span<const std::byte> own, std::span<std::byte> all) override {
    std::ranges::copy(own, all.begin());
    return {};
  }
  Result<void> exchange(std::span<const Message>, std::span<const Message>) override { return {}; }
};

} // namespace

std::unique_ptr<Transport> singleRank() { return std::make_unique<SingleRank>(); }

} // namespace xt
