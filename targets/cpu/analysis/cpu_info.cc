#include "targets/cpu/analysis/cpu_info.h"

#include "ir/base/text.h"
#include "targets/llvm/guard.h"
#include "targets/llvm/machine.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/TargetParser/Host.h>

#include <map>
#include <set>
#include <sys/syscall.h>
#include <unistd.h>

namespace xt {
namespace {

constexpr const char *kTriple = "x86_64-pc-linux-gnu";

// Linux lets a process use AMX once the process has requested it (Documentation/arch/x86/xstate.rst).
bool mayUseTiles() {
  constexpr long kRequest = 0x1023, kTileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  static const bool granted = syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
  return granted;
}

// The features in which this machine differs from `plain`, sorted by name because LLVM keeps them in a hash table. Only the
// differences are listed, because LLVM parses the list again for each kernel.
std::string hostFeatures(const llvm::MCSubtargetInfo &plain) {
  std::set<std::string_view> usual;
  for (const llvm::SubtargetFeatureKV &feature : plain.getEnabledProcessorFeatures()) usual.insert(feature.Key);
  std::map<std::string, bool> differs;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    std::string name = feature.getKey().str();
    bool there = feature.getValue() && (!name.starts_with("amx") || mayUseTiles());
    if (there != usual.contains(name)) differs[name] = there;
  }
  std::vector<std::string> signedNames;
  for (const auto &[name, there] : differs) signedNames.push_back((there ? "+" : "-") + name);
  return join(signedNames, ",");
}

} // namespace

std::vector<std::string> vectorFeatures() {
  const auto all = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> found;
  for (const char *name : {"avx", "avx2", "fma", "f16c", "avxvnni", "avx512f", "avx512bw", "avx512vl", "avx512vnni",
                           "avx512bf16", "avx512fp16", "avx10.1", "amx-tile", "amx-bf16", "amx-int8", "amx-fp16"}) {
    auto feature = all.find(name);
    bool usable = feature != all.end() && feature->second && (!std::string_view(name).starts_with("amx") || mayUseTiles());
    if (usable) found.emplace_back(name);
  }
  return found;
}

Result<CpuInfo> cpuInfo(std::string_view name) {
  initialiseLlvm();
  CpuInfo info;
  info.triple = kTriple;
  bool host = name.empty() || name == "host";
  info.name = host ? llvm::sys::getHostCPUName().str() : std::string(name);
  // Checks the name on a machine for a plain processor first: for an unknown name LLVM would only print a warning to stderr.
  auto plain = makeTargetMachine(info.triple, "x86-64", "");
  if (!plain) return plain.error();
  if (!(*plain)->getMCSubtargetInfo()->isCPUStringValid(info.name)) {
    if (!host)
      return Error::environment(
          str("unknown processor '", name,
              "'; known are, for example, host, x86-64-v2, x86-64-v3, x86-64-v4, haswell, skylake-avx512, znver4"));
    info.name = "x86-64";
  }
  auto machine = makeTargetMachine(info.triple, info.name, "");
  if (!machine) return machine.error();
  if (host) info.features = hostFeatures(*(*machine)->getMCSubtargetInfo());
  if (!info.features.empty()) machine = makeTargetMachine(info.triple, info.name, info.features);
  if (!machine) return machine.error();
  const llvm::MCSubtargetInfo &subtarget = *(*machine)->getMCSubtargetInfo();
  bool avx512 = subtarget.checkFeatures("+avx512f,+avx512bw,+avx512vl,+avx512dq");
  bool avx2 = subtarget.checkFeatures("+avx2");
  info.vectorBytes = avx512 ? 64 : avx2 ? 32 : 16;
  info.vectorRegisters = avx512 ? 32 : 16;
  info.fma = subtarget.checkFeatures("+fma");
  info.f16c = subtarget.checkFeatures("+f16c");
  info.maskedAccess = avx512;
  info.dotBf16 = avx512 && subtarget.checkFeatures("+avx512bf16");
  info.dotBytes = avx512 ? subtarget.checkFeatures("+avx512vnni") : avx2 && subtarget.checkFeatures("+avxvnni");
  info.tilesBf16 = avx512 && subtarget.checkFeatures("+amx-tile,+amx-bf16");
  info.tilesBytes = avx512 && subtarget.checkFeatures("+amx-tile,+amx-int8");
  info.tuning = tuningOf(info.name, info.vectorBytes);
  if (host) useCachesOfHost(info.tuning);
  return info;
}

bool hostCanRun(const CpuInfo &info) {
  Result<CpuInfo> host = cpuInfo("host");
  if (!host) return false;
  auto machine = makeTargetMachine(info.triple, info.name, info.features);
  auto own = makeTargetMachine(host->triple, host->name, host->features);
  if (!machine || !own) return false;
  const llvm::MCSubtargetInfo &wanted = *(*machine)->getMCSubtargetInfo(), &there = *(*own)->getMCSubtargetInfo();
  for (const char *feature :
       {"+sse4.2",     "+popcnt",     "+avx",        "+avx2",        "+fma",      "+f16c",     "+bmi",      "+bmi2",
        "+lzcnt",      "+movbe",      "+avx512f",    "+avx512bw",    "+avx512vl", "+avx512dq", "+avx512cd", "+avx512vnni",
        "+avx512bf16", "+avx512fp16", "+avx512vbmi", "+avx512vbmi2", "+amx-tile", "+amx-bf16", "+amx-int8", "+avxvnni"})
    if (wanted.checkFeatures(feature) && !there.checkFeatures(feature)) return false;
  return true;
}

} // namespace xt
