// The loops of a kernel in a cubin, and how many instructions of each kind they have.
//
// A cubin is an ELF file whose sections `.text.KERNEL` hold instructions of 128 bits (from Volta on). The lowest 12 bits are the
// opcode; a branch has its distance from the next instruction, in units of 4 bytes, in 48 bits from bit 34 on. The opcodes are not documented:
// those of the instructions counted here were found by assembling PTX with a known number of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace xt::test {

inline constexpr uint32_t kSassMma = 0x23c, kSassLoadMatrix = 0x83b, kSassCopyAsync = 0xfae, kSassBranch = 0x947;

struct SassLoop {
  size_t first = 0, last = 0;
  size_t shortest = 0; // instructions of the shortest way through it, which leaves out code for the edges of a matrix
  std::map<uint32_t, size_t> counts; // by opcode
  size_t size() const { return last - first + 1; }
  size_t count(uint32_t opcode) const {
    auto found = counts.find(opcode);
    return found == counts.end() ? 0 : found->second;
  }
};

class Cubin {
public:
  explicit Cubin(std::string image) : image_(std::move(image)) {}

  // The loops of all kernels: from the target of each branch backwards to that branch.
  std::vector<SassLoop> loops() const {
    std::vector<SassLoop> found;
    const auto table = at<uint64_t>(0x28);
    const size_t each = at<uint16_t>(0x3a), count = at<uint16_t>(0x3c), names = at<uint16_t>(0x3e);
    const uint64_t nameBytes = at<uint64_t>(table + names * each + 0x18);
    for (size_t section = 0; section < count; ++section) {
      uint64_t header = table + section * each;
      std::string name = image_.c_str() + nameBytes + at<uint32_t>(header);
      if (name.starts_with(".text.")) addLoops(found, at<uint64_t>(header + 0x18), at<uint64_t>(header + 0x20) / kBytes);
    }
    return found;
  }
  // The loop with the most products; empty if none has any.
  SassLoop mainLoop() const {
    SassLoop main;
    for (const SassLoop &loop : loops())
      if (loop.count(kSassMma) > main.count(kSassMma)) main = loop;
    return main;
  }

private:
  static constexpr uint64_t kBytes = 16;

  template <class T> T at(uint64_t offset) const {
    T value{};
    if (offset + sizeof(T) <= image_.size()) std::memcpy(&value, image_.data() + offset, sizeof(T));
    return value;
  }
  uint32_t opcode(uint64_t code, size_t number) const { return at<uint16_t>(code + number * kBytes) & 0xfff; }

  // The instruction that a branch leads to.
  int64_t targetOf(uint64_t code, size_t i) const {
    uint64_t low = at<uint64_t>(code + i * kBytes) >> 34, high = at<uint64_t>(code + i * kBytes + 8) << 30;
    auto distance = static_cast<int64_t>((low | high) << 16) >> 16; // 48 bits with a sign
    return static_cast<int64_t>(i) + 1 + distance * 4 / static_cast<int64_t>(kBytes);
  }

  // Bits 12 to 15 are the predicate of an instruction; 7: it is always executed.
  size_t shortestWay(uint64_t code, const SassLoop &loop) const {
    constexpr size_t kFar = SIZE_MAX / 2;
    std::vector<size_t> way(loop.size() + 1, kFar);
    way[0] = 1;
    for (size_t i = loop.first; i < loop.last; ++i) {
      size_t here = way[i - loop.first];
      bool branches = opcode(code, i) == kSassBranch, always = (at<uint16_t>(code + i * kBytes) >> 12 & 0xf) == 7;
      auto reach = [&](int64_t next) {
        if (next <= static_cast<int64_t>(i) || next > static_cast<int64_t>(loop.last)) return;
        size_t &there = way[static_cast<size_t>(next) - loop.first];
        there = std::min(there, here + 1);
      };
      if (branches) reach(targetOf(code, i));
      if (!branches || !always) reach(static_cast<int64_t>(i) + 1);
    }
    return way[loop.size() - 1];
  }

  void addLoops(std::vector<SassLoop> &found, uint64_t code, size_t count) const {
    for (size_t i = 0; i < count; ++i) {
      if (opcode(code, i) != kSassBranch) continue;
      int64_t target = targetOf(code, i);
      if (target < 0 || target >= static_cast<int64_t>(i)) continue; // forwards, or the end of the kernel
      SassLoop loop{static_cast<size_t>(target), i, 0, {}};
      for (size_t k = loop.first; k <= loop.last; ++k) ++loop.counts[opcode(code, k)];
      loop.shortest = shortestWay(code, loop);
      found.push_back(std::move(loop));
    }
  }

  std::string image_;
};

} // namespace xt::test
