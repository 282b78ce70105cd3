// What xtrun and xtc make of the file of `xtrun --tune`.
#pragma once
#include "targets/target.h"
#include "targets/tools/session.h"

namespace xt {

// The tune file for a file of kernels, as the options say; "" for none. An Error if the named one is not there.
Result<std::string> tuningFile(const CommonOptions &options, const std::string &kernels);

// The values of parameters with which the only launch of `launch`, the module of a command line that launches a kernel of `file`, is
// the fastest.
Result<Defines> valuesForLaunch(const XtrunOptions &options, const Module &launch, const std::string &file, Target &target);

// Adds the tuned kernels to a module without tests, before its passes, for a library.
Result<std::vector<LibraryVariant>> addVariants(const XtcOptions &options, Session &session, Module &module, Target &target);

} // namespace xt
