// Where the elements of a buffer in shared local memory are stored.
#pragma once
#include "ir/op.h"

namespace xt {

// The swizzle in which the elements of a buffer are stored on a GPU. The swizzle that the type of the buffer states is
// only a hint: nothing can observe it. It is used if each access goes through a window whose matrix is known, and begins at a
// multiple of the blocks within which the swizzle moves elements, so that it depends on the place in that matrix only.
Swizzle storedSwizzle(const Value *buffer);

} // namespace xt
