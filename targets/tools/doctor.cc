#include "targets/tools/doctor.h"

#include "ir/base/output_file.h"
#include "ir/base/own_program.h"
#include "ir/base/process.h"
#include "ir/base/text.h"
#include "lang/lower/disk.h"
#include "targets/compile/cache_directory.h"
#include "targets/compile/version.h"
#include "targets/llvm/object_cache.h"
#include "targets/process/external_tool.h"
#include "targets/ranks/open_mpi.h"
#include "targets/run/memory.h"
#include "targets/run/report.h"
#include "targets/tools/devices.h"
#include "targets/tools/tool_process.h"

#include <llvm/Config/llvm-config.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace xt {
namespace {

using Json = nlohmann::ordered_json;

// A small kernel with a product, so that each GPU's messages and products are used. It runs two workgroups of two
// subgroups.
constexpr std::string_view kKernel = R"(#a = #wg_map<sg_layout = [2, 1], sg_data = [16, 32]>
#b = #wg_map<sg_layout = [2, 1], sg_data = [32, 32]>
#c = #wg_map<sg_layout = [2, 1], sg_data = [16, 32]>

kernel @product(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>)
    grid (%i = 0 to dim(%C, 0) step 32, %j = 0 to dim(%C, 1) step 32) {
  %ta  = init_tile %A[%i, 0] -> tile<32x32xf16, #a>
  %tb  = init_tile %B[0, %j] -> tile<32x32xf16, #b>
  %acc = constant 0.0 : vector<32x32xf32, #c>
  for %k = 0 to dim(%A, 1) step 32 {
    %a   = load_tile %ta
    %b   = load_tile %tb
    %acc = tile_mma %a, %b, %acc
    %ta  = update_tile_offset %ta, 0, 32
    %tb  = update_tile_offset %tb, 32, 0
  }
  %tc = init_tile %C[%i, %j] -> tile<32x32xf32, #c>
  store_tile %acc, %tc
}

test "doctor" {
  %A = random(seed = 1) : memref<32x96xf16>
  %B = random(seed = 2) : memref<96x64xf16>
  %C = out : memref<32x64xf32>
  launch @product(%A, %B, %C)
  check %C == matmul(%A, %B)
}
)";

std::string firstLines(const std::string &text, int count) {
  size_t end = 0;
  for (int i = 0; i < count && end < text.size(); ++i) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  std::string lines = text.substr(0, end);
  while (!lines.empty() && lines.back() == '\n') lines.pop_back();
  return lines;
}

class Doctor {
public:
  int run(bool json) {
    general();
    for (Target *target : allTargets())
      for (const MachinePart &part : target->machineParts()) add(std::string(target->name()), part);
    devices();
    kernels();
    bool works = worstStatus(statuses_) == ExitStatus::Passed;
    int status = static_cast<int>(worstStatus(statuses_));
    if (json) {
      json_["status"] = status;
      std::printf("%s\n", json_.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
      return status;
    }
    text_ +=
        works ? "\nAll required parts work.\n" : "\nSome required parts do not work: see the lines that begin with FAIL.\n";
    std::fputs(text_.c_str(), stdout);
    return status;
  }

private:
  enum class Mark { Ok, Without, Fail };

  void line(Mark mark, const std::string &where, const std::string &what, const std::string &text,
            const std::string &remedy = "") {
    const char *word = mark == Mark::Ok ? "ok  " : mark == Mark::Fail ? "FAIL" : "-   ";
    text_ += str(word, "  ", where, where.empty() ? "" : ": ", what, ": ", text, "\n");
    if (mark != Mark::Ok && !remedy.empty()) text_ += str("        ", remedy, "\n");
    if (mark == Mark::Fail) statuses_.push_back(ExitStatus::EnvironmentFailed);
  }

  void add(const std::string &target, const MachinePart &part) {
    line(part.found ? Mark::Ok : part.needed ? Mark::Fail : Mark::Without, target, part.what, part.text, part.remedy);
    json_["requirements"].push_back({{"target", target},
                                     {"what", part.what},
                                     {"found", part.found},
                                     {"needed", part.needed},
                                     {"text", part.text},
                                     {"remedy", part.remedy}});
  }

  void general() {
    json_["version"] = kVersion;
    json_["llvm"] = LLVM_VERSION_STRING;
    text_ += str(kVersion, " with LLVM ", LLVM_VERSION_STRING, "\n\n");
    std::string library = stdlibFolder();
    add("",
        {"the standard library", !library.empty(), true, library.empty() ? "no folder stdlib next to the programs" : library,
         "set XT_STDLIB to the folder that holds gemm.xt"});
    std::string why = whyMpiIsNotOpened();
    add("", {"MPI, for xtrun --mpi", why.empty(), false, why.empty() ? mpiLibraryPath() : why, kMpiRemedy});
    cache();
  }

  // An unusable cache is not an error: it only makes processes compile again.
  void cache() {
    std::string directory = cacheDirectory();
    Result<uint64_t> limit = cacheLimit();
    ObjectCache cache(limit ? directory : "", limit ? *limit : 0);
    ObjectCache::Use use = cache.use();
    std::string state = !limit ? limit.error().message : directory.empty() || *limit == 0 ? "switched off" : cache.problem();
    std::string text = state.empty() ? str(directory, ": ", use.entries, " entries, ", bytesText(use.bytes), " of ",
                                           bytesText(static_cast<int64_t>(*limit)))
                                     : str("not used: ", state);
    line(cache ? Mark::Ok : Mark::Without, "", "the cache of compiled code", text,
         "each process compiles its kernels again; XT_CACHE_DIR selects another directory");
    json_["cache"] = {{"directory", directory}, {"used", static_cast<bool>(cache)},
                      {"problem", state},       {"entries", use.entries},
                      {"bytes", use.bytes},     {"limit", limit ? *limit : 0}};
  }

  // Runs this program in a separate process, which a time limit ends even if a driver hangs in it. Output beyond a limit is
  // dropped.
  static Result<ToolOutput> runOwn(std::vector<std::string> arguments) {
    constexpr const char *kTimeLimit = "--time-limit=60";
    constexpr uint64_t kMostOutput = uint64_t{1} << 20;
    arguments.emplace_back(kTimeLimit);
    return runTool(ownProgram(), "xt", arguments, {.mostOutput = kMostOutput});
  }

  // Reads the output of `xtrun --devices`.
  void devices() {
    Result<ToolOutput> ran = runOwn({"--devices", "--json"});
    std::string output = ran ? ran->output.substr(std::min(ran->output.find('{'), ran->output.size())) : "";
    Json listed = Json::parse(output, nullptr, false);
    if (listed.is_discarded() || !listed.contains("targets")) {
      line(Mark::Fail, "", "the list of devices",
           ran ? str("xtrun --devices ended with status ", ran->status, ": ", firstLines(ran->output, 3))
               : ran.error().message);
      return;
    }
    for (const Json &target : listed["targets"])
      for (const Json &device : target["devices"]) {
        DeviceText known;
        known.problem = device.value("problem", "");
        known.software = device.value("software", false);
        known.onDemand = device.value("on_demand", false);
        known.choice = deviceChoiceNamed(device.value("choice", "")).value_or(DeviceChoice::Any);
        std::string driver = device.value("driver", "");
        std::string assembly =
            inlineAssemblyText(device.value("takes_inline_assembly", false), device.value("inline_assembly", ""));
        if (!assembly.empty()) assembly.insert(0, ", ");
        std::string text = known.problem.empty() ? str(device.value("name", ""), known.software ? ", software" : "",
                                                       driver.empty() ? "" : ", ", driver, assembly)
                                                 : known.problem;
        Mark missing = known.onDemand ? Mark::Without : Mark::Fail;
        line(known.problem.empty() ? Mark::Ok : missing, target.value("target", ""), "device", text);
        devices_.push_back(std::move(known));
      }
    json_["devices"] = listed["targets"];
  }

  void kernels() {
    json_["kernels"] = Json::array();
    Result<ScratchDirectory> scratch = ScratchDirectory::make();
    Result<void> written = scratch ? writeOutputFile(scratch->file("doctor.xt"), {kKernel}) : Result<void>(scratch.error());
    if (!written) return line(Mark::Fail, "", "a kernel", written.error().message);
    for (Target *target : allTargets())
      for (DeviceChoice choice : target->checkedDevices(devices_)) kernel(*target, choice, scratch->file("doctor.xt"));
  }

  void kernel(Target &target, DeviceChoice choice, const std::string &file) {
    std::string device(choice == DeviceChoice::Any ? "" : deviceChoiceName(choice));
    std::vector<std::string> arguments = {str("--target=", target.name())};
    if (!device.empty()) arguments.push_back("--device=" + device);
    std::string command = "xtrun " + join(arguments, " ");
    arguments.push_back(file);
    Result<ToolOutput> ran = runOwn(arguments);
    bool passed = ran && ran->status == 0;
    std::string text = !ran     ? ran.error().message
                       : passed ? "a product of 32x96 and 96x64 is correct"
                                : str("status ", ran->status, ": ", firstLines(ran->output, 8));
    line(passed ? Mark::Ok : Mark::Fail, str(target.name(), device.empty() ? "" : " on " + device), "a kernel", text);
    if (ran && ran->status == static_cast<int>(ExitStatus::CompilerBug)) statuses_.push_back(ExitStatus::CompilerBug);
    json_["kernels"].push_back({{"target", target.name()},
                                {"device", device},
                                {"command", command},
                                {"passed", passed},
                                {"status", ran ? ran->status : -1},
                                {"text", text}});
  }

  std::string text_;
  Json json_;
  std::vector<ExitStatus> statuses_ = {ExitStatus::Passed};
  std::vector<DeviceText> devices_; // the devices of all targets
};

} // namespace

int doctor(const XtrunOptions &options) { return Doctor().run(options.json); }

} // namespace xt
