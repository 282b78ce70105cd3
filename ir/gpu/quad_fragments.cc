#include "ir/gpu/quad_fragments.h"

#include "ir/context.h"
#include "ir/gpu/operand_layout.h"

namespace xt {
namespace {

constexpr int64_t kQuads = kQuadLanes / kLanesOfQuad, kColumnsEach = 2;

const Layout *layoutOf(Context &context, std::vector<Factor> rows, std::vector<Factor> columns,
                       std::span<const int64_t> shape) {
  LayoutSpec spec;
  spec.factors = FactorMap();
  spec.factors->dims = {std::move(rows), std::move(columns)};
  return layoutOrNull(context, spec, shape);
}

// The elements that fill the 32 bits of a register.
int64_t packOf(Elem elem) { return std::max<int64_t>(1, 32 / (8 * elemInfo(elem).storageBytes)); }

} // namespace

std::optional<DpasFragments> quadFragments(Context &context, const MmaShape &product) {
  int64_t f = packOf(product.a);
  bool fits = product.m > 0 && product.m % kQuads == 0 && product.n == kLanesOfQuad * kColumnsEach && product.k > 0 &&
              product.k % (kLanesOfQuad * f) == 0;
  if (!fits) return std::nullopt;
  std::vector<Factor> ofQuad{{product.m / kQuads, Axis::Register, 1}, {kQuads, Axis::Lane, kLanesOfQuad}},
      alongK{{product.k / (kLanesOfQuad * f), Axis::Register, 1}, {kLanesOfQuad, Axis::Lane, 1}, {f, Axis::Register, 1}};
  DpasFragments found{product.m, product.n, product.k};
  found.a = layoutOf(context, ofQuad, alongK, std::array{product.m, product.k});
  found.b = layoutOf(context, alongK, {{kQuads, Axis::Lane, kLanesOfQuad}}, std::array{product.k, product.n});
  found.c = layoutOf(context, ofQuad, {{kLanesOfQuad, Axis::Lane, 1}, {kColumnsEach, Axis::Register, 1}},
                     std::array{product.m, product.n});
  return found.a && found.b && found.c ? std::optional(found) : std::nullopt;
}

std::optional<DpasFragments> quadFragments(Context &context, Type a, Type b, Type c) {
  if (!c || !c.isVector() || c.rank() != 2 || c.extent(1) != kColumnsEach || a.rank() != 2) return std::nullopt;
  bool packed = b.rank() == 3 && b.extent(1) == 1 && b.extent(2) == packOf(b.elem());
  if (!packed && (b.rank() != 2 || b.extent(1) != 1)) return std::nullopt;
  int64_t ownDepth = b.elementCount();
  if (a.extent(0) != c.extent(0) || a.extent(1) != ownDepth) return std::nullopt;
  return quadFragments(context, MmaShape{a.elem(), b.elem(), c.elem(), c.extent(0) * kQuads, kLanesOfQuad * kColumnsEach,
                                         ownDepth * kLanesOfQuad});
}

const Layout *quadLayoutOfB(Context &context, std::span<const int64_t> shape, Elem elem) {
  int64_t f = packOf(elem);
  if (shape[0] % (kLanesOfQuad * f) != 0 || shape[1] % kQuads != 0) return nullptr;
  return layoutOf(context,
                  {{shape[0] / (kLanesOfQuad * f), Axis::Register, 1}, {kLanesOfQuad, Axis::Lane, 1}, {f, Axis::Register, 1}},
                  {{shape[1] / kQuads, Axis::Register, 1}, {kQuads, Axis::Lane, kLanesOfQuad}}, shape);
}

} // namespace xt
