#include "passes/fragment_values.h"

#include "ir/views/names.h"

namespace xt {

std::vector<Value *> FragmentValues::ofAll(std::span<Value *const> values) const {
  std::vector<Value *> all;
  for (const Value *value : values) all.push_back(of(value));
  return all;
}

void FragmentValues::bind(const Value *old, Value *value) {
  if (value->name().empty() && !old->name().empty()) {
    value->setName(old->name());
    value->setRange(old->range());
  }
  values_[old] = value;
}

Type FragmentValues::fragment(const Layout *layout, Elem elem) const {
  return b_.context().vector(layout->ownerShape(Axis::Lane), elem);
}

Type FragmentValues::typeOf(const Value *value) const {
  Type type = value->type();
  if (type.isVector()) return fragment(layouts_.of(value), type.elem());
  if (!type.isWindow()) return type;
  TypeData data = type.data();
  data.layout = nullptr;
  if (type.isTensorDesc())
    data.layout = layouts_.ofBlock(value);
  else if (data.scatter)
    data.shape = layouts_.of(value)->ownerShape(Axis::Lane);
  else
    data.shape = {1, 1}; // lanes share only the position where the tile begins
  return b_.context().intern(std::move(data));
}

Op *FragmentValues::copy(const Op &op, std::vector<Value *> operands, std::vector<Type> results) {
  Op *made = b_.create(op.kind(), std::move(operands), results);
  copyAttrs(op, *made, attr_names::kMode);
  return made;
}

void FragmentValues::repeat(const Op &op) {
  std::vector<Type> types;
  for (size_t i = 0; i < op.resultCount(); ++i) types.push_back(typeOf(op.result(i)));
  Op *made = copy(op, ofAll(op.operands()), std::move(types));
  for (size_t i = 0; i < op.resultCount(); ++i) bind(op.result(i), made->result(i));
}

} // namespace xt
