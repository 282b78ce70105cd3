// Base of the generators of random kernels: random choices, lines of text, shapes, layouts that fit the shapes, conversions.
#pragma once
#include "ir/base/text.h"

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace xt {

struct Shape {
  int64_t rows, columns;
  bool operator==(const Shape &) const = default;
};

class KernelText {
protected:
  explicit KernelText(uint64_t seed);

  uint64_t pick(uint64_t n) { return random_() % n; }
  bool chance(uint64_t oneIn) { return pick(oneIn) == 0; }
  int64_t between(int64_t low, int64_t high) { return low + static_cast<int64_t>(pick(static_cast<uint64_t>(high - low + 1))); }
  template <class T> T choose(std::initializer_list<T> items) { return *(items.begin() + pick(items.size())); }
  std::string choose(std::initializer_list<const char *> items) { return *(items.begin() + pick(items.size())); }
  template <class T> const T &chooseFrom(const std::vector<T> &items) { return items[pick(items.size())]; }

  void line(const std::string &text) { out_ += std::string(static_cast<size_t>(indent_) * 2, ' ') + text + "\n"; }
  std::string fresh() { return str("%v", next_++); }

  // Returns a random shape. At workgroup scope one dimension is a multiple of the number of subgroups, so that a value of this
  // shape can be stored.
  Shape randomShape();
  // Returns a layout that fits the shape, or "" at subgroup scope. It distributes the shape in rounds or, if `copies`, also
  // with an sg_data that wraps around, and sometimes over the lanes of each subgroup.
  std::string randomLayout(Shape shape, bool copies);
  // The most lanes in random layouts: the least size of a subgroup among the targets.
  static constexpr int64_t kMostRandomLanes = 8;
  int64_t powerIn(int64_t extent, int64_t most);
  // Joins a wg_map with the sg_data [rows, columns] and a random sg_map.
  std::string withLanes(const std::string &map, int64_t rows, int64_t columns);
  // Returns a nested_layout with a x b subgroups, which divide the shape.
  std::string randomNested(Shape shape, int64_t a, int64_t b);
  // Returns a list of factors with a x b subgroups, which divide the shape: digits of subgroups, lanes and registers in any
  // order, but subgroups before lanes.
  std::string randomFactors(Shape shape, int64_t a, int64_t b);
  // Returns a layout in which each element has one owner, or "" if none fits.
  std::string storable(Shape shape) const;
  // Returns a layout in which every subgroup holds the whole shape.
  std::string whole(Shape shape) const;

  // The layouts of `a`, `b` and `c` of a product: rows and columns are distributed as in the result, and K is whole or divided.
  struct MmaLayouts {
    std::string a, b, c;
    Shape data = {1, 1}; // of the result, for each subgroup
    int64_t depth = 1; // K of the operands, for each subgroup
  };
  MmaLayouts mmaLayouts(int64_t m, int64_t n, int64_t k);

  static std::string shapeText(Shape s, const std::string &elem) { return str(s.rows, "x", s.columns, "x", elem); }
  static std::string withLayout(const std::string &layout) { return layout.empty() ? "" : ", " + layout; }
  std::string vectorType(Shape s, const std::string &elem, const std::string &layout = "") const {
    return str("vector<", shapeText(s, elem), withLayout(layout), ">");
  }

  // Converts a value to another layout; returns the value itself if it has that layout, as always at subgroup scope. A Vec has
  // a name and a layout.
  template <class Vec> Vec converted(const Vec &v, const std::string &layout) {
    if (v.layout == layout) return v;
    Vec to = v;
    to.name = fresh();
    to.layout = layout;
    line(str(to.name, " = convert_layout ", v.name, " {", layout, "}"));
    return to;
  }
  // Converts the result of an op, whose layout is inferred from its operands, to a layout known to the generator.
  template <class Vec> Vec inKnownLayout(Vec v) {
    if (!workgroup_) return v;
    v.layout = "?";
    return converted(v, randomLayout(v.shape, true));
  }

  std::mt19937_64 random_;
  bool workgroup_ = false;
  int64_t subgroups_ = 1;
  std::string out_;
  int indent_ = 0, next_ = 0;

private:
  int64_t randomData(int64_t extent, int64_t parts, bool copies);
};

} // namespace xt
