// Ops that rearrange the elements of vectors, and reductions within a fragment.
#pragma once
#include "targets/llvm/lane/lane_context.h"

namespace xt {

class LaneVectorOps : LanePart {
public:
  using LanePart::LanePart;
  void emitIota(const Op &op);
  void emitCreateMask(const Op &op);
  void emitTranspose(const Op &op);
  void emitReduction(const Op &op);
  void emitBroadcast(const Op &op);
  void emitExtract(const Op &op);
  void emitInsert(const Op &op);
  void emitSlice(const Op &op);

private:
  LlvmValue *elementAt(const Fragment &fragment, LlvmValue *place);
};

} // namespace xt
