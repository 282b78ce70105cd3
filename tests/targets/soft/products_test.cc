#include "tests/targets/soft/soft_kernel.h"

#include "ir/base/text.h"
#include "targets/soft/products.h"

#include <cmath>

namespace xt::soft::test {
namespace {

struct Types {
  std::string a, b; // as in the name of the function
  int bits, depth;
  std::string sum; // "float", "half", "short" (bf16), "int"
};

const Types kTypes[] = {{"f16", "f16", 16, 16, "float"},   {"f16", "f16", 16, 16, "half"}, {"bf16", "bf16", 16, 16, "float"},
                        {"bf16", "bf16", 16, 16, "short"}, {"i8", "i8", 8, 32, "int"},     {"i8", "u8", 8, 32, "int"},
                        {"u8", "i8", 8, 32, "int"},        {"u8", "u8", 8, 32, "int"},     {"tf32", "tf32", 32, 8, "float"}};

std::string vectorOf(const std::string &scalar, int n) { return n == 1 ? scalar : str(scalar, n); }

std::string name(const Types &t, int rows) { return str(t.a, "_", t.b, "_", t.sum, "_", rows); }

// Returns a kernel that calls the function of a product. The components of A are floats for 32-bit types, otherwise shorts with
// 16 lanes and ints with 8.
std::string kernelText(const Types &t, int rows, int lanes) {
  std::string scalarA = t.bits == 32  ? "float"
                        : lanes == 16 ? (t.a == "u8" ? "ushort" : "short")
                                      : (t.a == "u8" ? "uint" : "int");
  std::string a = vectorOf(scalarA, t.bits == 32 ? std::max(rows / 2, 1) : rows);
  std::string b = t.bits == 32 ? "float8" : t.b == "u8" ? "uint8" : "int8";
  std::string c = vectorOf(t.sum, rows), f = str("intel_sub_group_", t.a, "_", t.b, "_matrix_mad_k", t.depth);
  return str("OV ", c, " ", f, "(", a, ", ", b, ", ", c, ");\nLANES(", lanes, ") kernel void ", name(t, rows), "(global ", a,
             " *a, global ", b, " *b, global ", c, " *c) {\n  uint l = get_sub_group_local_id();\n  c[l] = ", f,
             "(a[l], b[l], c[l]);\n}\n");
}

double read(const std::string &type, const uint8_t *from) {
  if (type == "i8") return static_cast<int8_t>(*from);
  if (type == "u8") return *from;
  uint16_t word;
  uint32_t full;
  std::memcpy(&word, from, 2);
  if (type == "f16" || type == "half") return fromHalf(word);
  if (type == "bf16" || type == "short") return fromBfloat(word);
  std::memcpy(&full, from, 4);
  if (type == "int") return static_cast<int32_t>(full);
  if (type == "tf32") full &= 0xffffe000;
  float value;
  std::memcpy(&value, &full, 4);
  return value;
}

// Returns random values that are so small that sums are close to those in f64.
std::vector<uint8_t> values(const std::string &type, size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes;
  auto put = [&](auto value) {
    const auto *first = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
  };
  for (size_t i = 0; i < count; ++i) {
    float value = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 256;
    if (type == "f16" || type == "half")
      put(toHalf(value));
    else if (type == "bf16" || type == "short")
      put(toBfloat(value));
    else if (type == "i8" || type == "u8")
      put(static_cast<uint8_t>(random()));
    else if (type == "int")
      put(static_cast<int32_t>(random() % 100000));
    else
      put(value * 1.001f);
  }
  return bytes;
}

int bytesOf(const std::string &type) {
  return type == "i8" || type == "u8" ? 1 : type == "float" || type == "int" || type == "tf32" ? 4 : 2;
}

// Compares a product with its definition. In registers, A is row by row and padded to complete registers, B is in words of its
// columns, and C is like A.
void compare(SoftKernels &kernels, const Types &t, int rows, int lanes) {
  int size = t.bits / 8, k = t.depth;
  std::vector<uint8_t> a = values(t.a, static_cast<size_t>(rows * k), 1), b = values(t.b, static_cast<size_t>(k * lanes), 2);
  std::vector<uint8_t> c = values(t.sum == "float" ? "float" : t.sum, static_cast<size_t>(rows * lanes), 3);
  int laneBytes = std::max(rows * k * size / lanes, size),
      unit = t.bits == 32 ? 4 : 32 / lanes; // bytes of A in one lane, and of one of its register elements
  DeviceArray<uint8_t> registersA(static_cast<size_t>(lanes * laneBytes)), registersB(static_cast<size_t>(lanes * 32));
  int sum = bytesOf(t.sum);
  DeviceArray<uint8_t> registersC(static_cast<size_t>(lanes * rows * sum));
  for (int at = 0; at < rows * k * size; ++at) { // byte number `at` of A in row-major order
    int element = at / unit, lane = element % lanes, component = element / lanes;
    registersA[static_cast<size_t>(lane * laneBytes + component * unit + at % unit)] = a[static_cast<size_t>(at)];
  }
  for (int row = 0; row < k; ++row)
    for (int lane = 0; lane < lanes; ++lane)
      std::memcpy(&registersB[static_cast<size_t>(lane * 32 + row * size)],
                  &b[static_cast<size_t>((row * lanes + lane) * size)], static_cast<size_t>(size));
  for (int row = 0; row < rows; ++row)
    for (int lane = 0; lane < lanes; ++lane)
      std::memcpy(&registersC[static_cast<size_t>((lane * rows + row) * sum)],
                  &c[static_cast<size_t>((row * lanes + lane) * sum)], static_cast<size_t>(sum));
  ASSERT_EQ(kernels.run(name(t, rows), {static_cast<uint32_t>(lanes), 1, 1}, {1, 1, 1}, registersA, registersB, registersC),
            "");
  for (int row = 0; row < rows; ++row)
    for (int lane = 0; lane < lanes; ++lane) {
      double exact = read(t.sum, &c[static_cast<size_t>((row * lanes + lane) * sum)]), magnitude = std::fabs(exact);
      for (int i = 0; i < k; ++i) {
        double product = read(t.a, &a[static_cast<size_t>((row * k + i) * size)]) *
                         read(t.b, &b[static_cast<size_t>((i * lanes + lane) * size)]);
        exact += product, magnitude += std::fabs(product);
      }
      double got = read(t.sum, &registersC[static_cast<size_t>((lane * rows + row) * sum)]);
      double unitLast = t.sum == "half" ? 0x1p-11 : t.sum == "short" ? 0x1p-8 : 0;
      double bound = t.sum == "int" ? 0 : magnitude * 0x1p-24 * (k + 1) + std::fabs(exact) * unitLast * 1.01;
      ASSERT_LE(std::fabs(got - exact), bound) << name(t, rows) << " on " << lanes << " lanes, row " << row << ", column "
                                               << lane << ": " << got << ", not " << exact;
    }
}

// Whether the function exists: with subgroups of 8 lanes there are no 16-bit sums and no tf32.
bool exists(const Types &t, int lanes) { return lanes == 16 || (t.bits < 32 && t.sum != "half" && t.sum != "short"); }

void compareAll(int lanes, const char *device) {
  std::string source;
  for (const Types &t : kTypes)
    for (int rows : {1, 2, 4, 8})
      if (exists(t, lanes)) source += kernelText(t, rows, lanes);
  SoftKernels kernels(source, device);
  ASSERT_TRUE(kernels) << kernels.error;
  for (const Types &t : kTypes)
    for (int rows : {1, 2, 4, 8})
      if (exists(t, lanes)) compare(kernels, t, rows, lanes);
}

TEST(SoftProducts, areThoseOfMatricesOnSixteenLanes) {
  XT_NEEDS_COMPILER();
  compareAll(16, "pvc");
  compareAll(16, "bmg");
}

TEST(SoftProducts, areThoseOfMatricesOnEightLanes) {
  XT_NEEDS_COMPILER();
  compareAll(8, "dg2");
}

TEST(SoftProducts, ofAnotherSubgroupSizeAreNotKnown) {
  XT_NEEDS_COMPILER();
  SoftKernels sixteen(kernelText(kTypes[0], 8, 16).replace(0, 0, ""), "dg2");
  EXPECT_NE(sixteen.error.find("does not know the device function intel_sub_group_f16_f16_matrix_mad_k16(short "
                               "vector[8], int vector[8], float vector[8])"),
            std::string::npos)
      << sixteen.error;
}

// A driver's library has none of these functions.
TEST(SoftProducts, ofOtherTypesAreNotKnown) {
  XT_NEEDS_COMPILER();
  for (const Types &t : kTypes) {
    if (exists(t, 8)) continue;
    SoftKernels eight(kernelText(t, 8, 8), "dg2");
    EXPECT_NE(
        eight.error.find(str("does not know the device function intel_sub_group_", t.a, "_", t.b, "_matrix_mad_k", t.depth)),
        std::string::npos)
        << eight.error;
  }
  std::string words = kernelText(kTypes[0], 8, 16); // with ints instead of the shorts that the function has
  for (size_t at; (at = words.find("short8")) != std::string::npos;) words.replace(at, 6, "int8");
  EXPECT_NE(SoftKernels(words).error.find("symbol _Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_iS_Dv8_f"), std::string::npos)
      << SoftKernels(words).error;
}

TEST(SoftProducts, roundToNearestEven) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = fromHalf(static_cast<uint16_t>(bits));
    if (std::isnan(value))
      EXPECT_TRUE((toHalf(value) & 0x7fff) > 0x7c00) << bits;
    else
      EXPECT_EQ(toHalf(value), bits);
    // A value halfway between two numbers rounds to the even one.
    if ((bits & 0x7fff) < 0x7bff && (bits & 0x8000) == 0) {
      float next = fromHalf(static_cast<uint16_t>(bits + 1));
      EXPECT_EQ(toHalf((value + next) / 2), bits % 2 ? bits + 1 : bits);
      EXPECT_EQ(toHalf(std::nextafter((value + next) / 2, 1e9f)), bits + 1);
    }
  }
  EXPECT_EQ(toHalf(65519.996f), 0x7bff);
  EXPECT_EQ(toHalf(65520.0f), 0x7c00);
  EXPECT_EQ(toBfloat(1.00390625f), 0x3f80); // 1 + 2^-8: halfway, to the even 1
  EXPECT_EQ(toBfloat(1.01171875f), 0x3f82); // 1 + 3 * 2^-8: halfway, to the even 1 + 2^-6
  EXPECT_TRUE(std::isnan(fromBfloat(toBfloat(std::nanf("")))));
}

} // namespace
} // namespace xt::soft::test
