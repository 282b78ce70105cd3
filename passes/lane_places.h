// Internal to the pass distribute-to-lanes: computes numbers that depend only on the lane, once at the start of the kernel, and
// the positions of a lane's elements in a vector.
#pragma once
#include "ir/layout/layout.h"
#include "passes/kernel_prologue.h"

#include <array>
#include <map>

namespace xt {

class LanePlaces {
public:
  // `builder`: the insertion point of ops that are not created at the start of the kernel. `lanes`: number of lanes in a
  // subgroup.
  LanePlaces(Builder &builder, KernelPrologue &prologue, int64_t lanes) : b_(builder), prologue_(prologue), lanes_(lanes) {}

  int64_t lanes() const { return lanes_; }
  // The part of the lane's indices along a dimension that depends on the lane's number; null: there is none.
  Value *of(const Layout *layout, int dim);
  // The indices of the lane's elements along a dimension, as a vector of the fragment's shape.
  Value *indices(const Layout *layout, int dim);

  // Whether the lane is the first of those that hold the same elements; null: each lane is, because no two hold the same
  // elements.
  Value *isFirstCopy(const Layout *layout);
  // The number of the first lane that holds the same elements as this lane.
  Value *firstCopy(const Layout *layout);
  // Whether the lane has number 0.
  Value *isFirst();

  // Whether `lanes` contains true for the lane; it has one entry per lane.
  Value *among(const std::vector<bool> &lanes);
  // The entry table[lane] for the lanes in `wanted`, and any number for the others.
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
