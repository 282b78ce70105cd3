#include "ir/layout/layout_builder.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {

// Whether `outer` continues `inner` without a gap, so that one digit can represent both.
bool continues(const Factor &outer, const Factor &inner) {
  return outer.axis == inner.axis && (outer.axis == Axis::Register || outer.stride == inner.stride * inner.extent);
}

std::string digitText(const Factor &f) { return str(f.extent, ":", axisName(f.axis), "*", f.stride); }

struct Placed {
  Factor factor;
  int dim; // -1: replication
};

// The digits of one axis by ascending stride.
std::vector<Placed> onAxis(const LayoutBuilder &builder, Axis axis) {
  std::vector<Placed> placed;
  auto add = [&](const std::vector<Factor> &factors, int dim) {
    for (const Factor &f : factors)
      if (f.axis == axis && f.extent != 1) placed.push_back({f, dim});
  };
  for (size_t d = 0; d < builder.dims.size(); ++d) add(builder.dims[d], static_cast<int>(d));
  add(builder.replication, -1);
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed &a, const Placed &b) { return a.factor.stride < b.factor.stride; });
  return placed;
}

} // namespace

std::string_view axisName(Axis axis) {
  switch (axis) {
  case Axis::Register: return "reg";
  case Axis::Lane: return "lane";
  case Axis::Subgroup: return "sg";
  }
  XT_UNREACHABLE("axis");
}

bool multiply(int64_t a, int64_t b, int64_t &product) { return !__builtin_mul_overflow(a, b, &product); }

// The result is unique for the mapping that the digits describe, which makes it the canonical form. Let h(i) be the coordinates
// that index i adds. The innermost digit's axis and stride are h(1), its extent is the first e with h(e) != e * h(1) (otherwise
// the next digit would continue it), and the other digits are determined by h(e * i) in the same way.
void mergeDigits(std::vector<Factor> &digits) {
  std::vector<Factor> merged;
  for (const Factor &f : digits) {
    if (f.extent == 1) continue;
    if (!merged.empty() && continues(merged.back(), f))
      merged.back() = {merged.back().extent * f.extent, f.axis, f.stride};
    else
      merged.push_back(f);
  }
  digits = std::move(merged);
}

int64_t coordinateOf(std::span<const Factor> digits, int64_t index, Axis axis) {
  int64_t coordinate = 0;
  for (size_t i = digits.size(); i-- > 0;) {
    if (digits[i].axis == axis) coordinate += index % digits[i].extent * digits[i].stride;
    index /= digits[i].extent;
  }
  return coordinate;
}

std::vector<Factor> digitsOn(const Layout &layout, int dim, Axis axis) {
  std::vector<Factor> digits(layout.factors(dim).begin(), layout.factors(dim).end());
  for (Factor &f : digits)
    if (f.axis != axis) f = {f.extent, Axis::Register, 1};
  mergeDigits(digits);
  return digits;
}

// If the sums of arithmetic progressions {0, s, 2s, …} give each of 0 … n-1 exactly once, the progressions form a chain: the
// smallest stride is 1, and each next one is the number of coordinates counted so far, or a multiple of it if copies fill the
// gaps.
std::optional<LayoutError> LayoutBuilder::cover(Gaps gaps, StrideName strideName) {
  if (!strideName) strideName = [](const Factor &f, int) { return "the stride of " + digitText(f); };
  for (Axis axis : kOwnerAxes) {
    int64_t counted = 1;
    std::string_view owner = axis == Axis::Lane ? "lane" : "subgroup";
    for (const auto &[f, dim] : onAxis(*this, axis)) {
      if (f.stride > counted && f.stride % counted != 0 && gaps == Gaps::Copy)
        return LayoutError{str(strideName(f, dim), " is not a multiple of ", counted,
                               ": smaller strides already number the first ", counted, " ", owner, "s"),
                           dim};
      if (f.stride < counted)
        return LayoutError{str(strideName(f, dim), " is too small: smaller strides already number the first ", counted, " ",
                               owner, "s; the next free stride is ", counted),
                           dim};
      if (f.stride > counted && gaps == Gaps::Reject)
        return LayoutError{str(owner, " ", counted, " holds no element: ", strideName(f, dim), " leaves a gap; with stride ",
                               counted, " it does not"),
                           dim};
      if (f.stride > counted) replication.push_back({f.stride / counted, axis, counted});
      if (!multiply(f.stride, f.extent, counted))
        return LayoutError{str("the ", owner, "s of ", digitText(f), " do not fit 64 bits"), dim};
    }
  }
  return std::nullopt;
}

Layout LayoutBuilder::build() && {
  XT_CHECK(!cover(Gaps::Reject), "a layout counts every owner once");
  Layout layout;
  for (std::vector<Factor> &digits : dims) mergeDigits(digits);
  // Sorted outermost first, as mergeDigits requires.
  std::sort(replication.begin(), replication.end(),
            [](const Factor &a, const Factor &b) { return a.axis != b.axis ? a.axis > b.axis : a.stride > b.stride; });
  mergeDigits(replication);
  int64_t registerStride = 1;
  for (size_t d = dims.size(); d-- > 0;)
    for (size_t i = dims[d].size(); i-- > 0;) {
      Factor &f = dims[d][i];
      if (f.axis == Axis::Register) f.stride = registerStride, registerStride *= f.extent;
      layout.axisSize_[static_cast<size_t>(f.axis)] *= f.extent;
    }
  for (const Factor &f : replication) layout.axisSize_[static_cast<size_t>(f.axis)] *= f.extent;
  layout.shape_ = std::move(shape);
  layout.factors_ = std::move(dims);
  layout.replication_ = std::move(replication);
  return layout;
}

LayoutBuilder builderFrom(const Layout &layout) {
  LayoutBuilder builder;
  builder.shape.assign(layout.shape().begin(), layout.shape().end());
  for (int d = 0; d < layout.rank(); ++d) builder.dims.emplace_back(layout.factors(d).begin(), layout.factors(d).end());
  builder.replication.assign(layout.replication().begin(), layout.replication().end());
  return builder;
}

} // namespace xt
