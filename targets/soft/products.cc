#include "targets/soft/products.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/soft/cooperative_matrices.h"
#include "targets/soft/workgroup.h"

#include <bit>
#include <cmath>

namespace xt::soft {
namespace {

constexpr int kMostRows = 8, kMostLanes = 16, kMostDepth = 32, kWords = 8;
constexpr uint32_t kTf32Mask = 0xffffe000;

enum class Operand : uint8_t { F16, BF16, TF32, S8, U8 };
enum class Sum : uint8_t { F32, F16, BF16, I32 };

struct Product {
  Operand a = Operand::F16, b = Operand::F16;
  Sum result = Sum::F32;
  int rows = 8, lanes = 16, depth = 16;
  int perWord() const { return depth / kWords; } // elements in 32 bits
};

int bytesOf(Operand operand) {
  switch (operand) {
  case Operand::F16:
  case Operand::BF16: return 2;
  case Operand::TF32: return 4;
  case Operand::S8:
  case Operand::U8: return 1;
  }
  return 0;
}

bool isInteger(Operand operand) { return operand == Operand::S8 || operand == Operand::U8; }

template <class T> T read(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

float floatElement(Operand operand, const std::byte *from) {
  if (operand == Operand::F16) return fromHalf(read<uint16_t>(from));
  if (operand == Operand::BF16) return fromBfloat(read<uint16_t>(from));
  return std::bit_cast<float>(read<uint32_t>(from) & kTf32Mask);
}

int32_t integerElement(Operand operand, const std::byte *from) {
  return operand == Operand::S8 ? int32_t{read<int8_t>(from)} : int32_t{read<uint8_t>(from)};
}

// The operands and the result of one product as matrices.
template <class T> struct Matrices {
  T a[kMostRows][kMostDepth];
  T b[kMostDepth][kMostLanes];
  T c[kMostRows][kMostLanes];
};

template <class T> T element(Operand operand, const std::byte *from) {
  if constexpr (std::is_same_v<T, float>)
    return floatElement(operand, from);
  else
    return integerElement(operand, from);
}

// Reads A[row, k]: one register of all lanes holds a row, or (tf32 on 16 lanes) two rows.
template <class T> void readA(const Meeting &meeting, const Product &p, Matrices<T> &m) {
  int size = bytesOf(p.a);
  int registerBytes = std::max(p.depth * size / p.lanes, size); // bytes of a register in one lane
  int rowsPerRegister = registerBytes * p.lanes / (p.depth * size);
  for (int row = 0; row < p.rows; ++row)
    for (int k = 0; k < p.depth; ++k) {
      int at = (row % rowsPerRegister * p.depth + k) * size; // offset in the register
      const auto *lane = static_cast<const std::byte *>(meeting.argument(static_cast<size_t>(at / registerBytes), 0));
      m.a[row][k] = element<T>(p.a, lane + row / rowsPerRegister * registerBytes + at % registerBytes);
    }
}

template <class T> void readB(const Meeting &meeting, const Product &p, Matrices<T> &m) {
  int size = bytesOf(p.b);
  for (int lane = 0; lane < p.lanes; ++lane) {
    const auto *from = static_cast<const std::byte *>(meeting.argument(static_cast<size_t>(lane), 1));
    for (int k = 0; k < p.depth; ++k) m.b[k][lane] = element<T>(p.b, from + k * size);
  }
}

template <class T> T sumElement(Sum sum, const std::byte *from, int row) {
  if (sum == Sum::F16) return static_cast<T>(fromHalf(read<uint16_t>(from + row * 2)));
  if (sum == Sum::BF16) return static_cast<T>(fromBfloat(read<uint16_t>(from + row * 2)));
  return read<T>(from + row * 4);
}

template <class T> void writeElement(Sum sum, std::byte *to, int row, T value) {
  if constexpr (std::is_same_v<T, float>) {
    if (sum == Sum::F32) return void(std::memcpy(to + row * 4, &value, 4));
    uint16_t bits = sum == Sum::F16 ? toHalf(value) : toBfloat(value);
    std::memcpy(to + row * 2, &bits, 2);
  } else {
    std::memcpy(to + row * 4, &value, 4);
  }
}

void accumulate(const Product &p, Matrices<float> &m) {
  for (int row = 0; row < p.rows; ++row)
    for (int k = 0; k < p.depth; ++k)
      for (int n = 0; n < kMostLanes; ++n) m.c[row][n] += m.a[row][k] * m.b[k][n];
}

void accumulate(const Product &p, Matrices<int32_t> &m) {
  for (int row = 0; row < p.rows; ++row)
    for (int k = 0; k < p.depth; ++k)
      for (int n = 0; n < kMostLanes; ++n)
        m.c[row][n] = static_cast<int32_t>(static_cast<uint32_t>(m.c[row][n]) + static_cast<uint32_t>(m.a[row][k] * m.b[k][n]));
}

template <class T> void multiply(Meeting &meeting, const Product &p) {
  if (static_cast<int>(meeting.count()) != p.lanes)
    return meeting.fail(str("this product needs subgroups of ", p.lanes, " lanes, but this one has ", meeting.count()));
  Matrices<T> m;
  readA(meeting, p, m);
  std::memset(m.b, 0, sizeof m.b); // accumulate() computes the columns of all possible lanes
  std::memset(m.c, 0, sizeof m.c);
  readB(meeting, p, m);
  for (int lane = 0; lane < p.lanes; ++lane) {
    const auto *from = static_cast<const std::byte *>(meeting.argument(static_cast<size_t>(lane), 2));
    for (int row = 0; row < p.rows; ++row) m.c[row][lane] = sumElement<T>(p.result, from, row);
  }
  accumulate(p, m);
  for (int lane = 0; lane < p.lanes; ++lane) {
    auto *to = static_cast<std::byte *>(meeting.result(static_cast<size_t>(lane)));
    for (int row = 0; row < p.rows; ++row) writeElement(p.result, to, row, m.c[row][lane]);
  }
}

Operand operandOf(Elem elem) {
  switch (elem) {
  case Elem::F16: return Operand::F16;
  case Elem::BF16: return Operand::BF16;
  case Elem::TF32: return Operand::TF32;
  case Elem::U8: return Operand::U8;
  default: return Operand::S8;
  }
}

Sum sumOf(Elem elem) {
  switch (elem) {
  case Elem::F16: return Sum::F16;
  case Elem::BF16: return Sum::BF16;
  case Elem::F32: return Sum::F32;
  default: return Sum::I32;
  }
}

// The operands are row-major matrices, divided among the lanes.
template <class T> void multiplyMatrices(Meeting &meeting, const Product &p) {
  Matrices<T> m;
  std::byte a[kMostRows * kMostDepth * 4], b[kMostDepth * kMostLanes * 4], c[kMostRows * kMostLanes * 4];
  int aBytes = bytesOf(p.a), bBytes = bytesOf(p.b), cBytes = p.result == Sum::F16 || p.result == Sum::BF16 ? 2 : 4;
  auto size = [](int rows, int columns, int bytes) { return static_cast<size_t>(rows * columns * bytes); };
  takeMatrix(meeting, 0, a, size(p.rows, p.depth, aBytes));
  takeMatrix(meeting, 1, b, size(p.depth, p.lanes, bBytes));
  takeMatrix(meeting, 2, c, size(p.rows, p.lanes, cBytes));
  std::memset(m.b, 0, sizeof m.b); // accumulate() computes the columns of all possible lanes
  std::memset(m.c, 0, sizeof m.c);
  for (int row = 0; row < p.rows; ++row)
    for (int k = 0; k < p.depth; ++k) m.a[row][k] = element<T>(p.a, a + (row * p.depth + k) * aBytes);
  for (int k = 0; k < p.depth; ++k)
    for (int n = 0; n < p.lanes; ++n) m.b[k][n] = element<T>(p.b, b + (k * p.lanes + n) * bBytes);
  for (int row = 0; row < p.rows; ++row)
    for (int n = 0; n < p.lanes; ++n) m.c[row][n] = sumElement<T>(p.result, c, row * p.lanes + n);
  accumulate(p, m);
  for (int row = 0; row < p.rows; ++row)
    for (int n = 0; n < p.lanes; ++n) writeElement(p.result, c, row * p.lanes + n, m.c[row][n]);
  giveMatrix(meeting, c, size(p.rows, p.lanes, cBytes));
}

std::optional<Operand> takeOperand(std::string_view &text) {
  if (takePrefix(text, "f16_")) return Operand::F16;
  if (takePrefix(text, "bf16_")) return Operand::BF16;
  if (takePrefix(text, "tf32_")) return Operand::TF32;
  if (takePrefix(text, "i8_")) return Operand::S8;
  if (takePrefix(text, "u8_")) return Operand::U8;
  return std::nullopt;
}

// The number of components: 8 for "float vector[8]", 1 for "float".
int components(std::string_view type) {
  size_t at = type.find('[');
  if (at == std::string_view::npos) return 1;
  type.remove_prefix(at + 1);
  return takeNumber(type);
}

std::optional<Sum> sumOf(std::string_view type, Operand operand) {
  NamedType named = namedType(scalarOf(type));
  if (isInteger(operand)) return named.bits == 32 && !named.isFloat ? std::optional(Sum::I32) : std::nullopt;
  if (named.isFloat && named.bits == 32) return Sum::F32;
  if (named.isFloat && named.bits == 16 && operand == Operand::F16) return Sum::F16;
  if (!named.isFloat && named.bits == 16 && operand == Operand::BF16) return Sum::BF16;
  return std::nullopt;
}

// Whether the operands' types have the sizes that the product takes.
bool rightSizes(const BuiltinName &name, const Product &p) {
  auto bytes = [&](size_t i) { return components(name.parameters[i]) * namedType(scalarOf(name.parameters[i])).bits / 8; };
  int a = std::max(p.rows * p.depth * bytesOf(p.a) / p.lanes, bytesOf(p.a));
  return bytes(0) == a && bytes(1) == kWords * 4 &&
         bytes(2) == p.rows * (p.result == Sum::F16 || p.result == Sum::BF16 ? 2 : 4);
}

} // namespace

std::string cooperativeProductName(const MmaShape &p, uint32_t lanes) {
  return str("xtMatrixProduct_", elemName(p.a), "_", elemName(p.b), "_", elemName(p.result), "_", p.m, "x", p.n, "x", p.k, "_",
             lanes);
}

std::optional<Collective> cooperativeProduct(const BuiltinName &name, const TargetInfo &target) {
  for (const MmaShape &shape : target.mma)
    for (int64_t lanes : target.subgroupSizes) {
      if (name.name != cooperativeProductName(shape, static_cast<uint32_t>(lanes))) continue;
      Product product{operandOf(shape.a),        operandOf(shape.b),        sumOf(shape.result),
                      static_cast<int>(shape.m), static_cast<int>(shape.n), static_cast<int>(shape.k)};
      return Collective{name.name, kOfSubgroup, [product, lanes](Meeting &meeting) {
                          if (!isWhole(meeting, static_cast<size_t>(lanes))) return;
                          if (isInteger(product.a))
                            multiplyMatrices<int32_t>(meeting, product);
                          else
                            multiplyMatrices<float>(meeting, product);
                        }};
    }
  return std::nullopt;
}

std::optional<Collective> matrixProduct(const BuiltinName &name, const TargetInfo &target) {
  std::string_view text = name.name;
  if (!takePrefix(text, "intel_sub_group_") || name.parameters.size() != 3 || target.mma.empty()) return std::nullopt;
  std::optional<Operand> a = takeOperand(text);
  std::optional<Operand> b = a ? takeOperand(text) : std::nullopt;
  if (!b || !takePrefix(text, "matrix_mad_k") || (isInteger(*a) ? !isInteger(*b) : *a != *b)) return std::nullopt;
  Product product{*a, *b};
  product.depth = takeNumber(text);
  product.lanes = static_cast<int>(target.subgroupSizes[0]);
  product.rows = components(name.parameters[2]);
  std::optional<Sum> sum = sumOf(name.parameters[2], *a);
  bool oneOfEight = product.rows == 1 || product.rows == 2 || product.rows == 4 || product.rows == 8;
  if (!text.empty() || !sum || !oneOfEight || product.depth * bytesOf(*a) != kWords * 4) return std::nullopt;
  if (*a == Operand::TF32 && product.lanes != kMostLanes) return std::nullopt; // Xe-HPG has no tf32 products
  product.result = *sum;
  if (!rightSizes(name, product)) return std::nullopt;
  Collective made{name.name, kOfSubgroup, {}};
  if (product.result == Sum::I32)
    made.body = [product](Meeting &meeting) { multiply<int32_t>(meeting, product); };
  else
    made.body = [product](Meeting &meeting) { multiply<float>(meeting, product); };
  return made;
}

float fromHalf(uint16_t bits) {
  auto sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t rest = bits & 0x7fff;
  if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (rest & 0x3ff) << 13); // infinity or NaN
  if (rest >= 0x0400) return std::bit_cast<float>(sign | ((rest << 13) + 0x38000000));
  return std::copysign(static_cast<float>(rest) * 0x1p-24f, std::bit_cast<float>(sign | 0x3f800000));
}

uint16_t toHalf(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  uint32_t rest = bits & 0x7fffffff;
  if (rest > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00 | (rest >> 13 & 0x3ff));
  if (rest >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00); // rounds to a value beyond 65504
  if (rest < 0x38800000) // below the normal numbers the unit is 2^-24: adding 0.5 makes the processor round
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(std::bit_cast<float>(rest) + 0.5f) - 0x3f000000));
  return static_cast<uint16_t>(sign | ((rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13));
}

float fromBfloat(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t toBfloat(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

} // namespace xt::soft
