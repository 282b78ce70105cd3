#include "targets/xe/launch_json.h"

#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "ir/effects.h"
#include "ir/gpu/block_rules.h"
#include "ir/print.h"
#include "targets/xe/register_file_options.h"

#include <nlohmann/json.hpp>

namespace xt {
namespace {

using Json = nlohmann::ordered_json;

Json parametersJson(const Kernel &kernel) {
  Json list = Json::array();
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    Type type = kernel.param(i)->type();
    Json parameter = {{"name", kernel.param(i)->name()}, {"type", typeText(type)}};
    if (type.isMemRef()) parameter["elementBytes"] = elemInfo(type.elem()).storageBytes;
    list.push_back(std::move(parameter));
  }
  return list;
}

// The entry point's arguments in order (kernel_abi.h).
Json argumentsJson(const Kernel &kernel, const GpuKernel &code) {
  constexpr int kWord = 8;
  Json list = Json::array();
  auto add = [&](const char *what, int bytes) -> Json & {
    return list.emplace_back(Json{{"index", list.size()}, {"what", what}, {"bytes", bytes}});
  };
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    Type type = kernel.param(i)->type();
    const std::string &name = kernel.param(i)->name();
    if (!type.isMemRef()) {
      add("value", elemInfo(type.elem()).storageBytes)["parameter"] = name;
      continue;
    }
    add("address", kWord)["parameter"] = name;
    for (const char *what : {"size", "stride"})
      for (int d = 0; d < type.rank(); ++d) add(what, kWord).update({{"parameter", name}, {"dimension", d}});
  }
  for (const GridDim &dim : kernel.grid)
    for (const char *what : {"lower", "step"}) add(what, kWord)["variable"] = dim.variable->name();
  if (code.reportsFailures) add("outcome", kWord);
  return list;
}

// The dimensions of the grid, outermost first. `groupId` is the dimension of the group id: x for the last one, y for the one
// before it, and z for all others.
Json gridJson(const Kernel &kernel) {
  Json list = Json::array();
  std::vector<GridText> texts = gridTexts(kernel);
  for (size_t d = 0; d < texts.size(); ++d)
    list.push_back({{"variable", kernel.grid[d].variable->name()},
                    {"groupId", std::string(1, "xyz"[std::min<size_t>(2, texts.size() - 1 - d)])},
                    {"lower", texts[d].lower},
                    {"upper", texts[d].upper},
                    {"step", texts[d].step}});
  return list;
}

Json failuresJson(const GpuKernel &code, const SourceManager &sources) {
  Json list = Json::array();
  for (const LaneFailure &failure : code.failures) {
    Json json = {{"first", failure.first},
                 {"count", productOf(failure.shape)},
                 {"kind", failure.asserted ? "assert" : "misuse"},
                 {"text", failure.text}};
    if (!failure.shape.empty()) json["shape"] = failure.shape;
    if (failure.byWorkgroup) json["byWorkgroup"] = true;
    if (failure.place.file != 0) {
      const SourceFile &file = sources.file(failure.place.file);
      LineColumn at = file.lineColumn(failure.place.begin);
      json.update({{"file", file.name()}, {"line", at.line}, {"column", at.column}});
    }
    list.push_back(std::move(json));
  }
  return list;
}

// The word in which a kernel reports failures; null if it reports none.
Json outcomeJson(const Json &arguments, const GpuKernel &code, const SourceManager &sources) {
  if (!code.reportsFailures) return nullptr;
  return {{"argument", arguments.back()["index"]},
          {"bytes", 8},
          {"initial", "0xffffffffffffffff"},
          {"workgroupShift", 32},
          {"failureShift", subgroupBits(code.subgroups)},
          {"failures", failuresJson(code, sources)}};
}

// All numbers are in bytes; maximalExtent also limits the number of rows.
Json blockRulesJson(const Kernel &kernel, const GpuKernel &code, const BlockRules &rules) {
  Json list = Json::array();
  for (const GpuBlockUse &use : code.blockUses)
    list.push_back({{"parameter", kernel.param(use.param)->name()},
                    {"transposed", use.turned},
                    {"baseAlignment", rules.baseAlignment},
                    {"minimalWidth", rules.minimalWidth},
                    {"widthMultiple", rules.widthMultiple},
                    {"minimalPitch", rules.minimalPitch},
                    {"pitchMultiple", rules.pitchMultiple},
                    {"maximalExtent", rules.maximalExtent}});
  return list;
}

// Names the parameters that the kernel writes: their arguments must not overlap other arguments, or (`orSame`) only arguments
// that are the same array. Null if arguments may overlap in any way.
Json disjointJson(const Kernel &kernel) {
  bool disjoint = kernel.forms.has(Form::Disjoint), orSame = kernel.forms.has(Form::DisjointOrSame);
  if (!disjoint && !orSame) return nullptr;
  Json written = Json::array();
  std::vector<bool> writes = kernelEffects(kernel).writes;
  for (size_t i = 0; i < kernel.paramCount; ++i)
    if (writes[i] && kernel.param(i)->type().isMemRef()) written.push_back(kernel.param(i)->name());
  return {{"parameters", written}, {"orSame", !disjoint}};
}

Json kernelJson(const Kernel &kernel, const GpuKernel &code, const TargetInfo &target, const SourceManager &sources) {
  Json arguments = argumentsJson(kernel, code);
  Json json = {{"kernel", kernel.name},
               {"entry", code.entry},
               {"parameters", parametersJson(kernel)},
               {"arguments", arguments},
               {"grid", gridJson(kernel)},
               {"requires", requirementTexts(kernel)},
               {"workgroup", {code.subgroups * code.subgroupSize, 1, 1}},
               {"subgroupSize", code.subgroupSize},
               {"slmBytes", code.slmBytes},
               {"largeRegisterFile", code.largeRegisterFile}};
  json["buildOptions"] = {{"levelZero", code.largeRegisterFile ? kLargeRegisterFileOption : ""},
                          {"opencl", code.largeRegisterFile ? kClLargeRegisterFileOption : ""}};
  json["outcome"] = outcomeJson(arguments, code, sources);
  json["blockRules"] = blockRulesJson(kernel, code, target.blocks);
  json["disjoint"] = disjointJson(kernel);
  return json;
}

} // namespace

std::string launchJson(const Module &module, const GpuCode &program, const TargetInfo &target, const SourceManager &sources) {
  Json json = {{"target", target.name}, {"blockMessages", target.blocks.any()}, {"kernels", Json::array()}};
  for (size_t i = 0; i < program.kernels.size(); ++i)
    json["kernels"].push_back(kernelJson(*module.kernels[i], program.kernels[i], target, sources));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace xt
