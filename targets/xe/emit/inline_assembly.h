// Messages of the hardware as inline assembly in SPIR-V (SPV_INTEL_inline_assembly), whose results LLVM does not translate if
// they are longer than 128 bits. So they are calls of functions first, which the words of the finished module replace.
#pragma once
#include "targets/xe/library/raw_send.h"

#include <string>

namespace xt {

// The function that stands for the message. It takes one word of each lane, for a store also a vector of words, and returns a
// vector of words, or nothing. `wordBits`: the bits of a word of the vector, as messages with equal descriptors may have words
// of several sizes.
std::string functionOf(const RawSend &send, unsigned wordBits);
// The function that stands for the step of a payload. It takes one word of each lane, and returns one.
std::string functionOf(const PayloadStep &step);

// Replaces the calls of such functions in a module by inline assembly.
std::string withInlineAssembly(const std::string &spirv);

} // namespace xt
