// The attributes of joint_matrix types (sycl_ext_oneapi_matrix).
#pragma once
#include "lang/check/types.h"

namespace xt {

// Whether an attribute is a use, a layout of memory or a scope, with or without its key, or a word that may be meant as one.
bool isMatrixWord(const ast::Attr::Entry &entry);
// Takes such an attribute. Returns false if an error was reported.
bool takeMatrixWord(Diagnostics &diagnostics, const ast::Attr::Entry &entry, JointMatrix &matrix);
// Checks what the attributes of a joint_matrix say together. Returns false if an error was reported.
bool jointMatrixFits(Diagnostics &diagnostics, SourceRange range, const TypeData &data, const ShapedAttrs &attrs);

} // namespace xt
