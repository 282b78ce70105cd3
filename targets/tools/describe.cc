#include "targets/tools/describe.h"

#include "ir/base/text.h"
#include "ir/cost.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace xt {
namespace {

using Json = nlohmann::ordered_json;

// The header line of the kernel's own text: everything before its body.
std::string signatureOf(const Kernel &kernel, const Module &module) {
  std::string text = print(kernel, module);
  text = text.substr(0, text.find(" {\n"));
  size_t form = text.find(" form ");
  return form == std::string::npos ? text : text.substr(0, form);
}

struct LayoutUse {
  const Layout *layout;
  Type type;
  int values;
};
// Each layout of vectors and tiles with one of its shapes, in program order.
std::vector<LayoutUse> layoutsOf(const Kernel &kernel) {
  std::vector<LayoutUse> uses;
  walk(const_cast<Block &>(kernel.body), [&](Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i) {
      Type type = op.result(i)->type();
      if (!(type.isVector() || type.isTile()) || !type.layout()) continue;
      auto known = std::find_if(uses.begin(), uses.end(), [&](const LayoutUse &u) { return u.layout == type.layout() && u.type.elem() == type.elem(); });
      if (known == uses.end()) uses.push_back({type.layout(), type, 1});
      else ++known->values;
    }
  });
  return uses;
}

int64_t bytesHeld(const LayoutUse &use) {
  int64_t elements = 1;
  for (int64_t extent : use.layout->subgroupShape()) elements *= extent;
  return elements * elemInfo(use.type.elem()).storageBytes;
}

Json describeJson(const Kernel &kernel, const Module &module) {
  KernelCost cost = kernelCost(kernel);
  Json json;
  json["kernel"] = kernel.name;
  json["signature"] = signatureOf(kernel, module);
  json["parameters"] = Json::array();
  for (size_t i = 0; i < kernel.paramCount; ++i)
    json["parameters"].push_back({{"name", kernel.param(i)->name()}, {"type", typeText(kernel.param(i)->type())}});
  json["scope"] = kernel.scope == Scope::Workgroup ? "workgroup" : "subgroup";
  json["subgroups"] = kernel.subgroups;
  json["gridDimensions"] = kernel.grid.size();
  json["layouts"] = Json::array();
  for (const LayoutUse &use : layoutsOf(kernel))
    json["layouts"].push_back({{"layout", use.layout->text()}, {"shape", shapeText(use.layout->shape())}, {"element", elemName(use.type.elem())},
                               {"bytesPerSubgroup", bytesHeld(use)}, {"values", use.values}});
  json["slmBytes"] = cost.slmBytes;
  json["operations"] = cost.operations;
  json["bytesRead"] = cost.bytesRead;
  json["bytesWritten"] = cost.bytesWritten;
  json["perStep"] = cost.perStep;
  return json;
}

std::string describeText(const Kernel &kernel, const Module &module) {
  KernelCost cost = kernelCost(kernel);
  std::string out = signatureOf(kernel, module) + "\n";
  out += str("  scope: ", kernel.scope == Scope::Workgroup ? "workgroup" : "subgroup", ", ", kernel.subgroups, " subgroup",
             kernel.subgroups == 1 ? "" : "s", " in a workgroup\n");
  for (const LayoutUse &use : layoutsOf(kernel))
    out += str("  layout ", use.layout->text(), " of ", shapeText(use.layout->shape()), "x", elemName(use.type.elem()), ": ", bytesHeld(use),
               " bytes in each subgroup, ", use.values, use.values == 1 ? " value\n" : " values\n");
  if (cost.slmBytes) out += str("  shared local memory: ", cost.slmBytes, " bytes\n");
  out += str("  a workgroup", cost.perStep ? ", loops of unknown length counted once" : "", ": ", floatText(cost.operations), " operations, ",
             floatText(cost.bytesRead), " bytes read, ", floatText(cost.bytesWritten), " bytes written\n");
  return out;
}

} // namespace

std::string describe(const Module &module, const std::string &kernel, bool json) {
  std::string out;
  Json list = Json::array();
  for (const auto &k : module.kernels) {
    if (!kernel.empty() && k->name != kernel) continue;
    if (json) list.push_back(describeJson(*k, module));
    else out += describeText(*k, module);
  }
  return json ? list.dump(2) + "\n" : out;
}

} // namespace xt
