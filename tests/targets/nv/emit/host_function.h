// A mathematical function of targets/nv/emit/functions.h as code of this machine's processor.
#pragma once
#include "targets/llvm/linked_object.h"
#include "targets/llvm/machine.h"
#include "targets/nv/emit/functions.h"

#include <llvm/TargetParser/Host.h>

#include <gtest/gtest.h>

#include <cmath>

namespace xt::test {

// `Float`: float or double. The function takes vectors of `lanes` numbers at a time (1: no vectors).
template <class Float> class HostFunction {
public:
  HostFunction(OpKind kind, unsigned lanes) : lanes_(lanes) {
    llvm::LLVMContext context;
    llvm::Module module("test", context);
    llvm::IRBuilder<> b(context);
    llvm::Type *pointer = b.getPtrTy(), *count = b.getInt64Ty();
    auto *function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, pointer, count}, false),
                                            llvm::Function::ExternalLinkage, "f", module);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
    llvm::Type *type = sizeof(Float) == 4 ? b.getFloatTy() : b.getDoubleTy();
    if (lanes > 1) type = llvm::FixedVectorType::get(type, lanes);
    forLoop(b, b.getInt64(0), function->getArg(3), b.getInt64(lanes), [&](LlvmValue *i) {
      auto at = [&](unsigned n) { return b.CreateGEP(type->getScalarType(), function->getArg(n), {i}); };
      auto load = [&](unsigned n) { return b.CreateAlignedLoad(type, at(n), llvm::Align(sizeof(Float))); };
      LlvmValues args{load(0), load(1)};
      if (kind != OpKind::PowF && kind != OpKind::RemF) args.pop_back();
      b.CreateAlignedStore(nvFunction(b, kind, args), at(2), llvm::Align(sizeof(Float)));
    });
    b.CreateRetVoid();
    EXPECT_TRUE(verifyLlvm(module).ok());
    std::string features;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features += (feature.second ? "+" : "-") + feature.first().str() + ",";
    auto machine = makeTargetMachine(llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), features);
    if (!machine) return;
    Result<std::string> object = generateCode(module, **machine, llvm::CodeGenFileType::ObjectFile);
    if (!object) return;
    // What a processor without these instructions calls.
    auto linked = LinkedObject::link(*object, {{"fma", address<double (*)(double, double, double)>(std::fma)},
                                               {"fmaf", address<float (*)(float, float, float)>(std::fma)},
                                               {"trunc", address<double (*)(double)>(std::trunc)},
                                               {"truncf", address<float (*)(float)>(std::trunc)}});
    if (!linked) return;
    code_ = std::move(*linked);
    if (Result<void *> found = code_->find("f")) function_ = reinterpret_cast<Code>(*found);
  }

  bool ok() const { return function_; }
  // The results for x, or pairs of x and y; both must be of one size, a multiple of `lanes`.
  std::vector<Float> operator()(const std::vector<Float> &x, const std::vector<Float> &y) const {
    std::vector<Float> results(x.size());
    function_(x.data(), y.data(), results.data(), static_cast<int64_t>(x.size()));
    return results;
  }

private:
  using Code = void (*)(const Float *x, const Float *y, Float *result, int64_t count);
  template <class Function> static void *address(Function function) { return reinterpret_cast<void *>(function); }

  unsigned lanes_;
  std::unique_ptr<LinkedObject> code_;
  Code function_ = nullptr;
};

} // namespace xt::test
