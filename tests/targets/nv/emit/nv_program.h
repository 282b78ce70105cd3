// A file of kernels, lowered to lane scope for a GPU from NVIDIA and translated to LLVM IR or PTX.
#pragma once
#include "targets/nv/emit/emit.h"
#include "tests/targets/lane_program.h"

namespace xt::test {

class NvProgram : public LaneProgram {
public:
  explicit NvProgram(const std::string &text, std::string_view target = "nv-sm80") : LaneProgram(text, target) {}
  Result<std::string> tryPtx() {
    Result<GpuCode> code = compileToPtx(*module_, target_, {.sources = &sources_}, diagnostics_);
    if (!code) return code.error();
    return ptxText(*code);
  }
  std::string ptx() { return textOf(tryPtx()); }
  std::string llvm() { return textOf(nvLlvmText(*module_, target_, {.sources = &sources_}, diagnostics_)); }

private:
  static std::string textOf(Result<std::string> text) {
    EXPECT_TRUE(text.ok()) << (text.ok() ? "" : text.error().message);
    return text.ok() ? *text : "";
  }
};

} // namespace xt::test
