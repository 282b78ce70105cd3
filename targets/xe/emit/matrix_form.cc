#include "targets/xe/emit/matrix_form.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "targets/xe/library/spirv_numbers.h"

#include <llvm/IR/DerivedTypes.h>

#include <algorithm>
#include <charconv>

namespace xt {
namespace {

constexpr std::string_view kPrefix = "matrix:";
constexpr std::string_view kUseLetters = "abc"; // in the order of kMatrixUses

// SPIR-V's number of a use.
size_t numberOf(MatrixUse use) { return static_cast<size_t>(std::ranges::find(kMatrixUses, use) - kMatrixUses.begin()); }

llvm::Type *elementType(llvm::LLVMContext &context, Elem elem) {
  switch (elem) {
  case Elem::F16: return llvm::Type::getHalfTy(context);
  case Elem::BF16: return llvm::Type::getBFloatTy(context);
  case Elem::F32: return llvm::Type::getFloatTy(context);
  default: return llvm::Type::getIntNTy(context, 8 * static_cast<unsigned>(elemInfo(elem).storageBytes));
  }
}

// Removes a number from the front of `text`.
std::optional<int64_t> takeNumber(std::string_view &text) {
  int64_t number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

bool take(std::string_view &text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}

// The scalar that stands for an element in the parameter of a fill.
std::string scalarOf(Elem elem) {
  switch (elem) {
  case Elem::F16: return "Dh";
  case Elem::F32: return "f";
  case Elem::BF16: return "DF16b";
  default: return elemInfo(elem).storageBytes == 1 ? "c" : "i";
  }
}

// LLVM recognises an instruction by the name, whose length precedes it (SPIRVUtils.cpp, getOclOrSpirvBuiltinDemangledName). What
// follows the name makes symbols unique; it cannot be demangled as types, because none begins with an underscore.
DeviceFunction instruction(std::string_view name, std::string unique, std::vector<std::string> parameters, std::string result) {
  return {str("_Z", name.size(), name, "_", unique), std::move(result), std::move(parameters)};
}

std::string_view pointerTo(MemorySpace space) { return space == MemorySpace::Slm ? "PU3AS3v" : "PU3AS1v"; }
std::string_view nameOf(MemorySpace space) { return space == MemorySpace::Slm ? "slm" : "global"; }

} // namespace

MatrixForm matrixForm(const MmaShape &product, MatrixUse use) {
  switch (use) {
  case MatrixUse::A: return {product.a, product.m, product.k, use};
  case MatrixUse::B: return {product.b, product.k, product.n, use};
  case MatrixUse::Accumulator: return {product.result, product.m, product.n, use};
  case MatrixUse::None: break;
  }
  XT_UNREACHABLE("the use of a matrix");
}

std::string text(const MatrixForm &form) {
  return str(elemName(form.elem), "_", form.rows, "x", form.columns, "_", kUseLetters[numberOf(form.use)]);
}

std::string matrixTypeName(const MatrixForm &form) { return str(kPrefix, text(form)); }

std::optional<MatrixForm> matrixOfTypeName(std::string_view name) {
  if (!take(name, kPrefix)) return std::nullopt;
  size_t underscore = name.find('_');
  if (underscore == std::string_view::npos) return std::nullopt;
  std::optional<Elem> elem = elemFromName(name.substr(0, underscore));
  name.remove_prefix(underscore + 1);
  std::optional<int64_t> rows = takeNumber(name);
  if (!elem || !rows || !take(name, "x")) return std::nullopt;
  std::optional<int64_t> columns = takeNumber(name);
  if (!columns || !take(name, "_") || name.size() != 1 || kUseLetters.find(name) == std::string_view::npos) return std::nullopt;
  return MatrixForm{*elem, *rows, *columns, kMatrixUses[kUseLetters.find(name)]};
}

llvm::Type *matrixType(llvm::LLVMContext &context, const MatrixForm &form) {
  return llvm::TargetExtType::get(context, "spirv.CooperativeMatrixKHR", {elementType(context, form.elem)},
                                  {spirv::kScopeSubgroup, static_cast<unsigned>(form.rows), static_cast<unsigned>(form.columns),
                                   static_cast<unsigned>(numberOf(form.use))});
}

DeviceFunction matrixLoad(const MatrixForm &form, MemorySpace space) {
  return instruction("__spirv_CooperativeMatrixLoadKHR", str(text(form), "_", nameOf(space)),
                     {std::string(pointerTo(space)), "i", "l"}, matrixTypeName(form));
}

DeviceFunction matrixStore(const MatrixForm &form, MemorySpace space) {
  return instruction("__spirv_CooperativeMatrixStoreKHR", str(text(form), "_", nameOf(space)),
                     {std::string(pointerTo(space)), matrixTypeName(form), "i", "l"}, "v");
}

DeviceFunction matrixFill(const MatrixForm &form) {
  return instruction("__spirv_CompositeConstruct", text(form), {scalarOf(form.elem)}, matrixTypeName(form));
}

DeviceFunction matrixProduct(const MmaShape &product) {
  MatrixForm a = matrixForm(product, MatrixUse::A), b = matrixForm(product, MatrixUse::B),
             sum = matrixForm(product, MatrixUse::Accumulator);
  return instruction("__spirv_CooperativeMatrixMulAddKHR", str(text(a), "_", text(b), "_", text(sum)),
                     {matrixTypeName(a), matrixTypeName(b), matrixTypeName(sum), "i"}, matrixTypeName(sum));
}

uint32_t matrixSigns(const MmaShape &product) {
  auto isSigned = [](Elem elem) { return isInteger(elem) && !elemInfo(elem).isUnsigned; };
  return (isSigned(product.a) ? spirv::kMatrixASigned : 0) | (isSigned(product.b) ? spirv::kMatrixBSigned : 0) |
         (isSigned(product.result) ? spirv::kMatrixCSigned | spirv::kMatrixResultSigned : 0);
}

} // namespace xt
