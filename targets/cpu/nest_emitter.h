// `nest`: the K loop of a matrix product, packed and blocked.
//
// K is cut into blocks of at most kNestDepthBytes. For each block and each panel of b's columns, as wide as a
// microkernel, the panel is packed (converted, and turned where it lies the other way round), and the microkernel runs
// down the rows of a: straight from memory where it can, else from rows that were staged. Sums stay in registers through
// a block; between blocks they lie in scratch memory; behind the last one they go, through a few cells that stay in the
// first cache, into the loop of what uses them.
#pragma once
#include "targets/cpu/fused_loop.h"
#include "targets/cpu/microkernel.h"
#include "targets/cpu/register_tile.h"

namespace xt {

class NestEmitter {
public:
  NestEmitter(KernelEmitter &emitter, const Op &nest);
  // Into how many parts the work of a workgroup can be divided: panels of columns, if all that the kernel does is to
  // store what is computed from one nest. Else 0.
  static int64_t mostParts(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu);
  // All sums, to the result's own buffer.
  void toBuffer();
  // What the store's value is computed from them, to the store's tile.
  void toTile(const Op &store);

private:
  // a or b in memory, over all of K. `turned`: its rows, which are neighbours in memory, run along the other dimension
  // than the product has them (of a: rows are K; of b: columns).
  struct Side {
    KernelEmitter::TileAccess access;
    bool turned;
  };
  struct Block { // of K
    LlvmValue *first, *depth; // elements
    LlvmValue *isFirst, *isLast;
    LlvmValue *left; // element [0, first] of a
  };
  struct Panel {
    LlvmValue *column; // its first
    LlvmValue *right;  // element [first row of the block, column] of b
  };

  void run(FusedLoop &sink, LlvmValue *inPlace);
  void chooseColumns();
  void addSkipped(LlvmValue *total);
  LlvmValue *totalDepth();
  Side sideOf(size_t operand, LlvmValue *total);
  void boundDepth();
  void chooseLeft();
  void emitBlock(LlvmValue *number, LlvmValue *count, FusedLoop &sink, LlvmValue *inPlace);
  void stageLeft(const Block &block);
  Panel packPanel(const Block &block, LlvmValue *panel);
  void fillPanel(const Block &block, LlvmValue *column, LlvmValue *to);
  void packRows(const Block &block, LlvmValue *column, LlvmValue *to, bool whole);
  void choosePanels(const Op &store, LlvmValue *inPlace);
  LlvmValue *sharedPanel(const Block &block, LlvmValue *column);
  // Squares of registers, turned: element [r, c] of the window goes to address(c, r).
  void stageTurned(const KernelEmitter::TileAccess &from, LlvmValue *row, LlvmValue *rows, LlvmValue *column, LlvmValue *columns,
                   llvm::function_ref<LlvmValue *(LlvmValue *column, LlvmValue *row)> address);
  LlvmValue *multiplied(Elem from, LlvmValue *chunk); // storage form, as what it is multiplied in
  void emitTile(const Block &block, const Panel &panel, LlvmValue *row, FusedLoop &sink, LlvmValue *inPlace);

  LlvmValue *number(int64_t value) { return e_.number(value); }
  LlvmValue *least(LlvmValue *x, LlvmValue *y) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }
  LlvmValue *most(LlvmValue *x, LlvmValue *y) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y); }
  const Buffer &buffer(NestBuffer which) { return *e_.buffers_.stagingOf(&op_, which); }
  LlvmValue *addressOf(NestBuffer which) { return e_.bufferAddress(buffer(which)); }
  LlvmValue *rowOf(NestBuffer which, LlvmValue *row) {
    return byteOffset(b, addressOf(which), b.CreateMul(row, number(buffer(which).shape.pitch)));
  }
  llvm::Align vectorAlign() const { return llvm::Align(static_cast<uint64_t>(lanes_ * bytes_)); }

  KernelEmitter &e_;
  llvm::IRBuilder<> &b;
  const Op &op_;
  const Elem elem_;     // that is multiplied in
  const int64_t bytes_; // of one
  const RegisterTile tile_;
  const int lanes_;
  const bool fresh_; // the sum starts at 0
  Microkernel microkernel_;
  Side left_{}, right_{};
  LlvmValue *rows_ = nullptr, *depth_ = nullptr; // that are computed, and K
  LlvmValue *columnBegin_ = nullptr, *columns_ = nullptr; // the first column that is computed, and the end
  LlvmValue *divides_ = nullptr; // parts may store while others read; null: there is one part
  LlvmValue *shares_ = nullptr; // workgroups share packed panels; null: they cannot
  LlvmValue *leftInPlace_ = nullptr;                                   // a is read where it lies
  LlvmValue *leftRowStep_ = nullptr, *leftStep_ = nullptr;             // bytes
};

} // namespace xt
