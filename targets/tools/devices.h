// xtrun --devices: lists every target and its devices.
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Prints to standard output and returns the exit status. If the devices of a target cannot be listed, the output says
// why; this is not a failure.
int listDevices(const XtrunOptions &options);

// What a device's driver says to inline assembly (DeviceText::inlineAssembly), in one line: "no inline assembly (its driver …)"; "" if
// `why` is empty.
std::string inlineAssemblyText(bool taken, const std::string &why);

} // namespace xt
