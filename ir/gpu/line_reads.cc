#include "ir/gpu/line_reads.h"

namespace xt {
namespace {

constexpr int64_t kWidestWord = 4;

// Whether each lane holds all rows, and of each row the words l, l + L, … for its own number l, where a word has `pack` elements.
bool isDealt(const Layout &block, int64_t pack) {
  int64_t lanes = block.axisSize(Axis::Lane), columns = block.shape()[1];
  if (columns % (lanes * pack) != 0) return false;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::vector<int64_t> expected;
    for (int64_t first = lane * pack; first < columns; first += lanes * pack)
      for (int64_t i = 0; i < pack; ++i) expected.push_back(first + i);
    if (block.sliceOf(Axis::Lane, lane, 1) != expected) return false;
    if (static_cast<int64_t>(block.sliceOf(Axis::Lane, lane, 0).size()) != block.shape()[0]) return false;
  }
  return true;
}

} // namespace

std::optional<LineRead> lineRead(const TargetInfo &target, const Layout &block, Elem elem) {
  int64_t bytes = elemInfo(elem).storageBytes;
  bool fillsMemory = elemInfo(elem).bits >= 8; // narrower elements are widened when they are read
  if (target.lineWords.empty() || target.blocks.any() || block.rank() != 2 || !fillsMemory) return std::nullopt;
  for (int64_t pack = 1; pack * bytes <= kWidestWord; pack *= 2)
    if (isDealt(block, pack)) {
      int64_t words = block.shape()[1] / (block.axisSize(Axis::Lane) * pack);
      return LineRead{pack * bytes, words, pack};
    }
  return std::nullopt;
}

std::optional<LineRead> lineRead(const TargetInfo &target, Type desc) {
  const TypeData &data = desc.data();
  if (!data.layout || data.space != MemorySpace::Global || data.scatter || data.packed) return std::nullopt;
  return lineRead(target, *data.layout, data.elem);
}

} // namespace xt
