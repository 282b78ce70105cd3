#include "lang/lower/foreign_names.h"

#include <algorithm>
#include <iterator>

namespace xt {
namespace {

struct ForeignName {
  std::string_view name, note;
};

constexpr std::string_view
    kSum = "an op adds along a dimension: `reduction <add> %x [1]`",
    kMost = "an op finds it along a dimension: `reduction <max> %x [1]`",
    kLeast = "an op finds it along a dimension: `reduction <min> %x [1]`",
    kProduct = "an op multiplies matrices: `tile_mma %a, %b, %acc`",
    kBarrier = "all subgroups of a workgroup wait for each other at a `barrier`",
    kArgMax = "`associative_reduce @f, %x, %index [1]` combines values and their indices by a function; the library has "
              "kernels for it: `import \"std/topk\"`",
    kReduce = "the ops are `reduction <add> %x [1]`, and `associative_reduce @f, %x [1]` with a function",
    kTransposed = "an op swaps the dimensions: `transpose %x [1, 0]`",
    kTopK = "an op selects them: `topk %x [1] {k = 8}`; the library does rows of any length: `import \"std/topk\"`",
    kActivation = "the library has it as a function: `import \"std/activations\"`",
    kRandom = "the library has it as a function of a seed and offsets: `import \"std/random\"`",
    kFilled = "a literal fills a vector: `constant 0.0 : vector<8x16xf32>`",
    kProgram = "the variables of the kernel's `grid (%i = 0 to … step …)` say which part is done";

constexpr ForeignName kNames[] = {
    {"sum", kSum},
    {"reduce_sum", kSum},
    {"prod", "an op multiplies along a dimension: `reduction <mul> %x [1]`"},
    {"mean", "divide a sum along the dimension: `reduction <add> %x [1]`"},
    {"amax", kMost},
    {"reduce_max", kMost},
    {"amin", kLeast},
    {"reduce_min", kLeast},
    {"cumsum", "an op gives the sums up to each element: `scan <add> %x [1]`"},
    {"cumprod", "an op gives the products up to each element: `scan <mul> %x [1]`"},
    {"cummax", "an op gives the maxima up to each element: `scan <max> %x [1]`"},
    {"cummin", "an op gives the minima up to each element: `scan <min> %x [1]`"},
    {"argmax", kArgMax},
    {"argmin", kArgMax},
    {"topk", kTopK},
    {"sort", "an op sorts along a dimension: `sort %x [1] {descending}`"},
    {"flip", "an op reverses along a dimension: `reverse %x [1]`"},
    {"bincount", "an op counts integers: `histogram %x : vector<8x16xi32> -> vector<1x32xi32>`"},
    {"reduce", kReduce},
    {"T", kTransposed},
    {"t", kTransposed},
    {"shape", "an extent of a memref is `dim(%A, 0)`; those of vectors are in their types"},
    {"dot", kProduct},
    {"matmul", kProduct},
    {"where", "the function is called `select(%condition, %a, %b)`"},
    {"arange", "an op gives the indices along a dimension: `iota [1] : vector<8x16xindex>`"},
    {"zeros", kFilled},
    {"ones", kFilled},
    {"full", kFilled},
    {"relu", kActivation},
    {"gelu", kActivation},
    {"sigmoid", kActivation},
    {"silu", kActivation},
    {"rand", kRandom},
    {"randn", kRandom},
    {"randint", kRandom},
    {"softmax", "the library has kernels for it: `import \"std/softmax\"`"},
    {"cat", "an op puts vectors side by side: `concat %a, %b [1]`"},
    {"program_id", kProgram},
    {"syncthreads", kBarrier},
    {"__syncthreads", kBarrier},
    {"debug_barrier", kBarrier},
};

} // namespace

std::string_view noteOnForeignName(std::string_view name) {
  const ForeignName *found = std::ranges::find(kNames, name, &ForeignName::name);
  return found == std::end(kNames) ? "" : found->note;
}

} // namespace xt
