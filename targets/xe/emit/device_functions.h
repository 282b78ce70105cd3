// Every device function that a kernel may call, by target: what the code generator knows how to call, as data.
#pragma once
#include "ir/base/result.h"
#include "ir/target_info.h"

#include <llvm/IR/Module.h>

#include <array>
#include <string>
#include <vector>

namespace xt {

// Types are written as the Itanium ABI, as OpenCL C uses it, writes them: "f", "Dv8_s", "PU3AS1v"; "v" of a result: none.
struct DeviceFunction {
  std::string symbol, result;
  std::vector<std::string> parameters;
};

// The symbol is made of the name and the parameters.
DeviceFunction deviceFunction(std::string_view name, std::vector<std::string> parameters, std::string result);

// One message of 2D blocks: `blocks` blocks of rows x columns elements of `bits` side by side, in a lane's private memory as
// numbers of `wordBits`.
struct BlockFunction {
  BlockUse use = BlockUse::Load;
  int64_t bits = 0, rows = 0, columns = 0, blocks = 1;
  unsigned wordBits = 0;
};
// Of a shape, with as many rows and blocks.
BlockFunction blockFunction(const BlockShape &shape, int64_t rows, int64_t blocks);
DeviceFunction deviceFunction(const BlockFunction &block);

// A product by one subgroup of shape.n lanes.
DeviceFunction deviceFunction(const MmaShape &shape);

// What LLVM makes of the calls: SPIR-V instructions of these functions, or calls of functions that the driver's library has.
enum class DeviceFamily : uint8_t { WorkItem, Barrier, Shuffle, Math, Product, Block };
inline constexpr std::array kDeviceFamilies = {DeviceFamily::WorkItem, DeviceFamily::Barrier, DeviceFamily::Shuffle,
                                               DeviceFamily::Math,     DeviceFamily::Product, DeviceFamily::Block};
// Whether the driver's library has them (targets/xe/library); the others become instructions.
inline bool isOfLibrary(DeviceFamily family) { return family == DeviceFamily::Product || family == DeviceFamily::Block; }
std::string_view familyName(DeviceFamily family);

// By symbol.
std::vector<DeviceFunction> deviceFunctions(const TargetInfo &target, DeviceFamily family);

// Whether the module calls no other functions, and each with the types of its symbol. An Error is a mistake of ours.
Result<void> checkDeviceCalls(const llvm::Module &module, const TargetInfo &target);

// The page of them all, in Markdown.
std::string deviceFunctionPage();

} // namespace xt
