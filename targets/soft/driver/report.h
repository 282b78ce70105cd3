// Reports failures on the device to the host as text, because Level Zero has only result codes.
#pragma once
#include <cstddef>
#include <string>

namespace xt::soft {

// Stores the text, prints it to standard error after "xt software device: ", and appends it to the file named by the
// environment variable XT_SOFT_REPORT.
void report(const std::string &text);

} // namespace xt::soft

// Returns the last report of this process; "" if there is none. The text is valid until the next report. A host obtains the
// function by zeDriverGetExtensionFunctionAddress(driver, "xtSoftLastError", …), or as a symbol of this library.
extern "C" __attribute__((visibility("default"))) const char *xtSoftLastError();

// Restricts kernels to `bytes` bytes from `first` on in an allocation on the device; the rest of it holds the host's own data.
// Reports use `name` for this part (null: no name). Returns 0 if no allocation begins at this address, or if the part is not
// inside of it.
extern "C" __attribute__((visibility("default"))) int xtSoftBuffer(void *allocation, size_t first, size_t bytes,
                                                                   const char *name);
