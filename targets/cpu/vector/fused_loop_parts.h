// What the parts of a fused loop share: the values that it evaluates, and where it writes them.
#pragma once
#include "targets/cpu/vector/kernel_emitter.h"

#include <optional>

namespace xt {

struct LoopNode { // a value that the loop evaluates
  Value *value;
  bool computed; // otherwise it is read from its buffer
  LlvmValue *invariant = nullptr; // constants and splats
  TileAccess tile{}; // for a load
  std::optional<TileAccess> ahead = {}; // for a buffer that a load has filled: this loop prefetches for later loads
  RowAccess row{}; // for `tile` or `ahead`
  LlvmValue *rowPointer = nullptr; // for a buffer
  LlvmValue *rowValue = nullptr; // one value for the whole row: an iota along the rows, or a stretched column
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
