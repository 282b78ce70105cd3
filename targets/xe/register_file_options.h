// How a kernel asks Intel's drivers for the large register file.
#pragma once

namespace xt {

// Build options of zeModuleCreate and of clBuildProgram: 256 registers per thread instead of 128, with half as many threads.
inline constexpr const char *kLargeRegisterFileOption = "-ze-opt-large-register-file";
inline constexpr const char *kClLargeRegisterFileOption = "-cl-intel-256-GRF-per-thread";

} // namespace xt
