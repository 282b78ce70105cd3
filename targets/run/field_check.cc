#include "targets/run/field_check.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/run/check.h"
#include "targets/run/verify.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace xt {

namespace {
constexpr size_t kBefore = ~size_t{0};

// Calls visit(address, linear index) for each element of a buffer.
template <class Visit> void forEachAddress(const TestBuffer &buffer, Visit visit) {
  const BufferPlan &plan = buffer.device->plan();
  int64_t count = 1, bytes = elemInfo(plan.elem).storageBytes;
  for (int64_t size : plan.sizes) count *= size;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int64_t> index = indexOf(i, plan.sizes);
    int64_t place = 0;
    for (size_t d = 0; d < index.size(); ++d) place += index[d] * plan.strides[d];
    visit(buffer.device->data() + place * bytes, i);
  }
}

std::string numberText(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}
} // namespace

Result<Elements<FieldValue>> FieldCheck::contentOf(const TestBuffer &buffer) const {
  auto content = makeFieldValues(state_.site().budget, *elementCount(buffer.sizes));
  if (!content) return content;
  forEachAddress(buffer,
                 [&](const std::byte *p, int64_t i) { (*content)[i] = arithmetic_.inMemory(buffer.stmt->type.elem, p); });
  return content;
}

void FieldCheck::forgetMemory() {
  arithmetic_.forgetMemory();
  state_.site().budget.give(std::exchange(reserved_, 0));
}

// Reserves memory for the elements of all floats of all buffers, because the launches may store every one of them.
Result<void> FieldCheck::reserveMemory() {
  int64_t floats = 0;
  for (const auto &buffer : state_.buffers())
    if (isFloat(buffer->stmt->type.elem)) floats += *elementCount(buffer->sizes);
  MemoryBudget &budget = state_.site().budget;
  int64_t bytes = floats * FieldArithmetic::kBytesPerElement;
  if (!budget.take(bytes)) return outOfMemory("the elements of the field in buffers", bytes, budget);
  reserved_ = bytes;
  return {};
}

Result<void> FieldCheck::declareInputs() {
  forgetMemory();
  contents_.clear();
  if (auto reserved = reserveMemory(); !reserved) return reserved;
  uint64_t number = 0;
  for (const auto &buffer : state_.buffers()) {
    ++number;
    Elem elem = buffer->stmt->type.elem;
    HostFn fn = buffer->stmt->value.fn;
    if (!isFloat(elem)) continue;
    if (fn == HostFn::Random || fn == HostFn::Ints)
      forEachAddress(*buffer, [&](const std::byte *p, int64_t i) {
        arithmetic_.setMemory(elem, p, fieldUnknown(loadFloat(elem, p), number, static_cast<uint64_t>(i)));
      });
    if (auto kept = keep(*buffer, kBefore); !kept) return kept;
  }
  return {};
}

Result<void> FieldCheck::keep(const TestBuffer &buffer, size_t launch) {
  if (!isFloat(buffer.stmt->type.elem)) return {};
  auto content = contentOf(buffer);
  if (!content) return content.error();
  contents_[{buffer.stmt->name, launch}] = std::move(*content);
  return {};
}

const Elements<FieldValue> &FieldCheck::fieldContent(const TestBuffer &buffer, size_t position, bool before) {
  std::optional<size_t> writer = before ? std::nullopt : TestState::writerBefore(buffer, position);
  return contents_[{buffer.stmt->name, writer.value_or(kBefore)}];
}

Result<std::vector<CheckReport>> FieldCheck::verify() {
  std::vector<CheckReport> reports;
  for (size_t p = 0; p < test_.body.size(); ++p) {
    const HostStmt &stmt = test_.body[p];
    if (stmt.kind != HostStmt::Kind::Check || state_.usesUnwritten(stmt.left) || state_.usesUnwritten(stmt.right)) continue;
    auto report = check(stmt, p);
    if (!report) return report.error();
    reports.push_back(std::move(*report));
  }
  return reports;
}

// The type whose constants the literals of a check stand for. A kernel that computes in f64 has constants of f64.
Elem FieldCheck::literalsOf(const HostStmt &stmt, const HostArray &left, const HostArray &right) {
  bool wide = left.wide || right.wide;
  for (const HostExpr *side : {&stmt.left, &stmt.right})
    for (const std::string &name : state_.buffersIn(*side, true)) wide |= state_.find(name)->stmt->type.elem == Elem::F64;
  return wide ? Elem::F64 : Elem::F32;
}

namespace {
// Two results that agree to this part of the largest one differ in f64 by rounding only.
constexpr double kRoundingOfF64 = 0x1p-44;
// What is smaller than the largest result by this factor is less than any f32 can add to it: exponentials of very small numbers,
// which kernels count as 0.
constexpr double kNothing = 0x1p-126;
} // namespace

// Why results that f64 does not distinguish may differ in the field.
std::string_view FieldCheck::whyOnlyInField() const {
  if (arithmetic_.takesLogarithms()) return "the field knows no identities of logarithms, such as exp(log(x)) = x";
  if (arithmetic_.takesExponentials()) return "the difference is an exponential that is too small to count";
  return "equal numbers may be different elements of the field, which comparisons and bits of numbers do not tell apart";
}

Result<CheckReport> FieldCheck::check(const HostStmt &stmt, size_t position) {
  // The ordinary evaluation reports errors of the test.
  state_.setTrackErrors(false);
  auto left = state_.evaluate(stmt.left, position);
  auto right = state_.evaluate(stmt.right, position);
  state_.setTrackErrors(true);
  if (!left || !right) return left ? right.error() : left.error();
  if (auto fits = Comparison::make(state_.siteAt(stmt.range), *left, *right, stmt); !fits) return fits.error();

  Elem literals = literalsOf(stmt, *left, *right);
  auto got = evaluateInField(stmt.left, position, test_, state_, *this, literals);
  if (!got) return got.error();
  auto expected = evaluateInField(stmt.right, position, test_, state_, *this, literals);
  if (!expected) return expected.error();
  auto mask = Elements<uint8_t>::make(state_.site().budget, got->count(), "the map of differences");
  if (!mask) return mask.error();
  CheckReport report;
  report.range = stmt.range;
  report.tolerance = "none: both sides must be equal in a finite field of about 2^61 elements";
  report.compared = got->count();
  double largest = 0, scale = 0;
  int64_t first = -1;
  for (int64_t i = 0; i < got->count(); ++i) {
    FieldValue a = got->at(i), b = expected->at(expected->count() == 1 ? 0 : i);
    (*mask)[i] = sameField(a, b) ? 0 : 1;
    scale = std::max(scale, std::fabs(b.real));
    if (!(*mask)[i]) continue;
    if (report.different++ == 0) first = i;
    double difference = std::fabs(a.real - b.real);
    largest = difference <= largest ? largest : difference;
  }
  report.passed = report.different == 0;
  if (report.passed) return report;
  const bool logarithms = arithmetic_.takesLogarithms();
  if (largest <= (logarithms ? kRoundingOfF64 : kNothing) * scale) {
    report.passed = true;
    report.different = 0;
    report.notes.push_back(str("equal in f64, but not in the field: ", whyOnlyInField()));
    return report;
  }
  FieldValue a = got->at(first), b = expected->at(expected->count() == 1 ? 0 : first);
  ElementReport &element = report.first.emplace();
  element.index = indexOf(first, got->shape);
  element.got = numberText(a.real);
  element.expected = numberText(b.real);
  element.difference = numberText(a.real - b.real);
  element.bound = "0";
  report.worst = report.first;
  if (std::string region = regionText(*mask, got->shape); !region.empty()) report.patterns.push_back(region.substr(2));
  report.notes.push_back(str("in f64 they differ by at most ", numberText(largest),
                             "; a literal that is a rounded product of others also causes a difference"));
  return report;
}

} // namespace xt
