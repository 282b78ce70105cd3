// Shadow memory: records which accesses have touched each element of a launch's memory.
#pragma once
#include "ir/interp/values.h"

#include <memory>
#include <string>

namespace xt {

// One access. Workgroups run one after the other, so the numbers of workgroups also say which of two accesses was first.
struct Touch {
  uint32_t op = 0; // the op's number in program order, from 1; 0: no access
  uint32_t workgroup = 0;
  uint32_t epoch = 0; // the number of barriers that the workgroup had passed before the access
  uint32_t subgroup = 0; // the worker's number
  uint32_t time = 0; // the worker's time at the access (BarrierClocks::timeOf)
  explicit operator bool() const { return op != 0; }
};

// The accesses to one element that a later access may conflict with.
struct Cell {
  Touch firstRead, firstWrite, firstAtomic; // the first ones of the launch
  // The accesses of the current workgroup since its last barrier. Two readers and two atomics of different subgroups suffice:
  // a subgroup that writes later differs from at least one of the two.
  Touch write;
  Touch reads[2], atomics[2];
  Touch unwritten; // the first read that came before any write; empty if there is none
};

// A buffer with its name.
struct NamedBuffer {
  std::string name; // "%A"
  MemoryRange range;
  const unsigned char *data = nullptr; // element [0, …, 0]
  size_t elemBytes = 1;
  std::vector<int64_t> sizes, strides;
  Swizzle swizzle{};
};
// "`%A`[3, 5]" for the element at `p`.
std::string elementText(const NamedBuffer &buffer, const unsigned char *p);

// Cells for a range of memory, one per `unit` bytes, created on first access.
class ShadowRegion {
public:
  ShadowRegion(MemoryRange range, size_t unit) : range_(range), unit_(unit) {}
  const MemoryRange &range() const { return range_; }
  // Calls visit(cell) for each cell that overlaps the `bytes` bytes from `p` on.
  template <class Visit> void forEachCell(const unsigned char *p, size_t bytes, Visit visit) {
    auto first = static_cast<size_t>(p - range_.low) / unit_, last = (static_cast<size_t>(p - range_.low) + bytes - 1) / unit_;
    for (size_t i = first; i <= last; ++i) visit(cell(i));
  }
  // Calls visit(cell, first byte) for each cell that has been accessed, and for others of its page, in ascending order of
  // address.
  template <class Visit> void forEachKnown(Visit visit) const {
    for (size_t page = 0; page < pages_.size(); ++page)
      for (size_t i = 0; pages_[page] && i < kPage; ++i) visit(pages_[page][i], range_.low + (page * kPage + i) * unit_);
  }
  void forget() { pages_.clear(); }

private:
  static constexpr size_t kPage = 1024;
  Cell &cell(size_t i) {
    if (pages_.size() <= i / kPage) pages_.resize(i / kPage + 1);
    std::unique_ptr<Cell[]> &page = pages_[i / kPage];
    if (!page) page = std::make_unique<Cell[]>(kPage);
    return page[i % kPage];
  }
  MemoryRange range_;
  size_t unit_;
  std::vector<std::unique_ptr<Cell[]>> pages_;
};

} // namespace xt
