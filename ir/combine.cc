#include "ir/combine.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/shared.h"

#include <limits>

namespace xt {
namespace {

struct Row {
  std::string_view kind;
  std::optional<OpKind> floats, ints;
};
constexpr Row kRows[] = {
    {"add", OpKind::AddF, OpKind::AddI},
    {"addf", OpKind::AddF, {}},
    {"addi", {}, OpKind::AddI},
    {"mul", OpKind::MulF, OpKind::MulI},
    {"mulf", OpKind::MulF, {}},
    {"muli", {}, OpKind::MulI},
    {"minsi", {}, OpKind::MinSI},
    {"mins", {}, OpKind::MinSI},
    {"minui", {}, OpKind::MinUI},
    {"minu", {}, OpKind::MinUI},
    {"maxsi", {}, OpKind::MaxSI},
    {"maxs", {}, OpKind::MaxSI},
    {"maxui", {}, OpKind::MaxUI},
    {"maxu", {}, OpKind::MaxUI},
    {"and", {}, OpKind::AndI},
    {"andi", {}, OpKind::AndI},
    {"or", {}, OpKind::OrI},
    {"ori", {}, OpKind::OrI},
    {"xor", {}, OpKind::XorI},
    {"xori", {}, OpKind::XorI},
    {"minnumf", OpKind::MinNumF, {}},
    {"maxnumf", OpKind::MaxNumF, {}},
    {"minimumf", OpKind::MinimumF, {}},
    {"maximumf", OpKind::MaximumF, {}},
};

// The smallest or largest integer with the bits of `elem`, compared as signed or unsigned (as the op compares, whatever the
// signedness of `elem`). Returned as a value of `elem`.
int64_t extreme(Elem elem, bool isSigned, bool largest) {
  int bits = elemInfo(elem).bits;
  uint64_t top = uint64_t{1} << (bits - 1), all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  uint64_t image = isSigned ? (largest ? all & ~top : top) : (largest ? all : 0);
  return wrapTo(elem, static_cast<int64_t>(image));
}

} // namespace

std::optional<OpKind> combiningOp(std::string_view kind, Elem elem) {
  for (const Row &row : kRows)
    if (row.kind == kind && !isStorageFloat(elem)) return isFloat(elem) ? row.floats : row.ints;
  return std::nullopt;
}

std::optional<OpKind> combiningOp(const Op &op) {
  if (op.kind() == OpKind::AtomicCas) return std::nullopt;
  return combiningOp(SharedAttrs(op).kind(), op.result()->type().elem());
}

AttrValue combiningIdentity(OpKind op, Elem elem) {
  constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  // If a type has no infinity, its largest number is used: infinity would be rounded to NaN, which minimumf propagates.
  double most = hasInfinity(elem) ? kInf : largestNumber(elem);
  if (op == OpKind::AddF) return -0.0; // 0.0 + -0.0 is 0.0, and -0.0 + -0.0 is -0.0
  if (op == OpKind::MulF) return 1.0;
  if (op == OpKind::MinimumF) return most;
  if (op == OpKind::MaximumF) return -most;
  if (op == OpKind::MinNumF || op == OpKind::MaxNumF) return kNan; // these ops return the other operand
  if (op == OpKind::AddI || op == OpKind::OrI || op == OpKind::XorI) return int64_t{0};
  if (op == OpKind::MulI) return wrapTo(elem, 1);
  if (op == OpKind::AndI) return wrapTo(elem, -1);
  if (op == OpKind::MinSI || op == OpKind::MaxSI) return extreme(elem, true, op == OpKind::MinSI);
  if (op == OpKind::MinUI || op == OpKind::MaxUI) return extreme(elem, false, op == OpKind::MinUI);
  XT_UNREACHABLE("an op that combines nothing");
}

bool combiningRounds(OpKind op) { return op == OpKind::AddF || op == OpKind::MulF; }

Elem reductionElem(OpKind op, Elem elem) { return combiningRounds(op) && elemInfo(elem).bits <= 16 ? Elem::F32 : elem; }

} // namespace xt
