// Lowers the ops on joint matrices (sycl_ext_oneapi_matrix) to tiles, vectors and matrix products. A joint matrix is a vector of
// two dimensions whose type says how it is used; only the checker distinguishes the two (TypeData::matrix).
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// These functions return nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerMatrixLoad(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerMatrixStore(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerMatrixPrefetch(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerMatrixMad(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerMatrixFill(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerMatrixCopy(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerMatrixCoordinates(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerMatrixApply(const CompositeClause &clause);

// Checks, when the scope of a kernel is known, that its joint matrices are of this scope. Returns false if an error was reported.
bool matricesFitScope(const KernelState &state);

} // namespace xt
