// Internal to the pass distribute-to-subgroups: computes where a subgroup's pieces are in the workgroup's vectors. Values that
// depend only on the subgroup's id are computed once, at the start of the kernel.
#pragma once
#include "ir/layout/layout_pieces.h"
#include "passes/kernel_prologue.h"

#include <array>
#include <functional>
#include <map>

namespace xt {

class SubgroupPlaces {
public:
  // `builder`: the insertion point of ops that are not created at the start of the kernel. `subgroups`: number of subgroups in
  // a workgroup.
  SubgroupPlaces(Builder &builder, KernelPrologue &prologue, int64_t subgroups)
      : b_(builder), prologue_(prologue), subgroups_(subgroups) {}

  Value *id();
  // The sum of the digits of the subgroup's id; null: 0 for every subgroup.
  Value *of(const std::vector<SubgroupDigit> &digits);
  // The first index along `dim` of the piece at `start`; null: 0 for every subgroup.
  Value *indexOf(const DimPieces &dim, size_t start);

  // Lets `body` create ops that run only in the subgroups whose digits are all zero.
  void onlyWhereZero(const std::vector<SubgroupDigit> &digits, const std::function<void()> &body);
  // Lets `body` create ops that run only in the first subgroup.
  void onlyInFirst(const std::function<void()> &body) { onlyWhereZero({{1, subgroups_, 1}}, body); }

private:
  using DigitKey = std::array<int64_t, 3>; // stride, extent, weight

  Value *digit(const SubgroupDigit &digit);

  Builder &b_;
  KernelPrologue &prologue_;
  int64_t subgroups_;
  Value *id_ = nullptr;
  std::map<DigitKey, Value *> digits_;
  std::map<std::vector<DigitKey>, Value *> places_;
};

} // namespace xt
