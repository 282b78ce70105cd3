// What the compiler knows about a nest: the product, where its operands are in memory, and the processor that computes it.
#pragma once
#include "targets/cpu/products/register_tile.h"

namespace xt {

struct NestOperand { // a or b in memory, over all of K
  Elem elem = kF32Elem;
  // Its rows in memory, whose elements are neighbours, run along the other dimension than in the product: the rows of a transposed
  // a are steps of K, those of a transposed b are columns.
  bool transposed = false;
  bool unitStride = true; // elements of a row are known to be neighbours
  bool interleaved = false; // several rows are interleaved in memory
  int64_t bytes() const { return elemInfo(elem).storageBytes; }
  bool isPlain() const { return unitStride && !interleaved; }
};

struct NestProblem {
  ProductStyle style = ProductStyle::Elements;
  Elem elem = kF32Elem; // the type that is multiplied in
  RegisterTile tile{};
  int64_t rows = 0, columns = 0; // of the sums of a workgroup
  NestOperand left, right;
  bool movesLeft = false, movesRight = false; // bytes of a, or of b, are moved by 128 (movesBytes)
  bool convertsLeft = false; // elements of a are converted as they are multiplied (convertsElements)
  bool fresh = true; // the sums start at 0
  bool convertsHalves = false; // the processor has instructions that convert f16
  CpuTuning tuning;

  // A step of K is an element, or, with styles other than Elements, a word of neighbours along K.
  bool inWords() const { return style != ProductStyle::Elements; }
  bool inSlices() const { return style == ProductStyle::TilesSliced; }
  bool inTiles() const { return usesTiles(style); }
  bool isBf16() const { return style == ProductStyle::DotBf16 || style == ProductStyle::TilesBf16; }
  int elements() const { return stepElements(style); } // per step
  int lanes() const { return tile.lanes; } // elements or words of a register
  int slices() const { return inSlices() ? sliceCount(left.elem) : 1; } // per element; a step has a word of each slice
  int64_t bytes() const { return elemInfo(elem).storageBytes; } // of an element or word
  int64_t stepBytes() const { return bytes() * slices(); } // of a staged row of a
  bool readsWords() const { return inWords() && !inSlices(); } // otherwise it reads elements and builds words from them
  // Products depend on the least magnitudes of both operands: instructions for bf16 treat denormal numbers as 0.
  bool needsLeastMagnitude() const { return isBf16() || inSlices(); }
  // That of a is found while multiplying, not before.
  bool scansLeftWhileMultiplying() const { return style == ProductStyle::DotBf16; }
  // The element type that words are made of.
  Elem stagedElem(Elem from) const;
  // The type of a's elements when they are multiplied: `elem`, unless they are converted one by one.
  Elem leftElem() const { return convertsLeft ? left.elem : elem; }
  int64_t leftBytes() const { return elemInfo(leftElem()).storageBytes; }

  // A panel has the columns of the register tile. Bytes of one row of K, in packed memory without gaps, and in b.
  int64_t panelColumns() const { return int64_t{tile.vectors} * tile.lanes; }
  int64_t panelPitch() const { return panelColumns() * bytes(); }
  int64_t sourcePitch() const { return panelColumns() * right.bytes(); }
  int64_t linesOfSource() const { return (sourcePitch() + kCacheLine - 1) / kCacheLine; }
  bool isWide() const { return panelPitch() >= 4 * kCacheLine; }
  // Whether a smaller tile takes the last rows, and a narrower one the last columns.
  bool hasRest() const { return lastRowsTile(tile).rows < tile.rows && !inTiles(); }
  bool hasNarrow() const { return tile.narrow > 0 && hasRest(); }
};

// The problem of an op. Whether elements of a row are neighbours is known only where the op is emitted; this takes them to be.
NestProblem nestProblem(const CpuInfo &cpu, const Op &nest, bool fresh);

// The least number of columns of a part of a workgroup. AMX's panels are packed in pairs; where narrow tiles take any remainder,
// a part need not consist of whole panels.
int64_t columnsOfPart(RegisterTile tile, ProductStyle style);

} // namespace xt
