// Compares random layouts with the definition of their notation, element by element.
#include "tests/ir/layout/layout_reference.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace xt {
namespace {

// --- random layouts --------------------------------------------------------------------------------------------------

class Source {
public:
  explicit Source(uint64_t seed) : random_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  int64_t of(std::initializer_list<int64_t> values) { return values.begin()[below(static_cast<int64_t>(values.size()))]; }
  int64_t divisor(int64_t n) {
    Extents divisors;
    for (int64_t d = 1; d <= n; ++d)
      if (n % d == 0) divisors.push_back(d);
    return divisors[static_cast<size_t>(below(static_cast<int64_t>(divisors.size())))];
  }
  Extents shape() {
    Extents result;
    for (int64_t rank = of({1, 2, 2, 2, 3}); rank > 0; --rank) result.push_back(of({1, 2, 3, 4, 6, 8, 9, 12, 24}));
    while (product(result) > 600) result.pop_back();
    return result;
  }

  // Returns a map that fits the shape in most cases.
  LayoutSpec map(const Extents &shape) {
    LayoutSpec spec;
    WgMap wg;
    SgMap sg;
    for (int64_t n : shape) {
      int64_t data = divisor(n), count = divisor(n / data);
      if (below(4) == 0) count = n / data * of({1, 2, 3});
      if (below(5) == 0) data = n * of({1, 2, 4, 6}), count = of({1, 2, 3, 4});
      if (below(12) == 0) data = of({1, 2, 3, 4, 6, 8}), count = of({1, 2, 3, 4, 6});
      wg.sgLayout.push_back(count);
      wg.sgData.push_back(data);
    }
    bool both = below(3) > 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t span = divisor(both ? wg.sgData[d] : shape[d]);
      sg.wiData.push_back(divisor(span));
      sg.wiLayout.push_back(span / sg.wiData.back());
      if (below(25) == 0) sg.wiLayout.back() = of({2, 3, 5});
    }
    int64_t which = below(4);
    if (both || which > 0) spec.wg = std::move(wg);
    if (!spec.wg || which == 0) spec.sg = std::move(sg);
    if (both && below(2) == 0 && !spec.sg) spec.sg = SgMap{Extents(shape.size(), 1), Extents(shape.size(), 1)};
    return spec;
  }

  // Splits each dimension into digits and assigns each digit to an axis; strides are assigned later.
  FactorMap factors(const Extents &shape, bool lanes) {
    FactorMap map;
    std::vector<Factor *> owned[kAxisCount];
    map.dims.resize(shape.size());
    for (size_t d = 0; d < shape.size(); ++d)
      for (int64_t rest = shape[d]; rest > 1 || below(6) == 0;) {
        int64_t extent = divisor(rest);
        rest /= extent;
        Axis axis = static_cast<Axis>(of({0, lanes ? 1 : 2, 2}));
        map.dims[d].push_back({extent, axis, 1});
      }
    for (int64_t copies = below(3); copies > 0; --copies)
      map.replication.push_back({of({1, 2, 2, 3}), lanes && below(2) == 0 ? Axis::Lane : Axis::Subgroup, 1});
    for (std::vector<Factor> &digits : map.dims)
      for (Factor &f : digits) owned[static_cast<size_t>(f.axis)].push_back(&f);
    for (Factor &f : map.replication) owned[static_cast<size_t>(f.axis)].push_back(&f);
    for (Axis axis : {Axis::Lane, Axis::Subgroup}) {
      std::vector<Factor *> &digits = owned[static_cast<size_t>(axis)];
      for (size_t i = digits.size(); i > 1; --i)
        std::swap(digits[i - 1], digits[static_cast<size_t>(below(static_cast<int64_t>(i)))]);
      int64_t stride = 1;
      for (Factor *f : digits) f->stride = stride, stride *= f->extent;
    }
    return map;
  }

  NestedLayout nested(const Extents &shape) {
    NestedLayout map;
    for (int64_t n : shape)
      for (Extents *tile : {&map.subgroupTile, &map.batchTile, &map.outerTile, &map.threadTile, &map.elementTile}) {
        int64_t extent = tile == &map.elementTile ? n : divisor(n);
        tile->push_back(extent);
        n /= extent;
      }
    auto strides = [&](const Extents &tile) {
      std::vector<size_t> order(tile.size());
      std::iota(order.begin(), order.end(), size_t{0});
      if (below(2) == 0) std::reverse(order.begin(), order.end());
      Extents result(tile.size(), 0);
      int64_t stride = of({1, 1, 1, 2});
      for (size_t d : order) {
        if (tile[d] == 1 && below(2) == 0) continue;
        result[d] = below(30) == 0 ? of({1, 2, 3}) : stride;
        stride *= tile[d] * (tile[d] > 1 ? of({1, 1, 1, 3}) : 1);
      }
      return result;
    };
    map.subgroupStrides = strides(map.subgroupTile);
    map.threadStrides = strides(map.threadTile);
    return map;
  }

private:
  std::mt19937_64 random_;
};

// --- checks of one layout --------------------------------------------------------------------------------------------

void checkQueries(const Layout *layout, const Ownership &expected) {
  Extents shape(layout->shape().begin(), layout->shape().end());
  ASSERT_EQ(asked(layout), expected) << layout->text();
  std::map<std::pair<int64_t, int64_t>, Extents> held; // elements by owner, ascending
  std::vector<std::set<int64_t>> heldBy(static_cast<size_t>(layout->subgroups()));
  bool severalGroups = false, severalLanes = false;
  for (size_t e = 0; e < expected.size(); ++e) {
    std::set<int64_t> groups, lanes;
    for (auto [s, l] : expected[e]) {
      held[{s, l}].push_back(static_cast<int64_t>(e));
      ASSERT_LT(s, layout->subgroups());
      heldBy[static_cast<size_t>(s)].insert(static_cast<int64_t>(e));
      groups.insert(s), lanes.insert(l);
    }
    severalGroups |= groups.size() > 1, severalLanes |= lanes.size() > 1;
  }
  EXPECT_EQ(layout->isReplicated(Axis::Subgroup), severalGroups) << layout->text();
  EXPECT_EQ(layout->isReplicated(Axis::Lane), severalLanes) << layout->text();
  EXPECT_EQ(static_cast<int64_t>(held.size()), layout->subgroups() * layout->axisSize(Axis::Lane)) << layout->text();
  for (const auto &[owner, elements] : held) {
    ASSERT_EQ(static_cast<int64_t>(elements.size()), layout->axisSize(Axis::Register)) << layout->text();
    for (size_t i = 0; i < elements.size(); ++i)
      ASSERT_EQ(layout->owners(indexOf(elements[i], shape), Axis::Register), Extents{static_cast<int64_t>(i)});
  }
  for (int64_t s = 0; s < layout->subgroups(); ++s) {
    const std::set<int64_t> &elements = heldBy[static_cast<size_t>(s)];
    ASSERT_EQ(layout->elementsOf(s), Extents(elements.begin(), elements.end())) << layout->text();
    EXPECT_EQ(product(layout->subgroupShape()), static_cast<int64_t>(elements.size()));
    for (size_t d = 0; d < shape.size(); ++d) {
      std::set<int64_t> indices;
      for (int64_t e : elements) indices.insert(indexOf(e, shape)[d]);
      Extents slice = layout->sliceOf(s, static_cast<int>(d));
      ASSERT_EQ(slice, Extents(indices.begin(), indices.end())) << layout->text();
      EXPECT_EQ(static_cast<int64_t>(slice.size()), layout->subgroupShape()[d]);
    }
  }
}

void checkAlgebra(Context &context, Source &source, const Layout *layout, const Ownership &ownership) {
  Extents shape(layout->shape().begin(), layout->shape().end());
  EXPECT_EQ(made(context, layout->spec(), shape), layout) << layout->text();
  EXPECT_FALSE(layout->picture(5).empty());

  Extents permutation(shape.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  if (source.below(2) == 0)
    std::reverse(permutation.begin(), permutation.end());
  else
    std::rotate(permutation.begin(), permutation.begin() + 1, permutation.end());
  const Layout *turned = transposed(context, layout, permutation);
  Extents turnedShape(turned->shape().begin(), turned->shape().end());
  Ownership turnedOwners = asked(turned);
  for (size_t e = 0; e < ownership.size(); ++e) {
    Extents index = indexOf(static_cast<int64_t>(e), shape), to;
    for (int64_t from : permutation) to.push_back(index[static_cast<size_t>(from)]);
    ASSERT_EQ(turnedOwners[static_cast<size_t>(elementAt(to, turnedShape))], ownership[e]) << layout->text();
  }
  for (size_t d = 0; d < shape.size(); ++d)
    EXPECT_TRUE(sameDistribution(layout, static_cast<int>(permutation[d]), turned, static_cast<int>(d)));

  int dim = static_cast<int>(source.below(static_cast<int64_t>(shape.size())));
  const Layout *flat = collapsed(context, layout, dim);
  Extents flatShape = shape;
  flatShape[static_cast<size_t>(dim)] = 1;
  ASSERT_TRUE(std::equal(flatShape.begin(), flatShape.end(), flat->shape().begin(), flat->shape().end()));
  Ownership flatOwners(static_cast<size_t>(product(flatShape)));
  for (size_t e = 0; e < ownership.size(); ++e) {
    Extents index = indexOf(static_cast<int64_t>(e), shape);
    index[static_cast<size_t>(dim)] = 0;
    Owners &owners = flatOwners[static_cast<size_t>(elementAt(index, flatShape))];
    // Collects the owners along the dimension. Below, subgroups and lanes are combined independently of each other.
    for (auto [s, l] : ownership[e]) owners.insert({s, l});
  }
  for (Owners &owners : flatOwners) {
    std::set<int64_t> groups, lanes;
    for (auto [s, l] : owners) groups.insert(s), lanes.insert(l);
    for (int64_t s : groups)
      for (int64_t l : lanes) owners.insert({s, l});
  }
  checkQueries(flat, flatOwners);
  std::vector<DimOf> dims;
  for (size_t d = 0; d < shape.size(); ++d) dims.push_back({layout, static_cast<int>(d)});
  EXPECT_EQ(combined(context, dims, shape), layout) << layout->text();
  dims[static_cast<size_t>(dim)].layout = nullptr;
  if (shape.size() > 1) {
    EXPECT_EQ(combined(context, dims, flatShape), flat) << layout->text();
  }
}

class LayoutFuzz : public ::testing::Test {
protected:
  // Runs `round` until one fails; each round has a different seed.
  template <class Round> void rounds(Round round) {
    for (uint64_t seed = 1; seed <= XT_FUZZ_ROUNDS && !HasFailure(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Source source(seed);
      Context context;
      round(context, source);
    }
  }
};

TEST_F(LayoutFuzz, MapsOwnAsTheirTextSays) {
  int fit = 0, lanesWrap = 0;
  rounds([&](Context &context, Source &source) {
    Extents shape = source.shape();
    LayoutSpec spec = source.map(shape);
    SCOPED_TRACE(spec.text());
    std::optional<Ownership> expected = byMaps(spec, shape);
    const Layout *layout = made(context, spec, shape);
    ASSERT_EQ(layout != nullptr, expected.has_value());
    if (!layout) return;
    ++fit;
    EXPECT_EQ(layout->subgroups(), spec.wg ? product(spec.wg->sgLayout) : 1);
    EXPECT_EQ(layout->axisSize(Axis::Lane), spec.sg ? product(spec.sg->wiLayout) : 1);
    checkQueries(layout, *expected);
    checkAlgebra(context, source, layout, *expected);
    // A layout that was made from maps is also printed as maps.
    LayoutSpec spelt = layout->spec();
    EXPECT_FALSE(spelt.factors) << spelt.text();
    EXPECT_EQ(spelt.sg.has_value(), layout->axisSize(Axis::Lane) > 1) << spelt.text();
    lanesWrap += layout->isReplicated(Axis::Lane);
  });
  EXPECT_GT(fit, XT_FUZZ_ROUNDS / 2);
  EXPECT_GT(lanesWrap, XT_FUZZ_ROUNDS / 100);
}

TEST_F(LayoutFuzz, FactorsOwnAsDefined) {
  rounds([&](Context &context, Source &source) {
    Extents shape = source.shape();
    FactorMap map = source.factors(shape, source.below(2) == 0);
    const Layout *layout = made(context, map, shape);
    ASSERT_NE(layout, nullptr);
    Ownership expected = byFactors(map, shape);
    checkQueries(layout, expected);
    checkAlgebra(context, source, layout, expected);
  });
}

TEST_F(LayoutFuzz, NestedLayoutsOwnAsTheirTextSays) {
  int fit = 0;
  rounds([&](Context &context, Source &source) {
    Extents shape = source.shape();
    LayoutSpec spec;
    spec.nested = source.nested(shape);
    SCOPED_TRACE(spec.text());
    auto ids = [](const Extents &tile, const Extents &strides) {
      int64_t count = 1;
      for (size_t d = 0; d < tile.size(); ++d)
        if (tile[d] > 1) count = std::max(count, tile[d] * strides[d]);
      return count;
    };
    int64_t subgroups = ids(spec.nested->subgroupTile, spec.nested->subgroupStrides);
    int64_t lanes = ids(spec.nested->threadTile, spec.nested->threadStrides);
    if (subgroups * lanes * product(shape) > 2000000) return;
    Ownership expected = byNested(*spec.nested, shape, subgroups, lanes);
    const Layout *layout = made(context, spec, shape);
    // The notation is a layout if every element has an owner, and all owners hold the same number of elements.
    std::map<std::pair<int64_t, int64_t>, int64_t> holds;
    bool complete = true;
    for (const Owners &owners : expected) {
      complete &= !owners.empty();
      for (auto owner : owners) ++holds[owner];
    }
    bool zeroStride = false;
    for (size_t d = 0; d < shape.size(); ++d)
      zeroStride |= (spec.nested->subgroupTile[d] > 1 && spec.nested->subgroupStrides[d] == 0) ||
                    (spec.nested->threadTile[d] > 1 && spec.nested->threadStrides[d] == 0);
    if (layout) {
      ++fit;
      ASSERT_TRUE(complete && !zeroStride);
      checkQueries(layout, expected);
    } else if (!zeroStride) {
      // The notation must be rejected only if ids clash: some element has no owner, or the strides of digits overlap without
      // dividing each other.
      bool divides = true;
      for (const auto &[tile, strides] : {std::pair{spec.nested->subgroupTile, spec.nested->subgroupStrides},
                                          std::pair{spec.nested->threadTile, spec.nested->threadStrides}})
        for (size_t a = 0; a < tile.size(); ++a)
          for (size_t b = 0; b < tile.size(); ++b)
            if (a != b && tile[a] > 1 && tile[b] > 1 && strides[a] <= strides[b])
              divides &= strides[b] % (strides[a] * tile[a]) == 0;
      ASSERT_FALSE(complete && divides);
    }
  });
  EXPECT_GT(fit, XT_FUZZ_ROUNDS / 2);
}

// --- anything a user may write ---------------------------------------------------------------------------------------

TEST_F(LayoutFuzz, NoNumbersBreakIt) {
  rounds([&](Context &context, Source &source) {
    auto number = [&] {
      int64_t shift = source.below(63);
      return source.of({1, 1, 2, 3, 8, 0, -1, 48, int64_t{1} << shift, (int64_t{1} << shift) * 3, INT64_MAX, INT64_MIN});
    };
    auto list = [&] {
      Extents values(static_cast<size_t>(source.of({0, 1, 2, 2, 2, 3})));
      for (int64_t &v : values) v = number();
      return values;
    };
    auto factors = [&] {
      std::vector<Factor> values;
      for (int64_t v : list()) values.push_back({v, static_cast<Axis>(source.below(3)), number()});
      return values;
    };
    LayoutSpec spec;
    switch (source.below(5)) {
    case 0: spec.nested = NestedLayout{list(), list(), list(), list(), list(), list(), list()}; break;
    case 1: spec.factors = FactorMap{{factors(), factors()}, factors()}; break;
    case 2: spec.sg = SgMap{list(), list()}; [[fallthrough]];
    case 3: spec.wg = WgMap{list(), list()}; break;
    case 4: spec.sg = SgMap{list(), list()}; break;
    }
    Extents shape = list();
    LayoutOrError result = makeLayout(context, spec, shape);
    if (LayoutError *error = std::get_if<LayoutError>(&result)) {
      EXPECT_FALSE(error->message.empty());
      EXPECT_LT(error->dim, static_cast<int>(std::max<size_t>(shape.size(), 3)));
      return;
    }
    const Layout *layout = std::get<const Layout *>(result);
    EXPECT_EQ(made(context, layout->spec(), shape), layout) << layout->text();
    EXPECT_FALSE(layout->picture(2).empty());
    if (!shape.empty()) collapsed(context, layout, 0);
  });
}

} // namespace
} // namespace xt
