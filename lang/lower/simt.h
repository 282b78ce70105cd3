// Values between to_simt and to_simd: each lane of the workgroup computes with its fragment, the elements that it holds.
//
// An op that works per element gives the same results for a whole vector as for the fragments of all lanes. The IR therefore
// contains the whole vector. Only the checker tells the two apart: TypeData::fragment is the shape of the fragment, which is
// compared with the layout once all layouts are known.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// These functions return nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerToSimt(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerToSimd(const CompositeClause &clause);

// Compares the shapes of all fragments of a kernel whose layouts are known with those that the layouts give. Returns false if an
// error was reported.
bool fragmentsFit(const KernelState &state);

} // namespace xt
