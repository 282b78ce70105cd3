// Data that the parts of a fused loop share: the values that it evaluates, and where it writes them.
#pragma once
#include "targets/cpu/vector/kernel_emitter.h"

#include <optional>

namespace xt {

struct LoopNode { // a value that the loop evaluates
  Value *value;
  bool computed; // whether the loop computes it; otherwise it is read from its buffer
  LlvmValue *invariant = nullptr; // for a constant or splat: its register
  TileAccess tile{}; // for a load: the tile that it loads
  std::optional<TileAccess> ahead = {}; // for a buffer that a load has filled: this loop prefetches for later loads
  RowAccess row{}; // the current row of `tile` or `ahead`
  LlvmValue *rowPointer = nullptr; // the address of the current row of a buffer, a broadcast's operand or a nest's sums
  // A register that is equal in the whole row: an iota along a dimension of rows, a broadcast column, or whether the row of a
  // mask is within the limits of the other dimensions.
  LlvmValue *rowValue = nullptr;
  LlvmValue *limit = nullptr; // for a mask: the first column that is not set, between 0 and the row's length
};

struct LoopSink { // a value that the loop writes
  Value *value;
  const Buffer *buffer; // either a buffer …
  const Value *tile; // … or a tile
  TileAccess access{};
  RowAccess row{};
  LlvmValue *rowPointer = nullptr;
  std::optional<OpKind> reduces = {};
  int64_t rowsEach = 1;
  bool mayStream = false;
};

} // namespace xt
