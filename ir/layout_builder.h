// Internal to ir/layout*.cc: digits put together, checked, and brought into canonical form.
#pragma once
#include "ir/layout.h"

#include <functional>
#include <string_view>

namespace xt {

inline constexpr Axis kOwnerAxes[] = {Axis::Lane, Axis::Subgroup};

// "sg", "lane": as layout<…> spells them.
std::string_view axisName(Axis axis);

// False on overflow.
[[nodiscard]] bool multiply(int64_t a, int64_t b, int64_t &product);

// Drops digits of extent 1 and joins neighbours that one digit can spell.
void mergeDigits(std::vector<Factor> &digits);

// What index `index` of a dimension with these digits adds to the coordinate on `axis`.
int64_t coordinateOf(std::span<const Factor> digits, int64_t index, Axis axis);

// A dimension's digits as one owner axis sees them: digits of other axes count as registers. Merged.
std::vector<Factor> digitsOn(const Layout &layout, int dim, Axis axis);

struct LayoutBuilder {
  std::vector<int64_t> shape;
  std::vector<std::vector<Factor>> dims; // each dimension's extents multiply to its extent
  std::vector<Factor> replication;

  enum class Gaps { Reject, Copy };
  // Whether every coordinate of the owner axes is counted exactly once. Coordinates between the strides that nothing
  // counts are an error or become copies.
  // How the notation spells a digit's stride, for messages; unset: as layout<…> spells the digit.
  using StrideName = std::function<std::string(const Factor &digit, int dim)>;
  std::optional<LayoutError> cover(Gaps gaps, StrideName strideName = {});
  // In canonical form; covered already.
  Layout build() &&;
};

// The shape, digits and copies of a layout.
LayoutBuilder builderFrom(const Layout &layout);

} // namespace xt
