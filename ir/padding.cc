#include "ir/padding.h"

#include "ir/elem_kinds.h"
#include "ir/views/tile.h"

namespace xt {

Value *paddingOf(Builder &build, const Op &load, Type type) {
  const AttrValue *padding = LoadTileOp(load).padding();
  const double *number = padding ? std::get_if<double>(padding) : nullptr;
  const int64_t *integer = padding ? std::get_if<int64_t>(padding) : nullptr;
  if (!isFloat(type.elem())) return build.constantInt(type, integer ? *integer : 0);
  return build.constantFloat(type, number ? *number : integer ? static_cast<double>(*integer) : 0);
}

} // namespace xt
