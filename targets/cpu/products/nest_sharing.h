// Determines whether a nest's stores may begin before everything has been read, and what the parts of a workgroup and the
// workgroups of a launch can share.
#pragma once
#include "targets/cpu/products/nest_context.h"

namespace xt {

class NestSharing {
public:
  explicit NestSharing(NestContext &context) : n(context), p(context.problem), b(context.b), e_(context.e) {}

  // The maximum number of parts into which the work of a workgroup can be divided, by panels of columns. It is 0 unless all
  // that the kernel does is to store values computed from one nest.
  static int64_t mostParts(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu);
  // Whether dividing a workgroup repeats little work: no part has to scan, transpose or convert all of `a` first, which every
  // other part would repeat. (Every part copies rows that cannot be read in place. f64 is staged for many columns only, where
  // staging takes little of the time.)
  static bool partsAreCheap(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu);

  // Whether stores may begin before everything has been read, because the matrices do not overlap.
  LlvmValue *isApart(const Op &store);
  // Finds out which workgroups have panels of `b` in common.
  void choosePanels(const Op &store);
  bool mayShare() const { return alike_ != nullptr; } // valid after choosePanels()
  // Writes what xt_plan_nest needs to know about parts and workgroups.
  void setSizes();
  SharedPanel takePanel(const NestBlock &block, const NestPanel &panel);
  LlvmValue *firstPanel(LlvmValue *count);

private:
  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  KernelEmitter &e_;
  LlvmValue *divides_ = nullptr; // whether parts may store while others read; null: there is one part
  LlvmValue *alike_ = nullptr, *columnGroups_ = nullptr; // the words of NestSizes; null: panels are not shared
  LlvmValue *isOddAmongAlike_ = nullptr; // whether this workgroup is odd among those that share
};

} // namespace xt
