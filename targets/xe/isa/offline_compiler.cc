#include "targets/xe/isa/offline_compiler.h"

#include "ir/base/output_file.h"
#include "ir/base/text.h"
#include "targets/process/external_tool.h"
#include "targets/xe/register_file_options.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace xt {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostNames = 4; // maximum number of unknown functions that a message names

std::string contentsOf(const fs::path &path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The files of a folder whose names end in `ending`, sorted by name, which is the order of the passes that wrote them.
std::vector<fs::path> filesIn(const std::string &folder, std::string_view ending) {
  std::vector<fs::path> paths;
  std::error_code failed;
  for (const auto &entry : fs::directory_iterator(folder, failed))
    if (entry.path().filename().string().ends_with(ending)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Listings by kernel. Only the last one of each kernel counts: after spilling registers, the compiler tries again.
std::map<std::string, std::string> listingsIn(const std::string &folder) {
  constexpr std::string_view kHead = "//.kernel ";
  std::map<std::string, std::string> listings;
  for (const fs::path &path : filesIn(folder, ".asm")) {
    std::string listing = contentsOf(path);
    size_t at = listing.find(kHead);
    if (at == std::string::npos) continue;
    size_t begin = at + kHead.size(), end = std::min(listing.find_first_of("\r\n", begin), listing.size());
    listings[listing.substr(begin, end - begin)] = std::move(listing);
  }
  return listings;
}

// The names of functions that are still only declared after the compiler has linked and optimised: it cannot resolve calls of
// these functions. Names of its own internal functions begin with llvm. or __builtin_.
std::set<std::string> unknownFunctions(const std::string &folder) {
  std::set<std::string> names;
  for (const fs::path &path : filesIn(folder, "_codegen.ll")) {
    std::istringstream lines(contentsOf(path));
    for (std::string line; std::getline(lines, line);) {
      size_t at = line.find('@'), end = line.find('(', at);
      if (!line.starts_with("declare ") || at == std::string::npos || end == std::string::npos) continue;
      std::string name = line.substr(at + 1, end - at - 1);
      if (!name.starts_with("llvm.") && !name.starts_with("__builtin_")) names.insert(plainName(name));
    }
  }
  return names;
}

Error unknownError(const std::set<std::string> &names) {
  std::vector<std::string> told;
  for (const std::string &name : names)
    if (told.size() < kMostNames) told.push_back(str("`", name, "`"));
  std::string more = names.size() > told.size() ? str(" and ", names.size() - told.size(), " more") : "";
  return Error::environment(
      str("this ocloc lacks functions that the kernels call: ", join(told, ", "), more,
          "; it is older than their extension (2D blocks: cl_intel_subgroup_2d_block_io, since 2024); define them with "
          "--isa-shim=FILE.ll to inspect the code (xt_bench_xe --shim writes such a file)"));
}

struct Compiled {
  std::map<std::string, std::string> listings;
  std::set<std::string> unknown;
};

Result<Compiled> compile(const std::vector<uint8_t> &spirv, std::string_view device, bool largeRegisterFile) {
  Result<ScratchDirectory> scratch = ScratchDirectory::make();
  if (!scratch) return scratch.error();
  std::string_view bytes(reinterpret_cast<const char *>(spirv.data()), spirv.size());
  if (Result<void> written = writeOutputFile(scratch->file("k.spv"), {bytes}); !written) return written.error();
  std::vector<std::string> arguments = {"compile",           "-spirv_input",      "-file",   "k.spv", "-device",
                                        std::string(device), "-output_no_suffix", "-output", "k"};
  if (largeRegisterFile) arguments.insert(arguments.end(), {"-options", kLargeRegisterFileOption});
  Result<ToolOutput> ran = runTool("ocloc", "intel-opencl-icd", arguments,
                                   {.directory = scratch->path(),
                                    .environment = {"IGC_ShaderDumpEnable=1", "IGC_DumpToCustomDir=" + scratch->path() + "/"}});
  if (!ran) return ran.error();
  if (ran->output.find("Cannot get HW Info") != std::string::npos)
    return Error::environment(
        str("this ocloc does not support the device `", device, "`: it is too old, or was built without it"));
  Compiled made{listingsIn(scratch->path()), unknownFunctions(scratch->path())};
  if (ran->status != 0) return Error::environment(str("ocloc refuses the SPIR-V: ", ran->output));
  return made;
}

} // namespace

std::string_view offlineDevice(std::string_view target) {
  if (target == "xe-pvc") return "pvc";
  if (target == "xe-bmg") return "bmg";
  return target == "xe-dg2" ? "dg2" : "";
}

std::string plainName(std::string_view mangled) {
  size_t length = 0;
  if (!mangled.starts_with("_Z")) return std::string(mangled);
  auto [end, failed] = std::from_chars(mangled.data() + 2, mangled.data() + mangled.size(), length);
  auto begin = static_cast<size_t>(end - mangled.data());
  if (failed != std::errc() || length > mangled.size() - begin) return std::string(mangled);
  return std::string(mangled.substr(begin, length));
}

Result<std::vector<std::string>> compileOffline(const GpuCode &program, std::string_view target) {
  if (offlineDevice(target).empty()) return Error::environment(str("`", target, "` is not a device that ocloc compiles for"));
  std::vector<std::string> listings(program.kernels.size());
  for (bool large : {false, true}) {
    auto wants = [&](const GpuKernel &kernel) { return kernel.largeRegisterFile == large; };
    if (std::none_of(program.kernels.begin(), program.kernels.end(), wants)) continue;
    Result<Compiled> made = compile(program.binary, offlineDevice(target), large);
    if (!made) return made.error();
    if (!made->unknown.empty()) return unknownError(made->unknown);
    for (size_t i = 0; i < listings.size(); ++i) {
      const GpuKernel &kernel = program.kernels[i];
      if (!wants(kernel)) continue;
      auto found = made->listings.find(kernel.entry);
      if (found == made->listings.end())
        return Error::environment(str("ocloc returned no listing of the kernel ", kernel.entry));
      listings[i] = found->second;
    }
  }
  return listings;
}

} // namespace xt
