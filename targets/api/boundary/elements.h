// The element types of xt.h as those of the compiler.
#pragma once
#include "ir/elem.h"
#include "targets/api/include/xt/xt.h"

namespace xt {

// nullopt for a value that is no element type.
std::optional<Elem> elemOf(xt_element element);
xt_element elementOf(Elem elem);

} // namespace xt
