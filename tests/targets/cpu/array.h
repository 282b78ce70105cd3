// Arrays to launch kernels of tests on.
#pragma once
#include "ir/elem_kinds.h"
#include "ir/launch.h"
#include "tests/launch_args.h"

#include <array>
#include <utility>
#include <vector>

namespace xt {

// An array with `pad` extra elements between rows, elements `step` apart, and guard bytes around everything that are checked to
// be unchanged. It begins at an odd address or, if `onLine` is set, at a cache line.
class Array {
public:
  struct alignas(64) Line {
    std::array<unsigned char, 64> bytes;
    bool operator==(const Line &) const = default;
  };
  Array(Elem elem, std::vector<int64_t> sizes, int64_t pad = 0, bool columnMajor = false, int64_t step = 1, bool onLine = false)
      : elem_(elem), begin_(kGuard + (onLine ? 0 : 1)) {
    view_.elem = elem;
    view_.sizes = sizes;
    view_.strides.assign(sizes.size(), 1);
    std::vector<size_t> order(sizes.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = d;
    if (columnMajor) std::swap(order[order.size() - 1], order[order.size() - 2]);
    int64_t stride = step;
    for (size_t k = sizes.size(); k-- > 0;) {
      view_.strides[order[k]] = stride;
      stride = stride * sizes[order[k]] + (k + 1 == sizes.size() ? pad : 0);
    }
    count_ = static_cast<size_t>(stride);
    Line line;
    line.bytes.fill(kPattern);
    lines_.assign((count_ * width() + 2 * kGuard) / sizeof(Line) + 1, line);
    view_.data = lines_.data()->bytes.data() + begin_;
  }
  Array(const Array &other)
      : elem_(other.elem_), begin_(other.begin_), count_(other.count_), lines_(other.lines_), view_(other.view_) {
    view_.data = lines_.data()->bytes.data() + begin_;
  }
  Array &operator=(const Array &) = delete;

  LaunchArg arg() const {
    LaunchArg result;
    result.kind = LaunchArg::Kind::Buffer;
    result.buffer = view_;
    return result;
  }
  Elem elem() const { return elem_; }
  const BufferView &view() const { return view_; }
  void *at(std::vector<int64_t> index) const {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * view_.strides[d];
    return static_cast<unsigned char *>(view_.data) + static_cast<size_t>(offset) * width();
  }
  double number(std::vector<int64_t> index) const {
    return isFloat(elem_) ? loadFloat(elem_, at(index)) : static_cast<double>(loadInteger(elem_, at(index)));
  }
  void set(std::vector<int64_t> index, double value) {
    if (isFloat(elem_))
      storeFloat(elem_, at(index), value);
    else
      storeInteger(elem_, at(index), static_cast<int64_t>(value));
  }
  // Calls f(index) for every element.
  template <class F> void forEach(F f) const {
    std::vector<int64_t> index(view_.sizes.size(), 0);
    for (int64_t extent : view_.sizes)
      if (extent == 0) return;
    for (;;) {
      f(index);
      size_t d = index.size();
      while (d-- > 0) {
        if (++index[d] < view_.sizes[d]) break;
        index[d] = 0;
        if (d == 0) return;
      }
      if (d == static_cast<size_t>(-1)) return;
    }
  }
  const std::vector<Line> &bytes() const { return lines_; } // including guards and padding

private:
  static constexpr size_t kGuard = 256;
  static constexpr unsigned char kPattern = 0x5A;
  size_t width() const { return static_cast<size_t>(elemInfo(elem_).storageBytes); }
  Elem elem_;
  size_t begin_, count_ = 0;
  std::vector<Line> lines_;
  BufferView view_;
};

} // namespace xt
