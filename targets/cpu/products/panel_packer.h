// Packs panels of `b`: elements that are converted, words of elements that are adjacent along K, or slices of floats.
#pragma once
#include "targets/cpu/products/nest_reader.h"
#include "targets/cpu/products/nest_slices.h"

namespace xt {

class PanelPacker {
public:
  PanelPacker(NestContext &context, NestReader &reader, NestSlices &slices)
      : n(context), p(context.problem), b(context.b), e_(context.e), reader_(reader), slices_(slices) {}

  // Fills the memory of a panel, and the facts after it: its column sums or its least magnitude.
  void fillPanel(const NestBlock &block, const NestPanel &panel);

private:
  // The destination: the first panel, bytes from panel to panel, their number (NestPanel::panels), and the columns of one panel
  // (NestPanel::width).
  struct PackedPanels {
    LlvmValue *first, *panelStep, *panels, *width;
  };
  // How rows of `b` that are in bounds are packed: a mask of their columns that are in bounds (TileMemory::insideBits), and the
  // number of columns that are packed at once. `bits` null: bounds are checked for each row and column.
  struct InsideColumns {
    LlvmValue *bits = nullptr;
    int64_t columns = 0;
  };
  struct StepRange { // the steps [begin, end) of the block that starts at step `first`
    LlvmValue *first, *begin, *end;
  };

  LlvmValue *packInto(const NestBlock &block, LlvmValue *column, const PackedPanels &to);
  LlvmValue *packTransposed(const NestBlock &block, LlvmValue *column, const PackedPanels &to);
  LlvmValue *packInside(LlvmValue *column, const PackedPanels &to, StepRange steps);
  LlvmValue *insideSteps(const NestBlock &block, LlvmValue *column, const PackedPanels &to);
  bool endsInside() const;
  void fillRows(const PackedPanels &to, StepRange steps); // fills rows with zeros
  LlvmValue *packRows(LlvmValue *column, const PackedPanels &to, StepRange steps, const InsideColumns &inside,
                      LlvmValue *least);
  LlvmValue *packedAt(const PackedPanels &to, LlvmValue *line, LlvmValue *column);
  LlvmValue *packedLine(const PackedPanels &to, LlvmValue *step) {
    return byteOffset(b, to.first, b.CreateMul(n.packedWord(step), n.number(p.panelPitch())));
  }
  LlvmValue *columnsOf(const PackedPanels &to) {
    return to.width ? to.width : to.panels ? b.CreateMul(to.panels, n.number(p.panelColumns())) : n.number(p.panelColumns());
  }
  void prefetchRows(LlvmValue *step, LlvmValue *column, int64_t columns);
  LlvmValue *panelChunk(const RowAccess &row, LlvmValue *column, LlvmValue *at, LlvmValue *inside, int count);

  // panel_packer_words.cc
  int64_t wordsTogether(const InsideColumns &inside) const;
  LlvmValues packWords(LlvmValue *step, LlvmValue *column, LlvmValue *line, const PackedPanels &to, const InsideColumns &inside,
                       LlvmValues known);
  LlvmValue *columnSumsOf(const PackedPanels &to) { return byteOffset(b, to.first, to.panelStep); }
  void storePanelRow(const LlvmValues &registers, LlvmValue *at);
  LlvmValue *addedToColumn(LlvmValue *sum, LlvmValue *words);
  void sumPackedColumns(const NestBlock &block, const PackedPanels &to);
  void correctColumnSums(LlvmValue *at);
  LlvmValue *packTransposedSlices(const NestBlock &block, LlvmValue *column, const PackedPanels &to);
  void packPairs(LlvmValue *step, LlvmValue *column, LlvmValue *line, const PackedPanels &to, const InsideColumns &inside);
  void packSlices(const PackedPanels &to, LlvmValue *line, LlvmValue *at, LlvmValue *even, LlvmValue *odd);

  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  KernelEmitter &e_;
  NestReader &reader_;
  NestSlices &slices_;
};

} // namespace xt
