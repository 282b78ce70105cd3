#include "targets/prove/carried_values.h"

#include "ir/elem_kinds.h"
#include "targets/prove/integers.h"

namespace xt {

CarriedValues::CarriedValues(const Op &loop, Smt &smt, SymbolicValues &values, Refuted &refuted)
    : loop_(loop), smt_(smt), values_(values), refuted_(refuted), at_(carriedAt(loop)) {
  for (size_t i = 0; i < loop.resultCount(); ++i) all_.push_back(begin(*loop.operand(at_.operand + i), param(i)));
}

CarriedValues::Carried CarriedValues::begin(const Value &init, const Value &param) {
  Carried carried;
  bool moves = refuted_.bases.count(&param);
  if (const TileAt *from = values_.tile(&init); from && !moves) {
    TileAt at = *from;
    for (Term &first : at.first) {
      carried.start.push_back(first);
      first = carried.symbols.emplace_back(smt_.symbol(param.name()));
    }
    values_.set(&param, at);
  } else if (isNumber(init) && init.type().elem() != Elem::I1) {
    carried.start.push_back(values_.number(&init));
    values_.set(&param, carried.symbols.emplace_back(smt_.symbol(param.name())));
  } else if (const View *base = values_.view(&init); base && !moves) {
    values_.set(&param, *base);
  } else {
    values_.set(&param, Opaque());
  }
  return carried;
}

void CarriedValues::findSteps() {
  std::vector<Value *> yields = yieldedBy(*loop_.region());
  for (size_t i = 0; i < all_.size(); ++i) findSteps(all_[i], yields.size() > i + at_.yield ? yields[i + at_.yield] : nullptr);
  findSources();
  for (size_t i = 0; i < all_.size(); ++i) {
    const View *base = values_.baseOf(&param(i)), *next = values_.baseOf(yields[at_.yield + i]);
    if (base && (!next || *next != *base)) refuted_.bases.insert(&param(i));
  }
}

void CarriedValues::findSteps(Carried &carried, const Value *yielded) {
  for (size_t d = 0; d < carried.symbols.size(); ++d) {
    Term now;
    if (const TileAt *at = yielded ? values_.tile(yielded) : nullptr)
      now = d < at->first.size() ? at->first[d] : Term();
    else if (yielded && isNumber(*yielded))
      now = values_.number(yielded);
    Term step = now ? smt_.sub(now, carried.symbols[d]) : Term();
    std::optional<int64_t> constant = step ? smt_.constant(step) : std::nullopt;
    carried.steps.push_back(constant ? smt_.integer(*constant) : Term());
    carried.next.push_back(now);
    carried.sources.push_back(Source::Arithmetic);
  }
}

// A carried value depends on memory if it begins with or yields one that does, or yields another carried value that does.
void CarriedValues::findSources() {
  std::vector<Term> fromMemory; // the symbols of those that are found
  for (bool more = true; more;) {
    more = false;
    for (Carried &carried : all_)
      for (size_t d = 0; d < carried.symbols.size(); ++d) {
        if (carried.sources[d] == Source::Memory) continue;
        Term next = carried.next[d];
        bool own = values_.sourceOf(carried.start[d]) == Source::Memory;
        if (!carried.steps[d])
          own = own || !next || values_.sourceOf(next) == Source::Memory || smt_.mentions(next, fromMemory);
        if (!own) continue;
        carried.sources[d] = Source::Memory;
        fromMemory.push_back(carried.symbols[d]);
        more = true;
      }
  }
}

void CarriedValues::resolve(Term iteration, std::span<Access> accesses, std::span<AssumedRange> ranges) {
  std::vector<Term> from, to;
  for (const Carried &carried : all_)
    for (size_t d = 0; d < carried.symbols.size(); ++d) {
      from.push_back(carried.symbols[d]);
      to.push_back(carried.steps[d] ? smt_.add(carried.start[d], smt_.multiply(iteration, carried.steps[d]))
                                    : values_.unknown("carried", carried.sources[d]));
    }
  if (from.empty()) return;
  for (AssumedRange &range : ranges) {
    range.reached = smt_.substitute(range.reached, from, to);
    range.fits = smt_.substitute(range.fits, from, to);
  }
  for (Access &access : accesses) {
    for (Term &first : access.first) first = smt_.substitute(first, from, to);
    access.when = smt_.substitute(access.when, from, to);
  }
}

// The result refers to the same memref as the body's parameter.
void CarriedValues::finish(size_t number, Term trips) {
  const Carried &carried = all_[number];
  const Value &result = *loop_.result(number), &inBody = param(number);
  std::vector<Term> end;
  for (size_t d = 0; d < carried.symbols.size(); ++d)
    end.push_back(carried.steps[d] ? smt_.add(carried.start[d], smt_.multiply(trips, carried.steps[d]))
                                   : values_.unknown(result.name(), carried.sources[d]));
  if (const TileAt *from = values_.tile(&inBody)) {
    TileAt at = *from;
    at.first = end;
    values_.set(&result, at);
  } else if (!end.empty()) {
    values_.set(&result, end[0]);
  } else if (const View *base = values_.view(&inBody)) {
    values_.set(&result, *base);
  }
}

} // namespace xt
