// Computes ranges of the integers of a kernel. Most of them fit into 32 bits.
#pragma once
#include "ir/module.h"
#include "passes/tile_roots.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>

namespace xt {

struct Interval { // both ends included; the full 64-bit range if nothing is known
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  bool operator==(const Interval &) const = default;
  bool fits32() const { return low >= std::numeric_limits<int32_t>::min() && high <= std::numeric_limits<int32_t>::max(); }
};

// Extents of memrefs are below 2^31, because the host rejects others.
inline constexpr int64_t kMostExtent = (int64_t{1} << 31) - 1;

// Additional facts about the parameter with the index `param`: the ranges of its last extent (columns) and of the one before
// (rows).
struct ExtentFacts {
  size_t param;
  Interval rows, columns;
};

class IndexRanges {
public:
  // The ranges are valid as long as the kernel's body is not changed.
  IndexRanges(const Kernel &kernel, std::vector<ExtentFacts> facts);
  // The range of an integer.
  Interval of(const Value *scalar) const;
  // The range of a window's offset along its rows (0) or columns (1).
  Interval ofWindow(const Value *window, size_t dim) const;

  // What is known of the windows of the kernel, and which numbers divide indices.
  const TileRoots &roots() const { return divisors_; }

  struct Cell { // a scalar (dim 0), or one offset of a window
    const Value *value;
    size_t dim;
  };
  // The range of the difference between `to` and a loop-carried value, if `to` is computed by adding to the latter.
  std::optional<Interval> moved(Cell carried, const Value *to) const;

private:
  using Windows = std::array<Interval, 2>;
  void visit(const Block &block, int depth);
  void visit(const Op &op, int depth);
  void visitFor(const Op &op, int depth);
  void visitWhile(const Op &op, int depth);
  void visitIf(const Op &op, int depth);
  void visitWindow(const Op &op);
  void setGrid();
  void narrow(const Op &loop, int depth);
  Interval arithmetic(const Op &op) const;
  Interval extent(const Op &dim) const;
  Interval get(Cell cell) const;
  void set(Cell cell, Interval interval);

  const Kernel &kernel_;
  TileRoots divisors_;
  std::vector<ExtentFacts> facts_;
  std::unordered_map<const Value *, Interval> scalars_; // both are used for lookup only
  std::unordered_map<const Value *, Windows> windows_;
};

} // namespace xt
