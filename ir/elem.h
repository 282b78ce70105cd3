// Element types and their arithmetic facts.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace xt {

// Include ir/elem_kinds.h only to name a type: a new type rebuilds those files.
enum class Elem : uint8_t;
// Defaults in records of headers, by their positions in ir/elem_kinds.h, which elem.cc checks.
inline constexpr Elem kIndexElem{10}, kF32Elem{12};

// What the bit patterns of a float's top exponent stand for.
enum class FloatSpecials : uint8_t {
  Ieee, // infinities and NaNs
  Nan,  // numbers, except that all ones are NaN: there is no infinity
};

struct ElemInfo {
  Elem elem;
  std::string_view name;
  int bits;         // of the value: 1 for i1, 19 for tf32
  int storageBytes; // of one element in memory; i1 and i4 take one byte each
  bool isFloat;
  bool isUnsigned; // uN; iN and index are signed
  int precision;   // floats: bits of the significand with the hidden one, so u = 2^-precision
  int maxExponent; // floats: largest e with 2^e finite
  int minExponent; // floats: e of the smallest normal number 2^e
  FloatSpecials specials = FloatSpecials::Ieee;
};

const ElemInfo &elemInfo(Elem elem);
// Also accepts other spellings of the RFCs: float, double, fp32, fp16, int64, uint8 …
std::optional<Elem> elemFromName(std::string_view name);

inline bool isFloat(Elem e) { return elemInfo(e).isFloat; }
inline bool isInteger(Elem e) { return !elemInfo(e).isFloat; } // includes index
inline std::string_view elemName(Elem e) { return elemInfo(e).name; }

inline bool hasInfinity(Elem floatType) { return elemInfo(floatType).specials == FloatSpecials::Ieee; }
double largestNumber(Elem floatType); // finite
// Whether it is a float of 8 bits. f16 represents each of its values.
inline bool isByteFloat(Elem e) { return elemInfo(e).isFloat && elemInfo(e).bits == 8; }

// Rounds to the nearest value of a float type, ties to even; overflow gives inf, or NaN without one; subnormals are kept.
double roundTo(Elem floatType, double value);
// Two's complement wrap-around to the width and signedness of an integer type (i1: 0 or 1).
int64_t wrapTo(Elem intType, int64_t value);
// Whether an integer type can hold the value. u64 is held as the int64 with the same bits, so every value fits.
bool fitsInteger(Elem intType, int64_t value);

// Memory images. `bytes` points at elemInfo(elem).storageBytes bytes, of any alignment.
double loadFloat(Elem elem, const void *bytes);
void storeFloat(Elem elem, void *bytes, double value); // rounds as roundTo
int64_t loadInteger(Elem elem, const void *bytes);
void storeInteger(Elem elem, void *bytes, int64_t value); // wraps

} // namespace xt
