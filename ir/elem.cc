#include "ir/elem.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace xt {

static_assert(kIndexElem == Elem::Index && kF32Elem == Elem::F32);

namespace {
constexpr ElemInfo kElems[kElemCount] = {
    {Elem::I1, "i1", 1, 1, false, false, 0, 0, 0},
    {Elem::I4, "i4", 4, 1, false, false, 0, 0, 0},
    {Elem::I8, "i8", 8, 1, false, false, 0, 0, 0},
    {Elem::I16, "i16", 16, 2, false, false, 0, 0, 0},
    {Elem::I32, "i32", 32, 4, false, false, 0, 0, 0},
    {Elem::I64, "i64", 64, 8, false, false, 0, 0, 0},
    {Elem::U8, "u8", 8, 1, false, true, 0, 0, 0},
    {Elem::U16, "u16", 16, 2, false, true, 0, 0, 0},
    {Elem::U32, "u32", 32, 4, false, true, 0, 0, 0},
    {Elem::U64, "u64", 64, 8, false, true, 0, 0, 0},
    {Elem::Index, "index", 64, 8, false, false, 0, 0, 0},
    {Elem::F64, "f64", 64, 8, true, false, 53, 1023, -1022},
    {Elem::F32, "f32", 32, 4, true, false, 24, 127, -126},
    {Elem::TF32, "tf32", 19, 4, true, false, 11, 127, -126},
    {Elem::F16, "f16", 16, 2, true, false, 11, 15, -14},
    {Elem::BF16, "bf16", 16, 2, true, false, 8, 127, -126},
    {Elem::F8E4M3, "f8E4M3", 8, 1, true, false, 4, 8, -6, FloatSpecials::Nan},
    {Elem::F8E5M2, "f8E5M2", 8, 1, true, false, 3, 15, -14},
    {Elem::U4, "u4", 4, 1, false, true, 0, 0, 0},
    {Elem::F4E2M1, "f4E2M1", 4, 1, true, false, 2, 2, 0, FloatSpecials::None},
    {Elem::F8E8M0, "f8E8M0", 8, 1, true, false, 1, 127, -127, FloatSpecials::Nan},
};

struct Spelling {
  std::string_view name;
  Elem elem;
};
constexpr Spelling kSpellings[] = {
    {"double", Elem::F64},  {"float64", Elem::F64},     {"fp64", Elem::F64},         {"float", Elem::F32},
    {"float32", Elem::F32}, {"fp32", Elem::F32},        {"float16", Elem::F16},      {"fp16", Elem::F16},
    {"half", Elem::F16},    {"bfloat16", Elem::BF16},   {"f8E4M3FN", Elem::F8E4M3},  {"int4", Elem::I4},
    {"int8", Elem::I8},     {"int16", Elem::I16},       {"int32", Elem::I32},        {"int64", Elem::I64},
    {"uint8", Elem::U8},    {"uint16", Elem::U16},      {"uint32", Elem::U32},       {"uint64", Elem::U64},
    {"uint4", Elem::U4},    {"f4E2M1FN", Elem::F4E2M1}, {"f8E8M0FNU", Elem::F8E8M0},
};

// The largest finite value. If the all-ones pattern is NaN, it is the value of the pattern before that one.
double largest(const ElemInfo &info) {
  if (isScale(info.elem)) return std::ldexp(1.0, info.maxExponent);
  int below = info.specials == FloatSpecials::Nan ? 2 : 1;
  return std::ldexp(2.0 - std::ldexp(below, 1 - info.precision), info.maxExponent);
}

// The bit image of a format narrower than f32: sign, exponent, and precision - 1 bits of mantissa.
struct Image {
  int mantissaBits;
  int bias;
  uint32_t exponentMask; // all ones
};
Image imageOf(const ElemInfo &info) {
  int mantissaBits = info.precision - 1;
  return {mantissaBits, 1 - info.minExponent, (1u << (info.bits - 1 - mantissaBits)) - 1};
}

constexpr uint64_t kDoubleMantissa = (uint64_t{1} << 52) - 1;
constexpr uint64_t kDoubleQuiet = uint64_t{1} << 51;
constexpr uint64_t kDoubleSign = uint64_t{1} << 63;

// A scale is its biased exponent, without a sign and a significand.
constexpr uint32_t kScaleNan = 255;
constexpr int kScaleBias = 127;

double decodeScale(uint32_t bits) {
  return bits == kScaleNan ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, static_cast<int>(bits) - kScaleBias);
}

uint32_t encodeScale(double value) {
  return std::isnan(value) ? kScaleNan : static_cast<uint32_t>(std::ilogb(value) + kScaleBias);
}

// The nearest scale to a magnitude that was rounded to a multiple of the least one.
double nearestScale(double value, double magnitude) {
  if (value < 0) return std::numeric_limits<double>::quiet_NaN();
  return magnitude == 0 ? std::ldexp(1.0, -kScaleBias) : magnitude;
}

double decode(const ElemInfo &info, uint32_t bits) {
  if (isScale(info.elem)) return decodeScale(bits);
  Image image = imageOf(info);
  uint32_t mantissa = bits & ((1u << image.mantissaBits) - 1);
  uint32_t exponent = (bits >> image.mantissaBits) & image.exponentMask;
  uint64_t sign = static_cast<uint64_t>((bits >> (info.bits - 1)) & 1) << 63;
  uint64_t wide = static_cast<uint64_t>(mantissa) << (52 - image.mantissaBits);
  bool allOnes = mantissa == (1u << image.mantissaBits) - 1;
  bool special = exponent == image.exponentMask && info.specials != FloatSpecials::None &&
                 (info.specials != FloatSpecials::Nan || allOnes);
  if (special) {
    if (info.specials == FloatSpecials::Nan) wide = kDoubleQuiet;
    return std::bit_cast<double>(sign | (uint64_t{0x7FF} << 52) | wide);
  }
  if (exponent == 0) {
    double magnitude = std::ldexp(static_cast<double>(mantissa), info.minExponent - image.mantissaBits);
    return sign ? -magnitude : magnitude;
  }
  uint64_t rebased = static_cast<uint64_t>(static_cast<int>(exponent) - image.bias + 1023);
  return std::bit_cast<double>(sign | (rebased << 52) | wide);
}

// Encodes a value that the format represents exactly, or a NaN. The sign and the leading payload bits of a NaN are kept, so
// that encoding the result of decode gives the same bits, for signalling NaNs too.
uint32_t encode(const ElemInfo &info, double value) {
  if (isScale(info.elem)) return encodeScale(value);
  Image image = imageOf(info);
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint32_t sign = static_cast<uint32_t>(bits >> 63) << (info.bits - 1);
  uint32_t top = image.exponentMask << image.mantissaBits;
  if (std::isnan(value)) {
    if (info.specials == FloatSpecials::Nan) return sign | top | ((1u << image.mantissaBits) - 1);
    auto payload = static_cast<uint32_t>((bits & kDoubleMantissa) >> (52 - image.mantissaBits));
    return sign | top | (payload ? payload : 1u << (image.mantissaBits - 1));
  }
  if (std::isinf(value)) return sign | top;
  if (value == 0) return sign;
  int exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1023;
  if (exponent < info.minExponent)
    return sign | static_cast<uint32_t>(std::ldexp(std::fabs(value), image.mantissaBits - info.minExponent));
  auto mantissa = static_cast<uint32_t>((bits & kDoubleMantissa) >> (52 - image.mantissaBits));
  return sign | (static_cast<uint32_t>(exponent + image.bias) << image.mantissaBits) | mantissa;
}

// Converts between float and double. NaNs are converted by hand: the hardware conversion would make a signalling NaN quiet.
double widen(float value) {
  if (!std::isnan(value)) return static_cast<double>(value);
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<double>((static_cast<uint64_t>(bits & 0x80000000u) << 32) | (uint64_t{0x7FF} << 52) |
                               (static_cast<uint64_t>(bits & 0x7FFFFFu) << 29));
}
float narrow(double value) {
  if (!std::isnan(value)) return static_cast<float>(value);
  uint64_t bits = std::bit_cast<uint64_t>(value);
  auto payload = static_cast<uint32_t>((bits & kDoubleMantissa) >> 29);
  return std::bit_cast<float>((static_cast<uint32_t>(bits >> 32) & 0x80000000u) | 0x7F800000u |
                              (payload ? payload : 0x400000u));
}

template <class T> T read(const void *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
template <class T> void write(void *bytes, T value) { std::memcpy(bytes, &value, sizeof value); }
} // namespace

const ElemInfo &elemInfo(Elem elem) { return kElems[static_cast<size_t>(elem)]; }

std::optional<Elem> elemFromName(std::string_view name) {
  for (const ElemInfo &info : kElems)
    if (info.name == name) return info.elem;
  for (const Spelling &spelling : kSpellings)
    if (spelling.name == name) return spelling.elem;
  return std::nullopt;
}

double largestNumber(Elem floatType) { return largest(elemInfo(floatType)); }
bool isScale(Elem e) { return e == Elem::F8E8M0; }
bool isStorageFloat(Elem e) { return isScale(e) || e == Elem::F4E2M1; }

double roundTo(Elem floatType, double value) {
  if (floatType == Elem::F64) return value;
  if (std::isnan(value)) return elemInfo(floatType).specials == FloatSpecials::None ? largestNumber(floatType) : value;
  if (floatType == Elem::F32) return static_cast<double>(static_cast<float>(value));
  const ElemInfo &info = elemInfo(floatType);
  XT_CHECK(info.isFloat, "roundTo of an integer type");
  uint64_t bits = std::bit_cast<uint64_t>(value);
  double magnitude = std::bit_cast<double>(bits & ~kDoubleSign);
  int exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1023;
  if (exponent <= info.maxExponent) {
    // Adding 1.5 * 2^(52 + q) and subtracting it again rounds away all bits below 2^q, to nearest even. q is the position of
    // the last mantissa bit; for subnormals it is that of the smallest normal number.
    int place = (exponent < info.minExponent ? info.minExponent : exponent) - (info.precision - 1);
    double shift = std::bit_cast<double>((static_cast<uint64_t>(place + 52 + 1023) << 52) | kDoubleQuiet);
    magnitude = (magnitude + shift) - shift;
  }
  using Limits = std::numeric_limits<double>;
  if (magnitude > largest(info))
    magnitude = hasInfinity(floatType)                 ? Limits::infinity()
                : info.specials == FloatSpecials::None ? largest(info)
                                                       : Limits::quiet_NaN();
  if (isScale(floatType)) return nearestScale(value, magnitude);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(magnitude) | (bits & kDoubleSign));
}

int64_t wrapTo(Elem intType, int64_t value) {
  const ElemInfo &info = elemInfo(intType);
  XT_CHECK(!info.isFloat, "wrapTo of a float type");
  if (info.bits == 64) return value;
  auto low = static_cast<uint64_t>(value) & ((uint64_t{1} << info.bits) - 1);
  bool negative = !info.isUnsigned && info.bits > 1 && ((low >> (info.bits - 1)) & 1);
  return static_cast<int64_t>(negative ? low | (~uint64_t{0} << info.bits) : low);
}

bool fitsInteger(Elem intType, int64_t value) { return wrapTo(intType, value) == value; }

double loadFloat(Elem elem, const void *bytes) {
  const ElemInfo &info = elemInfo(elem);
  XT_CHECK(info.isFloat, "loadFloat of an integer type");
  if (elem == Elem::F64) return read<double>(bytes);
  if (elem == Elem::F32 || elem == Elem::TF32) return widen(read<float>(bytes));
  return decode(info, info.storageBytes == 2 ? read<uint16_t>(bytes) : read<uint8_t>(bytes));
}

void storeFloat(Elem elem, void *bytes, double value) {
  const ElemInfo &info = elemInfo(elem);
  double rounded = roundTo(elem, value);
  if (elem == Elem::F64) return write(bytes, rounded);
  if (elem == Elem::F32 || elem == Elem::TF32) return write(bytes, narrow(rounded));
  uint32_t image = encode(info, rounded);
  if (info.storageBytes == 2)
    write(bytes, static_cast<uint16_t>(image));
  else
    write(bytes, static_cast<uint8_t>(image));
}

int64_t loadInteger(Elem elem, const void *bytes) {
  const ElemInfo &info = elemInfo(elem);
  XT_CHECK(!info.isFloat, "loadInteger of a float type");
  switch (info.storageBytes) {
  case 1: return wrapTo(elem, read<uint8_t>(bytes));
  case 2: return wrapTo(elem, read<uint16_t>(bytes));
  case 4: return wrapTo(elem, read<uint32_t>(bytes));
  default: return read<int64_t>(bytes);
  }
}

void storeInteger(Elem elem, void *bytes, int64_t value) {
  const ElemInfo &info = elemInfo(elem);
  int64_t wrapped = wrapTo(elem, value);
  switch (info.storageBytes) {
  case 1: return write(bytes, static_cast<uint8_t>(wrapped));
  case 2: return write(bytes, static_cast<uint16_t>(wrapped));
  case 4: return write(bytes, static_cast<uint32_t>(wrapped));
  default: return write(bytes, wrapped);
  }
}

} // namespace xt
