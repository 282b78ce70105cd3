// How a panel of b is read: in place, packed by this or another workgroup, or packed by the first tile of rows.
#pragma once
#include "targets/cpu/products/nest_sharing.h"
#include "targets/cpu/products/panel_packer.h"

namespace xt {

class NestPanels {
public:
  NestPanels(NestContext &context, NestSharing &sharing, PanelPacker &packer)
      : n(context), p(context.problem), b(context.b), sharing_(sharing), packer_(packer) {}

  // The panel from `column` on. `isInside`: all its columns are in bounds of b.
  NestPanel panelAt(const NestBlock &block, LlvmValue *column, LlvmValue *isInside);
  LlvmValue *isInsideRight(const NestBlock &block);
  LlvmValue *isNarrow(LlvmValue *column); // whether narrowTile() or middleTile() takes the panel there

private:
  NestPanel plainPanel(const NestBlock &block, LlvmValue *column, LlvmValue *isInside);
  NestPanel packPanel(const NestBlock &block, LlvmValue *column, LlvmValue *copied);
  LlvmValue *isCopied(const NestBlock &block, LlvmValue *isInside);
  LlvmValue *sourceOf(const NestBlock &block, LlvmValue *column);
  LlvmValue *panelsFrom(const NestBlock &block, LlvmValue *column);
  LlvmValue *widthAt(LlvmValue *column); // NestPanel::width of a panel there

  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  NestSharing &sharing_;
  PanelPacker &packer_;
};

} // namespace xt
