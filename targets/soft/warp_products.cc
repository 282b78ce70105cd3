#include "targets/soft/warp_products.h"

#include "ir/base/text.h"
#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/operand_layout.h"

#include <bit>
#include <cmath>
#include <memory>

namespace xt::soft {
namespace {

constexpr uint32_t kTf32Mask = 0xffffe000;
constexpr size_t kRegisterBytes = 4;

// Where the element of a matrix lies: in which lane, in which of the function's arguments (or part of its result), and at which
// byte of it.
struct Place {
  size_t lane, argument, offset;
};

// An operand as a row-major matrix of places.
struct Operand {
  Elem elem = kF32Elem;
  size_t columns = 0;
  std::vector<Place> places;
  size_t registers = 0; // that each lane holds of it
  size_t registerBytes() const { return std::max(kRegisterBytes, bytes()); }
  size_t bytes() const { return static_cast<size_t>(elemInfo(elem).storageBytes); }
};

Operand operandOf(Elem elem, const MmaOperandLayout &layout) {
  Context context;
  RegisterLayout found = registerLayout(context, layout);
  Operand operand;
  operand.elem = elem;
  operand.columns = static_cast<size_t>(found.layout->shape()[1]);
  operand.places.resize(static_cast<size_t>(found.layout->shape()[0]) * operand.columns);
  size_t each = operand.registerBytes() / operand.bytes();
  operand.registers = found.registers.size() / each;
  for (int64_t lane = 0; lane < found.layout->axisSize(Axis::Lane); ++lane) {
    size_t k = 0;
    for (int64_t row : found.layout->sliceOf(Axis::Lane, lane, 0))
      for (int64_t column : found.layout->sliceOf(Axis::Lane, lane, 1)) {
        size_t number = found.registers[k++];
        operand.places[static_cast<size_t>(row) * operand.columns + static_cast<size_t>(column)] = {
            static_cast<size_t>(lane), number / each, number % each * operand.bytes()};
      }
  }
  return operand;
}

struct Product {
  MmaShape shape;
  size_t lanes;
  Operand a, b, c;
};

const std::byte *element(const Meeting &meeting, const Operand &operand, size_t firstArgument, size_t number) {
  const Place &place = operand.places[number];
  return static_cast<const std::byte *>(meeting.argument(place.lane, firstArgument + place.argument)) + place.offset;
}

double floatElement(Elem elem, const std::byte *bytes) {
  if (elem != Elem::TF32) return loadFloat(elem, bytes);
  uint32_t image = 0;
  std::memcpy(&image, bytes, sizeof image);
  return std::bit_cast<float>(image & kTf32Mask);
}

// The sum with one more product, rounded to f32: a product of two narrower floats is exact in f64. For f64 it is one fma.
double withProduct(bool doubles, double sum, double x, double y) {
  return doubles ? std::fma(x, y, sum) : static_cast<double>(static_cast<float>(sum + x * y));
}

std::vector<double> floats(const Meeting &meeting, const Operand &operand, size_t firstArgument) {
  std::vector<double> matrix(operand.places.size());
  for (size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = floatElement(operand.elem, element(meeting, operand, firstArgument, i));
  return matrix;
}

std::vector<uint32_t> integers(const Meeting &meeting, const Operand &operand, size_t firstArgument) {
  std::vector<uint32_t> matrix(operand.places.size());
  for (size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = static_cast<uint32_t>(loadInteger(operand.elem, element(meeting, operand, firstArgument, i)));
  return matrix;
}

template <class T, class Add>
void accumulate(const Product &p, const std::vector<T> &a, const std::vector<T> &b, std::vector<T> &c, Add add) {
  size_t depth = p.a.columns, columns = p.c.columns;
  for (size_t i = 0; i < c.size(); ++i)
    for (size_t k = 0; k < depth; ++k) c[i] = add(c[i], a[i / columns * depth + k], b[k * columns + i % columns]);
}

void multiply(Meeting &meeting, const Product &p) {
  if (meeting.count() != p.lanes)
    return meeting.fail(str("mma.sync needs warps of ", p.lanes, " lanes, but this one has ", meeting.count()));
  size_t firstB = p.a.registers, firstC = firstB + p.b.registers;
  auto place = [&](size_t i) {
    const Place &to = p.c.places[i];
    return static_cast<std::byte *>(meeting.result(to.lane)) + to.argument * p.c.registerBytes() + to.offset;
  };
  if (isInteger(p.shape.result)) {
    std::vector<uint32_t> a = integers(meeting, p.a, 0), b = integers(meeting, p.b, firstB), c = integers(meeting, p.c, firstC);
    accumulate(p, a, b, c, [](uint32_t sum, uint32_t x, uint32_t y) { return sum + x * y; });
    for (size_t i = 0; i < c.size(); ++i) storeInteger(p.shape.result, place(i), static_cast<int32_t>(c[i]));
    return;
  }
  bool doubles = p.shape.result == Elem::F64;
  std::vector<double> a = floats(meeting, p.a, 0), b = floats(meeting, p.b, firstB), c = floats(meeting, p.c, firstC);
  accumulate(p, a, b, c, [&](double sum, double x, double y) { return withProduct(doubles, sum, x, y); });
  for (size_t i = 0; i < c.size(); ++i) storeFloat(p.shape.result, place(i), c[i]);
}

} // namespace

std::string warpProductName(const MmaShape &p) {
  return str("xtWarpProduct_", elemName(p.a), "_", elemName(p.b), "_", elemName(p.result), "_", p.m, "x", p.n, "x", p.k);
}

std::optional<Collective> warpProduct(const BuiltinName &name, const TargetInfo &target) {
  if (!name.name.starts_with("xtWarpProduct_")) return std::nullopt;
  for (const MmaInstruction &row : target.mma) {
    if (name.name != warpProductName(row)) continue;
    auto product = std::make_shared<const Product>(Product{row, static_cast<size_t>(target.subgroupSizes[0]),
                                                           operandOf(row.a, row.aLayout), operandOf(row.b, row.bLayout),
                                                           operandOf(row.result, row.cLayout)});
    return Collective{name.name, kOfSubgroup, [product](Meeting &meeting) { multiply(meeting, *product); }};
  }
  return std::nullopt;
}

} // namespace xt::soft
