// A product of matrices of any size, whose operands nv targets stage through shared memory.
#pragma once

namespace xt::test {

inline constexpr const char *kTiledGemm = R"(
#map = #wg_map<sg_layout = [2, 2], sg_data = [32, 32]>
kernel @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>)
    grid (%i = 0 to dim(%C, 0) step 64, %j = 0 to dim(%C, 1) step 64) {
  %ta  = init_tile %A[%i, 0] -> tile<64x32xf16, #map>
  %tb  = init_tile %B[0, %j] -> tile<32x64xf16, #map>
  %acc = constant 0.0 : vector<64x64xf32, #map>
  for %k = 0 to dim(%A, 1) step 32 {
    %a   = load_tile %ta
    %b   = load_tile %tb
    %acc = tile_mma %a, %b, %acc
    %ta  = update_tile_offset %ta, 0, 32
    %tb  = update_tile_offset %tb, 32, 0
  }
  %tc = init_tile %C[%i, %j] -> tile<64x64xf32, #map>
  store_tile %acc, %tc
}
)";

} // namespace xt::test
