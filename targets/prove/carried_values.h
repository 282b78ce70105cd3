// The values that a loop carries, as terms, while its body is walked once.
#pragma once
#include "targets/prove/assumptions.h"
#include "targets/prove/symbolic_values.h"

#include <span>

namespace xt {

// A carried number or tile either advances by the same amount in each iteration, or is unknown. In the body, symbols stand for
// it. They are replaced once the walk of the body has shown by how much it advances.
class CarriedValues {
public:
  // Creates the symbols for the body's parameters, before the body is walked.
  CarriedValues(const Op &loop, Smt &smt, SymbolicValues &values, Refuted &refuted);

  // After the walk of the body: finds by how much each carried value advances, and records the parameters that do not stay in
  // one memref as refuted.
  void findSteps();
  // Replaces the symbols by the values in the iteration with the number `iteration`.
  void resolve(Term iteration, std::span<Access> accesses, std::span<AssumedRange> ranges);
  // Sets a result of the loop to the value that is carried after `trips` iterations.
  void finish(size_t result, Term trips);

private:
  struct Carried {
    std::vector<Term> start, symbols, steps; // one per dimension for a tile, a single one for a number
    std::vector<Term> next; // what is yielded; null if it is not known
    std::vector<Source> sources; // what a value without a step depends on
  };
  const Value &param(size_t i) const { return *loop_.region()->param(at_.param + i); }
  Carried begin(const Value &init, const Value &param);
  void findSteps(Carried &carried, const Value *yielded);
  void findSources();

  const Op &loop_;
  Smt &smt_;
  SymbolicValues &values_;
  Refuted &refuted_;
  CarriedAt at_;
  std::vector<Carried> all_;
};

} // namespace xt
