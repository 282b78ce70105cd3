// The arithmetic of an algebraic run (field.h): a Number of a float type is the index of a FieldValue in a table.
#pragma once
#include "ir/elem_kinds.h"
#include "ir/interp/arithmetic.h"
#include "ir/interp/field.h"

#include <unordered_map>
#include <vector>

namespace xt {

class FieldArithmetic final : public Arithmetic {
public:
  Number constant(Elem elem, const AttrValue &value) override;
  Number load(Elem elem, const void *bytes) override;
  void store(Elem elem, void *bytes, Number value) override;
  void elementwise(const ElementwiseOp &op, std::span<const Numbers> operands, Number *out, size_t count) override;
  void multiplyAccumulate(Elem operand, Elem result, MmaExtents shape, const Number *a, const Number *b, Number *acc) override;
  double real(Number number) const override { return valueOf(number).real; }
  void beginWorkgroup() override;
  bool wantsToFree() const override { return values_.size() - free_.size() >= limit_; }
  void inUse(Number number) override;
  void freeOthers() override;
  // The number of entries of the table, used or not.
  size_t tableSize() const { return values_.size(); }

  // The field value of a float element in memory: the value last stored there, if the bytes have not changed since; else the
  // value derived from the bytes.
  FieldValue inMemory(Elem elem, const void *bytes) const;
  // Sets the field value of an element in memory; its bytes must have been written already.
  void setMemory(Elem elem, const void *bytes, const FieldValue &value);
  // Forgets the elements in memory, and which functions it has computed.
  void forgetMemory() { memory_.clear(), takesLogarithms_ = takesExponentials_ = false; }
  // Whether it has computed a logarithm, of which the field knows no identities.
  bool takesLogarithms() const { return takesLogarithms_; }
  // Whether it has computed a function that multiplies for a sum, such as exp, whose results may be too small for any float.
  bool takesExponentials() const { return takesExponentials_; }
  // The memory, in bytes, that the field value of an element in memory takes, including the overhead of the hash table.
  static constexpr int64_t kBytesPerElement = 96;

private:
  struct Stored {
    Elem elem = Elem::F32;
    uint64_t image = 0; // the bytes of the element
    FieldValue value;
  };
  Number numberOf(const FieldValue &value);
  const FieldValue &valueOf(Number number) const { return values_[static_cast<size_t>(number.i)]; }
  FieldValue operandOf(Elem elem, Number number) const;
  int64_t bitsOf(Elem elem, const FieldValue &value, Elem result);
  FieldValue fromBits(Elem elem, int64_t bits, Elem result) const;

  static constexpr size_t kFewest = size_t{1} << 18; // a smaller table (8 MiB) is not worth a search for unused values
  std::vector<FieldValue> values_ = {FieldValue()}; // the first is zero, the value of a default Number
  std::vector<size_t> free_;                        // indices of unused entries
  std::vector<bool> used_;                          // for each entry, whether inUse() has marked it
  size_t limit_ = kFewest;                          // wantsToFree() is true if at least this many entries are in use
  std::unordered_map<const void *, Stored> memory_; // used for lookup only
  // The elements whose bits the workgroup has taken, by these bits; used for lookup only.
  std::unordered_map<uint64_t, Stored> ofBits_;
  bool takesLogarithms_ = false, takesExponentials_ = false;
};

} // namespace xt
