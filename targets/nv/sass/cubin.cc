#include "targets/nv/sass/cubin.h"

#include "targets/nv/sass/line_table.h"

#include <llvm/Object/ELFObjectFile.h>

#include <cstring>
#include <map>

namespace xt {
namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Section = Elf::Elf_Shdr;

constexpr size_t kBytes = 16; // of an instruction

template <class T> T valueAt(llvm::ArrayRef<uint8_t> bytes, size_t offset) {
  T value{};
  if (offset + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// Drops an error of LLVM: `value` stays as it is.
template <class T> void take(llvm::Expected<T> from, T &value) {
  if (from)
    value = std::move(*from);
  else
    llvm::consumeError(from.takeError());
}

std::vector<SassInstruction> instructionsOf(llvm::ArrayRef<uint8_t> bytes, int capability) {
  constexpr uint64_t kOperation = 0x1ff, kForm = 3, kPredicate = 0xf, kAlways = 7, kUnit = 4;
  constexpr int kDistanceBit = 34, kPredicateBit = 12, kLowBit = 16, kFirstWithLowBits = 90;
  static_assert(kForm + 9 == kPredicateBit);
  std::vector<SassInstruction> code(bytes.size() / kBytes);
  for (size_t i = 0; i < code.size(); ++i) {
    auto low = valueAt<uint64_t>(bytes, i * kBytes), high = valueAt<uint64_t>(bytes, i * kBytes + sizeof(uint64_t));
    code[i].operation = static_cast<uint16_t>(low & kOperation);
    code[i].always = (low >> kPredicateBit & kPredicate) == kAlways;
    if (code[i].operation != kSassBranch) continue;
    uint64_t raw = low >> kDistanceBit | high << (64 - kDistanceBit);
    auto distance = static_cast<int64_t>(raw << 16) >> 16; // 48 bits with a sign
    if (capability >= kFirstWithLowBits) distance = distance * 256 + static_cast<int64_t>(low >> kLowBit & 0xff);
    code[i].target = static_cast<int64_t>(i) + 1 + distance * static_cast<int64_t>(kUnit) / static_cast<int64_t>(kBytes);
  }
  return code;
}

class CubinReader {
public:
  CubinReader(Elf elf, int capability) : elf_(std::move(elf)), capability_(capability) {}

  std::vector<CubinKernel> read() {
    constexpr llvm::StringRef kText = ".text.", kShared = ".nv.shared.";
    llvm::ArrayRef<Section> sections;
    if (auto all = elf_.sections())
      sections = *all;
    else
      llvm::consumeError(all.takeError());
    std::map<std::string, int64_t> shared;
    for (const Section &section : sections) {
      llvm::StringRef name;
      take(elf_.getSectionName(section), name);
      if (name == ".nv.info") facts(contents(section));
      if (name == ".symtab") symbols(section);
      if (name.consume_front(kShared)) shared[name.str()] = static_cast<int64_t>(section.sh_size);
      if (!name.consume_front(kText)) continue;
      CubinKernel kernel;
      kernel.name = name.str();
      kernel.code = instructionsOf(contents(section), capability_);
      kernels_.push_back(std::move(kernel));
    }
    for (CubinKernel &kernel : kernels_) {
      uint32_t symbol = symbolOf_[kernel.name];
      kernel.registers = registers_[symbol];
      kernel.stackBytes = stack_[symbol];
      kernel.sharedBytes = shared[kernel.name];
    }
    return std::move(kernels_);
  }

private:
  llvm::ArrayRef<uint8_t> contents(const Section &section) {
    llvm::ArrayRef<uint8_t> bytes;
    take(elf_.getSectionContents(section), bytes);
    return bytes;
  }

  void symbols(const Section &section) {
    Elf::Elf_Sym_Range all;
    take(elf_.symbols(&section), all);
    llvm::StringRef names;
    take(elf_.getStringTableForSymtab(section), names);
    for (uint32_t i = 0; i < all.size(); ++i) {
      llvm::StringRef name;
      take(all[i].getName(names), name);
      if (all[i].getType() == llvm::ELF::STT_FUNC) symbolOf_[name.str()] = i;
    }
  }

  // A list of attributes. Each begins with the format of its value and its kind; a value of format 4 has its size before it, and all
  // others are in the two bytes that follow.
  void facts(llvm::ArrayRef<uint8_t> bytes) {
    constexpr uint8_t kSized = 4, kFrame = 0x11, kRegisters = 0x2f;
    for (size_t at = 0; at + 4 <= bytes.size();) {
      uint8_t format = bytes[at], kind = bytes[at + 1];
      size_t size = format == kSized ? valueAt<uint16_t>(bytes, at + 2) : 0;
      auto symbol = valueAt<uint32_t>(bytes, at + 4), value = valueAt<uint32_t>(bytes, at + 8);
      if (format == kSized && kind == kRegisters) registers_[symbol] = value;
      if (format == kSized && kind == kFrame) stack_[symbol] = value;
      at += 4 + size;
    }
  }

  Elf elf_;
  int capability_;
  std::vector<CubinKernel> kernels_;
  std::map<std::string, uint32_t> symbolOf_;
  std::map<uint32_t, int64_t> registers_, stack_;
};

} // namespace

Result<std::vector<CubinKernel>> readCubin(std::string_view image, int capability) {
  auto elf = Elf::create(llvm::StringRef(image.data(), image.size()));
  constexpr std::string_view kOther = "the file that ptxas made is not an ELF file of 64 bits";
  if (!elf) {
    llvm::consumeError(elf.takeError());
    return Error::environment(std::string(kOther));
  }
  if (!elf->getHeader().checkMagic() || elf->getHeader().getFileClass() != llvm::ELF::ELFCLASS64)
    return Error::environment(std::string(kOther));
  std::vector<CubinKernel> kernels = CubinReader(*elf, capability).read();
  std::map<std::string, std::vector<LineStart>> lines = readLineTable(image);
  for (CubinKernel &kernel : kernels) {
    const std::vector<LineStart> &starts = lines[kernel.name];
    size_t next = 0;
    uint32_t line = 0;
    for (size_t i = 0; i < kernel.code.size(); ++i) {
      while (next < starts.size() && starts[next].address <= i * kBytes) line = starts[next++].line;
      kernel.code[i].line = line;
    }
  }
  return kernels;
}

} // namespace xt
