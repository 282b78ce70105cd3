#include "targets/run/check.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/integer_text.h"
#include "targets/run/chunk.h"
#include "targets/run/eval.h"

#include <charconv>
#include <limits>
#include <mutex>

namespace xt {

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();

bool isFloatElem(const std::optional<Elem> &elem) { return elem && isFloat(*elem); }

// The exact value of an element of an integer array.
__int128 exact(const HostArray &array, int64_t i) {
  return array.elem == Elem::U64 ? __int128{static_cast<uint64_t>(array.ints[i])} : __int128{array.ints[i]};
}

std::vector<int64_t> withoutOnes(std::vector<int64_t> shape) {
  std::erase(shape, 1);
  return shape;
}
} // namespace

Result<Comparison> Comparison::make(const EvalSite &site, const HostArray &left, const HostArray &right,
                                    const HostStmt &check) {
  if (right.shape != left.shape && !right.shape.empty())
    return site.fail(DiagCode::HostShapeMismatch,
                     str("the sides of a check must have the same shape; the left is ", shapeWords(left.shape), ", the right ",
                         shapeWords(right.shape),
                         withoutOnes(left.shape) == withoutOnes(right.shape)
                             ? ": a reduction keeps its dimension with extent 1, which an index `[0]` or `reshape` removes"
                             : ""));
  Comparison comparison;
  comparison.left_ = &left;
  comparison.right_ = &right;
  comparison.tolerance_ = check.tolerance;
  comparison.ulp_ = check.ulp;
  comparison.rtol_ = check.rtol;
  comparison.atol_ = check.atol;
  return comparison;
}

double Comparison::expectedErrorAt(int64_t i) const {
  if (right_->literal && left_->wide) return 0; // a kernel in f64 does not round it
  return right_->errorAt(right_->count() == 1 ? 0 : i);
}

double Comparison::expectedAt(int64_t i) const {
  double value = right_->valueAt(right_->count() == 1 ? 0 : i);
  if (!isFloatElem(left_->elem) || elemInfo(*left_->elem).specials != FloatSpecials::None) return value;
  double most = largestNumber(*left_->elem);
  return std::isnan(value) ? most : std::clamp(value, -most, most);
}

double Comparison::boundAt(int64_t i) const {
  double expected = expectedAt(i);
  switch (tolerance_) {
  case HostStmt::Tolerance::Exactly: return 0;
  case HostStmt::Tolerance::RelAbs: return atol_ + rtol_ * std::fabs(expected);
  case HostStmt::Tolerance::Ulp: {
    Elem type = isFloatElem(left_->elem) ? *left_->elem : left_->wide || right_->wide ? Elem::F64 : Elem::F32;
    return ulp_ * (left_->integer ? 1 : ulpAt(elemInfo(type), std::fabs(expected)));
  }
  case HostStmt::Tolerance::Derived: break;
  }
  double error = left_->errorAt(i) + expectedErrorAt(i);
  if (!isFloatElem(left_->elem)) return error;
  // A kernel's value is within the error and is then rounded, which adds at most half an ulp. Without an error, it is rounded
  // exactly as the expected value is.
  if (error == 0) return std::fabs(roundTo(*left_->elem, expected) - expected);
  return error + ulpAt(elemInfo(*left_->elem), std::fabs(expected) + error) / 2;
}

bool Comparison::integersPass(int64_t i) const {
  __int128 got = exact(*left_, i), expected = exact(*right_, right_->count() == 1 ? 0 : i);
  if (got == expected) return true;
  double error = tolerance_ == HostStmt::Tolerance::Exactly ? 0 : boundAt(i);
  return error > 0 && std::fabs(static_cast<double>(got - expected)) <= error;
}

bool Comparison::wouldPass(double got, int64_t i) const {
  double expected = expectedAt(i);
  bool isTyped = isFloatElem(left_->elem);
  // In a type without infinities, a value may round to NaN: then NaN passes.
  if (got != got) return expected != expected || (isTyped && std::isnan(roundTo(*left_->elem, expected)));
  if (expected != expected) return false;
  if (tolerance_ == HostStmt::Tolerance::Exactly) return got == (isTyped ? roundTo(*left_->elem, expected) : expected);
  if (got == expected) return true;
  if (std::isinf(expected)) return false;
  double bound = boundAt(i);
  if (std::isinf(got)) {
    // A value close enough to the expected one may overflow when it is rounded.
    double error = tolerance_ == HostStmt::Tolerance::Derived ? expectedErrorAt(i) : bound;
    return isTyped && roundTo(*left_->elem, expected + std::copysign(error, got)) == got;
  }
  return !(std::fabs(got - expected) > bound);
}

Verdict Comparison::at(int64_t i) const {
  Verdict verdict;
  verdict.got = left_->valueAt(i);
  verdict.expected = expectedAt(i);
  verdict.bound = boundAt(i);
  verdict.difference = verdict.got == verdict.expected ? 0 : std::fabs(verdict.got - verdict.expected);
  if (integers())
    verdict.difference = std::fabs(static_cast<double>(exact(*left_, i) - exact(*right_, right_->count() == 1 ? 0 : i)));
  verdict.passes = integers() ? integersPass(i) : wouldPass(verdict.got, i);
  return verdict;
}

std::string Comparison::toleranceText() const {
  switch (tolerance_) {
  case HostStmt::Tolerance::Derived: return "derived from the expression";
  case HostStmt::Tolerance::Exactly: return "exactly";
  case HostStmt::Tolerance::Ulp: return str("within ulp = ", ulp_);
  case HostStmt::Tolerance::RelAbs: return str("within rtol = ", rtol_, ", atol = ", atol_);
  }
  XT_UNREACHABLE("tolerance");
}

namespace {
// Severity of a failing element: the difference, in units of the bound where the bound is nonzero.
double badness(const Verdict &verdict) {
  if (!(verdict.difference < kInf)) return kInf;
  return verdict.bound > 0 ? verdict.difference / verdict.bound : verdict.difference / std::numeric_limits<double>::min();
}

struct Partial {
  CompareResult result;
  double worst = -1;
  void add(int64_t i, const Verdict &verdict) {
    if (verdict.passes) {
      if (verdict.bound > 0 && verdict.bound < kInf && verdict.difference < kInf)
        result.worstRatio = std::max(result.worstRatio, verdict.difference / verdict.bound);
      return;
    }
    if (result.different++ == 0) result.first = i;
    if (double bad = badness(verdict); bad > worst) worst = bad, result.worst = i;
  }
  // `later` must cover higher indices.
  void merge(const Partial &later) {
    if (result.first < 0) result.first = later.result.first;
    if (later.worst > worst) worst = later.worst, result.worst = later.result.worst;
    result.different += later.result.different;
    result.worstRatio = std::max(result.worstRatio, later.result.worstRatio);
  }
};
} // namespace

CompareResult compareAll(const Comparison &comparison, int threads) {
  constexpr int64_t kPiece = 1 << 16;
  int64_t count = comparison.count(), pieces = (count + kPiece - 1) / kPiece;
  std::vector<Partial> partial(static_cast<size_t>(pieces));
  parallelFor(pieces, 1, threads, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p)
      for (int64_t i = p * kPiece; i < std::min(count, (p + 1) * kPiece); ++i)
        partial[static_cast<size_t>(p)].add(i, comparison.at(i));
  });
  Partial total;
  for (const Partial &piece : partial) total.merge(piece);
  total.result.compared = count;
  return total.result;
}

bool allPass(const Comparison &comparison) {
  for (int64_t i = 0; i < comparison.count(); ++i)
    if (!comparison.at(i).passes) return false;
  return true;
}

Result<Elements<uint8_t>> failureMask(const Comparison &comparison, MemoryBudget &budget, int threads) {
  auto mask = Elements<uint8_t>::make(budget, comparison.count(), "the map of differences");
  if (!mask) return mask;
  parallelFor(comparison.count(), 1 << 16, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) (*mask)[i] = comparison.at(i).passes ? 0 : 1;
  });
  return mask;
}

std::string valueText(double value, std::optional<Elem> elem) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (elem && isInteger(*elem)) return str(static_cast<int64_t>(value));
  char text[40];
  bool narrow = elem && elemInfo(*elem).precision <= 24;
  auto end = narrow ? std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr
                    : std::to_chars(text, text + sizeof text, value, std::chars_format::general, 9).ptr;
  return std::string(text, end);
}

std::string elementText(const HostArray &array, int64_t i) {
  if (!array.integer) return valueText(array.values[i], array.elem);
  return integerText(array.elem.value_or(Elem::I64), array.ints[i]);
}

} // namespace xt
