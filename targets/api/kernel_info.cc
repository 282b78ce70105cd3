#include "targets/api/kernel_info.h"

#include "ir/effects.h"
#include "targets/api/boundary/elements.h"
#include "targets/compile/describe.h"

#include <nlohmann/json.hpp>

namespace xt {
namespace {

std::vector<int64_t> withDynamic(std::span<const int64_t> numbers) {
  std::vector<int64_t> out(numbers.begin(), numbers.end());
  for (int64_t &number : out)
    if (number == kDynamic) number = XT_DYNAMIC;
  return out;
}

} // namespace

KernelInfo::KernelInfo(const Kernel &kernel, const Module &module, const SourceManager &sources)
    : name_(kernel.name), info_(XT_INIT(xt_kernel_info)) {
  nlohmann::ordered_json json = describeJson(module, &kernel, sources)["kernels"][0];
  signature_ = json["signature"].get<std::string>();
  json_ = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  KernelEffects effects = kernelEffects(kernel);
  for (size_t i = 0; i < kernel.paramCount; ++i) addParameter(*kernel.param(i), effects.reads[i], effects.writes[i]);
  for (const Parameter &parameter : parameters_) list_.push_back(&parameter.info);
  info_.name = name_.c_str();
  info_.signature = signature_.c_str();
  info_.parameters = list_.data();
  info_.parameter_count = list_.size();
  info_.grid_rank = static_cast<int32_t>(kernel.grid.size());
  info_.json = json_.c_str();
}

void KernelInfo::addParameter(const Value &parameter, bool reads, bool writes) {
  Type type = parameter.type();
  Parameter &out = parameters_.emplace_back();
  out.name = parameter.name();
  out.type = typeText(type);
  out.info = XT_INIT(xt_parameter);
  out.info.name = out.name.c_str();
  out.info.type = out.type.c_str();
  out.info.element = elementOf(type.elem());
  out.info.is_array = type.isMemRef();
  out.info.reads = reads;
  out.info.writes = writes;
  if (!type.isMemRef()) return;
  out.shape = withDynamic(type.shape());
  out.strides = withDynamic(memrefStrides(type));
  out.info.rank = type.rank();
  out.info.shape = out.shape.data();
  out.info.strides = out.strides.data();
}

} // namespace xt
