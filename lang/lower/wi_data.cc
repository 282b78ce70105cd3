#include "lang/lower/wi_data.h"

#include "ir/base/text.h"
#include "ir/infer/type_rules.h"
#include "ir/op_kinds.h"
#include "lang/lower/lane_matrices.h"
#include "lang/lower/matrix_operands.h"

#include <algorithm>

namespace xt {
namespace {

using Results = std::optional<std::vector<Value *>>;

bool belongsToLaneScope(const CompositeClause &clause) {
  if (clause.state().lanes != 0) return true;
  clause.diagnostics()
      .report(DiagCode::NotHere, clause.range(), str(clause.name(), " belongs to lane scope"))
      .note("in this kernel an op that works per element, such as `%c * %alpha`, takes the whole matrix; `lanes(16)` after the "
            "parameters makes the body what each lane does");
  return false;
}

// The number of elements that each lane holds. In a function that is never called the number of lanes is not known: it is the
// number of elements of `written` if there is one, or 1.
int64_t lengthOf(const CompositeClause &clause, Type matrix, Type written) {
  if (clause.state().lanes != kAnyLanes)
    return matrixFragment(clause.state().context, matrix, clause.state().lanes).elementCount();
  clause.state().anyExtents = true;
  return written ? written.elementCount() : 1;
}

bool lengthFits(const CompositeClause &clause, Type data, Type matrix, SourceRange range) {
  int64_t length = lengthOf(clause, matrix, data);
  if (data.rank() == 1 && data.extent(0) == length && data.elem() == matrix.elem()) return true;
  clause.diagnostics().report(DiagCode::ShapeMismatch, range,
                              str("a lane holds vector<", length, "x", elemName(matrix.elem()), "> of ", shapedText(matrix),
                                  ", not ", shapedText(data)));
  return false;
}

} // namespace

Results lowerGetWiData(const CompositeClause &clause) {
  if (!clause.takesOperands(1, 1) || !belongsToLaneScope(clause)) return std::nullopt;
  Value *matrix = matrixOperand(clause, 0);
  if (!matrix || !clause.signatureAgrees({matrix})) return std::nullopt;
  Type type = matrix->type(), written;
  if (clause.clause().signature) {
    written = clause.vectorType();
    if (!written || !lengthFits(clause, written, type, clause.clause().signature->range)) return std::nullopt;
  }
  Context &context = clause.state().context;
  clause.state().builder.setRange(clause.range());
  Type data = context.vector({lengthOf(clause, type, written)}, type.elem());
  return std::vector{clause.state().builder.value(OpKind::Reshape, {matrix}, data)};
}

Results lowerSetWiData(const CompositeClause &clause) {
  if (!clause.takesOperands(1, 1) || !belongsToLaneScope(clause)) return std::nullopt;
  const ast::Expr &expr = clause.clause().operands[0];
  Value *data = clause.vector(expr, "the operand");
  Type type = data ? matrixType(clause) : Type();
  if (!type || !clause.signatureAgrees({data}) || !lengthFits(clause, data->type(), type, expr.range)) return std::nullopt;
  clause.state().builder.setRange(clause.range());
  Type plain = clause.state().context.withLayout(type, nullptr);
  return writtenMatrix(clause, clause.state().builder.value(OpKind::Reshape, {data}, plain), type);
}

Results lowerWiDataLength(const CompositeClause &clause) {
  if (!clause.takesOperands(1, 1) || !belongsToLaneScope(clause)) return std::nullopt;
  Value *matrix = matrixOperand(clause, 0);
  if (!matrix || !clause.signatureAgrees({matrix})) return std::nullopt;
  std::vector<Value *> length = {CompositeOps(clause).index(lengthOf(clause, matrix->type(), {}))};
  return clause.resultsAgree(length) ? Results(length) : std::nullopt;
}

} // namespace xt
