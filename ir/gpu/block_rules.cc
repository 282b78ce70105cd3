#include "ir/gpu/block_rules.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {

bool isPowerOfTwo(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

bool breaks(int64_t count, int64_t unit, int64_t least, int64_t multiple) {
  return count != kDynamic && (count * unit < least || count * unit % multiple != 0);
}

} // namespace

BlockBase blockBaseOf(Type memref) {
  std::vector<int64_t> strides = memrefStrides(memref);
  size_t rank = strides.size();
  BlockBase base{memref.elem(),
                 memref.extent(memref.rank() - 1),
                 memref.extent(memref.rank() - 2),
                 strides[rank - 2],
                 strides[rank - 1],
                 {}};
  base.apart.assign(strides.begin(), strides.end() - 2);
  return base;
}

int64_t shortestPitch(const BlockRules &rules, int64_t width) {
  int64_t multiple = std::max<int64_t>(1, rules.pitchMultiple);
  return (std::max(width, rules.minimalPitch) + multiple - 1) / multiple * multiple;
}

std::string whyNoBlockBase(const BlockRules &rules, const BlockBase &base) {
  int64_t bytes = elemInfo(base.elem).storageBytes;
  if (base.step != 1) return "the elements of a row are not contiguous";
  if (breaks(base.width, bytes, rules.minimalWidth, rules.widthMultiple))
    return str("a row has ", base.width * bytes, " bytes; a block message needs at least ", rules.minimalWidth,
               ", and a multiple of ", rules.widthMultiple);
  if (base.height != 1 && breaks(base.pitch, bytes, rules.minimalPitch, rules.pitchMultiple))
    return str("rows are ", base.pitch * bytes, " bytes apart; a block message needs at least ", rules.minimalPitch,
               ", and a multiple of ", rules.pitchMultiple);
  if (base.pitch != kDynamic && base.width != kDynamic && base.height != 1 && base.pitch < base.width)
    return str("rows are ", base.pitch * bytes, " bytes apart but ", base.width * bytes,
               " long; a block message needs rows that do not overlap");
  for (int64_t apart : base.apart)
    if (breaks(apart, bytes, 0, rules.baseAlignment))
      return str("its matrices are ", apart * bytes,
                 " bytes apart; a block message needs a base address that is a multiple of ", rules.baseAlignment);
  int64_t most = rules.maximalExtent;
  if (base.width * bytes > most || base.pitch * bytes > most)
    return str("rows are ", std::max(base.width, base.pitch) * bytes, " bytes long or apart; a block message takes at most ",
               most);
  if (base.height > most) return str("it has ", base.height, " rows; a block message takes at most ", most);
  return "";
}

bool takesBlock(const BlockShape &shape, BlockUse use, int bits, int64_t rows, int64_t columns) {
  if (shape.use != use || shape.bits != bits || columns % shape.columns != 0) return false;
  int64_t blocks = columns / shape.columns;
  bool rowsFit = isPowerOfTwo(rows) && rows >= shape.fewestRows && rows <= shape.mostRows;
  return rowsFit && isPowerOfTwo(blocks) && blocks >= shape.fewestBlocks && blocks <= shape.blocks;
}

const BlockShape *blockMessage(const TargetInfo &target, BlockUse use, int bits, int64_t rows, int64_t columns) {
  for (const BlockShape &shape : target.blockShapes)
    if (takesBlock(shape, use, bits, rows, columns)) return &shape;
  return nullptr;
}

int64_t lineAlignment(const TargetInfo &target, int64_t bytes) {
  if (bytes > target.lineBytes) return 0;
  auto areWords = [&](int64_t size) {
    return std::any_of(target.lineWords.begin(), target.lineWords.end(), [&](int64_t words) { return bytes == size * words; });
  };
  return areWords(4) ? 4 : areWords(8) ? 8 : 0;
}

} // namespace xt
