#include "targets/xe/emit/emit.h"
namespace xt {
Result<XeProgram> compileToSpirv(const Module &, const TargetInfo &, const XeEmitOptions &, Diagnostics &) { return Error::environment("no code for this target yet"); }
}
