#include "lang/server/words.h"

#include <algorithm>
#include <span>

namespace xt::lsp {
namespace {

constexpr Word kFunctions[] = {
    {"cast", "cast(%x, f16)", "converts each element to another type; floats are rounded to nearest, to integers towards zero"},
    {"same_shape", "same_shape(%A, %B)", "whether memrefs of one rank have the same extents"},
    {"min", "min(%a, %b)", "the smaller operand of each pair; NaN if one is NaN"},
    {"max", "max(%a, %b)", "the greater operand of each pair; NaN if one is NaN"},
    {"abs", "abs(%x)", "the absolute value of each element"},
    {"ceildiv", "ceildiv(%n, 8)", "the quotient of integers, rounded up"},
};

constexpr Word kKeywords[] = {
    {"import", "import \"std/gemm\"", "what that file declares joins the names of this file"},
    {"param", "param $BM : index = 64 in [32, 64, 128]", "a compile-time constant; `in` lists the values that a tuner may try"},
    {"kernel", "kernel @k(%A: memref<?x?xf32>) grid (%i = 0 to dim(%A, 0) step 8) { … }", "what a launch runs"},
    {"func", "func @f(%x: vector<?x?xf32>) -> vector<?x?xf32> { … }", "a function, which is inlined where it is called"},
    {"test", "test \"name\" {N = 4096} small {N = 64} { … }",
     "what `xtrun` executes: it makes buffers, launches kernels and checks results"},
    {"small", "test \"name\" {N = 4096} small {N = 64} { … }", "the sizes of a short run of the test"},
    {"grid", "grid (%i = 0 to dim(%A, 0) step 8)",
     "the workgroups: the body runs once for each combination of values, at the same time or in any order"},
    {"requires", "requires (dim(%B, 0) == dim(%A, 1))",
     "conditions that a launch must satisfy; a launch that does not runs nothing"},
    {"subgroups", "subgroups(4)", "the number of subgroups in a workgroup"},
    {"lanes", "lanes(16)", "the number of lanes in a subgroup, for a kernel whose body each lane runs"},
    {"form", "form subgroup_tiles", "promises about the kernel, which are verified"},
    {"for", "for %i = 0 to %n step 8 { … }", "runs the block for each value from the first, below the bound"},
    {"step", "%i = 0 to %n step 8", "the distance of the values of a range; 1 if it is left out"},
    {"iter_args", "for %i = 0 to %n iter_args(%a = %x) -> (vector<8x16xf32>) { … }",
     "names that carry a value from step to step, as MLIR writes them"},
    {"while", "while %a != 1 { … }", "runs the block as long as the condition holds; it is evaluated before each step"},
    {"if", "if %a > 0 { … } else { … }", "runs one of two blocks; the condition is a scalar i1"},
    {"else", "if %a > 0 { … } else { … }", "begins what runs if the condition does not hold"},
    {"return", "return %y",
     "in a function, gives its results; in a kernel, ends it or the branch of an `if` that is in no loop"},
    {"mod", "%a mod %b", "the remainder of a division"},
    {"and", "%a < %b and %b < %c", "whether both sides hold"},
    {"or", "%a < %b or %b < %c", "whether one of the sides holds"},
    {"not", "not (%a < %b)", "whether the operand does not hold"},
    {"launch", "launch @k(%A, %C) {BM = 32}", "runs a kernel, with other values for parameters of the file if some are given"},
    {"check", "check %C == matmul(%A, %B)", "compares a buffer with an expected value; the tolerance is derived"},
    {"exactly", "check %C == %A exactly", "the sides must be equal, without a tolerance"},
    {"within", "check %C == %A within ulp = 2", "the tolerance of a check"},
    {"save", "save %C \"c.npy\"", "writes a buffer to a file"},
    {"tile", "tile<8x16xf32, #l>", "a part of a memref, which ops load and store; the layout says which subgroup has what"},
    {"vector", "vector<8x16xf32, #l>", "a value with elements; the layout says which subgroup has what"},
    {"memref", "memref<?x?xf32>", "an array in memory; `?` is an extent that is known at run time"},
    {"joint_matrix", "joint_matrix<8x16xi32, accumulator>", "an operand of a matrix product that a subgroup holds"},
    {"tensor_desc", "tensor_desc<8x16xf32>", "a part of a memref, of the dialect xegpu"},
};

constexpr Word kMappingKeys[] = {
    {"sg_layout", "sg_layout = [8, 4]", "how many subgroups there are along each dimension"},
    {"sg_data", "sg_data = [32, 32]",
     "the extents of the block that each subgroup has; blocks repeat until the shape is covered"},
    {"wi_layout", "wi_layout = [1, 16]", "how many lanes there are along each dimension"},
    {"wi_data", "wi_data = [1, 1]", "the extents of the piece that each lane has; pieces repeat until the block is covered"},
};

const Word *find(std::span<const Word> words, std::string_view name) {
  auto found = std::ranges::find(words, name, &Word::name);
  return found == words.end() ? nullptr : &*found;
}

} // namespace

const Word *findFunctionWord(std::string_view name) { return find(kFunctions, name); }
const Word *findKeyword(std::string_view name) { return find(kKeywords, name); }
const Word *findMappingKey(std::string_view name) { return find(kMappingKeys, name); }

} // namespace xt::lsp
