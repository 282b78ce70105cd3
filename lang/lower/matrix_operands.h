// Operands and results of composites that are joint matrices.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// Lowers operand i, which must be a joint matrix, of a given use unless that is None. Returns null if an error was reported.
Value *matrixOperand(const CompositeClause &clause, size_t i, MatrixUse use = MatrixUse::None);
// The type of the result, which must be a joint_matrix; null if an error was reported.
Type matrixType(const CompositeClause &clause);
// The result of a composite that makes a joint matrix of the written type.
std::optional<std::vector<Value *>> writtenMatrix(const CompositeClause &clause, Value *value, Type matrix);

} // namespace xt
