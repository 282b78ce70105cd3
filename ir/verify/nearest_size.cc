#include "ir/verify/nearest_size.h"

#include "ir/base/text.h"
#include "ir/gpu/block_rules.h"

#include <algorithm>
#include <initializer_list>

namespace xt {
namespace {

// The distance of a candidate from the wanted sizes: the product of the factors by which they differ. If two candidates have
// equal factors, the smaller candidate is nearer.
struct Distance {
  double factor = 1, size = 1;
  Distance(std::initializer_list<std::pair<int64_t, int64_t>> wantedAndThere) {
    for (auto [wanted, there] : wantedAndThere) {
      auto a = static_cast<double>(std::max<int64_t>(wanted, 1)), b = static_cast<double>(there);
      factor *= std::max(a, b) / std::min(a, b);
      size *= b;
    }
  }
  bool operator<(const Distance &other) const { return factor != other.factor ? factor < other.factor : size < other.size; }
};

// Compares candidates and keeps the nearest one; the first of several equally near ones.
template <class T> class Nearest {
public:
  void offer(const Distance &distance, const T &candidate) {
    if (any_ && !(distance < distance_)) return;
    any_ = true;
    best_ = candidate;
    distance_ = distance;
  }
  std::optional<T> best() const { return any_ ? std::optional(best_) : std::nullopt; }
  const T &one() const { return best_; } // requires that a candidate was offered

private:
  bool any_ = false;
  T best_{};
  Distance distance_{};
};

} // namespace

std::optional<BlockSize> nearestBlock(const TargetInfo &target, BlockUse use, int bits, BlockSize wanted) {
  Nearest<BlockSize> nearest;
  for (const BlockShape &shape : target.blockShapes) {
    if (shape.use != use || shape.bits != bits) continue;
    for (int64_t rows = 1; rows <= shape.mostRows; rows *= 2)
      for (int64_t blocks = shape.fewestBlocks; blocks <= shape.blocks; blocks *= 2) {
        BlockSize size{rows, blocks * shape.columns};
        if (blockMessage(target, use, bits, size.rows, size.columns))
          nearest.offer({{wanted.rows, size.rows}, {wanted.columns, size.columns}}, size);
      }
  }
  return nearest.best();
}

std::optional<int64_t> nearestLine(const TargetInfo &target, int64_t elements, int64_t elementBytes) {
  Nearest<int64_t> nearest;
  for (int64_t count = 1; count * elementBytes <= target.lineBytes; ++count)
    if (lineAlignment(target, count * elementBytes)) nearest.offer({{elements, count}}, count);
  return nearest.best();
}

const MmaShape &nearestProduct(std::span<const MmaShape> shapes, const MmaShape &wanted) {
  Nearest<const MmaShape *> nearest;
  for (const MmaShape &shape : shapes) nearest.offer({{wanted.m, shape.m}, {wanted.n, shape.n}, {wanted.k, shape.k}}, &shape);
  return *nearest.one();
}

int64_t nearestOf(std::span<const int64_t> choices, int64_t wanted) {
  Nearest<int64_t> nearest;
  for (int64_t choice : choices) nearest.offer({{wanted, choice}}, choice);
  return nearest.one();
}

std::string nearestLanesText(const Kernel &kernel, std::span<const int64_t> sizes) {
  std::vector<const Layout *> layouts; // those for the kernel's lanes, in the order of the text
  auto note = [&](const Value &value) {
    const Layout *layout = value.type().layout();
    if (!layout || layout->axisSize(Axis::Lane) != kernel.lanes) return;
    if (std::ranges::find(layouts, layout) == layouts.end()) layouts.push_back(layout);
  };
  walk(kernel.body, [&](const Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i) note(*op.result(i));
  });
  std::string text = str("`lanes(", nearestOf(sizes, kernel.lanes), ")` is the nearest that works");
  if (layouts.empty()) return text;
  constexpr size_t kMostNamed = 2;
  std::vector<std::string> names;
  for (const Layout *layout : std::span(layouts).first(std::min(kMostNamed, layouts.size()))) names.push_back(layout->text());
  return str(text, "; ", layouts.size(), layouts.size() == 1 ? " layout is" : " layouts are", " for ", kernel.lanes,
             " lanes: ", join(names, ", "), layouts.size() > kMostNamed ? " …" : "");
}

} // namespace xt
