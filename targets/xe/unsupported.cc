#include "targets/xe/unsupported.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"

namespace xt {
namespace {

bool hasF64(Type type) { return type && type.elem() == Elem::F64; }

bool usesF64(const Block &block) {
  bool uses = false;
  for (size_t i = 0; i < block.params().size(); ++i) uses |= hasF64(block.param(i)->type());
  walk(block, [&](const Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i) uses |= hasF64(op.result(i)->type());
  });
  return uses;
}

} // namespace

std::string whyUnsupported(const Kernel &kernel, const TargetInfo &target) {
  if (target.f64 || !usesF64(kernel.body)) return "";
  return str("it uses f64, which ", target.name, " does not have");
}

} // namespace xt
