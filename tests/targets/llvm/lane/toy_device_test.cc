// Tests the lane emitter for a device that uses nothing of any vendor: the code of an elementwise kernel, and of one whose
// lanes and subgroups exchange values, must give the right numbers.
#include "tests/targets/llvm/lane/toy_device.h"

#include "ir/verify/target_limits.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace xt::test {
namespace {

class Lowered {
public:
  explicit Lowered(const std::string &text) {
    auto lowered = lowerFile(sources_, sources_.add("toy.xt", text), context_, {}, diagnostics_);
    EXPECT_TRUE(lowered.ok()) << messages();
    if (!lowered.ok()) return;
    module_ = std::move(*lowered);
    PassOptions options;
    options.target = &target_;
    EXPECT_TRUE(runPasses(*module_, passesOf(kLanePipeline), options, diagnostics_).ok()) << messages();
    EXPECT_TRUE(checkTargetLimits(*module_, target_, sources_, diagnostics_).ok()) << messages();
  }
  std::string messages() const { return renderText(diagnostics_, sources_, false); }
  const Module &module() const { return *module_; }

private:
  const TargetInfo target_ = toyTarget();
  SourceManager sources_;
  Diagnostics diagnostics_;
  Context context_;
  std::unique_ptr<Module> module_;
};

// A row-major matrix of floats.
struct Matrix {
  Matrix(int64_t rows, int64_t columns) : rows(rows), columns(columns), elements(static_cast<size_t>(rows * columns)) {}
  float &at(int64_t i, int64_t j) { return elements[static_cast<size_t>(i * columns + j)]; }
  void appendTo(std::vector<uint64_t> &arguments) { // in the order of lane_kernel.h
    for (uint64_t argument : {std::bit_cast<uint64_t>(elements.data()), static_cast<uint64_t>(rows),
                              static_cast<uint64_t>(columns), static_cast<uint64_t>(columns), uint64_t{1}})
      arguments.push_back(argument);
  }
  int64_t rows, columns;
  std::vector<float> elements;
};

Matrix numbered(int64_t rows, int64_t columns) {
  Matrix matrix(rows, columns);
  for (size_t i = 0; i < matrix.elements.size(); ++i) matrix.elements[i] = static_cast<float>(i % 29) / 8 - 1;
  return matrix;
}

void expectProduct(Matrix &a, Matrix &b, Matrix &c) {
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.columns; ++j) {
      float sum = 0; // exact: the numbers are small multiples of 1/8
      for (int64_t k = 0; k < a.columns; ++k) sum += a.at(i, k) * b.at(k, j);
      EXPECT_EQ(c.at(i, j), sum) << i << ' ' << j;
    }
}

// The code must call only the device's own functions and those of the C library.
void expectNoVendor(const std::string &text) {
  for (const char *foreign : {"spir", "sub_group", "intel", "nvvm", "addrspace"})
    EXPECT_EQ(text.find(foreign), std::string::npos) << foreign << '\n' << text;
}

TEST(ToyDevice, ElementwiseKernel) {
  Lowered lowered(R"(#t = #wg_map<sg_layout = [2, 1], sg_data = [4, 16]>
kernel @k(%X: memref<?x?xf32>, %Y: memref<?x?xf32>) grid (%i = 0 to dim(%X, 0) step 8) {
  %tx = init_tile %X[%i, 0] -> tile<8x16xf32, #t>
  %ty = init_tile %Y[%i, 0] -> tile<8x16xf32, #t>
  %x  = load_tile %tx
  %y  = %x * %x + 1.0
  store_tile %y, %ty
}
)");
  ToyProgram program(lowered.module());
  expectNoVendor(program.text());
  EXPECT_EQ(program.text().find("toy_shuffle"), std::string::npos);
  Matrix x = numbered(13, 11), y(13, 11); // neither size is a multiple of the tile
  std::vector<uint64_t> arguments;
  x.appendTo(arguments);
  y.appendTo(arguments);
  arguments.insert(arguments.end(), {0, 8}); // lower bound and step of %i
  program.launch(0, arguments, 2);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j) EXPECT_EQ(y.at(i, j), x.at(i, j) * x.at(i, j) + 1) << i << ' ' << j;
}

TEST(ToyDevice, ReductionOverLanesAndSubgroups) {
  Lowered lowered(R"(#t = #wg_map<sg_layout = [1, 2], sg_data = [4, 16]>
kernel @k(%X: memref<?x?xf32>, %Y: memref<?x?xf32>) grid (%i = 0 to dim(%X, 0) step 4) {
  %tx  = init_tile %X[%i, 0] -> tile<4x32xf32, #t>
  %ty  = init_tile %Y[%i, 0] -> tile<4x32xf32, #t>
  %x   = load_tile %tx
  %sum = reduction <add> %x [1]
  %all = broadcast %sum [1] -> vector<4x32xf32, #t>
  store_tile (%x - %all), %ty
}
)");
  ToyProgram program(lowered.module());
  expectNoVendor(program.text());
  EXPECT_NE(program.text().find("toy_shuffle"), std::string::npos);
  EXPECT_NE(program.text().find("toy_barrier"), std::string::npos); // subgroups exchange through shared local memory
  Matrix x = numbered(4, 32), y(4, 32);
  std::vector<uint64_t> arguments;
  x.appendTo(arguments);
  y.appendTo(arguments);
  arguments.insert(arguments.end(), {0, 4});
  program.launch(0, arguments, 1);
  for (int64_t i = 0; i < x.rows; ++i) {
    float sum = 0; // exact: the numbers are small multiples of 1/8
    for (int64_t j = 0; j < x.columns; ++j) sum += x.at(i, j);
    for (int64_t j = 0; j < x.columns; ++j) EXPECT_EQ(y.at(i, j), x.at(i, j) - sum) << i << ' ' << j;
  }
}

// The instruction expects `a` in other lanes, and all operands in other registers, than `dpas`. K is 20, so it is padded.
TEST(ToyDevice, ProductByInstruction) {
  Lowered lowered(R"(#a = #wg_map<sg_layout = [2, 1], sg_data = [8, 32]>
#b = #wg_map<sg_layout = [2, 1], sg_data = [32, 16]>
#c = #wg_map<sg_layout = [2, 1], sg_data = [8, 16]>
kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %ta = init_tile %A[0, 0] -> tile<16x32xf32, #a>
  %tb = init_tile %B[0, 0] -> tile<32x16xf32, #b>
  %tc = init_tile %C[0, 0] -> tile<16x16xf32, #c>
  %x  = load_tile %ta
  %y  = load_tile %tb
  %a  = truncf %x : vector<16x32xf32, #a> -> vector<16x32xf16, #a>
  %b  = truncf %y : vector<32x16xf32, #b> -> vector<32x16xf16, #b>
  %c  = tile_mma %a, %b {#c}
  store_tile %c, %tc
}
)");
  ToyProgram program(lowered.module());
  expectNoVendor(program.text());
  EXPECT_NE(program.text().find("toy_product"), std::string::npos);
  Matrix a = numbered(13, 20), b = numbered(20, 11), c(13, 11);
  std::vector<uint64_t> arguments;
  for (Matrix *matrix : {&a, &b, &c}) matrix->appendTo(arguments);
  program.launch(0, arguments, 1);
  expectProduct(a, b, c);
}

// The device has no f32 products, so each lane multiplies its own columns.
TEST(ToyDevice, ProductLaneByLane) {
  Lowered lowered(R"(#a = #wg_map<sg_layout = [2, 1], sg_data = [4, 16]>
#b = #wg_map<sg_layout = [2, 1], sg_data = [16, 16]>
kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %ta = init_tile %A[0, 0] -> tile<8x16xf32, #a>
  %tb = init_tile %B[0, 0] -> tile<16x16xf32, #b>
  %tc = init_tile %C[0, 0] -> tile<8x16xf32, #a>
  %a  = load_tile %ta
  %b  = load_tile %tb
  %c  = tile_mma %a, %b {#a}
  store_tile %c, %tc
}
)");
  ToyProgram program(lowered.module());
  expectNoVendor(program.text());
  Matrix a = numbered(8, 16), b = numbered(16, 16), c(8, 16);
  std::vector<uint64_t> arguments;
  for (Matrix *matrix : {&a, &b, &c}) matrix->appendTo(arguments);
  program.launch(0, arguments, 1);
  expectProduct(a, b, c);
}

} // namespace
} // namespace xt::test
