// The values of one worker. Each value of the program has a slot, which is an index (Program::slotOf).
#pragma once
#include "ir/base/check.h"
#include "ir/interp/program.h"
#include "ir/interp/values.h"

namespace xt {

class SlotValues {
public:
  explicit SlotValues(size_t count) : slots_(count) {}

  const RuntimeValue &at(size_t slot) const { return slots_[slot]; }
  template <class V> void set(size_t slot, V &&value) { slots_[slot] = std::forward<V>(value); }

  // Operand `i` of a step. number() and fragment() check that it has been computed.
  const RuntimeValue &operand(const Step &step, size_t i) const { return slots_[step.operands[i]]; }
  template <class T> const T &get(const Step &step, size_t i) const { return std::get<T>(operand(step, i)); }
  Number number(const Step &step, size_t i) const {
    const auto *value = std::get_if<Number>(&operand(step, i));
    XT_CHECK(value, "a scalar that was not computed");
    return *value;
  }
  int64_t index(const Step &step, size_t i) const { return number(step, i).i; }
  std::vector<int64_t> indices(const Step &step, size_t first) const; // all operands from `first` on
  const FragmentRef &fragment(const Step &step, size_t i) const {
    const auto *value = std::get_if<FragmentRef>(&operand(step, i));
    XT_CHECK(value, "a vector that was not computed");
    return *value;
  }
  // The vector that a step with a single result has computed; null if it has not.
  FragmentRef result(const Step &step) const {
    const auto *value = std::get_if<FragmentRef>(&slots_[step.results[0]]);
    return value ? *value : nullptr;
  }
  Fragment elements(const Step &step, size_t i) const; // the elements of a vector; a scalar is one element

  // Sets the result of a step that has a single one.
  template <class V> void setResult(const Step &step, V &&value) { set(step.results[0], std::forward<V>(value)); }
  void setVector(const Step &step, Fragment fragment) {
    setResult(step, std::make_shared<const Fragment>(std::move(fragment)));
  }
  void setElements(const Step &step, Fragment values); // one element if the result is a scalar

  // Calls f with each number that the scalars and vectors contain.
  template <class F> void eachNumber(F f) const {
    for (const RuntimeValue &value : slots_) {
      if (const auto *scalar = std::get_if<Number>(&value)) f(*scalar);
      if (const auto *vector = std::get_if<FragmentRef>(&value))
        for (Number number : **vector) f(number);
    }
  }

private:
  std::vector<RuntimeValue> slots_;
};

} // namespace xt
