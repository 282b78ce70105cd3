// A check of the grammar, for its tests.
#pragma once
#include "ir/base/source.h"

#include <string>
#include <vector>

namespace xt {

// The decisions on this text that SLL prediction alone does not settle, one line each: ambiguities and attempts with
// full context. Parsing is fast because there are none.
std::vector<std::string> findPredictionConflicts(const SourceManager &sources, uint32_t index);

} // namespace xt
