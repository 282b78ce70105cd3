// Layouts: which subgroup, lane and register holds each element of a tile. The only layout arithmetic of the project.
//
// A Layout belongs to a shape. Each dimension's index is a mixed-radix number whose digits (factors, outermost first)
// each go to one axis with a stride: the owner's coordinate on an axis is the sum of digit * stride over all factors
// of that axis. Coordinates that no index determines are listed as replication: every combination of them holds a copy.
// Two layouts of a shape are equal when they own alike; a Layout is interned in canonical form, so equal layouts are
// the same pointer.
#pragma once
#include "ir/base/source.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace xt {

class Context;

enum class Axis : uint8_t { Register, Lane, Subgroup }; // an open list: warpgroup, workgroup may follow
inline constexpr int kAxisCount = 3;

struct Factor {
  int64_t extent;
  Axis axis;
  int64_t stride; // on the axis; registers are numbered row-major over an owner's elements, so theirs is derived
  bool operator==(const Factor &) const = default;
};

// wg_map<sg_layout = [a, b], sg_data = [p, q]> (RFC, "Workgroup Level XeTile extension"): subgroup ids are row-major in
// sg_layout. Per dimension, sg_layout*sg_data divides the extent (round-robin) or the extent divides it (wrap-around).
struct WgMap {
  std::vector<int64_t> sgLayout, sgData;
  bool operator==(const WgMap &) const = default;
};
// sg_map<wi_layout, wi_data> (seed 003): continues inside the subgroup; lane ids are row-major in wi_layout.
struct SgMap {
  std::vector<int64_t> wiLayout, wiData;
  bool operator==(const SgMap &) const = default;
};
// nested_layout (seed 001).
struct NestedLayout {
  std::vector<int64_t> subgroupTile, batchTile, outerTile, threadTile, elementTile, subgroupStrides, threadStrides;
  bool operator==(const NestedLayout &) const = default;
};
// layout<…>: the factors themselves, for what no other notation can spell.
struct FactorMap {
  std::vector<std::vector<Factor>> dims;
  std::vector<Factor> replication;
  bool operator==(const FactorMap &) const = default;
};

// A layout as it is written, before the shape is known. xe_map is a WgMap and a SgMap.
struct LayoutSpec {
  std::optional<WgMap> wg;
  std::optional<SgMap> sg;
  std::optional<NestedLayout> nested;
  std::optional<FactorMap> factors;
  bool operator==(const LayoutSpec &) const = default;

  static LayoutSpec of(WgMap map) { return {std::move(map), {}, {}, {}}; }
  // "#wg_map<sg_layout = [8, 4], sg_data = [32, 32]>"
  std::string text() const;
};

class Layout {
public:
  std::span<const int64_t> shape() const { return shape_; }
  int rank() const { return static_cast<int>(shape_.size()); }
  std::span<const Factor> factors(int dim) const { return factors_[static_cast<size_t>(dim)]; }
  std::span<const Factor> replication() const { return replication_; }
  // Number of coordinates on an axis: subgroups per workgroup, lanes per subgroup, registers (elements) per owner.
  int64_t axisSize(Axis axis) const { return axisSize_[static_cast<size_t>(axis)]; }
  int64_t subgroups() const { return axisSize(Axis::Subgroup); }

  // All coordinates on `axis` that hold the element, ascending.
  std::vector<int64_t> owners(std::span<const int64_t> index, Axis axis) const;
  // Row-major linear indices of the elements that a subgroup holds, in register order (row-major over what it holds).
  std::vector<int64_t> elementsOf(int64_t subgroup) const;
  // The indices along one dimension that a subgroup holds, ascending. What a subgroup holds is the product of these.
  std::vector<int64_t> sliceOf(int64_t subgroup, int dim) const;
  // Extents of what one subgroup holds, per dimension (the same for every subgroup).
  std::vector<int64_t> subgroupShape() const;
  bool isReplicated(Axis axis) const; // some element has several owners on the axis

  // The spelling in canonical form: a wg_map where one owns alike, else xe_map, else layout<…>.
  LayoutSpec spec() const;
  std::string text() const { return spec().text(); }
  // Who owns what, one cell per block that no owner splits; the number is the subgroup (the first, if replicated, with
  // a '+'). At most `maxCells` cells a side; larger ones are cut with an ellipsis. Lines end in '\n'.
  std::string picture(int maxCells = 16) const;

private:
  friend class Context;
  friend struct LayoutBuilder;
  std::vector<int64_t> shape_;
  std::vector<std::vector<Factor>> factors_;
  std::vector<Factor> replication_;
  int64_t axisSize_[kAxisCount] = {1, 1, 1};
};

// Why a map does not fit a shape.
struct LayoutError {
  std::string message; // "extent 48 is neither a multiple nor a divisor of sg_layout * sg_data = 4 * 32 = 128"
  int dim = -1;        // the dimension at fault; -1: the map as a whole (its rank, an extent of 0 …)
};
using LayoutOrError = std::variant<const Layout *, LayoutError>;

LayoutOrError makeLayout(Context &context, const LayoutSpec &spec, std::span<const int64_t> shape);

// --- the algebra -----------------------------------------------------------------------------------------------------
// Dimensions permuted: result dimension d is source dimension permutation[d].
const Layout *transposed(Context &context, const Layout *layout, std::span<const int64_t> permutation);
// Whether dimension da of a and dimension db of b are distributed alike: every subgroup holds the same indices.
bool sameDistribution(const Layout *a, int da, const Layout *b, int db);
// The layout that owns like `layout` along every dimension but `dim`, whose extent becomes 1, held by all of its former
// owners (the operand of a broadcast; the result of a reduction).
const Layout *collapsed(Context &context, const Layout *layout, int dim);

// What converting a vector from one layout to another costs at most.
enum class Movement : uint8_t { None, InLane, InSubgroup, AcrossSubgroups };
Movement movement(const Layout *from, const Layout *to);

} // namespace xt
