// Emits `nest`, the K loop of a matrix product, packed and blocked.
//
// A plan (nest_plan.h) divides K into blocks. In each block, the emitted code iterates over panels of the columns of `b`, which
// are as wide as a register tile. A panel is packed (and converted or transposed if necessary), packed by the first tile of
// rows while it multiplies, or, for few rows of `a`, read in place (nest_panels.h). The microkernel then iterates over the rows
// of `a` (row_loop.h, amx_tiles.h), which it reads from memory directly if possible, otherwise from staged rows
// (left_stager.h). One or two rows of `a`, or a few if a large `b` is converted, sweep over whole rows of `b` instead
// (nest_sweep.h).
//
// Sums stay in registers during a block and in scratch memory between blocks (sum_places.h). After the last block they are
// stored to the result directly if nothing else is computed from them; otherwise they pass, through a few cells that stay in
// the L1 cache, to the loop that uses them.
#pragma once
#include "targets/cpu/products/amx_tiles.h"
#include "targets/cpu/products/left_stager.h"
#include "targets/cpu/products/nest_panels.h"
#include "targets/cpu/products/nest_sweep.h"
#include "targets/cpu/products/row_loop.h"

namespace xt {

class NestEmitter {
public:
  NestEmitter(KernelEmitter &emitter, const Op &nest, SharedPanels &panels);
  // Writes all sums to the result's own buffer.
  void toBuffer();
  // Computes the store's value from the sums and writes it to the store's tile.
  void toTile(const Op &store);

private:
  void run(FusedLoop &sink, LlvmValue *apart, bool storesSums);
  LlvmValue *totalDepth();
  TileAccess windowOf(size_t operand, LlvmValue *total);
  void plan(LlvmValue *rows, LlvmValue *columns, LlvmValue *apart);
  void setSides();
  void numberRows();
  void addSkipped(LlvmValue *skipped);
  void emitBlock(LlvmValue *index);
  void emitPanels(const NestBlock &block);

  NestContext n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  KernelEmitter &e_;
  NestReader reader_;
  NestSlices slices_;
  PanelPacker packer_;
  LeftStager stager_;
  NestSharing sharing_;
  NestPanels panels_;
  SumPlaces sums_;
  PanelPrefetcher prefetcher_;
  std::unique_ptr<RegisterTiles> tiles_; // null: AMX
  std::optional<RowLoop> rows_;
  AmxTiles amx_;
  NestSweep sweep_;
};

} // namespace xt
