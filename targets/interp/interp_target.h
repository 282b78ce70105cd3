// The reference interpreter as a target.
#pragma once
#include "targets/target.h"

namespace xt {

Target &interpTarget();

} // namespace xt
