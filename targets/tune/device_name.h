// The device for which parameters are tuned.
#pragma once
#include "targets/target.h"

#include <string>

namespace xt {

// The device that the target uses for this choice, as `xtrun --devices` shows it, such as "znver5, 2 threads"; the target's name if
// it lists none. An Error if none can be used.
Result<std::string> deviceName(Target &target, DeviceChoice choice);

} // namespace xt
