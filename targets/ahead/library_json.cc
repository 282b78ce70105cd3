#include "targets/ahead/library_text.h"

#include "ir/base/text.h"
#include "ir/effects.h"
#include "ir/print.h"

#include <nlohmann/json.hpp>

namespace xt {
namespace {

using Json = nlohmann::ordered_json;

Json openNumbers(std::span<const int64_t> numbers) {
  Json list = Json::array();
  for (int64_t number : numbers) list.push_back(number == kDynamic ? Json() : Json(number));
  return list;
}

Json parametersJson(const Kernel &kernel) {
  Json list = Json::array();
  KernelEffects effects = kernelEffects(kernel);
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    Type type = kernel.param(i)->type();
    Json item = {{"name", kernel.param(i)->name()}, {"type", typeText(type)}, {"element", elemName(type.elem())}};
    if (type.isMemRef()) {
      item["shape"] = openNumbers(type.shape());
      item["strides"] = openNumbers(memrefStrides(type));
      item["reads"] = static_cast<bool>(effects.reads[i]);
      item["writes"] = static_cast<bool>(effects.writes[i]);
    }
    list.push_back(std::move(item));
  }
  return list;
}

} // namespace

std::string libraryJson(const Module &module, const LibraryFacts &facts, const LibraryNames &names) {
  Json json;
  json["library"] = names.name;
  json["source"] = names.source;
  json["compiler"] = names.maker;
  if (!facts.target.empty()) json["target"] = facts.target;
  if (!facts.levels.empty()) json["levels"] = facts.levels;
  json["kernels"] = Json::array();
  for (size_t k = 0; k < module.kernels.size(); ++k) {
    const Kernel &kernel = *module.kernels[k];
    if (isVariant(kernel)) continue;
    Json item = {{"kernel", kernel.name}, {"function", functionName(names, kernel)}, {"parameters", parametersJson(kernel)}};
    item["grid"] = Json::array();
    for (const GridDim &dim : kernel.grid) item["grid"].push_back(dim.variable->name());
    item["requires"] = requirementTexts(kernel);
    if (k < facts.scratchBytes.size()) {
      item["scratchBytes"] = Json::object(); // per thread
      for (size_t l = 0; l < facts.levels.size(); ++l) item["scratchBytes"][facts.levels[l]] = facts.scratchBytes[k][l];
    }
    item["variants"] = Json::array(); // launches of the nearest size run the named kernel
    for (const LibraryVariant &variant : names.variants)
      if (variant.kernel == kernel.name) item["variants"].push_back({{"name", variant.name}, {"arrays", variant.arrays}});
    json["kernels"].push_back(std::move(item));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace xt
