// Blocks of matrices: one message where the target has one that deals the block out to the lanes as the sg_map says.
#include "ir/base/text.h"
#include "ir/views/xegpu.h"
#include "targets/xe/emit/kernel_emitter.h"

#include <algorithm>

namespace xt {
const BlockCall *XeKernelEmitter::blockCall(const Op &op) const {
  auto found = blocks_.calls.find(&op);
  return found == blocks_.calls.end() ? nullptr : &found->second;
}

// Base address, bytes of a row, rows, bytes between rows, and where the block begins.
LlvmValues XeKernelEmitter::blockArgs(const Value *desc, const BlockCall &call) {
  Parts parts = parts_.at(desc);
  int64_t bytes = elemInfo(desc->type().elem()).storageBytes;
  auto inBytes = [&](LlvmValue *elements) { return b.CreateMul(resize(elements, true), number32(bytes)); };
  // A place far outside stays outside when it is cut to 32 bits.
  auto coordinate = [&](LlvmValue *place) {
    if (place->getType()->isIntegerTy(32)) return place;
    constexpr int64_t kFar = int64_t{1} << 30;
    LlvmValue *low = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, place, number(-kFar));
    return resize(b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, low, number(kFar)), true);
  };
  LlvmValue *x = coordinate(parts[kX]), *y = coordinate(parts[kY]), *rows = resize(parts[kRows], true);
  if (call.bits > 8 * bytes) x = b.CreateSDiv(x, number32(call.bits / (8 * bytes)));
  if (origins_.of(desc)[0]->operand(0)->type().rank() > 2) { // no matrix there: every row is outside
    LlvmValue *none = b.CreateICmpEQ(rows, number32(0));
    y = b.CreateSelect(none, number32(1 << 30), y);
    rows = b.CreateSelect(none, number32(1), rows);
  }
  LlvmValue *place = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getInt32Ty(), 2));
  place = b.CreateInsertElement(b.CreateInsertElement(place, x, uint64_t{0}), y, uint64_t{1});
  return {parts[kBase], inBytes(parts[kColumns]), rows, inBytes(b.CreateTrunc(parts[kRowStride], b.getInt32Ty())), place};
}

// Private memory that a message fills or empties.
LlvmValue *XeKernelEmitter::blockMemory(const BlockCall &call) {
  llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> top(&entry, entry.begin());
  auto *type = llvm::ArrayType::get(b.getIntNTy(call.wordBits), call.words);
  llvm::AllocaInst *memory = top.CreateAlloca(type);
  memory->setAlignment(llvm::Align(64));
  return memory;
}

// The message as a function or as an instruction; `memory`: null of a prefetch.
void XeKernelEmitter::sendBlock(const BlockCall &call, LlvmValues args, LlvmValue *memory) {
  args[0] = hinted(args[0]);
  if (memory) args.insert(options_.intelExtensions && call.message.use == BlockUse::Store ? args.begin() : args.end(), memory);
  if (!options_.intelExtensions) {
    callDevice(b, deviceFunction(call.message), args, DeviceEffect::Memory);
    return;
  }
  LlvmValues sizes;
  for (int64_t size : blockSizes(call.message)) sizes.push_back(number32(size));
  args.insert(args.begin(), sizes.begin(), sizes.end());
  callDevice(b, blockInstruction(call.message), args, DeviceEffect::Memory);
}

namespace {
constexpr size_t kWordsAtOnce = 8; // as many as an operand of a product has

llvm::Align wordsAlign(size_t place, unsigned bits) { return llvm::commonAlignment(llvm::Align(64), place * bits / 8); }
} // namespace

Fragment XeKernelEmitter::loadBlock(const Value *desc, const BlockCall &call) {
  LlvmValues args = blockArgs(desc, call);
  LlvmValue *memory = blockMemory(call);
  sendBlock(call, args, memory);
  Fragment words, own;
  for (size_t k = 0; k < call.words; k += kWordsAtOnce) {
    size_t count = std::min(kWordsAtOnce, call.words - k);
    LlvmValue *from = b.CreateConstGEP1_64(b.getIntNTy(call.wordBits), memory, k);
    LlvmValue *read = b.CreateAlignedLoad(vectorOf(b.getIntNTy(call.wordBits), count), from, wordsAlign(k, call.wordBits));
    append(words, read, call.pack);
  }
  for (size_t place : call.places) own.push_back(words[place]);
  Elem elem = desc->type().elem();
  llvm::Type *type = ops_.type(elem, 0);
  if (type->isIntegerTy()) return own;
  Fragment cast; // of f32 and tf32, whole vectors
  for (LlvmValue *part : chunksOf(own, elem)) append(cast, castBits(b, part, vectorOf(type, lengthOf(part))));
  return cast;
}

void XeKernelEmitter::storeBlock(const Value *desc, const BlockCall &call, const Fragment &value) {
  LlvmValue *memory = blockMemory(call);
  Fragment words(value.size());
  for (size_t k = 0; k < value.size(); ++k) words[call.places[k]] = value[k];
  auto pack = static_cast<size_t>(call.pack);
  for (size_t k = 0; k < call.words; k += kWordsAtOnce) {
    size_t count = std::min(kWordsAtOnce, call.words - k);
    std::span<const FragmentElement> part = std::span(words).subspan(k * pack, count * pack);
    LlvmValue *to = b.CreateConstGEP1_64(b.getIntNTy(call.wordBits), memory, k);
    LlvmValue *whole = pack == 1 ? castBits(b, together(b, part), vectorOf(b.getIntNTy(call.wordBits), count))
                                 : asWords(b, part, call.wordBits);
    b.CreateAlignedStore(whole, to, wordsAlign(k, call.wordBits));
  }
  sendBlock(call, blockArgs(desc, call), memory);
}

// The lanes of a subgroup see in a block what each of them wrote before, and the other way round.
void XeKernelEmitter::orderLanes(bool byMessage) {
  if (!byMessage || lanesWrite_) barrier(kSubgroupScope);
}

// The lane's fragment of a block as load_nd returns it: transposed, and with neighbours packed into 32 bits.
Fragment XeKernelEmitter::shaped(const Op &op, Fragment own) {
  Type desc = op.operand(0)->type(), result = op.result()->type();
  std::vector<int64_t> shape = desc.layout()->ownerShape(Axis::Lane);
  auto rows = static_cast<size_t>(shape.size() == 2 ? shape[0] : 1), columns = static_cast<size_t>(shape.back());
  if (desc.rank() == 2 && transposes(op)) {
    Fragment turned;
    for (size_t c = 0; c < columns; ++c)
      for (size_t r = 0; r < rows; ++r) turned.push_back(own[r * columns + c]);
    own = std::move(turned);
    std::swap(rows, columns);
  }
  if (LoadNdOp(op).vnniAxis() != 0) return own; // along the second dimension they are already adjacent
  auto factor = static_cast<size_t>(result.extent(2));
  Fragment packed;
  for (size_t r = 0; r < rows; r += factor)
    for (size_t c = 0; c < columns; ++c)
      for (size_t f = 0; f < factor; ++f) packed.push_back(own[(r + f) * columns + c]);
  return packed;
}

void XeKernelEmitter::emitLoadNd(const Op &op) {
  const Value *desc = op.operand(0);
  const BlockCall *call = blockCall(op);
  orderLanes(call);
  Fragment own = call ? loadBlock(desc, *call) : loadElements(desc, latticeOf(desc->type()), ops_.zero(desc->type().elem(), 0));
  orderLanes(call);
  fragments_[op.result()] = shaped(op, std::move(own));
}

void XeKernelEmitter::emitStoreNd(const Op &op) {
  const Value *desc = op.operand(1);
  const BlockCall *call = blockCall(op);
  orderLanes(call);
  if (call)
    storeBlock(desc, *call, fragment(op.operand(0)));
  else
    storeElements(desc, latticeOf(desc->type()), fragment(op.operand(0)));
  orderLanes(call);
}

void XeKernelEmitter::emitPrefetchNd(const Op &op) {
  const BlockCall *call = blockCall(op);
  if (call) sendBlock(*call, blockArgs(op.operand(0), *call), nullptr);
}

} // namespace xt
