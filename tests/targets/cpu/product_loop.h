// The loop over K of a product, for tests of products.
#pragma once
#include "ir/elem_kinds.h"
#include "tests/targets/cpu/compare.h"

namespace xt {

// The tiles that a loop over K begins with. A tile that is stored transposed has the extents of the transposed operand.
struct ProductLoop {
  Value *a, *b;
  bool transposeA, transposeB;
  Value *from, *depth, *step; // of the loop
  Value *sums; // before the loop
};

// Makes a loop that adds the products of the tiles to the sums and moves the tiles along K; returns the sums after it.
inline Value *multiplyAlongK(KernelMaker &m, const ProductLoop &p) {
  Value *zero = m.index(0);
  return m.loop(p.from, p.depth, p.step, {p.sums, p.a, p.b}, [&](Value *, std::vector<Value *> in) {
    Value *x = p.transposeA ? m.loadTransposed(in[1]) : m.load(in[1]),
          *y = p.transposeB ? m.loadTransposed(in[2]) : m.load(in[2]);
    auto moved = [&](Value *tile, bool down) { return m.move(tile, down ? p.step : zero, down ? zero : p.step); };
    return std::vector<Value *>{m.mma(x, y, in[0], p.sums->type().elem()), moved(in[1], p.transposeA),
                                moved(in[2], !p.transposeB)};
  })[0];
}

} // namespace xt
