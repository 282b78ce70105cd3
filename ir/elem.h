// Element types and their arithmetic facts.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace xt {

// Only files that name an element type need ir/elem_kinds.h. Other files do not include it, so that a new type does not
// rebuild them.
enum class Elem : uint8_t;
// Element types that headers use as defaults, given by their positions in ir/elem_kinds.h. elem.cc checks the positions.
inline constexpr Elem kIndexElem{10}, kF32Elem{12};

// The meaning of the bit patterns with the largest exponent of a float type.
enum class FloatSpecials : uint8_t {
  Ieee, // infinities and NaNs
  Nan,  // numbers, except that the pattern with all ones is NaN: there is no infinity
  None, // numbers: there is no infinity and no NaN
};

struct ElemInfo {
  Elem elem;
  std::string_view name;
  int bits;         // the bits of a value: 1 for i1, 19 for tf32
  int storageBytes; // the bytes of one element in memory; i1, i4, u4 and f4E2M1 take one byte each
  bool isFloat;
  bool isUnsigned; // uN; iN and index are signed
  int precision;   // floats: bits of the significand with the hidden one, so the unit roundoff is 2^-precision
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
double largestNumber(Elem floatType); // the largest finite number
// Whether a type is a scale of the microscaling formats, f8E8M0: the powers of two from 2^-127 to 2^127 and NaN. It has no sign
// and no zero (Open Compute Project, Microscaling Formats Specification 1.0, 5.4.1).
bool isScale(Elem e);
// Whether values of a float type are only stored and converted: the types of 4 bits and of scales have no arithmetic.
bool isStorageFloat(Elem e);
// Whether a type is a float of at most 8 bits that is not a scale, which takes a byte in memory. f16 can represent all values of these types.
inline bool isByteFloat(Elem e) { return elemInfo(e).isFloat && elemInfo(e).bits <= 8 && !isScale(e); }

// Rounds to the nearest value of a float type, ties to even. Overflow gives infinity, or NaN if the type has no infinity, or the
// largest number of this sign if it has no NaN either. NaN becomes the largest number in a type without NaN. Subnormals are kept.
// In a type of scales, ties go to the larger power, zero becomes the least scale, and a negative number NaN.
double roundTo(Elem floatType, double value);
// Wraps around to the width and signedness of an integer type in two's complement (i1: 0 or 1).
int64_t wrapTo(Elem intType, int64_t value);
// Whether an integer type can hold the value. u64 is held as the int64 with the same bits, so every value fits.
bool fitsInteger(Elem intType, int64_t value);

// These functions read and write elements in memory. `bytes` points at elemInfo(elem).storageBytes bytes, of any alignment.
double loadFloat(Elem elem, const void *bytes);
void storeFloat(Elem elem, void *bytes, double value); // rounds as roundTo
int64_t loadInteger(Elem elem, const void *bytes);
void storeInteger(Elem elem, void *bytes, int64_t value); // wraps

} // namespace xt
