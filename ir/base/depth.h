// A named limit on the depth of recursion over user input.
#pragma once

namespace xt {

// Counts one level of recursion for the duration of its scope.
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

// The maximum depth of expressions: deeper ones are rejected before recursion over them can overflow the stack. The parser's
// own limits are lower: an expression with the maximum number of terms and of nested brackets that a statement may have stays
// below this limit.
inline constexpr int kMaxExpressionDepth = 1500;

} // namespace xt
