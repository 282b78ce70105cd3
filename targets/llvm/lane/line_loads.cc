#include "targets/llvm/lane/line_loads.h"

#include "ir/op_kinds.h"

#include <algorithm>
#include <bit>

namespace xt {
namespace {

// The elements that form one LLVM vector, of integers of `bits` bits. Elements are numbered row by row.
struct Vector {
  std::vector<size_t> elements;
  unsigned bits = 0;
};

constexpr unsigned kOperandBits = 32; // of the integers of a register operand of a product; 8 of them are in a vector
constexpr size_t kOperandIntegers = 8;

// The largest power of two that is at most `left` and at most `most`.
size_t lengthOfNext(size_t left, size_t most) { return std::bit_floor(std::min(left, most)); }

// Whether the result of an op has the elements of its operand, in another order.
bool rearranges(const Op &op) {
  TypeRule rule = op.info().typeRule;
  return rule == TypeRule::Reshape || rule == TypeRule::Transpose || rule == TypeRule::ConvertLayout ||
         rule == TypeRule::ExtractStridedSlice;
}

// The vectors that a block's elements form at the end of both branches: those that products take, where the block may be an
// operand, else one for the words of each message.
std::vector<Vector> vectorsOf(const Op &load, const LineRead &read) {
  Type block = load.operand(0)->type();
  const auto rows = static_cast<size_t>(block.extent(0)), words = static_cast<size_t>(read.words),
             pack = static_cast<size_t>(read.pack);
  const auto bits = static_cast<unsigned>(8 * read.wordBytes);
  const size_t rowsOfInteger = kOperandBits / bits;
  const bool down = bits == kOperandBits || (pack == 1 && rows % rowsOfInteger == 0 && isOperandB(load.result()));
  const size_t lines = down ? words : rows, length = down ? rows : words;
  std::vector<Vector> vectors;
  for (size_t line = 0; line < lines; ++line)
    for (size_t at = 0, count; at < length; at += count) {
      count = down ? rowsOfInteger * lengthOfNext((length - at) / rowsOfInteger, kOperandIntegers)
                   : lengthOfNext(length - at, kMostLineWords);
      Vector vector{{}, down ? kOperandBits : bits};
      for (size_t i = at; i < at + count; ++i) {
        size_t word = down ? i * words + line : line * words + i;
        for (size_t k = 0; k < pack; ++k) vector.elements.push_back(word * pack + k);
      }
      vectors.push_back(std::move(vector));
    }
  return vectors;
}

// The integers of a vector, from words of `pack` elements.
LlvmValue *integersOfWords(llvm::IRBuilderBase &b, const Vector &vector, const Fragment &words, size_t pack) {
  Fragment own;
  for (size_t i = 0; i < vector.elements.size(); i += pack) own.push_back(words[vector.elements[i] / pack]);
  return asWords(b, own, vector.bits);
}

} // namespace

// Rearrangements are followed in a loop, as chains of them can be long.
bool isOperandB(const Value *value) {
  std::vector<const Value *> names = {value};
  while (!names.empty()) {
    const Value *name = names.back();
    names.pop_back();
    for (Use use : name->uses()) {
      if (use.user->info().typeRule == TypeRule::Dpas && use.operand == 1) return true;
      if (rearranges(*use.user)) names.push_back(use.user->result());
    }
  }
  return false;
}

std::optional<LineRead> LaneLines::readOf(const Op &load) {
  if (!c.device.loadsLines() || load.info().typeRule != TypeRule::LoadNd) return std::nullopt;
  return lineRead(c.target, load.operand(0)->type());
}

// All words of a block that is in bounds and aligned.
Fragment LaneLines::wordsOfRows(const Value *desc, const LineRead &read, const BlockPlace &place) {
  const auto words = static_cast<size_t>(read.words);
  LlvmValue *address = place.address;
  LlvmValue *pitch = b.CreateMul(place.pitch, v.number(elemInfo(desc->type().elem()).storageBytes));
  Fragment loaded;
  for (int64_t row = 0; row < desc->type().extent(0); ++row) {
    if (row > 0) address = byteOffset(b, address, pitch);
    for (size_t at = 0; at < words;) {
      size_t count = lengthOfNext(words - at, kMostLineWords);
      int64_t offset = static_cast<int64_t>(at) * c.kernel.lanes * read.wordBytes;
      LlvmValue *from = offset ? byteOffset(b, address, v.number(offset)) : address;
      append(loaded, c.device.loadLine(c, from, read.wordBytes, static_cast<int64_t>(count)));
      at += count;
    }
  }
  return loaded;
}

Fragment LaneLines::load(const Op &op, const LineRead &read, llvm::function_ref<Fragment()> byLanes) {
  const Value *desc = op.operand(0);
  const BlockPlace place = LaneWindows(c).placeOf(desc, [](int) { return kLineReadAlignment; });
  if (place.never() || !place.byRows) return byLanes();
  const std::vector<Vector> vectors = vectorsOf(op, read);
  auto each = [&](llvm::function_ref<LlvmValue *(const Vector &)> integers) {
    LlvmValues made;
    for (const Vector &vector : vectors) made.push_back(integers(vector));
    return made;
  };
  auto byRows = [&] {
    Fragment words = wordsOfRows(desc, read, place);
    return each([&](const Vector &vector) { return integersOfWords(b, vector, words, static_cast<size_t>(read.pack)); });
  };
  auto elementByElement = [&] {
    Fragment loaded = byLanes();
    return each([&](const Vector &vector) {
      Fragment own;
      for (size_t number : vector.elements) own.push_back(loaded[number]);
      return asShiftedWords(b, own, vector.bits);
    });
  };
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(place.whole); // true, as it is not false
  LlvmValues made = known ? byRows() : ifElse(b, place.whole, byRows, elementByElement);
  llvm::Type *type = ops.type(desc->type().elem(), 0);
  Fragment elements(static_cast<size_t>(desc->type().extent(0) * read.words * read.pack));
  for (size_t k = 0; k < vectors.size(); ++k) {
    const std::vector<size_t> &numbers = vectors[k].elements;
    Fragment own;
    LlvmValue *whole = type->isIntegerTy() ? made[k] : castBits(b, made[k], vectorOf(type, numbers.size()));
    append(own, whole, static_cast<int>(vectors[k].bits / type->getPrimitiveSizeInBits()));
    for (size_t i = 0; i < own.size(); ++i) elements[numbers[i]] = own[i];
  }
  return elements;
}

} // namespace xt
