// Renders the table rows of ops and host functions as Markdown, for the reference and for editors.
#pragma once
#include "ir/host.h"
#include "ir/op_info.h"

#include <string>

namespace xt {

// The page of an op without its heading.
std::string opPage(const OpInfo &op);
// One list item for a host function.
std::string hostFnPage(const HostFnInfo &fn);

} // namespace xt
