// Reads the parts of the clause of a composite (ir/ops/composite.def): attributes that are maps or lists of words, bases with
// indices, and the types of the signature.
#pragma once
#include "lang/lower/kernel_state.h"

#include <functional>

namespace xt {

// The map from dimensions d0, d1, … to `results`; a result of ast::kMapZero is the constant 0.
struct AffineMap {
  size_t dims = 0;
  std::vector<int64_t> results;
  SourceRange range;
};

// A memref with one index for each of its dimensions, as in `%A[%i, %j]`.
struct IndexedMemRef {
  Value *memref;
  std::vector<Value *> indices;
  SourceRange range;
};

class CompositeClause {
public:
  CompositeClause(KernelState &state, const ast::OpClause &clause, const OpInfo &row, SourceRange range)
      : state_(state), clause_(clause), row_(row), range_(range) {}

  // Checks the keys of the attributes. Returns false if an error was reported.
  bool attributesFit() const;
  bool has(std::string_view key) const; // an attribute with a value, or a flag
  SourceRange rangeOf(std::string_view key) const; // of the attribute's value, which must be there

  // These functions return nullopt if the attribute is missing or not as they need it, which they report.
  std::optional<AffineMap> map(std::string_view key) const;
  std::optional<std::vector<AffineMap>> maps(std::string_view key) const;
  std::optional<std::vector<std::string>> words(std::string_view key) const;
  std::optional<std::vector<bool>> flags(std::string_view key) const;
  std::optional<std::vector<int64_t>> integers(std::string_view key) const;
  // The only entry of an attribute such as `kind = #vector.kind<add>`, or the word itself.
  std::optional<std::string> word(std::string_view key) const;

  // These functions return nullopt or null if an error was reported.
  std::optional<IndexedMemRef> indexedMemRef(const ast::Expr &expr) const;
  Value *vector(const ast::Expr &expr, std::string_view what) const;
  // A vector of one or more dimensions that is no joint matrix and no fragment, and one of two dimensions.
  Value *plainVector(const ast::Expr &expr) const;
  Value *plainMatrix(const ast::Expr &expr) const;
  // The one dimension in brackets along which the op works on vectors of this type.
  std::optional<int64_t> dimension(Type type) const;
  // The type of the result, which must be a vector of static shape.
  Type resultType() const;
  Type vectorType() const; // the same, but not of a joint matrix
  // Whether the number of operands is from `least` to `most`; otherwise reports an error.
  bool takesOperands(size_t least, size_t most) const;
  // Checks the types that the signature gives for `values`, in this order, before the arrow or, without one, before the type of
  // the result.
  bool signatureAgrees(const std::vector<Value *> &values) const;
  // Whether a memref, or an address, holds elements of the type of `what`, a vector or a matrix; otherwise reports an error.
  bool memoryHolds(Type memory, Type value, std::string_view what) const;
  // Checks the types that are written for operands and results, where they are, and states their layouts.
  // Returns the results, or nullopt if an error was reported or a result is null.
  std::optional<std::vector<Value *>> agreed(const std::vector<Value *> &operands, std::vector<Value *> results) const;
  // States the layout in the type that is written for an operand, if there is one, at the first op that takes the operand here.
  void stateOperandLayout(const Value &operand, const ast::TypeExpr &expr) const;
  // Checks the types after the arrow, if there is one, of several results.
  bool resultsAgree(const std::vector<Value *> &results) const;

  KernelState &state() const { return state_; }
  const ast::OpClause &clause() const { return clause_; }
  SourceRange range() const { return range_; }
  // As it is written, without the dialect: "`transfer_read`", "`join`".
  std::string name() const;
  Diagnostics &diagnostics() const { return state_.diagnostics(); }

private:
  const ast::Attr *find(std::string_view key) const;
  const ast::Attr *resolved(const ast::Attr *attr) const;
  std::optional<AffineMap> mapOf(const ast::Attr &attr, std::string_view key) const;
  void missing(std::string_view key) const;
  const ast::TypeExpr *resultExpr() const;

  KernelState &state_;
  const ast::OpClause &clause_;
  const OpInfo &row_;
  SourceRange range_;
};

// Emits the ops of one composite. The functions return null if an operand is null or if an error was reported, so that calls
// may be chained.
class CompositeOps {
public:
  explicit CompositeOps(const CompositeClause &clause) : CompositeOps(clause.state(), clause.range()) {}
  CompositeOps(KernelState &state, SourceRange range) : state_(state), range_(range) {}

  Value *op(OpKind kind, std::vector<Value *> operands, std::vector<Attr> attrs = {}, Type written = {});
  Value *index(int64_t value);
  Value *plus(Value *index, int64_t offset); // the index itself if the offset is 0
  // Reshapes unless the value has the shape already.
  Value *reshape(Value *vector, std::vector<int64_t> shape);
  // Transposes unless the permutation is the identity.
  Value *transpose(Value *vector, const std::vector<int64_t> &permutation);
  // The part of `vector` with the given shape at the given offsets, and `vector` with its part replaced.
  Value *slice(Value *vector, std::vector<int64_t> offsets, std::vector<int64_t> shape);
  Value *insert(Value *part, Value *vector, std::vector<int64_t> offsets);
  // The same elements in the layout that the users need; in the layout of `vector` if they need none.
  Value *inAnyLayout(Value *vector);
  Value *zeros(std::vector<int64_t> shape, Elem elem);
  // A memref of one dimension as a matrix with one row.
  Value *asOneRow(Value *line);

private:
  KernelState &state_;
  SourceRange range_;
};

// Calls `visit` with each position in a box of these extents, the last dimension fastest, until it returns false. Returns
// whether all calls returned true.
bool eachPosition(const std::vector<int64_t> &extents, const std::function<bool(const std::vector<int64_t> &)> &visit);

// Gives the result of a composite the layout of the written type.
void setWrittenLayout(KernelState &state, const ast::OpClause &clause, Value *value, Type written);
// The same for the result whose type is written at `expr`; nothing if `written` is null.
void setWrittenLayout(KernelState &state, const ast::TypeExpr &expr, Value *value, Type written);

} // namespace xt
