// A file of kernels, lowered to lane scope for a GPU and translated to LLVM IR or SPIR-V.
#pragma once
#include "targets/process/external_tool.h"
#include "targets/xe/emit/emit.h"
#include "tests/targets/lane_program.h"

#include <optional>

namespace xt::test {

class GpuProgram : public LaneProgram {
public:
  explicit GpuProgram(const std::string &text, std::string_view target = "xe-pvc", XeEmitOptions options = {})
      : LaneProgram(text, target), options_(options) {
    options_.sources = &sources_;
  }
  std::string llvm() {
    Result<std::string> text = xeLlvmText(*module_, target_, options_, diagnostics_);
    EXPECT_TRUE(text.ok()) << (text.ok() ? "" : text.error().message);
    return text.ok() ? *text : "";
  }
  GpuCode spirv() {
    Result<GpuCode> program = compileToSpirv(*module_, target_, options_, diagnostics_);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
    return program.ok() ? std::move(*program) : GpuCode();
  }

private:
  XeEmitOptions options_;
};

} // namespace xt::test
