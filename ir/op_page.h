// Renders the table rows of ops, host functions and element types as Markdown, for the reference and for editors.
#pragma once
#include "ir/elem.h"
#include "ir/host.h"
#include "ir/op_info.h"

#include <string>

namespace xt {

// The page of an op without its heading.
std::string opPage(const OpInfo &op);
// One list item for an attribute of an op.
std::string attrItem(const AttrSpec &attr);
// One list item for a host function.
std::string hostFnPage(const HostFnInfo &fn);
// What an element type holds, in one line.
std::string elemPage(Elem elem);

} // namespace xt
