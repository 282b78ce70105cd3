#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"
#include "ir/target_info.h"
#include "targets/xe/kernel_abi.h"
namespace xt {
struct XeEmitOptions {};
Result<XeProgram> compileToSpirv(const Module &module, const TargetInfo &target, const XeEmitOptions &options, Diagnostics &diagnostics);
}
