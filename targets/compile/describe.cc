#include "targets/compile/describe.h"

#include "ir/base/text.h"
#include "ir/cost.h"
#include "ir/launch.h"
#include "ir/op_kinds.h"
#include "ir/print.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace xt {
namespace {

using Json = nlohmann::ordered_json;

// The header of the kernel's text: everything before its body.
std::string signatureOf(const Kernel &kernel, const Module &module) {
  std::string text = print(kernel, module);
  text = text.substr(0, text.find(" {\n"));
  size_t form = text.find(" form ");
  return form == std::string::npos ? text : text.substr(0, form);
}

const char *scopeText(const Kernel &kernel) {
  switch (kernel.scope) {
  case Scope::Workgroup: return "workgroup";
  case Scope::Subgroup: return "subgroup";
  case Scope::Lane: return "lane";
  }
  return "";
}

// Each layout of vectors and tiles with its shape and type, in program order.
struct LayoutUse {
  Type type;
  int values;
};
std::vector<LayoutUse> layoutsOf(const Kernel &kernel) {
  std::vector<LayoutUse> uses;
  walk(kernel.body, [&](const Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i) {
      Type type = op.result(i)->type();
      if (!(type.isVector() || type.isTile()) || !type.layout()) continue;
      auto known = std::find_if(uses.begin(), uses.end(), [&](const LayoutUse &u) {
        return u.type.layout() == type.layout() && u.type.elem() == type.elem();
      });
      if (known == uses.end())
        uses.push_back({type, 1});
      else
        ++known->values;
    }
  });
  return uses;
}

int64_t bytesHeld(const LayoutUse &use) {
  int64_t elements = 1;
  for (int64_t extent : use.type.layout()->subgroupShape()) elements *= extent;
  return elements * elemInfo(use.type.elem()).storageBytes;
}

// Whether an expression of the header reads this value.
bool reads(const Value &expression, const Value *param) {
  const Op *op = expression.definingOp();
  if (!op) return &expression == param;
  return std::ranges::any_of(op->operands(), [&](const Value *operand) { return reads(*operand, param); });
}

bool gridReads(const Kernel &kernel, size_t param) {
  const Value *value = kernel.gridBlock.param(param);
  return std::ranges::any_of(kernel.grid, [&](const GridDim &dim) {
    return reads(*dim.lower, value) || reads(*dim.upper, value) || reads(*dim.step, value);
  });
}

// The grid of a launch, if static extents and constants determine it.
std::optional<std::vector<GridRange>> gridOf(const Kernel &kernel) {
  if (kernel.grid.empty()) return std::nullopt;
  std::byte somewhere{}; // a grid depends on sizes only, but a buffer needs an address
  std::vector<LaunchArg> args(kernel.paramCount);
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    Type type = kernel.param(i)->type();
    if (!type.isMemRef()) {
      if (gridReads(kernel, i)) return std::nullopt;
      if (isFloat(type.elem())) args[i].kind = LaunchArg::Kind::Float;
      continue;
    }
    if (!type.hasStaticShape() && gridReads(kernel, i)) return std::nullopt;
    args[i].kind = LaunchArg::Kind::Buffer;
    args[i].buffer.data = &somewhere;
    args[i].buffer.elem = type.elem();
    for (int64_t extent : type.shape()) args[i].buffer.sizes.push_back(extent == kDynamic ? 1 : extent);
    args[i].buffer.strides = memrefStrides(type);
    for (int64_t &stride : args[i].buffer.strides)
      if (stride == kDynamic) stride = 1; // no grid depends on strides
  }
  Result<std::vector<GridRange>> grid = gridRanges(kernel, args);
  if (!grid) return std::nullopt;
  return std::move(*grid);
}

std::optional<int64_t> workgroupsOf(const std::optional<std::vector<GridRange>> &grid) {
  if (!grid) return std::nullopt;
  int64_t count = 1;
  for (const GridRange &range : *grid) count *= range.count;
  return count;
}

// "4 x 2 = 8 workgroups"
std::string gridText(const std::vector<GridRange> &grid, int64_t workgroups) {
  std::vector<int64_t> counts;
  for (const GridRange &range : grid) counts.push_back(range.count);
  return str(counts.size() > 1 ? join(counts, " x ") + " = " : "", workgroups, " workgroup", workgroups == 1 ? "" : "s");
}

// One entry for each variable of the grid, outermost first; the last one is block_id x.
Json gridJson(const Kernel &kernel, const std::optional<std::vector<GridRange>> &grid) {
  Json list = Json::array();
  for (size_t d = 0; d < kernel.grid.size(); ++d)
    list.push_back({{"variable", kernel.grid[d].variable->name()},
                    {"blockId", std::string(1, "xyz"[kernel.grid.size() - 1 - d])},
                    {"workgroups", grid ? Json((*grid)[d].count) : Json()}});
  return list;
}

// The buffers in shared local memory, in program order.
std::vector<const Op *> slmBuffersOf(const Kernel &kernel) {
  std::vector<const Op *> buffers;
  for (const Op &op : kernel.body)
    if (op.kind() == OpKind::AllocSlm) buffers.push_back(&op);
  return buffers;
}

// --- counts ----------------------------------------------------------------------------------------------------------

std::string countText(double count) { return count < 0x1p53 ? str(static_cast<int64_t>(count)) : floatText(count); }

std::string countsText(const OpCounts &counts) {
  if (counts == OpCounts()) return "nothing";
  std::string text = str(countText(counts.operations()), " operations");
  if (counts.mma > 0 && counts.elementwise > 0) text += str(" (", countText(counts.mma), " in tile_mma)");
  text += str(", ", countText(counts.bytesRead), " bytes read, ", countText(counts.bytesWritten), " bytes written");
  if (counts.slmBytesRead + counts.slmBytesWritten > 0)
    text += str("; shared local memory: ", countText(counts.slmBytesRead), " bytes read, ", countText(counts.slmBytesWritten),
                " written");
  return text;
}

std::string placeText(const Op &op, const SourceManager &sources) {
  if (op.range().file == 0) return "?";
  LineColumn at = sources.file(op.range().file).lineColumn(op.range().begin);
  return str(at.line, ":", at.column);
}

void loopsText(std::string &out, const std::vector<LoopCost> &loops, const SourceManager &sources, std::string indent) {
  for (const LoopCost &loop : loops) {
    std::string often = loop.entered == 1 ? "" : str(" (entered ", countText(loop.entered), " times)");
    out +=
        str(indent, "each iteration of the loop at ", placeText(*loop.loop, sources), often, ": ", countsText(loop.step), "\n");
    loopsText(out, loop.inner, sources, indent + "  ");
  }
}

OpCounts times(OpCounts counts, double n) {
  for (double *field : {&counts.mma, &counts.elementwise, &counts.bytesRead, &counts.bytesWritten, &counts.slmBytesRead,
                        &counts.slmBytesWritten})
    *field *= n;
  return counts;
}

Json number(double count) { return count < 0x1p53 ? Json(static_cast<int64_t>(count)) : Json(count); }

Json countsJson(const OpCounts &counts) {
  return {{"operations", number(counts.operations())},   {"mmaOperations", number(counts.mma)},
          {"bytesRead", number(counts.bytesRead)},       {"bytesWritten", number(counts.bytesWritten)},
          {"slmBytesRead", number(counts.slmBytesRead)}, {"slmBytesWritten", number(counts.slmBytesWritten)}};
}

Json loopsJson(const std::vector<LoopCost> &loops, const SourceManager &sources) {
  Json list = Json::array();
  for (const LoopCost &loop : loops) {
    Json item;
    item["at"] = placeText(*loop.loop, sources);
    item["entered"] = number(loop.entered);
    item["perStep"] = countsJson(loop.step);
    item["loops"] = loopsJson(loop.inner, sources);
    list.push_back(std::move(item));
  }
  return list;
}

// --- one kernel ------------------------------------------------------------------------------------------------------

Json kernelJson(const Kernel &kernel, const Module &module, const SourceManager &sources) {
  KernelCost cost = kernelCost(kernel);
  std::optional<std::vector<GridRange>> grid = gridOf(kernel);
  std::optional<int64_t> workgroups = workgroupsOf(grid);
  TypeNames names(&module);
  Json json;
  json["kernel"] = kernel.name;
  json["signature"] = signatureOf(kernel, module);
  json["parameters"] = Json::array();
  for (size_t i = 0; i < kernel.paramCount; ++i)
    json["parameters"].push_back({{"name", kernel.param(i)->name()}, {"type", typeText(kernel.param(i)->type())}});
  json["scope"] = scopeText(kernel);
  json["subgroups"] = kernel.subgroups;
  if (kernel.scope == Scope::Lane) json["lanes"] = kernel.lanes;
  json["grid"] = gridJson(kernel, grid);
  json["requires"] = requirementTexts(kernel);
  json["workgroups"] = workgroups ? Json(*workgroups) : Json();
  json["layouts"] = Json::array();
  for (const LayoutUse &use : layoutsOf(kernel))
    json["layouts"].push_back({{"name", names.layoutOf(use.type)},
                               {"layout", use.type.layout()->text()},
                               {"shape", std::vector<int64_t>(use.type.shape().begin(), use.type.shape().end())},
                               {"element", elemName(use.type.elem())},
                               {"subgroupShape", use.type.layout()->subgroupShape()},
                               {"bytesPerSubgroup", bytesHeld(use)},
                               {"values", use.values}});
  json["slmBytes"] = cost.slmBytes;
  json["slmBuffers"] = Json::array();
  for (const Op *buffer : slmBuffersOf(kernel))
    json["slmBuffers"].push_back({{"name", buffer->result()->name()},
                                  {"type", typeText(buffer->result()->type())},
                                  {"bytes", buffer->result()->type().byteCount()},
                                  {"at", placeText(*buffer, sources)}});
  json["workgroup"] = countsJson(cost.known);
  json["loops"] = loopsJson(cost.loops, sources);
  json["upperBounds"] = cost.branches;
  json["launch"] = workgroups && cost.loops.empty() ? countsJson(times(cost.known, static_cast<double>(*workgroups))) : Json();
  return json;
}

std::string kernelText(const Kernel &kernel, const Module &module, const SourceManager &sources) {
  KernelCost cost = kernelCost(kernel);
  std::optional<std::vector<GridRange>> grid = gridOf(kernel);
  std::optional<int64_t> workgroups = workgroupsOf(grid);
  std::string out = signatureOf(kernel, module) + "\n";
  out += str("  scope: ", scopeText(kernel), ", ", kernel.subgroups, " subgroup", kernel.subgroups == 1 ? "" : "s",
             " per workgroup", kernel.scope == Scope::Lane ? str(", ", kernel.lanes, " lanes each") : "", "\n");
  if (workgroups)
    out += str("  grid: ", gridText(*grid, *workgroups), "\n");
  else if (kernel.grid.empty())
    out += "  grid: given by the launch, or one workgroup\n";
  for (const LayoutUse &use : layoutsOf(kernel)) {
    std::string name, text = use.type.layout()->text();
    for (const LayoutAlias *alias : aliasesOf(module.context(), module.aliases, use.type, use.type.layout()))
      name += str(name.empty() ? "#" : " or #", alias->name);
    out += str("  layout ", name.empty() ? "" : name + ", here ", text, " of ", shapeText(use.type.shape()), "x",
               elemName(use.type.elem()), ": ", shapeText(use.type.layout()->subgroupShape()), ", ", bytesHeld(use),
               " bytes per subgroup; ", use.values, use.values == 1 ? " value\n" : " values\n");
  }
  if (cost.slmBytes) out += str("  shared local memory: ", cost.slmBytes, " bytes per workgroup\n");
  for (const Op *buffer : slmBuffersOf(kernel))
    out += str("    %", buffer->result()->name(), " at ", placeText(*buffer, sources), ": ",
               shapedText(buffer->result()->type()), ", ", buffer->result()->type().byteCount(), " bytes\n");
  const char *most = cost.branches ? " (at most, because of branches)" : "";
  out +=
      str("  per workgroup", cost.loops.empty() ? "" : ", outside the loops below", most, ": ", countsText(cost.known), "\n");
  loopsText(out, cost.loops, sources, "  ");
  if (workgroups && cost.loops.empty())
    out += str("  per launch", most, ": ", countsText(times(cost.known, static_cast<double>(*workgroups))), "\n");
  return out;
}

template <class F> void eachKernel(const Module &module, const Kernel *only, F f) {
  for (const auto &kernel : module.kernels)
    if (!only || kernel.get() == only) f(*kernel);
}

} // namespace

std::string describeText(const Module &module, const Kernel *only, const SourceManager &sources) {
  std::string out;
  for (const ModuleParam &param : module.params) {
    std::vector<std::string> targets;
    for (const TargetValue &of : param.targets) targets.push_back(str('"', of.target, "\" = ", of.value));
    out += str("param $", param.name, " : ", param.type, " = ", param.value,
               param.choices.empty() ? "" : " in [" + join(param.choices, ", ") + "]",
               targets.empty() ? "" : " for " + join(targets, ", "), "\n");
  }
  eachKernel(module, only, [&](const Kernel &kernel) { out += kernelText(kernel, module, sources); });
  return out;
}

Json describeJson(const Module &module, const Kernel *only, const SourceManager &sources) {
  Json json;
  json["parameters"] = Json::array();
  for (const ModuleParam &param : module.params) {
    Json targets = Json::object();
    for (const TargetValue &of : param.targets) targets[of.target] = of.value;
    json["parameters"].push_back({{"name", param.name},
                                  {"type", param.type},
                                  {"value", param.value},
                                  {"choices", param.choices},
                                  {"targets", std::move(targets)}});
  }
  json["kernels"] = Json::array();
  eachKernel(module, only, [&](const Kernel &kernel) { json["kernels"].push_back(kernelJson(kernel, module, sources)); });
  return json;
}

} // namespace xt
