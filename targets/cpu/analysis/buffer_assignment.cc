#include "targets/cpu/analysis/buffer_assignment.h"

#include "ir/elem_kinds.h"
#include "ir/nest_rows.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/dense_columns.h"
#include "targets/cpu/analysis/live_ranges.h"
#include "targets/cpu/analysis/product_style.h"
#include "targets/cpu/analysis/vector_values.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace xt {
namespace {

constexpr int64_t kTooLarge = std::numeric_limits<int64_t>::max() / 4;

int64_t times(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) || result > kTooLarge ? kTooLarge : result;
}
int64_t plus(int64_t a, int64_t b) { return std::min(a + b, kTooLarge); } // of saturated operands
int64_t roundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

} // namespace

int64_t BufferShape::bytes() const { return roundUp(times(rows, pitch), kBufferAlignment); }

BufferShape bufferShape(Type vector, Elem elem) {
  BufferShape shape;
  shape.elem = elem;
  for (int d = 0; d < vector.rank(); ++d) {
    if (d + 1 == vector.rank())
      shape.columns = vector.extent(d);
    else
      shape.rows = times(shape.rows, vector.extent(d));
  }
  shape.pitch = roundUp(times(shape.columns, elemInfo(elem).storageBytes), kBufferAlignment);
  // Rows at a distance of a large power of two would map to only a few sets of the cache.
  if (shape.rows > 1 && shape.pitch % 512 == 0) shape.pitch = plus(shape.pitch, kBufferAlignment);
  return shape;
}

// An AVX2 panel has 96 bytes and begins at a multiple of 32 before the last column, so it may end 64 bytes past a multiple of
// 256.
BufferShape nestSumsShape(const Op &nest) {
  static_assert(kBufferAlignment >= 64);
  const Type sum = nest.result()->type();
  const Elem elem = mmaElem(nest.operand(0)->type().elem());
  const int64_t bytes = times(sum.extent(1), elemInfo(elem).storageBytes);
  return {sum.extent(0), sum.extent(1), elem, plus(roundUp(bytes, kNestPanelBytes), kBufferAlignment)};
}

BufferShape denseColumnShape(Type vector, Elem elem) { return {vector.extent(0), 1, elem, elemInfo(elem).storageBytes}; }

Elem mmaElem(Elem operand) {
  if (operand == Elem::F64) return Elem::F64;
  return operand == Elem::I8 || operand == Elem::U8 ? Elem::I32 : Elem::F32;
}

bool readsBuffers(const Op &op) {
  constexpr TypeRule kPicking[] = {TypeRule::InitTile,
                                   TypeRule::UpdateTileOffset,
                                   TypeRule::AtomicUpdate,
                                   TypeRule::LoadGather,
                                   TypeRule::StoreScatter,
                                   TypeRule::Transpose,
                                   TypeRule::Reshape,
                                   TypeRule::Extract,
                                   TypeRule::Print,
                                   TypeRule::Shuffle,
                                   TypeRule::SubgroupReduce,
                                   TypeRule::ExtractStridedSlice,
                                   TypeRule::InsertStridedSlice,
                                   TypeRule::Scan};
  if (op.kind() == OpKind::Reduction) return !isStreamedReduction(op);
  if (op.kind() == OpKind::Broadcast) return !isReadingBroadcast(op);
  if (keepsRows(op)) return false;
  return std::find(std::begin(kPicking), std::end(kPicking), op.info().typeRule) != std::end(kPicking);
}

const Buffer *BufferAssignment::bufferOf(const Value *value) const {
  auto found = values_.find(value);
  return found == values_.end() ? nullptr : &buffers_[found->second];
}

const Buffer *BufferAssignment::stagingOf(const Op *op, size_t operand) const {
  auto found = staging_.find({op, operand});
  return found == staging_.end() ? nullptr : &buffers_[found->second];
}

std::vector<BufferAssignment::Entry> BufferAssignment::largest(size_t count) const {
  std::vector<Entry> entries;
  for (const Value *value : order_) entries.push_back({value, bufferOf(value)});
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry &a, const Entry &b) { return a.buffer->shape.bytes() > b.buffer->shape.bytes(); });
  if (entries.size() > count) entries.resize(count);
  return entries;
}

class BufferAssigner {
public:
  BufferAssigner(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu)
      : kernel_(kernel), fusion_(fusion), cpu_(cpu), live_(kernel, fusion) {}

  BufferAssignment assign() {
    std::unordered_set<const Value *> columns = findDenseColumns(kernel_);
    for (const Value *value : live_.values()) {
      auto shape = columns.contains(value) ? denseColumnShape : bufferShape;
      classes_.push_back({shape(value->type(), bufferElem(value->type())), live_.range(live_.numberOf(value))});
    }
    forEachOp(kernel_.body, [&](const Op &op) { makeRoomForSums(op); });
    parent_.resize(classes_.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    forEachOp(kernel_.body, [&](const Op &op) { reserveDestinations(op); });
    forEachOp(kernel_.body, [&](const Op &op) { shareYields(op); });
    forEachOp(kernel_.body, [&](const Op &op) { shareAccumulator(op); });
    forEachOp(kernel_.body, [&](const Op &op) { shareInits(op); });
    forEachOp(kernel_.body, [&](const Op &op) { shareOperands(op); });
    forEachOp(kernel_.body, [&](const Op &op) { separate(op); });
    forEachOp(kernel_.body, [&](const Op &op) { stage(op); });
    place();
    return std::move(result_);
  }

private:
  struct Class { // values that share one buffer
    BufferShape shape;
    LiveRange range;
    int64_t offset = -1;
  };

  int find(int number) const {
    while (parent_[static_cast<size_t>(number)] != number) number = parent_[static_cast<size_t>(number)];
    return number;
  }
  Class &classOf(int number) { return classes_[static_cast<size_t>(find(number))]; }
  int numberOf(const Value *value) const { return live_.numberOf(value); }

  void unite(int a, int b) {
    int into = std::min(find(a), find(b)), from = std::max(find(a), find(b));
    if (into == from) return;
    classOf(into).range.merge(classOf(from).range);
    parent_[static_cast<size_t>(from)] = into;
  }
  void tryShare(const Value *a, const Value *b) {
    int x = numberOf(a), y = numberOf(b);
    if (x < 0 || y < 0 || find(x) == find(y)) return;
    if (classOf(x).shape != classOf(y).shape || classOf(x).range.intersects(classOf(y).range)) return;
    unite(x, y);
  }

  // A copy at the end of a region or at the entry of a loop.
  struct Move {
    Value *from;
    const Value *to;
  };
  static std::vector<Move> yieldMoves(const Op &op, size_t region) {
    std::vector<Move> moves;
    const Block &block = *op.region(region);
    const Op *yield = block.last();
    if (!yield || yield->kind() != OpKind::Yield) return moves;
    size_t first = carriedAt(op).yield;
    for (size_t i = first; i < yield->operandCount(); ++i)
      if (livesInBuffer(yield->operand(i)->type())) moves.push_back({yield->operand(i), op.result(i - first)});
    return moves;
  }
  static std::vector<Move> entryMoves(const Op &op) {
    std::vector<Move> moves;
    CarriedAt at = carriedAt(op);
    if (!at.loops) return moves;
    for (size_t i = 0; i < op.resultCount(); ++i)
      if (livesInBuffer(op.result(i)->type())) moves.push_back({op.operand(at.operand + i), op.region(0)->param(at.param + i)});
    return moves;
  }

  // A loop's parameter and result share one buffer. It is reserved from the start of the moves into it: at the loop's entry,
  // and at the end of each region up to the end of the op.
  void reserveDestinations(const Op &op) {
    for (const Move &move : entryMoves(op)) {
      unite(numberOf(move.to), numberOf(op.result(move.to->index() - carriedAt(op).param)));
      classOf(numberOf(move.to)).range.add(live_.readAt(&op) + 1, live_.beginOf(op.region(0)));
    }
    for (size_t r = 0; r < op.regionCount(); ++r)
      for (const Move &move : yieldMoves(op, r)) {
        LiveRange &range = classOf(numberOf(move.to)).range;
        range.add(live_.readAt(op.region(r)->last()) + 1, live_.endOf(op.region(r)));
        range.add(live_.writeAt(&op) - 1, live_.writeAt(&op));
      }
  }
  void shareYields(const Op &op) {
    for (size_t r = 0; r < op.regionCount(); ++r)
      for (const Move &move : yieldMoves(op, r)) tryShare(move.from, move.to);
  }
  void shareInits(const Op &op) {
    for (const Move &move : entryMoves(op)) tryShare(move.from, move.to);
  }
  // Whether the op adds products to a buffer: that of its result.
  bool addsInPlace(const Op &op) const {
    return op.kind() == OpKind::TileMma ? op.operandCount() > 2 : op.kind() == OpKind::Nest && !fusion_.storeOf(op);
  }

  // Rows of a nest's sums have room for whole panels. So do all values of that shape, as they may share the buffer of the sums.
  void makeRoomForSums(const Op &op) {
    if (op.kind() != OpKind::Nest || fusion_.storeOf(op)) return;
    const BufferShape plain = bufferShape(op.result()->type(), bufferElem(op.result()->type()));
    for (Class &each : classes_)
      if (each.shape == plain) each.shape = nestSumsShape(op);
  }

  void shareAccumulator(const Op &op) {
    if (addsInPlace(op))
      for (const Value *leaf : fusion_.leaves(op.operand(2))) tryShare(leaf, op.result());
  }
  void shareOperands(const Op &op) {
    if (worksInPlace(op) && numberOf(op.result()) >= 0)
      for (const Value *leaf : fusion_.leavesOf(op)) tryShare(leaf, op.result());
  }

  // If a value does not share its destination's buffer, the two must not overlap in memory either: a loop that reads one and
  // writes the other with a different shape would overwrite elements before it reads them.
  void separateFrom(const Value *from, const Value *to, Moment read) {
    int x = numberOf(from), y = numberOf(to);
    if (x < 0 || y < 0 || find(x) == find(y)) return;
    classOf(x).range.add(read, read + 1);
  }
  void separateMove(const Move &move, Moment read) {
    for (const Value *leaf : fusion_.leaves(move.from)) separateFrom(leaf, move.to, read);
  }
  void separate(const Op &op) {
    if (worksInPlace(op) && numberOf(op.result()) >= 0 && !fusion_.fillerOf(op.result()))
      for (const Value *leaf : fusion_.leavesOf(op)) separateFrom(leaf, op.result(), live_.readAt(&op));
    if (const Value *filled = fusion_.filledBy(op))
      for (const Value *leaf : fusion_.leavesOf(op)) separateFrom(leaf, filled, live_.readAt(&op));
    if (addsInPlace(op))
      for (const Value *leaf : fusion_.leaves(op.operand(2))) separateFrom(leaf, op.result(), live_.readAt(&op));
    for (const Move &move : entryMoves(op)) separateMove(move, live_.readAt(&op));
    for (size_t r = 0; r < op.regionCount(); ++r)
      for (const Move &move : yieldMoves(op, r)) separateMove(move, live_.readAt(op.region(r)->last()));
  }

  // Adds the scratch buffers of a nest. An inline nest runs at its store, so its buffers are live there.
  void stageNest(const Op &op) {
    const Op *at = fusion_.storeOf(op);
    if (!at) at = &op;
    Elem elem = mmaElem(op.operand(0)->type().elem());
    Type sum = op.result()->type();
    int64_t bytes = elemInfo(elem).storageBytes, staged = nestStagedBytes(sum.extent(0));
    BufferShape shapes[kNestBuffers];
    for (BufferShape &shape : shapes) shape = {1, kNestPanelBytes / bytes, elem, kNestPanelBytes};
    shapes[kNestLeft] = {roundUp(sum.extent(0), kNestCellRows), staged / bytes, elem, staged + kBufferAlignment};
    // The last row holds the facts about the panel, at most a row of column sums (movesLeftBytes).
    shapes[kNestPanel].rows = kNestDepthBytes / bytes + 1;
    shapes[kNestRowSums] = {1, sum.extent(0), elem, roundUp(times(sum.extent(0), bytes), kBufferAlignment)};
    shapes[kNestCells].rows = kNestKeyRow + 1;
    shapes[kNestSums] = nestSumsShape(op);
    const Value *rows = nestRows(op);
    if (rows) shapes[kNestRows] = bufferShape(rows->type(), kIndexElem);
    for (size_t i = 0; i < kNestBuffers; ++i)
      if (i == kNestSums ? fusion_.storeOf(op) != nullptr : i != kNestRows || (rows && numberOf(rows) < 0))
        addStaging(op, i, shapes[i], live_.readAt(at));
  }

  void addStaging(const Op &op, size_t number, BufferShape shape, Moment from) {
    Class staging{shape, {}};
    staging.range.add(from, from + 1);
    staged_.push_back({&op, number, static_cast<int>(classes_.size())});
    parent_.push_back(static_cast<int>(classes_.size()));
    classes_.push_back(std::move(staging));
  }

  void stage(const Op &op) {
    if (op.kind() == OpKind::Nest) return stageNest(op);
    bool mma = op.kind() == OpKind::TileMma;
    if (!mma && !readsBuffers(op)) return;
    bool pairs = mma && multipliesPairs(cpu_, op);
    for (size_t i = 0; i < (mma ? 2 : op.operandCount()); ++i) {
      const Value *operand = op.operand(i);
      if (!livesInBuffer(operand->type())) continue;
      Elem elem = bufferElem(operand->type()), wanted = mma && !pairs ? mmaElem(elem) : elem;
      if (numberOf(operand) >= 0 && elem == wanted) continue;
      addStaging(op, i, bufferShape(operand->type(), wanted), live_.readAt(&op));
    }
    if (!pairs) return;
    BufferShape words = bufferShape(op.operand(1)->type(), mmaElem(Elem::BF16));
    words.rows /= 2;
    addStaging(op, kMmaWords, words, live_.readAt(&op));
    if (op.operandCount() > 2 && multipliesInTiles(cpu_, op))
      addStaging(op, kMmaCells, {kAmxSide, kAmxSide, Elem::F32, kAmxRowBytes}, live_.readAt(&op));
  }

  // Assigns offsets by first fit, to the largest buffers first.
  void place() {
    std::vector<int> order;
    for (int i = 0; i < static_cast<int>(classes_.size()); ++i)
      if (find(i) == i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return classes_[static_cast<size_t>(a)].shape.bytes() > classes_[static_cast<size_t>(b)].shape.bytes();
    });
    std::vector<int> placed;
    for (int number : order) {
      Class &own = classes_[static_cast<size_t>(number)];
      std::vector<std::pair<int64_t, int64_t>> taken; // [begin, end)
      for (int other : placed) {
        const Class &there = classes_[static_cast<size_t>(other)];
        if (own.range.intersects(there.range)) taken.push_back({there.offset, plus(there.offset, there.shape.bytes())});
      }
      std::sort(taken.begin(), taken.end());
      int64_t offset = 0;
      for (auto [begin, end] : taken) {
        if (plus(offset, own.shape.bytes()) <= begin) break;
        offset = std::max(offset, end);
      }
      own.offset = offset;
      placed.push_back(number);
      result_.scratchBytes_ = std::max(result_.scratchBytes_, plus(offset, own.shape.bytes()));
    }
    record();
  }

  void record() {
    for (const Class &entry : classes_) result_.buffers_.push_back({entry.shape, entry.offset});
    for (size_t i = 0; i < live_.values().size(); ++i) {
      const Value *value = live_.values()[i];
      result_.values_[value] = static_cast<size_t>(find(static_cast<int>(i)));
      result_.order_.push_back(value);
    }
    for (const Staged &staged : staged_) result_.staging_[{staged.op, staged.operand}] = static_cast<size_t>(staged.number);
  }

  struct Staged {
    const Op *op;
    size_t operand;
    int number;
  };
  const Kernel &kernel_;
  const FusionPlan &fusion_;
  const CpuInfo &cpu_;
  LiveRanges live_;
  std::vector<Class> classes_; // by value number, then the staging buffers
  std::vector<int> parent_;
  std::vector<Staged> staged_;
  BufferAssignment result_;
};

BufferAssignment assignBuffers(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu) {
  return BufferAssigner(kernel, fusion, cpu).assign();
}

} // namespace xt
