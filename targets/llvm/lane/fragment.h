// A lane's part of a vector: a list of elements, each located in some LLVM vector. Reshaping, slicing, transposing and
// repeating only rearrange the list. LLVM vectors, of at most 16 elements, are assembled when an op computes with the elements.
#pragma once
#include "targets/llvm/loops.h"

#include <span>
#include <vector>

namespace xt {

struct FragmentElement {
  LlvmValue *from = nullptr;
  int place = kScalar; // position in a vector, or in an integer that several elements share
  int pack = 1; // the number of elements that share one integer, the first in its low bits
  static constexpr int kScalar = -1;
  bool operator==(const FragmentElement &) const = default;
};
using Fragment = std::vector<FragmentElement>; // row-major

inline constexpr size_t kLongestVector = 16; // the limit of SPIR-V's Vector16

// How many of the next `left` elements, of `bits` bits each, form one vector of at most 32 bytes: 16, 8, 4, 2 or 1.
size_t chunkLength(unsigned bits, size_t left);

size_t lengthOf(const LlvmValue *vectorOrScalar);
// Appends all elements of an LLVM vector, or a scalar. If `pack` is not 1, the LLVM value consists of integers that hold `pack`
// elements each.
void append(Fragment &fragment, LlvmValue *vectorOrScalar, int pack = 1);
LlvmValue *scalarOf(llvm::IRBuilderBase &b, FragmentElement element);
// Returns the elements as one vector, or as a scalar if there is one element. An LLVM vector that has exactly these elements is
// used directly.
LlvmValue *together(llvm::IRBuilderBase &b, std::span<const FragmentElement> elements);
// Returns the elements as integers of `bits` bits, each of which holds as many elements as fit; at most 16 integers.
LlvmValue *asWords(llvm::IRBuilderBase &b, std::span<const FragmentElement> elements, unsigned bits);
// The same by shifts, without a bitcast of vectors. At the end of a branch: if both branches ended in the same bitcast, Intel's
// compiler would move it behind the branches, and hand on the elements in registers of their own.
LlvmValue *asShiftedWords(llvm::IRBuilderBase &b, std::span<const FragmentElement> elements, unsigned bits);
// Bitcasts a value. If it is itself a bitcast from `type`, returns its operand.
LlvmValue *castBits(llvm::IRBuilderBase &b, LlvmValue *value, llvm::Type *type);
// The vector type of `count` elements; the scalar type for one.
llvm::Type *vectorOf(llvm::Type *scalar, size_t count);

} // namespace xt
