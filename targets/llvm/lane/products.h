// Matrix products: by an instruction of the device, or multiplied lane by lane.
#pragma once
#include "targets/llvm/lane/lane_context.h"

namespace xt {

class LaneProducts : LanePart {
public:
  using LanePart::LanePart;
  // Null if the device has all products of the kernel.
  const Op *firstWithoutInstruction();
  void emitDpas(const Op &op);
  void emitTileMma(const Op &op);
};

} // namespace xt
