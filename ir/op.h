// The IR: one final class Op, values with ordered uses, and structured regions of one block each.
#pragma once
#include "ir/base/source.h"
#include "ir/op_info.h"
#include "ir/type.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace xt {

class Op;
class Block;

struct Use {
  Op *user = nullptr;
  size_t operand = 0; // index in user's operands
  bool operator==(const Use &) const = default;
};

// The uses of a value in the order in which they were made. Each operand stores its neighbours in its value's list, so that
// removing a use needs no search. Copy the list before changing operands while iterating over it.
class UseList {
public:
  class Iterator {
  public:
    using value_type = Use;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(Use at = {}) : at_(at) {}
    Use operator*() const { return at_; }
    Iterator &operator++();
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator &) const = default;

  private:
    Use at_;
  };
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(); }
  Use front() const { return first_; }
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }

private:
  friend class Op;
  friend class Value;
  // Links an operand, whose value has this list, at the end.
  void append(Use use);
  void remove(Use use);
  // Where the list stores the use after or before `use`. Outside of the list is a use of no op: the first use comes after it,
  // and the last use before it.
  Use &after(Use use);
  Use &before(Use use);
  Use first_, last_;
  size_t count_ = 0;
};

class Value {
public:
  Type type() const { return type_; }
  void setType(Type type) { type_ = type; }
  // The user's name without '%', for printing only; may be empty, need not be unique.
  const std::string &name() const { return name_; }
  void setName(std::string name) { name_ = std::move(name); }
  Op *definingOp() const { return op_; } // null for block parameters
  Block *definingBlock() const { return block_; } // the block of a block parameter; null for results
  size_t index() const { return index_; } // among the op's results or the block's parameters
  const UseList &uses() const { return uses_; }
  bool hasOneUse() const { return uses_.size() == 1; }
  void replaceAllUsesWith(Value *other); // the uses are appended to those of `other`
  SourceRange range() const { return range_; } // where the value is bound
  void setRange(SourceRange range) { range_ = range; }

private:
  friend class Op;
  friend class Block;
  Type type_;
  std::string name_;
  Op *op_ = nullptr;
  Block *block_ = nullptr;
  size_t index_ = 0;
  UseList uses_;
  SourceRange range_;
};

using AttrValue = std::variant<int64_t, double, std::string, std::vector<int64_t>>;
struct Attr {
  std::string_view name; // points into the op's AttrSpec, so it never dangles
  AttrValue value;
  SourceRange range;
};

class Op final {
public:
  OpKind kind() const { return kind_; }
  const OpInfo &info() const { return opInfo(kind_); }
  SourceRange range() const { return range_; }
  void setRange(SourceRange range) { range_ = range; }

  size_t operandCount() const { return operands_.size(); }
  Value *operand(size_t i) const { return operands_[i]; }
  const std::vector<Value *> &operands() const { return operands_; }
  // The range of the operand as written; the op's own range if none is known.
  SourceRange operandRange(size_t i) const { return i < operandRanges_.size() ? operandRanges_[i] : range_; }
  void setOperandRanges(std::vector<SourceRange> ranges) { operandRanges_ = std::move(ranges); }
  void setOperand(size_t i, Value *value);
  void addOperand(Value *value);
  void eraseOperand(size_t i);

  size_t resultCount() const { return results_.size(); }
  Value *result(size_t i = 0) const { return results_[i].get(); }
  Value *addResult(Type type);
  void eraseResult(size_t i); // must be unused

  const std::vector<Attr> &attrs() const { return attrs_; }
  const Attr *attr(std::string_view name) const;
  void setAttr(std::string_view name, AttrValue value, SourceRange range = {});
  void removeAttr(std::string_view name);

  size_t regionCount() const { return regions_.size(); }
  Block *region(size_t i = 0) const { return regions_[i].get(); }

  Block *block() const { return block_; }
  Op *next() const { return next_; }
  Op *previous() const { return previous_; }

private:
  friend class Value;
  friend class UseList;
  friend class Block;
  friend class Module;
  friend std::unique_ptr<Op> makeOp(OpKind, std::vector<Value *>, const std::vector<Type> &, SourceRange, size_t);
  explicit Op(OpKind kind) : kind_(kind) {}

  struct Neighbours { // the neighbours of a use in its value's list
    Use previous, next;
  };

  OpKind kind_;
  SourceRange range_;
  std::vector<Value *> operands_;
  std::vector<Neighbours> neighbours_; // one per operand
  std::vector<SourceRange> operandRanges_;
  std::vector<std::unique_ptr<Value>> results_;
  std::vector<Attr> attrs_;
  std::vector<std::unique_ptr<Block>> regions_;
  Block *block_ = nullptr;
  Op *next_ = nullptr, *previous_ = nullptr;

public:
  ~Op();
};

inline UseList::Iterator &UseList::Iterator::operator++() { return at_ = at_.user->neighbours_[at_.operand].next, *this; }

// Whether `first` comes before `second`. Both ops must be in the same block.
bool isBefore(const Op &first, const Op &second);
// Copies the attributes of an op of the same kind, except for the attribute with the name `except`.
void copyAttrs(const Op &from, Op &to, std::string_view except = {});
// The element type of attributes that are numbers (AttrKind::Number): that of the result, or of the first operand if the
// result has no elements.
Elem numberElem(const Op &op);

// The positions of the values that a structure op carries, one value per result: `operand`, `param` and `yield` are the
// indices of the first of them in the op's operands, in the parameters of its body, and in the operands of its yield. `loops`:
// the body's parameters are the carried values; otherwise the op is a branch, whose body has no parameters and which carries
// no operands.
struct CarriedAt {
  size_t operand, param, yield;
  bool loops;
};
CarriedAt carriedAt(const Op &op);
std::vector<Value *> resultsOf(const Op &op);
// The operands of the yield at a block's end; empty if the block does not end in a yield.
std::vector<Value *> yieldedBy(const Block &block);
// For each dimension of a transpose's result, the dimension of its operand.
std::vector<int64_t> permutationOf(const Op &transpose);
// Whether a load or store has the attribute `transpose` and it swaps two dimensions.
bool transposes(const Op &op);
// The dimension along which a reduction, a broadcast or an iota works.
size_t dimensionOf(const Op &op);

// Makes a detached op with `regions` empty blocks.
std::unique_ptr<Op> makeOp(OpKind kind, std::vector<Value *> operands, const std::vector<Type> &results, SourceRange range,
                           size_t regions = 0);

// A straight list of ops that ends in a terminator if the region needs one.
class Block {
public:
  Block() = default;
  ~Block();
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  Op *parentOp() const { return parent_; } // null: the body of a kernel, or its grid
  const std::vector<std::unique_ptr<Value>> &params() const { return params_; }
  Value *param(size_t i) const { return params_[i].get(); }
  Value *addParam(Type type, std::string name = {}, SourceRange range = {});
  void eraseParam(size_t i); // must be unused

  bool empty() const { return !first_; }
  Op *first() const { return first_; }
  Op *last() const { return last_; }
  Op *append(std::unique_ptr<Op> op) { return insertBefore(nullptr, std::move(op)); }
  Op *insertBefore(Op *position, std::unique_ptr<Op> op); // null: at the end
  std::unique_ptr<Op> remove(Op *op);
  void erase(Op *op); // its results must be unused
  // Moves an op of any block here, before `position`.
  void moveBefore(Op *position, Op *op);

  class Iterator {
  public:
    explicit Iterator(Op *op) : op_(op) {}
    Op &operator*() const { return *op_; }
    Iterator &operator++() { return op_ = op_->next(), *this; }
    bool operator==(const Iterator &) const = default;

  private:
    Op *op_;
  };
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(nullptr); }

private:
  friend class Op;
  friend std::unique_ptr<Op> makeOp(OpKind, std::vector<Value *>, const std::vector<Type> &, SourceRange, size_t);
  Op *parent_ = nullptr;
  std::vector<std::unique_ptr<Value>> params_;
  Op *first_ = nullptr, *last_ = nullptr;
};

// Calls f(Op&) on each op, outer before inner, in program order. `f` may erase its op; if the op has regions, `f` must then
// return false.
template <class F> void walk(Block &block, F &&f) {
  for (Op *op = block.first(); op;) {
    Op *next = op->next();
    // The regions are collected before the call, because `f` may erase the op.
    std::vector<Block *> regions;
    for (size_t i = 0; i < op->regionCount(); ++i) regions.push_back(op->region(i));
    bool keep = true;
    if constexpr (std::is_same_v<decltype(f(*op)), bool>)
      keep = f(*op); // false if `op` was erased, or if its regions are to be skipped
    else
      f(*op);
    if (keep)
      for (Block *region : regions) walk(*region, f);
    op = next;
  }
}
// Calls f(const Op&) on each op in this order. If `f` returns false, the regions of the op are skipped.
template <class F> void walk(const Block &block, F &&f) {
  for (const Op &op : block) {
    if constexpr (std::is_same_v<decltype(f(op)), bool>) {
      if (!f(op)) continue;
    } else {
      f(op);
    }
    for (size_t i = 0; i < op.regionCount(); ++i) walk(std::as_const(*op.region(i)), f);
  }
}

} // namespace xt
