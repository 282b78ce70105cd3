#include "ir/op_page.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_flags.h"

namespace xt {

std::string attrItem(const AttrSpec &attr) {
  return str("`", attr.name, "`", attr.required ? "" : " (optional)", ": ", attr.kind == AttrKind::Kind ? "one of " : "",
             attr.doc);
}

std::string opPage(const OpInfo &op) {
  std::string out = str(op.summary, ".\n\n    ", op.example, "\n");
  if (op.spellings.size()) out += str("\nAlso spelled ", join(op.spellings, ", "), ".\n");
  if (op.flags.size()) out += str("\nAccepts MLIR's ", flagWords(op), ", which do not change results.\n");
  if (op.attrs.size()) out += "\n";
  for (const AttrSpec &attr : op.attrs) out += str("- ", attrItem(attr), "\n");
  return out;
}

std::string hostFnPage(const HostFnInfo &fn) {
  return str("`", fn.example, "`: ", fn.summary, fn.kernels.empty() ? "" : str("; also as ", fn.kernels));
}

namespace {

std::string floatText(const ElemInfo &info) {
  if (isScale(info.elem))
    return str("the powers of two from 2^", info.minExponent, " to 2^", info.maxExponent, ", and NaN; scales of blocks");
  std::string_view specials = info.specials == FloatSpecials::Ieee  ? "with infinities and NaN"
                              : info.specials == FloatSpecials::Nan ? "with NaN, without infinities"
                                                                    : "without infinities and NaN";
  return str("a float of ", info.bits, " bits, ", info.precision, " of them significant, exponents from ", info.minExponent,
             " to ", info.maxExponent, ", ", specials);
}

} // namespace

std::string elemPage(Elem elem) {
  const ElemInfo &info = elemInfo(elem);
  std::string text = str("`", info.name, "`: ");
  if (info.isFloat)
    text += floatText(info);
  else if (elem == Elem::I1)
    text += "true or false";
  else if (elem == Elem::Index)
    text += "an integer for sizes, offsets and indices, signed";
  else
    text += str(info.isUnsigned ? "an unsigned" : "a signed", " integer of ", info.bits, " bits");
  if (isStorageFloat(elem)) text += "; only stored and converted";
  if (info.bits != info.storageBytes * 8)
    text += str("; takes ", info.storageBytes, info.storageBytes == 1 ? " byte" : " bytes", " in memory");
  return text;
}

} // namespace xt
