// Whether the barriers of a kernel already order what the lanes of a subgroup do.
#pragma once
#include "ir/op.h"

namespace xt {

// Whether a load from this memory that the lanes of a subgroup perform together needs no barrier of its own: on every way to it there
// is a barrier after the last write to such memory, or no write, and after it there is one before the next write.
bool isOrderedByBarriers(const Op &load, MemorySpace space);

} // namespace xt
