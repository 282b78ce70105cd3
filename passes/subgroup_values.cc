#include "passes/subgroup_values.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"

namespace xt {

Values SubgroupValues::ofAll(std::span<Value *const> values) const {
  Values all;
  for (const Value *value : values) all.insert(all.end(), of(value).begin(), of(value).end());
  return all;
}

Value *SubgroupValues::asPieceOf(const Value *old, Value *value) {
  if (!old->type().isVector() || !hasPieces(old->type())) return value;
  const Layout *lanes = lanesOfPiece(b_.context(), *old->type().layout());
  if (lanes == value->type().layout()) return value;
  return b_.value(OpKind::ConvertLayout, {value}, b_.context().withLayout(value->type(), lanes));
}

void SubgroupValues::bind(const Value *old, Values values) {
  for (size_t k = 0; k < values.size(); ++k) {
    values[k] = asPieceOf(old, values[k]);
    if (!values[k]->name().empty() || old->name().empty()) continue;
    values[k]->setName(values.size() == 1 ? old->name() : str(old->name(), "_", k));
    values[k]->setRange(old->range());
  }
  values_[old] = std::move(values);
}

void SubgroupValues::bindAll(std::span<Value *const> olds, const Values &news) {
  auto next = news.begin();
  for (Value *old : olds) {
    size_t count = hasPieces(old->type()) ? Pieces(old->type()).count() : 1;
    auto end = next + static_cast<std::ptrdiff_t>(count);
    bind(old, Values(next, end));
    next = end;
  }
}

std::vector<Type> subgroupTypes(Context &context, std::span<const Type> types) {
  std::vector<Type> all;
  for (Type type : types) {
    if (!hasPieces(type)) {
      all.push_back(type);
      continue;
    }
    Pieces pieces(type);
    all.insert(all.end(), pieces.count(), pieceType(context, type, pieces));
  }
  return all;
}

} // namespace xt
