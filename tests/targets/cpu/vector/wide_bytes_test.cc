// Tests shifts of bytes, and conversions of bytes to i4, whose results are wider: they are computed in lanes of 32 bits.
#include "tests/targets/cpu/text_kernel.h"

namespace xt {
namespace {

constexpr const char *kKernel = R"(
kernel @k(%A: memref<?x?xTYPE>, %S: memref<?x?xTYPE>, %C: memref<?x?xf32>, %D: memref<?x?xf32>, %E: memref<?x?xf32>) {
  %ta = init_tile %A[0, 0] -> tile<16x40xTYPE>
  %ts = init_tile %S[0, 0] -> tile<16x40xTYPE>
  %a  = load_tile %ta
  %s  = load_tile %ts
  %r  = iota [0] : vector<16x40xTYPE>
  %c  = cast(%a << %s, f32)
  %d  = cast(%a >> (%r & 7), f32)
  %e  = cast(cast(%a, i4), f32)
  %tc = init_tile %C[0, 0] -> tile<16x40xf32>
  %td = init_tile %D[0, 0] -> tile<16x40xf32>
  %te = init_tile %E[0, 0] -> tile<16x40xf32>
  store_tile %c, %tc
  store_tile %d, %td
  store_tile %e, %te
}
)";

// All bytes, shifted by amounts from 0 to far beyond the width.
TEST(WideBytes, AsByTheInterpreter) {
  for (const char *type : {"u8", "i8"}) {
    std::string text = kKernel;
    for (size_t at = text.find("TYPE"); at != std::string::npos; at = text.find("TYPE")) text.replace(at, 4, type);
    TextKernel kernel(text);
    ASSERT_TRUE(kernel);
    const Elem elem = type[0] == 'u' ? Elem::U8 : Elem::I8;
    Array a(elem, {16, 40}), s(elem, {16, 40}), c(Elem::F32, {16, 40}), d(Elem::F32, {16, 40}), e(Elem::F32, {16, 40});
    for (int64_t i = 0; i < 16 * 40; ++i) {
      const int64_t byte = i % 256, low = elem == Elem::U8 ? 0 : -128;
      a.set({i / 40, i % 40}, static_cast<double>(byte + low));
      s.set({i / 40, i % 40}, static_cast<double>(i % 5 ? i % 11 : byte + low));
    }
    kernel.expectAsInterpreter({&a, &s, &c, &d, &e});
  }
}

} // namespace
} // namespace xt
