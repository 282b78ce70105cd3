#include "ir/layout/distributed_shape.h"

#include "ir/base/check.h"

namespace xt {

std::vector<int64_t> distributedShape(const NestedLayout &map) {
  std::vector<int64_t> shape;
  for (const std::vector<int64_t> *tile : {&map.batchTile, &map.outerTile, &map.elementTile})
    shape.insert(shape.end(), tile->begin(), tile->end());
  return shape;
}

std::vector<int64_t> collapsedShape(const Layout &layout) {
  std::vector<int64_t> shape(layout.shape().size(), 1);
  for (int d = 0; d < layout.rank(); ++d)
    for (const Factor &f : layout.factors(d))
      if (f.axis == Axis::Register) shape[static_cast<size_t>(d)] *= f.extent;
  return shape;
}

int64_t registerOf(const NestedLayout &map, int64_t position) {
  std::vector<int64_t> shape = distributedShape(map), digits(shape.size());
  for (size_t i = shape.size(); i-- > 0; position /= shape[i]) digits[i] = position % shape[i];
  XT_CHECK(position == 0, "the position lies in the full form");
  int64_t number = 0;
  for (size_t rank = map.batchTile.size(), d = 0; d < rank; ++d)
    for (size_t i = d; i < shape.size(); i += rank) number = number * shape[i] + digits[i];
  return number;
}

std::vector<int64_t> indexOfRegister(const Layout &layout, int64_t subgroup, int64_t lane, int64_t number) {
  XT_CHECK(subgroup >= 0 && subgroup < layout.subgroups(), "the subgroup exists");
  XT_CHECK(lane >= 0 && lane < layout.axisSize(Axis::Lane), "the lane exists");
  XT_CHECK(number >= 0 && number < layout.axisSize(Axis::Register), "the register exists");
  std::vector<int64_t> index(layout.shape().size(), 0);
  for (size_t d = index.size(); d-- > 0;) {
    std::span<const Factor> digits = layout.factors(static_cast<int>(d));
    int64_t weight = 1;
    for (size_t i = digits.size(); i-- > 0; weight *= digits[i].extent) {
      const Factor &f = digits[i];
      int64_t coordinate = f.axis == Axis::Register ? number : f.axis == Axis::Lane ? lane : subgroup;
      index[d] += coordinate / f.stride % f.extent * weight;
    }
  }
  return index;
}

} // namespace xt
