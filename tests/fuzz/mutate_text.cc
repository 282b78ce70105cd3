// libFuzzer's mutator for .xt texts: mostly changes them by their syntax, sometimes by bytes and words of the dictionary.
#include "tests/fuzz/crash.h"
#include "tests/fuzz/mutator.h"

#include <cstring>

using namespace xt;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

constexpr unsigned kBytesOneIn = 5; // one change in kBytesOneIn changes bytes instead of words

size_t put(const std::string &text, uint8_t *data, size_t maxSize) {
  size_t size = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), size);
  return size;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  if (seed % kBytesOneIn == 0 || size == 0) return LLVMFuzzerMutate(data, size, maxSize);
  std::string made = fuzz::Mutator(seed).mutate(fuzz::textOf(data, size));
  if (made.size() > maxSize) return LLVMFuzzerMutate(data, size, maxSize);
  return put(made, data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t aSize, const uint8_t *b, size_t bSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  return put(fuzz::Mutator(seed).mutate(fuzz::textOf(a, aSize), fuzz::textOf(b, bSize)), out, maxSize);
}
