#include "tests/targets/soft/soft_kernel.h"

#include "ir/base/text.h"
#include "targets/soft/block_messages.h"
#include "targets/xe/library/device_library.h"

namespace xt::soft::test {
namespace {

constexpr int kLanes = 16;

struct Shape {
  std::string use; // "read", "read_transform", "read_transpose", "write", "prefetch"
  int bits, rows, columns, blocks;
  int registerBits; // bits of an element in registers
  std::string name() const {
    return str("intel_sub_group_2d_block_", use, "_", bits, "b_", rows, "r", columns, "x", blocks, "c");
  }
  std::string kernel() const { return str(use, "_", bits, "_", rows, "_", columns, "_", blocks); }
  std::string type() const {
    return registerBits == 16 ? "ushort" : registerBits == 32 ? "uint" : registerBits == 64 ? "ulong" : "uchar";
  }
  int perBlock() const {
    int bytes = rows * columns * bits / 8, unit = registerBits / 8 * kLanes;
    return (bytes + unit - 1) / unit;
  }
};

std::vector<Shape> readShapes() {
  std::vector<Shape> shapes;
  for (int rows : {1, 2, 4, 8, 16, 32}) {
    for (int blocks : {1, 2}) shapes.push_back({"read", 8, rows, 32, blocks, 16});
    for (int blocks : {1, 2}) shapes.push_back({"read", 16, rows, 16, blocks, 16});
    for (int blocks : {1, 2}) shapes.push_back({"read", 32, rows, 8, blocks, 32});
    shapes.push_back({"read", 32, rows, 16, 1, 32});
    if (rows >= 8) shapes.push_back({"read", 8, rows, 16, 4, 8});
  }
  for (int blocks : {1, 2}) {
    for (int rows : {16, 32}) shapes.push_back({"read_transform", 16, rows, 16, blocks, 32});
    shapes.push_back({"read_transform", 8, 32, 16, blocks, 32});
  }
  shapes.push_back({"read_transform", 8, 32, 16, 4, 32});
  for (int rows : {16, 32}) shapes.push_back({"read_transpose", 32, rows, 8, 1, 32});
  shapes.push_back({"read_transpose", 32, 16, 16, 1, 32});
  shapes.push_back({"read_transpose", 64, 8, 4, 1, 64});
  shapes.push_back({"read_transpose", 64, 16, 8, 1, 64});
  return shapes;
}

std::vector<Shape> writeShapes() {
  std::vector<Shape> shapes;
  for (int rows : {1, 2, 4, 8}) {
    shapes.push_back({"write", 8, rows, 32, 1, 16});
    shapes.push_back({"write", 8, rows, 16, 1, 8});
    shapes.push_back({"write", 16, rows, 16, 1, 16});
    shapes.push_back({"write", 32, rows, 16, 1, 32});
  }
  return shapes;
}

// Returns a kernel in which each lane stores its components to out[lane * n …], or loads them from there.
std::string kernelText(const Shape &shape) {
  int n = shape.perBlock() * shape.blocks;
  bool write = shape.use == "write";
  return str("OV void ", shape.name(), "(global void *, int, int, int, int2, private ", shape.type(), " *);\n",
             "LANES(16) kernel void ", shape.kernel(), "(global void *m, int w, int h, int p, int x, int y, global ",
             shape.type(), " *out) {\n  private ", shape.type(), " r[", n, "];\n  uint lane = get_sub_group_local_id();\n",
             write ? str("  for (int i = 0; i < ", n, "; ++i) r[i] = out[lane * ", n, " + i];\n") : "", "  ", shape.name(),
             "(m, w, h, p, (int2)(x, y), r);\n",
             write ? "" : str("  for (int i = 0; i < ", n, "; ++i) out[lane * ", n, " + i] = r[i];\n"), "}\n");
}

// A matrix in memory whose pitch is larger than its width.
struct Matrix {
  int width, height, pitch; // bytes, rows, bytes
  DeviceArray<uint8_t> bytes;
  Matrix(int w, int h, int p, uint32_t seed)
      : width(w), height(h), pitch(p), bytes(randomBits<uint8_t>(static_cast<size_t>(h * p), seed)) {}
  // Returns the bits of an element in memory, or 0 outside of the matrix.
  uint64_t at(int row, int column, int elementBytes) const {
    uint64_t value = 0;
    for (int b = 0; b < elementBytes; ++b) {
      int byte = column * elementBytes + b;
      if (row >= 0 && row < height && byte >= 0 && byte < width)
        value |= uint64_t{bytes[static_cast<size_t>(row * pitch + byte)]} << (8 * b);
    }
    return value;
  }
};

// Returns the expected value of component i in lane `lane`, computed directly from the extension's text: the elements of a
// block are distributed to the lanes row by row; a transform packs elements of a column into words; a transposition swaps rows
// and columns.
uint64_t expected(const Shape &shape, const Matrix &m, int x, int y, int lane, int i) {
  int bytes = shape.bits / 8, perBlock = shape.perBlock(), block = i / perBlock, component = i % perBlock,
      column0 = x + block * shape.columns;
  if (shape.use == "read_transform") {
    uint64_t word = 0;
    int factor = 4 / bytes;
    for (int f = 0; f < factor; ++f) word |= m.at(y + component * factor + f, column0 + lane, bytes) << (f * shape.bits);
    return word;
  }
  if (shape.use == "read_transpose") { // row r of memory is in lane r; further rows are in the next component
    int place = component * kLanes + lane, row = place % shape.rows, column = place / shape.rows;
    return column < shape.columns ? m.at(y + row, column0 + column, bytes) : 0;
  }
  uint64_t value = 0;
  int parts = shape.registerBits / shape.bits; // memory elements per register element
  for (int part = 0; part < parts; ++part) {
    int place = (component * kLanes + lane) * parts + part, row = place / shape.columns, column = place % shape.columns;
    if (row < shape.rows) value |= m.at(y + row, column0 + column, bytes) << (part * shape.bits);
  }
  return value;
}

template <class T> void compareRead(SoftKernels &kernels, const Shape &shape, const Matrix &m, int x, int y) {
  int n = shape.perBlock() * shape.blocks;
  DeviceArray<T> out(static_cast<size_t>(n * kLanes), static_cast<T>(0xabababababababab));
  ASSERT_EQ(kernels.run(shape.kernel(), {16, 1, 1}, {1, 1, 1}, m.bytes, m.width, m.height, m.pitch, x, y, out), "")
      << shape.name();
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(out[static_cast<size_t>(lane * n + i)], static_cast<T>(expected(shape, m, x, y, lane, i)))
          << shape.name() << " at (" << x << ", " << y << "), lane " << lane << ", component " << i;
}

TEST(SoftBlock2d, readsAllShapesInsideAndAcrossAllEdges) {
  XT_NEEDS_COMPILER();
  std::string source;
  for (const Shape &shape : readShapes()) source += kernelText(shape);
  SoftKernels kernels(source);
  ASSERT_TRUE(kernels) << kernels.error;
  Matrix m(196, 70, 208, 1);
  for (const Shape &shape : readShapes()) {
    int unit = std::max(1, 32 / shape.bits); // number of columns in 4 bytes
    for (auto [x, y] : {std::pair(0, 0),
                        {unit * 2, 3},
                        {-unit * 2, -3},
                        {196 * 8 / shape.bits - unit * 3, 60},
                        {0, 69},
                        {unit * 64, 1000},
                        {-4096, 0}})
      switch (shape.registerBits) {
      case 8: compareRead<uint8_t>(kernels, shape, m, x, y); break;
      case 16: compareRead<uint16_t>(kernels, shape, m, x, y); break;
      case 32: compareRead<uint32_t>(kernels, shape, m, x, y); break;
      default: compareRead<uint64_t>(kernels, shape, m, x, y); break;
      }
  }
}

template <class T> void compareWrite(SoftKernels &kernels, const Shape &shape, int x, int y) {
  int n = shape.perBlock() * shape.blocks, bytes = shape.bits / 8;
  Matrix before(196, 20, 208, 2), m(196, 20, 208, 2);
  DeviceArray<T> in(randomBits<T>(static_cast<size_t>(n * kLanes), 3));
  ASSERT_EQ(kernels.run(shape.kernel(), {16, 1, 1}, {1, 1, 1}, m.bytes, m.width, m.height, m.pitch, x, y, in), "")
      << shape.name();
  int parts = shape.registerBits / shape.bits;
  for (int row = 0; row < m.height; ++row)
    for (int byte = 0; byte < m.pitch; ++byte) {
      uint8_t want = before.bytes[static_cast<size_t>(row * m.pitch + byte)];
      int column = byte / bytes - x, r = row - y;
      if (byte < m.width && column >= 0 && column < shape.columns && r >= 0 && r < shape.rows) {
        int place = r * shape.columns + column, element = place / parts, lane = element % kLanes, i = element / kLanes;
        uint64_t value = uint64_t{in[static_cast<size_t>(lane * n + i)]} >> (place % parts * shape.bits);
        want = static_cast<uint8_t>(value >> (byte % bytes * 8));
      }
      ASSERT_EQ(m.bytes[static_cast<size_t>(row * m.pitch + byte)], want)
          << shape.name() << " at (" << x << ", " << y << "), row " << row << ", byte " << byte;
    }
}

TEST(SoftBlock2d, writesAllShapesInsideAndAcrossAllEdges) {
  XT_NEEDS_COMPILER();
  std::string source;
  for (const Shape &shape : writeShapes()) source += kernelText(shape);
  SoftKernels kernels(source);
  ASSERT_TRUE(kernels) << kernels.error;
  for (const Shape &shape : writeShapes()) {
    int unit = 32 / shape.bits;
    for (auto [x, y] :
         {std::pair(0, 0), {unit * 2, 3}, {-unit * 2, -3}, {196 * 8 / shape.bits - unit * 3, 15}, {unit * 500, 0}})
      if (shape.registerBits == 8)
        compareWrite<uint8_t>(kernels, shape, x, y);
      else if (shape.registerBits == 16)
        compareWrite<uint16_t>(kernels, shape, x, y);
      else
        compareWrite<uint32_t>(kernels, shape, x, y);
  }
}

// Every function of the driver's library must exist; one with another signature, or of a size that the library lacks, must not.
TEST(SoftBlock2d, functionsAreThoseOfADriversLibrary) {
  const TargetInfo &pvc = *findTargetInfo("xe-pvc");
  size_t blocks = 0;
  for (const LibraryFunction &function : libraryFunctions())
    if (function.symbol.find("_2d_block_") != std::string_view::npos) {
      EXPECT_TRUE(blockMessage2d(builtinName(function.symbol), pvc)) << function.symbol;
      ++blocks;
    }
  EXPECT_EQ(blocks, 196u);
  XT_NEEDS_COMPILER();
  for (const Shape &shape : {Shape{"write", 8, 8, 16, 1, 16}, Shape{"read", 8, 8, 16, 4, 16}, Shape{"write", 16, 8, 16, 1, 32},
                             Shape{"read", 16, 4, 32, 1, 16}}) {
    SoftKernels kernels(kernelText(shape));
    EXPECT_NE(kernels.error.find("does not know the device function " + shape.name()), std::string::npos)
        << shape.name() << ": " << kernels.error;
  }
}

TEST(SoftBlock2d, reportsEachRuleOfTheMatrixThatIsBroken) {
  XT_NEEDS_COMPILER();
  Shape shape{"read", 16, 8, 16, 1, 16};
  std::string source = kernelText(shape) + R"(
OV void intel_sub_group_2d_block_prefetch_16b_8r16x1c(global void *, int, int, int, int2);
LANES(16) kernel void prefetch(global void *m, int w, int h, int p, int x, int y) {
  intel_sub_group_2d_block_prefetch_16b_8r16x1c(m, w, h, p, (int2)(x, y));
}
LANES(16) kernel void uneven(global char *m, global ushort *out) {
  private ushort r[8];
  intel_sub_group_2d_block_read_16b_8r16x1c(m, 64, 8, 64, (int2)(0, get_sub_group_local_id() / 8), r);
  out[0] = r[0];
}
)";
  SoftKernels pvc(source), bmg(source, "bmg"), dg2(source, "dg2");
  ASSERT_TRUE(pvc && bmg) << pvc.error << bmg.error;
  EXPECT_NE(dg2.error.find("(xe-dg2) does not know the device function intel_sub_group_2d_block_read_16b_8r16x1c"),
            std::string::npos)
      << dg2.error;
  DeviceArray<uint8_t> m(64 * 1024);
  DeviceArray<uint16_t> out(8 * kLanes);
  auto read = [&](SoftKernels &kernels, size_t shift, int w, int h, int p, int x) {
    return kernels.run(shape.kernel(), {16, 1, 1}, {1, 1, 1}, m.data() + shift, w, h, p, x, 0, out);
  };
  auto says = [](const std::string &report, const char *part) { return report.find(part) != std::string::npos; };
  EXPECT_EQ(read(pvc, 0, 64, 8, 64, 0), "");
  EXPECT_TRUE(says(read(pvc, 32, 64, 8, 64, 0), "is not a multiple of 64 bytes"));
  EXPECT_TRUE(says(read(pvc, 0, 32, 8, 64, 0), "the width is 32; it must be at least 64 bytes"));
  EXPECT_TRUE(says(read(bmg, 0, 32, 8, 64, 0), "the width is 32; it must be at least 64 bytes"));
  EXPECT_TRUE(says(read(pvc, 0, 66, 8, 128, 0), "the width is 66; it must be a multiple of 4"));
  EXPECT_TRUE(says(read(pvc, 0, 1 << 25, 8, 1 << 25, 0), "it must be at most 16777216"));
  EXPECT_TRUE(says(read(pvc, 0, 64, 0, 64, 0), "the height is 0"));
  EXPECT_TRUE(says(read(pvc, 0, 64, 8, 72, 0), "the pitch is 72; it must be a multiple of 16"));
  EXPECT_TRUE(says(read(pvc, 0, 128, 8, 64, 0), "the pitch is 64; it must be at least the width"));
  EXPECT_TRUE(says(read(pvc, 0, 64, 8, 64, 1), "the block's first column, 1, is at byte 2"));
  EXPECT_TRUE(says(read(pvc, 0, 64, 8, 1 << 20, 0), "is out of bounds of every allocation")) << read(pvc, 0, 64, 8, 1 << 20, 0);
  EXPECT_TRUE(says(pvc.run("prefetch", {16, 1, 1}, {1, 1, 1}, m, 64, 8, 72, 0, 0), "the pitch is 72"));
  EXPECT_EQ(pvc.run("prefetch", {16, 1, 1}, {1, 1, 1}, m, 64, 8, 1 << 20, 0, 0), ""); // prefetch beyond memory: no effect
  std::string uneven = pvc.run("uneven", {16, 1, 1}, {1, 1, 1}, m, out);
  EXPECT_TRUE(says(uneven, "the block's position differs between lane 0 of subgroup 0 and lane 8 of subgroup 0")) << uneven;
}

} // namespace
} // namespace xt::soft::test
