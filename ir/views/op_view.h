// The common parts of the generated views of ops (generated/ir/views/*.h in the build folder). A view gives the operands and
// attributes of one kind of op by the names that its row in ir/ops/*.def states, with their types: `ReductionOp(op).dim()`. It
// refers to the op and owns nothing. Views of a mutable Op also set attributes.
#pragma once
#include "ir/base/check.h"
#include "ir/op.h"

#include <optional>
#include <span>
#include <string_view>

namespace xt {

// The words of a Kind or Word attribute are an enum: each enumerator is an index into the words that the row lists. `wordsOf`
// is generated.
template <class Word> constexpr std::string_view wordText(Word word) { return wordsOf(word)[static_cast<size_t>(word)]; }
template <class Word> constexpr std::optional<Word> findWord(std::string_view text) {
  std::span<const std::string_view> words = wordsOf(Word{});
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == text) return static_cast<Word>(i);
  return std::nullopt;
}

namespace views {
// The value of an attribute; null if the op does not have it.
inline const AttrValue *find(const Op &op, std::string_view name) {
  const Attr *attr = op.attr(name);
  return attr ? &attr->value : nullptr;
}
template <class T> const T *find(const Op &op, std::string_view name) {
  const AttrValue *value = find(op, name);
  if (!value) return nullptr;
  const T *typed = std::get_if<T>(value);
  XT_CHECK(typed, "an attribute has another type than its row states");
  return typed;
}
// The value of a required attribute.
template <class T> const T &present(const T *value) {
  XT_CHECK(value, "a required attribute is missing");
  return *value;
}
template <class T> T present(std::optional<T> value) {
  XT_CHECK(value, "a required attribute is missing");
  return *value;
}
template <class T> const T &get(const Op &op, std::string_view name) { return present(find<T>(op, name)); }
inline std::optional<int64_t> integer(const Op &op, std::string_view name) {
  const int64_t *value = find<int64_t>(op, name);
  return value ? std::optional(*value) : std::nullopt;
}
// The only element of a list; nullopt if the attribute is absent or has another number of elements.
inline std::optional<int64_t> single(const Op &op, std::string_view name) {
  const auto *list = find<std::vector<int64_t>>(op, name);
  return list && list->size() == 1 ? std::optional(list->front()) : std::nullopt;
}
inline std::string_view textOf(const Op &op, std::string_view name) {
  const auto *value = find<std::string>(op, name);
  return value ? std::string_view(*value) : std::string_view();
}
template <class Word> std::optional<Word> word(const Op &op, std::string_view name) { return findWord<Word>(textOf(op, name)); }
} // namespace views

template <class O> class OpView {
public:
  O &op() const { return *op_; }
  Value *result(size_t i = 0) const { return op_->result(i); }
  Block *region(size_t i = 0) const { return op_->region(i); }

protected:
  OpView(O &op, OpKind kind) : op_(&op) { XT_CHECK(op.kind() == kind, "a view of another kind of op"); }
  // Operand i; null if the op does not have it.
  Value *operandIf(size_t i) const { return i < op_->operandCount() ? op_->operand(i) : nullptr; }
  std::span<Value *const> operandsFrom(size_t i) const { return std::span(op_->operands()).subspan(i); }
  O *op_;
};

} // namespace xt
