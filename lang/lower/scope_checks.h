// Checks that each op of a kernel has a meaning at the kernel's scope and at its position.
#pragma once
#include "ir/infer/layout_inference.h"
#include "lang/ast.h"

namespace xt {

// Whether the source states a layout anywhere in the kernel, before layouts are inferred.
bool hasLayouts(const Kernel &kernel, const WrittenLayouts &written);

// Whether the layouts, lanes and blocks of a kernel can appear together; otherwise reports an error. Runs before layouts are
// inferred. `written` has the sources.
bool fitsScope(const ast::KernelDecl &decl, Kernel &kernel, const WrittenLayouts &written, Diagnostics &diagnostics);

// Reports ops that are not allowed where they are, such as a barrier that not all subgroups reach. Runs after layouts are
// inferred, which determines the scope.
void checkPlaces(Kernel &kernel, const SourceManager &sources, Diagnostics &diagnostics);

} // namespace xt
