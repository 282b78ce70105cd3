// Blocks whose rows a device loads by instructions of the whole subgroup (LaneDevice::loadsLines).
#pragma once
#include "ir/gpu/line_reads.h"
#include "targets/llvm/lane/windows.h"

namespace xt {

// Whether products take the value as operand b, which has 32 bits of a column in one integer.
bool isOperandB(const Value *value);

class LaneLines : LanePart {
public:
  using LanePart::LanePart;
  // How the block of a load_nd is loaded by rows; nullopt if it is not.
  std::optional<LineRead> readOf(const Op &load);
  // Returns the lane's elements of the block of a load_nd in row-major order. A block that is partly out of bounds, or whose
  // rows are not aligned, is loaded at run time by the code of `byLanes`, which returns the same elements.
  Fragment load(const Op &op, const LineRead &read, llvm::function_ref<Fragment()> byLanes);

private:
  Fragment wordsOfRows(const Value *desc, const LineRead &read, const BlockPlace &place);
};

} // namespace xt
