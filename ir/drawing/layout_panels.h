// Internal to the drawings of layouts: grids of cells with their holders, cut to a size that can be drawn.
#pragma once
#include "ir/layout/layout_builder.h"

namespace xt {

// The blocks of one dimension that a panel shows, in ascending order. They are enumerated by the digits of the axes that vary.
class Ruler {
public:
  // Covers the whole dimension by subgroups; register and lane digits below the last subgroup digit form one block.
  static Ruler overSubgroups(const Layout &layout, int dim);
  // Covers the part that one subgroup holds; a block is a contiguous part of one lane.
  static Ruler insideSubgroup(const Layout &layout, int dim, int64_t subgroup);
  // Covers the part that one lane of a subgroup holds, element by element.
  static Ruler insideLane(const Layout &layout, int dim, int64_t subgroup, int64_t lane);
  // Covers the part that one subgroup holds, in contiguous blocks.
  static Ruler heldBy(const Layout &layout, int dim, int64_t subgroup);

  int64_t count() const { return count_; }
  int64_t width() const { return width_; } // elements in a block
  int64_t first(int64_t block) const;      // the block's first index
  // The number of blocks to draw: all if there are at most `limit`, otherwise at most `limit`. If the owners repeat within
  // `limit` blocks, only a few whole repetitions are drawn.
  int64_t shown(int64_t limit) const;

private:
  struct Digit {
    int64_t extent, weight;
  };
  Ruler(std::span<const Factor> digits, bool (*fixed)(Axis), int64_t subgroup, int64_t lane, bool joins);
  std::vector<Digit> free_; // outermost first
  int64_t count_ = 1, width_ = 1, offset_ = 0;
  int64_t round_ = 1; // blocks after which the owners repeat
};

struct Panel {
  struct Tick { // elements first … last of a dimension
    int64_t first, last;
  };
  struct Cell {
    std::vector<int64_t> holders; // the first kMaxHolders holders, ascending
    int64_t holderCount = 1;
    std::string text() const; // "3", "0,1", "0+15"
  };
  struct Section { // the last two dimensions (or fewer) at one position of the others
    std::vector<int64_t> place;
    std::vector<Cell> cells; // row-major
  };
  static constexpr int64_t kMaxHolders = 4;

  Axis axis = Axis::Subgroup;                                    // the cells show coordinates on this axis
  std::string title;                                             // "subgroups", "lanes of subgroup 0", …
  std::vector<int64_t> block;                                    // the shape of a cell, in elements
  std::vector<Tick> rows, columns;                               // rows are empty if the shape has one dimension
  int64_t hiddenRows = 0, hiddenColumns = 0, hiddenSections = 0; // not drawn
  std::vector<Section> sections;
};

struct PanelLimits {
  int64_t rows, columns, sections;
};

// The panels that show a layout: its subgroups (if there are several, or if nothing else would be shown); with `lanes`, or if
// there is only one subgroup, the lanes of subgroup 0; with `registers` the registers of its first lane.
std::vector<Panel> panelsOf(const Layout &layout, bool lanes, bool registers, const PanelLimits &limits);

} // namespace xt
