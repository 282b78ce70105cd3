#include "targets/soft/block_messages.h"
#include "targets/soft/workgroup.h"

#include "ir/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace xt::soft {
namespace {

// The largest block is 32 rows of 64 bytes, 2 KiB. It is padded to a whole number of words for all lanes (deal, store).
constexpr size_t kMostBytes = 1 << 12;
constexpr int64_t kLanes = 16, kRegisterBytes = 64;

enum Argument : size_t { kBase, kWidth, kHeight, kPitch, kPlace, kData };

struct Shape {
  BlockUse use = BlockUse::Load;
  int64_t bytes = 0; // bytes of an element in memory
  int64_t rows = 0, columns = 0, blocks = 1;
  int64_t registerBytes = 0; // bytes of an element in the lanes' registers; 0: a prefetch
};

// The matrix and the block's position, which all lanes must agree on.
struct Matrix {
  uint64_t base = 0;
  int64_t width = 0, height = 0, pitch = 0; // bytes, rows, bytes
  int64_t x = 0, y = 0;                     // elements, rows
};

// Parses the part of a name after the family's name: "read_transform_16b_16r16x2c".
std::optional<Shape> parseShape(std::string_view text) {
  Shape shape;
  if (takePrefix(text, "read_transform_"))
    shape.use = BlockUse::LoadVnni;
  else if (takePrefix(text, "read_transpose_"))
    shape.use = BlockUse::LoadTransposed;
  else if (takePrefix(text, "read_"))
    shape.use = BlockUse::Load;
  else if (takePrefix(text, "prefetch_"))
    shape.use = BlockUse::Prefetch;
  else if (takePrefix(text, "write_"))
    shape.use = BlockUse::Store;
  else
    return std::nullopt;
  shape.bytes = takeNumber(text) / 8;
  if (!takePrefix(text, "b_")) return std::nullopt;
  shape.rows = takeNumber(text);
  if (!takePrefix(text, "r")) return std::nullopt;
  shape.columns = takeNumber(text);
  if (!takePrefix(text, "x")) return std::nullopt;
  shape.blocks = takeNumber(text);
  if (text != "c" || shape.bytes < 1 || shape.rows < 1 || shape.columns < 1 || shape.blocks < 1) return std::nullopt;
  return shape;
}

// Whether a message can move the block: rows of at most 64 bytes, 2 KiB in total. A prefetch moves no data, so it may have any
// shape.
bool fitsMessage(const Shape &shape) {
  if (shape.use == BlockUse::Prefetch) return true;
  auto powerOfTwo = [](int64_t value) { return (value & (value - 1)) == 0; };
  int64_t rowBytes = shape.columns * shape.bytes;
  if (shape.bytes > 8 || !powerOfTwo(shape.bytes) || !powerOfTwo(shape.rows) || !powerOfTwo(shape.columns)) return false;
  if (shape.rows > 32 || rowBytes > 64 || rowBytes < 4 || rowBytes * shape.blocks > 64) return false;
  switch (shape.use) {
  case BlockUse::Prefetch:
  case BlockUse::Load: return true;
  case BlockUse::LoadVnni: return shape.bytes <= 2 && shape.rows * shape.bytes >= 4 && shape.columns == kLanes;
  case BlockUse::LoadTransposed: return shape.bytes >= 4 && shape.blocks == 1;
  case BlockUse::Store: return shape.blocks == 1 && shape.rows <= 8;
  }
  return false;
}

// The rule that the matrix violates; empty if it is valid.
std::string brokenRule(const Matrix &m, const Shape &shape, const BlockRules &rules) {
  auto bad = [](const char *what, int64_t value, std::string rule) {
    return str("the ", what, " is ", value, "; it must be ", rule);
  };
  if (m.base % static_cast<uint64_t>(rules.baseAlignment) != 0)
    return str("the base address 0x", std::hex, m.base, std::dec, " is not a multiple of ", rules.baseAlignment, " bytes");
  if (m.width < rules.minimalWidth) return bad("width", m.width, str("at least ", rules.minimalWidth, " bytes"));
  if (m.width % rules.widthMultiple) return bad("width", m.width, str("a multiple of ", rules.widthMultiple, " bytes"));
  if (m.width > rules.maximalExtent) return bad("width", m.width, str("at most ", rules.maximalExtent, " bytes"));
  if (m.height < 1 || m.height > rules.maximalExtent)
    return bad("height", m.height, str("1 to ", rules.maximalExtent, " rows"));
  if (m.pitch < rules.minimalPitch) return bad("pitch", m.pitch, str("at least ", rules.minimalPitch, " bytes"));
  if (m.pitch % rules.pitchMultiple) return bad("pitch", m.pitch, str("a multiple of ", rules.pitchMultiple, " bytes"));
  if (m.pitch > rules.maximalExtent) return bad("pitch", m.pitch, str("at most ", rules.maximalExtent, " bytes"));
  if (m.pitch < m.width) return bad("pitch", m.pitch, str("at least the width, ", m.width, " bytes"));
  if (m.x * shape.bytes % rules.columnMultiple)
    return str("the block's first column, ", m.x, ", is at byte ", m.x * shape.bytes, " of a row; it must be a multiple of ",
               rules.columnMultiple, " bytes");
  return {};
}

bool readMatrix(Meeting &meeting, const Shape &shape, const TargetInfo &target, Matrix &m) {
  if (static_cast<int64_t>(meeting.count()) != kLanes) {
    meeting.fail(str("2D block messages are for subgroups of 16 lanes; this one has ", meeting.count()));
    return false;
  }
  if (!meeting.uniform(kBase, 8, "the base address") || !meeting.uniform(kWidth, 4, "the width") ||
      !meeting.uniform(kHeight, 4, "the height") || !meeting.uniform(kPitch, 4, "the pitch") ||
      !meeting.uniform(kPlace, 8, "the block's position"))
    return false;
  m.base = meeting.argument<uint64_t>(0, kBase);
  m.width = meeting.argument<int32_t>(0, kWidth);
  m.height = meeting.argument<int32_t>(0, kHeight);
  m.pitch = meeting.argument<int32_t>(0, kPitch);
  auto place = meeting.argument<std::array<int32_t, 2>>(0, kPlace);
  m.x = place[0], m.y = place[1];
  std::string broken = brokenRule(m, shape, target.blocks);
  if (!broken.empty()) meeting.fail(std::move(broken));
  return !meeting.group().failed();
}

// The part of a row of the block that is inside of the matrix.
struct RowSpan {
  uint64_t address = 0;
  int64_t skip = 0, bytes = 0; // bytes of the block's row that are outside to the left, and bytes that are inside
};

RowSpan rowSpan(const Matrix &m, int64_t row, int64_t firstByte, int64_t bytes) {
  if (row < 0 || row >= m.height) return {};
  int64_t from = std::max<int64_t>(firstByte, 0), to = std::min(firstByte + bytes, m.width);
  if (from >= to) return {};
  return {m.base + static_cast<uint64_t>(row * m.pitch + from), from - firstByte, to - from};
}

bool allocated(Meeting &meeting, const RowSpan &span, const char *what) {
  if (!span.bytes || meeting.group().memory().allocationOf(span.address, static_cast<uint64_t>(span.bytes))) return true;
  uint64_t last = span.address + static_cast<uint64_t>(span.bytes) - 1;
  const MemoryMap &map = *meeting.group().launch().memory;
  uint64_t wrong = isReachable(map, span.address) ? last : span.address;
  meeting.fail(str("the ", what, " of ", span.bytes,
                   " bytes inside the matrix is out of bounds of every allocation: ", whereIs(map, wrong)));
  return false;
}

// Reads one block in the order in which memory has its elements; elements outside of the matrix are 0.
bool readBlock(Meeting &meeting, const Matrix &m, const Shape &shape, int64_t block, std::byte *out) {
  int64_t rowBytes = shape.columns * shape.bytes;
  std::memset(out, 0, static_cast<size_t>(rowBytes * shape.rows));
  for (int64_t r = 0; r < shape.rows; ++r) {
    RowSpan span = rowSpan(m, m.y + r, (m.x + block * shape.columns) * shape.bytes, rowBytes);
    if (!allocated(meeting, span, "read")) return false;
    if (span.bytes)
      std::memcpy(out + r * rowBytes + span.skip, reinterpret_cast<const void *>(span.address),
                  static_cast<size_t>(span.bytes));
  }
  return true;
}

// Packs a block into rows of 32-bit words, each with 4 / shape.bytes elements of one column.
void packVnni(const Shape &shape, const std::byte *in, std::byte *out) {
  int64_t factor = 4 / shape.bytes;
  for (int64_t r = 0; r < shape.rows; ++r)
    for (int64_t c = 0; c < shape.columns; ++c)
      std::memcpy(out + ((r / factor * shape.columns + c) * factor + r % factor) * shape.bytes,
                  in + (r * shape.columns + c) * shape.bytes, static_cast<size_t>(shape.bytes));
}

void transpose(const Shape &shape, const std::byte *in, std::byte *out) {
  for (int64_t r = 0; r < shape.rows; ++r)
    for (int64_t c = 0; c < shape.columns; ++c)
      std::memcpy(out + (c * shape.rows + r) * shape.bytes, in + (r * shape.columns + c) * shape.bytes,
                  static_cast<size_t>(shape.bytes));
}

// `to(lane)`: the registers of a lane.
template <class To> void deal(const Shape &shape, int64_t block, std::byte *data, To to) {
  int64_t total = shape.rows * shape.columns * shape.bytes, unit = shape.registerBytes;
  int64_t components = (total + unit * kLanes - 1) / (unit * kLanes);
  std::memset(data + total, 0, static_cast<size_t>(components * unit * kLanes - total));
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    std::byte *own = to(static_cast<size_t>(lane)) + block * components * unit;
    for (int64_t i = 0; i < components; ++i)
      std::memcpy(own + i * unit, data + (i * kLanes + lane) * unit, static_cast<size_t>(unit));
  }
}

template <class To> void load(Meeting &meeting, const Shape &shape, const Matrix &m, To to) {
  std::byte memory[kMostBytes], turned[kMostBytes];
  for (int64_t block = 0; block < shape.blocks; ++block) {
    if (!readBlock(meeting, m, shape, block, memory)) return;
    if (shape.use == BlockUse::LoadVnni) packVnni(shape, memory, turned);
    if (shape.use == BlockUse::LoadTransposed) transpose(shape, memory, turned);
    deal(shape, block, shape.use == BlockUse::Load ? memory : turned, to);
  }
}

void load(Meeting &meeting, const Shape &shape, const TargetInfo &target) {
  Matrix m;
  if (readMatrix(meeting, shape, target, m))
    load(meeting, shape, m, [&](size_t lane) { return meeting.argument<std::byte *>(lane, kData); });
}

// The address payload of a message, one word in each lane (targets/xe/emit/address_payloads.h).
enum PayloadWord : size_t { kBaseLow, kBaseHigh, kWidthLess1, kHeightLess1, kPitchLess1, kColumn, kRow, kShape, kPayloadWords };

// Reads the matrix and the shape from the payload; false if it is no payload of a message that moves this many registers.
bool readPayload(Meeting &meeting, Shape &shape, Matrix &m, uint32_t registers, const TargetInfo &target) {
  if (static_cast<int64_t>(meeting.count()) != kLanes) {
    meeting.fail(str("block messages are for subgroups of 16 lanes; this one has ", meeting.count()));
    return false;
  }
  uint32_t words[kPayloadWords];
  for (size_t lane = 0; lane < kPayloadWords; ++lane) words[lane] = meeting.argument<uint32_t>(lane, 0);
  auto field = [&](int shift) { return static_cast<int64_t>(words[kShape] >> shift & 0xff) + 1; };
  shape.columns = field(0), shape.rows = field(8), shape.blocks = field(16);
  m.base = words[kBaseLow] | uint64_t{words[kBaseHigh]} << 32;
  m.width = int64_t{words[kWidthLess1]} + 1, m.height = int64_t{words[kHeightLess1]} + 1,
  m.pitch = int64_t{words[kPitchLess1]} + 1;
  m.x = static_cast<int32_t>(words[kColumn]), m.y = static_cast<int32_t>(words[kRow]);
  const int64_t each = registers == 0 ? 0 : shape.rows * shape.columns * shape.bytes; // a block begins in a register of its own
  if (words[kShape] >> 24 != 0 || !fitsMessage(shape) || each % kRegisterBytes != 0 ||
      shape.blocks * each / kRegisterBytes != registers)
    meeting.fail(str("no message ", shape.use == BlockUse::Store ? "stores " : "loads ", shape.blocks, " blocks of ",
                     shape.rows, "x", shape.columns, " elements of ", 8 * shape.bytes, " bits in ", registers, " registers"));
  else if (std::string broken = brokenRule(m, shape, target.blocks); !broken.empty())
    meeting.fail(std::move(broken));
  return !meeting.group().failed();
}

void rawLoad(Meeting &meeting, Shape shape, uint32_t registers, const TargetInfo &target) {
  Matrix m;
  if (!readPayload(meeting, shape, m, registers, target)) return;
  if (registers == 0) return; // a prefetch reads nothing, so it may go beyond allocated memory
  load(meeting, shape, m, [&](size_t lane) { return static_cast<std::byte *>(meeting.result(lane)); });
}

// `from(lane)`: the registers of a lane.
template <class From> void store(Meeting &meeting, const Shape &shape, const Matrix &m, From from) {
  std::byte data[kMostBytes];
  int64_t total = shape.rows * shape.columns * shape.bytes, unit = shape.registerBytes;
  int64_t components = (total + unit * kLanes - 1) / (unit * kLanes), rowBytes = shape.columns * shape.bytes;
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    const std::byte *own = from(static_cast<size_t>(lane));
    for (int64_t i = 0; i < components; ++i)
      std::memcpy(data + (i * kLanes + lane) * unit, own + i * unit, static_cast<size_t>(unit));
  }
  for (int64_t r = 0; r < shape.rows; ++r) {
    RowSpan span = rowSpan(m, m.y + r, m.x * shape.bytes, rowBytes);
    if (!allocated(meeting, span, "write")) return;
    if (span.bytes)
      std::memcpy(reinterpret_cast<void *>(span.address), data + r * rowBytes + span.skip, static_cast<size_t>(span.bytes));
  }
}

void store(Meeting &meeting, const Shape &shape, const TargetInfo &target) {
  Matrix m;
  if (readMatrix(meeting, shape, target, m))
    store(meeting, shape, m, [&](size_t lane) { return meeting.argument<const std::byte *>(lane, kData); });
}

void rawStore(Meeting &meeting, Shape shape, uint32_t registers, const TargetInfo &target) {
  Matrix m;
  if (readPayload(meeting, shape, m, registers, target))
    store(meeting, shape, m, [&](size_t lane) { return static_cast<const std::byte *>(meeting.argument(lane, 1)); });
}

constexpr uint32_t kOneRegister = 1 << 25; // of the payload, in a descriptor
constexpr int kSizeShift = 9;
constexpr uint32_t kMostSize = 3; // 8 bytes

std::optional<Collective> rawStore(const BuiltinName &name, const TargetInfo &target) {
  constexpr uint32_t kStoreBlock2d = 7;
  unsigned descriptor = 0, registers = 0;
  int end = 0;
  const int found = std::sscanf(name.name.c_str(), "_xt_raw_store_%x_%u%n", &descriptor, &registers, &end);
  if (found != 2 || static_cast<size_t>(end) != name.name.size() || name.parameters.size() != 2) return std::nullopt;
  const uint32_t size = descriptor >> kSizeShift & 7;
  if (size > kMostSize || (descriptor & ~(7u << kSizeShift)) != (kStoreBlock2d | kOneRegister) || registers == 0)
    return std::nullopt;
  std::string_view words = name.parameters[1]; // "unsigned int vector[8]"
  Shape shape{.use = BlockUse::Store, .bytes = int64_t{1} << size, .registerBytes = namedType(scalarOf(words)).bits / 8};
  const size_t count = words.find('[');
  std::string_view digits = count == std::string_view::npos ? "1" : words.substr(count + 1);
  if (takeNumber(digits) * shape.registerBytes * kLanes != registers * kRegisterBytes) return std::nullopt;
  return Collective{name.name, kOfSubgroup,
                    [shape, registers, rules = &target](Meeting &m) { rawStore(m, shape, registers, *rules); }};
}

} // namespace

std::optional<Collective> rawSend(const BuiltinName &name, const ValueType &result, const TargetInfo &target) {
  constexpr uint32_t kLoadBlock2d = 3, kVnni = 1 << 7, kTransposed = 1 << 15;
  std::string_view text = name.name;
  if (!target.blocks.any()) return std::nullopt;
  if (text.starts_with("_xt_raw_store_")) return rawStore(name, target);
  if (!takePrefix(text, "_xt_raw_send_")) return std::nullopt;
  uint32_t descriptor = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), descriptor, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const uint32_t size = descriptor >> kSizeShift & 7, registers = descriptor >> 20 & 31;
  if (size > kMostSize || (descriptor & ~(kVnni | kTransposed | 7u << kSizeShift | 31u << 20)) != (kLoadBlock2d | kOneRegister))
    return std::nullopt;
  if ((descriptor & kVnni) && (descriptor & kTransposed)) return std::nullopt;
  if (static_cast<int64_t>(result.bytes()) * kLanes != registers * kRegisterBytes) return std::nullopt;
  Shape shape;
  shape.use = descriptor & kVnni ? BlockUse::LoadVnni : descriptor & kTransposed ? BlockUse::LoadTransposed : BlockUse::Load;
  shape.bytes = int64_t{1} << size;
  shape.registerBytes = result.elementBytes;
  if (registers == 0 && shape.use == BlockUse::Load) shape.use = BlockUse::Prefetch;
  return Collective{name.name, kOfSubgroup,
                    [shape, registers, rules = &target](Meeting &m) { rawLoad(m, shape, registers, *rules); }};
}

std::optional<Collective> blockMessage2d(const BuiltinName &name, const TargetInfo &target) {
  std::string_view text = name.name;
  if (!takePrefix(text, "intel_sub_group_2d_block_") || !target.blocks.any()) return std::nullopt;
  std::optional<Shape> shape = parseShape(text);
  bool prefetch = shape && shape->use == BlockUse::Prefetch;
  if (!shape || !fitsMessage(*shape) || name.parameters.size() != (prefetch ? 5 : 6)) return std::nullopt;
  if (!prefetch) {
    NamedType type = namedType(scalarOf(name.parameters[kData]));
    shape->registerBytes = type.bits / 8;
    if (shape->registerBytes < shape->bytes && shape->use != BlockUse::LoadVnni) return std::nullopt;
    if (shape->use == BlockUse::LoadVnni && shape->registerBytes != 4) return std::nullopt;
  }
  Collective made{name.name, kOfSubgroup, {}};
  const TargetInfo *rules = &target;
  switch (shape->use) {
  case BlockUse::Load:
  case BlockUse::LoadVnni:
  case BlockUse::LoadTransposed: made.body = [shape = *shape, rules](Meeting &m) { load(m, shape, *rules); }; break;
  case BlockUse::Store: made.body = [shape = *shape, rules](Meeting &m) { store(m, shape, *rules); }; break;
  case BlockUse::Prefetch:
    made.body = [shape = *shape, rules](Meeting &m) {
      Matrix matrix; // a prefetch reads nothing, so it may go beyond allocated memory
      (void)readMatrix(m, shape, *rules, matrix);
    };
    break;
  }
  return made;
}

} // namespace xt::soft
