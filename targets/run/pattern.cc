#include "targets/run/pattern.h"

#include "ir/base/text.h"
#include "targets/run/raw_array.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace xt {

namespace {
struct Matrix { // a shape as batches of rows x columns
  int64_t batches = 1, rows = 1, columns = 1;
};
Matrix matrixOf(std::span<const int64_t> shape) {
  Matrix m;
  size_t rank = shape.size();
  if (rank > 0) m.columns = shape[rank - 1];
  if (rank > 1) m.rows = shape[rank - 2];
  for (size_t d = 0; d + 2 < rank; ++d) m.batches *= shape[d];
  return m;
}

// The affected indices along one dimension.
struct Line {
  std::vector<bool> hit;
  int64_t count = 0, first = -1, last = -1;
  explicit Line(int64_t extent) : hit(static_cast<size_t>(extent)) {}
  void add(int64_t i) {
    if (hit[static_cast<size_t>(i)]) return;
    hit[static_cast<size_t>(i)] = true;
    ++count;
    first = first < 0 || i < first ? i : first;
    last = std::max(last, i);
  }
  int64_t extent() const { return static_cast<int64_t>(hit.size()); }
  bool all() const { return count == extent(); }
  bool contiguous() const { return count == last - first + 1; }
};

std::string span(int64_t first, int64_t last) { return first == last ? str(first) : str(first, "–", last); }
std::string plural(std::string_view noun, int64_t count) { return str(noun, count == 1 ? "" : "s"); }

// "rows 8–15 of each block of 16": the affected residues are contiguous, and every index with such a residue is affected.
std::string periodic(const Line &line, std::string_view noun) {
  for (int64_t period = 2; period <= 512 && period * 2 <= line.extent(); period *= 2) {
    Line residues(period);
    for (int64_t i = 0; i < line.extent(); ++i)
      if (line.hit[static_cast<size_t>(i)]) residues.add(i % period);
    if (residues.all() || !residues.contiguous()) continue;
    int64_t expected = 0;
    for (int64_t i = 0; i < line.extent(); ++i) expected += residues.hit[static_cast<size_t>(i % period)];
    if (expected == line.count)
      return str(plural(noun, residues.count), " ", span(residues.first, residues.last), " of each block of ", period);
  }
  return "";
}

// Describes the affected indices of one dimension; empty if all or none are affected, or if they form no known pattern.
std::string describeLine(const Line &line, std::string_view noun) {
  if (line.all()) return "";
  if (line.contiguous()) {
    if (line.last == line.extent() - 1 && line.count > 1) return str("only ", noun, "s >= ", line.first);
    if (line.first == 0 && line.count > 1) return str("only ", noun, "s < ", line.last + 1);
    return str("only ", plural(noun, line.count), " ", span(line.first, line.last));
  }
  return periodic(line, noun);
}
} // namespace

std::string describeRegion(const Elements<uint8_t> &mask, std::span<const int64_t> shape) {
  Matrix m = matrixOf(shape);
  Line batches(m.batches), rows(m.rows), columns(m.columns);
  int64_t set = 0;
  for (int64_t i = 0; i < mask.count(); ++i) {
    if (!mask[i]) continue;
    ++set;
    columns.add(i % m.columns);
    rows.add(i / m.columns % m.rows);
    batches.add(i / m.columns / m.rows);
  }
  if (set == 0 || mask.count() == 1) return "";
  if (set == mask.count()) return "every element";
  std::string inBatch = batches.all() ? "" : batches.count == 1 ? str(" in batch ", batches.first) : " in some batches";
  if (set == 1) return "one element";
  // Some wrong results agree by chance, so at least half of the pattern must be affected, but not all of it.
  double covered = static_cast<double>(rows.count) * static_cast<double>(columns.count) * static_cast<double>(batches.count);
  if (static_cast<double>(set) < 0.5 * covered) return "";
  std::string inRows = describeLine(rows, "row"), inColumns = describeLine(columns, "column");
  if (rows.all() && columns.all()) return static_cast<double>(set) < 0.9 * covered ? "" : "nearly every element" + inBatch;
  if (columns.all() || m.rows == 1) return (m.rows == 1 ? inColumns : inRows) + inBatch;
  if (rows.all()) return inColumns + inBatch;
  if (rows.contiguous() && columns.contiguous())
    return str("the rectangle of ", plural("row", rows.count), " ", span(rows.first, rows.last), " and ",
               plural("column", columns.count), " ", span(columns.first, columns.last), inBatch);
  if (inRows.empty() || inColumns.empty()) return "";
  return inRows + ", " + inColumns + inBatch;
}

namespace {
// A sample of the differing elements, spread over the result.
std::vector<int64_t> sampleOf(const Elements<uint8_t> &mask, size_t most) {
  std::vector<int64_t> all;
  int64_t set = std::count(mask.begin(), mask.end(), uint8_t{1}), seen = 0;
  int64_t step = std::max<int64_t>(1, set / static_cast<int64_t>(most));
  for (int64_t i = 0; i < mask.count() && all.size() < most; ++i)
    if (mask[i] && seen++ % step == 0) all.push_back(i);
  return all;
}

class ValueGuesser {
public:
  ValueGuesser(const Comparison &comparison, const Elements<uint8_t> &mask)
      : comparison_(comparison), sample_(sampleOf(mask, 64)), matrix_(matrixOf(comparison.shape())) {
    std::erase_if(sample_, [&](int64_t i) { return !std::isfinite(got(i)) || !std::isfinite(expected(i)); });
  }
  bool enough() const { return sample_.size() >= 4; }

  std::string factor() const {
    int64_t largest = *std::max_element(sample_.begin(), sample_.end(),
                                        [&](int64_t a, int64_t b) { return std::fabs(expected(a)) < std::fabs(expected(b)); });
    if (expected(largest) == 0) return "";
    double c = got(largest) / expected(largest);
    for (int64_t i : sample_)
      if (std::fabs(got(i) - c * expected(i)) > (1 + std::fabs(c)) * slack(i)) return "";
    if (c == 0) return "the result is 0 wherever it differs";
    char text[60];
    std::snprintf(text, sizeof text, "%.4g", c);
    if (std::string_view(text) == "1") std::snprintf(text, sizeof text, "%.9g", c);
    return str("the result is ", text, " times the expected value");
  }

  std::string transposed() const {
    if (matrix_.rows != matrix_.columns || matrix_.rows < 2) return "";
    return matches([&](int64_t i) {
      int64_t n = matrix_.rows, inMatrix = i % (n * n);
      return i - inMatrix + inMatrix % n * n + inMatrix / n;
    })
               ? "the result is transposed"
               : "";
  }

  std::string shifted() const {
    struct Shift {
      int64_t rows, columns;
      const char *text;
    };
    constexpr Shift kShifts[] = {
        {1, 0, "one row up"}, {-1, 0, "one row down"}, {0, 1, "one column left"}, {0, -1, "one column right"}};
    for (const Shift &shift : kShifts)
      if (matches([&](int64_t i) {
            int64_t row = i / matrix_.columns % matrix_.rows + shift.rows, column = i % matrix_.columns + shift.columns;
            bool inside = row >= 0 && row < matrix_.rows && column >= 0 && column < matrix_.columns;
            return inside ? i + shift.rows * matrix_.columns + shift.columns : -1;
          }))
        return str("the result is shifted ", shift.text);
    return "";
  }

  // Finds ranges of k whose terms explain every sample if they are omitted or added once more.
  std::string terms(const TermSource &source) const;

private:
  double got(int64_t i) const { return comparison_.left().valueAt(i); }
  double expected(int64_t i) const { return comparison_.expectedAt(i); }
  double slack(int64_t i) const { return comparison_.boundAt(i) + 1e-12 * std::fabs(expected(i)); }
  // Whether each sample has the value that is expected at another position (-1: outside of the result).
  template <class F> bool matches(F place) const {
    int64_t tested = 0;
    for (int64_t i : sample_) {
      int64_t other = place(i);
      if (other < 0) continue;
      if (std::fabs(got(i) - expected(other)) > slack(i) + slack(other)) return false;
      ++tested;
    }
    return tested >= 4;
  }

  const Comparison &comparison_;
  std::vector<int64_t> sample_;
  Matrix matrix_;
};

// Candidates of one kind: for each k, whether the terms of [k, K) or of [0, k) explain all samples so far.
struct TermHypothesis {
  bool suffix, added;
  std::vector<bool> possible;
};

std::string ValueGuesser::terms(const TermSource &source) const {
  std::vector<TermHypothesis> hypotheses = {{true, false, {}}, {false, false, {}}, {true, true, {}}, {false, true, {}}};
  size_t count = 0, used = 0;
  for (int64_t i : sample_) {
    if (used == 16) break;
    std::vector<double> terms = source(i);
    if (terms.empty()) return "";
    ++used;
    count = terms.size();
    std::vector<double> before(count + 1, 0.0); // sums of the first k terms
    for (size_t k = 0; k < count; ++k) before[k + 1] = before[k] + terms[k];
    double difference = got(i) - expected(i);
    for (TermHypothesis &h : hypotheses) {
      if (h.possible.empty()) h.possible.assign(count + 1, true);
      for (size_t k = 0; k <= count; ++k) {
        double part = h.suffix ? before[count] - before[k] : before[k];
        if (std::fabs(difference - (h.added ? part : -part)) > slack(i)) h.possible[k] = false;
      }
    }
  }
  for (const TermHypothesis &h : hypotheses) {
    if (h.possible.empty()) return "";
    // Looks for the fewest terms: from the end for a suffix, from the start for a prefix. A range of all terms or
    // none is not reported.
    for (size_t n = 1; n < count; ++n) {
      size_t k = h.suffix ? count - n : n;
      if (!h.possible[k]) continue;
      std::string range =
          h.suffix ? span(static_cast<int64_t>(k), static_cast<int64_t>(count) - 1) : span(0, static_cast<int64_t>(k) - 1);
      return str(h.suffix ? "last" : "first", " K step ", h.added ? "counted twice" : "missing", ": k = ", range);
    }
  }
  return "";
}
} // namespace

std::vector<std::string> guessValues(const Comparison &comparison, const Elements<uint8_t> &mask, const TermSource &terms) {
  std::vector<std::string> guesses;
  ValueGuesser guesser(comparison, mask);
  if (!guesser.enough()) return guesses;
  auto add = [&](std::string guess) {
    if (!guess.empty()) guesses.push_back(std::move(guess));
  };
  add(guesser.factor());
  if (terms && guesses.empty()) add(guesser.terms(terms));
  if (guesses.empty()) add(guesser.transposed());
  if (guesses.empty()) add(guesser.shifted());
  return guesses;
}

} // namespace xt
