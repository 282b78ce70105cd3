// What the compiler knows about a nest: the product, how its operands are laid out in memory, and the processor that computes
// it.
#pragma once
#include "targets/cpu/products/register_tile.h"

namespace xt {

struct NestOperand { // `a` or `b` in memory, over all of K
  Elem elem = kF32Elem;
  // Whether rows and columns are exchanged in memory: a row in memory, whose elements are adjacent, is a step of K of `a`, or a
  // column of `b`.
  bool transposed = false;
  bool unitStride = true; // elements of a row are known to be adjacent in memory
  bool interleaved = false; // several rows are interleaved in memory
  int64_t bytes() const { return elemInfo(elem).storageBytes; }
  bool isPlain() const { return unitStride && !interleaved; }
};

struct NestProblem {
  ProductStyle style = ProductStyle::Elements;
  Elem elem = kF32Elem; // the type that is multiplied in
  RegisterTile tile{};
  int64_t rows = 0, columns = 0; // size of the sums of a workgroup
  NestOperand left, right;
  bool movesLeft = false, movesRight = false; // bytes of `a`, or of `b`, are biased by 128 (movesBytes)
  bool convertsLeft = false; // elements of `a` are converted as they are multiplied (convertsElements)
  bool choosesLeft = false; // rows of `a` lie anywhere in its matrix, or are 0 (the operand `rows` of the nest)
  bool fresh = true; // the sums start at 0
  bool convertsHalves = false; // the processor has instructions that convert f16
  CpuTuning tuning;

  // Whether a step of K is a word of several elements that are adjacent along K, and not a single element.
  bool inWords() const { return style != ProductStyle::Elements; }
  bool inSlices() const { return style == ProductStyle::TilesSliced; }
  bool inTiles() const { return usesTiles(style); }
  bool isBf16() const { return style == ProductStyle::DotBf16 || style == ProductStyle::TilesBf16; }
  int elements() const { return stepElements(style); } // elements per step
  int lanes() const { return tile.lanes; } // elements or words of a register
  int slices() const { return inSlices() ? sliceCount(left.elem) : 1; } // slices per element; a step has a word of each slice
  int64_t bytes() const { return elemInfo(elem).storageBytes; } // bytes of an element or word
  int64_t stepBytes() const { return bytes() * slices(); } // bytes of a step in a staged row of `a`
  bool readsWords() const { return inWords() && !inSlices(); } // whether words are read from memory; otherwise elements are
  // Whether the product depends on the least magnitudes of both operands, because instructions for bf16 treat denormal numbers
  // as 0.
  bool needsLeastMagnitude() const { return isBf16() || inSlices(); }
  // Whether the least magnitude of `a` is found while multiplying, not before.
  bool scansLeftWhileMultiplying() const { return style == ProductStyle::DotBf16; }
  // The type of the elements of words, if the elements in memory have type `from`.
  Elem stagedElem(Elem from) const;
  // The type of the elements of `a` that the microkernel reads: `elem`, unless it converts them one by one.
  Elem leftElem() const { return convertsLeft ? left.elem : elem; }
  int64_t leftBytes() const { return elemInfo(leftElem()).storageBytes; }

  // The columns of a panel, which are those of the register tile, and the bytes of one row of K in a panel: packed without gaps
  // (panelPitch), and in `b` (sourcePitch).
  int64_t panelColumns() const { return int64_t{tile.vectors} * tile.lanes; }
  int64_t panelPitch() const { return panelColumns() * bytes(); }
  int64_t sourcePitch() const { return panelColumns() * right.bytes(); }
  int64_t linesOfSource() const { return (sourcePitch() + kCacheLine - 1) / kCacheLine; }
  bool isWide() const { return panelPitch() >= 4 * kCacheLine; }
  // Whether a smaller tile takes the last rows, and a narrower one the last columns.
  bool hasRest() const { return lastRowsTile(tile).rows < tile.rows && !inTiles(); }
  bool hasNarrow() const { return tile.narrow > 0 && hasRest(); }
};

// Returns the problem of an op. Whether the elements of a row are adjacent is known only where the op is emitted; until then
// they are assumed to be (NestOperand::unitStride).
NestProblem nestProblem(const CpuInfo &cpu, const Op &nest, bool fresh);

// Returns the unit, in columns, by which a workgroup is divided into parts. With AMX it is two panels, because panels are
// packed in pairs. Otherwise it is one panel, or one narrow tile if narrow tiles take any remainder, because a part need not
// consist of whole panels then.
int64_t columnsOfPart(RegisterTile tile, ProductStyle style);

} // namespace xt
