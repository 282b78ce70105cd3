#include "targets/soft/matrix_calls.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/soft/products.h"
#include "targets/xe/library/spirv_numbers.h"

#include <algorithm>

namespace xt::soft {
namespace {

using namespace spirv;

// Instructions that treat a matrix like any other value.
bool onlyPasses(uint32_t code) {
  return code == OpUndef || code == OpConstantNull || code == OpFunctionParameter || code == OpFunctionCall || code == OpLoad ||
         code == OpPhi;
}

bool isOfExtension(SpirvCalls::Words op) {
  uint32_t code = opcodeOf(op[0]);
  if (code == OpCapability && op.size() > 1)
    return op[1] == CapabilityCooperativeMatrixKHR || op[1] == CapabilityBFloat16TypeKHR ||
           op[1] == CapabilityBFloat16CooperativeMatrixKHR;
  if (code != OpExtension) return false;
  std::string_view name = literal(op.subspan(1));
  return name == "SPV_KHR_cooperative_matrix" || name == "SPV_KHR_bfloat16";
}

// The numbers of words that a vector may have.
bool isVectorLength(int64_t words) { return words == 2 || words == 3 || words == 4 || words == 8 || words == 16; }

} // namespace

MatrixCalls::MatrixCalls(SpirvCalls &module) : module_(module) {
  std::map<uint32_t, uint32_t> sizes; // subgroup sizes, by id of the kernel
  std::set<uint32_t> found;
  uint32_t function = 0;
  module.eachInstruction([&](SpirvCalls::Words op) {
    uint32_t code = opcodeOf(op[0]);
    if (code == OpExecutionMode && op.size() == 4 && op[2] == kModeSubgroupSize) sizes[op[1]] = op[3];
    if (code == OpFunction && op.size() > 2) function = op[2];
    if (code == OpCooperativeMatrixLoadKHR || code == OpCooperativeMatrixStoreKHR || code == OpCooperativeMatrixMulAddKHR)
      found.insert(sizes.contains(function) ? sizes[function] : 0);
  });
  if (found.size() == 1) lanes_ = *found.begin();
}

void MatrixCalls::fail(std::string text) {
  if (problem_.empty()) problem_ = std::move(text);
}

const MatrixCalls::Matrix *MatrixCalls::matrix(uint32_t type) const {
  auto found = matrices_.find(type);
  return found == matrices_.end() ? nullptr : &found->second;
}

// Matrices of one size may be different types of the module, and need different functions.
std::string MatrixCalls::unique(uint32_t type) const { return str("_", type); }

// Whether the instruction computes with bf16, which is only a type of 16 bits here. Constants and casts of bits are right.
bool MatrixCalls::computesBfloat(SpirvCalls::Words op) const {
  uint32_t code = opcodeOf(op[0]);
  if (code == OpFConvert) return op.size() > 3 && (bfloats_.contains(op[1]) || bfloats_.contains(module_.typeOf(op[3])));
  bool hasResult = op.size() > 2 && bfloats_.contains(op[1]) && module_.typeOf(op[2]) == op[1];
  return hasResult && !onlyPasses(code) && code != OpConstant && code != OpBitcast;
}

bool MatrixCalls::take(SpirvCalls::Words op) {
  uint32_t code = opcodeOf(op[0]);
  if (isOfExtension(op)) return true;
  if (code == OpTypeFloat && op.size() == 4) { // bf16: only its bits matter
    bfloats_.insert(op[1]);
    uint32_t half[] = {firstWord(3, OpTypeFloat), op[1], op[2]};
    module_.keep(half);
    return true;
  }
  switch (code) {
  case OpTypeCooperativeMatrixKHR: return type(op), true;
  case OpCooperativeMatrixLoadKHR: return load(op), true;
  case OpCooperativeMatrixStoreKHR: return store(op), true;
  case OpCooperativeMatrixMulAddKHR: return product(op), true;
  default: break;
  }
  if (computesBfloat(op)) {
    fail(str("the software device does not execute the SPIR-V instruction ", code, " on bf16"));
    return true;
  }
  bool hasResult = op.size() > 2 && matrix(op[1]) && module_.typeOf(op[2]) == op[1];
  if (hasResult && code == OpCompositeConstruct) return fill(op), true;
  bool extracts = code == OpCompositeExtract && op.size() > 3 && matrix(module_.typeOf(op[3]));
  if (!extracts && (!hasResult || onlyPasses(code))) return false;
  fail(str("the software device does not execute the SPIR-V instruction ", code, " on cooperative matrices"));
  return true;
}

void MatrixCalls::type(SpirvCalls::Words op) {
  if (op.size() != 7) return fail("a type of cooperative matrices has the wrong length");
  const SpirvCalls::Scalar *component = module_.scalar(op[2]);
  std::optional<uint32_t> rows = module_.constant(op[4]), columns = module_.constant(op[5]);
  if (!component || !rows || !columns) return fail("the sizes of a cooperative matrix are not constants");
  if (!lanes_) return fail("kernels with cooperative matrices must state a subgroup size, and the same");
  MatrixSize size{component->bits, *rows, *columns};
  int64_t words = size.bytes() / (int64_t{4} * lanes_);
  if (!module_.intType() || words * 4 * lanes_ != size.bytes() || !isVectorLength(words))
    return fail(str("the software device has no cooperative matrices of ", size.rows, "x", size.columns, " elements of ",
                    size.bits, " bits for subgroups of ", lanes_, " lanes"));
  matrices_[op[1]] = {size, op[2], component->isFloat, bfloats_.contains(op[2])};
  uint32_t vector[] = {firstWord(4, OpTypeVector), op[1], module_.intType(), static_cast<uint32_t>(words)};
  module_.keep(vector);
}

void MatrixCalls::load(SpirvCalls::Words op) {
  const Matrix *loaded = op.size() > 5 ? matrix(op[1]) : nullptr;
  const SpirvCalls::Scalar *stride = loaded ? module_.scalar(module_.typeOf(op[5])) : nullptr;
  if (!stride) return fail("a load of a cooperative matrix has no stride");
  module_.call(matrixLoadName(loaded->size, lanes_, module_.storageClass(op[3]), stride->bits) + unique(op[1]), op[1], op[2],
               {op[3], op[4], op[5]});
}

void MatrixCalls::store(SpirvCalls::Words op) {
  uint32_t type = op.size() > 4 ? module_.typeOf(op[2]) : 0;
  const Matrix *stored = matrix(type);
  const SpirvCalls::Scalar *stride = stored ? module_.scalar(module_.typeOf(op[4])) : nullptr;
  if (!stride) return fail("a store of a cooperative matrix has no stride");
  module_.call(matrixStoreName(stored->size, lanes_, module_.storageClass(op[1]), stride->bits) + unique(type),
               module_.voidType(), std::nullopt, {op[1], op[2], op[3], op[4]});
}

void MatrixCalls::fill(SpirvCalls::Words op) {
  if (op.size() != 4) return fail("a cooperative matrix is made of one scalar");
  module_.call(matrixFillName(matrix(op[1])->size, lanes_) + unique(op[1]), op[1], op[2], {op[3]});
}

void MatrixCalls::product(SpirvCalls::Words op) {
  const Matrix *a = op.size() > 5 ? matrix(module_.typeOf(op[3])) : nullptr, *b = a ? matrix(module_.typeOf(op[4])) : nullptr,
               *c = b ? matrix(module_.typeOf(op[5])) : nullptr;
  if (!c || module_.typeOf(op[5]) != op[1]) return fail("a product of cooperative matrices has other operands");
  uint32_t signs = op.size() > 6 ? op[6] : 0;
  auto elem = [](const Matrix &m, bool isSigned) {
    if (m.isBfloat) return Elem::BF16;
    if (m.isFloat) return m.size.bits == 16 ? Elem::F16 : Elem::F32;
    return m.size.bits == 32 ? Elem::I32 : isSigned ? Elem::I8 : Elem::U8;
  };
  MmaShape shape{elem(*a, (signs & kMatrixASigned) != 0),
                 elem(*b, (signs & kMatrixBSigned) != 0),
                 elem(*c, true),
                 a->size.rows,
                 b->size.columns,
                 a->size.columns};
  bool fits = b->size.rows == shape.k && c->size.rows == shape.m && c->size.columns == shape.n;
  if (!fits) return fail("the sizes of the operands of a product of cooperative matrices do not agree");
  module_.call(cooperativeProductName(shape, lanes_), op[1], op[2], {op[3], op[4], op[5]});
}

} // namespace xt::soft
