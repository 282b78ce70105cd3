// Kernels of integer casts and of masks, as text: chains of two casts between integer types of all widths, and the logic of i1.
// Their vectors have several shapes, so that lanes get LLVM vectors of each length.
#pragma once
#include "ir/base/text.h"
#include "ir/elem.h"
#include "ir/elem_kinds.h"

#include <array>
#include <string>
#include <vector>

namespace xt::test {

inline constexpr std::array kIntegerElems = {Elem::I1,  Elem::I4,  Elem::U4,  Elem::I8, Elem::U8,
                                             Elem::I16, Elem::I32, Elem::I64, Elem::U64};

struct Extents {
  int64_t rows, columns;
};
inline constexpr std::array kMaskShapes = {Extents{1, 7},  Extents{3, 5},  Extents{13, 7},
                                           Extents{2, 16}, Extents{8, 16}, Extents{16, 32}};

// One kernel that stores the results of all casts. The results of one type are in one buffer, one below the other. At subgroup
// scope, tiles have 15x7 elements (a lane has vectors of 8, 4, 2 and 1 elements); at lane scope, a lane has a column of 16.
class CastKernel {
public:
  CastKernel(Elem source, bool ofLanes) : rows_(ofLanes ? 16 : 15), columns_(ofLanes ? 1 : 7), ofLanes_(ofLanes) {
    chain("%a", source, 2);
    std::string params = str("%A: memref<", whole(source), ">");
    for (Elem elem : kIntegerElems)
      if (int64_t count = results_[static_cast<size_t>(elem)])
        params += str(", %o_", elemName(elem), ": memref<", whole(elem, count), ">");
    text_ = str("kernel @k(", params, ofLanes ? ") lanes(16) {\n  %l = lane_id()\n" : ") {\n  %l = 0\n",
                "  %ta = init_tile %A[0, %l] -> tile<", part(source), ">\n  %a = load_tile %ta\n", body_, "}\n");
  }
  const std::string &text() const { return text_; }
  int64_t casts() const { return casts_; }

private:
  std::string part(Elem elem) const { return str(rows_, "x", columns_, "x", elemName(elem)); }
  std::string whole(Elem elem, int64_t times = 1) const {
    return str(times * rows_, "x", ofLanes_ ? 16 : columns_, "x", elemName(elem));
  }

  void chain(const std::string &value, Elem from, int depth) {
    if (depth == 0) return;
    for (Elem to : kIntegerElems) {
      int wide = elemInfo(from).bits, narrow = elemInfo(to).bits;
      if (wide == narrow) continue;
      for (const char *op : wide > narrow ? std::vector{"trunci"} : std::vector{"extsi", "extui"}) {
        int64_t number = casts_++, row = rows_ * results_[static_cast<size_t>(to)]++;
        std::string result = str("%v", number);
        body_ += str("  ", result, " = arith.", op, " ", value, " : vector<", part(from), "> -> vector<", part(to), ">\n  %t",
                     number, " = init_tile %o_", elemName(to), "[", row, ", %l] -> tile<", part(to), ">\n  store_tile ", result,
                     ", %t", number, "\n");
        chain(result, to, depth - 1);
      }
    }
  }

  int64_t rows_, columns_;
  bool ofLanes_;
  int64_t casts_ = 0;
  std::array<int64_t, kElemCount> results_{}; // number of results of each type
  std::string body_, text_;
};

// Returns a kernel with negations, the logic of two masks, and reductions of a mask along each dimension. It stores eight
// results as numbers in %C, one below the other.
inline std::string maskKernel(Extents extents) {
  std::string shape = str(extents.rows, "x", extents.columns), text;
  text = str("kernel @k(%A: memref<", shape, "xi32>, %C: memref<", 8 * extents.rows, "x", extents.columns,
             "xi32>) {\n  %ta = init_tile %A[0, 0] -> tile<", shape,
             "xi32>\n  %a = load_tile %ta\n  %m = %a > 3\n  %n = %a < 7\n  %r0 = not %m\n  %r1 = arith.xori %m, %n\n  %r2 = "
             "arith.andi %m, %n\n",
             "  %r3 = arith.ori %m, %n\n");
  int next = 4;
  for (const char *kind : {"xor", "or"})
    for (int dim : {0, 1}) {
      std::string small = dim == 0 ? str("1x", extents.columns) : str(extents.rows, "x1");
      text +=
          str("  %s", next, " = reduction <", kind, "> %m [", dim, "] : vector<", shape, "xi1> -> vector<", small, "xi1>\n  %r",
              next, " = broadcast %s", next, " [", dim, "] : vector<", small, "xi1> -> vector<", shape, "xi1>\n");
      ++next;
    }
  for (int i = 0; i < next; ++i)
    text += str("  %x", i, " = arith.extui %r", i, " : vector<", shape, "xi1> -> vector<", shape, "xi32>\n  %t", i,
                " = init_tile %C[", i * extents.rows, ", 0] -> tile<", shape, "xi32>\n  store_tile %x", i, ", %t", i, "\n");
  return text + "}\n";
}

} // namespace xt::test
