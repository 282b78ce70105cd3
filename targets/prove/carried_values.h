// What a loop carries, while its body is walked once.
#pragma once
#include "targets/prove/assumptions.h"
#include "targets/prove/symbolic_values.h"

#include <span>

namespace xt {

// A carried number or tile either advances by the same amount in each iteration, or is unknown. In the body it stands for a
// symbol, which is replaced once the body has shown by how much it advances.
class CarriedValues {
public:
  // The loop is about to be walked: makes the symbols of the body's parameters.
  CarriedValues(const Op &loop, Smt &smt, SymbolicValues &values, Refuted &refuted);

  // After the body: finds by how much each advances, and enters the parameters that do not stay in one memref.
  void findSteps();
  // Replaces the symbols by the values in an iteration.
  void resolve(Term iteration, std::span<Access> accesses, std::span<AssumedRange> ranges);
  // Sets a result of the loop to what is carried after `trips` iterations.
  void finish(size_t result, Term trips);

private:
  struct Carried {
    std::vector<Term> start, symbols, steps; // one per dimension for a tile, a single one for a number
  };
  const Value &param(size_t i) const { return *loop_.region()->param(at_.param + i); }
  Carried begin(const Value &init, const Value &param);
  void findSteps(Carried &carried, const Value *yielded);

  const Op &loop_;
  Smt &smt_;
  SymbolicValues &values_;
  Refuted &refuted_;
  CarriedAt at_;
  std::vector<Carried> all_;
};

} // namespace xt
