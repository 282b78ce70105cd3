// LLVM modules with the intrinsics of NVVM, built and run on the software NVIDIA device.
#pragma once
#include "targets/soft/launch.h"
#include "tests/targets/soft/soft_kernel.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/SourceMgr.h>

namespace xt::soft::test {

inline std::string bitcodeOf(const std::string &text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str() << " in line " << problem.getLineNo();
  if (!module) return "";
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::WriteBitcodeToFile(*module, out);
  return {bytes.begin(), bytes.end()};
}

inline Result<std::unique_ptr<Program>> built(const std::string &text, const DeviceSettings &device) {
  std::string bitcode = bitcodeOf(text);
  return Program::buildNvvm({reinterpret_cast<const uint8_t *>(bitcode.data()), bitcode.size()}, device, true);
}

inline Result<std::unique_ptr<Program>> built(const std::string &text, const char *target = "nv-sm80") {
  return built(text, nvidiaSettings(*findTargetInfo(target)));
}

// Runs the kernel @k with one block of 32 threads or more, and pointers to these arrays. Returns the report, "" if there is none.
inline std::string run(const std::string &text, std::vector<void *> arrays, uint32_t threads, const DeviceSettings &device) {
  auto program = built(text, device);
  if (!program) return program.error().message;
  LaunchRequest request;
  request.kernel = (*program)->find("k");
  EXPECT_TRUE(request.kernel);
  for (void *array : arrays) {
    const auto *bytes = reinterpret_cast<const std::byte *>(&array);
    request.arguments.emplace_back(bytes, bytes + sizeof array);
  }
  request.localBytes.resize(arrays.size());
  request.groupSize = {threads, 1, 1};
  if (std::string mistake = launchMistake(request, device); !mistake.empty()) return mistake;
  std::atomic<bool> stop = false;
  return runLaunch(**program, request, device, stop).value_or("");
}

inline std::string run(const std::string &text, std::vector<void *> arrays, uint32_t threads = 32,
                       const char *target = "nv-sm80", bool copiesAtOnce = false) {
  DeviceSettings device = nvidiaSettings(*findTargetInfo(target));
  device.copiesAtOnce = copiesAtOnce;
  return run(text, std::move(arrays), threads, device);
}

} // namespace xt::soft::test
