#include "targets/soft/cooperative_matrices.h"

#include "ir/base/text.h"
#include "targets/soft/block_messages.h"
#include "targets/soft/workgroup.h"
#include "targets/xe/library/spirv_numbers.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace xt::soft {
namespace {

constexpr std::string_view kLoad = "xtMatrixLoad_", kStore = "xtMatrixStore_", kFill = "xtMatrixFill_";
// Rows must be aligned to their size, or to 16 bytes where they are longer (as in Vulkan's environment for SPIR-V).
constexpr uint64_t kMostAlignment = 16;
constexpr size_t kMostMatrixBytes = 1 << 11;
using Bytes = std::array<std::byte, kMostMatrixBytes>;

std::optional<MatrixSize> takeSize(std::string_view &text) {
  MatrixSize size;
  size.bits = takeNumber(text);
  if (!takePrefix(text, "b_")) return std::nullopt;
  size.rows = takeNumber(text);
  if (!takePrefix(text, "x")) return std::nullopt;
  size.columns = takeNumber(text);
  bool fits = size.bits >= 8 && size.rows > 0 && size.columns > 0 && size.bytes() <= static_cast<int64_t>(kMostMatrixBytes);
  return fits ? std::optional(size) : std::nullopt;
}

struct Movement {
  MatrixSize size;
  size_t lanes = 0;
  bool store = false;
  int64_t strideBytes = 8; // bytes of the argument that gives the stride
  size_t layoutArgument() const { return store ? 2 : 1; }
};

// The matrix in memory, which all lanes must agree on.
struct InMemory {
  uint64_t address = 0;
  int64_t stride = 0;       // bytes from one line to the next
  int64_t lines = 0, of = 0; // number of lines (rows, or columns), and elements of one
  bool byRows = true;
};

bool readMemory(Meeting &meeting, const Movement &move, InMemory &memory) {
  size_t layout = move.layoutArgument();
  if (!isWhole(meeting, move.lanes)) return false;
  if (!meeting.uniform(0, 8, "the address") || !meeting.uniform(layout, 4, "the memory layout") ||
      !meeting.uniform(layout + 1, static_cast<size_t>(move.strideBytes), "the stride"))
    return false;
  memory.address = meeting.argument<uint64_t>(0, 0);
  int64_t elements =
      move.strideBytes == 8 ? meeting.argument<int64_t>(0, layout + 1) : meeting.argument<int32_t>(0, layout + 1);
  memory.stride = elements * move.size.bits / 8;
  auto order = meeting.argument<uint32_t>(0, layout);
  if (order != spirv::kRowMajor && order != spirv::kColumnMajor) {
    meeting.fail(str("the memory layout ", order, " of a cooperative matrix is neither RowMajor nor ColumnMajor"));
    return false;
  }
  memory.byRows = order == spirv::kRowMajor;
  memory.lines = memory.byRows ? move.size.rows : move.size.columns;
  memory.of = memory.byRows ? move.size.columns : move.size.rows;
  uint64_t alignment = std::min<uint64_t>(kMostAlignment, static_cast<uint64_t>(memory.of * move.size.bits / 8));
  if (memory.address % alignment || static_cast<uint64_t>(memory.stride) % alignment) {
    meeting.fail(str("a cooperative matrix at 0x", std::hex, memory.address, std::dec, " with ", memory.stride,
                     " bytes from one line to the next is not aligned to ", alignment, " bytes"));
    return false;
  }
  return true;
}

// Calls f(address, offset in the matrix) for each element; false if some element may not be accessed.
template <class F> bool eachElement(Meeting &meeting, const Movement &move, const InMemory &memory, F f) {
  int64_t bytes = move.size.bits / 8;
  for (int64_t line = 0; line < memory.lines; ++line) {
    uint64_t first = memory.address + static_cast<uint64_t>(line * memory.stride);
    if (!accessible(meeting, first, memory.of * bytes)) return false;
    for (int64_t i = 0; i < memory.of; ++i) {
      int64_t element = memory.byRows ? line * move.size.columns + i : i * move.size.columns + line;
      f(reinterpret_cast<std::byte *>(first) + i * bytes, static_cast<size_t>(element * bytes));
    }
  }
  return true;
}

void load(Meeting &meeting, const Movement &move) {
  InMemory memory;
  if (!readMemory(meeting, move, memory)) return;
  Bytes matrix;
  auto bytes = static_cast<size_t>(move.size.bits / 8);
  if (!eachElement(meeting, move, memory,
                   [&](const std::byte *there, size_t at) { std::memcpy(matrix.data() + at, there, bytes); }))
    return;
  giveMatrix(meeting, matrix.data(), static_cast<size_t>(move.size.bytes()));
}

void store(Meeting &meeting, const Movement &move) {
  InMemory memory;
  if (!readMemory(meeting, move, memory)) return;
  Bytes matrix;
  takeMatrix(meeting, 1, matrix.data(), static_cast<size_t>(move.size.bytes()));
  auto bytes = static_cast<size_t>(move.size.bits / 8);
  eachElement(meeting, move, memory, [&](std::byte *there, size_t at) { std::memcpy(there, matrix.data() + at, bytes); });
}

void fill(Meeting &meeting, const MatrixSize &size, size_t lanes) {
  if (!isWhole(meeting, lanes)) return;
  auto bytes = static_cast<size_t>(size.bits / 8);
  if (!meeting.uniform(0, bytes, "the value of all elements of a cooperative matrix")) return;
  Bytes matrix;
  for (size_t at = 0; at < static_cast<size_t>(size.bytes()); at += bytes)
    std::memcpy(matrix.data() + at, meeting.argument(0, 0), bytes);
  giveMatrix(meeting, matrix.data(), static_cast<size_t>(size.bytes()));
}

std::string sized(std::string_view kind, const MatrixSize &size, uint32_t lanes) { return str(kind, text(size), "_", lanes); }

} // namespace

std::string text(const MatrixSize &size) { return str(size.bits, "b_", size.rows, "x", size.columns); }

std::string matrixLoadName(const MatrixSize &size, uint32_t lanes, uint32_t storageClass, uint32_t strideBits) {
  return str(sized(kLoad, size, lanes), "_", storageClass, "_", strideBits);
}
std::string matrixStoreName(const MatrixSize &size, uint32_t lanes, uint32_t storageClass, uint32_t strideBits) {
  return str(sized(kStore, size, lanes), "_", storageClass, "_", strideBits);
}
std::string matrixFillName(const MatrixSize &size, uint32_t lanes) { return sized(kFill, size, lanes); }

bool isWhole(Meeting &meeting, size_t lanes) {
  if (meeting.count() == lanes) return true;
  meeting.fail(str("a cooperative matrix of subgroups of ", lanes, " lanes, but this one has ", meeting.count()));
  return false;
}

void takeMatrix(const Meeting &meeting, size_t argument, std::byte *matrix, size_t bytes) {
  size_t ofLane = bytes / meeting.count();
  for (size_t lane = 0; lane < meeting.count(); ++lane)
    std::memcpy(matrix + lane * ofLane, meeting.argument(lane, argument), ofLane);
}

void giveMatrix(const Meeting &meeting, const std::byte *matrix, size_t bytes) {
  size_t ofLane = bytes / meeting.count();
  for (size_t lane = 0; lane < meeting.count(); ++lane) std::memcpy(meeting.result(lane), matrix + lane * ofLane, ofLane);
}

std::optional<Collective> matrixMovement(const BuiltinName &name) {
  std::string_view text = name.name;
  bool fills = takePrefix(text, kFill), stores = !fills && takePrefix(text, kStore);
  if (!fills && !stores && !takePrefix(text, kLoad)) return std::nullopt;
  std::optional<MatrixSize> size = takeSize(text);
  if (!size || !takePrefix(text, "_")) return std::nullopt;
  auto lanes = static_cast<size_t>(takeNumber(text));
  if (fills) return Collective{name.name, kOfSubgroup, [size = *size, lanes](Meeting &meeting) { fill(meeting, size, lanes); }};
  takePrefix(text, "_");
  takeNumber(text); // the storage class
  takePrefix(text, "_");
  Movement move{*size, lanes, stores, takeNumber(text) / 8};
  return Collective{name.name, kOfSubgroup, [move](Meeting &meeting) {
                      if (move.store)
                        store(meeting, move);
                      else
                        load(meeting, move);
                    }};
}

} // namespace xt::soft
