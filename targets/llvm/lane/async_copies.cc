#include "targets/llvm/lane/async_copies.h"

#include "ir/base/check.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "passes/async_copy_width.h"
#include "targets/llvm/lane/addresses.h"

#include <algorithm>

namespace xt {

const Op *LaneAsyncCopies::firstWithoutCode() {
  const Op *found = nullptr;
  walk(c.kernel.body, [&](const Op &op) {
    if (!found && op.kind() == OpKind::AsyncCopy && !asyncCopyWidth(op, c.ranges.roots(), c.target, 1).bytes) found = &op;
  });
  return found;
}

std::vector<LaneAsyncCopies::Portion> LaneAsyncCopies::portionsOf(const Op &commit) {
  std::vector<Portion> portions;
  for (const Value *token : commit.operands()) {
    AsyncCopyOp copy(*token->definingOp());
    int64_t bytes = asyncCopyWidth(*token->definingOp(), c.ranges.roots(), c.target, 1).bytes;
    XT_CHECK(bytes > 0, "copies without code are refused before");
    Type tile = copy.from()->type();
    for (int64_t row = 0; row < tile.extent(0); ++row)
      for (int64_t column = 0; column < tile.extent(1); column += bytes / elemInfo(tile.elem()).storageBytes)
        portions.push_back({copy.from(), copy.to(), row, column, bytes});
  }
  return portions;
}

// Adds the condition that `number` to `number + last` are inside of [0, size), unless it surely holds.
void LaneAsyncCopies::bound(std::vector<Bound> &bounds, LlvmValue *number, int64_t last, LlvmValue *size, Interval range) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(size);
  if (known && range.low >= 0 && range.high < known->getSExtValue() - last) return;
  LanePlace place = placeOf(number);
  auto same = std::ranges::find_if(bounds, [&](const Bound &each) { return each.root == place.root && each.size == size; });
  if (same == bounds.end()) same = bounds.insert(bounds.end(), {place.root, size, place.offset, place.offset});
  same->low = std::min(same->low, place.offset);
  same->high = std::max(same->high, place.offset + last);
}

// Whether everything that is copied is inside of its matrix. Indices that differ in a constant share a condition.
LlvmValue *LaneAsyncCopies::allInside(const std::vector<Portion> &portions) {
  std::vector<Bound> bounds;
  for (const Portion &portion : portions) {
    const LaneParts &window = v.partsOf(portion.from);
    int64_t elements = portion.bytes / elemInfo(portion.from->type().elem()).storageBytes;
    auto moved = [](Interval range, int64_t by) { return by ? Interval{} : range; };
    LlvmValue *row = v.add(window[kY], llvm::ConstantInt::get(window[kY]->getType(), static_cast<uint64_t>(portion.row))),
              *column = v.add(window[kX], llvm::ConstantInt::get(window[kX]->getType(), static_cast<uint64_t>(portion.column)));
    bound(bounds, row, 0, window[kRows], moved(c.ranges.ofWindow(portion.from, 0), portion.row));
    bound(bounds, column, elements - 1, window[kColumns], moved(c.ranges.ofWindow(portion.from, 1), portion.column));
  }
  LlvmValue *all = nullptr;
  for (const Bound &each : bounds) {
    LlvmValue *root = each.root ? v.wide(each.root) : v.number(0);
    LlvmValue *first = b.CreateAdd(root, v.number(each.low)),
              *after = b.CreateSub(v.wide(each.size), b.CreateAdd(root, v.number(each.high + 1)));
    LlvmValue *room = b.CreateOr(first, after);
    all = all ? b.CreateOr(all, room) : room;
  }
  return all ? b.CreateICmpSGE(all, v.number(0)) : b.getTrue();
}

// The bytes of a portion that are inside of its matrix. Portions begin at multiples of their size.
LlvmValue *LaneAsyncCopies::present(const Portion &portion) {
  const LaneParts &window = v.partsOf(portion.from);
  int64_t each = elemInfo(portion.from->type().elem()).storageBytes;
  LlvmValue *row = b.CreateAdd(v.wide(window[kY]), v.number(portion.row)),
            *column = b.CreateAdd(v.wide(window[kX]), v.number(portion.column));
  LlvmValue *room = b.CreateSub(v.wide(window[kColumns]), column);
  room = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, room, v.number(0));
  room = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, room, v.number(portion.bytes / each));
  LlvmValue *inside = b.CreateAnd(v.below(row, v.wide(window[kRows])), b.CreateICmpSGE(column, v.number(0)));
  return b.CreateTrunc(b.CreateSelect(inside, b.CreateMul(room, v.number(each)), v.number(0)), b.getInt32Ty());
}

// Computes where the portions begin. Rows that differ in a constant share an address, from which the distance is one product of
// 32 bits.
void LaneAsyncCopies::findSources(std::vector<Portion> &portions) {
  struct Shared {
    LlvmValue *base, *row, *column;
    int64_t columns;
    LlvmValue *address;
  };
  std::vector<Shared> known;
  for (Portion &portion : portions) {
    const LaneParts &window = v.partsOf(portion.from);
    int64_t bytes = elemInfo(portion.from->type().elem()).storageBytes;
    LanePlace y = placeOf(window[kY]), x = placeOf(window[kX]);
    Shared own{window[kBase], y.root, x.root, x.offset + portion.column, nullptr};
    auto same = std::ranges::find_if(known, [&](const Shared &each) {
      return each.base == own.base && each.row == own.row && each.column == own.column && each.columns == own.columns;
    });
    if (same == known.end()) {
      LlvmValue *rows = y.root ? b.CreateMul(v.wide(y.root), b.CreateMul(window[kRowStride], v.number(bytes))) : v.number(0);
      LlvmValue *columns = x.root ? b.CreateAdd(v.wide(x.root), v.number(own.columns)) : v.number(own.columns);
      own.address = byteOffset(b, byteOffset(b, own.base, rows), b.CreateMul(columns, v.number(bytes)));
      same = known.insert(known.end(), own);
    }
    portion.source = same->address;
    portion.rows = y.offset + portion.row;
  }
}

void LaneAsyncCopies::copy(const Portion &portion, LlvmValue *present) {
  int64_t bytes = elemInfo(portion.from->type().elem()).storageBytes;
  LlvmValue *pitch = b.CreateTrunc(v.partsOf(portion.from)[kRowStride], b.getInt32Ty()); // fits, as launches check
  pitch = b.CreateMul(v.wide(pitch), v.number(bytes * portion.rows));
  LlvmValue *to = LaneAddresses(c).slmAddress(portion.to, {portion.row, portion.column});
  c.device.copyAsync(b, to, byteOffset(b, portion.source, pitch), portion.bytes, present);
}

void LaneAsyncCopies::emitCommit(const Op &op) {
  std::vector<Portion> portions = portionsOf(op);
  findSources(portions);
  LlvmValue *all = allInside(portions);
  auto whole = [&] {
    for (const Portion &portion : portions) copy(portion, nullptr);
  };
  auto parts = [&] {
    for (const Portion &portion : portions) copy(portion, present(portion));
  };
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(all))
    known->isOne() ? whole() : parts();
  else
    ifThen(b, all, whole, parts);
  for (const Portion &portion : portions) c.noteAligned(portion.from, portion.bytes);
  c.device.commitAsync(b);
}

void LaneAsyncCopies::emitWait(const Op &op) { c.device.waitAsync(b, c.groups.later(op)); }

} // namespace xt
