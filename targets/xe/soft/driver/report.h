// What went wrong on the device, for the host: Level Zero has only codes.
#pragma once
#include <cstddef>
#include <string>

namespace xt::soft {

// Keeps the text, prints it to standard error after "xt software device: ", and appends it to the file that the
// environment variable XT_SOFT_REPORT names.
void report(const std::string &text);

} // namespace xt::soft

// The last report of this process; "" if there is none. Valid up to the next report. A host finds it by
// zeDriverGetExtensionFunctionAddress(driver, "xtSoftLastError", …), or as a symbol of this library.
extern "C" __attribute__((visibility("default"))) const char *xtSoftLastError();

// Of an allocation on the device, kernels may touch no more than so many bytes from `first` on: what else the host has put
// there is its own. Reports call the part by the name (null: none). 0 where nothing is allocated there, or less.
extern "C" __attribute__((visibility("default"))) int xtSoftBuffer(void *allocation, size_t first, size_t bytes, const char *name);
