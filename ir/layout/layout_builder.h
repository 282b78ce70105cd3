// Internal to ir/layout: collects the digits of a layout, checks them, and brings them into canonical form.
#pragma once
#include "ir/layout/layout.h"

#include <functional>
#include <string_view>

namespace xt {

inline constexpr Axis kOwnerAxes[] = {Axis::Lane, Axis::Subgroup};

// "sg", "lane": the spelling in layout<…>.
std::string_view axisName(Axis axis);

// Sets `product` to a * b. Returns false on overflow.
[[nodiscard]] bool multiply(int64_t a, int64_t b, int64_t &product);

// Drops digits of extent 1 and merges adjacent digits that one digit can represent.
void mergeDigits(std::vector<Factor> &digits);

// The amount that index `index` of a dimension with these digits adds to the coordinate on `axis`.
int64_t coordinateOf(std::span<const Factor> digits, int64_t index, Axis axis);

// The digits of a dimension with respect to one owner axis, merged: digits of other axes count as registers.
std::vector<Factor> digitsOn(const Layout &layout, int dim, Axis axis);

struct LayoutBuilder {
  std::vector<int64_t> shape;
  std::vector<std::vector<Factor>> dims; // in each dimension, the product of the factors' extents is the dimension's extent
  std::vector<Factor> replication;

  enum class Gaps { Reject, Copy };
  // Spells a digit's stride in messages; if unset, the spelling of layout<…> is used.
  using StrideName = std::function<std::string(const Factor &digit, int dim)>;
  // Checks that every coordinate of the owner axes is counted exactly once, and returns the error if not. Coordinates between
  // the strides that no digit counts are an error or become copies, as `gaps` says.
  std::optional<LayoutError> cover(Gaps gaps, StrideName strideName = {});
  // Returns the layout in canonical form; call cover() first.
  Layout build() &&;
};

// The shape, digits and copies of a layout.
LayoutBuilder builderFrom(const Layout &layout);

} // namespace xt
