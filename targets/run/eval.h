// Evaluates expressions of test blocks.
#pragma once
#include "targets/ranks/mesh.h"
#include "targets/run/functions.h"

#include <string>

namespace xt {

// Resolves the names in an expression. The lowering has checked them, so an unknown name is a compiler bug.
class ValueSource {
public:
  virtual ~ValueSource() = default;
  virtual int64_t size(const std::string &name) const = 0;
  // Extents of a buffer; null if the name is bound to an expression.
  virtual const std::vector<int64_t> *shape(const std::string &name) const = 0;
  // A buffer's content at the statement of the expression, or before the launches. Reports an error for a buffer
  // without content.
  virtual Result<const RawArray *> content(const HostExpr &buffer, bool before) = 0;
  // The value of a name that is bound to an expression.
  virtual Result<HostArray> binding(const HostExpr &name) = 0;
  // The rank that evaluates, and where it is among the others.
  virtual const RankInMesh &ranks() const {
    static const RankInMesh only;
    return only;
  }
};

class SumOfTerms;

class Evaluator {
public:
  // Expressions that are nested deeper are an error.
  static constexpr int kMaxDepth = 1000;

  // `indexShape`: ranges of the index variables of `from`.
  Evaluator(const EvalSite &site, ValueSource &source, std::span<const int64_t> indexShape = {})
      : site_(site), source_(source), indexShape_(indexShape) {}

  Result<HostArray> evaluate(const HostExpr &expr);
  // Evaluates to one integer or number; anything but a scalar is an error.
  Result<int64_t> integer(const HostExpr &expr);
  Result<double> number(const HostExpr &expr);
  // Evaluates a list such as [0, 2, 1].
  Result<std::vector<int64_t>> integers(const HostExpr &list);
  // The elements that a slice selects from an array of this shape.
  Result<ViewSpec> sliceView(const HostExpr &expr, std::span<const int64_t> shape);
  // Removes the arrays of indices from a slice such as `%X[%rows, %columns, 0:4]`: the items become `:`, and the rest of the
  // slice is then gathered along its dimensions from `dim` on, by NumPy's rules: the arrays broadcast, and their shape replaces
  // those dimensions. Nullopt if no item is an array; arrays that do not stand beside each other are an error.
  struct ArrayIndex {
    HostExpr rest; // the slice with `:` instead
    std::vector<HostArray> indices;
    int dim = 0;
  };
  Result<std::optional<ArrayIndex>> arrayIndex(const HostExpr &expr);

private:
  // Calls `evaluateIt` one level deeper, unless the expression is nested too deeply.
  template <class F> auto nested(const HostExpr &expr, F evaluateIt) -> decltype(evaluateIt());
  Result<HostArray> evaluateKind(const HostExpr &expr);
  Result<HostArray> call(const HostExpr &expr);
  Result<HostArray> sumInAnyOrder(const HostExpr &expr);
  Result<SumOfTerms> sumOf(const HostExpr &expr);
  Result<HostArray> arrayCall(const HostExpr &expr, std::span<const HostExpr *const> args);
  Result<HostArray> contentBefore(const HostExpr &buffer);
  Result<HostArray> transposeCall(const HostExpr &expr, const HostArray &x, const HostExpr *dims);
  Result<HostArray> ternaryCall(const HostExpr &expr, HostArray x, HostArray y, const HostExpr &third);
  Result<HostArray> matmulCall(const HostExpr &expr, HostArray x, HostArray y, std::span<const HostExpr *const> args);
  Result<Elem> elemType(const HostExpr &arg) const;
  // The dimension that an argument gives, or `otherwise` if it is omitted. A value outside of any rank is clamped here and
  // reported by the function.
  Result<int> dimension(const HostExpr *arg, int64_t otherwise);
  Result<HostArray> reduction(const HostExpr &expr, std::span<const HostExpr *const> args);
  Result<HostArray> slice(const HostExpr &expr);
  Result<HostArray> index(const HostExpr &expr);
  Result<HostArray> rankOrRanks(const HostExpr &expr, const HostExpr *axis);
  Result<HostArray> extentOf(const HostExpr &array, const HostExpr &dimension);
  EvalSite at(const HostExpr &expr) const;

  EvalSite site_;
  ValueSource &source_;
  std::span<const int64_t> indexShape_;
  int depth_ = 0;
};

// The arguments of a call in the order of the function's parameter names; null for an omitted one. Reports unknown
// names, repeated arguments, and a wrong number of arguments.
Result<std::vector<const HostExpr *>> bindArguments(const HostExpr &call, const EvalSite &site);

// One array of indices for several: merges the dimensions of `shape` that they index into the first one, and returns positions
// along it.
Result<HostArray> joinIndices(const EvalSite &site, const Evaluator::ArrayIndex &index, std::vector<int64_t> &shape);

// "64x32", or "a scalar"
std::string shapeWords(std::span<const int64_t> shape);

} // namespace xt
