#include "targets/xe/isa/disassembler.h"

#include "ir/base/output_file.h"
#include "ir/base/text.h"
#include "targets/process/external_tool.h"

namespace xt {

Result<std::string> disassembleSpirv(const std::vector<uint8_t> &spirv) {
  Result<ScratchDirectory> scratch = ScratchDirectory::make();
  if (!scratch) return scratch.error();
  std::string_view bytes(reinterpret_cast<const char *>(spirv.data()), spirv.size());
  if (Result<void> written = writeOutputFile(scratch->file("k.spv"), {bytes}); !written) return written.error();
  Result<ToolOutput> ran = runTool("spirv-dis", "spirv-tools", {"k.spv"}, {.directory = scratch->path()});
  if (!ran) return ran.error();
  if (ran->output.find("Invalid capability operand") != std::string::npos)
    return Error::environment("this spirv-dis is too old for an extension that the module uses; install a newer spirv-tools");
  if (ran->status != 0) return Error::environment(str("spirv-dis failed: ", ran->output));
  return std::move(ran->output);
}

} // namespace xt
