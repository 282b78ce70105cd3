#include "ir/context.h"

#include "ir/base/check.h"

#include <deque>
#include <functional>
#include <unordered_map>

namespace xt {
namespace {

void mix(size_t &seed, size_t value) { seed ^= value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2); }
void mixAll(size_t &seed, std::span<const int64_t> values) {
  mix(seed, values.size());
  for (int64_t v : values) mix(seed, static_cast<size_t>(v));
}
void mixFactors(size_t &seed, std::span<const Factor> factors) {
  mix(seed, factors.size());
  for (const Factor &f : factors) {
    mix(seed, static_cast<size_t>(f.extent));
    mix(seed, static_cast<size_t>(f.axis));
    mix(seed, static_cast<size_t>(f.stride));
  }
}

size_t hashType(const TypeData &t) {
  size_t seed = static_cast<size_t>(t.kind) * 31 + static_cast<size_t>(t.elem);
  mixAll(seed, t.shape);
  mix(seed, std::hash<const void *>()(t.layout));
  mix(seed, static_cast<size_t>(t.use) | static_cast<size_t>(t.packed) << 4 | static_cast<size_t>(t.order) << 5 |
                static_cast<size_t>(t.scatter) << 6 | static_cast<size_t>(t.space) << 7 |
                static_cast<size_t>(t.boundaryCheck) << 9);
  mix(seed, static_cast<size_t>(t.chunk));
  mix(seed, static_cast<size_t>(t.memory.kind));
  mixAll(seed, t.memory.strides);
  mixAll(seed, t.memory.permutation);
  return seed;
}

size_t hashLayout(const Layout &l) {
  size_t seed = 17;
  mixAll(seed, l.shape());
  for (int d = 0; d < l.rank(); ++d) mixFactors(seed, l.factors(d));
  mixFactors(seed, l.replication());
  return seed;
}

bool sameFactors(std::span<const Factor> a, std::span<const Factor> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}
bool sameLayout(const Layout &a, const Layout &b) {
  if (a.rank() != b.rank() || !std::equal(a.shape().begin(), a.shape().end(), b.shape().begin())) return false;
  for (int axis = 0; axis < kAxisCount; ++axis)
    if (a.axisSize(static_cast<Axis>(axis)) != b.axisSize(static_cast<Axis>(axis))) return false;
  for (int d = 0; d < a.rank(); ++d)
    if (!sameFactors(a.factors(d), b.factors(d))) return false;
  return sameFactors(a.replication(), b.replication());
}

} // namespace

struct Context::Tables {
  // Deques keep addresses valid; the maps are used for lookup only, so no order depends on a hash.
  std::deque<TypeData> types;
  std::deque<Layout> layouts;
  std::unordered_multimap<size_t, const TypeData *> typeIndex;
  std::unordered_multimap<size_t, const Layout *> layoutIndex;
};

Context::Context() : tables_(std::make_unique<Tables>()) {}
Context::~Context() = default;

Type Context::intern(TypeData data) {
  size_t hash = hashType(data);
  auto [first, last] = tables_->typeIndex.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (*it->second == data) return Type(it->second);
  tables_->types.push_back(std::move(data));
  tables_->typeIndex.emplace(hash, &tables_->types.back());
  return Type(&tables_->types.back());
}

const Layout *Context::intern(Layout layout) {
  size_t hash = hashLayout(layout);
  auto [first, last] = tables_->layoutIndex.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (sameLayout(*it->second, layout)) return it->second;
  tables_->layouts.push_back(std::move(layout));
  tables_->layoutIndex.emplace(hash, &tables_->layouts.back());
  return &tables_->layouts.back();
}

Type Context::scalar(Elem elem) {
  TypeData data;
  data.kind = TypeKind::Scalar;
  data.elem = elem;
  return intern(std::move(data));
}

Type Context::vector(std::vector<int64_t> shape, Elem elem, const Layout *layout) {
  TypeData data;
  data.kind = TypeKind::Vector;
  data.elem = elem;
  data.shape = std::move(shape);
  data.layout = layout;
  return intern(std::move(data));
}

Type Context::tile(std::vector<int64_t> shape, Elem elem, const Layout *layout, Order order, MemorySpace space) {
  TypeData data;
  data.kind = TypeKind::Tile;
  data.elem = elem;
  data.shape = std::move(shape);
  data.layout = layout;
  data.order = order;
  data.space = space;
  return intern(std::move(data));
}

Type Context::memref(std::vector<int64_t> shape, Elem elem, MemorySpace space, MemoryLayout layout) {
  TypeData data;
  data.kind = TypeKind::MemRef;
  data.elem = elem;
  data.shape = std::move(shape);
  data.space = space;
  data.memory = std::move(layout);
  return intern(std::move(data));
}

Type Context::withLayout(Type type, const Layout *layout) {
  XT_CHECK(type.isVector() || type.isTile(), "only vectors and tiles have layouts");
  TypeData data = type.data();
  data.layout = layout;
  return intern(std::move(data));
}

Type Context::withElem(Type type, Elem elem) {
  TypeData data = type.data();
  data.elem = elem;
  return intern(std::move(data));
}

} // namespace xt
