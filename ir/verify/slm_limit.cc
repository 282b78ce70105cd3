#include "ir/verify/slm_limit.h"

#include "ir/base/text.h"
#include "ir/slm_layout.h"

#include <algorithm>
#include <iomanip>

namespace xt {
namespace {

struct Buffers {
  std::vector<SlmBuffer> list; // largest first
  int64_t bytes = 0;
  bool share = false; // some have the same memory
};

Buffers buffersOf(const Kernel &kernel) {
  SlmLayout layout = slmLayout(kernel);
  Buffers all{std::move(layout.buffers), layout.bytes};
  std::stable_sort(all.list.begin(), all.list.end(), [](const SlmBuffer &a, const SlmBuffer &b) { return a.bytes > b.bytes; });
  for (const SlmBuffer &a : all.list)
    for (const SlmBuffer &b : all.list) all.share |= &a < &b && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  return all;
}

// What a pass made has no name; its first user is of the op that it was made for.
const Op &sourceOf(const Op &alloc) {
  const Value &buffer = *alloc.result();
  return buffer.name().empty() && !buffer.uses().empty() ? *buffer.uses()[0].user : alloc;
}

std::string lineOf(const Op &op, const Kernel &kernel, const SourceManager &sources) {
  SourceRange range = sourceOf(op).range();
  if (range.file == 0 || range.file >= sources.count()) return "?";
  const SourceFile &file = sources.file(range.file);
  std::string line = std::to_string(file.lineColumn(range.begin).line);
  return range.file == kernel.range.file ? line : str(file.name(), ":", line);
}

// What a pass made has no name.
std::string nameOf(const Op &alloc) {
  std::string type = typeText(alloc.result()->type());
  const std::string &name = alloc.result()->name();
  return name.empty() ? type + ", made by a pass" : str("%", name, ": ", type);
}

std::string table(const Buffers &buffers, const Kernel &kernel, const SourceManager &sources) {
  size_t widest = 4;
  for (const SlmBuffer &buffer : buffers.list) widest = std::max(widest, lineOf(*buffer.alloc, kernel, sources).size());
  std::ostringstream out;
  int line = static_cast<int>(widest);
  out << std::setw(10) << "bytes" << (buffers.share ? "      from" : "") << "  " << std::setw(line) << "line" << "  buffer\n";
  for (const SlmBuffer &buffer : buffers.list) {
    out << std::setw(10) << buffer.bytes;
    if (buffers.share) out << std::setw(10) << buffer.offset;
    out << "  " << std::setw(line) << lineOf(*buffer.alloc, kernel, sources) << "  " << nameOf(*buffer.alloc) << "\n";
  }
  return out.str();
}

// How much of the largest buffer there is room for.
std::string whatFits(const Buffers &buffers, int64_t limit) {
  if (buffers.share) return str("buffers that are not wanted at one time share memory already; ", buffers.bytes - limit, " bytes are too many");
  const SlmBuffer &largest = buffers.list[0];
  bool alone = buffers.list.size() == 1;
  int64_t others = buffers.bytes - largest.bytes, room = (limit - others) / kSlmAlignment * kSlmAlignment;
  if (room <= 0) return str("the others alone need ", others, " bytes");
  Type type = largest.alloc->result()->type();
  std::string_view beside = alone ? "" : "beside the others ";
  int64_t rows = room / std::max<int64_t>(largest.bytes / type.extent(0), 1);
  if (rows == 0) return str("there is room for ", room, " bytes ", beside, "in it");
  return str(beside, alone ? "it" : "the largest", " may have ", rows, " of its ", type.extent(0), type.rank() > 1 ? " rows" : " elements");
}

} // namespace

bool fitsSlm(const Kernel &kernel, std::string_view target, int64_t limit, const SourceManager &sources, Diagnostics &diagnostics) {
  Buffers buffers = buffersOf(kernel);
  if (buffers.bytes <= limit) return true;
  const SlmBuffer &largest = buffers.list[0];
  diagnostics
      .report(DiagCode::SlmTooLarge, kernel.nameRange,
              str("`@", kernel.name, "` has ", buffers.bytes, " bytes of shared local memory; ", target, " has ", limit, " a workgroup"))
      .at(sourceOf(*largest.alloc).range(), buffers.list.size() == 1 ? str(largest.bytes, " bytes") : str("the largest, ", largest.bytes, " bytes"))
      .note(whatFits(buffers, limit))
      .withPicture(table(buffers, kernel, sources));
  return false;
}

std::string slmTable(const Kernel &kernel, const SourceManager &sources) {
  Buffers buffers = buffersOf(kernel);
  return buffers.list.empty() ? "" : table(buffers, kernel, sources);
}

} // namespace xt
