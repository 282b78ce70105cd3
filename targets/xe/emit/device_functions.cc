#include "targets/xe/emit/device_functions.h"

#include "ir/base/check.h"
#include "ir/base/crash.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/line_reads.h"
#include "targets/llvm/lane/fragment.h"
#include "targets/llvm/register_ops.h"
#include "targets/xe/emit/device_calls.h"
#include "targets/xe/emit/matrix_form.h"
#include "targets/xe/library/mangled_symbol.h"

#include <algorithm>
#include <array>

namespace xt {
namespace {

constexpr int64_t kBlockLanes = 16; // size of the subgroups that have block messages

std::string vectorOf(int64_t count, std::string_view scalar) {
  return count == 1 ? std::string(scalar) : str("Dv", count, "_", scalar);
}

// The mangled type of one word of an operand or of the sum of a product, as OpenCL C's functions have it.
std::string letterOf(Elem elem, int64_t wordBits) {
  if (elem == Elem::TF32 || elem == Elem::F32) return "f";
  bool isUnsigned = elemInfo(elem).isUnsigned;
  return wordBits == 16 ? (isUnsigned ? "t" : "s") : (isUnsigned ? "j" : "i");
}

std::vector<DeviceFunction> mathFunctions(const TargetInfo &target) {
  std::vector<DeviceFunction> functions;
  for (const OpInfo &op : allOps()) {
    std::string_view name = mathFunctionName(op.kind);
    if (name.empty()) continue;
    size_t arguments = op.operands.size();
    auto add = [&](std::string_view scalar, size_t longest) {
      for (size_t length = 1; length <= longest; length *= 2) {
        std::string type = vectorOf(static_cast<int64_t>(length), scalar);
        functions.push_back(deviceFunction(name, std::vector<std::string>(arguments, type), type));
      }
    };
    add("f", kLongestVector);
    if (target.f64) add("d", chunkLength(64, kLongestVector));
  }
  return functions;
}

std::vector<DeviceFunction> shuffleFunctions() {
  std::vector<DeviceFunction> functions;
  for (const char *name : {"sub_group_shuffle", "sub_group_shuffle_xor"})
    for (const char *type : {"c", "s", "i", "l"}) functions.push_back(deviceFunction(name, {type, "j"}, type));
  return functions;
}

std::vector<DeviceFunction> blockFunctions(const TargetInfo &target, DeviceFunction (*of)(const BlockFunction &)) {
  std::vector<DeviceFunction> functions;
  for (const BlockShape &shape : target.blockShapes)
    for (int64_t rows = shape.fewestRows; rows <= shape.mostRows; rows *= 2)
      for (int64_t blocks = shape.fewestBlocks; blocks <= shape.blocks; blocks *= 2)
        functions.push_back(of(blockFunction(shape, rows, blocks)));
  return functions;
}

std::vector<DeviceFunction> lineFunctions(const TargetInfo &target) {
  std::vector<DeviceFunction> functions;
  if (target.lineWords.empty() || target.blocks.any()) return functions; // 2D block messages load rows too
  for (int64_t bytes : {1, 2, 4})
    for (int64_t words = 1; words <= kMostLineWords; words *= 2) functions.push_back(lineFunction(bytes, words));
  return functions;
}

std::vector<DeviceFunction> productFunctions(const TargetInfo &target, DeviceFunction (*of)(const MmaShape &)) {
  std::vector<DeviceFunction> functions;
  if (target.cooperativeMatrices) return functions;
  for (const MmaShape &shape : target.mma) functions.push_back(of(shape));
  return functions;
}

std::vector<DeviceFunction> matrixFunctions(const TargetInfo &target) {
  std::vector<DeviceFunction> functions;
  if (!target.cooperativeMatrices) return functions;
  for (const MmaShape &product : target.mma) {
    functions.push_back(matrixProduct(product));
    for (MatrixUse use : kMatrixUses) {
      MatrixForm form = matrixForm(product, use);
      functions.push_back(matrixFill(form));
      for (MemorySpace space : {MemorySpace::Global, MemorySpace::Slm}) {
        functions.push_back(matrixLoad(form, space));
        functions.push_back(matrixStore(form, space));
      }
    }
  }
  return functions;
}

std::vector<DeviceFunction> unsorted(const TargetInfo &target, DeviceFamily family) {
  switch (family) {
  case DeviceFamily::WorkItem:
    return {deviceFunction("get_group_id", {"j"}, "m"), deviceFunction("get_num_groups", {"j"}, "m"),
            deviceFunction("get_sub_group_id", {}, "j"), deviceFunction("get_sub_group_local_id", {}, "j")};
  case DeviceFamily::Barrier:
    return {deviceFunction("__spirv_ControlBarrier", {"j", "j", "j"}, "v"),
            deviceFunction("__spirv_MemoryBarrier", {"j", "j"}, "v")};
  case DeviceFamily::Shuffle: return shuffleFunctions();
  case DeviceFamily::Math: return mathFunctions(target);
  case DeviceFamily::Product: return productFunctions(target, deviceFunction);
  case DeviceFamily::Block: return blockFunctions(target, deviceFunction);
  case DeviceFamily::Line: return lineFunctions(target);
  case DeviceFamily::ProductInstruction: return productFunctions(target, productInstruction);
  case DeviceFamily::BlockInstruction: return blockFunctions(target, blockInstruction);
  case DeviceFamily::CooperativeMatrix: return matrixFunctions(target);
  }
  XT_UNREACHABLE("a family of device functions");
}

} // namespace

DeviceFunction deviceFunction(std::string_view name, std::vector<std::string> parameters, std::string result) {
  std::string symbol = mangledSymbol(name, parameters);
  return {std::move(symbol), std::move(result), std::move(parameters)};
}

// A word holds the elements of one row that a lane gets: at least one, also if rows are so short that the lanes hold several
// rows. The words of VNNI loads have 32 bits.
BlockFunction blockFunction(const BlockShape &shape, int64_t rows, int64_t blocks) {
  int64_t ofLane = shape.columns * shape.bits / kBlockLanes;
  auto wordBits = static_cast<unsigned>(shape.use == BlockUse::LoadVnni ? 32 : std::max<int64_t>(shape.bits, ofLane));
  return {shape.use, shape.bits, rows, shape.columns, blocks, wordBits};
}

namespace {
std::string memoryOf(const BlockFunction &block) { return block.wordBits == 8 ? "Ph" : block.wordBits == 16 ? "Pt" : "Pj"; }

// The words that stand for a use in the names of OpenCL's functions and of SPIR-V's instructions.
struct UseWords {
  std::string_view function, instruction;
};
UseWords wordsOf(BlockUse use) {
  switch (use) {
  case BlockUse::Load: return {"read", "Load"};
  case BlockUse::LoadVnni: return {"read_transform", "LoadTransform"};
  case BlockUse::LoadTransposed: return {"read_transpose", "LoadTranspose"};
  case BlockUse::Store: return {"write", "Store"};
  case BlockUse::Prefetch: return {"prefetch", "Prefetch"};
  }
  return {};
}

// The parameters for the matrix and the position of the block: base address, width, height, pitch, and the block's
// coordinates.
const std::vector<std::string> kMatrix = {"PU3AS1v", "i", "i", "i", "Dv2_i"};
} // namespace

DeviceFunction deviceFunction(const BlockFunction &block) {
  std::vector<std::string> parameters = kMatrix;
  if (block.use != BlockUse::Prefetch) parameters.push_back(memoryOf(block));
  return deviceFunction(str("intel_sub_group_2d_block_", wordsOf(block.use).function, "_", block.bits, "b_", block.rows, "r",
                            block.columns, "x", block.blocks, "c"),
                        std::move(parameters), "v");
}

DeviceFunction blockInstruction(const BlockFunction &block) {
  std::vector<std::string> parameters(4, "i");
  if (block.use == BlockUse::Store) parameters.push_back(memoryOf(block));
  parameters.insert(parameters.end(), kMatrix.begin(), kMatrix.end());
  if (block.use != BlockUse::Store && block.use != BlockUse::Prefetch) parameters.push_back(memoryOf(block));
  return deviceFunction(str("__spirv_Subgroup2DBlock", wordsOf(block.use).instruction, "INTEL"), std::move(parameters), "v");
}

std::array<int64_t, 4> blockSizes(const BlockFunction &block) {
  return {block.bits / 8, block.columns, block.rows, block.blocks};
}

DeviceFunction lineFunction(int64_t wordBytes, int64_t words) {
  std::string_view ofBytes = wordBytes == 1 ? "_uc" : wordBytes == 2 ? "_us" : "";
  std::string word = wordBytes == 1 ? "h" : wordBytes == 2 ? "t" : "j";
  return deviceFunction(str("intel_sub_group_block_read", ofBytes, words > 1 ? str(words) : ""), {"PU3AS1K" + word},
                        vectorOf(words, word));
}

namespace {

// The types in which a lane has operand `a`, operand `b` and the sum. A word of `a` has 32 bits on targets with 8 lanes, and
// 16 bits on those with 16; a word of tf32 always has 32 bits. If `a` has fewer elements than there are lanes (one row of
// tf32), the lanes without an element pass a word too.
std::array<std::string, 3> productTypes(const MmaShape &shape) {
  int64_t ofA = shape.a == Elem::TF32 ? 32
                : shape.n == 16       ? 16
                                      : 32,
          bits = shape.a == Elem::TF32 ? 32 : elemInfo(shape.a).bits;
  std::string a = vectorOf(std::max<int64_t>(1, shape.m * shape.k * bits / shape.n / ofA), letterOf(shape.a, ofA));
  std::string b = vectorOf(shape.k * bits / 32, letterOf(shape.b, 32));
  std::string sum = vectorOf(shape.m, shape.result == Elem::F16    ? "Dh"
                                      : shape.result == Elem::BF16 ? "s"
                                                                   : letterOf(shape.result, 32));
  return {a, b, sum};
}

} // namespace

DeviceFunction deviceFunction(const MmaShape &shape) {
  auto word = [](Elem elem) { return std::string(elem == Elem::TF32 ? "tf32" : elemName(elem)); };
  auto [a, b, sum] = productTypes(shape);
  return deviceFunction(str("intel_sub_group_", word(shape.a), "_", word(shape.b), "_matrix_mad_k", shape.k), {a, b, sum}, sum);
}

DeviceFunction productInstruction(const MmaShape &shape) {
  auto [a, b, sum] = productTypes(shape);
  return deviceFunction("__spirv_SubgroupMatrixMultiplyAccumulateINTEL", {"i", a, b, sum, "i"}, sum);
}

// The bits of the extension's Matrix Multiply Accumulate Operands.
uint32_t productOperands(const MmaShape &shape) {
  struct Row {
    Elem elem;
    uint32_t ofA, ofB;
  };
  constexpr Row kRows[] = {{Elem::I8, 0x1 | 0x10, 0x2 | 0x20},
                           {Elem::U8, 0x10, 0x20},
                           {Elem::TF32, 0x100, 0x200},
                           {Elem::F16, 0x400, 0x800},
                           {Elem::BF16, 0x1000, 0x2000}};
  uint32_t operands = shape.result == Elem::BF16 ? 0x4 | 0x8 : 0;
  for (const Row &row : kRows) operands |= (row.elem == shape.a ? row.ofA : 0) | (row.elem == shape.b ? row.ofB : 0);
  return operands;
}

std::string_view familyName(DeviceFamily family) {
  switch (family) {
  case DeviceFamily::WorkItem: return "Numbers of workgroups, subgroups and lanes";
  case DeviceFamily::Barrier: return "Barriers and fences";
  case DeviceFamily::Shuffle: return "Shuffles";
  case DeviceFamily::Math: return "Mathematical functions";
  case DeviceFamily::Product: return "Matrix products";
  case DeviceFamily::Block: return "2D block messages";
  case DeviceFamily::Line: return "1D block messages";
  case DeviceFamily::ProductInstruction: return "Matrix products, with --spirv-extensions=intel";
  case DeviceFamily::BlockInstruction: return "2D block messages, with --spirv-extensions=intel";
  case DeviceFamily::CooperativeMatrix: return "Cooperative matrices";
  }
  XT_UNREACHABLE("a family of device functions");
}

std::vector<DeviceFunction> deviceFunctions(const TargetInfo &target, DeviceFamily family) {
  std::vector<DeviceFunction> functions = unsorted(target, family);
  std::ranges::sort(functions, {}, &DeviceFunction::symbol);
  auto same = std::ranges::unique(functions, {}, &DeviceFunction::symbol); // an instruction takes many shapes
  functions.erase(same.begin(), same.end());
  return functions;
}

Result<void> checkDeviceCalls(const llvm::Module &module, const TargetInfo &target) {
  std::vector<DeviceFunction> known;
  for (DeviceFamily family : kDeviceFamilies) std::ranges::move(deviceFunctions(target, family), std::back_inserter(known));
  for (const llvm::Function &function : module) {
    if (!function.isDeclaration() || function.isIntrinsic()) continue;
    auto found =
        std::ranges::find(known, function.getName(), [](const DeviceFunction &each) { return llvm::StringRef(each.symbol); });
    if (found == known.end())
      return internalError(str("a kernel calls ", function.getName().str(), ", which ", target.name, " may not have"));
    if (functionType(module.getContext(), *found) != function.getFunctionType())
      return internalError(str("a kernel calls ", found->symbol, " with types that differ from those of its symbol"));
  }
  return {};
}

} // namespace xt
