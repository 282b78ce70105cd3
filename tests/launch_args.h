// Scalar arguments of launches.
#pragma once
#include "ir/launch.h"

namespace xt {

inline LaunchArg intArg(int64_t value) {
  LaunchArg arg;
  arg.integer = value;
  return arg;
}
inline LaunchArg floatArg(double value) {
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::Float;
  arg.number = value;
  return arg;
}

} // namespace xt
