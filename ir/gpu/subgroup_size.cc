#include "ir/gpu/subgroup_size.h"

#include "ir/gpu/product_choice.h"
#include "ir/module.h"
#include "ir/op_kinds.h"

#include <algorithm>
#include <numeric>

namespace xt {
namespace {

// Whether a kernel may have a product for which the target has an instruction. The products in nests are not examined.
bool multiplies(const Kernel &kernel, const TargetInfo &target) {
  bool found = false;
  walk(kernel.body, [&](const Op &op) {
    found |=
        op.kind() == OpKind::Nest || op.kind() == OpKind::Dpas || (op.kind() == OpKind::TileMma && chooseMma(target, op).shape);
  });
  return found;
}

} // namespace

int64_t lanesOf(Type type) {
  return (type.isVector() || type.isTile()) && type.layout() ? type.layout()->axisSize(Axis::Lane) : 1;
}

int64_t statedLanes(const Kernel &kernel) {
  int64_t all = 1;
  auto add = [&](const Value &value) {
    int64_t lanes = lanesOf(value.type()), step = lanes / std::gcd(all, lanes);
    all = step >= kMostStatedLanes / all ? kMostStatedLanes : all * step;
  };
  walk(kernel.body, [&](const Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i) add(*op.result(i));
    for (size_t r = 0; r < op.regionCount(); ++r)
      for (const auto &param : op.region(r)->params()) add(*param);
  });
  return all;
}

std::vector<int64_t> subgroupSizesFor(const TargetInfo &target, const Kernel &kernel) {
  return subgroupSizesFor(target, kernel, statedLanes(kernel));
}

std::vector<int64_t> subgroupSizesFor(const TargetInfo &target, const Kernel &kernel, int64_t stated) {
  std::vector<int64_t> sizes(target.subgroupSizes.begin(), target.subgroupSizes.end());
  if (!target.mma.empty() && multiplies(kernel, target)) sizes.resize(1);
  std::erase_if(sizes, [&](int64_t size) { return size % stated != 0; });
  return sizes;
}

int64_t subgroupSizeFor(const TargetInfo &target, const Kernel &kernel) {
  std::vector<int64_t> sizes = subgroupSizesFor(target, kernel);
  if (sizes.empty()) return *std::min_element(target.subgroupSizes.begin(), target.subgroupSizes.end());
  if (!target.mma.empty() && sizes[0] == target.subgroupSizes[0]) return sizes[0];
  for (int64_t size : sizes)
    if (kernel.subgroups <= target.lanesPerWorkgroup / size) return size;
  return *std::min_element(sizes.begin(), sizes.end());
}

} // namespace xt
