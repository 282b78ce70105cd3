// What the tables say of an op or a host function, as Markdown: for the reference and for editors.
#pragma once
#include "ir/host.h"
#include "ir/op_info.h"

#include <string>

namespace xt {

// The page of an op without its heading.
std::string opPage(const OpInfo &op);
// One line of a list.
std::string hostFnPage(const HostFnInfo &fn);

} // namespace xt
