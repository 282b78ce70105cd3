// Asks Z3 questions about integers. The library is opened at run time, because only `xtc --prove` needs it.
#pragma once
#include "ir/base/result.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace xt {

// An integer or a truth value that an Smt has made. The Smt must outlive the term.
struct Term {
  void *ast = nullptr;
  explicit operator bool() const { return ast; }
};

class Smt {
public:
  // Returns an Error (environment) if libz3 cannot be opened.
  static Result<std::unique_ptr<Smt>> open();
  ~Smt();
  Smt(const Smt &) = delete;
  Smt &operator=(const Smt &) = delete;

  Term integer(int64_t value);
  Term symbol(const std::string &name); // a new symbol, even if the name is in use
  Term truthSymbol(const std::string &name);
  Term truth(bool value);
  Term add(Term a, Term b);
  Term sub(Term a, Term b);
  Term multiply(Term a, Term b);
  // Rounds down; the divisor must be positive.
  Term floorDiv(Term a, Term b);
  Term powerOfTwo(int exponent);
  Term choose(Term condition, Term a, Term b);
  Term less(Term a, Term b);
  Term lessEqual(Term a, Term b);
  Term equal(Term a, Term b); // for integers or truth values
  Term negation(Term a);
  Term all(std::span<const Term> terms);
  Term any(std::span<const Term> terms);
  // Holds if no values of the symbols satisfy `body`.
  Term none(std::span<const Term> symbols, Term body);

  Term substitute(Term term, std::span<const Term> from, std::span<const Term> to);
  std::optional<int64_t> constant(Term term); // set if the term simplifies to a constant
  bool holds(Term condition);                  // whether the condition simplifies to true
  bool mentions(Term term, std::span<const Term> symbols);

  enum class Answer : uint8_t { No, Yes, Unknown };
  // Whether there are values for which all facts hold. Unknown if Z3 gives up, or if the time is over. Z3 gives up after a
  // fixed amount of work, so that an answer does not depend on the speed of the machine.
  Answer satisfiable(std::span<const Term> facts);
  // Limits the total time of all questions from now on.
  void limitTime(double seconds);
  bool timeIsOver() const;
  // The value of a symbol in the last answer Yes.
  int64_t value(Term symbol);

private:
  struct Library;
  struct State;
  explicit Smt(std::unique_ptr<State> state);
  Term nary(bool conjunction, std::span<const Term> terms);
  std::unique_ptr<State> state_;
  std::optional<std::chrono::steady_clock::time_point> end_; // end of the time for questions
};

} // namespace xt
