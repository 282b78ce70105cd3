#include "targets/prove/witness.h"

#include <algorithm>

namespace xt {

namespace {
// By how much the term grows if the symbol grows by 1; 0 if that is not a positive constant.
int64_t multiple(Term term, Term symbol, Smt &smt) {
  Term next = smt.add(symbol, smt.integer(1));
  std::optional<int64_t> growth = smt.constant(smt.sub(smt.substitute(term, {&symbol, 1}, {&next, 1}), term));
  return growth ? std::max<int64_t>(*growth, 0) : 0;
}
} // namespace

std::vector<Term> witness(const Access &access, std::span<const Term> symbols, std::span<const Term> element, Smt &smt) {
  std::vector<Term> values(symbols.size()), zeros(symbols.size(), smt.integer(0));
  for (size_t d = 0; d < element.size(); ++d) {
    struct Part {
      int64_t multiple;
      size_t symbol;
    };
    std::vector<Part> parts;
    for (size_t s = 0; s < symbols.size(); ++s)
      if (int64_t m = values[s] ? 0 : multiple(access.first[d], symbols[s], smt)) parts.push_back({m, s});
    std::stable_sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) { return a.multiple > b.multiple; });
    Term begin = symbols.empty() ? access.first[d] : smt.substitute(access.first[d], symbols, zeros);
    Term rest = smt.sub(element[d], begin);
    int64_t constant = smt.constant(begin).value_or(0);
    for (const Part &part : parts) {
      Term m = smt.integer(part.multiple);
      // Adjacent stores of one workgroup have the same quotient if it does not depend on where they begin in the workgroup's
      // part. Z3 then has to reason about one quotient instead of one for each store.
      int64_t within = (constant % part.multiple + part.multiple) % part.multiple;
      if (within + access.extent[d] > part.multiple) within = 0;
      values[part.symbol] = smt.floorDiv(smt.add(rest, smt.integer(within)), m);
      rest = smt.sub(rest, smt.multiply(m, values[part.symbol]));
    }
  }
  for (Term &value : values)
    if (!value) value = smt.integer(0);
  return values;
}

} // namespace xt
