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

// Deeper expressions are refused before the machine's stack is; the parser's own limit on nesting is lower.
inline constexpr int kMaxExpressionDepth = 256;

} // namespace xt
