#include "targets/llvm/guard.h"
#include "targets/llvm/machine.h"

#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/Support/ErrorHandling.h>

// Disables leak detection, because memory that LLVM had allocated when it failed is leaked by design.
extern "C" const char *__asan_default_options();
const char *__asan_default_options() { return "detect_leaks=0"; }

namespace xt {
namespace {

TEST(GuardTest, FatalErrorsComeBack) {
  for (int i = 0; i < 3; ++i) {
    bool after = false;
    Result<void> result = guardLlvm([&]() -> Result<void> {
      llvm::reportFatalUsageError("cannot select this");
      after = true;
      return {};
    });
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().message, "compiler bug: LLVM failed: cannot select this");
    EXPECT_FALSE(after);
  }
}

TEST(GuardTest, ResultsPassThrough) {
  EXPECT_TRUE(guardLlvm([]() -> Result<void> { return {}; }).ok());
  Result<void> failed = guardLlvm([]() -> Result<void> { return Error::environment("mine"); });
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "mine");
}

// If the code generator cannot translate a module, the result is an Error, and the process continues.
TEST(GuardTest, BadModuleIsAnError) {
  auto machine = makeTargetMachine("x86_64-pc-linux-gnu", "x86-64", "");
  ASSERT_TRUE(machine.ok());
  llvm::LLVMContext context;
  llvm::Module module("bad", context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));
  b.CreateCall(llvm::InlineAsm::get(type, "not an instruction", "", true));
  b.CreateRetVoid();
  Result<std::string> object = generateCode(module, **machine, llvm::CodeGenFileType::ObjectFile);
  ASSERT_FALSE(object.ok());
  EXPECT_NE(object.error().message.find("LLVM failed"), std::string::npos);
}

TEST(GuardTest, VerifierQuotesTheMistake) {
  llvm::LLVMContext context;
  llvm::Module module("bad", context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  llvm::BasicBlock::Create(context, "entry", llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module));
  Result<void> result = verifyLlvm(module);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("terminator"), std::string::npos);
}

} // namespace
} // namespace xt
