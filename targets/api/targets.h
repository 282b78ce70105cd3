// The targets and their devices, for the functions of xt.h.
#pragma once
#include "targets/api/boundary/failure.h"
#include "targets/target.h"

namespace xt {

// Finds a target by its name; null stands for "cpu". A Failure names the argument and the targets that there are.
Failure readTarget(const char *name, const char *argument, Target *&out);

} // namespace xt
