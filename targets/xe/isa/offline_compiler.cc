#include "targets/xe/isa/offline_compiler.h"

#include "ir/base/text.h"
#include "targets/xe/isa/external_tool.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace xt {
namespace {

std::string deviceOf(std::string_view target) {
  if (target == "xe-bmg") return "bmg";
  return target == "xe-dg2" ? "dg2" : "pvc";
}

std::string contentsOf(const std::filesystem::path &path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Of each kernel the last listing: where registers were spilled the compiler tries again.
std::vector<std::string> listingsIn(const std::string &folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code failed;
  for (const auto &entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == ".asm") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::map<std::string, std::string> lastOf;
  for (const auto &path : paths) {
    std::string listing = contentsOf(path);
    size_t at = listing.find("//.kernel ");
    std::string name = at == std::string::npos ? path.string() : listing.substr(at, listing.find('\n', at) - at);
    lastOf[name] = std::move(listing);
  }
  std::vector<std::string> listings;
  for (auto &[name, listing] : lastOf) listings.push_back(std::move(listing));
  return listings;
}

} // namespace

Result<std::vector<std::string>> compileOffline(const std::vector<uint8_t> &spirv, std::string_view target, bool largeRegisterFile) {
  Result<ScratchDirectory> scratch = ScratchDirectory::make();
  if (!scratch) return scratch.error();
  std::string_view bytes(reinterpret_cast<const char *>(spirv.data()), spirv.size());
  if (Result<void> written = writeBytes(scratch->file("k.spv"), bytes); !written) return written.error();
  std::vector<std::string> arguments = {"compile", "-spirv_input", "-file", "k.spv", "-device", deviceOf(target), "-output_no_suffix", "-output", "k"};
  if (largeRegisterFile) arguments.insert(arguments.end(), {"-options", "-ze-opt-large-register-file"});
  Result<ToolOutput> ran = runTool("ocloc", "intel-opencl-icd", arguments, scratch->path(),
                                   {"IGC_ShaderDumpEnable=1", "IGC_DumpToCustomDir=" + scratch->path() + "/"});
  if (!ran) return ran.error();
  std::vector<std::string> listings = listingsIn(scratch->path());
  if (ran->status != 0 || listings.empty()) return Error::environment(str("ocloc refuses the SPIR-V: ", ran->output));
  return listings;
}

} // namespace xt
