#include "ir/gpu/product_choice.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op.h"

#include <algorithm>
#include <vector>

namespace xt {
namespace {

// The element type in which a product takes its operands if it does not take them as they are.
Elem multipliedAs(Elem elem) { return isByteFloat(elem) ? Elem::F16 : elem; }

// The element type in which a sum may be kept before it is rounded at the end of the op.
Elem summedAs(Elem elem) { return elem == Elem::F16 || elem == Elem::BF16 ? Elem::F32 : elem; }

bool hasFewerRows(const TargetInfo &target, const MmaShape &shape) {
  MmaShape oneRow = shape;
  oneRow.m = 1;
  return findProduct(target, oneRow) != nullptr;
}

// The instruction for these types, or for sums that are wider than the result; null if there is neither.
const MmaInstruction *productFor(const TargetInfo &target, Elem a, Elem b, Elem result) {
  const MmaInstruction *wider = nullptr;
  for (const MmaInstruction &shape : target.mma) {
    if (!shape.takesValues() || shape.a != a || shape.b != b) continue;
    if (shape.result == result) return &shape;
    if (!wider && shape.result == summedAs(result)) wider = &shape;
  }
  return wider;
}

} // namespace

MmaChoice chooseMma(const TargetInfo &target, const Op &mma) {
  Elem ownA = mma.operand(0)->type().elem(), ownB = mma.operand(1)->type().elem(), result = mma.result()->type().elem();
  Elem a = multipliedAs(ownA), b = multipliedAs(ownB);
  const MmaInstruction *shape = productFor(target, ownA, ownB, result);
  if (!shape) shape = productFor(target, a, b, result);
  if (shape) return {shape, "", hasFewerRows(target, *shape)};
  std::vector<std::string> has;
  for (const MmaInstruction &each : target.mma) {
    if (!each.takesValues()) continue;
    std::string types = str(elemName(each.a), " x ", elemName(each.b), " -> ", elemName(each.result));
    if (std::find(has.begin(), has.end(), types) == has.end()) has.push_back(std::move(types));
  }
  std::string wanted = str(elemName(a), " x ", elemName(b), " -> ", elemName(result));
  if (has.empty()) return {.reason = str(target.name, " has no matrix instructions")};
  return {.reason = str(target.name, " has no matrix instruction for ", wanted, "; it has ", join(has, ", "))};
}

} // namespace xt
