#include "ir/gpu/product_choice.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op.h"

#include <algorithm>
#include <vector>

namespace xt {
namespace {

// The element type in which a product takes its operands.
Elem multipliedAs(Elem elem) { return isByteFloat(elem) ? Elem::F16 : elem; }

// The element type in which a sum may be kept before it is rounded at the end of the op.
Elem summedAs(Elem elem) { return elem == Elem::F16 || elem == Elem::BF16 ? Elem::F32 : elem; }

bool hasFewerRows(const TargetInfo &target, const MmaShape &shape) {
  MmaShape oneRow = shape;
  oneRow.m = 1;
  return findProduct(target, oneRow) != nullptr;
}

} // namespace

MmaChoice chooseMma(const TargetInfo &target, const Op &mma) {
  Elem a = multipliedAs(mma.operand(0)->type().elem()), b = multipliedAs(mma.operand(1)->type().elem());
  Elem result = mma.result()->type().elem();
  std::vector<std::string> has;
  const MmaShape *wider = nullptr;
  for (const MmaInstruction &shape : target.mma) {
    if (!shape.takesValues()) continue;
    if (shape.a == a && shape.b == b && shape.result == result) return {&shape, "", hasFewerRows(target, shape)};
    if (!wider && shape.a == a && shape.b == b && shape.result == summedAs(result)) wider = &shape;
    std::string types = str(elemName(shape.a), " x ", elemName(shape.b), " -> ", elemName(shape.result));
    if (std::find(has.begin(), has.end(), types) == has.end()) has.push_back(std::move(types));
  }
  if (wider) return {wider, "", hasFewerRows(target, *wider)};
  std::string wanted = str(elemName(a), " x ", elemName(b), " -> ", elemName(result));
  if (has.empty()) return {.reason = str(target.name, " has no matrix instructions")};
  return {.reason = str(target.name, " has no matrix instruction for ", wanted, "; it has ", join(has, ", "))};
}

} // namespace xt
