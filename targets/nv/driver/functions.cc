#include "targets/nv/driver/functions.h"

#include "ir/base/shared_library.h"
#include "ir/base/text.h"

#include <algorithm>
#include <iterator>

namespace xt {
namespace {

struct ResultText {
  CuResult result;
  std::string_view words;
};

// Results that users may encounter, in their own words; for others, the driver's.
constexpr ResultText kResults[] = {
    {kCuOutOfMemory, "the device has not enough memory"},
    {3, "the driver does not start"},
    {46, "the device is in use, and is set up for one process only"},
    {kCuNoDevice, "the driver finds no device"},
    {209, "the code is not for this device"},
    {218, "the driver does not compile the PTX"},
    {221, "the driver's compiler, libnvidia-ptxjitcompiler.so.1, is missing"},
    {222, "the driver is too old for this version of PTX"},
    {700, "a kernel accessed an invalid address"},
    {701, "the device has not enough registers or shared memory for a workgroup"},
    {702, "a kernel ran for longer than the device's display allows"},
    {710, "a kernel trapped"},
    {714, "a kernel's stack was overwritten"},
    {715, "a kernel executed an illegal instruction"},
    {716, "a kernel accessed an address that is not aligned"},
    {717, "a kernel accessed an address in another address space"},
    {718, "a kernel jumped to an invalid address"},
    {719, "a kernel trapped or failed"},
    {802, "the system is not ready, perhaps because NVIDIA's fabric manager does not run"},
    {803, "the driver's library and its kernel module have different versions"},
};

// The results that are the fault of a kernel.
constexpr CuResult kFaults[] = {700, 702, 710, 714, 715, 716, 717, 718, 719};

} // namespace

Result<CuFunctions> openCuDriver(const char *path) {
  Result<SharedLibrary> library = SharedLibrary::open("NVIDIA's driver", path, "libcuda1");
  if (!library) return library.error();
  CuFunctions functions;
#define X(name, parameters)                                                                                                    \
  if (Result<void> found = library->find(#name, functions.name); !found) return found.error();
  XT_CU_FUNCTIONS(X)
#undef X
  return functions;
}

std::string cuResultText(const CuFunctions &cu, CuResult result) {
  const char *name = nullptr, *words = nullptr;
  if (cu.cuGetErrorName(result, &name) != kCuSuccess || !name) return str("error ", result);
  if (auto known = std::ranges::find(kResults, result, &ResultText::result); known != std::end(kResults))
    return str(known->words, " (", name, " ", result, ")");
  if (cu.cuGetErrorString(result, &words) != kCuSuccess || !words) return str(name, " ", result);
  return str(words, " (", name, " ", result, ")");
}

Error cuError(const CuFunctions &cu, std::string_view what, CuResult result) {
  return Error::environment(str(what, ": ", cuResultText(cu, result)));
}

bool isKernelFault(CuResult result) { return std::ranges::find(kFaults, result) != std::end(kFaults); }

} // namespace xt
