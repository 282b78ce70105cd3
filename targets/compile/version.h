// The version of the tools.
#pragma once

namespace xt {

// "xt 0.1.0 (1f0c2a9b3d4e)": the number of the project in CMakeLists.txt, and the commit that was built, with "-dirty" after it
// if files differed from it. Without the commit if the sources are in no git repository.
extern const char *const kVersion;

} // namespace xt
