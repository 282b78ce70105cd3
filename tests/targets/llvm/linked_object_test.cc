#include "targets/llvm/linked_object.h"
#include "targets/llvm/machine.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/TargetParser/Host.h>

#include <gtest/gtest.h>

namespace xt {
namespace {

// Returns the object of a function `int64_t f() { return add(number, number); }`.
std::string objectThatCalls(const char *callee, int64_t number) {
  llvm::LLVMContext context;
  llvm::Module module("test", context);
  llvm::IRBuilder<> b(context);
  auto *type = llvm::FunctionType::get(b.getInt64Ty(), {b.getInt64Ty(), b.getInt64Ty()}, false);
  auto *function =
      llvm::Function::Create(llvm::FunctionType::get(b.getInt64Ty(), false), llvm::Function::ExternalLinkage, "f", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  b.CreateRet(b.CreateCall(module.getOrInsertFunction(callee, type),
                           {b.getInt64(static_cast<uint64_t>(number)), b.getInt64(static_cast<uint64_t>(number))}));
  auto machine = makeTargetMachine(llvm::sys::getProcessTriple(), "x86-64", "");
  EXPECT_TRUE(machine.ok());
  Result<std::string> object = generateCode(module, **machine, llvm::CodeGenFileType::ObjectFile);
  EXPECT_TRUE(object.ok());
  return object.ok() ? *object : "";
}

int64_t add(int64_t x, int64_t y) { return x + y; }
int64_t multiply(int64_t x, int64_t y) { return x * y; }

int64_t call(const LinkedObject &object) {
  Result<void *> address = object.find("f");
  EXPECT_TRUE(address.ok());
  return address.ok() ? reinterpret_cast<int64_t (*)()>(*address)() : -1;
}

TEST(LinkedObject, FunctionsOfTheSameNameStayApart) {
  auto one = LinkedObject::link(objectThatCalls("g", 5), {{"g", reinterpret_cast<void *>(&add)}});
  auto other = LinkedObject::link(objectThatCalls("g", 7), {{"g", reinterpret_cast<void *>(&multiply)}});
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_EQ(call(**one), 10);
  EXPECT_EQ(call(**other), 49);
  one->reset(); // the code of the other object remains
  EXPECT_EQ(call(**other), 49);
}

TEST(LinkedObject, WhatIsMissingIsAnError) {
  auto object = LinkedObject::link(objectThatCalls("g", 1), {});
  ASSERT_TRUE(object.ok());
  EXPECT_FALSE((*object)->find("f").ok()); // f calls an undefined function
  EXPECT_FALSE((*object)->find("h").ok());
  auto broken = LinkedObject::link("not an object", {});
  EXPECT_TRUE(!broken.ok() || !(*broken)->find("f").ok());
}

} // namespace
} // namespace xt
