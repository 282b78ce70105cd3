#include "targets/cpu/ahead/runtime/levels.h"

#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

namespace xt {
namespace {

// Linux lets a process use AMX once the process has requested it (Documentation/arch/x86/xstate.rst).
bool mayUseTiles() {
  constexpr long kRequest = 0x1023, kTileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

// All vector features of a Sapphire Rapids, because the code may use any of them.
bool isSapphireRapids() {
  return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512fp16") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512bitalg") &&
         __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("gfni") && __builtin_cpu_supports("vpclmulqdq") &&
         __builtin_cpu_supports("avxvnni") && __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-int8") &&
         __builtin_cpu_supports("amx-bf16") && mayUseTiles();
}

int found() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("x86-64-v3")) return 0;
  if (!__builtin_cpu_supports("x86-64-v4")) return 1;
  return isSapphireRapids() ? 3 : 2;
}

} // namespace

int codeLevel() {
  int level = found();
  const char *most = std::getenv("XT_CODE_LEVEL");
  for (int l = 0; most && l < level; ++l)
    if (std::strcmp(most, kCodeLevels[l]) == 0) return l;
  return level;
}

} // namespace xt
