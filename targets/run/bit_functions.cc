#include "targets/run/bit_functions.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "targets/run/chunk.h"

#include <limits>

namespace xt {

namespace {
bool isUnsignedFunction(HostFn fn) {
  return fn == HostFn::ShiftRightUnsigned || fn == HostFn::QuotientUnsigned || fn == HostFn::QuotientUnsignedUp ||
         fn == HostFn::RemainderUnsigned || fn == HostFn::MaxUnsigned || fn == HostFn::MinUnsigned;
}
bool isShift(HostFn fn) { return fn == HostFn::ShiftLeft || fn == HostFn::ShiftRight || fn == HostFn::ShiftRightUnsigned; }

// The bits of a value in its type, as an unsigned number; nullopt for a negative value without a type.
std::optional<uint64_t> bitsOf(int64_t value, std::optional<Elem> elem) {
  if (value >= 0) return static_cast<uint64_t>(value);
  if (!elem) return std::nullopt;
  int bits = elemInfo(*elem).bits;
  uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return static_cast<uint64_t>(value) & mask;
}

enum class Fault : uint8_t { None, ByZero, Shift, Overflow, Negative };

Fault shifted(HostFn fn, int64_t x, int64_t y, int64_t *out) {
  if (y < 0 || y > 63) return Fault::Shift;
  if (fn == HostFn::ShiftRight) return *out = x >> y, Fault::None;
  *out = static_cast<int64_t>(static_cast<uint64_t>(x) << y);
  return *out >> y == x ? Fault::None : Fault::Overflow;
}

// The common element type of both operands, if there is one: a plain number takes the other operand's type if it fits.
std::optional<Elem> commonElem(const HostArray &a, const HostArray &b) {
  if (a.elem == b.elem) return a.elem;
  if (a.elem && b.elem) return std::nullopt;
  const HostArray &plain = a.elem ? b : a;
  Elem elem = a.elem ? *a.elem : *b.elem;
  return plain.count() == 1 && fitsInteger(elem, plain.ints[0]) ? std::optional(elem) : std::nullopt;
}

class BitFunction {
public:
  BitFunction(HostFn fn, const HostArray &a, const HostArray &b)
      : fn_(fn), elemA_(a.elem), elemB_(b.elem), elem_(isShift(fn) ? a.elem : commonElem(a, b)) {}

  std::optional<Elem> resultElem() const { return fn_ == HostFn::ShiftLeft ? std::nullopt : elem_; }

  Fault operator()(int64_t x, int64_t y, int64_t *out) const {
    if (isUnsignedFunction(fn_)) return unsignedOf(x, y, out);
    if (isShift(fn_)) return shifted(fn_, x, y, out);
    *out = fn_ == HostFn::AndBits ? x & y : fn_ == HostFn::OrBits ? x | y : x ^ y;
    return Fault::None;
  }

private:
  Fault unsignedOf(int64_t x, int64_t y, int64_t *out) const {
    if (fn_ == HostFn::ShiftRightUnsigned && (y < 0 || y > 63)) return Fault::Shift;
    std::optional<uint64_t> a = bitsOf(x, elemA_ ? elemA_ : elem_), b = bitsOf(y, elemB_ ? elemB_ : elem_);
    if (!a || !b) return Fault::Negative;
    bool divides = fn_ == HostFn::QuotientUnsigned || fn_ == HostFn::QuotientUnsignedUp || fn_ == HostFn::RemainderUnsigned;
    if (divides && *b == 0) return Fault::ByZero;
    uint64_t bits = 0;
    if (fn_ == HostFn::ShiftRightUnsigned) bits = *a >> *b;
    if (fn_ == HostFn::QuotientUnsigned) bits = *a / *b;
    if (fn_ == HostFn::QuotientUnsignedUp) bits = *a / *b + (*a % *b != 0);
    if (fn_ == HostFn::RemainderUnsigned) bits = *a % *b;
    if (fn_ == HostFn::MaxUnsigned) bits = std::max(*a, *b);
    if (fn_ == HostFn::MinUnsigned) bits = std::min(*a, *b);
    auto value = static_cast<int64_t>(bits);
    if (!elem_ && value < 0) return Fault::Overflow;
    *out = elem_ ? wrapTo(*elem_, value) : value;
    return Fault::None;
  }

  HostFn fn_;
  std::optional<Elem> elemA_, elemB_, elem_;
};

std::string faultText(Fault fault, HostFn fn) {
  switch (fault) {
  case Fault::None: break;
  case Fault::ByZero: return str("`", spelling(fn), "` by zero");
  case Fault::Shift: return str("`", spelling(fn), "` can shift only by 0 to 63 bits");
  case Fault::Overflow: return str("the result of `", spelling(fn), "` does not fit 64 bits");
  case Fault::Negative:
    return str("`", spelling(fn), "` needs the width of a negative number: give it a type, such as cast(x, i32)");
  }
  XT_UNREACHABLE("fault");
}

Error mistake(const EvalSite &site, HostFn fn, Fault fault, const HostArray &out, int64_t at) {
  std::string where = out.shape.empty() ? "" : ", at index " + indexText(indexOf(at, out.shape));
  DiagCode code = fault == Fault::Overflow ? DiagCode::HostIntegerOverflow : DiagCode::HostBadArgument;
  return site.fail(code, faultText(fault, fn) + where);
}
} // namespace

bool isBitFunction(HostFn fn) {
  return isUnsignedFunction(fn) || isShift(fn) || fn == HostFn::AndBits || fn == HostFn::OrBits || fn == HostFn::XorBits;
}

Result<HostArray> applyBitFunction(const EvalSite &site, HostFn fn, const HostArray &a, const HostArray &b,
                                   std::vector<int64_t> shape) {
  if (!a.integer || !b.integer)
    return site.fail(DiagCode::HostBadArgument, str("`", spelling(fn), "` takes integers, but this is a float"));
  bool withErrors = !a.exact() || !b.exact();
  auto out = makeArray(site.budget, std::move(shape), true, withErrors);
  if (!out) return out;
  BitFunction function(fn, a, b);
  out->elem = function.resultElem();
  FirstIndex failed;
  const std::span<const int64_t> shapes[] = {a.shape, b.shape};
  forEachRun(out->shape, shapes, site.threads, [&](const BroadcastRun &run) {
    for (int64_t i = 0; i < run.count; ++i) {
      int64_t p = run.offset[0] + i * run.step[0], q = run.offset[1] + i * run.step[1], to = run.out + i;
      if (function(a.ints[p], b.ints[q], &out->ints[to]) != Fault::None) return failed.put(to);
      if (!withErrors) continue;
      bool open = a.errorAt(p) > 0 || b.errorAt(q) > 0;
      out->errors[to] = open ? std::numeric_limits<double>::infinity() : 0;
    }
  });
  if (failed.get() < 0) return out;
  std::vector<int64_t> index = indexOf(failed.get(), out->shape);
  auto operand = [&](const HostArray &x) {
    std::vector<int64_t> strides = broadcastStrides(x.shape, out->shape);
    int64_t offset = 0;
    for (size_t d = 0; d < strides.size(); ++d) offset += index[d] * strides[d];
    return x.ints[offset];
  };
  int64_t ignored = 0;
  return mistake(site, fn, function(operand(a), operand(b), &ignored), *out, failed.get());
}

} // namespace xt
