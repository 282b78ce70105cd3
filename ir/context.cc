#include "ir/context.h"

#include "ir/base/check.h"
#include "ir/base/hash.h"
#include "ir/elem_kinds.h"

#include <deque>
#include <functional>
#include <unordered_map>

namespace xt {
namespace {

size_t hashType(const TypeData &t) {
  size_t seed = static_cast<size_t>(t.kind) * 31 + static_cast<size_t>(t.elem);
  mixHashes(seed, t.shape);
  mixHashes(seed, t.fragment);
  mixHash(seed, std::hash<const void *>()(t.layout));
  mixHash(seed, static_cast<size_t>(t.matrix.use) | static_cast<size_t>(t.matrix.memory) << 2 |
                    static_cast<size_t>(t.matrix.ofWorkgroup) << 10 | static_cast<size_t>(t.packed) << 4 |
                    static_cast<size_t>(t.order) << 5 | static_cast<size_t>(t.scatter) << 6 |
                    static_cast<size_t>(t.space) << 7 | static_cast<size_t>(t.boundaryCheck) << 9);
  mixHash(seed, static_cast<size_t>(t.chunk));
  mixHash(seed, static_cast<size_t>(t.memory.kind));
  mixHashes(seed, t.memory.strides);
  mixHashes(seed, t.memory.permutation);
  const Swizzle &swizzle = t.memory.swizzle;
  mixHash(seed, static_cast<size_t>(swizzle.bits) | static_cast<size_t>(swizzle.base) << 8 |
                    static_cast<size_t>(swizzle.shift) << 16);
  return seed;
}

} // namespace

struct Context::Types {
  // A deque keeps addresses valid; the map is used for lookup only, so no order depends on a hash.
  std::deque<TypeData> types;
  std::unordered_multimap<size_t, const TypeData *> index;
};

Context::Context() : types_(std::make_unique<Types>()) {}
Context::~Context() = default;

Type Context::intern(TypeData data) {
  size_t hash = hashType(data);
  auto [first, last] = types_->index.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (*it->second == data) return Type(it->second);
  types_->types.push_back(std::move(data));
  types_->index.emplace(hash, &types_->types.back());
  return Type(&types_->types.back());
}

Type Context::scalar(Elem elem) {
  TypeData data;
  data.kind = TypeKind::Scalar;
  data.elem = elem;
  return intern(std::move(data));
}

Type Context::i1() { return scalar(Elem::I1); }

Type Context::ofKind(TypeKind kind) {
  TypeData data;
  data.kind = kind;
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

Type Context::plain(Type type) {
  if (!type || type.isPlain()) return type;
  TypeData data = type.data();
  data.matrix = {};
  data.fragment.clear();
  return intern(std::move(data));
}

} // namespace xt
