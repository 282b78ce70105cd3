// Tiles, and blocks that no message takes: each lane reads and writes its own elements.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/views/tile.h"
#include "targets/xe/emit/kernel_emitter.h"

namespace xt {
namespace {

// Of an address without bounds: a row that reaches far to both sides of it.
constexpr int64_t kMiddle = int64_t{1} << 40;

} // namespace

// Base, sizes and strides of what a window is made on. An address has those that are given; a window of one dimension
// on an address is a row without ends.
XeKernelEmitter::Parts XeKernelEmitter::viewOf(const Op &op, size_t rank) {
  const Value *base = op.operand(0);
  bool given = op.operandCount() == 1 + 3 * rank;
  Parts view;
  if (base->type().isMemRef())
    view = parts_.at(base);
  else
    view = {pointer(asIndex(base))};
  if (given) {
    view.truncate(1);
    for (size_t d = 0; d < 2 * rank; ++d) {
      LlvmValue *number = scalar(op.operand(1 + rank + d));
      view.push_back(d < rank ? number : wide(number));
    }
  } else if (view.size() == 1) {
    int64_t bytes = elemInfo(op.result()->type().elem()).storageBytes;
    view = {byteOffset(b, view[0], number(-kMiddle * bytes)), number(2 * kMiddle), number(1)};
  }
  return view;
}

XeKernelEmitter::Parts XeKernelEmitter::makeWindow(const Op &op) {
  const Value *base = op.operand(0);
  Type type = op.result()->type();
  bool line =
      op.info().typeRule == TypeRule::CreateNdTdesc && (base->type().isMemRef() ? base->type().rank() : type.rank()) == 1;
  auto rank = static_cast<size_t>(base->type().isMemRef() ? base->type().rank() : line ? 1 : 2);
  bool given = op.operandCount() == 1 + 3 * rank;
  Parts view = viewOf(op, rank);
  auto size = [&](size_t d) { return view[1 + d]; };
  auto stride = [&](size_t d) { return view[1 + rank + d]; };
  auto offset = [&](size_t d) { return scalar(op.operand(1 + d)); };
  if (given && op.info().typeRule == TypeRule::InitTile) {
    size_t innermost = rank - (type.data().order == Order::ColumnMajor ? 2 : 1);
    failIf(b.CreateAnd(b.CreateICmpNE(stride(innermost), number(1)), b.CreateICmpSGT(wide(size(innermost)), number(1))), op,
           "the innermost stride of a base is 1");
  }
  Parts window(kWindowParts, nullptr);
  LlvmValue *elements = number(0), *there = b.getTrue();
  for (size_t d = 0; d + 2 < rank; ++d) {
    elements = b.CreateAdd(elements, b.CreateMul(wide(offset(d)), stride(d)));
    there = b.CreateAnd(there, below(offset(d), size(d)));
  }
  int64_t bytes = elemInfo(type.elem()).storageBytes;
  window[kBase] = byteOffset(b, view[0], b.CreateMul(elements, number(bytes)));
  auto row = [&](size_t d) { return rank - 2 + d; };
  if (line) {
    bool address = !base->type().isMemRef() && !given;
    window[kRows] = number32(1);
    window[kColumns] = size(0);
    window[kRowStride] = number(0);
    window[kColumnStride] = stride(0);
    window[kY] = number32(0);
    window[kX] = address ? b.CreateAdd(wide(offset(0)), number(kMiddle)) : offset(0);
  } else {
    LlvmValue *rows = size(row(0));
    if (int64_t pack = type.packFactor(); pack > 1) // rows behind the last full group are outside
      rows = b.CreateAnd(rows, llvm::ConstantInt::get(rows->getType(), static_cast<uint64_t>(-pack), true));
    window[kRows] = b.CreateSelect(there, rows, llvm::ConstantInt::get(rows->getType(), 0));
    window[kColumns] = size(row(1));
    window[kRowStride] = stride(row(0));
    window[kColumnStride] = stride(row(1));
    window[kY] = offset(row(0));
    window[kX] = offset(row(1));
  }
  for (size_t d = 0; d < 2; ++d) window[kY + d] = resize(window[kY + d], ranges_.ofWindow(op.result(), d).fits32());
  return window;
}

void XeKernelEmitter::moveWindow(const Op &op) {
  Parts window = parts_.at(op.operand(0));
  bool matrix = op.operandCount() == 3;
  for (size_t d = matrix ? 0 : 1; d < 2; ++d) {
    LlvmValue *moved = add(window[kY + d], scalar(op.operand(matrix ? 1 + d : 1)));
    window[kY + d] = moved;
  }
  for (size_t d = 0; d < 2; ++d) window[kY + d] = resize(window[kY + d], ranges_.ofWindow(op.result(), d).fits32());
  parts_[op.result()] = std::move(window);
}

// --- elements --------------------------------------------------------------------------------------------------------

// What a lane's number adds to the indices of its elements: the digits that are the lane's, put together. Null: 0.
LlvmValue *XeKernelEmitter::lanePart(const Layout &layout, int dim) {
  LlvmValue *sum = nullptr;
  int64_t weight = 1;
  std::span<const Factor> digits = layout.factors(dim);
  for (size_t i = digits.size(); i-- > 0; weight *= digits[i].extent) {
    const Factor &f = digits[i];
    if (f.axis != Axis::Lane || f.extent == 1) continue;
    LlvmValue *digit = lane_;
    if (f.stride > 1) digit = b.CreateUDiv(digit, number32(f.stride));
    if (f.stride * f.extent < kernel_.lanes) digit = b.CreateURem(digit, number32(f.extent));
    digit = b.CreateMul(digit, number32(weight));
    sum = sum ? b.CreateAdd(sum, digit) : digit;
  }
  return sum;
}

// A tile is its lane's own; of a block the sg_map says what is.
XeKernelEmitter::Lattice XeKernelEmitter::latticeOf(Type window) {
  Lattice lattice;
  const Layout *layout = window.isTensorDesc() ? window.layout() : nullptr;
  bool matrix = window.rank() == 2;
  auto along = [&](int dim, std::vector<int64_t> &own, LlvmValue *&lanes) {
    if (layout) {
      own = layout->sliceOf(Axis::Lane, 0, dim);
      lanes = lanePart(*layout, dim);
      return;
    }
    for (int64_t i = 0; i < window.extent(dim); ++i) own.push_back(i);
  };
  if (matrix)
    along(0, lattice.rows, lattice.row);
  else
    lattice.rows = {0};
  along(matrix ? 1 : 0, lattice.columns, lattice.column);
  return lattice;
}

// The bounds check of an index as an integer, which is negative if `index` is outside of [0, size). An `or` joins two checks,
// and the compare is in the same block as its branch: Intel's compiler spends time on flags that cross blocks which grows with
// the square of their number.
LlvmValue *XeKernelEmitter::room(LlvmValue *index, LlvmValue *size) {
  match(index, size);
  LlvmValue *last = b.CreateSub(size, llvm::ConstantInt::get(size->getType(), 1));
  return b.CreateOr(index, b.CreateSub(last, index)); // the difference overflows only if the index is negative
}

XeKernelEmitter::Reach XeKernelEmitter::reach(const Value *window, const Lattice &lattice) {
  const Parts &parts = parts_.at(window);
  Type type = window->type();
  int64_t bytes = elemInfo(type.elem()).storageBytes, pack = type.packFactor();
  bool checked = !type.isTensorDesc() || type.data().boundaryCheck;
  Reach reach;
  reach.base = parts[kBase];
  bool matrix = type.rank() == 2;
  auto along = [&](size_t dim, LlvmValue *offset, LlvmValue *lanes, LlvmValue *size, const std::vector<int64_t> &own,
                   std::vector<LlvmValue *> &rooms, auto distance, std::vector<LlvmValue *> &places) {
    // Of buffers of a known size: the window never leaves it.
    Interval first = ranges_.ofWindow(window, dim);
    int64_t extent = matrix ? type.extent(static_cast<int>(dim)) : dim == 0 ? 1 : type.extent(0);
    auto *known = llvm::dyn_cast<llvm::ConstantInt>(size);
    bool checks = checked && !(known && first.low >= 0 && first.high < known->getSExtValue() - (extent - 1));
    if (lanes) offset = add(offset, lanes);
    for (int64_t i : own) {
      LlvmValue *at = b.CreateAdd(offset, llvm::ConstantInt::get(offset->getType(), static_cast<uint64_t>(i), true));
      if (checks) rooms.push_back(room(at, size));
      places.push_back(distance(at));
    }
  };
  along(
      0, parts[kY], lattice.row, parts[kRows], lattice.rows, reach.rowRoom,
      [&](LlvmValue *row) {
        LlvmValue *at = wide(row);
        if (pack == 1) return b.CreateMul(b.CreateMul(at, parts[kRowStride]), number(bytes));
        LlvmValue *inPack = b.CreateAnd(at, number(pack - 1));
        LlvmValue *above = b.CreateMul(b.CreateSub(at, inPack), parts[kRowStride]);
        return b.CreateMul(b.CreateAdd(above, inPack), number(bytes));
      },
      reach.rowBytes);
  along(
      1, parts[kX], lattice.column, parts[kColumns], lattice.columns, reach.columnRoom,
      [&](LlvmValue *column) { return b.CreateMul(b.CreateMul(wide(column), parts[kColumnStride]), number(bytes * pack)); },
      reach.columnBytes);
  return reach;
}

LlvmValue *XeKernelEmitter::address(const Reach &reach, size_t row, size_t column) {
  return byteOffset(b, reach.base, b.CreateAdd(reach.rowBytes[row], reach.columnBytes[column]));
}

LlvmValue *XeKernelEmitter::insideAll(const LlvmValues &rooms) {
  if (rooms.empty()) return b.getTrue();
  LlvmValue *all = nullptr;
  for (LlvmValue *each : rooms) {
    if (all) match(all, each);
    all = all ? b.CreateOr(all, each) : each;
  }
  return b.CreateICmpSGT(all, llvm::ConstantInt::getSigned(all->getType(), -1));
}

LlvmValue *XeKernelEmitter::inside(const Reach &reach, size_t row, size_t column) {
  LlvmValues rooms;
  if (!reach.rowRoom.empty()) rooms.push_back(reach.rowRoom[row]);
  if (!reach.columnRoom.empty()) rooms.push_back(reach.columnRoom[column]);
  return insideAll(rooms);
}

// Whether every element is inside. Indices ascend, so the first and the last decide.
LlvmValue *XeKernelEmitter::allInside(const Reach &reach) {
  LlvmValues rooms;
  for (const auto *dimension : {&reach.rowRoom, &reach.columnRoom})
    if (!dimension->empty()) rooms.insert(rooms.end(), {dimension->front(), dimension->back()});
  return insideAll(rooms);
}

// Elements that share a condition: a whole row if columns need no check, a whole column if rows need none.
std::vector<XeKernelEmitter::Guarded> XeKernelEmitter::guardedGroups(const Reach &reach, const Lattice &lattice) const {
  size_t rows = lattice.rows.size(), columns = lattice.columns.size();
  size_t tall = reach.rowRoom.empty() ? rows : 1, wide = reach.columnRoom.empty() ? columns : 1;
  std::vector<Guarded> groups;
  for (size_t r = 0; r < rows; r += tall)
    for (size_t c = 0; c < columns; c += wide) groups.push_back({r, c, r + tall, c + wide});
  return groups;
}

// One branch if all elements are inside, which is the usual case, else one branch for each group.
Fragment XeKernelEmitter::loadElements(const Value *window, const Lattice &lattice, LlvmValue *padding) {
  Elem elem = window->type().elem();
  Reach where = reach(window, lattice);
  size_t columns = lattice.columns.size();
  auto load = [&](const Guarded &group) {
    LlvmValues read;
    for (size_t r = group.row; r < group.rowEnd; ++r)
      for (size_t c = group.column; c < group.columnEnd; ++c) read.push_back(loadAt(address(where, r, c), elem));
    return read;
  };
  auto loadAll = [&] { return load({0, 0, lattice.rows.size(), columns}); };
  auto loadGroups = [&] {
    LlvmValues read(lattice.count(), nullptr);
    for (const Guarded &group : guardedGroups(where, lattice)) {
      LlvmValue *reads = inside(where, group.row, group.column);
      auto *decided = llvm::dyn_cast<llvm::ConstantInt>(reads);
      LlvmValues none(group.count(), padding);
      LlvmValues some = !decided           ? ifElse(
                                                 b, reads, [&] { return load(group); }, [&] { return none; })
                        : decided->isOne() ? load(group)
                                           : none;
      for (size_t r = group.row, k = 0; r < group.rowEnd; ++r)
        for (size_t c = group.column; c < group.columnEnd; ++c) read[r * columns + c] = some[k++];
    }
    return read;
  };
  LlvmValue *all = allInside(where);
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(all);
  LlvmValues read = known && known->isOne()         ? loadAll()
                    : known || lattice.count() == 1 ? loadGroups()
                                                    : ifElse(b, all, loadAll, loadGroups);
  Fragment result;
  for (LlvmValue *element : read) result.push_back({element});
  return result;
}

void XeKernelEmitter::storeElements(const Value *window, const Lattice &lattice, const Fragment &value) {
  Elem elem = window->type().elem();
  Reach where = reach(window, lattice);
  LlvmValues elements;
  for (const FragmentElement &element : value) elements.push_back(scalarOf(b, element));
  size_t columns = lattice.columns.size();
  auto store = [&](const Guarded &group) {
    for (size_t r = group.row; r < group.rowEnd; ++r)
      for (size_t c = group.column; c < group.columnEnd; ++c) storeAt(address(where, r, c), elem, elements[r * columns + c]);
  };
  auto storeAll = [&] { store({0, 0, lattice.rows.size(), columns}); };
  auto storeGroups = [&] {
    for (const Guarded &group : guardedGroups(where, lattice))
      guardedDo(inside(where, group.row, group.column), [&] { store(group); });
  };
  LlvmValue *all = allInside(where);
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(all);
  if (known && known->isOne())
    storeAll();
  else if (known || lattice.count() == 1)
    storeGroups();
  else
    ifThen(b, all, storeAll, storeGroups);
}

void XeKernelEmitter::emitLoadTile(const Op &op) {
  const Value *tile = op.operand(0);
  Elem elem = tile->type().elem();
  const AttrValue *written = LoadTileOp(op).padding();
  LlvmValue *padding = written ? ops_.constant(elem, *written, 0) : ops_.zero(elem, 0);
  Lattice lattice = latticeOf(tile->type());
  Fragment read = loadElements(tile, lattice, padding);
  if (transposes(op)) {
    Fragment turned;
    for (size_t c = 0; c < lattice.columns.size(); ++c)
      for (size_t r = 0; r < lattice.rows.size(); ++r) turned.push_back(read[r * lattice.columns.size() + c]);
    read = std::move(turned);
  }
  fragments_[op.result()] = std::move(read);
}

void XeKernelEmitter::emitStoreTile(const Op &op) {
  const Value *tile = op.operand(1);
  storeElements(tile, latticeOf(tile->type()), fragment(op.operand(0)));
}

} // namespace xt
