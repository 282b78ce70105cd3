#include "ir/gpu/target_info.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"

#include <algorithm>

namespace xt {
namespace {

// DPAS has systolic depth 8, so K is 8 words of 32 bits; M is the repeat count; N is the subgroup size (16 on Xe-HPC and Xe2, 8
// on Xe-HPG). A lane holds one column of `b` and one of `c`. If N divides K, it holds K / N adjacent columns of `a`. Otherwise
// (K < N) a register holds N / K rows of `a`, one element per lane; if M is not a multiple of N / K, no layout describes `a`.
// Sources: Intel's cl_intel_subgroup_matrix_multiply_accumulate and its tf32 companion.
constexpr MmaInstruction dpas(Elem a, Elem b, Elem result, int64_t m, int64_t lanes, int64_t k) {
  bool byColumns = k % lanes == 0;
  int64_t each = byColumns ? k / lanes : 1, down = byColumns ? 1 : lanes / k;
  MmaOperandLayout ofA =
      byColumns ? MmaOperandLayout{{{m, Axis::Register, each}}, {{lanes, Axis::Lane, 1}, {each, Axis::Register, 1}}}
                : MmaOperandLayout{{{m / down, Axis::Register, 1}, {down, Axis::Lane, k}}, {{k, Axis::Lane, 1}}};
  MmaOperandLayout ofB{{{k, Axis::Register, 1}}, {{lanes, Axis::Lane, 1}}},
      ofC{{{m, Axis::Register, 1}}, {{lanes, Axis::Lane, 1}}};
  return {{a, b, result, m, lanes, k}, ofA, ofB, ofC};
}
#define XT_REPEATS(a, b, r, n, k)                                                                                              \
  dpas(Elem::a, Elem::b, Elem::r, 8, n, k), dpas(Elem::a, Elem::b, Elem::r, 4, n, k),                                          \
      dpas(Elem::a, Elem::b, Elem::r, 2, n, k), dpas(Elem::a, Elem::b, Elem::r, 1, n, k)
#define XT_BYTES(n)                                                                                                            \
  XT_REPEATS(I8, I8, I32, n, 32), XT_REPEATS(I8, U8, I32, n, 32), XT_REPEATS(U8, I8, I32, n, 32), XT_REPEATS(U8, U8, I32, n, 32)

constexpr MmaInstruction kDpas16[] = {XT_REPEATS(F16, F16, F32, 16, 16),
                                      XT_REPEATS(F16, F16, F16, 16, 16),
                                      XT_REPEATS(BF16, BF16, F32, 16, 16),
                                      XT_REPEATS(BF16, BF16, BF16, 16, 16),
                                      XT_BYTES(16),
                                      XT_REPEATS(TF32, TF32, F32, 16, 8)};
// The functions for subgroups of 8 have no 16-bit accumulators, and no tf32.
constexpr MmaInstruction kDpas8[] = {XT_REPEATS(F16, F16, F32, 8, 16), XT_REPEATS(BF16, BF16, F32, 8, 16), XT_BYTES(8)};
#undef XT_BYTES
#undef XT_REPEATS

// Matrices of SPV_KHR_cooperative_matrix have the sizes that a device lists. These are sizes of Xe-HPC and Xe2, which have the
// rows, columns and depth of their dpas; the limits of `spirv-coop` are those of GPUs that have such matrices. bf16 also needs
// SPV_KHR_bfloat16.
constexpr MmaInstruction kCooperative[] = {
    dpas(Elem::F16, Elem::F16, Elem::F32, 8, 16, 16),   dpas(Elem::F16, Elem::F16, Elem::F16, 8, 16, 16),
    dpas(Elem::BF16, Elem::BF16, Elem::F32, 8, 16, 16), dpas(Elem::I8, Elem::I8, Elem::I32, 8, 16, 32),
    dpas(Elem::I8, Elem::U8, Elem::I32, 8, 16, 32),     dpas(Elem::U8, Elem::I8, Elem::I32, 8, 16, 32),
    dpas(Elem::U8, Elem::U8, Elem::I32, 8, 16, 32)};

// The instruction mma.sync of a warp of 32 lanes, of which the 4 lanes of a quad share rows of `a` and `c` and a column of `b`
// (quad_fragments.h). A register of 32 bits has `each` elements of `a` and `b`, which are adjacent along K. Source: PTX ISA,
// "Warp-level matrix instructions: mma", the fragments and the table of shapes.
constexpr MmaInstruction mmaSync(Elem a, Elem b, Elem result, int64_t m, int64_t k, int64_t each) {
  int64_t halves = m / 8, alongK = k / (4 * each);
  MmaOperandLayout ofA{{{halves, Axis::Register, each}, {8, Axis::Lane, 4}},
                       {{alongK, Axis::Register, halves * each}, {4, Axis::Lane, 1}, {each, Axis::Register, 1}}},
      ofB{{{alongK, Axis::Register, each}, {4, Axis::Lane, 1}, {each, Axis::Register, 1}}, {{8, Axis::Lane, 4}}},
      ofC{{{halves, Axis::Register, 2}, {8, Axis::Lane, 4}}, {{4, Axis::Lane, 1}, {2, Axis::Register, 1}}};
  return {{a, b, result, m, 8, k}, ofA, ofB, ofC};
}
#define XT_HALVES(a, r) mmaSync(Elem::a, Elem::a, Elem::r, 16, 16, 2), mmaSync(Elem::a, Elem::a, Elem::r, 16, 8, 2)
#define XT_BYTES(a, b) mmaSync(Elem::a, Elem::b, Elem::I32, 16, 32, 4), mmaSync(Elem::a, Elem::b, Elem::I32, 16, 16, 4)
#define XT_MMA_80                                                                                                              \
  XT_HALVES(F16, F32), XT_HALVES(F16, F16), XT_HALVES(BF16, F32), XT_BYTES(I8, I8), XT_BYTES(I8, U8), XT_BYTES(U8, I8),        \
      XT_BYTES(U8, U8), mmaSync(Elem::TF32, Elem::TF32, Elem::F32, 16, 8, 1),                                                  \
      mmaSync(Elem::TF32, Elem::TF32, Elem::F32, 16, 4, 1)
#define XT_MMA_89                                                                                                              \
  XT_MMA_80, mmaSync(Elem::F8E4M3, Elem::F8E4M3, Elem::F32, 16, 32, 4),                                                        \
      mmaSync(Elem::F8E5M2, Elem::F8E5M2, Elem::F32, 16, 32, 4)
constexpr MmaInstruction kMma80[] = {XT_MMA_80, mmaSync(Elem::F64, Elem::F64, Elem::F64, 8, 4, 1)};
constexpr MmaInstruction kMma89[] = {XT_MMA_89, mmaSync(Elem::F64, Elem::F64, Elem::F64, 8, 4, 1)};
constexpr MmaInstruction kMma90[] = {
    XT_MMA_89, mmaSync(Elem::F64, Elem::F64, Elem::F64, 16, 16, 1), mmaSync(Elem::F64, Elem::F64, Elem::F64, 16, 8, 1),
    mmaSync(Elem::F64, Elem::F64, Elem::F64, 16, 4, 1), mmaSync(Elem::F64, Elem::F64, Elem::F64, 8, 4, 1)};
#undef XT_MMA_89
#undef XT_MMA_80
#undef XT_BYTES
#undef XT_HALVES

constexpr int64_t kSixteen[] = {16, 32}, kEight[] = {8, 16, 32}, kAnySize[] = {16, 8, 32}, kWarp[] = {32};
constexpr int64_t kGrf[] = {128, 256}, kOneGrf[] = {128}, kThreadRegisters[] = {255};
constexpr int64_t kCopyBytes[] = {16, 8, 4}; // cp.async (PTX ISA)

// The functions of Intel's cl_intel_subgroup_2d_block_io 1.1.0, according to its table of valid dimensions
// (registry.khronos.org/OpenCL/extensions/intel/cl_intel_subgroup_2d_block_io.html, section 5.2.X); MLIR's table
// (mlir/include/mlir/Dialect/XeGPU/uArch/IntelGpuXe2.h) cites the same source. There are no functions for elements of 64 bits.
// Four blocks of 16 bytes side by side, in each of which a lane has one byte, are meant for bytes that are widened afterwards.
constexpr BlockShape kXeBlocks[] = {
    {BlockUse::Load, 8, 32, 1, 32, 2},        {BlockUse::Load, 8, 16, 8, 32, 4, 4},
    {BlockUse::Load, 16, 16, 1, 32, 2},       {BlockUse::Load, 32, 16, 1, 32, 1},
    {BlockUse::Load, 32, 8, 1, 32, 2},        {BlockUse::LoadVnni, 8, 16, 32, 32, 4},
    {BlockUse::LoadVnni, 16, 16, 16, 32, 2},  {BlockUse::LoadTransposed, 32, 8, 16, 32, 1},
    {BlockUse::Store, 8, 32, 1, 8, 1},        {BlockUse::Store, 8, 16, 1, 8, 1},
    {BlockUse::Store, 16, 16, 1, 8, 1},       {BlockUse::Store, 32, 16, 1, 8, 1},
    {BlockUse::Prefetch, 8, 32, 1, 32, 2},    {BlockUse::Prefetch, 8, 16, 32, 32, 2},
    {BlockUse::Prefetch, 8, 16, 8, 32, 4, 4}, {BlockUse::Prefetch, 16, 16, 1, 32, 2},
    {BlockUse::Prefetch, 32, 16, 1, 32, 1},   {BlockUse::Prefetch, 32, 8, 1, 32, 2},
};
// Section 6.13.X.6, "Restrictions", of the same extension, for all devices that have it: Xe-HPC and Xe2. A pitch is at least
// the width, so its minimum is 64 too.
constexpr BlockRules kXeBlockRules{64, 64, 4, 64, 16, 4, 1 << 24};

// The word counts of the LSC's block ("transposed") messages: DataElemsPerAddr in IGC's
// documentation/visa/instructions/LSC_UNTYPED.md. The maximum number of bytes and the alignment: intel/llvm's
// sycl/include/sycl/ext/intel/esimd/memory.hpp, block_load_impl: 64 words of 32 or 64 bits on PVC (512 bytes), 64 or 32 on DG2
// (256).
constexpr int64_t kLscWords[] = {1, 2, 3, 4, 8, 16, 32, 64};
// The maximum number of lanes with one offset each is 32 on PVC and 16 on DG2 (LSC_UNTYPED.md, Exec_size). The numbers of
// consecutive elements per lane are those of the RFC for XeTile and XeGPU Dialect.
constexpr int64_t kLscChunks[] = {1, 2, 3, 4, 8};

// GPUs from NVIDIA. Shared memory is the most that a block may opt in to. A lane has up to 255 registers of 32 bits, so a register
// of the warp has 128 bytes. Of the 16 barriers of a block, number 0 is that of the whole workgroup. Source: CUDA C++ Programming
// Guide, "Technical specifications per compute capability".
constexpr TargetInfo nvidia(std::string_view name, std::string_view summary, std::span<const MmaInstruction> mma,
                            int64_t slmKib) {
  return {.name = name,
          .summary = summary,
          .subgroupSizes = kWarp,
          .mma = mma,
          .slmBytes = slmKib << 10,
          .namedBarriers = 15,
          .lanesPerWorkgroup = 1024,
          .registerFile = kThreadRegisters,
          .registerBytes = 128,
          .f64 = true,
          .family = GpuFamily::Nvidia,
          .asyncCopyBytes = kCopyBytes,
          .matrixLoads = true};
}

// Named barriers have ids 0 to 31, as in hardware (NBARRIER.md; only Xe-HPC and later). They are emulated with words in shared
// local memory (targets/llvm/lane/named_barriers.cc), which requires that a waiting subgroup does not block the others. Intel's
// GPUs guarantee this (CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS), other devices need not.
constexpr TargetInfo kTargets[] = {
    {"xe-pvc", "Intel Data Center GPU Max (Xe-HPC)", kSixteen, kDpas16, kXeBlockRules, kXeBlocks, kLscWords, 512, 32,
     kLscChunks, 128 << 10, 32, 1024, kGrf, 64, true},
    {"xe-bmg", "Intel Arc B (Xe2)", kSixteen, kDpas16, kXeBlockRules, kXeBlocks, kLscWords, 512, 32, kLscChunks, 128 << 10, 32,
     1024, kGrf, 64, true},
    {"xe-dg2",
     "Intel Arc A (Xe-HPG)",
     kEight,
     kDpas8,
     {},
     {},
     kLscWords,
     256,
     16,
     kLscChunks,
     64 << 10,
     32,
     1024,
     kGrf,
     32,
     false},
    {.name = "spirv",
     .summary = "any SPIR-V device, without Intel extensions",
     .subgroupSizes = kAnySize,
     .slmBytes = 32 << 10,
     .lanesPerWorkgroup = 256,
     .registerFile = kOneGrf,
     .registerBytes = 32,
     .anyDevice = true},
    {.name = "spirv-coop",
     .summary = "any SPIR-V device with SPV_KHR_cooperative_matrix",
     .subgroupSizes = kAnySize,
     .mma = kCooperative,
     .slmBytes = 64 << 10,
     .lanesPerWorkgroup = 1024,
     .registerFile = kOneGrf,
     .registerBytes = 32,
     .anyDevice = true,
     .cooperativeMatrices = true},
    nvidia("nv", "any NVIDIA GPU from Ampere on (compute capability 8.0)", kMma80, 99),
    nvidia("nv-sm80", "NVIDIA A100 (Ampere, compute capability 8.0)", kMma80, 163),
    nvidia("nv-sm89", "NVIDIA L4, RTX 40 (Ada, compute capability 8.9)", kMma89, 99),
    nvidia("nv-sm90", "NVIDIA H100, H200 (Hopper, compute capability 9.0), by mma.sync", kMma90, 227),
};

} // namespace

const MmaInstruction *findProduct(const TargetInfo &target, const MmaShape &wanted) {
  for (const MmaInstruction &product : target.mma)
    if (product.takesValues() && product == wanted) return &product;
  return nullptr;
}

bool hasProducts(const TargetInfo &target, std::span<const MmaInstruction> products) {
  return std::ranges::all_of(products, [&](const MmaInstruction &product) { return findProduct(target, product); });
}

std::vector<MmaShape> mmaShapes(const TargetInfo &target) { return {target.mma.begin(), target.mma.end()}; }

int64_t matrixScratchBytes(const TargetInfo &target) {
  int64_t most = 0;
  if (!target.cooperativeMatrices) return most;
  auto bytes = [](Elem elem, int64_t count) { return elemInfo(elem).storageBytes * count; };
  for (const MmaInstruction &row : target.mma)
    most = std::max({most, bytes(row.a, row.m * row.k), bytes(row.b, row.k * row.n), bytes(row.result, row.m * row.n)});
  return most;
}

const BlockShape *blockShape(const TargetInfo &target, BlockUse use, int bits) {
  const BlockShape *widest = nullptr;
  for (const BlockShape &shape : target.blockShapes)
    if (shape.use == use && shape.bits == bits && shape.fewestBlocks == 1 && (!widest || shape.columns > widest->columns))
      widest = &shape;
  return widest;
}

std::string_view blockUseName(BlockUse use) {
  switch (use) {
  case BlockUse::Load: return "load";
  case BlockUse::LoadVnni: return "load in VNNI form";
  case BlockUse::LoadTransposed: return "load transposed";
  case BlockUse::Store: return "store";
  case BlockUse::Prefetch: return "prefetch";
  }
  XT_UNREACHABLE("block use");
}

std::string text(const BlockShape &shape) {
  std::string rows = shape.fewestRows == shape.mostRows ? str(shape.mostRows) : str(shape.fewestRows, " to ", shape.mostRows);
  return str(blockUseName(shape.use), ", ", shape.bits, "-bit elements: ", rows, " rows of ", shape.columns,
             shape.fewestBlocks > 1 ? str(", ", shape.blocks, " side by side")
             : shape.blocks > 1     ? str(", up to ", shape.blocks, " side by side")
                                    : "");
}

std::vector<std::string> blockRuleLines(const BlockRules &rules) {
  return {
      str("base aligned to ", rules.baseAlignment, " bytes, width at least ", rules.minimalWidth, " and a multiple of ",
          rules.widthMultiple, ", pitch at least the width, ", rules.minimalPitch, " and a multiple of ", rules.pitchMultiple,
          ","),
      str("first column a multiple of ", rules.columnMultiple, " bytes, width, pitch and height up to ", rules.maximalExtent)};
}

std::string lineMessageText(const TargetInfo &target) {
  if (target.lineWords.empty()) return "none";
  return str(join(target.lineWords.first(target.lineWords.size() - 1), ", "), " or ", target.lineWords.back(),
             " words of 32 or 64 bits, up to ", target.lineBytes, " bytes, aligned to the word");
}

std::string scatterMessageText(const TargetInfo &target) {
  if (target.scatterLanes == 0) return "any";
  std::span<const int64_t> chunks = target.scatterChunks;
  return str("up to ", target.scatterLanes, ", a power of two, each with ", join(chunks.first(chunks.size() - 1), ", "), " or ",
             chunks.back(), " contiguous elements");
}

std::string typesText(const MmaShape &shape) {
  return str(elemName(shape.a), " x ", elemName(shape.b), " -> ", elemName(shape.result));
}
std::string sizesText(const MmaShape &shape) { return str(shape.m, "x", shape.n, "x", shape.k); }

std::string mmaTable(std::span<const MmaShape> shapes) {
  std::string text;
  for (size_t i = 0; i < shapes.size(); ++i) {
    bool first = i == 0 || typesText(shapes[i]) != typesText(shapes[i - 1]);
    text += first ? str(i ? "\n" : "", "  ", typesText(shapes[i]), ":  ", sizesText(shapes[i])) : ", " + sizesText(shapes[i]);
  }
  return text.empty() ? "  none\n" : text + "\n";
}

std::span<const TargetInfo> targetInfos() { return kTargets; }

std::span<const TargetInfo> targetInfos(GpuFamily family) {
  auto isOfFamily = [&](const TargetInfo &target) { return target.family == family; };
  const auto *begin = std::ranges::find_if(kTargets, isOfFamily);
  return {begin, std::find_if_not(begin, std::end(kTargets), isOfFamily)};
}

const TargetInfo *findTargetInfo(std::string_view name) {
  for (const TargetInfo &info : kTargets)
    if (info.name == name) return &info;
  return nullptr;
}

} // namespace xt
