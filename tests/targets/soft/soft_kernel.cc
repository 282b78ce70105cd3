#include "tests/targets/soft/soft_kernel.h"

#include "ir/base/text.h"
#include "tests/temporary_folder.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace xt::soft::test {
namespace {

bool inPath(const char *command) { return std::system(str("command -v ", command, " >/dev/null 2>&1").c_str()) == 0; }

constexpr const char *kExtensions = "--spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,"
                                    "+SPV_INTEL_subgroups,+SPV_INTEL_bfloat16_conversion,+SPV_KHR_uniform_group_instructions";

} // namespace

std::string missingPackage() {
  static const std::string missing = [] {
    if (!inPath("llvm-spirv-15")) return "llvm-spirv-15";
    if (!inPath("clang-22")) return "clang-22";
    if (!inPath("llc-22")) return "llvm-22";
    return "";
  }();
  return missing;
}

namespace {

// Writes the source to a file and runs commands in its folder, which make k.spv of it.
std::vector<uint8_t> made(const std::string &source, const char *sourceName, const std::string &commands) {
  xt::test::TemporaryFolder folder;
  std::ofstream(folder / sourceName) << source;
  bool made = std::system(str("cd ", folder.string(), " && (", commands, ") > log 2>&1").c_str()) == 0;
  auto read = [&](const char *name) {
    std::ifstream file(folder / name, std::ios::binary);
    return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
  };
  std::vector<uint8_t> log = read("log"), spirv = made ? read("k.spv") : std::vector<uint8_t>();
  if (!made) ADD_FAILURE() << "the test's kernel does not compile:\n" << std::string(log.begin(), log.end());
  return spirv;
}

} // namespace

std::vector<uint8_t> spirvOf(const std::string &source) {
  return made(source, "k.cl",
              str("clang-22 -x cl -cl-std=CL2.0 -O1 -target spirv64 -Xclang -finclude-default-header -Xclang -cl-ext=+all",
                  " -emit-llvm -c k.cl -o k.bc && llc-22 -O2 -mtriple=spirv64 -disable-lsr ", kExtensions,
                  " -filetype=obj k.bc -o k.spv"));
}

std::vector<uint8_t> spirvOfLlvm(const std::string &text) {
  return made(
      text, "k.ll",
      "llc-22 -O0 -mtriple=spirv64 --spirv-ext=+SPV_KHR_cooperative_matrix,+SPV_KHR_bfloat16 -filetype=obj k.ll -o k.spv");
}

SoftKernels::SoftKernels(const std::string &source, const std::string &deviceName, bool optimised)
    : SoftKernels(spirvOf(kDeclarations + source), deviceName, optimised) {}

SoftKernels::SoftKernels(std::span<const uint8_t> spirv, const std::string &deviceName, bool optimised)
    : device(*deviceSettings(deviceName)) {
  if (spirv.empty()) return;
  Result<std::unique_ptr<Program>> built = Program::build(spirv, device, optimised);
  if (built) {
    program_ = std::move(*built);
  } else {
    error = built.error().message;
    lacks = built.error().kind == Error::Kind::Environment;
  }
}

std::string SoftKernels::launch(LaunchRequest &request) const {
  if (request.arguments.size() != request.kernel->arguments.size())
    return str("kernel ", request.kernel->name, " has other arguments");
  std::string mistake = launchMistake(request, device);
  if (!mistake.empty()) return mistake;
  std::atomic<bool> stop = false;
  return runLaunch(*program_, request, device, stop).value_or("");
}

const char *const kDeclarations = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define OV __attribute__((overloadable))
#define LANES(n) __attribute__((intel_reqd_sub_group_size(n)))
float __spirv_AtomicFAddEXT(global float *, int, int, float) OV;
float __spirv_AtomicFMaxEXT(global float *, int, int, float) OV;
float __spirv_AtomicFMinEXT(global float *, int, int, float) OV;
float intel_sub_group_shuffle(float, uint) OV;
float intel_sub_group_shuffle_xor(float, uint) OV;
float intel_sub_group_shuffle_down(float, float, uint) OV;
float intel_sub_group_shuffle_up(float, float, uint) OV;
)";

} // namespace xt::soft::test
