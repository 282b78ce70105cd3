// A short summary of a buffer's content, shown after a launch that no check covers.
#pragma once
#include "targets/run/raw_array.h"

#include <string>

namespace xt {

struct BufferSummary {
  std::string name; // without '%'
  std::vector<int64_t> sizes;
  Elem elem = kF32Elem;
  std::string least, greatest; // over elements that are not NaN; empty if there are none
  double mean = 0;             // over the finite elements
  int64_t nans = 0, infinities = 0;
  std::vector<std::string> first; // the first elements in row-major order, at most kFirstElements
};
inline constexpr int64_t kFirstElements = 8;

BufferSummary summarise(std::string name, const RawArray &content);
// "%C  30x50xf32  min -2, max 1.5, mean 0.01, 3 nan; first 0.5, 0.25, …"
std::string summaryLine(const BufferSummary &summary);

} // namespace xt
