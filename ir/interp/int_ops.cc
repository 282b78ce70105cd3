#include "ir/interp/int_ops.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"

#include <array>
#include <cstddef>

namespace xt {

namespace {
// A number as magnitude and sign, so that neither u64 nor the most negative number needs wider arithmetic.
struct SignedParts {
  uint64_t magnitude;
  bool negative;
};
SignedParts partsOf(Elem elem, int64_t value) {
  bool negative = isNegative(elem, value);
  auto bits = static_cast<uint64_t>(signedValue(elem, value));
  return {negative ? ~bits + 1 : bits, negative};
}
int64_t joined(SignedParts parts) { return static_cast<int64_t>(parts.negative ? ~parts.magnitude + 1 : parts.magnitude); }
// Whether a quotient is +2^(bits - 1) in a signed type, which cannot represent it.
bool overflows(Elem elem, SignedParts a, SignedParts b) {
  const ElemInfo &info = elemInfo(elem);
  return !info.isUnsigned && a.negative && b.negative && b.magnitude == 1 && a.magnitude == uint64_t{1} << (info.bits - 1);
}
} // namespace

uint64_t unsignedBits(Elem elem, int64_t value) {
  int bits = elemInfo(elem).bits;
  return bits == 64 ? static_cast<uint64_t>(value) : static_cast<uint64_t>(value) & ((uint64_t{1} << bits) - 1);
}

bool isNegative(Elem elem, int64_t value) { return !elemInfo(elem).isUnsigned && signedValue(elem, value) < 0; }

int64_t signedValue(Elem elem, int64_t value) { return elem == Elem::I1 ? -value : value; }

int64_t divideSigned(Elem elem, int64_t x, int64_t y) {
  SignedParts a = partsOf(elem, x), b = partsOf(elem, y);
  if (b.magnitude == 0 || overflows(elem, a, b)) return 0;
  return joined({a.magnitude / b.magnitude, a.negative != b.negative});
}

int64_t remainderSigned(Elem elem, int64_t x, int64_t y) {
  SignedParts a = partsOf(elem, x), b = partsOf(elem, y);
  if (b.magnitude == 0 || overflows(elem, a, b)) return 0;
  return joined({a.magnitude % b.magnitude, a.negative});
}

int64_t ceilDivideSigned(Elem elem, int64_t x, int64_t y) {
  SignedParts a = partsOf(elem, x), b = partsOf(elem, y);
  if (b.magnitude == 0 || overflows(elem, a, b)) return 0;
  bool negative = a.negative != b.negative;
  uint64_t quotient = a.magnitude / b.magnitude;
  // Truncation already rounds a negative quotient up.
  if (!negative && a.magnitude % b.magnitude != 0) ++quotient;
  return joined({quotient, negative});
}

int64_t floorDivideSigned(Elem elem, int64_t x, int64_t y) {
  SignedParts a = partsOf(elem, x), b = partsOf(elem, y);
  if (b.magnitude == 0 || overflows(elem, a, b)) return 0;
  bool negative = a.negative != b.negative;
  uint64_t quotient = a.magnitude / b.magnitude;
  if (negative && a.magnitude % b.magnitude != 0) ++quotient;
  return joined({quotient, negative});
}

int64_t ceilDivideUnsigned(Elem elem, int64_t a, int64_t b) {
  uint64_t x = unsignedBits(elem, a), y = unsignedBits(elem, b);
  return y == 0 ? 0 : static_cast<int64_t>(x / y + (x % y != 0));
}

int64_t divideUnsigned(Elem elem, int64_t a, int64_t b) {
  uint64_t divisor = unsignedBits(elem, b);
  return divisor ? static_cast<int64_t>(unsignedBits(elem, a) / divisor) : 0;
}

int64_t remainderUnsigned(Elem elem, int64_t a, int64_t b) {
  uint64_t divisor = unsignedBits(elem, b);
  return divisor ? static_cast<int64_t>(unsignedBits(elem, a) % divisor) : 0;
}

int64_t shiftLeft(Elem elem, int64_t value, int64_t amount) {
  uint64_t places = unsignedBits(elem, amount);
  if (places >= static_cast<uint64_t>(elemInfo(elem).bits)) return 0;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << places);
}

int64_t shiftRightSigned(Elem elem, int64_t value, int64_t amount) {
  if (elemInfo(elem).isUnsigned) return shiftRightUnsigned(elem, value, amount);
  uint64_t places = unsignedBits(elem, amount);
  if (places >= static_cast<uint64_t>(elemInfo(elem).bits)) places = 63;
  return signedValue(elem, value) >> places;
}

int64_t shiftRightUnsigned(Elem elem, int64_t value, int64_t amount) {
  uint64_t places = unsignedBits(elem, amount);
  if (places >= static_cast<uint64_t>(elemInfo(elem).bits)) return 0;
  return static_cast<int64_t>(unsignedBits(elem, value) >> places);
}

bool lessSigned(Elem elem, int64_t a, int64_t b) {
  if (elemInfo(elem).isUnsigned) return lessUnsigned(elem, a, b);
  return signedValue(elem, a) < signedValue(elem, b);
}

bool lessUnsigned(Elem elem, int64_t a, int64_t b) { return unsignedBits(elem, a) < unsignedBits(elem, b); }

IntCompare intCompareFromName(std::string_view name) {
  constexpr std::array<std::string_view, 10> kNames = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<IntCompare>(i);
  XT_UNREACHABLE("kind of cmpi");
}

} // namespace xt
