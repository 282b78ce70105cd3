#include "lang/lower/matrix_operands.h"

#include "ir/base/text.h"
#include "lang/lower/checked_types.h"

namespace xt {

Value *matrixOperand(const CompositeClause &clause, size_t i, MatrixUse use) {
  const ast::Expr &expr = clause.clause().operands[i];
  Value *value = clause.vector(expr, "the matrix");
  if (!value) return nullptr;
  const JointMatrix &matrix = value->type().data().matrix;
  if (matrix && (use == MatrixUse::None || matrix.use == use)) return value;
  std::string_view wanted = use == MatrixUse::A             ? "a joint_matrix with the use a"
                            : use == MatrixUse::B           ? "a joint_matrix with the use b"
                            : use == MatrixUse::Accumulator ? "a joint_matrix with the use accumulator"
                                                            : "a joint_matrix";
  clause.diagnostics().report(DiagCode::JointMatrixUse, expr.range,
                              str(clause.name(), " needs ", wanted, " here, not ", shapedText(value->type())));
  return nullptr;
}

Type matrixType(const CompositeClause &clause) {
  Type type = clause.resultType();
  if (type && type.data().matrix) {
    if (!lanesHold(clause.state(), type, clause.clause().signature->range)) return {};
    clause.state().matrices.push_back({type.data().matrix.ofWorkgroup, clause.clause().signature->range});
    return type;
  }
  if (!type) return {};
  clause.diagnostics().report(DiagCode::TypeMismatch, clause.clause().signature->range,
                              str(clause.name(), " returns a joint_matrix, not ", shapedText(type)));
  return {};
}

std::optional<std::vector<Value *>> writtenMatrix(const CompositeClause &clause, Value *value, Type matrix) {
  if (!value) return std::nullopt;
  value->setType(matrix);
  setWrittenLayout(clause.state(), clause.clause(), value, matrix);
  return std::vector{value};
}

} // namespace xt
