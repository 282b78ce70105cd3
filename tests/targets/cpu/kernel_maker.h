// Builds kernels for tests.
#pragma once
#include "tests/targets/cpu/kernel_frame.h"
#include "tests/targets/cpu/memory_ops.h"
#include "tests/targets/cpu/vector_ops.h"

namespace xt {

// A kernel, and what creates its ops at the position of its builder.
class KernelMaker : public KernelFrame, public MemoryOps, public VectorOps {
public:
  KernelMaker() : MemoryOps(b), VectorOps(b) {}
};

struct GemmShape {
  int64_t rows, columns, depth; // sizes of the tiles
};

// Builds C = A * B in tiles, as in examples/01_gemm.xt.
inline void makeGemm(KernelMaker &m, Elem input, Elem output, GemmShape tile) {
  Value *a = m.param(m.matrix(input)), *bMatrix = m.param(m.matrix(input)), *c = m.param(m.matrix(output));
  Value *i = m.gridOver(2, 0, tile.rows), *j = m.gridOver(2, 1, tile.columns);
  Value *zero = m.index(0);
  Value *ta = m.tile(a, {i, zero}, {tile.rows, tile.depth}), *tb = m.tile(bMatrix, {zero, j}, {tile.depth, tile.columns});
  Elem sum = isInteger(input) ? Elem::I32 : input == Elem::F64 ? Elem::F64 : Elem::F32;
  Type accType = m.context.vector({tile.rows, tile.columns}, sum);
  Value *acc = isFloat(sum) ? m.b.constantFloat(accType, 0) : m.b.constantInt(accType, 0);
  Value *step = m.index(tile.depth);
  std::vector<Value *> done = m.loop(zero, m.dim(a, 1), step, {acc, ta, tb}, [&](Value *, std::vector<Value *> in) {
    Value *x = m.load(in[1]), *y = m.load(in[2]);
    Value *next = m.mma(x, y, in[0], sum);
    return std::vector<Value *>{next, m.move(in[1], zero, step), m.move(in[2], step, zero)};
  });
  Value *result = done[0];
  if (sum != output) result = m.cast(OpKind::TruncF, result, output);
  m.store(result, m.tile(c, {i, j}, {tile.rows, tile.columns}));
}

} // namespace xt
