// Fuzzes layouts, with any numbers in any notation. For layouts that fit a shape, checks the notation's meaning for each
// element, and the laws of the algebra.
#include "tests/fuzz/bytes.h"
#include "tests/fuzz/crash.h"
#include "tests/ir/layout/layout_reference.h"

#include "ir/base/text.h"

#include <map>

using namespace xt;
using fuzz::Bytes;

namespace {

constexpr int64_t kMostElements = 96, kMostOwners = 128; // limits for layouts that are checked element by element

void expect(bool holds, std::string_view law, const Layout *layout) {
  if (!holds) fuzz::fail(law, layout->text());
}

FactorMap factorMap(Bytes &in) {
  auto factors = [&] {
    std::vector<Factor> list;
    for (int64_t extent : in.numbers()) list.push_back({extent, static_cast<Axis>(in.below(3)), in.number()});
    return list;
  };
  FactorMap map;
  for (int64_t rank = in.below(4); rank > 0; --rank) map.dims.push_back(factors());
  map.replication = factors();
  return map;
}

LayoutSpec spec(Bytes &in) {
  LayoutSpec spec;
  int64_t notation = in.below(5);
  if (notation == 0) spec.factors = factorMap(in);
  if (notation == 1)
    spec.nested =
        NestedLayout{in.numbers(), in.numbers(), in.numbers(), in.numbers(), in.numbers(), in.numbers(), in.numbers()};
  if (notation == 2 || notation == 3) spec.wg = WgMap{in.numbers(), in.numbers()};
  if (notation == 2 || notation == 4) spec.sg = SgMap{in.numbers(), in.numbers()};
  return spec;
}

// Returns the shape that the notation describes directly, or any other.
std::vector<int64_t> shape(Bytes &in, const LayoutSpec &spec) {
  std::vector<int64_t> shape;
  if (in.below(3) == 0) return in.numbers();
  if (spec.wg)
    for (size_t d = 0; d < std::min(spec.wg->sgLayout.size(), spec.wg->sgData.size()); ++d) {
      int64_t extent = 0;
      bool overflows = __builtin_mul_overflow(spec.wg->sgLayout[d], spec.wg->sgData[d], &extent);
      shape.push_back(overflows ? 1 : extent);
    }
  else if (spec.factors)
    for (const std::vector<Factor> &digits : spec.factors->dims) {
      int64_t extent = 1;
      for (const Factor &digit : digits)
        if (__builtin_mul_overflow(extent, digit.extent, &extent)) extent = 1;
      shape.push_back(extent);
    }
  else
    return in.numbers();
  return shape;
}

bool isSmall(const Layout *layout) {
  int64_t elements = 1, owners = 0;
  for (int64_t extent : layout->shape())
    if (extent > kMostElements || (elements *= extent) > kMostElements) return false;
  return !__builtin_mul_overflow(layout->subgroups(), layout->axisSize(Axis::Lane), &owners) && owners <= kMostOwners;
}

void checkOwners(const Layout *layout, const LayoutSpec &spec) {
  Extents shape(layout->shape().begin(), layout->shape().end());
  Ownership owners = asked(layout);
  if (spec.factors) expect(owners == byFactors(*spec.factors, shape), "factors own as they say", layout);
  // The reference iterates over all of a subgroup's data, even beyond the end of the tile.
  bool small = !spec.wg || std::ranges::all_of(spec.wg->sgData, [](int64_t extent) { return extent <= kMostElements; });
  // An sg_map may have one dimension more than the tile, as XeGPU prints it. The reference accepts equal ranks only.
  bool ranked = !spec.sg || spec.sg->wiLayout.size() == shape.size();
  if (small && ranked && (spec.wg || spec.sg)) {
    std::optional<Ownership> said = byMaps(spec, shape);
    if (!said || *said != owners)
      fuzz::fail("maps own as they say", str(spec.text(), " on ", join(shape, "x"), " became ", layout->text()));
  }
  for (int64_t subgroup = 0; subgroup < layout->subgroups(); ++subgroup) {
    std::vector<int64_t> held;
    for (size_t e = 0; e < owners.size(); ++e)
      if (std::any_of(owners[e].begin(), owners[e].end(), [&](auto owner) { return owner.first == subgroup; }))
        held.push_back(static_cast<int64_t>(e));
    expect(layout->elementsOf(subgroup) == held, "a subgroup holds the elements that it owns", layout);
  }
}

void checkAlgebra(Context &context, Bytes &in, const Layout *layout) {
  Extents shape(layout->shape().begin(), layout->shape().end());
  LayoutOrError again = makeLayout(context, layout->spec(), shape);
  expect(std::holds_alternative<const Layout *>(again) && std::get<const Layout *>(again) == layout,
         "the canonical spelling makes the same layout", layout);
  expect(movement(layout, layout) == Movement::None && movedBytes(layout, layout, 4) == 0, "nothing moves to the same layout",
         layout);
  layout->picture(4);
  if (shape.empty()) return;
  auto rank = static_cast<int64_t>(shape.size());
  std::vector<int64_t> turn(shape.size());
  for (int64_t d = 0; d < rank; ++d) turn[static_cast<size_t>(d)] = rank - 1 - d;
  expect(transposed(context, transposed(context, layout, turn), turn) == layout,
         "a permutation that is its own inverse leads back", layout);
  int dim = static_cast<int>(in.below(rank));
  const Layout *flat = collapsed(context, layout, dim);
  expect(flat && flat->shape()[static_cast<size_t>(dim)] == 1, "a collapsed dimension is 1", layout);
  int64_t times = 1 + in.below(6);
  if (const Layout *longer = repeated(context, layout, dim, times))
    expect(grouped(context, longer, dim, times) == layout, "grouping what was repeated leads back", layout);
  if (const Layout *blocks = grouped(context, layout, dim, times))
    expect(blocks->shape()[static_cast<size_t>(dim)] * times == shape[static_cast<size_t>(dim)], "grouping divides the extent",
           layout);
  std::vector<int64_t> line{1};
  bool overflows = false;
  for (int64_t extent : shape) overflows |= __builtin_mul_overflow(line[0], extent, &line[0]);
  if (overflows) return;
  if (const Layout *one = reshaped(context, layout, line))
    if (const Layout *back = reshaped(context, one, shape)) expect(back == layout, "reshaping leads back", layout);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes in(data, size);
  Context context;
  const Layout *last = nullptr;
  for (int i = 0; i < 2; ++i) {
    LayoutSpec written = spec(in);
    std::vector<int64_t> extents = shape(in, written);
    written.text();
    LayoutOrError made = makeLayout(context, written, extents);
    if (auto *error = std::get_if<LayoutError>(&made)) {
      if (error->message.empty()) fuzz::fail("a layout was refused without a message", written.text());
      continue;
    }
    const Layout *layout = std::get<const Layout *>(made);
    checkAlgebra(context, in, layout);
    if (isSmall(layout)) checkOwners(layout, written);
    bool alike = last && last->subgroups() == layout->subgroups() &&
                 std::equal(last->shape().begin(), last->shape().end(), layout->shape().begin(), layout->shape().end());
    if (alike)
      expect((movement(last, layout) == Movement::AcrossSubgroups) == (movedBytes(last, layout, 4) > 0),
             "bytes move where elements do", layout);
    last = layout;
  }
  return 0;
}
