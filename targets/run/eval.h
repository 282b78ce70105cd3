// Evaluates expressions of test blocks.
#pragma once
#include "targets/run/functions.h"

#include <string>

namespace xt {

// What names in an expression stand for. Names are resolved by the lowering: an unknown one is a bug of the compiler.
class ValueSource {
public:
  virtual ~ValueSource() = default;
  virtual int64_t size(const std::string &name) const = 0;
  // Extents of a buffer; null if the name is bound to an expression.
  virtual const std::vector<int64_t> *shape(const std::string &name) const = 0;
  // A buffer's content where the expression stands, or before the launches. Reports buffers that have none.
  virtual Result<const RawArray *> content(const HostExpr &buffer, bool before) = 0;
  // The value of a name that is bound to an expression.
  virtual Result<HostArray> binding(const HostExpr &name) = 0;
};

class Evaluator {
public:
  // Expressions nested deeper are an error.
  static constexpr int kMaxDepth = 1000;

  // `indexShape`: extents over which the index variables of `from` run.
  Evaluator(const EvalSite &site, ValueSource &source, std::span<const int64_t> indexShape = {})
      : site_(site), source_(source), indexShape_(indexShape) {}

  Result<HostArray> evaluate(const HostExpr &expr);
  // An integer, or a number, that is one scalar.
  Result<int64_t> integer(const HostExpr &expr);
  Result<double> number(const HostExpr &expr);
  // Which elements of an array of this shape a slice names.
  Result<ViewSpec> sliceView(const HostExpr &expr, std::span<const int64_t> shape);

private:
  Result<HostArray> evaluateKind(const HostExpr &expr);
  Result<HostArray> call(const HostExpr &expr);
  Result<HostArray> arrayCall(const HostExpr &expr, std::span<const HostExpr *const> args);
  Result<HostArray> reduction(const HostExpr &expr, std::span<const HostExpr *const> args);
  Result<HostArray> slice(const HostExpr &expr);
  Result<HostArray> index(const HostExpr &expr);
  Result<HostArray> extentOf(const HostExpr &array, const HostExpr &dimension);
  EvalSite at(const HostExpr &expr) const;

  EvalSite site_;
  ValueSource &source_;
  std::span<const int64_t> indexShape_;
  int depth_ = 0;
};

// The arguments of a call in the order of the table's names; null where one is left out. Reports unknown names,
// arguments given twice, and wrong numbers of them.
Result<std::vector<const HostExpr *>> bindArguments(const HostExpr &call, const EvalSite &site);

// "64x32", or "a scalar"
std::string shapeWords(std::span<const int64_t> shape);

} // namespace xt
