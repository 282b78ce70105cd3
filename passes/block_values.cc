#include "passes/block_values.h"

#include "ir/base/text.h"
#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/lane_fragments.h"

namespace xt {

Values BlockValues::ofAll(std::span<Value *const> values) const {
  Values all;
  for (const Value *value : values) all.insert(all.end(), of(value).begin(), of(value).end());
  return all;
}

Value *BlockValues::inStatedLayout(const Value *old, size_t k, Value *block) {
  if (!old->type().isVector()) return block;
  const Layout *stated = blockType(old, k).layout();
  if (stated == block->type().layout()) return block;
  return conversion_.convert(block, stated, false);
}

void BlockValues::bind(const Value *old, Values values) {
  for (size_t k = 0; k < values.size(); ++k) {
    values[k] = inStatedLayout(old, k, values[k]);
    if (!values[k]->name().empty() || old->name().empty()) continue;
    values[k]->setName(values.size() == 1 ? old->name() : str(old->name(), "_", k));
    values[k]->setRange(old->range());
  }
  values_[old] = std::move(values);
}

void BlockValues::bindAll(std::span<Value *const> olds, const Values &news) {
  auto next = news.begin();
  for (Value *old : olds) {
    auto end = next + static_cast<std::ptrdiff_t>(typesOf(old).size());
    bind(old, Values(next, end));
    next = end;
  }
}

std::vector<Type> BlockValues::typesOf(const Value *value) const {
  Context &context = b_.context();
  Type type = value->type();
  if (type.isTile() && roots_.root(value) && !isScatter(value)) return {context.index(), context.index()};
  if (!type.isVector() && !type.isTile()) return {type};
  std::vector<Type> types;
  for (size_t k = 0; k < classes_.grid(value).count(); ++k) {
    std::vector<int64_t> shape = classes_.grid(value).shape(k);
    if (type.isVector()) {
      types.push_back(blockType(value, k));
    } else if (roots_.root(value)) {
      const Layout *lanes = classes_.layout(value, shape);
      types.push_back(context.vector(std::move(shape), Elem::Index, lanes));
    } else {
      TypeData data = type.data();
      data.layout = classes_.layout(value, shape);
      data.shape = std::move(shape);
      types.push_back(context.intern(std::move(data)));
    }
  }
  return types;
}

Type BlockValues::blockType(const Value *value, size_t k) const {
  std::vector<int64_t> shape = classes_.grid(value).shape(k);
  Elem elem = value->type().elem();
  const Layout *layout = classes_.layout(value, shape);
  if (classes_.packed(value)) {
    if (layout) layout = packedLayout(b_.context(), layout, vnniFactorOf(elem));
    shape = packedShape(shape, elem);
  }
  return b_.context().vector(std::move(shape), elem, layout);
}

Op *BlockValues::copy(const Op &op, Values operands, const std::vector<Type> &results) {
  Op *made = b_.create(op.kind(), std::move(operands), results);
  copyAttrs(op, *made);
  return made;
}

std::vector<int64_t> packedShape(const std::vector<int64_t> &shape, Elem elem) {
  int64_t factor = 32 / elemInfo(elem).bits;
  return {shape[0] / factor, shape[1], factor};
}

} // namespace xt
