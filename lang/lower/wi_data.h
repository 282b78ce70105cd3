// get_wi_data of sycl_ext_oneapi_matrix: the elements that one lane holds of a joint matrix.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// These functions return nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerGetWiData(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerSetWiData(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerWiDataLength(const CompositeClause &clause);

} // namespace xt
