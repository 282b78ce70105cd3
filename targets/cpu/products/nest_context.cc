#include "targets/cpu/products/nest_context.h"

namespace xt {

NestContext::NestContext(KernelEmitter &emitter, const Op &nest, SharedPanels &panels)
    : e(emitter), b(emitter.context.b), op(nest),
      problem(nestProblem(emitter.context.cpu, nest, emitter.context.fusion.storeOf(nest) != nullptr)),
      microkernel(emitter.context.b, emitter.context.ops, emitter.context.cpu, problem.elem, problem.lanes()),
      sharedPanels(panels), plan(emitter.context.b) {
  microkernel.setLeftUnsigned(elemInfo(nest.operand(0)->type().elem()).isUnsigned != problem.movesLeft);
}

LlvmValue *NestContext::multiplied(Elem from, LlvmValue *chunk) {
  LlvmValue *value = e.context.ops.fromStorage(from, chunk);
  return from == problem.elem ? value : e.context.ops.mmaOperand(value, from);
}

LlvmValue *NestContext::registerAt(Elem from, LlvmValue *at, int count) {
  return b.CreateAlignedLoad(e.context.ops.storageType(from, count), at, llvm::Align(1));
}

LlvmValue *NestContext::inAllLanes(Elem from, LlvmValue *at) {
  return multiplied(from, e.context.ops.splat(registerAt(from, at, 0), problem.lanes()));
}

// Loads the registers of a row of a packed panel, or of the column sums after it.
LlvmValues NestContext::panelRow(LlvmValue *at) {
  LlvmValues registers;
  for (int v = 0; v < problem.tile.vectors; ++v)
    registers.push_back(b.CreateAlignedLoad(e.context.ops.type(problem.elem, problem.lanes()),
                                            byteOffset(b, at, number(v * problem.lanes() * problem.bytes())), vectorAlign()));
  return registers;
}

// The bytes of a row of `a` in this block. Staged rows are padded to whole registers.
LlvmValue *NestContext::leftBytes(const NestBlock &block) {
  LlvmValue *bytes = b.CreateMul(block.depth, number(problem.bytes())),
            *registerBytes = number(problem.lanes() * problem.bytes());
  LlvmValue *whole = b.CreateAnd(b.CreateAdd(bytes, b.CreateSub(registerBytes, number(1))), b.CreateNeg(registerBytes));
  return b.CreateSelect(leftInPlace, bytes, whole);
}

// The bytes of a packed panel. The number of its rows of K is rounded up to a multiple of the lanes.
LlvmValue *NestContext::panelBytes(const NestBlock &block) {
  LlvmValue *rows = b.CreateAnd(b.CreateAdd(block.depth, number(problem.lanes() - 1)), number(-problem.lanes()));
  return b.CreateMul(rows, number(problem.panelPitch() * problem.slices()));
}

// The bytes of the panels that are packed together. The facts about them follow: column sums or the least magnitude.
LlvmValue *NestContext::behindPanels(const NestBlock &block, const NestPanel &panel) {
  LlvmValue *bytes = panelBytes(block);
  return panel.panels ? b.CreateMul(bytes, panel.panels) : bytes;
}

// The bytes of the panels that are packed together and of the facts about them: the distance between shared panels that were
// packed one after the other.
LlvmValue *NestContext::toNextPanel(const NestBlock &block, const NestPanel &panel) {
  return b.CreateAdd(behindPanels(block, panel), number(problem.movesLeft ? problem.panelPitch() : kCacheLine));
}

// The index of the row of a packed panel that holds the words of a step's first slice.
LlvmValue *NestContext::packedWord(LlvmValue *step) {
  if (!problem.inSlices()) return step;
  constexpr int64_t kWords = kAmxSide / 2; // consecutive words of a slice
  LlvmValue *in = b.CreateAnd(step, number(kWords - 1));
  return b.CreateAdd(b.CreateMul(b.CreateSub(step, in), number(problem.slices())), in);
}

} // namespace xt
