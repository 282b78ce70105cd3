// What a kernel takes, as the structures of xt.h.
#pragma once
#include "ir/module.h"
#include "targets/api/include/xt/xt.h"

#include <deque>
#include <string>
#include <vector>

namespace xt {

class KernelInfo {
public:
  // The kernel must not have gone through passes yet: these may change what a person would recognise.
  KernelInfo(const Kernel &kernel, const Module &module, const SourceManager &sources);
  KernelInfo(const KernelInfo &) = delete;
  KernelInfo &operator=(const KernelInfo &) = delete;

  const xt_kernel_info &info() const { return info_; }
  const std::string &name() const { return name_; }
  // Per parameter: whether it is an array that the kernel may write.
  bool writes(size_t parameter) const { return parameters_[parameter].info.writes != 0; }
  const std::string &parameterName(size_t parameter) const { return parameters_[parameter].name; }

private:
  struct Parameter {
    std::string name, type;
    std::vector<int64_t> shape, strides;
    xt_parameter info;
  };
  void addParameter(const Value &parameter, bool reads, bool writes);

  std::string name_, signature_, json_;
  std::deque<Parameter> parameters_; // elements never move
  std::vector<const xt_parameter *> list_;
  xt_kernel_info info_;
};

} // namespace xt
