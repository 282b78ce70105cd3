#include "ir/layout/layout_advice.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {

constexpr int64_t kMostExtent = int64_t{1} << 32; // larger numbers are not tried: divisors are found by trial division
constexpr size_t kMostValues = 12;

std::vector<int64_t> divisors(int64_t n) {
  std::vector<int64_t> result;
  for (int64_t d = 1; d <= n / d; ++d)
    if (n % d == 0) {
      result.push_back(d);
      if (d != n / d) result.push_back(n / d);
    }
  return result;
}

// The distance of two values as a factor: the larger one divided by the smaller one.
double distance(int64_t a, int64_t b) {
  double x = static_cast<double>(a), y = static_cast<double>(b);
  return x > y ? x / y : y / x;
}

bool wraps(const Deal &deal) { return deal.count > 1 && deal.count * deal.block > deal.extent; }

// The variants of the deal that fit, each with another value of `varied`, ascending: the kMostValues nearest to the written
// value.
std::vector<Deal> choices(const Deal &deal, int64_t Deal::*varied) {
  std::vector<int64_t> values = divisors(deal.extent);
  if (deal.whole > 0) {
    std::vector<int64_t> more = divisors(deal.whole);
    values.insert(values.end(), more.begin(), more.end());
  }
  // A multiple of the number of blocks fits too: the additional owners hold copies.
  int64_t blocks = std::max<int64_t>(deal.extent / deal.block, 1);
  if (varied == &Deal::count)
    for (int64_t times : {deal.count / blocks, deal.count / blocks + 1})
      if (times > 0) values.push_back(times * blocks);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<Deal> result;
  for (int64_t value : values) {
    Deal candidate = deal;
    candidate.*varied = value;
    if (fits(candidate)) result.push_back(candidate);
  }
  if (result.size() > kMostValues) {
    auto nearer = [&](const Deal &a, const Deal &b) {
      return distance(a.*varied, deal.*varied) < distance(b.*varied, deal.*varied);
    };
    std::stable_sort(result.begin(), result.end(), nearer);
    result.resize(kMostValues);
    std::sort(result.begin(), result.end(), [&](const Deal &a, const Deal &b) { return a.*varied < b.*varied; });
  }
  return result;
}

} // namespace

bool fits(const Deal &deal) {
  int64_t span;
  if (!multiply(deal.count, deal.block, span)) return false;
  if (deal.whole > 0 && deal.whole % span != 0) return false;
  if (deal.extent % span == 0) return true;
  return span % deal.extent == 0 && (deal.block % deal.extent == 0 || deal.extent % deal.block == 0);
}

std::string fittingDeals(const Deal &deal) {
  if (std::max({deal.extent, deal.whole, deal.count, deal.block}) > kMostExtent) return {};
  bool copies = false;
  auto row = [&](std::string_view keptName, int64_t kept, std::string_view name, int64_t Deal::*varied) {
    std::vector<std::string> values;
    for (const Deal &choice : choices(deal, varied)) {
      values.push_back(str(choice.*varied, wraps(choice) ? "*" : ""));
      copies |= wraps(choice);
    }
    return str("  with ", keptName, " = ", kept, ": ", values.empty() ? "no " : "", name, values.empty() ? "" : " = ",
               join(values, ", "), "\n");
  };
  std::string of = str("extent ", deal.extent);
  if (deal.wholeIsSgData) of = str("sg_data = ", deal.whole, deal.whole != deal.extent ? str(" on extent ", deal.extent) : "");
  std::string table = str("values that fit ", of, " (dimension ", deal.dim, ")\n");
  table += row(deal.layoutName, deal.count, deal.dataName, &Deal::block);
  table += row(deal.dataName, deal.block, deal.layoutName, &Deal::count);
  if (copies) table += "  * wraps around: several owners hold the same elements\n";
  return table;
}

std::string fittingProducts(int64_t extent, size_t dim, std::span<const NamedNumber> numbers) {
  std::string rows;
  for (size_t i = 0; i < numbers.size(); ++i) {
    int64_t rest = 1;
    for (size_t k = 0; k < numbers.size(); ++k)
      if (k != i && !multiply(rest, numbers[k].value, rest)) rest = 0;
    if (numbers[i].varies && rest > 0 && extent % rest == 0) rows += str("  ", numbers[i].name, " = ", extent / rest, "\n");
  }
  return rows.empty() ? rows : str("values that fit extent ", extent, " (dimension ", dim, "), if only one changes\n", rows);
}

} // namespace xt
