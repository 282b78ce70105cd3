// Ops that compute element by element, and constants.
#pragma once
#include "targets/llvm/lane/lane_context.h"

#include <optional>

namespace xt {

class LaneElementwise : LanePart {
public:
  using LanePart::LanePart;
  void emitConstant(const Op &op);
  void emitSplat(const Op &op);
  void emitElementwise(const Op &op);

private:
  Interval rangeOfElements(const Value *vector) const;
  std::optional<bool> decidedAlready(const Op &compare) const;
  bool emitIndexOp(const Op &op);
  void noteCounted(const Op &op);
};

} // namespace xt
