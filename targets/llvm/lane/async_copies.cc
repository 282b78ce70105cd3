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

// The conditions for everything that is copied to be inside of its matrix. Indices that differ in a constant share one.
std::vector<LaneAsyncCopies::Bound> LaneAsyncCopies::boundsOf(const std::vector<Portion> &portions) {
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
  return bounds;
}

const CountedIndex *LaneAsyncCopies::countedAt(const LlvmValue *root) const {
  auto found = c.counted.find(root);
  return found == c.counted.end() ? nullptr : &found->second;
}

LlvmValue *LaneAsyncCopies::firstOf(const CountedIndex &index) {
  LlvmValue *sum = v.number(0);
  for (LlvmValue *each : index.first) sum = b.CreateAdd(sum, v.wide(each));
  return sum;
}

LlvmValue *LaneAsyncCopies::room(const Bound &bound, LlvmValue *root) {
  LlvmValue *number = root ? v.wide(root) : v.number(0);
  LlvmValue *behind = b.CreateSub(v.wide(bound.size), b.CreateAdd(number, v.number(bound.high + 1)));
  return b.CreateOr(b.CreateAdd(number, v.number(bound.low)), behind);
}

// The conditions for numbers that a loop counts on are together that its count is below a limit, which is computed before the
// loop. So are those that hold in all iterations or in none; without them, the limit is 0. Removes these conditions from
// `bounds`. Returns null if no loop counts one of the numbers.
LlvmValue *LaneAsyncCopies::belowLimit(std::vector<Bound> &bounds) {
  const CountedIndex *loop = nullptr;
  for (const Bound &each : bounds)
    if (const CountedIndex *index = countedAt(each.root); !loop && index && index->isBefore(each.size)) loop = index;
  if (!loop) return nullptr;
  llvm::Type *type = loop->counted->getType();
  LlvmValue *limit = v.number(type->isIntegerTy(32) ? INT32_MAX : INT64_MAX), *rooms = v.number(0);
  {
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(loop->before->getTerminator());
    std::erase_if(bounds, [&](const Bound &each) {
      const CountedIndex *index = countedAt(each.root);
      bool counts = index && index->counted == loop->counted;
      if (!loop->isBefore(each.size) || !(counts || loop->isBefore(each.root))) return false;
      LlvmValue *root = counts ? firstOf(*index) : each.root;
      rooms = b.CreateOr(rooms, room(each, root));
      if (counts) {
        LlvmValue *most = b.CreateSub(v.wide(each.size), b.CreateAdd(v.wide(root), v.number(each.high)));
        limit = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, limit, most);
      }
      return true;
    });
    limit = b.CreateSelect(b.CreateICmpSGE(rooms, v.number(0)), limit, v.number(0));
    limit = b.CreateTrunc(limit, type);
  }
  return b.CreateICmpULT(loop->counted, limit);
}

LlvmValue *LaneAsyncCopies::allInside(std::vector<Bound> bounds) {
  LlvmValue *limited = belowLimit(bounds), *rooms = v.number(0);
  for (const Bound &each : bounds) rooms = b.CreateOr(rooms, room(each, each.root));
  LlvmValue *inside = b.CreateICmpSGE(rooms, v.number(0));
  return limited ? b.CreateAnd(limited, inside) : inside;
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

// The address of the row at which a window begins, and of this column, which is relative to what is unknown of the window's.
// What a loop counts is added to the rest, which is computed before the loop.
LlvmValue *LaneAsyncCopies::begin(const Value *from, int64_t columns) {
  const LaneParts &window = v.partsOf(from);
  LlvmValue *roots[] = {placeOf(window[kY]).root, placeOf(window[kX]).root};
  const CountedIndex *indices[] = {countedAt(roots[0]), countedAt(roots[1])}, *loop = indices[indices[0] ? 0 : 1];
  auto isCounted = [&](size_t d) { return loop && indices[d] && indices[d]->counted == loop->counted; };
  LlvmValue *bytes = v.number(elemInfo(from->type().elem()).storageBytes), *address, *units[2];
  {
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    bool early = loop && loop->isBefore(window[kBase]) && loop->isBefore(window[kRowStride]);
    for (size_t d = 0; d < 2 && early; ++d) early = isCounted(d) || loop->isBefore(roots[d]);
    if (early) b.SetInsertPoint(loop->before->getTerminator());
    units[0] = b.CreateMul(window[kRowStride], bytes);
    units[1] = bytes;
    address = byteOffset(b, window[kBase], b.CreateMul(v.number(columns), bytes));
    for (size_t d = 0; d < 2; ++d)
      if (LlvmValue *first = isCounted(d) ? firstOf(*indices[d]) : roots[d])
        address = byteOffset(b, address, b.CreateMul(v.wide(first), units[d]));
  }
  for (size_t d = 0; d < 2; ++d)
    if (isCounted(d)) address = byteOffset(b, address, b.CreateMul(b.CreateZExt(loop->counted, b.getInt64Ty()), units[d]));
  return address;
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
    LanePlace y = placeOf(window[kY]), x = placeOf(window[kX]);
    Shared own{window[kBase], y.root, x.root, x.offset + portion.column, nullptr};
    auto same = std::ranges::find_if(known, [&](const Shared &each) {
      return each.base == own.base && each.row == own.row && each.column == own.column && each.columns == own.columns;
    });
    if (same == known.end()) {
      own.address = begin(portion.from, own.columns);
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
  LlvmValue *all = allInside(boundsOf(portions));
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
