#include "tests/targets/xe/isa/kernels.h"

#include "ir/base/text.h"

namespace xt::test {
namespace {

constexpr const char *kText = R"(
#mp_a = #wg_map<sg_layout = [8, 4], sg_data = [32, DEPTH]>
#mp_b = #wg_map<sg_layout = [8, 4], sg_data = [DEPTH, 64]>
#mp_c = #wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#mp_a_pfh = #wg_map<sg_layout = [32, 1], sg_data = [8, DEPTH]>
#mp_b_pfh = #wg_map<sg_layout = [4, 8], sg_data = [DEPTH / 4, 32]>
kernel @gemm(%A: memref<EXTELEMSTORAGE_OF_A>, %B: memref<EXTELEMSTORAGE_OF_B>, BIAS%C: memref<EXTSUM>)
    grid (%i = 0 to dim(%C, 0) step 256, %j = 0 to dim(%C, 1) step 256) {
  %ta  = init_tile %A[%i, 0] -> tile<256xDEPTHxELEM, ATTR_OF_A>
  %tb  = init_tile PLACE_OF_B
  %pa = init_tile %A[%i, AHEAD] -> tile<256xDEPTHxELEM, #mp_a_pfhORDER_OF_A>
  %pb = init_tile %B[AHEAD, %j] -> tile<DEPTHx256xELEM, #mp_b_pfhORDER_OF_B>
  %acc = constant ZERO : vector<256x256xSUM, #mp_c>
  for %k = 0 to dim(%A, 1) step DEPTH {
    %a   = load_tile %ta
    %b   = load_tile %tbTURNED
    PREFETCH
    %acc = tile_mma %a, %b, %acc
    %ta  = update_tile_offset %ta, 0, DEPTH
    %tb  = update_tile_offset %tb, MOVE_OF_B
    %pa  = update_tile_offset %pa, 0, DEPTH
    %pb  = update_tile_offset %pb, DEPTH, 0
  }
  EPILOGUE
  %tc = init_tile %C[%i, %j] -> tile<256x256xSUM, #mp_c>
  store_tile RESULT, %tc
}
)";

constexpr const char *kEpilogue = R"(%tbias = init_tile %bias[0, %j] -> tile<1x256xf32, #mp_c>
  %row   = load_tile %tbias
  %all   = broadcast %row [0] -> vector<256x256xf32>
  %x     = %acc + %all
  %inner = 0.79788456080286536 * (%x + 0.044715 * %x * %x * %x)
  %y     = 0.5 * %x * (1.0 + tanh(%inner)))";

} // namespace

std::string gemmText(const GemmVariant &variant) {
  std::string text = kText, depth = std::to_string(variant.depth),
              extent = variant.extent ? std::to_string(variant.extent) : "?";
  auto replace = [&](std::string_view what, std::string_view by) {
    for (size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, what.size(), by);
  };
  replace("PLACE_OF_B",
          variant.transposed ? "%B[%j, 0] -> tile<256xDEPTHxELEM>" : "%B[0, %j] -> tile<DEPTHx256xELEM, ATTR_OF_B>");
  replace("STORAGE_OF_A", variant.columnsA ? ", affine_map<(d0, d1) -> (d1, d0)>" : "");
  replace("STORAGE_OF_B", variant.columns ? ", strided<[1, ?]>" : "");
  replace("ATTR_OF_A", "#mp_aORDER_OF_A");
  replace("ATTR_OF_B", "#mp_bORDER_OF_B");
  replace("ORDER_OF_A", variant.columnsA ? ", order = [0, 1]" : "");
  replace("ORDER_OF_B", variant.columns ? ", order = [0, 1]" : "");
  replace("TURNED", variant.transposed ? " {transpose = [1, 0]} {#mp_b}" : "");
  replace("MOVE_OF_B", variant.transposed ? "0, DEPTH" : "DEPTH, 0");
  replace("PREFETCH", variant.prefetches ? "prefetch_tile %pa\n    prefetch_tile %pb" : "");
  replace("EPILOGUE", variant.epilogue ? kEpilogue : "");
  replace("RESULT", variant.epilogue ? "%y" : "%acc");
  replace("BIAS", variant.epilogue ? "%bias: memref<1x?xf32>, " : "");
  replace("EXT", str(extent, "x", extent, "x"));
  replace("AHEAD", std::to_string(3 * variant.depth));
  replace("ELEM", variant.elem);
  replace("ZERO", variant.sum == "i32" ? "0" : "0.0");
  replace("SUM", variant.sum);
  replace("DEPTH", depth);
  return text;
}

} // namespace xt::test
