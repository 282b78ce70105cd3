#include "targets/nv/sass/line_table.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFDebugLine.h>
#include <llvm/Object/ELFObjectFile.h>

#include <algorithm>

namespace xt {
namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

template <class T> T valueOr(llvm::Expected<T> from, T other) {
  if (from) return std::move(*from);
  llvm::consumeError(from.takeError());
  return other;
}

// A relocation: where it is in the table, and the number of its symbol.
struct Place {
  uint64_t offset;
  uint32_t symbol;
};

// Relocations have no addends up to compute capability 8.9; those of later ones are 0.
std::vector<Place> placesOf(const Elf &elf, const Elf::Elf_Shdr &relocations) {
  std::vector<Place> places;
  if (relocations.sh_type == llvm::ELF::SHT_REL)
    for (const Elf::Elf_Rel &each : valueOr(elf.rels(relocations), {}))
      places.push_back({each.r_offset, each.getSymbol(false)});
  else
    for (const Elf::Elf_Rela &each : valueOr(elf.relas(relocations), {}))
      places.push_back({each.r_offset, each.getSymbol(false)});
  std::ranges::sort(places, {}, &Place::offset);
  return places;
}

// The kernels whose code the addresses in the table count from, in the order of the table: each sequence of lines begins with an
// address that is relocated to the section `.text.KERNEL`.
std::vector<std::string> kernelsOf(const Elf &elf, const Elf::Elf_Shdr &relocations) {
  std::vector<std::string> kernels;
  const Elf::Elf_Shdr *symbols = valueOr<const Elf::Elf_Shdr *>(elf.getSection(relocations.sh_link), nullptr);
  if (!symbols) return kernels;
  Elf::Elf_Sym_Range all = valueOr(elf.symbols(symbols), {});
  for (const Place &place : placesOf(elf, relocations)) {
    const Elf::Elf_Sym *symbol = place.symbol < all.size() ? &all[place.symbol] : nullptr;
    const Elf::Elf_Shdr *code = symbol ? valueOr<const Elf::Elf_Shdr *>(elf.getSection(symbol->st_shndx), nullptr) : nullptr;
    llvm::StringRef name = code ? valueOr<llvm::StringRef>(elf.getSectionName(*code), "") : "";
    name.consume_front(".text.");
    kernels.push_back(name.str());
  }
  return kernels;
}

std::vector<llvm::DWARFDebugLine::Row> rowsOf(llvm::StringRef bytes) {
  constexpr uint8_t kAddressBytes = 8;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> sections;
  sections["debug_line"] = llvm::MemoryBuffer::getMemBuffer(bytes, "", false);
  std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(sections, kAddressBytes);
  llvm::DWARFDataExtractor data(context->getDWARFObj(), context->getDWARFObj().getLineSection(), true, kAddressBytes);
  llvm::DWARFDebugLine::SectionParser parser(data, *context, context->normal_units());
  std::vector<llvm::DWARFDebugLine::Row> rows;
  auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  while (!parser.done()) {
    llvm::DWARFDebugLine::LineTable table = parser.parseNext(ignore, ignore);
    rows.insert(rows.end(), table.Rows.begin(), table.Rows.end());
  }
  return rows;
}

} // namespace

std::map<std::string, std::vector<LineStart>> readLineTable(std::string_view image) {
  std::map<std::string, std::vector<LineStart>> lines;
  auto elf = Elf::create(llvm::StringRef(image.data(), image.size()));
  if (!elf) {
    llvm::consumeError(elf.takeError());
    return lines;
  }
  llvm::StringRef table;
  std::vector<std::string> kernels;
  for (const Elf::Elf_Shdr &section : valueOr(elf->sections(), {})) {
    llvm::StringRef name = valueOr<llvm::StringRef>(elf->getSectionName(section), "");
    if (name == ".debug_line") table = llvm::toStringRef(valueOr(elf->getSectionContents(section), {}));
    if (name == ".rel.debug_line" || name == ".rela.debug_line") kernels = kernelsOf(*elf, section);
  }
  if (table.empty()) return lines;
  size_t sequence = 0;
  for (const llvm::DWARFDebugLine::Row &row : rowsOf(table)) {
    if (sequence >= kernels.size()) break;
    if (!row.EndSequence) lines[kernels[sequence]].push_back({row.Address.Address, row.Line});
    sequence += row.EndSequence;
  }
  return lines;
}

} // namespace xt
