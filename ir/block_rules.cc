#include "ir/block_rules.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {

bool breaks(int64_t count, int64_t unit, int64_t least, int64_t multiple) {
  return count != kDynamic && (count * unit < least || count * unit % multiple != 0);
}

} // namespace

BlockBase blockBaseOf(Type memref) {
  std::vector<int64_t> strides = memrefStrides(memref);
  size_t rank = strides.size();
  BlockBase base{memref.elem(), memref.extent(memref.rank() - 1), memref.extent(memref.rank() - 2), strides[rank - 2], strides[rank - 1], {}};
  base.apart.assign(strides.begin(), strides.end() - 2);
  return base;
}

std::string whyNoBlockBase(const BlockRules &rules, const BlockBase &base) {
  int64_t bytes = elemInfo(base.elem).storageBytes;
  if (base.step != 1) return "the elements of a row do not lie side by side";
  if (breaks(base.width, bytes, rules.minimalWidth, rules.widthMultiple))
    return str("a row has ", base.width * bytes, " bytes; a block message wants at least ", rules.minimalWidth, ", and a multiple of ", rules.widthMultiple);
  if (base.height != 1 && breaks(base.pitch, bytes, rules.minimalPitch, rules.pitchMultiple))
    return str("rows are ", base.pitch * bytes, " bytes apart; a block message wants at least ", rules.minimalPitch, ", and a multiple of ", rules.pitchMultiple);
  for (int64_t apart : base.apart)
    if (breaks(apart, bytes, 0, rules.baseAlignment))
      return str("its matrices are ", apart * bytes, " bytes apart; a block message wants a base that ", rules.baseAlignment, " divides");
  int64_t most = rules.maximalExtent;
  if (base.width * bytes > most || base.pitch * bytes > most)
    return str("rows are ", std::max(base.width, base.pitch) * bytes, " bytes long or apart; a block message takes at most ", most);
  if (base.height > most) return str("it has ", base.height, " rows; a block message takes at most ", most);
  return "";
}

const BlockShape *blockMessage(const TargetInfo &target, BlockUse use, int bits, int64_t rows, int64_t columns) {
  for (const BlockShape &shape : target.blockShapes) {
    bool powerOfTwo = rows > 0 && (rows & (rows - 1)) == 0;
    bool fits = shape.use == use && shape.bits == bits && powerOfTwo && rows >= shape.fewestRows && rows <= shape.mostRows &&
                columns > 0 && columns % shape.columns == 0 && columns / shape.columns <= shape.blocks;
    if (fits) return &shape;
  }
  return nullptr;
}

bool hasLineMessage(const TargetInfo &target, int64_t bytes) {
  if (bytes > target.lineBytes) return false;
  return std::any_of(target.lineWords.begin(), target.lineWords.end(), [&](int64_t words) { return bytes == 4 * words || bytes == 8 * words; });
}

} // namespace xt
