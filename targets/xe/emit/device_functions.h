// All device functions that a kernel may call, by target: the calls that the code generator can emit, as data.
#pragma once
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"

#include <llvm/IR/Module.h>

#include <array>
#include <string>
#include <vector>

namespace xt {

// A device function. Its types are written in the form of the Itanium ABI that OpenCL C uses: "f", "Dv8_s", "PU3AS1v", and
// matrices as matrix_form.h writes them; the result "v" means none.
struct DeviceFunction {
  std::string symbol, result;
  std::vector<std::string> parameters;
};

// The symbol is mangled from the name and the parameters.
DeviceFunction deviceFunction(std::string_view name, std::vector<std::string> parameters, std::string result);

// A 2D block message: `blocks` blocks side by side, of rows x columns elements of `bits` each. A lane's private memory holds
// them as words of `wordBits`.
struct BlockFunction {
  BlockUse use = BlockUse::Load;
  int64_t bits = 0, rows = 0, columns = 0, blocks = 1;
  unsigned wordBits = 0;
};
// Returns the message of a shape with this number of rows and blocks.
BlockFunction blockFunction(const BlockShape &shape, int64_t rows, int64_t blocks);
DeviceFunction deviceFunction(const BlockFunction &block);
// Returns the message as an instruction of SPV_INTEL_2d_block_io. Its arguments are blockSizes(), then those of the function;
// a store has the lane's memory before the matrix.
DeviceFunction blockInstruction(const BlockFunction &block);
std::array<int64_t, 4> blockSizes(const BlockFunction &block); // bytes of an element, columns, rows, blocks

// The message that loads for each lane a power of two of words of 1, 2 or 4 bytes of contiguous memory (cl_intel_subgroups and its
// companions for short and char).
DeviceFunction lineFunction(int64_t wordBytes, int64_t words);

// A product computed by one subgroup of shape.n lanes.
DeviceFunction deviceFunction(const MmaShape &shape);
// Returns the product as an instruction of SPV_INTEL_subgroup_matrix_multiply_accumulate. Its arguments are the depth (K),
// those of the function, and productOperands().
DeviceFunction productInstruction(const MmaShape &shape);
uint32_t productOperands(const MmaShape &shape);

// Families of device functions. LLVM translates calls of a family either into SPIR-V instructions, or into calls of functions
// in the driver's library.
enum class DeviceFamily : uint8_t {
  WorkItem,
  Barrier,
  Shuffle,
  Math,
  Product,
  Block,
  Line,
  ProductInstruction,
  BlockInstruction,
  CooperativeMatrix
};
inline constexpr std::array kDeviceFamilies = {DeviceFamily::WorkItem,
                                               DeviceFamily::Barrier,
                                               DeviceFamily::Shuffle,
                                               DeviceFamily::Math,
                                               DeviceFamily::Product,
                                               DeviceFamily::Block,
                                               DeviceFamily::Line,
                                               DeviceFamily::ProductInstruction,
                                               DeviceFamily::BlockInstruction,
                                               DeviceFamily::CooperativeMatrix};
// Whether the functions are in the driver's library (targets/xe/library); the others become instructions.
inline bool isOfLibrary(DeviceFamily family) { return family == DeviceFamily::Product || family == DeviceFamily::Block; }
std::string_view familyName(DeviceFamily family);

// The functions of a family that the target has, sorted by symbol.
std::vector<DeviceFunction> deviceFunctions(const TargetInfo &target, DeviceFamily family);

// Checks that the module calls no other functions than the device functions of the target, and calls each with the types of
// its symbol. An Error is a bug of the compiler.
Result<void> checkDeviceCalls(const llvm::Module &module, const TargetInfo &target);

// A page in Markdown that lists all device functions.
std::string deviceFunctionPage();

} // namespace xt
