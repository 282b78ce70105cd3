#include "ir/verify/slm_limit.h"

#include "ir/base/text.h"
#include "ir/gpu/slm_layout.h"

#include <algorithm>
#include <iomanip>

namespace xt {
namespace {

struct Buffers {
  std::vector<SlmBuffer> list; // largest first
  int64_t bytes = 0;
  bool share = false; // whether some buffers overlap in memory
};

Buffers buffersOf(const Kernel &kernel) {
  SlmLayout layout = slmLayout(kernel);
  Buffers all{std::move(layout.buffers), layout.bytes};
  std::stable_sort(all.list.begin(), all.list.end(), [](const SlmBuffer &a, const SlmBuffer &b) { return a.bytes > b.bytes; });
  for (const SlmBuffer &a : all.list)
    for (const SlmBuffer &b : all.list) all.share |= &a < &b && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  return all;
}

// The op whose source line is shown for a buffer. A buffer made by a pass has no name, and its first user comes from the op for
// which it was made.
const Op &sourceOf(const Op &alloc) {
  const Value &buffer = *alloc.result();
  return buffer.name().empty() && !buffer.uses().empty() ? *buffer.uses().front().user : alloc;
}

std::string lineOf(const Op &op, const Kernel &kernel, const SourceManager &sources) {
  SourceRange range = sourceOf(op).range();
  if (range.file == 0 || range.file >= sources.count()) return "?";
  const SourceFile &file = sources.file(range.file);
  std::string line = std::to_string(file.lineColumn(range.begin).line);
  return range.file == kernel.range.file ? line : str(file.name(), ":", line);
}

// A buffer made by a pass has no name.
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

constexpr int64_t kHuge = int64_t{1} << 31; // bytes; certainly not intended

int64_t rowsOf(const SlmBuffer &buffer) { return buffer.alloc->result()->type().extent(0); }

int64_t rowBytes(const SlmBuffer &buffer) { return (buffer.bytes + rowsOf(buffer) - 1) / rowsOf(buffer); }

// The number of rows of a buffer if the largest buffer has `rows` and all shrink in proportion.
int64_t inProportion(const SlmBuffer &buffer, const SlmBuffer &largest, int64_t rows) {
  return std::max<int64_t>(1, rowsOf(buffer) * rows / rowsOf(largest));
}

// Describes the largest sizes that fit if all buffers shrink by the same factor; "" if one row of each is too much, or if the
// largest buffer exceeds kHuge.
std::string whatFitsOfEach(const Buffers &buffers, int64_t limit) {
  const SlmBuffer &largest = buffers.list[0];
  if (largest.bytes > kHuge) return "";
  auto bytesWith = [&](int64_t rows) {
    int64_t total = 0;
    for (const SlmBuffer &buffer : buffers.list) {
      int64_t bytes = rowBytes(buffer) * inProportion(buffer, largest, rows);
      total += (bytes + kSlmAlignment - 1) / kSlmAlignment * kSlmAlignment;
    }
    return total;
  };
  int64_t fits = 0;
  for (int64_t above = rowsOf(largest); above - fits > 1;) {
    int64_t rows = fits + (above - fits) / 2;
    (bytesWith(rows) <= limit ? fits : above) = rows;
  }
  if (fits == 0) return "";
  std::vector<std::string> parts;
  for (const SlmBuffer &buffer : buffers.list) {
    const std::string &name = buffer.alloc->result()->name();
    parts.push_back(str(inProportion(buffer, largest, fits), " of the ", rowsOf(buffer), " rows of ",
                        name.empty() ? typeText(buffer.alloc->result()->type()) : str("`%", name, "`")));
  }
  return str("; there is room for ", join(parts, ", "));
}

// The number of rows of the largest buffer that fit, or of columns if not even one row fits; "" if not even one column of a
// matrix fits, or if the buffer is not a matrix.
std::string partThatFits(const SlmBuffer &largest, int64_t room) {
  Type type = largest.alloc->result()->type();
  if (int64_t rows = room / rowBytes(largest); rows > 0)
    return str("may have ", rows, " of its ", type.extent(0), type.rank() > 1 ? " rows" : " elements");
  int64_t columns = type.rank() == 2 ? room / (rowsOf(largest) * elemInfo(type.elem()).storageBytes) : 0;
  return columns > 0 ? str("may have ", columns, " of its ", type.extent(1), " columns") : "";
}

// Describes what fits if buffers share memory. Buffers after the largest one move down as it shrinks. If another buffer begins
// before the end of the largest one and exceeds the limit, shrinking the largest one does not help, and no size is suggested.
std::string whatFitsOfShared(const Buffers &buffers, int64_t limit) {
  const SlmBuffer &largest = buffers.list[0];
  int64_t over = buffers.bytes - limit;
  std::string text = str("buffers whose lifetimes do not overlap already share memory; ", over, " bytes do not fit");
  for (const SlmBuffer &other : buffers.list)
    if (&other != &largest && other.offset < largest.offset + largest.bytes && other.offset + other.bytes > limit) return text;
  over = (over + kSlmAlignment - 1) / kSlmAlignment * kSlmAlignment;
  std::string part = over < largest.bytes ? partThatFits(largest, largest.bytes - over) : "";
  return part.empty() ? text : str(text, ": the largest ", part);
}

// Describes how much of the largest buffer fits.
std::string whatFits(const Buffers &buffers, int64_t limit) {
  if (buffers.share) return whatFitsOfShared(buffers, limit);
  const SlmBuffer &largest = buffers.list[0];
  bool alone = buffers.list.size() == 1;
  int64_t others = buffers.bytes - largest.bytes, room = (limit - others) / kSlmAlignment * kSlmAlignment;
  if (room <= 0) return str("the other buffers alone need ", others, " bytes", whatFitsOfEach(buffers, limit));
  std::string_view beside = alone ? "" : "if the other buffers keep their sizes, ";
  std::string part = partThatFits(largest, room);
  if (part.empty()) return str("there is room for ", room, " bytes", alone ? "" : " if the other buffers keep their sizes");
  return str(beside, alone ? "it " : "the largest ", part);
}

} // namespace

bool fitsSlm(const Kernel &kernel, std::string_view target, int64_t limit, const SourceManager &sources,
             Diagnostics &diagnostics) {
  Buffers buffers = buffersOf(kernel);
  if (buffers.bytes <= limit) return true;
  const SlmBuffer &largest = buffers.list[0];
  diagnostics
      .report(DiagCode::SlmTooLarge, kernel.nameRange,
              str("`@", kernel.name, "` has ", buffers.bytes, " bytes of shared local memory; ", target, " has ", limit,
                  " per workgroup"))
      .at(sourceOf(*largest.alloc).range(),
          buffers.list.size() == 1 ? str(largest.bytes, " bytes") : str("the largest, ", largest.bytes, " bytes"))
      .note(whatFits(buffers, limit))
      .withPicture(table(buffers, kernel, sources));
  return false;
}

std::string slmTable(const Kernel &kernel, const SourceManager &sources) {
  Buffers buffers = buffersOf(kernel);
  return buffers.list.empty() ? "" : table(buffers, kernel, sources);
}

} // namespace xt
