#include "ir/interp/disjoint_arguments.h"

#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "ir/effects.h"
#include "ir/interp/launch_state.h"

namespace xt {
namespace {

// Whether equal indices of the two buffers refer to the same bytes.
bool isSameArray(const BufferView &a, const BufferView &b) {
  bool same =
      a.data == b.data && a.sizes.size() == b.sizes.size() && elemInfo(a.elem).storageBytes == elemInfo(b.elem).storageBytes;
  for (size_t d = 0; same && d < a.sizes.size(); ++d)
    same = a.strides[d] == b.strides[d] || (a.sizes[d] <= 1 && b.sizes[d] <= 1);
  return same;
}

} // namespace

OverlapRule overlapRuleOf(const Kernel &kernel) {
  if (kernel.forms.has(Form::Disjoint)) return OverlapRule::Disjoint;
  return kernel.forms.has(Form::DisjointOrSame) ? OverlapRule::DisjointOrSame : OverlapRule::Any;
}

std::string whyNotDisjoint(OverlapRule rule, const Kernel &kernel, const std::vector<bool> &writes,
                           const std::vector<LaunchArg> &args) {
  if (rule == OverlapRule::Any) return "";
  auto isArray = [&](size_t i) { return kernel.param(i)->type().isMemRef() && args[i].buffer.data; };
  auto name = [&](size_t i) { return str("`%", kernel.param(i)->name(), "`"); };
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    if (!writes[i] || !isArray(i)) continue;
    if (!haveDistinctPlaces(args[i].buffer.sizes, args[i].buffer.strides))
      return str("some elements of ", name(i), " have several indices");
    for (size_t k = 0; k < kernel.paramCount; ++k) {
      if (k == i || !isArray(k) || !overlap(args[i].buffer, args[k].buffer)) continue;
      bool distinct = haveDistinctPlaces(args[k].buffer.sizes, args[k].buffer.strides);
      if (rule == OverlapRule::Disjoint || !distinct || !isSameArray(args[i].buffer, args[k].buffer))
        return str(name(i), " overlaps ", name(k));
    }
  }
  return "";
}

std::string whyNotDisjoint(const Kernel &kernel, const std::vector<LaunchArg> &args) {
  const OverlapRule rule = overlapRuleOf(kernel);
  return rule == OverlapRule::Any ? "" : whyNotDisjoint(rule, kernel, kernelEffects(kernel).writes, args);
}

Result<void> checkDisjoint(const Kernel &kernel, const std::vector<LaunchArg> &args) {
  std::string why = whyNotDisjoint(kernel, args);
  if (why.empty()) return {};
  Form form = overlapRuleOf(kernel) == OverlapRule::Disjoint ? Form::Disjoint : Form::DisjointOrSame;
  return Error::environment(str("@", kernel.name, " has the form `", formText(form), "`, but ", why), kernel.nameRange);
}

} // namespace xt
