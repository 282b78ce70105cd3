#include "passes/sweep_loops.h"

#include "ir/builder.h"
#include "ir/combine.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/op_kinds.h"
#include "passes/carried_offsets.h"
#include "passes/facts.h"
#include "passes/part_values.h"
#include "passes/tile_roots.h"
#include "passes/tile_sweeps.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>

namespace xt {
namespace {

// Number of elements of a part per lane: several messages are in flight at a time, and a dozen values fit the registers.
constexpr int64_t kPartElements = 32;
constexpr int64_t kMostSums = 64;     // maximum number of elements per lane that a loop sums up; they stay in registers
constexpr int64_t kFewestParts = 4; // smaller tiles are not cut: they may stay in registers

int64_t powerOfTwoUpTo(int64_t most) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(most, 1))));
}

// The length of the parts of a dimension: the extent if it is at most `most`; otherwise `most`, or half of it if only the half
// divides the extent. Both `most` and this half must be multiples of `unit`.
int64_t dividing(int64_t extent, int64_t most, int64_t unit) {
  if (extent <= most) return extent;
  return extent % most != 0 && most / 2 % unit == 0 && extent % (most / 2) == 0 ? most / 2 : most;
}

// The size of a part of the sweep in both dimensions. Adjacent columns allow wide messages, which can contain several rows.
std::array<int64_t, 2> partOf(const TileSweep &sweep, int64_t lanes) {
  auto [rows, columns] = sweep.extents;
  int64_t elements = kPartElements * lanes;
  std::array<int64_t, 2> part = sweep.extents;
  if (sweep.inParts[1]) {
    int64_t kept = sweep.inParts[0] ? std::min<int64_t>(rows, kPartElements / 4) : rows;
    part[1] = dividing(columns, std::max(lanes, elements / kept / lanes * lanes), lanes);
  }
  if (sweep.inParts[0]) part[0] = dividing(rows, powerOfTwoUpTo(elements / part[1]), 1);
  return part;
}

// Adjacent parts of one dimension that have the same size.
struct Range {
  int64_t begin, end, size;
  int64_t count() const { return (end - begin) / size; }
};

std::vector<Range> rangesOf(int64_t extent, int64_t part) {
  int64_t whole = extent / part * part;
  std::vector<Range> ranges;
  if (whole) ranges.push_back({0, whole, part});
  if (whole < extent) ranges.push_back({whole, extent, extent - whole});
  return ranges;
}

class SweepFormer {
public:
  SweepFormer(const TileSweep &sweep, Context &context, std::array<int64_t, 2> part)
      : sweep_(sweep), context_(context), part_(part), b(context, *sweep.ops.back()->block()) {}

  void run() {
    b.setBefore(sweep_.ops.back());
    b.setRange(sweep_.ops.back()->range());
    for (Range range : rangesOf(sweep_.extents[outer()], part_[outer()])) inRange(outer(), range, [&] { inner(); });
    for (const Op *sum : sweep_.sums) {
      totals_.at(sum)->setName(sum->result()->name());
      sum->result()->replaceAllUsesWith(totals_.at(sum));
    }
    // Erases from the last to the first, because users come after the values that they use.
    for (size_t i = sweep_.ops.size(); i-- > 0;) erase(sweep_.ops[i]);
  }

private:
  using Key = std::pair<const Value *, Follows>;

  // The dimension of the outer loop. Ops that depend on this dimension alone are not repeated by the inner loop. It is that of
  // the columns if some ops depend on the columns alone and none on the rows alone.
  size_t outer() const {
    bool rowsAlone = false, columnsAlone = false;
    for (const auto *op : sweep_.ops) {
      Follows dims = followsOf(*op);
      bool rows = dims[0] == 0 || dims[1] == 0, columns = dims[0] == 1 || dims[1] == 1;
      rowsAlone |= rows && !columns, columnsAlone |= columns && !rows;
    }
    return columnsAlone && !rowsAlone ? 1 : 0;
  }

  // The dimensions that the op's result follows, or the value that it stores or sums up. If this value can be made anywhere
  // (isMadeAnywhere), it follows both dimensions.
  Follows followsOf(const Op &op) const {
    auto known = sweep_.follows.find(isLast(op) ? op.operand(0) : op.result());
    return known == sweep_.follows.end() ? Follows{0, 1} : known->second;
  }
  bool isLast(const Op &op) const { return !op.resultCount() || sweep_.isSum(op); }

  void inRange(size_t dim, Range range, const std::function<void()> &body) {
    std::map<Key, Value *> made = made_;
    size_[dim] = range.size;
    bool sums = !sweep_.sums.empty() && sweep_.inParts[dim];
    if (sums) sums_.clear();
    if (range.count() == 1) {
      at_[dim] = range.begin ? b.index(range.begin) : nullptr;
      body();
    } else {
      loop(dim, range, sums, body);
    }
    if (sums) total();
    made_ = std::move(made);
  }

  // `sums`: whether the loop carries the sums of its parts.
  void loop(size_t dim, Range range, bool sums, const std::function<void()> &body) {
    std::vector<Value *> operands = {b.index(range.begin), b.index(range.end), b.index(range.size)};
    std::vector<Type> types;
    if (sums)
      for (const Op *sum : sweep_.sums) {
        types.push_back(partType(sum->operand(0)->type(), followsOf(*sum)));
        operands.push_back(identity(*sum, types.back()));
      }
    Op *made = b.create(OpKind::For, std::move(operands), types, 1);
    Block &region = *made->region();
    Builder around = b;
    at_[dim] = region.addParam(context_.index(), dim == 0 ? "row" : "column");
    for (size_t i = 0; i < types.size(); ++i) sums_[sweep_.sums[i]] = region.addParam(types[i]);
    b.setEnd(region);
    body();
    std::vector<Value *> yielded;
    for (size_t i = 0; i < types.size(); ++i) yielded.push_back(sums_.at(sweep_.sums[i]));
    b.create(OpKind::Yield, std::move(yielded), {});
    b = around;
    for (size_t i = 0; i < types.size(); ++i) sums_[sweep_.sums[i]] = made->result(i);
  }

  Value *identity(const Op &sum, Type type) {
    AttrValue value = combiningIdentity(*combiningOp(sum), type.elem());
    const double *number = std::get_if<double>(&value);
    return number ? b.constantFloat(type, *number) : b.constantInt(type, std::get<int64_t>(value));
  }

  Value *combined(const Op &sum, Value *x, Value *y) { return x ? b.value(*combiningOp(sum), {x, y}, y->type()) : y; }

  // Reduces the vectors into which the parts were summed up, and combines the results with those of earlier ranges.
  void total() {
    for (const Op *sum : sweep_.sums) {
      b.setRange(sum->range());
      Op *made = b.create(OpKind::Reduction, {sums_.at(sum)}, {sum->result()->type()});
      copyAttrs(*sum, *made);
      Value *&all = totals_[sum];
      all = combined(*sum, all, made->result());
    }
  }

  void inner() {
    size_t dim = 1 - outer();
    // Ops that do not depend on the inner loop come before it.
    for (Op *op : sweep_.ops)
      if (!dependsOn(*op, dim)) make(*op);
    for (Range range : rangesOf(sweep_.extents[dim], part_[dim]))
      inRange(dim, range, [&] {
        for (Op *op : sweep_.ops)
          if (dependsOn(*op, dim)) make(*op);
      });
  }

  bool dependsOn(const Op &op, size_t dim) const {
    Follows dims = followsOf(op);
    bool depends = isLast(op) || dims[0] == static_cast<int>(dim) || dims[1] == static_cast<int>(dim);
    return depends && sweep_.inParts[dim];
  }

  Type partType(Type type, Follows dims) const {
    TypeData data = type.data();
    for (size_t d = 0; d < 2; ++d)
      if (sweep_.cuts(dims[d])) data.shape[d] = size_[static_cast<size_t>(dims[d])];
    return context_.intern(std::move(data));
  }

  // The index at which the part begins along a dimension that a value follows; null: 0.
  Value *startOf(int dim) const { return sweep_.cuts(dim) ? at_[static_cast<size_t>(dim)] : nullptr; }

  Value *part(Value *value, Follows dims) {
    Op *op = value->definingOp();
    if (auto known = made_.find({value, {kWhole, kWhole}}); known != made_.end()) return known->second;
    if (!op || !value->type().isVector() || !isMadeAnywhere(*op) || !sweep_.inPart(dims)) return value;
    Value *&made = made_[{value, dims}];
    if (!made) made = generated(*op, dims);
    return made;
  }

  Value *generated(const Op &op, Follows dims) {
    Type type = partType(op.result()->type(), dims);
    std::vector<Value *> operands = op.operands();
    if (op.kind() == OpKind::Iota)
      if (Value *start = startOf(dims[dimensionOf(op)])) return iotaFrom(b, op, type, start);
    if (op.kind() == OpKind::CreateMask)
      for (size_t d = 0; d < 2; ++d)
        if (Value *start = startOf(dims[d])) operands[d] = b.value(OpKind::SubI, {operands[d], start}, context_.index());
    Op *made = b.create(op.kind(), std::move(operands), {type});
    copyAttrs(op, *made);
    return made->result();
  }

  // Creates the window onto the current part of a tile whose dimensions follow `dims`.
  Value *window(const Value *tile, Follows dims) {
    TileChain chain = chainOf(tile);
    std::vector<Value *> operands = chain.init->operands();
    size_t first = rowOffsetAt(*chain.init);
    for (size_t d = 0; d < 2; ++d) {
      Value *&offset = operands[first + d];
      for (const Op *move : chain.moves) offset = b.value(OpKind::AddI, {offset, move->operand(1 + d)}, context_.index());
      if (Value *start = startOf(dims[d])) offset = b.value(OpKind::AddI, {offset, start}, context_.index());
    }
    return b.value(OpKind::InitTile, std::move(operands), partType(tile->type(), dims));
  }

  void make(const Op &op) {
    b.setRange(op.range());
    Follows dims = followsOf(op);
    bool turns = op.kind() == OpKind::LoadTile && transposes(op);
    std::vector<Value *> operands;
    for (size_t i = 0; i < op.operandCount(); ++i) {
      Value *operand = op.operand(i);
      bool isWindow = operand->type().isTile() && !operand->type().data().scatter;
      operands.push_back(isWindow ? window(operand, turns ? Follows{dims[1], dims[0]} : dims)
                                  : part(operand, sweep_.followsOfOperand(op, i, dims)));
    }
    if (sweep_.isSum(op)) {
      Value *&sum = sums_[&op];
      sum = combined(op, sum, operands[0]);
      return;
    }
    std::vector<Type> types;
    if (op.resultCount()) types.push_back(partType(op.result()->type(), dims));
    Op *made = b.create(op.kind(), std::move(operands), types);
    copyAttrs(op, *made);
    if (!op.resultCount()) return;
    made->result()->setName(op.result()->name());
    made->result()->setRange(op.result()->range());
    made_[{op.result(), {kWhole, kWhole}}] = made->result();
  }

  // Erases an op of the sweep, and the operands that can be made anywhere and have no other use.
  static void erase(Op *op) {
    std::vector<Value *> operands = op->operands();
    op->block()->erase(op);
    for (Value *operand : operands) {
      Op *source = operand->definingOp();
      if (source && operand->uses().empty() && isMadeAnywhere(*source)) erase(source);
    }
  }

  const TileSweep &sweep_;
  Context &context_;
  std::array<int64_t, 2> part_;
  Builder b;
  std::array<Value *, 2> at_ = {}; // where the current part begins; null: at 0
  std::array<int64_t, 2> size_ = {}; // extents of the current part
  std::map<const Op *, Value *> sums_, totals_; // sums of the current range, and of all ranges; for lookup only
  std::map<Key, Value *> made_; // values of the current part; for an op of the sweep, the key is {result, {kWhole, kWhole}}
};

class KernelSweeps {
public:
  KernelSweeps(Kernel &kernel, const TargetInfo &target, Context &context)
      : kernel_(kernel), context_(context), lanes_(subgroupSizeFor(target, kernel)),
        most_(target.checksOverlaps ? ArgumentPromise::Disjoint : ArgumentPromise::Nothing) {}

  // Tiles with fewer elements are not cut.
  int64_t fewestElements() const { return kPartElements * lanes_ * kFewestParts; }

  void run(Block &block) {
    std::vector<TileSweep> sweeps = findSweeps(block, fewestElements(), most_);
    for (const TileSweep &sweep : sweeps) form(sweep);
    for (Op &op : block)
      for (size_t r = 0; r < op.regionCount(); ++r) run(*op.region(r));
  }

private:
  void form(const TileSweep &sweep) {
    std::array<int64_t, 2> part = partOf(sweep, lanes_);
    int64_t parts = 1;
    for (size_t d = 0; d < 2; ++d) parts *= (sweep.extents[d] + part[d] - 1) / part[d];
    if (parts < kFewestParts) return;
    if (!sweep.sums.empty() && part[0] * part[1] > kMostSums * lanes_) return;
    if (sweep.needs == ArgumentPromise::Disjoint) kernel_.forms.add(Form::Disjoint);
    if (sweep.needs == ArgumentPromise::DisjointOrSame) kernel_.forms.add(Form::DisjointOrSame);
    SweepFormer(sweep, context_, part).run();
  }

  Kernel &kernel_;
  Context &context_;
  int64_t lanes_;
  ArgumentPromise most_;
};

} // namespace

void formSweepLoops(Kernel &kernel, const TargetInfo &target, Context &context) {
  KernelSweeps sweeps(kernel, target, context);
  carryOffsets(kernel, sweeps.fewestElements(), context);
  sweeps.run(kernel.body);
}

} // namespace xt
