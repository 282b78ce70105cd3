#include "tests/targets/differential/mutant_memory.h"

#include "ir/base/text.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace xt {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 21;

// Returns the extent for a dynamic dimension, which is counted from the last one.
int64_t openExtent(size_t fromLast, size_t parameter) {
  constexpr int64_t kLast[] = {41, 37, 3, 2, 2};
  return kLast[fromLast] + (parameter == 2 ? 119 : 0); // outputs have room for several tiles side by side
}

double numberAt(const MutantMemory::Buffer &buffer, size_t i) {
  const unsigned char *at = buffer.bytes.data() + i * static_cast<size_t>(elemInfo(buffer.elem).storageBytes);
  return loadFloat(buffer.elem, at);
}

// Differences of floats up to this fraction of the largest value in the buffer are attributed to rounding.
constexpr double kLoose = 0.25;

std::string floatDifference(const MutantMemory::Buffer &a, const MutantMemory::Buffer &b, bool &loose) {
  size_t count = a.bytes.size() / static_cast<size_t>(elemInfo(a.elem).storageBytes);
  double largest = 0;
  for (size_t i = 0; i < count; ++i)
    if (double x = std::fabs(numberAt(a, i)); std::isfinite(x)) largest = std::max(largest, x);
  for (size_t i = 0; i < count; ++i) {
    double x = numberAt(a, i), y = numberAt(b, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    loose = true;
    if (std::isfinite(x) && std::isfinite(y) && std::fabs(x - y) <= kLoose * largest) continue;
    return str("element ", i, " is ", x, " and ", y);
  }
  return "";
}

} // namespace

std::optional<MutantMemory> MutantMemory::make(const Kernel &kernel) {
  MutantMemory memory;
  for (size_t p = 0; p < kernel.paramCount; ++p) {
    Type type = kernel.param(p)->type();
    LaunchArg arg;
    if (type.isMemRef()) {
      Buffer buffer{{}, type.elem(), {}};
      int64_t count = 1;
      for (int d = 0; d < type.rank(); ++d) {
        int64_t extent = type.extent(d) == kDynamic ? openExtent(static_cast<size_t>(type.rank() - 1 - d), p) : type.extent(d);
        buffer.sizes.push_back(extent);
        if (extent > kMostElements || (count *= extent) > kMostElements) return std::nullopt;
      }
      // Only row-major memory is supported.
      int64_t stride = 1;
      std::vector<int64_t> strides = memrefStrides(type);
      for (size_t d = buffer.sizes.size(); d-- > 0; stride *= buffer.sizes[d])
        if (strides[d] != kDynamic && strides[d] != stride) return std::nullopt;
      // Allocate 8 bytes per element, because an access through the address of a buffer may use another element type.
      buffer.bytes.resize(static_cast<size_t>(count) * 8);
      memory.fill(buffer, memory.buffers_.size());
      arg.kind = LaunchArg::Kind::Buffer;
      arg.integer = static_cast<int64_t>(memory.buffers_.size());
      memory.buffers_.push_back(std::move(buffer));
    } else if (isFloat(type.elem())) {
      arg.kind = LaunchArg::Kind::Float;
      arg.number = 3;
    } else {
      arg.integer = type.isAddress() ? -1 : wrapTo(type.elem(), 9);
    }
    memory.args_.push_back(std::move(arg));
  }
  return memory;
}

void MutantMemory::fill(Buffer &buffer, size_t which) {
  auto bytes = static_cast<size_t>(elemInfo(buffer.elem).storageBytes);
  bool input = which < 2;
  for (size_t i = 0; i * bytes + bytes <= buffer.bytes.size(); ++i) {
    unsigned char *at = buffer.bytes.data() + i * bytes;
    int64_t value = !input ? 0 : which == 1 ? static_cast<int64_t>(i % 64) : static_cast<int64_t>((i * 7919 + 13) % 9) - 4;
    if (isFloat(buffer.elem))
      storeFloat(buffer.elem, at, static_cast<double>(value));
    else
      storeInteger(buffer.elem, at, value);
  }
}

std::vector<LaunchArg> MutantMemory::args() {
  std::vector<LaunchArg> args = args_;
  for (LaunchArg &arg : args) {
    if (arg.kind == LaunchArg::Kind::Int && arg.integer == -1 && !buffers_.empty())
      arg.integer = static_cast<int64_t>(reinterpret_cast<uintptr_t>(buffers_[0].bytes.data()));
    if (arg.kind != LaunchArg::Kind::Buffer) continue;
    Buffer &buffer = buffers_[static_cast<size_t>(arg.integer)];
    fill(buffer, static_cast<size_t>(arg.integer));
    std::vector<int64_t> strides(buffer.sizes.size(), 1);
    for (size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * buffer.sizes[d];
    arg.integer = 0;
    arg.buffer = {buffer.bytes.data(), buffer.elem, buffer.sizes, std::move(strides)};
  }
  return args;
}

std::string differenceOf(const MutantMemory &a, const MutantMemory &b, bool &loose) {
  for (size_t i = 0; i < a.buffers().size(); ++i) {
    const MutantMemory::Buffer &x = a.buffers()[i], &y = b.buffers()[i];
    if (x.bytes == y.bytes) continue;
    std::string difference;
    if (isFloat(x.elem)) {
      difference = floatDifference(x, y, loose);
    } else {
      auto at = static_cast<size_t>(std::mismatch(x.bytes.begin(), x.bytes.end(), y.bytes.begin()).first - x.bytes.begin());
      size_t bytes = static_cast<size_t>(elemInfo(x.elem).storageBytes), element = at / bytes;
      difference = str("element ", element, " is ", loadInteger(x.elem, x.bytes.data() + element * bytes), " and ",
                       loadInteger(x.elem, y.bytes.data() + element * bytes));
    }
    if (!difference.empty()) return str("buffer ", i, ": ", difference);
  }
  return "";
}

} // namespace xt
