// Determines how a panel of `b` is read: in place, packed by this or another workgroup, or packed by the first tile of rows.
#pragma once
#include "targets/cpu/products/nest_sharing.h"
#include "targets/cpu/products/panel_packer.h"

namespace xt {

class NestPanels {
public:
  NestPanels(NestContext &context, NestSharing &sharing, PanelPacker &packer)
      : n(context), p(context.problem), b(context.b), sharing_(sharing), packer_(packer) {}

  // Returns the panel from `column` on, and packs it if necessary. `isInside`: whether all its columns are in bounds of `b`.
  NestPanel panelAt(const NestBlock &block, LlvmValue *column, LlvmValue *isInside);
  LlvmValue *isInsideRight(const NestBlock &block);

private:
  void setNarrowWidth(NestPanel &panel);
  void setNarrowOrMiddle(NestPanel &panel);
  void readOrPack(const NestBlock &block, NestPanel &panel, LlvmValue *isInside);
  void pack(const NestBlock &block, NestPanel &panel, LlvmValue *copied);
  LlvmValue *isCopied(const NestBlock &block, LlvmValue *isInside);
  LlvmValue *sourceOf(const NestBlock &block, LlvmValue *column);
  LlvmValue *panelsFrom(const NestBlock &block, LlvmValue *column);

  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  NestSharing &sharing_;
  PanelPacker &packer_;
};

} // namespace xt
