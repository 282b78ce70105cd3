// Tests non-temporal stores to matrices that are larger than the caches, at aligned and at unaligned addresses.
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/cpu/emit.h"
#include "tests/targets/cpu/text_kernel.h"

#include <cstring>

namespace xt {
namespace {

constexpr int64_t kRows = 2944, kColumns = 2944, kTileRows = 33, kTileColumns = 70; // 35 MB of f32

std::string storing(int64_t row, int64_t column) {
  std::string tile = str("tile<", kTileRows, "x", kTileColumns, "xf32>");
  return str("kernel @k(%A: memref<?x?xf32>, %C: memref<?x?xf32>) {\n  %ta = init_tile %A[0, 0] -> ", tile,
             "\n  %a = load_tile %ta\n  %tc = init_tile %C[", row, ", ", column, "] -> ", tile, "\n  store_tile %a, %tc\n}\n");
}

struct Matrix {
  Matrix(int64_t rows, int64_t columns, float first)
      : view{nullptr, Elem::F32, {rows, columns}, {columns, 1}}, values(static_cast<size_t>(rows * columns) + 16) {
    auto misaligned = reinterpret_cast<uintptr_t>(values.data()) % 64 / sizeof(float);
    auto *aligned = values.data() + (misaligned ? 16 - misaligned : 0);
    for (int64_t i = 0; i < rows * columns; ++i) aligned[i] = first + static_cast<float>(i % 1000);
    view.data = aligned;
  }
  LaunchArg arg() const {
    LaunchArg result;
    result.kind = LaunchArg::Kind::Buffer;
    result.buffer = view;
    return result;
  }
  float &at(int64_t row, int64_t column) { return static_cast<float *>(view.data)[row * view.strides[0] + column]; }
  BufferView view;
  std::vector<float> values;
};

void expectStored(int64_t row, int64_t column) {
  SCOPED_TRACE(str("at ", row, ", ", column));
  TextKernel kernel(storing(row, column));
  Matrix a(kTileRows, kTileColumns, 0.5f), c(kRows, kColumns, -2000), wanted(kRows, kColumns, -2000);
  for (int64_t i = std::max<int64_t>(0, -row); i < kTileRows && row + i < kRows; ++i)
    for (int64_t j = std::max<int64_t>(0, -column); j < kTileColumns && column + j < kColumns; ++j)
      wanted.at(row + i, column + j) = a.at(i, j);
  Diagnostics diagnostics;
  auto made = cpuTarget().compile(kernel.module(), {}, diagnostics);
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE((*made)->launch(kernel.kernel(), {a.arg(), c.arg()}, {}).ok());
  EXPECT_EQ(std::memcmp(c.view.data, wanted.view.data, static_cast<size_t>(kRows * kColumns) * sizeof(float)), 0);
}

TEST(Streaming, StoresAnywhere) {
  for (auto [row, column] : {std::pair<int64_t, int64_t>{0, 0}, {3, 5}, {7, 64}, {-1, 48}, {2930, 2896}, {5, -16}})
    expectStored(row, column);
}

bool mayStream(const std::string &text) {
  TextKernel kernel(text);
  Diagnostics diagnostics;
  Result<std::string> code = emit(kernel.module(), EmitKind::Llvm, {}, diagnostics);
  EXPECT_TRUE(code.ok());
  bool streams = code->find("!nontemporal") != std::string::npos;
  EXPECT_EQ(code->find("sfence") != std::string::npos, streams);
  return streams;
}

TEST(Streaming, OfWhatIsOnlyWritten) {
  EXPECT_TRUE(mayStream(storing(0, 0)));
  const std::string head = "kernel @k(%A: memref<?x?xf32>, %C: memref<?x?xf32>) grid (%i = 0 to dim(%C, 0) step 16) {\n"
                           "  %ta = init_tile %A[%i, 0] -> tile<16x64xf32>\n  %tc = init_tile %C[%i, 0] -> tile<16x64xf32>\n";
  const std::string loop = "  for %j = 0 to dim(%C, 1) step 64 {\n    %a = load_tile %ta\n    store_tile (%a + 1.0), %tc\n"
                           "    %ta = update_tile_offset %ta, 0, 64\n    %tc = update_tile_offset %tc, 0, 64\n  }\n";
  EXPECT_TRUE(mayStream(head + loop + "}\n"));
  EXPECT_FALSE(mayStream(head + loop +
                         "  %tb = init_tile %C[0, 0] -> tile<16x64xf32>\n  %b = load_tile %tb\n  store_tile %b, %ta\n}\n"));
  EXPECT_FALSE(mayStream(head + "  for %j = 0 to 3 {\n    %c = load_tile %tc\n    store_tile (%c + 1.0), %tc\n  }\n}\n"));
}

} // namespace
} // namespace xt
