#include "ir/verify/slm_limit.h"

#include "ir/base/text.h"

#include <algorithm>
#include <iomanip>

namespace xt {
namespace {

struct Buffer {
  const Op *alloc;
  int64_t offset, bytes; // offset: -1 where none is planned
};

struct Buffers {
  std::vector<Buffer> list; // largest first
  int64_t bytes = 0;
  bool planned = false;
};

Buffers buffersOf(const Kernel &kernel) {
  Buffers all;
  int64_t end = 0, sum = 0;
  for (const Op &op : kernel.body) {
    if (op.kind() != OpKind::AllocSlm) continue;
    Buffer buffer{&op, op.intAttr("offset", -1), op.result()->type().byteCount()};
    if (buffer.offset >= 0) end = std::max(end, buffer.offset + buffer.bytes), all.planned = true;
    else sum += buffer.bytes;
    all.list.push_back(buffer);
  }
  all.bytes = end + sum;
  std::stable_sort(all.list.begin(), all.list.end(), [](const Buffer &a, const Buffer &b) { return a.bytes > b.bytes; });
  return all;
}

std::string lineOf(const Op &op, const Kernel &kernel, const SourceManager &sources) {
  SourceRange range = op.range();
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
  for (const Buffer &buffer : buffers.list) widest = std::max(widest, lineOf(*buffer.alloc, kernel, sources).size());
  std::ostringstream out;
  int line = static_cast<int>(widest);
  out << std::setw(10) << "bytes" << (buffers.planned ? "      from" : "") << "  " << std::setw(line) << "line" << "  buffer\n";
  for (const Buffer &buffer : buffers.list) {
    out << std::setw(10) << buffer.bytes;
    if (buffers.planned) out << std::setw(10) << (buffer.offset < 0 ? std::string("-") : std::to_string(buffer.offset));
    out << "  " << std::setw(line) << lineOf(*buffer.alloc, kernel, sources) << "  " << nameOf(*buffer.alloc) << "\n";
  }
  return out.str();
}

// How much of the largest buffer there is room for.
std::string whatFits(const Buffers &buffers, int64_t limit) {
  const Buffer &largest = buffers.list[0];
  bool alone = buffers.list.size() == 1;
  int64_t room = buffers.planned ? limit : limit - (buffers.bytes - largest.bytes);
  if (room <= 0) return str("the others alone need ", buffers.bytes - largest.bytes, " bytes; what is not wanted at one time can share a buffer");
  std::string others = alone || buffers.planned ? "" : "beside the others ";
  Type type = largest.alloc->result()->type();
  int64_t rowBytes = largest.bytes / type.extent(0), rows = room / std::max<int64_t>(rowBytes, 1);
  if (rows == 0 || rows >= type.extent(0)) return str("there is room for ", std::min(room, limit), " bytes ", others, "in it");
  return str(others, alone ? "it" : "the largest", " may have ", rows, " of its ", type.extent(0), type.rank() > 1 ? " rows" : " elements", ", ", rows * rowBytes, " bytes");
}

} // namespace

bool fitsSlm(const Kernel &kernel, std::string_view target, int64_t limit, const SourceManager &sources, Diagnostics &diagnostics) {
  Buffers buffers = buffersOf(kernel);
  if (buffers.bytes <= limit) return true;
  const Buffer &largest = buffers.list[0];
  diagnostics
      .report(DiagCode::SlmTooLarge, kernel.nameRange,
              str("`@", kernel.name, "` has ", buffers.bytes, " bytes of shared local memory; ", target, " has ", limit, " a workgroup"))
      .at(largest.alloc->range(), buffers.list.size() == 1 ? str(largest.bytes, " bytes") : str("the largest, ", largest.bytes, " bytes"))
      .note(whatFits(buffers, limit))
      .withPicture(table(buffers, kernel, sources));
  return false;
}

} // namespace xt
