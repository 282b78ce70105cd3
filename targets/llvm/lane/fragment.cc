#include "targets/llvm/lane/fragment.h"

#include <algorithm>

namespace xt {
namespace {

// Returns the integers that hold the elements, if the elements are consecutive in one vector of integers and fill whole
// integers; otherwise null.
LlvmValue *wholeWords(llvm::IRBuilderBase &b, std::span<const FragmentElement> elements) {
  const FragmentElement &first = elements[0];
  auto pack = static_cast<size_t>(first.pack);
  if (first.place == FragmentElement::kScalar || elements.size() % pack != 0 || first.place % first.pack != 0) return nullptr;
  for (size_t k = 0; k < elements.size(); ++k)
    if (elements[k] != FragmentElement{first.from, first.place + static_cast<int>(k), first.pack}) return nullptr;
  size_t count = elements.size() / pack;
  if (count == lengthOf(first.from)) return first.from;
  if (count == 1) return b.CreateExtractElement(first.from, static_cast<uint64_t>(first.place / first.pack));
  llvm::SmallVector<int, 16> places;
  for (size_t k = 0; k < count; ++k) places.push_back(first.place / first.pack + static_cast<int>(k));
  return b.CreateShuffleVector(first.from, places);
}

// Combines elements that are all from one vector.
LlvmValue *fromOne(llvm::IRBuilderBase &b, std::span<const FragmentElement> elements) {
  if (LlvmValue *whole = wholeWords(b, elements)) return whole;
  llvm::SmallVector<int, 16> places;
  for (const FragmentElement &element : elements) places.push_back(element.place);
  return b.CreateShuffleVector(elements[0].from, places);
}

// Combines elements from two vectors of one type.
LlvmValue *fromTwo(llvm::IRBuilderBase &b, std::span<const FragmentElement> elements, LlvmValue *second) {
  llvm::SmallVector<int, 16> places;
  for (const FragmentElement &element : elements)
    places.push_back(element.place + (element.from == second ? static_cast<int>(lengthOf(second)) : 0));
  return b.CreateShuffleVector(elements[0].from, second, places);
}

} // namespace

size_t chunkLength(unsigned bits, size_t left) {
  size_t most = bits > 32 ? 4 : bits > 16 ? 8 : kLongestVector, length = most;
  while (length > left) length /= 2;
  return length;
}

llvm::Type *vectorOf(llvm::Type *scalar, size_t count) {
  return count == 1 ? scalar : llvm::FixedVectorType::get(scalar, static_cast<unsigned>(count));
}

size_t lengthOf(const LlvmValue *value) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector ? vector->getNumElements() : 1;
}

void append(Fragment &fragment, LlvmValue *vectorOrScalar, int pack) {
  if (pack == 1 && !vectorOrScalar->getType()->isVectorTy()) {
    fragment.push_back({vectorOrScalar});
    return;
  }
  for (int k = 0; k < static_cast<int>(lengthOf(vectorOrScalar)) * pack; ++k) fragment.push_back({vectorOrScalar, k, pack});
}

LlvmValue *scalarOf(llvm::IRBuilderBase &b, FragmentElement element) {
  if (element.place == FragmentElement::kScalar) return element.from;
  LlvmValue *word = element.from;
  if (word->getType()->isVectorTy()) word = b.CreateExtractElement(word, static_cast<uint64_t>(element.place / element.pack));
  if (element.pack == 1) return word;
  unsigned bits = word->getType()->getIntegerBitWidth() / static_cast<unsigned>(element.pack);
  auto shift = bits * static_cast<unsigned>(element.place % element.pack);
  return b.CreateTrunc(b.CreateLShr(word, shift), b.getIntNTy(bits));
}

LlvmValue *together(llvm::IRBuilderBase &b, std::span<const FragmentElement> elements) {
  if (elements.size() == 1) return scalarOf(b, elements[0]);
  if (std::all_of(elements.begin(), elements.end(), [&](const FragmentElement &e) { return e == elements[0]; }))
    return b.CreateVectorSplat(static_cast<unsigned>(elements.size()), scalarOf(b, elements[0]));
  if (elements[0].pack > 1)
    if (LlvmValue *words = wholeWords(b, elements)) {
      unsigned bits = words->getType()->getScalarSizeInBits() / static_cast<unsigned>(elements[0].pack);
      return castBits(b, words, vectorOf(b.getIntNTy(bits), elements.size()));
    }
  LlvmValue *second = nullptr;
  bool two = true;
  for (const FragmentElement &element : elements) {
    two &= element.place != FragmentElement::kScalar && element.pack == 1;
    if (element.from == elements[0].from) continue;
    two &= (!second || second == element.from) && element.from->getType() == elements[0].from->getType();
    second = element.from;
  }
  if (two) return second ? fromTwo(b, elements, second) : fromOne(b, elements);
  LlvmValue *first = scalarOf(b, elements[0]);
  LlvmValue *vector = llvm::PoisonValue::get(vectorOf(first->getType(), elements.size()));
  for (size_t k = 0; k < elements.size(); ++k)
    vector = b.CreateInsertElement(vector, k == 0 ? first : scalarOf(b, elements[k]), k);
  return vector;
}

LlvmValue *asWords(llvm::IRBuilderBase &b, std::span<const FragmentElement> elements, unsigned bits) {
  const FragmentElement &first = elements[0];
  llvm::Type *word = b.getIntNTy(bits);
  if (LlvmValue *words = first.from->getType()->getScalarType() == word ? wholeWords(b, elements) : nullptr) return words;
  unsigned own = scalarOf(b, first)->getType()->getScalarSizeInBits();
  size_t pack = bits / own, longest = kLongestVector;
  Fragment words;
  for (size_t k = 0; k < elements.size(); k += longest) {
    auto part = elements.subspan(k, std::min(longest, elements.size() - k));
    append(words, castBits(b, together(b, part), vectorOf(word, part.size() / pack)));
  }
  return together(b, words);
}

LlvmValue *asShiftedWords(llvm::IRBuilderBase &b, std::span<const FragmentElement> elements, unsigned bits) {
  Fragment words;
  const unsigned own = scalarOf(b, elements[0])->getType()->getScalarSizeInBits();
  const size_t pack = bits / own;
  for (size_t i = 0; i < elements.size(); i += pack) {
    LlvmValue *word = nullptr;
    for (size_t k = 0; k < pack; ++k) {
      LlvmValue *element = castBits(b, scalarOf(b, elements[i + k]), b.getIntNTy(own));
      LlvmValue *shifted = b.CreateShl(b.CreateZExt(element, b.getIntNTy(bits)), k * own);
      word = word ? b.CreateOr(word, shifted) : shifted;
    }
    words.push_back({word});
  }
  return together(b, words);
}

LlvmValue *castBits(llvm::IRBuilderBase &b, LlvmValue *value, llvm::Type *type) {
  if (value->getType() == type) return value;
  auto *cast = llvm::dyn_cast<llvm::BitCastInst>(value);
  if (cast && cast->getSrcTy() == type) return cast->getOperand(0);
  return b.CreateBitCast(value, type);
}

} // namespace xt
