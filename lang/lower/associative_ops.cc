#include "lang/lower/associative_ops.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "lang/lower/call_lowering.h"

#include <algorithm>

namespace xt {
namespace {

using Values = std::vector<Value *>;

class AssociativeOp {
public:
  explicit AssociativeOp(const CompositeClause &clause) : clause_(clause), ops_(clause) {}

  std::optional<Values> scan() {
    if (!read()) return std::nullopt;
    for (int64_t by = 1; by < extent_; by *= 2)
      if (!combine(by, clause_.has("reverse"), true)) return std::nullopt;
    return finish();
  }

  // After the step of distance 2^k, element i combines the elements from i to i + 2^(k+1) - 1, in this order.
  std::optional<Values> reduce() {
    if (!read()) return std::nullopt;
    for (int64_t by = 1; by < extent_; by *= 2)
      if (!combine(by, true, false)) return std::nullopt;
    for (Value *&value : values_) {
      std::vector<int64_t> shape = shapeOf(value->type());
      shape[dim_] = 1;
      value = extent_ == 1 ? value : ops_.slice(value, std::vector<int64_t>(shape.size(), 0), shape);
      if (!value) return std::nullopt;
    }
    return finish();
  }

private:
  bool read() {
    const ast::OpClause &clause = clause_.clause();
    if (!clause_.takesOperands(2, 1 + kMostValues)) return false;
    if (!clause.operands[0].is(ast::Expr::Kind::Symbol))
      return wrong(DiagCode::OperandType, clause.operands[0].range,
                   str("the first operand of ", clause_.name(), " is the function that combines, such as `@combine`"));
    for (size_t i = 1; i < clause.operands.size(); ++i) {
      Value *value = clause_.plainVector(clause.operands[i]);
      if (!value) return false;
      Type type = value->type();
      if (i > 1 && !std::ranges::equal(type.shape(), values_[0]->type().shape()))
        return wrong(DiagCode::ShapeMismatch, clause.operands[i].range,
                     str(clause_.name(), " takes vectors of one shape, but ", shapedText(type), " follows ",
                         shapedText(values_[0]->type())));
      values_.push_back(value);
      given_.push_back(value);
    }
    std::optional<int64_t> dim = clause_.dimension(values_[0]->type());
    if (!dim) return false;
    dim_ = static_cast<size_t>(*dim);
    extent_ = values_[0]->type().extent(static_cast<int>(*dim));
    return true;
  }

  // Combines each element with the one `by` before it, or behind it; those that have none stay as they are. `movedFirst`: the other
  // element is the first argument.
  bool combine(int64_t by, bool behind, bool movedFirst) {
    Values arguments;
    for (Value *value : values_) arguments.push_back(moved(value, by, behind));
    arguments.insert(movedFirst ? arguments.end() : arguments.begin(), values_.begin(), values_.end());
    if (std::ranges::count(arguments, nullptr)) return false;
    const ast::Expr &function = clause_.clause().operands[0];
    std::optional<Values> results = lowerFunctionCall(clause_.state(), function, arguments);
    if (!results || !fit(*results)) return false;
    Value *mask = hasOther(by, behind);
    for (size_t i = 0; i < values_.size(); ++i) {
      values_[i] = mask ? ops_.op(OpKind::Select, {mask, (*results)[i], values_[i]}) : nullptr;
      if (!values_[i]) return false;
    }
    return true;
  }

  bool fit(const Values &results) {
    bool fits = results.size() == values_.size();
    for (size_t i = 0; fits && i < results.size(); ++i) {
      if (!results[i]) return false;
      Type type = results[i]->type(), own = values_[i]->type();
      fits = type.isVector() && type.elem() == own.elem() && std::ranges::equal(type.shape(), own.shape());
    }
    if (fits) return true;
    std::vector<std::string> types;
    for (const Value *value : values_) types.push_back(shapedText(value->type()));
    return wrong(DiagCode::CallMismatch, clause_.clause().operands[0].range,
                 str("the function of ", clause_.name(), " must return ", join(types, ", "), ", as it combines"));
  }

  Value *moved(Value *value, int64_t by, bool behind) {
    std::vector<int64_t> shape = shapeOf(value->type()), from(shape.size(), 0), to(shape.size(), 0);
    shape[dim_] -= by;
    (behind ? from : to)[dim_] = by;
    return ops_.insert(ops_.slice(value, from, shape), value, to);
  }

  // Whether an element has another one at this distance, as a vector.
  Value *hasOther(int64_t by, bool behind) {
    Type indices = clause_.state().context.vector(shapeOf(values_[0]->type()), kIndexElem);
    Value *place =
        ops_.op(OpKind::Iota, {}, {{"dims", std::vector<int64_t>{static_cast<int64_t>(dim_)}, clause_.range()}}, indices);
    Value *bound = ops_.op(OpKind::Splat, {ops_.index(behind ? extent_ - by : by)}, {}, indices);
    return ops_.op(OpKind::CmpI, {place, bound}, {{"kind", std::string(behind ? "slt" : "sge"), clause_.range()}});
  }

  // A dimension of one element needs no step.
  std::optional<Values> finish() {
    for (Value *&value : values_)
      if (std::ranges::count(given_, value) && !(value = ops_.inAnyLayout(value))) return std::nullopt;
    return clause_.agreed(given_, values_);
  }

  bool wrong(DiagCode code, SourceRange range, std::string message) const {
    clause_.diagnostics().report(code, range, std::move(message));
    return false;
  }

  static constexpr size_t kMostValues = 8;
  const CompositeClause &clause_;
  CompositeOps ops_;
  Values values_;
  Values given_; // the operands
  size_t dim_ = 0;
  int64_t extent_ = 0;
};

} // namespace

std::optional<Values> lowerAssociativeScan(const CompositeClause &clause) { return AssociativeOp(clause).scan(); }
std::optional<Values> lowerAssociativeReduce(const CompositeClause &clause) { return AssociativeOp(clause).reduce(); }

} // namespace xt
