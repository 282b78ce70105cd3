// A named limit on recursion over what a user wrote.
#pragma once

namespace xt {

// Counts one level for the time of its scope.
class DepthGuard {
public:
  explicit DepthGuard(int &depth) : depth_(depth) { ++depth_; }
  ~DepthGuard() { --depth_; }
  DepthGuard(const DepthGuard &) = delete;
  DepthGuard &operator=(const DepthGuard &) = delete;
  bool exceeds(int limit) const { return depth_ > limit; }

private:
  int &depth_;
};

// Deeper expressions are refused before the machine's stack is. The parser's own limits are lower: a sum of as many terms
// as a statement may have, in as many brackets as may nest, comes to less.
inline constexpr int kMaxExpressionDepth = 1500;

} // namespace xt
