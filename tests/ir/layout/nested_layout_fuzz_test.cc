// Compares random nested layouts of rank 1 to 5 with the formulas of the 'iree_vector_ext' Dialect, NestedLayoutAttr, evaluated
// position by position: owners, elements, the order of registers, which ones are refused, and ids modulo a number of subgroups.
#include "ir/base/text.h"
#include "ir/layout/distributed_shape.h"
#include "tests/ir/layout/layout_fixture.h"

#include <map>
#include <random>

namespace xt {
namespace {

constexpr int64_t kMostEvaluated = 600; // elements of all owners together

// --- the formulas ----------------------------------------------------------------------------------------------------

// virtual_id[i] = (id / stride[i]) % tile[i]; a stride of zero means that the dimension is not distributed.
Extents virtualId(int64_t id, const Extents &tile, const Extents &strides) {
  Extents result;
  for (size_t i = 0; i < tile.size(); ++i) result.push_back(strides[i] == 0 ? 0 : id / strides[i] % tile[i]);
  return result;
}

// The inverse: sum_i(stride[i] * virtual_id[i]). The page takes it modulo the product of the tiles, which changes nothing unless
// the strides leave gaps; then it would contradict the formula above.
int64_t idOf(const Extents &place, const Extents &strides) {
  int64_t id = 0;
  for (size_t i = 0; i < place.size(); ++i) id += strides[i] * place[i];
  return id;
}

// The number of ids that the strides reach.
int64_t idsOf(const Extents &tile, const Extents &strides) {
  int64_t count = 1;
  for (size_t i = 0; i < tile.size(); ++i)
    if (tile[i] > 1) count = std::max(count, tile[i] * strides[i]);
  return count;
}

// Whether the ids are a distribution: the two formulas are inverse to each other for every position, which no id has then twice,
// and all positions have the same number of ids.
bool distributes(const Extents &tile, const Extents &strides) {
  std::map<Extents, int64_t> ids;
  for (int64_t id = 0; id < idsOf(tile, strides); ++id) ++ids[virtualId(id, tile, strides)];
  for (int64_t p = 0; p < product(tile); ++p) {
    Extents place = indexOf(p, tile);
    if (!ids.contains(place) || virtualId(idOf(place, strides), tile, strides) != place) return false;
    if (ids[place] != ids.begin()->second) return false;
  }
  return true;
}

// The index in the tile, per dimension: index = (((subgroup * batch_tile + batch) * outer_tile + outer) * thread_tile + thread)
// * element_tile + element. `position` is one of the full form, [batch] x [outer] x [element].
Extents indexAt(const NestedLayout &map, const Extents &subgroup, const Extents &thread, int64_t position) {
  Extents full;
  for (const Extents *level : {&map.batchTile, &map.outerTile, &map.elementTile})
    full.insert(full.end(), level->begin(), level->end());
  Extents at = indexOf(position, full), index;
  for (size_t rank = subgroup.size(), d = 0; d < rank; ++d)
    index.push_back(
        (((subgroup[d] * map.batchTile[d] + at[d]) * map.outerTile[d] + at[rank + d]) * map.threadTile[d] + thread[d]) *
            map.elementTile[d] +
        at[2 * rank + d]);
  return index;
}

int64_t fragmentSize(const NestedLayout &map) {
  return product(map.batchTile) * product(map.outerTile) * product(map.elementTile);
}

// --- random layouts --------------------------------------------------------------------------------------------------

class Random {
public:
  explicit Random(uint64_t seed) : random_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool oneIn(int64_t n) { return below(n) == 0; }

  // A map of rank 1 to 5 whose evaluation is not too long. Its strides are a chain in random order, sometimes with gaps,
  // sometimes changed so that ids overlap.
  NestedLayout nested() {
    for (;;) {
      size_t rank = static_cast<size_t>(1 + below(5));
      NestedLayout map;
      for (Extents *tile : {&map.subgroupTile, &map.batchTile, &map.outerTile, &map.threadTile, &map.elementTile})
        for (size_t d = 0; d < rank; ++d) tile->push_back(oneIn(2) ? 1 : 1 + below(4));
      map.subgroupStrides = strides(map.subgroupTile);
      map.threadStrides = strides(map.threadTile);
      if (idsOf(map.subgroupTile, map.subgroupStrides) * idsOf(map.threadTile, map.threadStrides) * fragmentSize(map) <=
          kMostEvaluated)
        return map;
    }
  }

private:
  Extents strides(const Extents &tile) {
    Extents result(tile.size(), 0);
    std::vector<size_t> order(tile.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    int64_t stride = oneIn(5) ? 2 : 1;
    for (size_t d : order) {
      if (tile[d] == 1 && oneIn(2)) continue;
      result[d] = stride;
      if (oneIn(12)) result[d] = below(2 * stride + 3);
      stride *= tile[d] * (tile[d] > 1 && oneIn(6) ? 2 : 1);
    }
    return result;
  }

  std::mt19937_64 random_;
};

Extents shapeOf(const NestedLayout &map) {
  Extents shape;
  for (size_t d = 0; d < map.batchTile.size(); ++d)
    shape.push_back(map.subgroupTile[d] * map.batchTile[d] * map.outerTile[d] * map.threadTile[d] * map.elementTile[d]);
  return shape;
}

// --- comparisons -----------------------------------------------------------------------------------------------------

class NestedLayoutFuzz : public LayoutTest {
protected:
  // The elements of each owner as the formulas give them, in the order of the full form.
  void compare(const NestedLayout &map, const Layout *layout) {
    Extents shape = shapeOf(map), full = distributedShape(map);
    int64_t subgroups = idsOf(map.subgroupTile, map.subgroupStrides), lanes = idsOf(map.threadTile, map.threadStrides);
    ASSERT_EQ(layout->subgroups(), subgroups);
    ASSERT_EQ(layout->axisSize(Axis::Lane), lanes);
    ASSERT_EQ(layout->axisSize(Axis::Register), fragmentSize(map));
    ASSERT_EQ(product(full), fragmentSize(map));
    Extents each = collapsedShape(*layout);
    for (size_t d = 0; d < shape.size(); ++d) ASSERT_EQ(each[d], map.batchTile[d] * map.outerTile[d] * map.elementTile[d]);
    Ownership owners(static_cast<size_t>(product(shape)));
    for (int64_t s = 0; s < subgroups; ++s) {
      std::set<int64_t> ofSubgroup;
      for (int64_t l = 0; l < lanes; ++l) {
        Extents subgroup = virtualId(s, map.subgroupTile, map.subgroupStrides),
                thread = virtualId(l, map.threadTile, map.threadStrides);
        Extents byRegister(static_cast<size_t>(fragmentSize(map)), -1);
        for (int64_t p = 0; p < fragmentSize(map); ++p) {
          Extents index = indexAt(map, subgroup, thread, p);
          int64_t e = elementAt(index, shape), number = registerOf(map, p);
          owners[static_cast<size_t>(e)].insert({s, l});
          ofSubgroup.insert(e);
          ASSERT_EQ(indexOfRegister(*layout, s, l, number), index);
          ASSERT_EQ(layout->owners(index, Axis::Register), Extents{number});
          ASSERT_EQ(byRegister[static_cast<size_t>(number)], -1) << "two positions in one register";
          byRegister[static_cast<size_t>(number)] = e;
        }
        ASSERT_TRUE(std::is_sorted(byRegister.begin(), byRegister.end())) << "registers are row-major over the tile";
      }
      ASSERT_EQ(layout->elementsOf(s), Extents(ofSubgroup.begin(), ofSubgroup.end()));
    }
    ASSERT_EQ(asked(layout), owners);
  }

  // What subgroup x of `real` holds if it stands for all ids that are x modulo `real`. With more subgroups than ids, the
  // formulas apply to x itself.
  std::vector<std::set<int64_t>> modulo(const NestedLayout &map, int64_t real) {
    Extents shape = shapeOf(map);
    int64_t ids = idsOf(map.subgroupTile, map.subgroupStrides);
    std::vector<std::set<int64_t>> held(static_cast<size_t>(real));
    for (int64_t id = 0; id < std::max(ids, real); ++id)
      for (int64_t t = 0; t < product(map.threadTile); ++t)
        for (int64_t p = 0; p < fragmentSize(map); ++p)
          held[static_cast<size_t>(id % real)].insert(elementAt(
              indexAt(map, virtualId(id, map.subgroupTile, map.subgroupStrides), indexOf(t, map.threadTile), p), shape));
    return held;
  }

  // Whether the elements are all combinations of the indices that occur in each dimension.
  static bool isProduct(const std::set<int64_t> &elements, const Extents &shape) {
    size_t count = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      std::set<int64_t> indices;
      for (int64_t e : elements) indices.insert(indexOf(e, shape)[d]);
      count *= indices.size();
    }
    return count == elements.size();
  }
};

TEST_F(NestedLayoutFuzz, AgreesWithTheFormulas) {
  int valid = 0, invalid = 0, ofRank[6] = {}, withGaps = 0;
  for (uint64_t seed = 1; (valid < 2500 || invalid < 500) && !HasFailure(); ++seed) {
    Random random(seed);
    NestedLayout map = random.nested();
    SCOPED_TRACE(str("seed ", seed, ": ", nested(map).text()));
    Extents shape = shapeOf(map);
    LayoutOrError made = makeLayout(context_, nested(map), shape);
    bool fits = std::holds_alternative<const Layout *>(made);
    ASSERT_EQ(fits, distributes(map.subgroupTile, map.subgroupStrides) && distributes(map.threadTile, map.threadStrides))
        << (fits ? "" : std::get<LayoutError>(made).message);
    ++(fits ? valid : invalid);
    if (!fits) continue;
    const Layout *layout = std::get<const Layout *>(made);
    ++ofRank[shape.size()];
    withGaps += layout->subgroups() > product(map.subgroupTile);
    compare(map, layout);
    // With another extent, some element has no owner or some position no element.
    Extents other = shape;
    other[static_cast<size_t>(random.below(static_cast<int64_t>(shape.size())))] += random.oneIn(2) ? 1 : shape[0];
    ASSERT_NE(errorOf(nested(map), other), "no error");
  }
  for (int rank = 1; rank <= 5; ++rank) EXPECT_GT(ofRank[rank], 200) << "rank " << rank;
  EXPECT_GT(withGaps, 100);
}

TEST_F(NestedLayoutFuzz, SubgroupsModuloANumber) {
  int fewer = 0, more = 0, refused = 0;
  for (uint64_t seed = 1; (fewer < 1000 || more < 500) && !HasFailure(); ++seed) {
    Random random(seed);
    NestedLayout map = random.nested();
    Extents shape = shapeOf(map);
    LayoutOrError made = makeLayout(context_, nested(map), shape);
    if (!std::holds_alternative<const Layout *>(made)) continue;
    const Layout *layout = std::get<const Layout *>(made);
    int64_t real = 1 + random.below(layout->subgroups() + 4);
    if (random.oneIn(4)) real = layout->subgroups() * (1 + random.below(3));
    SCOPED_TRACE(str("seed ", seed, ": ", nested(map).text(), " on ", real, " subgroups"));
    std::vector<std::set<int64_t>> held = modulo(map, real);
    const Layout *shared = onSubgroupsModulo(context_, layout, real);
    std::vector<int64_t> counts = subgroupsModulo(layout, 1000);
    ASSERT_EQ(std::find(counts.begin(), counts.end(), real) != counts.end(), shared && real <= layout->subgroups());
    if (!shared) {
      ++refused;
      bool multiples = real % layout->subgroups() == 0 || layout->subgroups() % real == 0;
      bool products = std::all_of(held.begin(), held.end(), [&](const auto &part) { return isProduct(part, shape); });
      bool gaps = layout->subgroups() > product(map.subgroupTile);
      ASSERT_FALSE(multiples && products && !gaps) << "what the subgroups hold could be a layout";
      continue;
    }
    ++(real < layout->subgroups() ? fewer : more);
    ASSERT_EQ(shared->subgroups(), real);
    ASSERT_EQ(shared->axisSize(Axis::Lane), layout->axisSize(Axis::Lane));
    for (int64_t s = 0; s < real; ++s) {
      const std::set<int64_t> &part = held[static_cast<size_t>(s)];
      ASSERT_EQ(shared->elementsOf(s), Extents(part.begin(), part.end()));
    }
    // A lane keeps its number, and holds what it held of each of the parts.
    for (int64_t s = 0; s < std::min(real, layout->subgroups()); ++s) {
      std::set<int64_t> parts, now;
      int64_t lane = random.below(layout->axisSize(Axis::Lane));
      for (int64_t id = s; id < layout->subgroups(); id += real)
        for (int64_t r = 0; r < layout->axisSize(Axis::Register); ++r)
          parts.insert(elementAt(indexOfRegister(*layout, id, lane, r), shape));
      for (int64_t r = 0; r < shared->axisSize(Axis::Register); ++r)
        now.insert(elementAt(indexOfRegister(*shared, s, lane, r), shape));
      ASSERT_EQ(now, parts);
      ASSERT_EQ(static_cast<int64_t>(now.size()), product(collapsedShape(*shared)));
    }
  }
  EXPECT_GT(refused, 100);
}

} // namespace
} // namespace xt
