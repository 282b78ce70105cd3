// Matrices of SPV_KHR_cooperative_matrix: their types in LLVM IR, and the functions that LLVM translates to their instructions.
#pragma once
#include "ir/elem_kinds.h"
#include "ir/gpu/target_info.h"
#include "ir/type.h"
#include "targets/llvm/loops.h"
#include "targets/xe/emit/device_functions.h"

#include <array>
#include <optional>
#include <string>

namespace xt {

// The uses in the order of a product's operands, and of SPIR-V's numbers.
inline constexpr std::array kMatrixUses = {MatrixUse::A, MatrixUse::B, MatrixUse::Accumulator};

// The type of a matrix: its elements, its size, and the operand of a product that it is.
struct MatrixForm {
  Elem elem = Elem::F32;
  int64_t rows = 0, columns = 0;
  MatrixUse use = MatrixUse::Accumulator;
  int64_t count() const { return rows * columns; }
  bool operator==(const MatrixForm &) const = default;
};
MatrixForm matrixForm(const MmaShape &product, MatrixUse use);
std::string text(const MatrixForm &form); // "f16_8x16_a"

// "matrix:" and the text of a form, the spelling of matrix types in DeviceFunction; nullopt for other types.
std::string matrixTypeName(const MatrixForm &form);
std::optional<MatrixForm> matrixOfTypeName(std::string_view name);
llvm::Type *matrixType(llvm::LLVMContext &context, const MatrixForm &form);

// Instructions that the lanes of a subgroup execute together. Load: address, layout (spirv::kRowMajor), elements from one row (or column) to the
// next. Store: address, matrix, layout, and the same. Fill: the value of all elements. Product: a, b, c, matrixSigns().
DeviceFunction matrixLoad(const MatrixForm &form, MemorySpace space);
DeviceFunction matrixStore(const MatrixForm &form, MemorySpace space);
DeviceFunction matrixFill(const MatrixForm &form);
DeviceFunction matrixProduct(const MmaShape &product);
uint32_t matrixSigns(const MmaShape &product); // which operands have signed elements, as SPIR-V's Cooperative Matrix Operands

} // namespace xt
