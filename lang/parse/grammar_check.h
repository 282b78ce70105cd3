// Checks the grammar for prediction conflicts; used by tests.
#pragma once
#include "ir/base/source.h"

#include <string>
#include <vector>

namespace xt {

// Returns the decisions in this text that SLL prediction alone cannot resolve, one line each: ambiguities and attempts with
// full context. Parsing is fast because the grammar has none.
std::vector<std::string> findPredictionConflicts(const SourceManager &sources, uint32_t index);

} // namespace xt
