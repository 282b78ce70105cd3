// What went wrong on the device, for the host: Level Zero has only codes.
#pragma once
#include <string>

namespace xt::soft {

// Keeps the text, prints it to standard error after "xt software device: ", and appends it to the file that the
// environment variable XT_SOFT_REPORT names.
void report(const std::string &text);

} // namespace xt::soft

// The last report of this process; "" if there is none. Valid up to the next report. A host finds it by
// zeDriverGetExtensionFunctionAddress(driver, "xtSoftLastError", …), or as a symbol of this library.
extern "C" __attribute__((visibility("default"))) const char *xtSoftLastError();
