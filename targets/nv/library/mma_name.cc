#include "targets/nv/library/mma_name.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"

namespace xt {
namespace {

// PTX's name of an element type of operands.
std::string_view ptxName(Elem elem) {
  switch (elem) {
  case Elem::I8: return "s8";
  case Elem::U8: return "u8";
  case Elem::F64: return "f64";
  case Elem::F32: return "f32";
  case Elem::TF32: return "tf32";
  case Elem::F16: return "f16";
  case Elem::BF16: return "bf16";
  case Elem::F8E4M3: return "e4m3";
  case Elem::F8E5M2: return "e5m2";
  default: XT_UNREACHABLE("the target's table has no products of this type");
  }
}

// The types that the name spells: those of the result and of c for f16, all four for f8, and otherwise those of a and b, once if
// they are the same.
std::string typesInName(const MmaShape &product) {
  std::string_view a = ptxName(product.a), b = ptxName(product.b);
  if (product.a == Elem::F16) return str(ptxName(product.result), ".", ptxName(product.result));
  if (elemInfo(product.a).isFloat && elemInfo(product.a).bits == 8)
    return str(ptxName(product.result), ".", a, ".", b, ".", ptxName(product.result));
  return a == b ? std::string(a) : str(a, ".", b);
}

} // namespace

std::string mmaIntrinsicName(const MmaShape &product) {
  return str("llvm.nvvm.mma.m", product.m, "n", product.n, "k", product.k, ".row.col.", typesInName(product));
}

const MmaInstruction *mmaOfIntrinsic(const TargetInfo &target, std::string_view name) {
  for (const MmaInstruction &product : target.mma)
    if (mmaIntrinsicName(product) == name) return &product;
  return nullptr;
}

} // namespace xt
