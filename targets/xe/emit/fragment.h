// A lane's part of a vector: its elements, each somewhere in an LLVM vector. Reshaping, slicing, transposing and
// repeating change places only; LLVM vectors, of 16 elements at most, are put together where something computes.
#pragma once
#include "targets/llvm/loops.h"

#include <span>
#include <vector>

namespace xt {

struct FragmentElement {
  LlvmValue *from = nullptr;
  int place = kScalar; // in a vector, or in an integer that several elements share
  int pack = 1;        // how many elements share one integer, the first in its low bits
  static constexpr int kScalar = -1;
  bool operator==(const FragmentElement &) const = default;
};
using Fragment = std::vector<FragmentElement>; // row-major

inline constexpr size_t kLongestVector = 16; // what SPIR-V's Vector16 allows

// How many of the next `left` elements of so many bits go in one vector: 16, 8, 4, 2 or 1, up to 32 bytes of them.
size_t chunkLength(unsigned bits, size_t left);

size_t lengthOf(const LlvmValue *vectorOrScalar);
// Adds all elements of an LLVM vector, or a scalar; with `pack`, of integers that hold so many each.
void append(Fragment &fragment, LlvmValue *vectorOrScalar, int pack = 1);
LlvmValue *scalarOf(llvm::IRBuilderBase &b, FragmentElement element);
// The elements side by side in a vector; the scalar where there is one. An LLVM vector that is just that is taken as it
// is.
LlvmValue *together(llvm::IRBuilderBase &b, std::span<const FragmentElement> elements);
// The elements as integers of so many bits, as many of them in each as fit; 16 integers at most.
LlvmValue *asWords(llvm::IRBuilderBase &b, std::span<const FragmentElement> elements, unsigned bits);
// A bitcast; of a bitcast from that type, what that took.
LlvmValue *castBits(llvm::IRBuilderBase &b, LlvmValue *value, llvm::Type *type);
// The vector type of so many elements; the scalar type for one.
llvm::Type *vectorOf(llvm::Type *scalar, size_t count);

} // namespace xt
