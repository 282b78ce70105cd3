#include "ir/op_page.h"

#include "ir/base/text.h"
#include "ir/op_flags.h"

namespace xt {

std::string opPage(const OpInfo &op) {
  std::string out = str(op.summary, ".\n\n    ", op.example, "\n");
  if (op.spellings.size()) out += str("\nAlso spelled ", join(op.spellings, ", "), ".\n");
  if (op.flags.size()) out += str("\nAccepts MLIR's ", flagWords(op), ", which do not change results.\n");
  if (op.attrs.size()) out += "\n";
  for (const AttrSpec &attr : op.attrs)
    out += str("- `", attr.name, "`", attr.required ? "" : " (optional)", ": ", attr.kind == AttrKind::Kind ? "one of " : "",
               attr.doc, "\n");
  return out;
}

std::string hostFnPage(const HostFnInfo &fn) {
  return str("`", fn.example, "`: ", fn.summary, fn.kernels.empty() ? "" : str("; also as ", fn.kernels));
}

} // namespace xt
