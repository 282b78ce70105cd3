// Blocks of matrices: one message if the target has a message that distributes the block over the lanes as the sg_map does.
// Lines: contiguous memory by 1D block messages.
#include "targets/llvm/lane/addresses.h"
#include "targets/xe/emit/xe_lane_device.h"

#include <algorithm>

namespace xt {
namespace {

constexpr size_t kWordsAtOnce = 8; // the number of words in an operand of a product

llvm::Align wordsAlign(size_t place, unsigned bits) { return llvm::commonAlignment(llvm::Align(64), place * bits / 8); }

// Allocates the private memory that a load fills, or that a store reads.
LlvmValue *blockMemory(LaneContext &c, const BlockCall &call) {
  llvm::BasicBlock &entry = c.b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> top(&entry, entry.begin());
  auto *type = llvm::ArrayType::get(c.b.getIntNTy(call.wordBits), call.words);
  llvm::AllocaInst *memory = top.CreateAlloca(type);
  memory->setAlignment(llvm::Align(64));
  return memory;
}

} // namespace

bool XeLaneDevice::sendsExtents(size_t param) const {
  return std::ranges::any_of(blocks_.uses, [&](const GpuBlockUse &use) { return use.param == param; });
}

// Returns the arguments that describe the matrix and the block: base address, bytes of a row, number of rows, bytes from one
// row to the next, and the block's first column and row.
LlvmValues XeLaneDevice::blockArgs(LaneContext &c, const Value *desc, const BlockCall &call) {
  LaneParts parts = c.values.partsOf(desc);
  int64_t bytes = elemInfo(desc->type().elem()).storageBytes;
  auto inBytes = [&](LlvmValue *elements) { return c.b.CreateMul(c.values.resize(elements, true), c.values.number32(bytes)); };
  // Clamps a coordinate before it is truncated to 32 bits, so that one far out of bounds stays out of bounds.
  auto coordinate = [&](LlvmValue *place) {
    if (place->getType()->isIntegerTy(32)) return place;
    constexpr int64_t kFar = int64_t{1} << 30;
    LlvmValue *low = c.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, place, c.values.number(-kFar));
    return c.values.resize(c.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, low, c.values.number(kFar)), true);
  };
  LlvmValue *x = coordinate(parts[kX]), *y = coordinate(parts[kY]), *rows = c.values.resize(parts[kRows], true);
  if (call.bits > 8 * bytes) x = c.b.CreateSDiv(x, c.values.number32(call.bits / (8 * bytes)));
  // `rows` is 0 if a leading index is out of bounds: then no row may be in bounds
  if (Type base = origins_.of(desc)[0]->operand(0)->type(); base.isMemRef() && base.rank() > 2) {
    LlvmValue *none = c.b.CreateICmpEQ(rows, c.values.number32(0));
    y = c.b.CreateSelect(none, c.values.number32(1 << 30), y);
    rows = c.b.CreateSelect(none, c.values.number32(1), rows);
  }
  LlvmValue *place = llvm::PoisonValue::get(llvm::FixedVectorType::get(c.b.getInt32Ty(), 2));
  place = c.b.CreateInsertElement(c.b.CreateInsertElement(place, x, uint64_t{0}), y, uint64_t{1});
  return {parts[kBase], inBytes(parts[kColumns]), rows, inBytes(c.b.CreateTrunc(parts[kRowStride], c.b.getInt32Ty())), place};
}

// Emits the message as a call of a function or as an instruction. `memory` is the lane's private memory; null for a prefetch.
void XeLaneDevice::sendBlock(LaneContext &c, const BlockCall &call, LlvmValues args, LlvmValue *memory) {
  args[0] = accessed(c, args[0]);
  if (memory)
    args.insert(options_.intelExtensions() && call.message.use == BlockUse::Store ? args.begin() : args.end(), memory);
  if (!options_.intelExtensions()) {
    callDevice(c.b, deviceFunction(call.message), args, DeviceEffect::Memory);
    return;
  }
  LlvmValues sizes;
  for (int64_t size : blockSizes(call.message)) sizes.push_back(c.values.number32(size));
  args.insert(args.begin(), sizes.begin(), sizes.end());
  callDevice(c.b, blockInstruction(call.message), args, DeviceEffect::Memory);
}

// Whether a message takes the block: a constant, or computed where the kernel runs if no launch can check the matrix. Negative
// numbers stand for rules that are broken.
LlvmValue *XeLaneDevice::obeysRules(LaneContext &c, const Op &op, const Value *desc) {
  if (!blocks_.tested.contains(&op)) return c.b.getTrue();
  const BlockRules &rules = target_.blocks;
  const LaneParts &parts = c.values.partsOf(desc);
  auto wide = [&](size_t part) { return c.values.wide(parts[part]); };
  LlvmValue *each = c.values.number(elemInfo(desc->type().elem()).storageBytes), *all = c.values.number(0),
            *odd = c.values.number(0);
  auto atLeast = [&](LlvmValue *value, LlvmValue *least) { all = c.b.CreateOr(all, c.b.CreateSub(value, least)); };
  auto within = [&](LlvmValue *value, int64_t least) {
    atLeast(value, c.values.number(least));
    atLeast(c.values.number(rules.maximalExtent), value);
  };
  auto multiple = [&](LlvmValue *value, int64_t of) { // a power of two
    odd = c.b.CreateOr(odd, c.b.CreateAnd(value, c.values.number(std::max<int64_t>(of, 1) - 1)));
  };
  within(wide(kColumns), 1); // so that the number of bytes does not wrap around
  within(parts[kRowStride], 1);
  LlvmValue *width = c.b.CreateMul(wide(kColumns), each), *pitch = c.b.CreateMul(parts[kRowStride], each);
  within(width, rules.minimalWidth);
  within(wide(kRows), 1);
  within(pitch, rules.minimalPitch);
  atLeast(pitch, width);
  multiple(width, rules.widthMultiple);
  multiple(pitch, rules.pitchMultiple);
  multiple(c.b.CreatePtrToInt(parts[kBase], c.b.getInt64Ty()), rules.baseAlignment);
  if (LaneAddresses(c).divisor(desc, 1) * elemInfo(desc->type().elem()).storageBytes % rules.columnMultiple != 0)
    multiple(c.b.CreateMul(wide(kX), each), rules.columnMultiple);
  odd = c.b.CreateOr(odd, c.b.CreateXor(parts[kColumnStride], c.values.number(1)));
  all = c.b.CreateOr(all, c.b.CreateOr(odd, c.b.CreateNeg(odd))); // negative if any bit is set
  LlvmValue *obeys = c.b.CreateICmpSGT(all, c.values.number(-1));
  c.output.divergentBarriers |= !llvm::isa<llvm::Constant>(obeys); // subgroups may have different matrices
  return obeys;
}

// The words that a message loads, as vectors.
LlvmValues XeLaneDevice::loadWords(LaneContext &c, const Value *desc, const BlockCall &call) {
  LlvmValues args = blockArgs(c, desc, call);
  LlvmValue *memory = blockMemory(c, call);
  sendBlock(c, call, args, memory);
  LlvmValues words;
  for (size_t k = 0; k < call.words; k += kWordsAtOnce) {
    size_t count = std::min(kWordsAtOnce, call.words - k);
    LlvmValue *from = c.b.CreateConstGEP1_64(c.b.getIntNTy(call.wordBits), memory, k);
    words.push_back(c.b.CreateAlignedLoad(vectorOf(c.b.getIntNTy(call.wordBits), count), from, wordsAlign(k, call.wordBits)));
  }
  return words;
}

Fragment XeLaneDevice::loadBlock(LaneContext &c, const Op &op, llvm::function_ref<Fragment()> byLanes) {
  const Value *desc = op.operand(0);
  const BlockCall &call = blocks_.calls.at(&op);
  LlvmValue *obeys = obeysRules(c, op, desc);
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(obeys);
  if (known && known->isZero()) return byLanes();
  auto message = [&] { return loadWords(c, desc, call); };
  auto elements = [&] {
    Fragment own = byLanes(), inWords(own.size());
    for (size_t k = 0; k < own.size(); ++k) inWords[call.places[k]] = own[k];
    LlvmValues vectors;
    const size_t most = kWordsAtOnce * static_cast<size_t>(call.pack);
    for (size_t k = 0; k < inWords.size(); k += most)
      vectors.push_back(asShiftedWords(c.b, std::span(inWords).subspan(k, std::min(most, inWords.size() - k)), call.wordBits));
    return vectors;
  };
  Fragment words, own;
  for (LlvmValue *vector : known ? message() : ifElse(c.b, obeys, message, elements)) append(words, vector, call.pack);
  for (size_t place : call.places) own.push_back(words[place]);
  Elem elem = desc->type().elem();
  llvm::Type *type = c.ops.type(elem, 0);
  if (type->isIntegerTy()) return own;
  Fragment cast; // f32 and tf32 are bit-cast as whole vectors
  for (LlvmValue *part : c.values.chunksOf(own, elem)) append(cast, castBits(c.b, part, vectorOf(type, lengthOf(part))));
  return cast;
}

void XeLaneDevice::storeWords(LaneContext &c, const Value *desc, const BlockCall &call, const Fragment &value) {
  LlvmValue *memory = blockMemory(c, call);
  Fragment words(value.size());
  for (size_t k = 0; k < value.size(); ++k) words[call.places[k]] = value[k];
  auto pack = static_cast<size_t>(call.pack);
  for (size_t k = 0; k < call.words; k += kWordsAtOnce) {
    size_t count = std::min(kWordsAtOnce, call.words - k);
    std::span<const FragmentElement> part = std::span(words).subspan(k * pack, count * pack);
    LlvmValue *to = c.b.CreateConstGEP1_64(c.b.getIntNTy(call.wordBits), memory, k);
    LlvmValue *whole = pack == 1 ? castBits(c.b, together(c.b, part), vectorOf(c.b.getIntNTy(call.wordBits), count))
                                 : asWords(c.b, part, call.wordBits);
    c.b.CreateAlignedStore(whole, to, wordsAlign(k, call.wordBits));
  }
  sendBlock(c, call, blockArgs(c, desc, call), memory);
}

void XeLaneDevice::storeBlock(LaneContext &c, const Op &op, const Fragment &value, llvm::function_ref<void()> byLanes) {
  const Value *desc = op.operand(1);
  LlvmValue *obeys = obeysRules(c, op, desc);
  auto message = [&] { storeWords(c, desc, blocks_.calls.at(&op), value); };
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(obeys)) return known->isZero() ? byLanes() : message();
  ifThen(c.b, obeys, message, byLanes);
}

void XeLaneDevice::prefetchBlock(LaneContext &c, const Op &op) {
  const BlockCall &call = blocks_.calls.at(&op);
  const Value *desc = op.operand(0);
  LlvmValue *obeys = obeysRules(c, op, desc);
  auto message = [&] { sendBlock(c, call, blockArgs(c, desc, call), nullptr); };
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(obeys);
  if (!known) return ifThen(c.b, obeys, message);
  if (known->isOne()) message();
}

LlvmValue *XeLaneDevice::loadLine(LaneContext &c, LlvmValue *address, int64_t wordBytes, int64_t words) {
  return callDevice(c.b, lineFunction(wordBytes, words), {accessed(c, address)}, DeviceEffect::Memory);
}

} // namespace xt
