#include "targets/xe/emit/block_call.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/gpu/block_rules.h"

#include <algorithm>
#include <map>

namespace xt {
namespace {

struct Place {
  int64_t row, column;
  auto operator<=>(const Place &) const = default;
};

struct Message : BlockFunction {
  int64_t pack() const { return wordBits / bits; } // elements of `bits` in a word
};

// The number of words that a lane gets of one block. If a row has fewer elements than there are lanes, the lanes' words at one
// index hold several rows.
int64_t wordsOfBlock(const Message &m, int64_t lanes) {
  if (m.use == BlockUse::LoadTransposed) return m.columns;
  return m.rows * m.columns / m.pack() / lanes;
}

// The row and column, relative to the first block, of element `part` in word `word` of a lane. A lane has all words of one
// block before those of the next.
Place contentOf(const Message &m, int64_t lanes, int64_t lane, int64_t word, int64_t part) {
  int64_t block = word / wordsOfBlock(m, lanes), inBlock = word % wordsOfBlock(m, lanes);
  if (m.use == BlockUse::LoadTransposed) return {lane, block * m.columns + inBlock};
  if (m.use == BlockUse::LoadVnni) return {inBlock * m.pack() + part, block * m.columns + lane};
  int64_t inRow = inBlock * lanes * m.pack() + lane * m.pack() + part; // row-major in the block
  return {inRow / m.columns, block * m.columns + inRow % m.columns};
}

// For each element of a lane in row-major order, its position in the words that the lane receives. Nullopt if the layout
// assigns other elements to some lane, or if the positions differ between lanes.
std::optional<std::vector<size_t>> placesOf(const Message &m, const Layout &layout, int64_t lanes, int64_t split) {
  std::optional<std::vector<size_t>> all;
  int64_t words = wordsOfBlock(m, lanes) * m.blocks;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::map<Place, size_t> content;
    for (int64_t k = 0; k < words * m.pack(); ++k) {
      Place place = contentOf(m, lanes, lane, k / m.pack(), k % m.pack());
      for (int64_t s = 0; s < split; ++s) content[{place.row, place.column * split + s}] = static_cast<size_t>(k * split + s);
    }
    std::vector<size_t> places;
    for (int64_t row : layout.sliceOf(Axis::Lane, lane, 0))
      for (int64_t column : layout.sliceOf(Axis::Lane, lane, 1)) {
        auto found = content.find({row, column});
        if (found == content.end()) return std::nullopt;
        places.push_back(found->second);
      }
    if (places.size() != content.size() || (all && *all != places)) return std::nullopt;
    all = std::move(places);
  }
  return all;
}

// Returns the call of a message of this shape; nullopt if it distributes the block in another way than the descriptor's
// layout. `split`: the number of elements of the descriptor in one element of the message.
std::optional<BlockCall> callOf(const BlockShape &shape, BlockUse use, Type desc, int64_t lanes, int64_t split) {
  Message message{blockFunction(shape, desc.extent(0), desc.extent(1) / split / shape.columns)};
  BlockCall call;
  call.message = message;
  call.bits = shape.bits;
  if (use == BlockUse::Prefetch) return call;
  if (use == BlockUse::LoadTransposed && message.rows != lanes) return std::nullopt;
  int64_t words = wordsOfBlock(message, lanes);
  if (use != BlockUse::LoadTransposed && words * lanes * message.pack() != message.rows * message.columns) return std::nullopt;
  std::optional<std::vector<size_t>> places = placesOf(message, *desc.layout(), lanes, split);
  if (!places) return std::nullopt;
  call.wordBits = message.wordBits;
  call.words = static_cast<size_t>(words * message.blocks);
  call.pack = static_cast<int>(message.pack() * split);
  call.places = std::move(*places);
  return call;
}

} // namespace

std::optional<BlockCall> findBlockCall(const TargetInfo &target, BlockUse use, Type desc, int64_t lanes) {
  int own = 8 * elemInfo(desc.elem()).storageBytes;
  int64_t rows = desc.extent(0), columns = desc.extent(1);
  // Several messages may move a block of this size; they can differ in how they distribute it over the lanes.
  auto find = [&](int bits, int64_t split) -> std::optional<BlockCall> {
    for (const BlockShape &shape : target.blockShapes)
      if (takesBlock(shape, use, bits, rows, columns / split))
        if (std::optional<BlockCall> call = callOf(shape, use, desc, lanes, split)) return call;
    return std::nullopt;
  };
  if (std::optional<BlockCall> call = find(own, 1)) return call;
  // Elements of less than 32 bits are transposed in groups of 32 bits.
  bool turns = use == BlockUse::LoadTransposed && own < 32 && columns % (32 / own) == 0;
  return turns ? find(32, 32 / own) : std::nullopt;
}

} // namespace xt
