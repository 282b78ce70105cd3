#include "targets/run/raw_array.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace xt {

namespace {
constexpr int64_t kGrain = 1 << 16; // elements per thread, below which another thread does not pay off

template <class T> T read(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// f16 -> f64 without branches, so that the loop is vectorised. Multiplying by 2^112 rebiases the exponent and also
// normalises subnormals; inf and NaN keep their all-ones exponent.
double halfToDouble(uint16_t half) {
  uint32_t magnitude = static_cast<uint32_t>(half & 0x7FFF) << 13;
  float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  uint32_t special = magnitude >= 0x0F800000u ? 0x7F800000u : 0u;
  uint32_t bits = std::bit_cast<uint32_t>(scaled) | special | static_cast<uint32_t>(half & 0x8000) << 16;
  return static_cast<double>(std::bit_cast<float>(bits));
}
double brainToDouble(uint16_t brain) { return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(brain) << 16)); }

// f64 -> a 16-bit float, rounded to nearest even, without branches. The fraction has `kMantissa` bits; kMinExponent
// is the exponent of the smallest normal number.
template <int kMantissa, int kMinExponent> uint16_t toNarrow(double value) {
  constexpr int kDropped = 52 - kMantissa;
  constexpr uint64_t kTop = (uint64_t{1} << 15) - (uint64_t{1} << kMantissa); // infinity: all ones in the exponent
  constexpr uint64_t kRebias = static_cast<uint64_t>(1023 + kMinExponent - 1) << kMantissa;
  uint64_t bits = std::bit_cast<uint64_t>(value), magnitude = bits & ~(uint64_t{1} << 63);
  uint64_t even = (magnitude >> kDropped) & 1;
  uint64_t normal = ((magnitude + (uint64_t{1} << (kDropped - 1)) - 1 + even) >> kDropped) - kRebias;
  // Adding a power of two whose last mantissa bit is the smallest subnormal leaves the rounded multiple in the low bits.
  constexpr double kShift = std::bit_cast<double>(static_cast<uint64_t>(1023 + 52 + kMinExponent - kMantissa) << 52);
  uint64_t subnormal = std::bit_cast<uint64_t>(std::bit_cast<double>(magnitude) + kShift) & 0x7FFF;
  uint64_t image = magnitude < static_cast<uint64_t>(1023 + kMinExponent) << 52 ? subnormal : normal;
  // Values that round to 2^(maxExponent + 1) carry into the exponent and so become infinity.
  image = magnitude >= static_cast<uint64_t>(1023 + 2 - kMinExponent) << 52 ? kTop : image;
  uint64_t payload = (magnitude >> kDropped) & ((uint64_t{1} << kMantissa) - 1);
  uint64_t nan = kTop | (payload != 0 ? payload : uint64_t{1} << (kMantissa - 1));
  image = magnitude > uint64_t{0x7FF} << 52 ? nan : image;
  return static_cast<uint16_t>(image | bits >> 63 << 15);
}

template <class T, class Out, class F> void convertLoop(const std::byte *from, int64_t count, Out *to, F convert) {
  for (int64_t i = 0; i < count; ++i) to[i] = convert(read<T>(from + i * static_cast<int64_t>(sizeof(T))));
}

// Converts integers. Returns false, without converting anything, if the elements are floats.
template <class Out> bool integersTo(Elem elem, const std::byte *from, int64_t count, Out *to) {
  const ElemInfo &info = elemInfo(elem);
  if (info.isFloat) return false;
  auto copy = [&](auto zero) { convertLoop<decltype(zero)>(from, count, to, [](auto v) { return static_cast<Out>(v); }); };
  switch (info.bits) {
  case 8: info.isUnsigned ? copy(uint8_t{}) : copy(int8_t{}); break;
  case 16: info.isUnsigned ? copy(uint16_t{}) : copy(int16_t{}); break;
  case 32: info.isUnsigned ? copy(uint32_t{}) : copy(int32_t{}); break;
  case 64: info.isUnsigned ? copy(uint64_t{}) : copy(int64_t{}); break;
  default:
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Out>(loadInteger(elem, from + i));
  }
  return true;
}
} // namespace

Result<RawArray> RawArray::make(MemoryBudget &budget, std::vector<int64_t> sizes, Elem elem, std::string_view what) {
  std::optional<int64_t> count = elementCount(sizes);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, static_cast<int64_t>(elemInfo(elem).storageBytes), &bytes))
    return outOfMemory(what, INT64_MAX, budget);
  auto elements = Elements<std::byte>::make(budget, bytes, what);
  if (!elements) return elements.error();
  RawArray array;
  array.sizes = std::move(sizes);
  array.elem = elem;
  array.bytes = std::move(*elements);
  return array;
}

Result<RawArray> copyOf(const RawArray &array, MemoryBudget &budget, std::string_view what) {
  auto copy = RawArray::make(budget, array.sizes, array.elem, what);
  if (!copy) return copy;
  if (!array.bytes.empty()) std::memcpy(copy->bytes.data(), array.bytes.data(), static_cast<size_t>(array.bytes.count()));
  return copy;
}

bool isConstant(const RawArray &array) {
  int64_t total = array.bytes.count(), one = array.elemBytes();
  // All elements are equal if the array equals itself shifted by one element.
  return total <= one || std::memcmp(array.bytes.data(), array.bytes.data() + one, static_cast<size_t>(total - one)) == 0;
}

void toDoubles(Elem elem, const std::byte *from, int64_t count, double *to, int threads) {
  int64_t size = elemInfo(elem).storageBytes;
  parallelFor(count, kGrain, threads, [&](int64_t begin, int64_t end) {
    const std::byte *source = from + begin * size;
    double *target = to + begin;
    int64_t n = end - begin;
    if (elem == Elem::F64)
      std::memcpy(target, source, static_cast<size_t>(n) * sizeof(double));
    else if (elem == Elem::F32 || elem == Elem::TF32)
      convertLoop<float>(source, n, target, [](float v) { return static_cast<double>(v); });
    else if (elem == Elem::F16)
      convertLoop<uint16_t>(source, n, target, halfToDouble);
    else if (elem == Elem::BF16)
      convertLoop<uint16_t>(source, n, target, brainToDouble);
    else if (!integersTo(elem, source, n, target))
      for (int64_t i = 0; i < n; ++i) target[i] = loadFloat(elem, source + i * size);
  });
}

void toIntegers(Elem intType, const std::byte *from, int64_t count, int64_t *to, int threads) {
  int64_t size = elemInfo(intType).storageBytes;
  parallelFor(count, kGrain, threads,
              [&](int64_t begin, int64_t end) { integersTo(intType, from + begin * size, end - begin, to + begin); });
}

void fromDoubles(Elem floatType, const double *from, int64_t count, std::byte *to, int threads) {
  int64_t size = elemInfo(floatType).storageBytes;
  parallelFor(count, kGrain, threads, [&](int64_t begin, int64_t end) {
    if (floatType == Elem::F64) {
      std::memcpy(to + begin * size, from + begin, static_cast<size_t>(end - begin) * sizeof(double));
    } else if (floatType == Elem::F32) {
      for (int64_t i = begin; i < end; ++i) {
        float value = static_cast<float>(from[i]);
        std::memcpy(to + i * size, &value, sizeof value);
      }
    } else if (floatType == Elem::F16 || floatType == Elem::BF16) {
      for (int64_t i = begin; i < end; ++i) {
        uint16_t image = floatType == Elem::F16 ? toNarrow<10, -14>(from[i]) : toNarrow<7, -126>(from[i]);
        std::memcpy(to + i * size, &image, sizeof image);
      }
    } else {
      for (int64_t i = begin; i < end; ++i) storeFloat(floatType, to + i * size, from[i]);
    }
  });
}

void fromIntegers(Elem intType, const int64_t *from, int64_t count, std::byte *to, int threads) {
  int64_t size = elemInfo(intType).storageBytes;
  parallelFor(count, kGrain, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) storeInteger(intType, to + i * size, from[i]);
  });
}

namespace {
struct CopyDim {
  int64_t size, from, to;
};

template <class T> void copyRows(std::span<const CopyDim> dims, const std::byte *from, std::byte *to) {
  // Blocks the two innermost dimensions, so that a transposition reads and writes whole cache lines.
  constexpr int64_t kBlock = 32;
  const CopyDim inner = dims[dims.size() - 1];
  const CopyDim outer = dims.size() > 1 ? dims[dims.size() - 2] : CopyDim{1, 0, 0};
  constexpr int64_t kBytes = sizeof(T);
  if (inner.from == 1 && inner.to == 1) {
    for (int64_t i = 0; i < outer.size; ++i)
      std::memcpy(to + i * outer.to * kBytes, from + i * outer.from * kBytes, static_cast<size_t>(inner.size * kBytes));
    return;
  }
  for (int64_t i0 = 0; i0 < outer.size; i0 += kBlock)
    for (int64_t j0 = 0; j0 < inner.size; j0 += kBlock)
      for (int64_t i = i0; i < std::min(i0 + kBlock, outer.size); ++i)
        for (int64_t j = j0; j < std::min(j0 + kBlock, inner.size); ++j)
          std::memcpy(to + (i * outer.to + j * inner.to) * kBytes, from + (i * outer.from + j * inner.from) * kBytes,
                      sizeof(T));
}

void copyBox(std::span<const CopyDim> dims, int64_t elemBytes, const std::byte *from, std::byte *to) {
  if (dims.size() > 2) {
    for (int64_t i = 0; i < dims[0].size; ++i)
      copyBox(dims.subspan(1), elemBytes, from + i * dims[0].from * elemBytes, to + i * dims[0].to * elemBytes);
    return;
  }
  switch (elemBytes) {
  case 1: return copyRows<uint8_t>(dims, from, to);
  case 2: return copyRows<uint16_t>(dims, from, to);
  case 4: return copyRows<uint32_t>(dims, from, to);
  default: return copyRows<uint64_t>(dims, from, to);
  }
}
} // namespace

void copyStrided(std::span<const int64_t> sizes, int64_t elemBytes, const std::byte *from, std::span<const int64_t> fromStrides,
                 std::byte *to, std::span<const int64_t> toStrides, int threads) {
  // Without elements, the products of sizes and strides may overflow.
  if (std::ranges::count(sizes, 0) > 0) return;
  std::vector<CopyDim> dims;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    CopyDim dim{sizes[d], fromStrides[d], toStrides[d]};
    bool merges = !dims.empty() && dims.back().from == dim.from * dim.size && dims.back().to == dim.to * dim.size;
    if (merges)
      dims.back() = {dims.back().size * dim.size, dim.from, dim.to};
    else
      dims.push_back(dim);
  }
  if (dims.empty()) dims.push_back({1, 1, 1});
  int64_t rest = 1;
  for (size_t d = 1; d < dims.size(); ++d) rest *= dims[d].size;
  // A grain of 32 rows keeps the blocks of copyRows complete.
  int64_t grain = std::max<int64_t>(32, kGrain / rest);
  parallelFor(dims[0].size, grain, threads, [&](int64_t begin, int64_t end) {
    std::vector<CopyDim> part = dims;
    part[0].size = end - begin;
    copyBox(part, elemBytes, from + begin * dims[0].from * elemBytes, to + begin * dims[0].to * elemBytes);
  });
}

std::vector<int64_t> denseStrides(std::span<const int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;)
    // Only an array without elements can have extents whose product overflows; its strides are never used.
    if (__builtin_mul_overflow(strides[d], std::max<int64_t>(1, sizes[d]), &strides[d - 1])) strides[d - 1] = 1;
  return strides;
}

std::vector<int64_t> indexOf(int64_t linear, std::span<const int64_t> sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    index[d] = linear % sizes[d];
    linear /= sizes[d];
  }
  return index;
}

std::string indexText(std::span<const int64_t> index) { return "[" + join(index, ", ") + "]"; }

} // namespace xt
