// An op before its types are known. The parts of the lowering of ops fill it in.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

struct OpDraft {
  const OpInfo *info = nullptr;
  std::vector<Value *> operands;
  std::vector<SourceRange> operandRanges;
  std::vector<Attr> attrs;
  std::vector<const ast::Attr *> layoutAttrs; // attributes without a key, as in `{#a, #b}`; applyLayouts() takes them
  Type written; // the result type, if it is written
  SourceRange writtenRange, range;
  SourceRange nameRange; // the range of the op's name in a clause
  std::vector<OperandLayout> layouts; // emitDraft() sets their op
  std::vector<WrittenLayout> declared; // where layouts of the single result are written
  std::optional<LayoutPair> pair; // emitDraft() sets its op
};

} // namespace xt
