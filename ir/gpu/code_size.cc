#include "ir/gpu/code_size.h"

#include "ir/base/text.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/op_kinds.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

namespace xt {
namespace {

int64_t elementsOf(Type type) { return type.isVector() ? type.elementCount() : 1; }

int64_t saturatingProduct(int64_t x, int64_t y) {
  int64_t product;
  return __builtin_mul_overflow(x, y, &product) ? std::numeric_limits<int64_t>::max() : product;
}

int64_t saturatingSum(int64_t x, int64_t y) {
  int64_t sum;
  return __builtin_add_overflow(x, y, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

// The number of operations on single elements that an op on the vectors of one lane needs.
int64_t laneOps(const Op &op) {
  if (op.regionCount() > 0) return 0; // the ops of the regions are counted separately
  if (op.kind() == OpKind::InsertStridedSlice) return elementsOf(op.operand(0)->type());
  if (op.kind() == OpKind::ExtractStridedSlice) return elementsOf(op.result()->type());
  int64_t count = 1;
  for (const Value *operand : op.operands()) count = std::max(count, elementsOf(operand->type()));
  for (size_t i = 0; i < op.resultCount(); ++i) count = std::max(count, elementsOf(op.result(i)->type()));
  if (op.kind() == OpKind::TileMma) count = elementsOf(op.operand(0)->type()) * op.result()->type().extent(1);
  return count;
}

// The number of operations on single elements that an op on the vectors of a subgroup certainly needs after they are cut into
// blocks. Excludes ops that address a tile, which are done once per block, constants, which are the same in all blocks, and
// products, which become loops.
int64_t subgroupOps(const Op &op) {
  switch (op.info().typeRule) {
  case TypeRule::Constant:
  case TypeRule::Splat:
  case TypeRule::InitTile:
  case TypeRule::UpdateTileOffset:
  case TypeRule::PrefetchTile:
  case TypeRule::TileMma: return 0;
  default: return laneOps(op);
  }
}

// The ops that come from one range of the source.
struct Share {
  SourceRange from;
  int64_t ops;
  Type largest; // the largest vector type that these ops compute, load or store; null if none of them has a vector
};

Type largestOf(const Op &op) {
  Type largest;
  auto look = [&](Type type) {
    if (type.isVector() && (!largest || type.elementCount() > largest.elementCount())) largest = type;
  };
  for (const Value *operand : op.operands()) look(operand->type());
  for (size_t i = 0; i < op.resultCount(); ++i) look(op.result(i)->type());
  return largest;
}

class CodeSize {
public:
  CodeSize(const Kernel &kernel, const std::function<int64_t(const Op &)> &opsOf) : kernel_(kernel) {
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, size_t> known;
    walk(kernel.body, [&](const Op &op) {
      SourceRange from = op.range();
      auto [place, isNew] = known.try_emplace({from.file, from.begin, from.end}, shares_.size());
      if (isNew) shares_.push_back({from, 0, {}});
      Share &share = shares_[place->second];
      share.ops = saturatingSum(share.ops, opsOf(op));
      Type largest = largestOf(op);
      if (largest && (!share.largest || largest.elementCount() > share.largest.elementCount())) share.largest = largest;
    });
    for (const Share &share : shares_) sum_ = saturatingSum(sum_, share.ops);
  }

  int64_t sum() const { return sum_; }

  // `lanes`: the number of lanes over which each vector of the kernel is distributed; 1 at lane scope.
  void report(int64_t lanes, int64_t limit, std::string_view rule, Diagnostics &diagnostics) const {
    const Share &most = *std::ranges::max_element(shares_, {}, &Share::ops);
    int64_t sum = sum_ / lanes, here = most.ops / lanes;
    Diagnostic &error = diagnostics.report(DiagCode::ScratchTooLarge, most.from,
                                           str("the code of each lane of `@", kernel_.name, "` would have ", sum,
                                               " operations on single elements, ", here, " of them from here; ", rule));
    std::string_view group = kernel_.scope == Scope::Workgroup ? "workgroup" : "subgroup";
    error.note(str("the vectors of a ", group, " are shared by its ", std::max(lanes, kernel_.lanes),
                   " lanes, which hold them in registers: use smaller tiles, or more subgroups, each with a smaller part of "
                   "the tile (`sg_layout`; `subgroups(n)`)"));
    int64_t times = 2;
    while (times < sum && sum / times > limit) times *= 2;
    std::string nearest = str("a tile with 1/", times, " of the elements fits");
    if (lanes > 1 && most.largest)
      nearest += str(": ", shrunk(most.largest, times), " instead of ", shapeText(most.largest), " of a ", group);
    error.note(std::move(nearest));
  }

private:
  static std::string shapeText(Type type) { return join(type.shape(), "x"); }

  // Halves the longest dimension, repeatedly.
  static std::string shrunk(Type type, int64_t times) {
    std::vector<int64_t> shape(type.shape().begin(), type.shape().end());
    for (; times > 1; times /= 2) {
      auto longest = std::ranges::max_element(shape);
      *longest = std::max<int64_t>(1, *longest / 2);
    }
    return join(shape, "x");
  }

  const Kernel &kernel_;
  std::vector<Share> shares_;
  int64_t sum_ = 0;
};

} // namespace

bool codeFits(const Kernel &kernel, Diagnostics &diagnostics) {
  CodeSize size(kernel, laneOps);
  if (size.sum() <= kMostElementOps) return true;
  size.report(1, kMostElementOps, str("the limit is ", kMostElementOps), diagnostics);
  return false;
}

bool tilesFit(const Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics) {
  CodeSize size(kernel, subgroupOps);
  int64_t subgroups = kernel.scope == Scope::Workgroup ? kernel.subgroups : 1;
  int64_t lanes = subgroups * subgroupSizeFor(target, kernel);
  if (size.sum() / lanes <= kMostElementOpsOfTiles) return true;
  // The tiles of single blocks, and the computation of their offsets, add to the counted ops: half the limit leaves room for
  // them.
  size.report(
      lanes, kMostElementOps / 2,
      str("the limit is ", kMostElementOps, ", and tiles with more than ", kMostElementOpsOfTiles, " are not cut into blocks"),
      diagnostics);
  return false;
}

bool blocksFit(const Kernel &kernel, int64_t lanes, const std::function<int64_t(const Op &)> &exchangeOps,
               Diagnostics &diagnostics) {
  CodeSize size(kernel, [&](const Op &op) {
    if (op.kind() != OpKind::TileMma) return subgroupOps(op);
    return saturatingSum(laneOps(op), saturatingProduct(lanes, exchangeOps(op)));
  });
  if (size.sum() / lanes <= kMostElementOpsOfBlocks) return true;
  // Ops that move elements between lanes add to the counted ops, as in tilesFit().
  size.report(lanes, kMostElementOps / 2, str("the limit is ", kMostElementOps), diagnostics);
  return false;
}

} // namespace xt
