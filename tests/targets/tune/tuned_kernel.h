// A program with a parameter to tune.
#pragma once

namespace xt::test {

// Doubles X, and says in R which value of $ROWS was compiled.
inline constexpr const char *kTunedKernel = R"(param $ROWS : index = 32 in [8, 16, 32]
kernel @twice(%X: memref<?x?xf32>, %Y: memref<?x?xf32>, %R: memref<1xi32>) grid (%i = 0 to dim(%X, 0) step $ROWS) {
  %tx = init_tile %X[%i, 0] -> tile<$ROWS x 64 x f32>
  %x  = load_tile %tx
  %ty = init_tile %Y[%i, 0] -> tile<$ROWS x 64 x f32>
  store_tile (%x * 2.0), %ty
  %r = constant $ROWS : i32
  memref.store %r, %R[0]
}
test "first" {
  %X = random(seed = 1) : memref<64x64xf32>
  %Y = out : memref<64x64xf32>
  %R = out : memref<1xi32>
  launch @twice(%X, %Y, %R)
  check %Y == %X * 2
}
)";

} // namespace xt::test
