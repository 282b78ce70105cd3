#include "targets/xe/emit/code_size.h"

#include "ir/base/text.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace xt {
namespace {

int64_t elementsOf(Type type) { return type.isVector() ? type.elementCount() : 1; }

int64_t elementOps(const Op &op) {
  if (op.regionCount() > 0) return 0; // what is inside counts
  if (op.kind() == OpKind::InsertStridedSlice) return elementsOf(op.operand(0)->type());
  if (op.kind() == OpKind::ExtractStridedSlice) return elementsOf(op.result()->type());
  int64_t count = 1;
  for (const Value *operand : op.operands()) count = std::max(count, elementsOf(operand->type()));
  for (size_t i = 0; i < op.resultCount(); ++i) count = std::max(count, elementsOf(op.result(i)->type()));
  if (op.kind() == OpKind::TileMma) count = elementsOf(op.operand(0)->type()) * op.result()->type().extent(1);
  return count;
}

// What comes from one place of the source, in the order of the code.
struct Share {
  SourceRange from;
  int64_t ops;
};

std::vector<Share> sharesOf(const Kernel &kernel) {
  std::vector<Share> shares;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, size_t> known;
  walk(const_cast<Block &>(kernel.body), [&](Op &op) { // walk gives mutable ops; nothing is changed
    SourceRange from = op.range();
    auto [place, isNew] = known.try_emplace({from.file, from.begin, from.end}, shares.size());
    if (isNew) shares.push_back({from, 0});
    shares[place->second].ops += elementOps(op);
  });
  return shares;
}

int64_t sumOf(const std::vector<Share> &shares) {
  int64_t sum = 0;
  for (const Share &share : shares) sum += share.ops;
  return sum;
}

} // namespace

int64_t elementOps(const Kernel &kernel) { return sumOf(sharesOf(kernel)); }

bool codeFits(const Kernel &kernel, Diagnostics &diagnostics) {
  std::vector<Share> shares = sharesOf(kernel);
  int64_t sum = sumOf(shares);
  if (sum <= kMostElementOps) return true;
  const Share &most = *std::ranges::max_element(shares, {}, &Share::ops);
  diagnostics.report(DiagCode::ScratchTooLarge, most.from,
                     str("each lane of `@", kernel.name, "` would have ", sum, " operations on single elements in its code, ", most.ops,
                         " of them from here; a lane's code has at most ", kMostElementOps))
      .note(str("the vectors of a subgroup are shared by its ", kernel.lanes, " lanes, which hold them in registers: smaller tiles have less code, and so have more subgroups, "
                "each with a smaller part of the tile (`sg_layout`; `subgroups(n)`)"));
  return false;
}

} // namespace xt
