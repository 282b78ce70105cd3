// Internal to the pass distribute-to-lanes: numbers that depend only on the lane, computed once at the start of the kernel, and
// where a lane's elements are in the vector.
#pragma once
#include "ir/layout/layout.h"
#include "passes/kernel_prologue.h"

#include <array>
#include <map>

namespace xt {

class LanePlaces {
public:
  // `builder` gives the position of what is computed where it is used. `lanes`: their number in a subgroup.
  LanePlaces(Builder &builder, KernelPrologue &prologue, int64_t lanes) : b_(builder), prologue_(prologue), lanes_(lanes) {}

  int64_t lanes() const { return lanes_; }
  // The part of the lane's indices along a dimension that depends on the lane number; null: nothing.
  Value *of(const Layout *layout, int dim);
  // The indices of the lane's elements along a dimension, as a vector of the fragment's shape.
  Value *indices(const Layout *layout, int dim);

  // Whether the lane is the first of those that hold the same elements; null: no two lanes do.
  Value *isFirstCopy(const Layout *layout);
  // The number of the first lane that holds the same elements as this lane.
  Value *firstCopy(const Layout *layout);
  // Whether the lane has number 0.
  Value *isFirst();

  // Whether the lane is one of these (one entry per lane).
  Value *among(const std::vector<bool> &lanes);
  // table[lane], for the lanes in `wanted`; any number for the others.
  Value *entryOf(const std::vector<int64_t> &table, const std::vector<bool> &wanted);

private:
  using Digit = std::array<int64_t, 3>; // stride, extent, weight

  Value *id();
  Value *digit(int64_t stride, int64_t extent);

  Builder &b_;
  KernelPrologue &prologue_;
  int64_t lanes_;
  Value *id_ = nullptr;
  std::map<std::array<int64_t, 2>, Value *> digits_; // by stride and extent
  std::map<std::vector<Digit>, Value *> places_;
  std::map<std::vector<bool>, Value *> groups_;
  std::map<std::vector<int64_t>, Value *> tables_;
};

} // namespace xt
