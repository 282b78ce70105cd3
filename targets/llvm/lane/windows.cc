#include "targets/llvm/lane/windows.h"

#include "ir/views/tile.h"
#include "ir/views/xegpu.h"
#include "targets/llvm/lane/access_order.h"
#include "targets/llvm/lane/addresses.h"
#include "targets/llvm/lane/failures.h"
#include "targets/llvm/lane/line_loads.h"
#include "targets/llvm/lane/memory.h"

namespace xt {
namespace {

// An address without bounds refers to a row that extends far to both sides of it. This is the index of the address in the row.
constexpr int64_t kMiddle = int64_t{1} << 40;

bool isOne(LlvmValue *stride) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(stride);
  return constant && constant->isOne();
}

// The pointer as one to bytes. A variable is a pointer to an array, which instructions on blocks do not take.
LlvmValue *toBytes(llvm::IRBuilderBase &b, LlvmValue *pointer) {
  if (!llvm::isa<llvm::GlobalVariable>(pointer)) return pointer;
  return b.Insert(llvm::GetElementPtrInst::Create(b.getInt8Ty(), pointer, {b.getInt64(0)})); // not folded
}

// The elements as vectors of up to eight words, an operand of a product.
LlvmValues inWords(llvm::IRBuilderBase &b, const LlvmValues &elements, size_t pack) {
  constexpr size_t kWords = 8;
  constexpr unsigned kWordBits = 32;
  LlvmValues vectors;
  for (size_t k = 0; k < elements.size(); k += kWords * pack) {
    Fragment part;
    for (size_t i = k; i < std::min(elements.size(), k + kWords * pack); ++i) part.push_back({elements[i]});
    vectors.push_back(asShiftedWords(b, part, kWordBits));
  }
  return vectors;
}

} // namespace

// Returns the base, sizes and strides of the memory that a window refers to. Sizes and strides are operands of the op if it has
// them, otherwise they are those of the memref. A one-dimensional window on an address without sizes refers to an unbounded
// row.
LaneParts LaneWindows::viewOf(const Op &op, size_t rank) {
  const Value *base = op.operand(0);
  bool given = op.operandCount() == 1 + 3 * rank;
  LaneParts view;
  if (base->type().isMemRef())
    view = v.partsOf(base);
  else
    view = {LaneMemoryOps(c).pointer(v.asIndex(base))};
  if (given) {
    view.truncate(1);
    for (size_t d = 0; d < 2 * rank; ++d) {
      LlvmValue *number = v.scalar(op.operand(1 + rank + d));
      view.push_back(d < rank ? number : v.wide(number));
    }
  } else if (view.size() == 1) {
    int64_t bytes = elemInfo(op.result()->type().elem()).storageBytes;
    view = {byteOffset(b, view[0], v.number(-kMiddle * bytes)), v.number(2 * kMiddle), v.number(1)};
  }
  return view;
}

LaneParts LaneWindows::makeWindow(const Op &op) {
  const Value *base = op.operand(0);
  Type type = op.result()->type();
  bool line =
      op.info().typeRule == TypeRule::CreateNdTdesc && (base->type().isMemRef() ? base->type().rank() : type.rank()) == 1;
  auto rank = static_cast<size_t>(base->type().isMemRef() ? base->type().rank() : line ? 1 : 2);
  bool given = op.operandCount() == 1 + 3 * rank;
  LaneParts view = viewOf(op, rank);
  auto size = [&](size_t d) { return view[1 + d]; };
  auto stride = [&](size_t d) { return view[1 + rank + d]; };
  auto offset = [&](size_t d) { return v.scalar(op.operand(1 + d)); };
  if (given && op.info().typeRule == TypeRule::InitTile) {
    size_t innermost = rank - (type.data().order == Order::ColumnMajor ? 2 : 1);
    LaneFailures(c).failIf(
        b.CreateAnd(b.CreateICmpNE(stride(innermost), v.number(1)), b.CreateICmpSGT(v.wide(size(innermost)), v.number(1))), op,
        "the innermost stride of a base must be 1");
  }
  LaneParts window(kWindowParts, nullptr);
  LlvmValue *elements = v.number(0), *there = b.getTrue();
  for (size_t d = 0; d + 2 < rank; ++d) {
    elements = b.CreateAdd(elements, b.CreateMul(v.wide(offset(d)), stride(d)));
    there = b.CreateAnd(there, v.below(offset(d), size(d)));
  }
  int64_t bytes = elemInfo(type.elem()).storageBytes;
  window[kBase] = byteOffset(b, view[0], b.CreateMul(elements, v.number(bytes)));
  auto row = [&](size_t d) { return rank - 2 + d; };
  if (line) {
    bool address = !base->type().isMemRef() && !given;
    window[kRows] = v.number32(1);
    window[kColumns] = size(0);
    window[kRowStride] = v.number(0);
    window[kColumnStride] = stride(0);
    window[kY] = v.number32(0);
    window[kX] = address ? b.CreateAdd(v.wide(offset(0)), v.number(kMiddle)) : offset(0);
  } else {
    LlvmValue *rows = size(row(0));
    if (int64_t pack = type.packFactor(); pack > 1) // rows after the last full group are out of bounds
      rows = b.CreateAnd(rows, llvm::ConstantInt::get(rows->getType(), static_cast<uint64_t>(-pack), true));
    window[kRows] = b.CreateSelect(there, rows, llvm::ConstantInt::get(rows->getType(), 0));
    window[kColumns] = size(row(1));
    window[kRowStride] = stride(row(0));
    window[kColumnStride] = stride(row(1));
    window[kY] = offset(row(0));
    window[kX] = offset(row(1));
  }
  for (size_t d = 0; d < 2; ++d) window[kY + d] = v.resize(window[kY + d], c.ranges.ofWindow(op.result(), d).fits32());
  return window;
}

void LaneWindows::moveWindow(const Op &op) {
  LaneParts window = v.partsOf(op.operand(0));
  bool matrix = op.operandCount() == 3;
  for (size_t d = matrix ? 0 : 1; d < 2; ++d) {
    LlvmValue *moved = v.add(window[kY + d], v.scalar(op.operand(matrix ? 1 + d : 1)));
    window[kY + d] = moved;
  }
  for (size_t d = 0; d < 2; ++d) window[kY + d] = v.resize(window[kY + d], c.ranges.ofWindow(op.result(), d).fits32());
  v.setParts(op.result(), std::move(window));
}

LlvmValue *lanePart(llvm::IRBuilderBase &b, LlvmValue *lane, int64_t lanes, std::span<const Factor> digits) {
  auto number = [&](int64_t value) { return b.getInt32(static_cast<uint32_t>(value)); };
  LlvmValue *sum = nullptr;
  int64_t weight = 1;
  for (size_t i = digits.size(); i-- > 0; weight *= digits[i].extent) {
    const Factor &f = digits[i];
    if (f.axis != Axis::Lane || f.extent == 1) continue;
    LlvmValue *digit = lane;
    if (f.stride > 1) digit = b.CreateUDiv(digit, number(f.stride));
    if (f.stride * f.extent < lanes) digit = b.CreateURem(digit, number(f.extent));
    digit = b.CreateMul(digit, number(weight));
    sum = sum ? b.CreateAdd(sum, digit) : digit;
  }
  return sum;
}

// Returns the elements of a window that belong to this lane: all of a tile, or those that the sg_map of a block gives to it.
LaneWindows::Lattice LaneWindows::latticeOf(Type window) {
  Lattice lattice;
  const Layout *layout = window.isTensorDesc() ? window.layout() : nullptr;
  bool matrix = window.rank() == 2;
  auto along = [&](int dim, std::vector<int64_t> &own, LlvmValue *&lanes) {
    if (layout) {
      own = layout->sliceOf(Axis::Lane, 0, dim);
      lanes = lanePart(b, c.lane, c.kernel.lanes, layout->factors(dim));
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

// Returns an integer for a bounds check, which is negative if `index` is outside of [0, size). An `or` joins two checks, and
// the compare is in the same block as its branch, because the time that Intel's compiler spends on flags which cross blocks
// grows with the square of their number.
LlvmValue *LaneWindows::room(LlvmValue *index, LlvmValue *size) {
  v.match(index, size);
  LlvmValue *last = b.CreateSub(size, llvm::ConstantInt::get(size->getType(), 1));
  return b.CreateOr(index, b.CreateSub(last, index)); // the difference overflows only if the index is negative
}

// Whether no check is needed, because the size of the buffer is known and the window is always within it.
bool LaneWindows::staysInside(const Value *window, size_t dim, LlvmValue *size) {
  Type type = window->type();
  Interval first = c.ranges.ofWindow(window, dim);
  int64_t extent = type.rank() == 2 ? type.extent(static_cast<int>(dim)) : dim == 0 ? 1 : type.extent(0);
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(size);
  return known && first.low >= 0 && first.high < known->getSExtValue() - (extent - 1);
}

LaneWindows::Reach LaneWindows::reach(const Value *window, const Lattice &lattice) {
  const LaneParts &parts = v.partsOf(window);
  Type type = window->type();
  int64_t bytes = elemInfo(type.elem()).storageBytes, pack = type.packFactor();
  bool checked = !type.isTensorDesc() || type.data().boundaryCheck;
  Reach reach;
  reach.base = parts[kBase];
  reach.swizzle = LaneAddresses(c).swizzle(window);
  auto along = [&](size_t dim, LlvmValue *offset, LlvmValue *lanes, LlvmValue *size, const std::vector<int64_t> &own,
                   std::vector<LlvmValue *> &rooms, auto distance, std::vector<LlvmValue *> &places) {
    bool checks = checked && !staysInside(window, dim, size);
    if (lanes) offset = v.add(offset, lanes);
    for (int64_t i : own) {
      LlvmValue *at = b.CreateAdd(offset, llvm::ConstantInt::get(offset->getType(), static_cast<uint64_t>(i), true));
      if (checks) rooms.push_back(room(at, size));
      places.push_back(distance(at));
    }
  };
  along(
      0, parts[kY], lattice.row, parts[kRows], lattice.rows, reach.rowRoom,
      [&](LlvmValue *row) {
        LlvmValue *at = v.wide(row);
        if (pack == 1) return b.CreateMul(b.CreateMul(at, parts[kRowStride]), v.number(bytes));
        LlvmValue *inPack = b.CreateAnd(at, v.number(pack - 1));
        LlvmValue *above = b.CreateMul(b.CreateSub(at, inPack), parts[kRowStride]);
        return b.CreateMul(b.CreateAdd(above, inPack), v.number(bytes));
      },
      reach.rowBytes);
  along(
      1, parts[kX], lattice.column, parts[kColumns], lattice.columns, reach.columnRoom,
      [&](LlvmValue *column) { return b.CreateMul(b.CreateMul(v.wide(column), parts[kColumnStride]), v.number(bytes * pack)); },
      reach.columnBytes);
  return reach;
}

LlvmValue *LaneWindows::address(const Reach &reach, size_t row, size_t column) {
  LlvmValue *offset = b.CreateAdd(reach.rowBytes[row], reach.columnBytes[column]);
  if (const Swizzle &s = reach.swizzle) {
    LlvmValue *bits = b.CreateAnd(b.CreateLShr(offset, static_cast<uint64_t>(s.base + s.shift)), v.number((1 << s.bits) - 1));
    offset = b.CreateXor(offset, b.CreateShl(bits, static_cast<uint64_t>(s.base)));
  }
  return byteOffset(b, reach.base, offset);
}

LlvmValue *LaneWindows::insideAll(const LlvmValues &rooms) {
  if (rooms.empty()) return b.getTrue();
  LlvmValue *all = nullptr;
  for (LlvmValue *each : rooms) {
    if (all) v.match(all, each);
    all = all ? b.CreateOr(all, each) : each;
  }
  return b.CreateICmpSGT(all, llvm::ConstantInt::getSigned(all->getType(), -1));
}

LlvmValue *LaneWindows::inside(const Reach &reach, size_t row, size_t column) {
  LlvmValues rooms;
  if (!reach.rowRoom.empty()) rooms.push_back(reach.rowRoom[row]);
  if (!reach.columnRoom.empty()) rooms.push_back(reach.columnRoom[column]);
  return insideAll(rooms);
}

bool BlockPlace::never() const {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(whole);
  return known && known->isZero();
}

BlockPlace LaneWindows::placeOf(const Value *desc, llvm::function_ref<int64_t(int dim)> alignmentOf) {
  const LaneParts &parts = v.partsOf(desc);
  const Type type = desc->type();
  const bool byRows = isOne(parts[kColumnStride]);
  if (!byRows && !isOne(parts[kRowStride])) return {.whole = b.getFalse()};
  auto wide = [&](size_t part) { return v.wide(parts[part]); };
  LlvmValue *bytes = v.number(elemInfo(type.elem()).storageBytes), *rooms = v.number(0);
  if (type.data().boundaryCheck)
    for (size_t d = 0; d < 2; ++d) { // negative if the block leaves its matrix
      if (staysInside(desc, d, parts[kRows + d])) continue;
      LlvmValue *last = b.CreateSub(wide(kRows + d), v.number(type.extent(static_cast<int>(d))));
      rooms = b.CreateOr(rooms, b.CreateOr(wide(kY + d), b.CreateSub(last, wide(kY + d))));
    }
  LlvmValue *elements = b.CreateAdd(b.CreateMul(wide(kY), parts[kRowStride]), b.CreateMul(wide(kX), parts[kColumnStride]));
  BlockPlace place{.byRows = byRows};
  place.address = toBytes(b, byteOffset(b, parts[kBase], b.CreateMul(elements, bytes)));
  place.pitch = byRows ? parts[kRowStride] : parts[kColumnStride];
  place.whole = b.CreateICmpSGT(rooms, v.number(-1));
  if (const int64_t alignment = alignmentOf(byRows ? 1 : 0); alignment > elemInfo(type.elem()).storageBytes) {
    LlvmValue *apart = b.CreateOr(b.CreatePtrToInt(place.address, b.getInt64Ty()), b.CreateMul(place.pitch, bytes));
    LlvmValue *odd = b.CreateAnd(apart, v.number(alignment - 1));
    place.whole = b.CreateAnd(place.whole, b.CreateICmpEQ(odd, v.number(0)));
  }
  return place;
}

// Whether every element is inside. Indices ascend, so the first and the last decide.
LlvmValue *LaneWindows::allInside(const Reach &reach) {
  LlvmValues rooms;
  for (const auto *dimension : {&reach.rowRoom, &reach.columnRoom})
    if (!dimension->empty()) rooms.insert(rooms.end(), {dimension->front(), dimension->back()});
  return insideAll(rooms);
}

// Returns groups of elements that share a condition: a whole row if columns need no check, a whole column if rows need none.
std::vector<LaneWindows::Guarded> LaneWindows::guardedGroups(const Reach &reach, const Lattice &lattice) const {
  size_t rows = lattice.rows.size(), columns = lattice.columns.size();
  size_t tall = reach.rowRoom.empty() ? rows : 1, wide = reach.columnRoom.empty() ? columns : 1;
  std::vector<Guarded> groups;
  for (size_t r = 0; r < rows; r += tall)
    for (size_t c = 0; c < columns; c += wide) groups.push_back({r, c, r + tall, c + wide});
  return groups;
}

// How many elements of a load leave its branches in one word: those of a lane's column that is operand b of products. 1: each
// alone.
size_t LaneWindows::elementsOfWord(const Op &op, const Lattice &lattice) {
  constexpr unsigned kWordBits = 32;
  llvm::Type *type = ops.type(op.result()->type().elem(), 0);
  const bool column = lattice.rows.size() == 1 || lattice.columns.size() == 1;
  if (!c.device.joinsBehindBranches() || !column || !type->isIntegerTy()) return 1;
  const unsigned bits = type->getIntegerBitWidth();
  if (bits < 8 || bits >= kWordBits || lattice.count() % (kWordBits / bits) != 0 || !isOperandB(op.result())) return 1;
  return kWordBits / bits;
}

// At run time there is one branch if all elements are inside, which is the usual case, else one branch for each group. `pack`:
// the elements that share a word of what is returned.
Fragment LaneWindows::loadElements(const Value *window, const Lattice &lattice, LlvmValue *padding, size_t pack) {
  Elem elem = window->type().elem();
  Reach where = reach(window, lattice);
  LaneMemoryOps memory(c);
  size_t columns = lattice.columns.size();
  auto load = [&](const Guarded &group) {
    LlvmValues read;
    for (size_t r = group.row; r < group.rowEnd; ++r)
      for (size_t c = group.column; c < group.columnEnd; ++c) read.push_back(memory.loadAt(address(where, r, c), elem));
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
  const bool branches = !known && lattice.count() > 1;
  auto joined = [&](LlvmValues elements) { return branches && pack > 1 ? inWords(b, elements, pack) : elements; };
  LlvmValues read = known && known->isOne() ? loadAll()
                    : !branches ? loadGroups()
                                : ifElse(b, all, [&] { return joined(loadAll()); }, [&] { return joined(loadGroups()); });
  Fragment result;
  for (LlvmValue *part : read) {
    if (branches && pack > 1)
      append(result, part, static_cast<int>(pack));
    else
      result.push_back({part});
  }
  return result;
}

void LaneWindows::storeElements(const Value *window, const Lattice &lattice, const Fragment &value) {
  Elem elem = window->type().elem();
  Reach where = reach(window, lattice);
  LaneMemoryOps memory(c);
  LlvmValues elements;
  for (const FragmentElement &element : value) elements.push_back(scalarOf(b, element));
  size_t columns = lattice.columns.size();
  auto store = [&](const Guarded &group) {
    for (size_t r = group.row; r < group.rowEnd; ++r)
      for (size_t c = group.column; c < group.columnEnd; ++c)
        memory.storeAt(address(where, r, c), elem, elements[r * columns + c]);
  };
  auto storeAll = [&] { store({0, 0, lattice.rows.size(), columns}); };
  auto storeGroups = [&] {
    for (const Guarded &group : guardedGroups(where, lattice))
      memory.guardedDo(inside(where, group.row, group.column), [&] { store(group); });
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

void LaneWindows::emitLoadTile(const Op &op) {
  const Value *tile = op.operand(0);
  Elem elem = tile->type().elem();
  const AttrValue *written = LoadTileOp(op).padding();
  LlvmValue *padding = written ? ops.constant(elem, *written, 0) : ops.zero(elem, 0);
  Lattice lattice = latticeOf(tile->type());
  Fragment read = loadElements(tile, lattice, padding, elementsOfWord(op, lattice));
  if (transposes(op)) {
    Fragment turned;
    for (size_t c = 0; c < lattice.columns.size(); ++c)
      for (size_t r = 0; r < lattice.rows.size(); ++r) turned.push_back(read[r * lattice.columns.size() + c]);
    read = std::move(turned);
  }
  v.setFragment(op.result(), std::move(read));
}

void LaneWindows::emitStoreTile(const Op &op) {
  const Value *tile = op.operand(1);
  storeElements(tile, latticeOf(tile->type()), v.fragment(op.operand(0)));
}

// Orders an access to a block with the accesses that single lanes made before or make afterwards. A message of the whole
// subgroup needs no barrier if no lane writes on its own.
void LaneWindows::orderLanes(bool byMessage) {
  if (!byMessage || c.lanesWrite) c.barrier(LaneScope::Subgroup);
}

// Converts the lane's fragment of a block to the form that load_nd returns: transposed, and with neighbours packed into 32
// bits.
Fragment LaneWindows::shaped(const Op &op, Fragment own) {
  Type desc = op.operand(0)->type(), result = op.result()->type();
  std::vector<int64_t> shape = desc.layout()->ownerShape(Axis::Lane);
  auto rows = static_cast<size_t>(shape.size() == 2 ? shape[0] : 1), columns = static_cast<size_t>(shape.back());
  if (desc.rank() == 2 && transposes(op)) {
    Fragment turned;
    for (size_t c = 0; c < columns; ++c)
      for (size_t r = 0; r < rows; ++r) turned.push_back(own[r * columns + c]);
    own = std::move(turned);
    std::swap(rows, columns);
  }
  if (LoadNdOp(op).vnniAxis() != 0) return own; // along the second dimension the packed elements are already adjacent
  auto factor = static_cast<size_t>(result.extent(2));
  Fragment packed;
  for (size_t r = 0; r < rows; r += factor)
    for (size_t c = 0; c < columns; ++c)
      for (size_t f = 0; f < factor; ++f) packed.push_back(own[(r + f) * columns + c]);
  return packed;
}

void LaneWindows::emitLoadNd(const Op &op) {
  const Value *desc = op.operand(0);
  const MemorySpace space = desc->type().data().space;
  bool asMatrix = c.device.takesMatrix(c, op), byMessage = c.device.takesBlock(op);
  std::optional<LineRead> byRows = asMatrix || byMessage ? std::nullopt : LaneLines(c).readOf(op);
  auto byLanes = [&] { return loadElements(desc, latticeOf(desc->type()), ops.zero(desc->type().elem(), 0)); };
  auto inOrder = [&] { // in place of a message
    orderLanes(false);
    Fragment own = byLanes();
    orderLanes(false);
    return own;
  };
  bool ordered = (byRows || (byMessage && space == MemorySpace::Slm)) && isOrderedByBarriers(op, space);
  bool together = byMessage || asMatrix || byRows;
  if (!ordered) orderLanes(together);
  Fragment own = asMatrix    ? c.device.loadMatrix(c, op, [&] { return shaped(op, byLanes()); })
                 : byMessage ? shaped(op, c.device.loadBlock(c, op, inOrder))
                 : byRows    ? shaped(op, LaneLines(c).load(op, *byRows, byLanes))
                             : shaped(op, byLanes());
  if (!ordered) orderLanes(together);
  v.setFragment(op.result(), std::move(own));
}

void LaneWindows::emitStoreNd(const Op &op) {
  const Value *desc = op.operand(1);
  bool byMessage = c.device.takesBlock(op);
  auto byLanes = [&](const Fragment &value) { storeElements(desc, latticeOf(desc->type()), value); };
  const Fragment &stored = v.fragment(op.operand(0));
  orderLanes(byMessage);
  if (byMessage)
    c.device.storeBlock(c, op, stored, [&] {
      orderLanes(false);
      byLanes(stored);
      orderLanes(false);
    });
  else if (c.device.takesMatrix(c, op))
    c.device.storeMatrix(c, op, stored, byLanes);
  else
    byLanes(stored);
  orderLanes(byMessage);
}

} // namespace xt
