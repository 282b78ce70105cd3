// Decisions that a fuzzer reads from an input, one byte each. After the end of the input, bytes are 0.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace xt::fuzz {

class Bytes {
public:
  Bytes(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}
  uint8_t byte() { return at_ == end_ ? uint8_t{0} : *at_++; }
  int64_t below(int64_t n) { return byte() % n; }
  bool empty() const { return at_ == end_; }
  // Returns mostly small numbers, and sometimes numbers whose sums or products overflow.
  int64_t number() {
    uint8_t first = byte();
    if (first < 200) return first % 40;
    int64_t shift = below(64);
    switch (first % 4) {
    case 0: return -static_cast<int64_t>(first);
    case 1: return static_cast<int64_t>(uint64_t{1} << shift);
    case 2: return static_cast<int64_t>((uint64_t{3} << shift) + byte());
    default: return shift % 2 ? INT64_MAX : INT64_MIN;
    }
  }
  std::vector<int64_t> numbers() {
    std::vector<int64_t> values(static_cast<size_t>(below(4)));
    for (int64_t &value : values) value = number();
    return values;
  }

private:
  const uint8_t *at_, *end_;
};

} // namespace xt::fuzz
