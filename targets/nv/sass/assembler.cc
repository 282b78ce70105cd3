#include "targets/nv/sass/assembler.h"

#include "ir/base/output_file.h"
#include "ir/base/own_code.h"
#include "ir/base/text.h"
#include "targets/process/external_tool.h"
#include "targets/process/program_path.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace xt {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> foldersIn(const fs::path &folder, std::string_view prefix) {
  std::vector<fs::path> folders;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (at->path().filename().string().starts_with(prefix)) folders.push_back(at->path());
  std::ranges::sort(folders);
  return folders;
}

// ENVIRONMENT/lib/python3.11/site-packages/nvidia/cu13/bin/ptxas
std::string inEnvironment(const fs::path &environment) {
  for (const fs::path &python : foldersIn(environment / "lib", "python3"))
    for (const fs::path &package : foldersIn(python / "site-packages/nvidia", "cu"))
      if (fs::path tool = package / "bin/ptxas"; access(tool.c_str(), X_OK) == 0) return tool.string();
  return "";
}

// "ptxas warning : …", also "ptxas FILE, line 3; warning : …". A kernel may be called `warning`.
bool isWarning(std::string_view line) {
  if (!line.starts_with("ptxas")) return false;
  size_t severity = std::min(line.find(" : "), line.size());
  size_t word = line.substr(0, severity).find_last_of(" ;") + 1;
  return line.substr(0, severity).substr(word) == "warning";
}

// The number before `words`; 0 if there is none.
int64_t numberBefore(std::string_view line, std::string_view words) {
  size_t end = line.find(words);
  if (end == std::string_view::npos || end == 0) return 0;
  size_t begin = line.find_last_not_of("0123456789", end - 1) + 1;
  int64_t number = 0;
  std::from_chars(line.data() + begin, line.data() + end, number);
  return number;
}

} // namespace

std::string ptxasPath() {
  if (std::string path = programInPath("ptxas"); !path.empty()) return path;
  const char *active = std::getenv("VIRTUAL_ENV");
  std::string found = active ? inEnvironment(active) : "";
  return found.empty() ? inEnvironment(fs::path(ownCodeFolder()) / "../../ptxas") : found;
}

AssembledPtx readPtxasOutput(std::string_view output) {
  constexpr std::string_view kKernel = "Function properties for ";
  AssembledPtx result;
  std::string kernel;
  std::istringstream lines{std::string(output)};
  for (std::string line; std::getline(lines, line);) {
    if (size_t at = line.find(kKernel); at != std::string::npos) kernel = line.substr(at + kKernel.size());
    if (line.find("bytes spill stores") != std::string::npos)
      result.spills[kernel] = {numberBefore(line, " bytes spill stores"), numberBefore(line, " bytes spill loads")};
    if (isWarning(line)) result.warnings.push_back(line);
  }
  return result;
}

Result<AssembledPtx> assemblePtx(std::string_view ptx, const std::string &architecture, const std::string &entry) {
  std::string program = ptxasPath();
  if (program.empty()) return Error::environment(str("no program `ptxas` in PATH or in a virtual environment: ", kPtxasRemedy));
  Result<ScratchDirectory> scratch = ScratchDirectory::make();
  if (!scratch) return scratch.error();
  std::string from = scratch->file("k.ptx"), to = scratch->file("k.cubin");
  if (Result<void> written = writeOutputFile(from, {ptx}); !written) return written.error();
  std::vector<std::string> arguments = {"-v", "-arch=" + architecture, "-o", to, from};
  if (!entry.empty()) arguments.push_back("--entry=" + entry);
  Result<ToolOutput> ran = runTool(program, "nvidia-cuda-nvcc", arguments, {.directory = scratch->path()});
  if (!ran) return ran.error();
  if (ran->status != 0) return Error::environment(str("ptxas does not take the PTX: ", ran->output));
  AssembledPtx result = readPtxasOutput(ran->output);
  std::ifstream cubin(to, std::ios::binary);
  result.cubin.assign(std::istreambuf_iterator<char>(cubin), {});
  return result;
}

} // namespace xt
