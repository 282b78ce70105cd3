#include "ir/gpu/lane_fragments.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/context.h"
#include "ir/gpu/operand_layout.h"
#include "ir/gpu/quad_fragments.h"

#include <algorithm>

namespace xt {
namespace {

std::string fragmentText(const Layout &layout, Elem elem) {
  return str("vector<", shapeText(layout.ownerShape(Axis::Lane)), "x", elemName(elem), "> of ", layout.text());
}

struct Shape2 {
  int64_t rows = 0, columns = 0;
};

} // namespace

const Layout *dealtToLanes(Context &context, std::vector<int64_t> wiLayout, std::vector<int64_t> wiData,
                           std::span<const int64_t> shape) {
  LayoutSpec spec;
  spec.sg = SgMap{std::move(wiLayout), std::move(wiData)};
  return layoutOrNull(context, spec, shape);
}

const Layout *blockMessageLayout(Context &context, std::span<const int64_t> shape, int64_t bits, int64_t lanes, bool transposes,
                                 bool packs) {
  int64_t f = std::max<int64_t>(1, 32 / bits);
  if (transposes) return dealtToLanes(context, {lanes, 1}, {1, packs ? f : 1}, shape);
  if (packs) return dealtToLanes(context, {1, lanes}, {f, 1}, shape);
  if (shape[1] >= lanes) return dealtToLanes(context, {1, lanes}, {1, bits == 8 ? 2 : 1}, shape);
  return lanes % shape[1] == 0 ? dealtToLanes(context, {lanes / shape[1], shape[1]}, {1, 1}, shape) : nullptr;
}

const Layout *packedLayout(Context &context, const Layout *matrix, int64_t factor) {
  int64_t rows = matrix->shape()[0], columns = matrix->shape()[1];
  if (rows % factor != 0) return nullptr;
  const Layout *apart = reshaped(context, matrix, std::vector<int64_t>{rows / factor, factor, columns});
  return apart ? transposed(context, apart, std::vector<int64_t>{0, 2, 1}) : nullptr;
}

const Layout *replicatedOverLanes(Context &context, std::span<const int64_t> shape, int64_t lanes) {
  LayoutSpec spec;
  spec.factors = FactorMap();
  for (int64_t extent : shape) spec.factors->dims.push_back({{extent, Axis::Register, 1}});
  spec.factors->replication = {{lanes, Axis::Lane, 1}};
  const Layout *layout = layoutOrNull(context, spec, shape);
  XT_CHECK(layout, "copies for each lane are a layout");
  return layout;
}

namespace {

// How lanes hold a, rows x depth, by packed columns or by single ones (lane_fragments.h); nullopt if they cannot.
std::optional<SgMap> sgMapOfA(bool packed, int64_t depth, int64_t factor, int64_t lanes) {
  if (!packed) return SgMap{{1, lanes}, {1, std::max<int64_t>(1, depth / lanes)}};
  int64_t across = std::min(std::max<int64_t>(1, depth / factor), lanes);
  if (lanes % across != 0) return std::nullopt;
  return SgMap{{lanes / across, across}, {1, factor}};
}

const Layout *layoutOfA(Context &context, bool packed, const MmaShape &product, int64_t lanes) {
  std::optional<SgMap> map = sgMapOfA(packed, product.k, vnniFactorOf(product.a), lanes);
  return map ? dealtToLanes(context, map->wiLayout, map->wiData, std::vector<int64_t>{product.m, product.k}) : nullptr;
}

} // namespace

namespace {

// Whether the operands of an instruction have the layouts of these fragments.
bool takes(Context &context, const MmaInstruction &instruction, const DpasFragments &fragments) {
  return registerLayout(context, instruction.aLayout).layout == fragments.a &&
         registerLayout(context, instruction.bLayout).layout == fragments.b &&
         registerLayout(context, instruction.cLayout).layout == fragments.c;
}

} // namespace

DpasFragments instructionFragments(Context &context, const TargetInfo &target, const MmaShape &product, int64_t lanes) {
  const MmaInstruction *instruction = findProduct(target, product);
  std::optional<DpasFragments> quads = lanes == kQuadLanes ? quadFragments(context, product) : std::nullopt;
  if (instruction && quads && takes(context, *instruction, *quads)) return *quads;
  const Layout *packed = layoutOfA(context, true, product, lanes), *plain = layoutOfA(context, false, product, lanes);
  DpasFragments found = {product.m, product.n, product.k};
  found.a = product.k % lanes == 0 ? plain : packed;
  if (instruction) {
    const Layout *wanted = registerLayout(context, instruction->aLayout).layout;
    if (!wanted || wanted == packed || wanted == plain) found.a = wanted;
  }
  found.b = dealtToLanes(context, {1, lanes}, {vnniFactorOf(product.a), 1}, std::vector<int64_t>{product.k, product.n});
  found.c = dealtToLanes(context, {1, lanes}, {1, 1}, std::vector<int64_t>{product.m, product.n});
  return found;
}

std::optional<SgMap> matrixSgMap(Context &context, Type matrix, int64_t lanes) {
  int64_t columns = matrix.extent(1), factor = vnniFactorOf(matrix.elem());
  std::optional<SgMap> map = SgMap{{1, lanes}, {1, 1}};
  // Where both layouts of a give a lane the same shape, dpasFragments() takes the packed one.
  if (matrix.data().matrix.use == MatrixUse::A)
    map = sgMapOfA(columns % lanes != 0 || columns / factor >= lanes, columns, factor, lanes);
  bool fits = map && dealtToLanes(context, map->wiLayout, map->wiData, matrix.shape());
  return fits ? map : std::nullopt;
}

Type matrixFragment(Context &context, Type matrix, int64_t lanes) {
  std::optional<SgMap> map = matrixSgMap(context, matrix, lanes);
  if (!map) return {};
  return context.vector(dealtToLanes(context, map->wiLayout, map->wiData, matrix.shape())->ownerShape(Axis::Lane),
                        matrix.elem());
}

int64_t vnniFactorOf(Elem elem) {
  int bits = elemInfo(elem).bits;
  return bits == 8 || bits == 16 ? 32 / bits : 1;
}

std::variant<DpasFragments, DpasMismatch> dpasFragments(Context &context, Type a, Type b, Type c, int64_t lanes) {
  if (lanes == kQuadLanes)
    if (std::optional<DpasFragments> quads = quadFragments(context, a, b, c)) return *quads;
  int64_t f = vnniFactorOf(a.elem());
  if (c && (!c.isVector() || c.rank() != 2))
    return DpasMismatch{2, str("the fragment of c must be [M, N / lanes], not ", shapedText(c))};
  bool threeOfB = b.rank() == 3 && f > 1 && b.extent(2) == f;
  if (!threeOfB && b.rank() != 2)
    return DpasMismatch{1, str("the fragment of b must be [K/f, N / lanes, f], not ", shapedText(b))};
  bool pairs = b.rank() == 2 && f > 1 && b.extent(1) == f && (!c || c.extent(1) == 1);
  Shape2 ownB = threeOfB ? Shape2{b.extent(0) * f, b.extent(1)}
                : pairs  ? Shape2{b.extent(0) * f, 1}
                         : Shape2{b.extent(0), b.extent(1)};
  if (c && c.extent(1) != ownB.columns)
    return DpasMismatch{1, str("the fragment of b has N = ", ownB.columns, ", that of c has N = ", c.extent(1))};
  bool threeOfA = a.rank() == 3 && f > 1 && f % a.extent(2) == 0; // several lanes share a group of f elements
  if (!threeOfA && a.rank() != 2)
    return DpasMismatch{0, str("the fragment of a must be [m, k] or [m, k/f, f], not ", shapedText(a))};
  Shape2 ownA = threeOfA ? Shape2{a.extent(0), a.extent(1) * a.extent(2)} : Shape2{a.extent(0), a.extent(1)};

  DpasFragments found;
  found.depth = ownB.rows;
  found.columns = ownB.columns * lanes;
  int64_t elements = ownA.rows * ownA.columns * lanes;
  found.rows = c ? c.extent(0) : elements / found.depth;
  found.b =
      dealtToLanes(context, {1, lanes}, {found.depth % f == 0 ? f : 1, 1}, std::vector<int64_t>{found.depth, found.columns});
  found.c = found.rows ? dealtToLanes(context, {1, lanes}, {1, 1}, std::vector<int64_t>{found.rows, found.columns}) : nullptr;
  std::string known;
  MmaShape sizes{a.elem(), b.elem(), a.elem(), found.rows, found.columns, found.depth};
  for (bool packed : {true, false}) {
    const Layout *candidate = found.rows ? layoutOfA(context, packed, sizes, lanes) : nullptr;
    if (!candidate) continue;
    if (candidate->ownerShape(Axis::Lane) == std::vector<int64_t>{ownA.rows, ownA.columns}) {
      found.a = candidate;
      return found;
    }
    std::string text = fragmentText(*candidate, a.elem());
    if (known.find(text) == std::string::npos) known += (known.empty() ? "" : " or ") + text;
  }
  return DpasMismatch{0, str(shapedText(a), " is not a fragment of a ", found.rows, "x", found.depth, " matrix a in ", lanes,
                             " lanes", known.empty() ? "" : ": expected " + known)};
}

} // namespace xt
