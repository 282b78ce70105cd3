#include "targets/run/verify.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/interp/writer_trace.h"
#include "ir/print.h"
#include "targets/run/check.h"
#include "targets/run/looseness.h"
#include "targets/run/pattern.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace xt {

namespace {
std::string shortNumber(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// The matmul that an expression is, or that it contains in a sum or a cast; null if there is none.
const HostExpr *findMatmul(const HostExpr &expr, const HostTest &test) {
  std::vector<const HostExpr *> todo = {&expr};
  for (size_t i = 0; i < todo.size() && i < 64; ++i) {
    const HostExpr &e = *todo[i];
    if (e.kind == HostExpr::Kind::Buffer)
      for (const HostStmt &stmt : test.body)
        if (stmt.kind == HostStmt::Kind::Let && stmt.name == e.text) todo.push_back(&stmt.value);
    if (e.kind != HostExpr::Kind::Call) continue;
    if (e.fn == HostFn::Matmul && e.args.size() >= 2) return &e;
    if (e.fn == HostFn::Add || e.fn == HostFn::Sub || e.fn == HostFn::Cast)
      for (const HostExpr &arg : e.args) todo.push_back(&arg);
  }
  return nullptr;
}

bool isCall(const HostExpr &expr, HostFn fn) { return expr.kind == HostExpr::Kind::Call && expr.fn == fn; }

bool mentionsBefore(const HostExpr &expr) {
  std::vector<const HostExpr *> todo = {&expr};
  for (size_t i = 0; i < todo.size(); ++i) {
    if (todo[i]->kind == HostExpr::Kind::Call && todo[i]->fn == HostFn::Before) return true;
    for (const HostExpr &arg : todo[i]->args) todo.push_back(&arg);
  }
  return false;
}

// The recursion depth is the nesting depth of the source, which the lowering limits.
bool sameExpr(const HostExpr &a, const HostExpr &b) {
  auto all = [](const auto &x, const auto &y, auto same) { return std::equal(x.begin(), x.end(), y.begin(), y.end(), same); };
  bool plain = a.kind == b.kind && a.integer == b.integer && a.number == b.number && a.text == b.text &&
               (a.kind != HostExpr::Kind::Elem || a.elem == b.elem) && (a.kind != HostExpr::Kind::Call || a.fn == b.fn);
  return plain && all(a.args, b.args, sameExpr) &&
         all(a.named, b.named, [](const auto &x, const auto &y) { return x.name == y.name && sameExpr(x.value, y.value); }) &&
         all(a.ranges, b.ranges, [&](const HostExpr::Range &x, const HostExpr::Range &y) {
           return x.single == y.single && all(x.begin, y.begin, sameExpr) && all(x.end, y.end, sameExpr) &&
                  all(x.step, y.step, sameExpr);
         });
}

bool constantValues(const HostArray &array) {
  auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  for (int64_t i = 1; i < array.count(); ++i)
    if (array.integer ? array.ints[i] != array.ints[0] : !same(array.values[i], array.values[0])) return false;
  return true;
}

class Verifier {
public:
  Verifier(const HostTest &test, TestState &state, const std::vector<LaunchPlan> &launches,
           const std::function<Result<bool>(bool)> &onAnyRank, ExpectedValues *expected)
      : test_(test), state_(state), launches_(launches), onAnyRank_(onAnyRank), expected_(expected) {
    if (expected_) printTest(runText_, test_), runText_ += state_.sizesText();
  }

  Result<std::vector<CheckReport>> run() {
    constantInputs_ = allInputsConstant();
    std::vector<CheckReport> reports;
    std::vector<bool> checked; // for each check: whether this rank has a report of it
    for (size_t p = 0; p < test_.body.size(); ++p) {
      const HostStmt &stmt = test_.body[p];
      if (stmt.kind != HostStmt::Kind::Check) continue;
      const bool unwritten = !launches_.empty() && (state_.usesUnwritten(stmt.left) || state_.usesUnwritten(stmt.right));
      checked.push_back(!unwritten);
      if (unwritten) continue;
      auto report = check(stmt, p);
      if (!report) return report.error();
      reports.push_back(std::move(*report));
    }
    if (auto agreed = proveOnAnyRank(checked, reports); !agreed) return agreed.error();
    settleVacuous(reports);
    return reports;
  }

private:
  enum class Proof : uint8_t { Something, Nothing, Unchanged }; // Unchanged: a check against before(...)

  bool allInputsConstant() {
    bool any = false;
    for (const LaunchPlan &launch : launches_)
      for (const TestBuffer *buffer : launch.buffers) {
        if (!buffer || !buffer->initial || buffer->initial->count() < 2) continue;
        any = true;
        if (!isConstant(*buffer->initial)) return false;
      }
    return any;
  }

  Result<CheckReport> check(const HostStmt &written, size_t position) {
    std::vector<WeakBound> weak;
    auto leftSide = side(written.left, position, "left", weak);
    if (!leftSide) return leftSide.error();
    auto rightSide = side(written.right, position, "right", weak);
    if (!rightSide) return rightSide.error();
    const HostArray *left = leftSide->get(), *right = rightSide->get();
    // The result under test becomes the left side, also where the test says `expected == got`.
    HostStmt stmt = written;
    if (!usesWritten(stmt.left) && usesWritten(stmt.right) && left->shape == right->shape) {
      std::swap(stmt.left, stmt.right);
      std::swap(left, right);
    }
    EvalSite site = state_.siteAt(stmt.range);
    auto comparison = Comparison::make(site, *left, *right, stmt);
    if (!comparison) return comparison.error();
    CompareResult result = compareAll(*comparison, site.threads);
    CheckReport report;
    report.range = stmt.range;
    report.passed = result.different == 0;
    report.tolerance = comparison->toleranceText();
    report.compared = result.compared;
    report.different = result.different;
    report.worstRatio = result.worstRatio;
    if (stmt.tolerance == HostStmt::Tolerance::Derived) addWeakNotes(report, weak);
    Proof proof = Proof::Something;
    passesBefore_ = false;
    auto loose = looseText(stmt, position, *comparison, site);
    if (!loose) return loose.error();
    if (!report.passed) {
      if (!loose->empty()) report.notes.push_back("this check proves nothing " + *loose);
      if (auto described = describe(report, *comparison, result, stmt, position); !described) return described.error();
      if (auto noted = addAccumulationNote(report, stmt, position, *left, site); !noted) return noted.error();
    } else if (!loose->empty()) {
      report.problem = "this check proves nothing " + *loose;
      proof = Proof::Nothing;
    } else if (auto found = proofOf(report, stmt, position, *left, *right, site)) {
      proof = *found;
    } else {
      return found.error();
    }
    proofs_.push_back(proof);
    mayProveElsewhere_.push_back(passesBefore_);
    return report;
  }

  // Evaluates a side of a check; one that no launch changes is taken from an earlier run if it has been kept there.
  Result<std::shared_ptr<const HostArray>> side(const HostExpr &expr, size_t position, std::string_view which,
                                                std::vector<WeakBound> &weak) {
    const bool kept = expected_ && !usesWritten(expr);
    const std::string key = kept ? str(runText_, "\n", position, " ", which) : "";
    if (kept)
      if (const ExpectedValues::Side *known = expected_->find(key)) {
        weak.insert(weak.end(), known->weak.begin(), known->weak.end());
        return known->value;
      }
    Result<TestState::Evaluated> made = state_.evaluateApart(expr, position);
    if (!made) return made.error();
    weak.insert(weak.end(), made->weak.begin(), made->weak.end());
    auto value = std::make_shared<const HostArray>(std::move(made->value));
    if (kept) expected_->keep(key, {value, std::move(made->weak)});
    return value;
  }

  // A check that also passes on the contents before the launches proves something if it does not on another rank.
  Result<void> proveOnAnyRank(const std::vector<bool> &checked, std::vector<CheckReport> &reports) {
    if (!onAnyRank_) return {};
    size_t next = 0; // in the reports
    for (bool isHere : checked) {
      auto proves = onAnyRank_(isHere && proofs_[next] == Proof::Something);
      if (!proves) return proves.error();
      if (!isHere) continue;
      if (*proves && mayProveElsewhere_[next]) {
        proofs_[next] = Proof::Something;
        reports[next].problem.clear();
      }
      ++next;
    }
    return {};
  }

  void addWeakNotes(CheckReport &report, const std::vector<WeakBound> &weak) {
    for (const WeakBound &bound : weak)
      report.notes.push_back(str("weak bound: for ", bound.elements, bound.elements == 1 ? " sum" : " sums", " of ",
                                 bound.terms,
                                 " terms the bound exceeds the mean magnitude of a term, so that an error of one term can "
                                 "pass; use integer data, whose sums are exact"));
  }

  // Describes the elements for which the check proves nothing, because their bound is too large; "" if there are none.
  Result<std::string> looseText(const HostStmt &stmt, size_t position, const Comparison &comparison, const EvalSite &site) {
    if (stmt.tolerance == HostStmt::Tolerance::Exactly) return std::string();
    auto scale = scaleOfBuffers(stmt.left, position);
    if (!scale) return scale.error();
    Looseness loose = findLooseness(comparison, *scale, site.threads);
    if (loose.elements == 0) return std::string();
    std::string where =
        comparison.shape().empty() ? "" : str(", the first at ", indexText(indexOf(loose.first, comparison.shape())));
    std::string of =
        str("about ", loose.elements, " of ", comparison.count(), comparison.count() == 1 ? " element" : " elements", where);
    if (!std::isfinite(loose.bound)) return str(of, ": the bound is infinite there, so that any finite value passes");
    return str(of, ": the bound is ", shortNumber(loose.bound), " there, but nearby expected values are about ",
               shortNumber(loose.scale), ", so that zeros pass",
               stmt.tolerance == HostStmt::Tolerance::Derived ? "; use integer data, whose sums are exact" : "");
  }

  // A computed left side may suffer cancellation, so the scale of its values is that of its operands.
  Result<double> scaleOfBuffers(const HostExpr &left, size_t position) {
    if (left.kind == HostExpr::Kind::Buffer && state_.find(left.text)) return 0.0;
    double largest = 0;
    for (const std::string &name : state_.buffersIn(left, true)) {
      const TestBuffer &buffer = *state_.find(name);
      std::optional<size_t> writer = TestState::writerBefore(buffer, position);
      auto kept = writer ? buffer.contents.find(*writer) : buffer.contents.end();
      const RawArray *content = kept != buffer.contents.end() ? &kept->second : buffer.initial ? &*buffer.initial : nullptr;
      if (!content) continue;
      auto values = fromRaw(*content, state_.site().budget, state_.site().threads);
      if (!values) return values.error();
      largest = std::max(largest, largestFinite(*values));
    }
    return largest;
  }

  // Adds a note if the check passes when the sums start from c. A kernel that adds to a buffer's content rounds each partial
  // sum at that magnitude, which `c + matmul(a, b)` does not express.
  Result<void> addAccumulationNote(CheckReport &report, const HostStmt &stmt, size_t position, const HostArray &left,
                                   const EvalSite &site) {
    const HostExpr &sum = stmt.right;
    if (stmt.tolerance != HostStmt::Tolerance::Derived || !isCall(sum, HostFn::Add) || sum.args.size() != 2) return {};
    size_t product = isCall(sum.args[0], HostFn::Matmul) ? 0 : 1;
    HostExpr expr = sum.args[product];
    const HostExpr &start = sum.args[1 - product];
    if (!isCall(expr, HostFn::Matmul) || expr.args.size() != 2 || !expr.named.empty() || !mentionsBefore(start)) return {};
    auto value = state_.evaluate(expr, position);
    if (!value) return value.error();
    if (value->integer || value->shape != left.shape) return {}; // after this, the summand broadcasts to the product
    expr.args.push_back(start);
    value = state_.evaluate(expr, position);
    if (!value) return value.error();
    auto alike = passes(left, *value, stmt, site);
    if (!alike) return alike.error();
    if (*alike)
      report.notes.push_back("the check passes if the sums start from c: write `matmul(a, b, c)` for `c + matmul(a, b)` if the "
                             "kernel adds its products to c");
    return {};
  }

  // Whether the check would fail if the launches did nothing.
  Result<Proof> proofOf(CheckReport &report, const HostStmt &stmt, size_t position, const HostArray &left,
                        const HostArray &right, const EvalSite &site) {
    if (report.compared == 0) {
      if (hasEmptyBuffer(stmt.left)) return Proof::Something; // an empty result leaves nothing else to check
      report.problem = "this check proves nothing: it compares no element";
      return Proof::Nothing;
    }
    bool toEach = right.count() == report.compared || right.count() == 1; // a scalar is compared with every element
    if (constantInputs_ && report.compared > 1 && toEach && constantValues(right)) {
      report.problem = "this check proves nothing: all inputs of the launches are constant and so is the expected value, "
                       "so that a kernel that mixes up elements passes";
      return Proof::Nothing;
    }
    if (sameExpr(stmt.left, stmt.right)) {
      report.problem = "this check proves nothing: both sides are the same expression";
      return Proof::Nothing;
    }
    auto vacuous = passesUnlaunched(stmt, position, left, right, site);
    if (!vacuous) return vacuous.error();
    if (!*vacuous) return Proof::Something;
    passesBefore_ = true;
    report.problem = "this check proves nothing: it also passes on the contents before the launches";
    return mentionsBefore(stmt.left) || mentionsBefore(stmt.right) ? Proof::Unchanged : Proof::Nothing;
  }

  // Whether the check passes with the contents from before the launches on the left side, or on both sides, because
  // the expected value may also come from results of the launches. Poison never passes.
  Result<bool> passesUnlaunched(const HostStmt &stmt, size_t position, const HostArray &left, const HostArray &right,
                                const EvalSite &site) {
    if (holdsPoison(stmt.left)) return false;
    std::optional<HostArray> old;
    if (usesWritten(stmt.left)) {
      auto value = before(stmt.left, position);
      if (!value) return value.error();
      old = std::move(*value);
      auto vacuous = passes(*old, right, stmt, site);
      if (!vacuous || *vacuous) return vacuous;
    } else if (!usesWritten(stmt.right)) {
      return true; // nothing changes, so it passes again
    }
    if (!usesWritten(stmt.right) || holdsPoison(stmt.right)) return false;
    auto expected = before(stmt.right, position);
    if (!expected) return expected.error();
    return passes(old ? *old : left, *expected, stmt, site);
  }

  // Whether an expression uses a buffer that held poison before the launches.
  bool holdsPoison(const HostExpr &expr) {
    std::vector<std::string> names = state_.buffersIn(expr, true);
    return std::any_of(names.begin(), names.end(), [&](const std::string &name) { return state_.find(name)->isOut; });
  }
  bool hasEmptyBuffer(const HostExpr &expr) {
    std::vector<std::string> names = state_.buffersIn(expr, true);
    return std::any_of(names.begin(), names.end(), [&](const std::string &name) {
      const std::vector<int64_t> &sizes = state_.find(name)->sizes;
      return std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
    });
  }
  bool usesWritten(const HostExpr &expr) {
    std::vector<std::string> names = state_.buffersIn(expr, false);
    return std::any_of(names.begin(), names.end(), [&](const std::string &name) { return state_.find(name)->written(); });
  }
  Result<HostArray> before(const HostExpr &expr, size_t position) {
    state_.setAllBefore(true);
    auto value = state_.evaluate(expr, position);
    state_.setAllBefore(false);
    return value;
  }
  static Result<bool> passes(const HostArray &left, const HostArray &right, const HostStmt &stmt, const EvalSite &site) {
    auto comparison = Comparison::make(site, left, right, stmt);
    if (!comparison) return comparison.error();
    return allPass(*comparison);
  }

  // A check that something is unchanged is accepted if another check proves something.
  void settleVacuous(std::vector<CheckReport> &reports) {
    bool proven = std::find(proofs_.begin(), proofs_.end(), Proof::Something) != proofs_.end();
    for (size_t i = 0; i < reports.size(); ++i) {
      if (proofs_[i] == Proof::Unchanged && proven) reports[i].problem.clear();
      if (!reports[i].problem.empty()) reports[i].passed = false;
    }
  }

  // --- what a failed check shows -------------------------------------------------------------------------------------

  Result<void> describe(CheckReport &report, const Comparison &comparison, const CompareResult &result, const HostStmt &stmt,
                        size_t position) {
    report.first = element(comparison, result.first);
    report.worst = element(comparison, result.worst);
    addWriters(report, stmt.left, position);
    auto mask = failureMask(comparison, state_.site().budget, state_.site().threads);
    if (!mask) return mask.error();
    std::string region = describeRegion(*mask, comparison.shape());
    if (!region.empty()) report.patterns.push_back(region);
    auto terms = termSource(stmt.right, position, comparison);
    if (!terms) return terms.error();
    for (std::string &guess : guessValues(comparison, *mask, *terms)) report.patterns.push_back(std::move(guess));
    report.window = window(comparison, result.first);
    return {};
  }

  static std::string expectedText(const Comparison &comparison, int64_t i) {
    return valueText(comparison.expectedAt(i),
                     comparison.left().integer ? comparison.left().elem.value_or(Elem::I64) : std::optional<Elem>());
  }
  static ElementReport element(const Comparison &comparison, int64_t i) {
    Verdict verdict = comparison.at(i);
    ElementReport report;
    report.index = indexOf(i, comparison.shape());
    report.got = elementText(comparison.left(), i);
    report.expected = expectedText(comparison, i);
    report.difference = shortNumber(verdict.difference);
    report.bound = shortNumber(verdict.bound);
    return report;
  }

  // Turns the indices of elements of a buffer that ranks divide into those in the part of this rank. If another rank holds one of
  // them, reports which ranks have written them and returns false: only they know more.
  bool ownElements(const TestBuffer &buffer, CheckReport &report, std::span<std::vector<int64_t>> elements) const {
    ElementReport *reports[] = {&*report.first, &*report.worst};
    bool own = true;
    for (size_t i = 0; i < elements.size(); ++i) {
      std::vector<int64_t> &index = elements[i];
      int rank = state_.ranks().rank;
      auto holds = [&](int candidate) {
        return intersection(partOf(buffer.sizes, buffer.sharding, state_.ranks().mesh, candidate),
                            {index, std::vector<int64_t>(index.size(), 1)});
      };
      if (!holds(rank)) {
        own = false;
        for (rank = 0; !holds(rank);) ++rank;
      }
      reports[i]->writer = str("rank ", rank);
      for (size_t d = 0; d < index.size(); ++d) index[d] -= buffer.part.begin[d];
    }
    return own;
  }

  // For a check of a whole buffer, the interpreter finds out which workgroup stores the element in the last launch
  // that may write it.
  void addWriters(CheckReport &report, const HostExpr &left, size_t position) {
    TestBuffer *buffer = left.kind == HostExpr::Kind::Buffer ? state_.find(left.text) : nullptr;
    std::optional<size_t> writer = buffer ? TestState::writerBefore(*buffer, position) : std::nullopt;
    if (!writer) return;
    for (const LaunchPlan &launch : launches_) {
      if (launch.position != *writer) continue;
      auto parameter = std::find(launch.buffers.begin(), launch.buffers.end(), buffer);
      if (parameter == launch.buffers.end()) return;
      auto at = static_cast<size_t>(parameter - launch.buffers.begin());
      std::vector<int64_t> elements[] = {report.first->index, report.worst->index};
      if (buffer->isDivided() && !ownElements(*buffer, report, elements)) return;
      bool kept = std::none_of(launch.buffers.begin(), launch.buffers.end(), [&](const TestBuffer *given) {
        return given && !given->writers.empty() && given->writers.back() > launch.position;
      });
      auto found = findWriters(*launch.kernel, launch.args, launch.grid, at, elements, kept);
      if (!found) return; // the report omits the writers
      for (size_t i = 0; i < found->size(); ++i) {
        std::string &text = (i == 0 ? report.first : report.worst)->writer;
        if (const auto &by = (*found)[i]) {
          text =
              str(by->workgroup.empty() ? "" : workgroupText(*launch.kernel, by->workgroup) + ", ", "subgroup ", by->subgroup);
          if (by->stores > 1) text += str(", in the last of ", by->stores, " stores");
        } else {
          text = "no workgroup";
        }
        if (buffer->isDivided()) text = str("rank ", state_.ranks().rank, ", ", text);
      }
    }
  }

  Result<TermSource> termSource(const HostExpr &right, size_t position, const Comparison &comparison) {
    const HostExpr *product = findMatmul(right, test_);
    if (!product || comparison.shape().size() != 2) return TermSource();
    state_.setTrackErrors(false);
    auto a = state_.evaluate(product->args[0], position);
    auto b = a ? state_.evaluate(product->args[1], position) : Result<HostArray>(Error::diagnosed());
    state_.setTrackErrors(true);
    if (!a || !b) return TermSource(); // it was evaluated before without an error, so memory is short: no guess
    if (a->rank() != 2 || b->rank() != 2 || a->shape[0] != comparison.shape()[0] || b->shape[1] != comparison.shape()[1])
      return TermSource();
    auto x = std::make_shared<HostArray>(std::move(*a)), y = std::make_shared<HostArray>(std::move(*b));
    return TermSource([x, y](int64_t linear) {
      int64_t n = y->shape[1], depth = x->shape[1], row = linear / n, column = linear % n;
      std::vector<double> terms(static_cast<size_t>(depth));
      for (int64_t k = 0; k < depth; ++k)
        terms[static_cast<size_t>(k)] = x->valueAt(row * depth + k) * y->valueAt(k * n + column);
      return terms;
    });
  }

  // A few rows and columns around an element, got above expected; '*' marks differences.
  static std::string window(const Comparison &comparison, int64_t at) {
    constexpr int64_t kRows = 4, kColumns = 6;
    const std::vector<int64_t> &shape = comparison.shape();
    if (shape.empty()) return "";
    int64_t columns = shape.back(), rows = shape.size() > 1 ? shape[shape.size() - 2] : 1;
    int64_t matrix = at / (rows * columns) * rows * columns, row = at % (rows * columns) / columns, column = at % columns;
    int64_t row0 = std::max<int64_t>(0, std::min(row - 1, rows - kRows)), row1 = std::min(rows, row0 + kRows);
    int64_t column0 = std::max<int64_t>(0, std::min(column - 2, columns - kColumns)),
            column1 = std::min(columns, column0 + kColumns);
    std::string out = str("    got, with the expected values below; columns ", column0, "–", column1 - 1, "\n");
    for (int64_t r = row0; r < row1; ++r) {
      std::string got, expected;
      for (int64_t c = column0; c < column1; ++c) {
        int64_t i = matrix + r * columns + c;
        char cell[64];
        std::snprintf(cell, sizeof cell, " %12s%c", elementText(comparison.left(), i).c_str(),
                      comparison.at(i).passes ? ' ' : '*');
        got += cell;
        std::snprintf(cell, sizeof cell, " %12s ", expectedText(comparison, i).c_str());
        expected += cell;
      }
      char label[32];
      std::snprintf(label, sizeof label, "%8lld", static_cast<long long>(r));
      out += str("    ", label, got, "\n            ", expected, "\n");
    }
    return out;
  }

  const HostTest &test_;
  TestState &state_;
  const std::vector<LaunchPlan> &launches_;
  const std::function<Result<bool>(bool)> &onAnyRank_;
  ExpectedValues *expected_;
  std::string runText_; // the test and its sizes, which tell its sides of checks from those of other tests in `expected_`
  bool constantInputs_ = false;
  bool passesBefore_ = false; // of the last check: it passes on the contents before the launches
  std::vector<bool> mayProveElsewhere_; // for each report
  std::vector<Proof> proofs_;
};
} // namespace

Result<std::vector<CheckReport>> verifyChecks(const HostTest &test, TestState &state, const std::vector<LaunchPlan> &launches,
                                              const std::function<Result<bool>(bool)> &onAnyRank, ExpectedValues *expected) {
  return Verifier(test, state, launches, onAnyRank, expected).run();
}

std::string regionText(const Elements<uint8_t> &mask, std::span<const int64_t> shape) {
  std::string region = describeRegion(mask, shape);
  return region.empty() ? "" : ": " + region;
}

} // namespace xt
