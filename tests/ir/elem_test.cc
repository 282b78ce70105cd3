#include "ir/elem.h"
#include "ir/elem_kinds.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace xt {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Elem kNarrow[] = {Elem::F16, Elem::BF16, Elem::F8E4M3, Elem::F8E5M2, Elem::F4E2M1};

double fromBits(Elem elem, uint32_t bits) {
  auto b16 = static_cast<uint16_t>(bits);
  auto b8 = static_cast<uint8_t>(bits);
  return elemInfo(elem).storageBytes == 2 ? loadFloat(elem, &b16) : loadFloat(elem, &b8);
}
uint32_t toBits(Elem elem, double value) {
  uint16_t b16 = 0;
  uint8_t b8 = 0;
  if (elemInfo(elem).storageBytes == 2) return storeFloat(elem, &b16, value), b16;
  return storeFloat(elem, &b8, value), b8;
}

// Returns the value of a bit pattern by the definition of the format, without using the code under test.
double textbook(Elem elem, uint32_t bits) {
  int mantissaBits = elem == Elem::F16 ? 10 : elem == Elem::BF16 ? 7 : elem == Elem::F8E4M3 ? 3 : elem == Elem::F4E2M1 ? 1 : 2;
  int exponentBits = elem == Elem::F16 ? 5 : elem == Elem::BF16 ? 8 : elem == Elem::F8E4M3 ? 4 : elem == Elem::F4E2M1 ? 2 : 5;
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = static_cast<int>(bits >> mantissaBits) & ((1 << exponentBits) - 1);
  int mantissa = static_cast<int>(bits) & ((1 << mantissaBits) - 1);
  double sign = (bits >> (mantissaBits + exponentBits)) & 1 ? -1.0 : 1.0;
  if (elem == Elem::F8E4M3) {
    if (exponent == 15 && mantissa == 7) return std::nan("");
  } else if (elem != Elem::F4E2M1 && exponent == (1 << exponentBits) - 1) {
    return mantissa ? std::nan("") : sign * kInf;
  }
  if (exponent == 0) return sign * mantissa * std::pow(2.0, 1 - bias - mantissaBits);
  return sign * (1 + mantissa / std::pow(2.0, mantissaBits)) * std::pow(2.0, exponent - bias);
}

TEST(Elem, EveryBitPatternReadsAsTheTextbookSaysAndStoresBack) {
  for (Elem elem : kNarrow) {
    for (uint32_t bits = 0; bits < (1u << elemInfo(elem).bits); ++bits) {
      double expected = textbook(elem, bits), got = fromBits(elem, bits);
      uint32_t back = toBits(elem, got);
      ASSERT_EQ(back, bits) << elemName(elem) << ": NaNs too, signalling or not";
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(got)) << elemName(elem) << " " << bits;
        continue;
      }
      ASSERT_EQ(expected, got) << elemName(elem) << " " << bits;
      ASSERT_EQ(std::signbit(expected), std::signbit(got)) << elemName(elem) << " " << bits;
      ASSERT_EQ(roundTo(elem, got), got);
    }
  }
}

TEST(Elem, NanImages) {
  EXPECT_EQ(toBits(Elem::F8E4M3, std::nan("")), 0x7Fu);
  EXPECT_EQ(toBits(Elem::F8E4M3, -std::nan("")), 0xFFu);
  EXPECT_EQ(toBits(Elem::F8E4M3, kInf), 0x7Fu) << "f8E4M3 has no inf";
  EXPECT_EQ(toBits(Elem::F8E5M2, kInf), 0x7Cu);
  EXPECT_EQ(toBits(Elem::F4E2M1, std::nan("")), 0x7u) << "f4E2M1 has no NaN";
  EXPECT_EQ(toBits(Elem::F4E2M1, -std::nan("")), 0x7u) << "whatever its sign";
  EXPECT_EQ(toBits(Elem::F4E2M1, -kInf), 0xFu);
  EXPECT_EQ(toBits(Elem::F16, -kInf), 0xFC00u);
  EXPECT_EQ(toBits(Elem::F16, std::nan("")), 0x7E00u);
  EXPECT_EQ(toBits(Elem::BF16, std::nan("")), 0x7FC0u);
  // A NaN remains a NaN even if the narrow format has no bits for its payload.
  EXPECT_EQ(toBits(Elem::F16, std::bit_cast<double>((uint64_t{0x7FF} << 52) | 1)), 0x7E00u);
}

TEST(Elem, Scales) {
  for (uint32_t bits = 0; bits < 255; ++bits) {
    double value = std::ldexp(1.0, static_cast<int>(bits) - 127);
    EXPECT_EQ(fromBits(Elem::F8E8M0, bits), value);
    EXPECT_EQ(toBits(Elem::F8E8M0, value), bits);
    EXPECT_EQ(toBits(Elem::F8E8M0, value * 1.25), bits);
    EXPECT_EQ(toBits(Elem::F8E8M0, value * 1.5), bits + 1) << "ties go up";
    EXPECT_EQ(toBits(Elem::F8E8M0, std::nextafter(value * 1.5, 0)), bits);
    EXPECT_EQ(toBits(Elem::F8E8M0, -value), 255u);
  }
  EXPECT_TRUE(std::isnan(fromBits(Elem::F8E8M0, 255)));
  for (double value : {std::nan(""), kInf, -kInf, -1e-300}) EXPECT_EQ(toBits(Elem::F8E8M0, value), 255u) << value;
  for (double value : {0.0, -0.0, 1e-300}) EXPECT_EQ(toBits(Elem::F8E8M0, value), 0u) << value;
  EXPECT_EQ(largestNumber(Elem::F8E8M0), std::ldexp(1.0, 127));
}

// All finite values of a format that are not negative, in ascending order, each with the lowest bit of its pattern; and the
// value that would follow the largest.
struct Grid {
  std::vector<double> values;
  std::vector<bool> odd;
  double next; // the value that would follow the largest finite one; ties between the two overflow if the largest is odd
};
Grid gridOf(Elem elem) {
  Grid grid;
  for (uint32_t bits = 0; bits < (1u << (elemInfo(elem).bits - 1)); ++bits) {
    double value = textbook(elem, bits);
    if (!std::isfinite(value)) continue;
    grid.values.push_back(value);
    grid.odd.push_back(bits & 1);
  }
  size_t n = grid.values.size();
  grid.next = grid.values[n - 1] + (grid.values[n - 1] - grid.values[n - 2]);
  return grid;
}
double nearestEven(Elem elem, const Grid &grid, double x) {
  double magnitude = std::fabs(x);
  size_t n = grid.values.size();
  size_t above = static_cast<size_t>(std::lower_bound(grid.values.begin(), grid.values.end(), magnitude) - grid.values.begin());
  double result;
  if (above == n) {
    double last = grid.values[n - 1];
    // The differences are exact, because neighbouring values are subtracted.
    double down = magnitude - last, up = grid.next - magnitude;
    bool overflow = up < down || (up == down && grid.odd[n - 1]);
    result = !overflow || elem == Elem::F4E2M1 ? last : elem == Elem::F8E4M3 ? std::nan("") : kInf;
  } else if (grid.values[above] == magnitude) {
    result = magnitude;
  } else {
    double down = magnitude - grid.values[above - 1], up = grid.values[above] - magnitude;
    result = down < up || (down == up && !grid.odd[above - 1]) ? grid.values[above - 1] : grid.values[above];
  }
  return std::copysign(result, x);
}

TEST(Elem, RoundsToTheNearestNeighbourTiesToEven) {
  for (Elem elem : kNarrow) {
    Grid grid = gridOf(elem);
    auto check = [&](double x) {
      for (double value : {x, -x}) {
        double expected = nearestEven(elem, grid, value), got = roundTo(elem, value);
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(got)) << elemName(elem) << " " << value;
          continue;
        }
        ASSERT_EQ(expected, got) << elemName(elem) << " " << value;
        ASSERT_EQ(std::signbit(expected), std::signbit(got)) << elemName(elem) << " " << value;
      }
    };
    std::vector<double> points = grid.values;
    points.push_back(grid.next);
    for (size_t i = 0; i + 1 < points.size(); ++i) {
      double middle = points[i] + (points[i + 1] - points[i]) / 2;
      for (double x : {points[i], middle, std::nextafter(middle, 0.0), std::nextafter(middle, kInf),
                       std::nextafter(points[i], kInf), points[i] + (points[i + 1] - points[i]) * 0.3})
        check(x);
    }
    for (double x : {grid.next, std::nextafter(grid.next, kInf), 1e300, kInf, 5e-324, 1e-310}) check(x);
    std::mt19937_64 random(7);
    for (int i = 0; i < 20000; ++i) {
      double x = std::ldexp(1.0 + static_cast<double>(random() >> 12) * 0x1p-52, static_cast<int>(random() % 60) - 40);
      check(x);
    }
  }
}

TEST(Elem, RoundsOnceFromDouble) {
  // If x were rounded to f32 first, the result would be a tie, which rounds to 1.
  double x = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(roundTo(Elem::F16, x), 1.0 + 0x1p-10);
  EXPECT_EQ(roundTo(Elem::TF32, x), 1.0 + 0x1p-10);
  EXPECT_EQ(roundTo(Elem::TF32, 1.0 + 0x1p-11), 1.0);
  EXPECT_EQ(roundTo(Elem::BF16, 1.0 + 0x1p-8 + 0x1p-50), 1.0 + 0x1p-7);
  EXPECT_EQ(roundTo(Elem::F32, 1.0 + 0x1p-24), 1.0);
  EXPECT_EQ(roundTo(Elem::F32, 0x1p-150 + 0x1p-180), 0x1p-149);
  EXPECT_EQ(roundTo(Elem::F32, 1e39), kInf);
  EXPECT_EQ(roundTo(Elem::TF32, 0x1p-137 + 0x1p-160), 0x1p-136);
  EXPECT_EQ(roundTo(Elem::TF32, 0x1.ffdp127), 0x1.ffcp127) << "the largest tf32";
  EXPECT_EQ(roundTo(Elem::TF32, 0x1.ffep127), kInf) << "a tie beyond the largest";
  EXPECT_EQ(roundTo(Elem::F64, 0.1), 0.1);
  EXPECT_EQ(roundTo(Elem::F8E4M3, 464.0), 448.0);
  EXPECT_TRUE(std::isnan(roundTo(Elem::F8E4M3, 464.1)));
  EXPECT_EQ(roundTo(Elem::F8E5M2, 57344.0), 57344.0);
  EXPECT_EQ(roundTo(Elem::F8E5M2, 61440.0), kInf);
}

TEST(Elem, WideFloatsKeepTheirImage) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    auto bits = static_cast<uint32_t>(random());
    uint32_t back = 0;
    if (i % 4 == 0) bits |= 0x7F800000u; // inf, or a NaN of either kind
    storeFloat(Elem::F32, &back, loadFloat(Elem::F32, &bits));
    ASSERT_EQ(back, bits);
  }
  // A tf32 is read with all bits in memory, and rounded when it is stored.
  float full = 1.0f + 0x1p-20f;
  EXPECT_EQ(loadFloat(Elem::TF32, &full), 1.0 + 0x1p-20);
  storeFloat(Elem::TF32, &full, 1.0 + 0x1p-20);
  EXPECT_EQ(full, 1.0f);
}

TEST(Elem, IntegersWrap) {
  EXPECT_EQ(wrapTo(Elem::I1, 3), 1);
  EXPECT_EQ(wrapTo(Elem::I1, -1), 1);
  EXPECT_EQ(wrapTo(Elem::I4, 8), -8);
  EXPECT_EQ(wrapTo(Elem::I8, 200), -56);
  EXPECT_EQ(wrapTo(Elem::U8, -1), 255);
  EXPECT_EQ(wrapTo(Elem::I32, int64_t{1} << 31), -(int64_t{1} << 31));
  EXPECT_EQ(wrapTo(Elem::U32, -1), 0xFFFFFFFF);
  EXPECT_EQ(wrapTo(Elem::Index, -5), -5);
  EXPECT_EQ(wrapTo(Elem::U64, -5), -5);
  EXPECT_TRUE(fitsInteger(Elem::I8, -128));
  EXPECT_FALSE(fitsInteger(Elem::I8, 128));
  EXPECT_FALSE(fitsInteger(Elem::U16, -1));
  EXPECT_TRUE(fitsInteger(Elem::U64, -1));
  EXPECT_FALSE(fitsInteger(Elem::I1, 2));
}

TEST(Elem, IntegerImagesRoundTripAtAnyAlignment) {
  for (Elem elem : {Elem::I1, Elem::I4, Elem::U4, Elem::I8, Elem::I16, Elem::I32, Elem::I64, Elem::U8, Elem::U16, Elem::U32,
                    Elem::U64, Elem::Index}) {
    unsigned char memory[24];
    for (int64_t value : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{77}, int64_t{-100}, int64_t{70000},
                          std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
      std::memset(memory, 0xA5, sizeof memory);
      storeInteger(elem, memory + 3, value);
      EXPECT_EQ(loadInteger(elem, memory + 3), wrapTo(elem, value)) << elemName(elem) << " " << value;
      EXPECT_EQ(memory[2], 0xA5);
      EXPECT_EQ(memory[3 + elemInfo(elem).storageBytes], 0xA5);
    }
  }
}

TEST(Elem, NamesReadBack) {
  std::set<std::string_view> names;
  for (int i = 0; i < kElemCount; ++i) {
    Elem elem = static_cast<Elem>(i);
    EXPECT_EQ(elemInfo(elem).elem, elem);
    EXPECT_EQ(elemFromName(elemName(elem)), elem);
    names.insert(elemName(elem));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(kElemCount));
  EXPECT_EQ(elemFromName("float"), Elem::F32);
  EXPECT_EQ(elemFromName("fp16"), Elem::F16);
  EXPECT_EQ(elemFromName("double"), Elem::F64);
  EXPECT_EQ(elemFromName("uint8"), Elem::U8);
  EXPECT_EQ(elemFromName("int64"), Elem::I64);
  EXPECT_EQ(elemFromName("f17"), std::nullopt);
}

} // namespace
} // namespace xt
