// Tiles and tensor_descs. Blocks that no instruction of the device moves are accessed element by element.
#pragma once
#include "targets/llvm/lane/lane_context.h"

namespace xt {

// The part of an index with these digits that depends on the number of a lane of a subgroup of `lanes`: the sum of the digits
// on the lane axis. Null: 0.
LlvmValue *lanePart(llvm::IRBuilderBase &b, LlvmValue *lane, int64_t lanes, std::span<const Factor> digits);

// A block in memory that an instruction of the whole subgroup moves.
struct BlockPlace {
  LlvmValue *whole = nullptr; // whether the block is in bounds and aligned; a constant `false` if it never is
  LlvmValue *address = nullptr; // of its first element
  LlvmValue *pitch = nullptr; // elements from one row to the next, or from one column to the next
  bool byRows = true; // whether rows are contiguous, otherwise columns are
  bool never() const;
};

class LaneWindows : LanePart {
public:
  using LanePart::LanePart;
  LaneParts makeWindow(const Op &op);
  void moveWindow(const Op &op);
  void emitLoadTile(const Op &op);
  void emitStoreTile(const Op &op);
  void emitLoadNd(const Op &op);
  void emitStoreNd(const Op &op);

  // The elements of a window that belong to this lane: a lattice of rows x columns, each at an index in the window.
  struct Lattice {
    LlvmValue *row = nullptr, *column = nullptr; // the lane's contribution to every index; null: none
    std::vector<int64_t> rows, columns; // ascending
    size_t count() const { return rows.size() * columns.size(); }
  };
  Lattice latticeOf(Type window);
  struct Reach {
    std::vector<LlvmValue *> rowRoom, columnRoom; // room() of each row and column; empty: no check is needed
    std::vector<LlvmValue *> rowBytes, columnBytes; // byte offsets from the base
    LlvmValue *base = nullptr;
    Swizzle swizzle;
  };
  Reach reach(const Value *window, const Lattice &lattice);
  LlvmValue *address(const Reach &reach, size_t row, size_t column);
  LlvmValue *inside(const Reach &reach, size_t row, size_t column);
  // The place of a block, computed from what all lanes of the subgroup share. `alignmentOf`: the number of bytes, a power of
  // two, of which each row must begin at a multiple if rows are contiguous (it gets the dimension 1), or each column (dimension
  // 0).
  BlockPlace placeOf(const Value *desc, llvm::function_ref<int64_t(int dim)> alignmentOf);

private:
  LaneParts viewOf(const Op &op, size_t rank);
  LlvmValue *room(LlvmValue *index, LlvmValue *size);
  bool staysInside(const Value *window, size_t dim, LlvmValue *size);
  LlvmValue *insideAll(const LlvmValues &rooms); // whether none is negative, as an i1
  LlvmValue *allInside(const Reach &reach);
  struct Guarded { // a rectangle of a lattice; ends are exclusive
    size_t row, column, rowEnd, columnEnd;
    size_t count() const { return (rowEnd - row) * (columnEnd - column); }
  };
  std::vector<Guarded> guardedGroups(const Reach &reach, const Lattice &lattice) const;
  size_t elementsOfWord(const Op &op, const Lattice &lattice);
  Fragment loadElements(const Value *window, const Lattice &lattice, LlvmValue *padding, size_t pack = 1);
  void storeElements(const Value *window, const Lattice &lattice, const Fragment &value);
  Fragment shaped(const Op &op, Fragment own);
  void orderLanes(bool byMessage);
};

} // namespace xt
