// Composites are expanded: the example of each compiles, and the IR has no such op.
#include "tests/golden.h"

#include "ir/op_info.h"
#include "lang/lower/lower.h"

#include <map>

namespace xt {
namespace {

// A vector of which each of 32 lanes of 4 subgroups holds 2x16 elements.
const std::string kDistributed =
    "#l = #layout<[2, 32:lane*1], [4:sg*1, 16]>\nkernel @k() {\n%v = constant 0.0 : vector<64x64xf16, #l>\n";

const std::string kOfLanes = "kernel @k() lanes(16) {\n%c = joint_matrix_fill 0.0 : joint_matrix<8x16xf32, accumulator>\n";

const std::string kMatrices = "kernel @k() {\n%a = constant 0.0 : vector<8x16xf32>\n%b = constant 1.0 : vector<8x16xf32>\n";

const std::string kCombiner =
    "func @combine(%m: vector<?x?xf32>, %s: vector<?x?xf32>, %n: vector<?x?xf32>, %t: vector<?x?xf32>)\n"
    "    -> (vector<?x?xf32>, vector<?x?xf32>) {\n  %most = maximumf(%m, %n)\n"
    "  return %most, (%s * exp(%m - %most) + %t * exp(%n - %most))\n}\n";

const std::string kGreater =
    "func @greater(%a: vector<?x?xf32>, %i: vector<?x?xi32>, %b: vector<?x?xf32>, %j: vector<?x?xi32>)\n"
    "    -> (vector<?x?xf32>, vector<?x?xi32>) {\n  %first = %a >= %b\n"
    "  return select(%first, %a, %b), select(%first, %i, %j)\n}\n";

const std::string kWide = "kernel @k() {\n%v = constant 1.0 : vector<64x32xf32>\n";

// The statements before the example of each composite, which define the names in it.
const std::map<Composite, std::string> kBefore = {
    {Composite::TransferRead, "kernel @k(%A: memref<?x?xf32>, %i: index, %j: index, %padding: f32) {\n"},
    {Composite::TransferWrite,
     "kernel @k(%A: memref<?x?xf32>, %i: index, %j: index) {\n%v = constant 0.0 : vector<8x16xf32>\n"},
    {Composite::TransferGather,
     "kernel @k(%A: memref<?x?xf32>, %c0: index, %j: index) {\n%rows = constant 0 : vector<16xindex>\n"},
    {Composite::Contract, "kernel @k() {\n%a = constant 0.0 : vector<8x16xf16>\n%b = constant 0.0 : vector<16x16xf16>\n"
                          "%c = constant 0.0 : vector<8x16xf32>\n"},
    {Composite::ScalarAtomicRmw, "kernel @k(%counts: memref<?xi32>, %x: i32, %i: index) {\n"},
    {Composite::ScalarAtomicCas, "kernel @k(%locks: memref<?xi32>, %expected: i32, %x: i32, %i: index) {\n"},
    {Composite::Subview, "kernel @k(%A: memref<?x?xf32>, %i: index, %j: index) {\n"},
    {Composite::MemRefTranspose, "kernel @k(%A: memref<?x?x?xf32>) {\n"},
    {Composite::CollapseShape, "kernel @k(%A: memref<?x?x16xf32>) {\n"},
    {Composite::ExpandShape, "kernel @k(%A: memref<?x16xf32>) {\n"},
    {Composite::Concat, kMatrices},
    {Composite::Interleave, kMatrices},
    {Composite::Deinterleave, "kernel @k() {\n%v = constant 0.0 : vector<8x32xf32>\n"},
    {Composite::Unpack, "kernel @k() {\n%bytes = constant 1 : vector<8x16xu8>\n"},
    {Composite::Pack, "kernel @k() {\n%nibbles = constant 1 : vector<8x32xi4>\n"},
    {Composite::ScaledMma, "kernel @k() {\n%a = constant 1.0 : vector<8x64xf8E4M3>\n%sa = constant 1.0 : vector<8x2xf8E8M0>\n"
                           "%b = constant 1.0 : vector<64x16xf4E2M1>\n%sb = constant 1.0 : vector<2x16xf8E8M0>\n"},
    {Composite::AssociativeScan, kCombiner + "kernel @k() {\n%max = constant 0.0 : vector<8x16xf32>\n"
                                             "%sum = constant 1.0 : vector<8x16xf32>\n"},
    {Composite::AssociativeReduce,
     kGreater + "kernel @k() {\n%v = constant 0.0 : vector<8x16xf32>\n%i = iota [1] : vector<8x16xi32>\n"},
    {Composite::Reverse, kWide},
    {Composite::Sort, kWide},
    {Composite::TopK, kWide},
    {Composite::Histogram, "kernel @k() {\n%v = constant 1 : vector<4x32xi32>\n"},
    {Composite::ToSimt, kDistributed},
    {Composite::ToSimd, kDistributed + "%f = to_simt %v : vector<64x64xf16> -> vector<2x16xf16>\n"},
    {Composite::JointMatrixLoad, "kernel @k(%A: memref<?x?xi8>, %i: index, %k: index) {\n"},
    {Composite::JointMatrixStore, "kernel @k(%C: memref<?x?xi32>, %i: index, %j: index) {\n"
                                  "%c = joint_matrix_fill 0 : joint_matrix<8x16xi32, accumulator>\n"},
    {Composite::JointMatrixPrefetch, "kernel @k(%A: memref<?x?xi8>, %i: index, %k: index) {\n"},
    {Composite::JointMatrixMad, "kernel @k() {\n%a = joint_matrix_fill 0 : joint_matrix<8x32xi8, a, row_major>\n"
                                "%b = joint_matrix_fill 0 : joint_matrix<32x16xi8, b, packed>\n"
                                "%c = joint_matrix_fill 0 : joint_matrix<8x16xi32, accumulator>\n"},
    {Composite::JointMatrixFill, "kernel @k() {\n"},
    {Composite::JointMatrixCopy, "kernel @k() {\n%c = joint_matrix_fill 0.0 : joint_matrix<8x16xf32, accumulator>\n"},
    {Composite::JointMatrixCoordinates, "kernel @k() {\n%c = joint_matrix_fill 0.0 : joint_matrix<8x16xf32, accumulator>\n"},
    {Composite::JointMatrixApply, "func @scale(%x: vector<?x?xf32>) -> vector<?x?xf32> {\n  return %x * 2.0\n}\n"
                                  "kernel @k() {\n%c = joint_matrix_fill 0.0 : joint_matrix<8x16xf32, accumulator>\n"},
    {Composite::GetWiData, kOfLanes},
    {Composite::SetWiData, "kernel @k() lanes(16) {\n%data = constant 0.0 : vector<8xf32>\n"},
    {Composite::WiDataLength, kOfLanes},
};

// The shape of a lane's part is not known in a function that is never called, so any is accepted.
TEST(Composites, FunctionsThatAreNeverCalledAreOfAnyScope) {
  SourceManager sources;
  uint32_t file = sources.add("function.xt", R"(
func @f(%c: joint_matrix<8x16xf32, accumulator>) -> joint_matrix<8x16xf32, accumulator> {
  %v = constant 1.0 : vector<8x1xf32>
  %rows, %columns = joint_matrix_coordinates %c : joint_matrix<8x16xf32, accumulator> -> vector<8x1xindex>, vector<8x1xindex>
  %data = get_wi_data %c : joint_matrix<8x16xf32, accumulator> -> vector<8xf32>
  %d = %c + %v
  return %d
}
)");
  Diagnostics diagnostics;
  Context context;
  (void)lowerFile(sources, file, context, {}, diagnostics);
  EXPECT_EQ(diagnostics.errorCount(), 0u) << renderText(diagnostics, sources, false);
}

TEST(Composites, ExamplesCompile) {
  for (const OpInfo &op : allComposites()) {
    ASSERT_TRUE(kBefore.contains(op.composite)) << op.name;
    std::string text = kBefore.at(op.composite) + std::string(op.example) + "\n}\n";
    SourceManager sources;
    uint32_t file = sources.add("example.xt", text);
    Diagnostics diagnostics;
    Context context;
    (void)lowerFile(sources, file, context, {}, diagnostics);
    EXPECT_EQ(diagnostics.errorCount(), 0u) << text << renderText(diagnostics, sources, false);
  }
}

} // namespace
} // namespace xt
