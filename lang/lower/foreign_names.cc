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
    kPart = "an op takes a part of a vector: `extract_strided_slice %x [0, 8] : vector<8x16xf32> -> vector<8x8xf32>`; one of a "
            "memref is a tile: `init_tile %A[0, 8] -> tile<8x8xf32>`",
    kInserted = "an op replaces a part of a vector: `insert_strided_slice %part, %x [0, 8]`",
    kAtomic = "an op combines with memory, by kinds such as addi addf mins maxs minu maxu: "
              "`memref.atomic_rmw <addi> %value, %A[%i]`, or with a tile: `atomic_rmw <addf> %vector, %tile`",
    kReshaped = "an op changes the extents: `reshape %x : vector<8x16xf32> -> vector<1x128xf32>`",
    kJoined = "an op puts vectors behind each other along a dimension: `concat %a, %b [0]`, or beside each other: `[1]`",
    kOrder = "an op orders indices by keys: `%sorted, %order = sort %x, %index [1]`, where `%index` is `iota [1] : "
             "vector<8x16xi32>`",
    kProgram = "the variables of the kernel's `grid (%i = 0 to … step …)` say which part is done",
    kThread = "a kernel computes with whole tiles, whose layouts say which lane holds what; in `lanes` kernels the functions "
              "`subgroup_id()` and `lane_id()` say who computes",
    kPrograms = "the bounds and the step of the kernel's `grid (%i = 0 to … step …)` say how many parts there are",
    kClamped = "two functions keep values within bounds: `max(min(%x, 1.0), 0.0)`",
    kLarger = "the function is called `max(%a, %b)`", kSmaller = "the function is called `min(%a, %b)`",
    kQuotient = "the function is called `ceildiv(%a, %b)`", kExp = "the function is called `exp(%x)`",
    kLog = "the function is called `log(%x)`", kRoot = "the function is called `rsqrt(%x)`",
    kPrint = "the statement is `print \"text\", %x`",
    kAssert = "conditions on a launch stand in the kernel's header: `requires (dim(%A, 1) == dim(%B, 0))`",
    kLeft = "a loop that may end early is `while condition { … }`, whose condition is computed before each step",
    kSkipped = "put the rest of the loop's body into `if condition { … }`",
    kSlm = "`alloc_slm : memref<64x64xf32, slm>` is a buffer in shared local memory",
    kConverted = "the function `cast(%x, f16)` converts values",
    kLoaded = "an op reads a tile of a memref: `%t = init_tile %A[%i, 0] -> tile<16x64xf32>`, then `load_tile %t`",
    kStored = "an op writes a tile of a memref: `%t = init_tile %A[%i, 0] -> tile<16x64xf32>`, then `store_tile %x, %t`";

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
    {"stack", kJoined},
    {"hstack", kJoined},
    {"vstack", kJoined},
    {"concatenate", kJoined},
    {"slice", kPart},
    {"extract_slice", kPart},
    {"insert_slice", kInserted},
    {"squeeze", kReshaped},
    {"unsqueeze", kReshaped},
    {"expand_dims", kReshaped},
    {"permute", kTransposed},
    {"argsort", kOrder},
    {"atomic_add", kAtomic},
    {"atomic_sub", kAtomic},
    {"atomic_max", kAtomic},
    {"atomic_min", kAtomic},
    {"atomic_and", kAtomic},
    {"atomic_or", kAtomic},
    {"atomic_xor", kAtomic},
    {"atomic_xchg", "the op is `memref.atomic_rmw <assign> %value, %A[%i]`"},
    {"atomicAdd", kAtomic},
    {"atomicMax", kAtomic},
    {"atomicMin", kAtomic},
    {"atan2", "where `%x` is positive, the angle of a point is `atan(%y / %x)`"},
    {"hypot", "for numbers whose squares are finite it is `sqrt(%x * %x + %y * %y)`"},
    {"program_id", kProgram},
    {"syncthreads", kBarrier},
    {"__syncthreads", kBarrier},
    {"debug_barrier", kBarrier},
    {"threadIdx", kThread},
    {"thread_idx", kThread},
    {"get_local_id", kThread},
    {"get_global_id", kThread},
    {"blockIdx", kProgram},
    {"get_group_id", kProgram},
    {"num_programs", kPrograms},
    {"gridDim", kPrograms},
    {"blockDim", kThread},
    {"clamp", kClamped},
    {"clip", kClamped},
    {"maximum", kLarger},
    {"fmax", kLarger},
    {"fmaxf", kLarger},
    {"minimum", kSmaller},
    {"fmin", kSmaller},
    {"fminf", kSmaller},
    {"cdiv", kQuotient},
    {"expf", kExp},
    {"__expf", kExp},
    {"logf", kLog},
    {"__logf", kLog},
    {"rsqrtf", kRoot},
    {"sqrtf", "the function is called `sqrt(%x)`"},
    {"fabs", "the function is called `abs(%x)`"},
    {"fabsf", "the function is called `abs(%x)`"},
    {"logical_and", "conditions are joined by `%a and %b`"},
    {"logical_or", "conditions are joined by `%a or %b`"},
    {"logical_not", "a condition is negated by `not %a`"},
    {"printf", kPrint},
    {"device_print", kPrint},
    {"static_print", kPrint},
    {"static_assert", kAssert},
    {"device_assert", kAssert},
    {"zeros_like", kFilled},
    {"ones_like", kFilled},
    {"full_like", kFilled},
    {"empty", kFilled},
    {"None", "every value has a type and a content; leave out an operand or attribute that is not wanted"},
    {"break", kLeft},
    {"continue", kSkipped},
    {"alloc", kSlm},
    {"alloca", kSlm},
    {"shared_memory", kSlm},
    {"to", kConverted},
    {"astype", kConverted},
    {"tl.load", kLoaded},
    {"tl.store", kStored},
};

} // namespace

std::string_view noteOnForeignName(std::string_view name) {
  const ForeignName *found = std::ranges::find(kNames, name, &ForeignName::name);
  if (found != std::end(kNames)) return found->note;
  size_t dot = name.find('.');
  if (dot == std::string_view::npos) return "";
  // `threadIdx.x` and `tl.cdiv`
  std::string_view note = noteOnForeignName(name.substr(dot + 1));
  return note.empty() ? noteOnForeignName(name.substr(0, dot)) : note;
}

} // namespace xt
