// Internal to the pass block-tiles: ops whose result elements come from other positions of their operands, so that a block of
// the result may need parts of several blocks.
#pragma once
#include "passes/block_parts.h"

namespace xt {

class BlockMovement {
public:
  BlockMovement(Builder &builder, BlockValues &values, const BlockClasses &classes, BlockParts &parts,
                LaneConversion &conversion)
      : b_(builder), values_(values), classes_(classes), parts_(parts), conversion_(conversion) {}

  void convertLayout(const Op &op);
  void extractSlice(const Op &op);
  void insertSlice(const Op &op);
  void transpose(const Op &op);
  void reduction(const Op &op);
  void broadcast(const Op &op);
  void reshape(const Op &op);

private:
  Value *reduceRegion(const Op &op, std::vector<int64_t> origin, std::vector<int64_t> shape);
  Value *reduceBlock(const Op &op, Value *block, int64_t size);
  Value *broadcastBlock(const Op &op, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape);
  Value *blockOfSameRows(const Op &op, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape);
  Value *blockOfRuns(const Op &op, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape);

  Builder &b_;
  BlockValues &values_;
  const BlockClasses &classes_;
  BlockParts &parts_;
  LaneConversion &conversion_;
};

} // namespace xt
