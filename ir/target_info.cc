#include "ir/target_info.h"

namespace xt {
namespace {

// DPAS: systolic depth 8, so K is 8 words of 32 bits; the repeat count is M; N is the subgroup (16 on Xe-HPC and Xe2, 8
// on Xe-HPG). Sources: Intel's cl_intel_subgroup_matrix_multiply_accumulate and its tf32 companion.
#define XT_REPEATS(a, b, r, n, k)                                                                                      \
  {Elem::a, Elem::b, Elem::r, 8, n, k}, {Elem::a, Elem::b, Elem::r, 4, n, k}, {Elem::a, Elem::b, Elem::r, 2, n, k}, {  \
    Elem::a, Elem::b, Elem::r, 1, n, k                                                                                 \
  }
#define XT_DPAS(n)                                                                                                     \
  XT_REPEATS(F16, F16, F32, n, 16), XT_REPEATS(F16, F16, F16, n, 16), XT_REPEATS(BF16, BF16, F32, n, 16),              \
      XT_REPEATS(BF16, BF16, BF16, n, 16), XT_REPEATS(I8, I8, I32, n, 32), XT_REPEATS(I8, U8, I32, n, 32),             \
      XT_REPEATS(U8, I8, I32, n, 32), XT_REPEATS(U8, U8, I32, n, 32)

constexpr MmaShape kDpas16[] = {XT_DPAS(16), XT_REPEATS(TF32, TF32, F32, 16, 8)};
constexpr MmaShape kDpas8[] = {XT_DPAS(8)};
#undef XT_DPAS
#undef XT_REPEATS

constexpr int64_t kSixteen[] = {16, 32}, kEight[] = {8, 16, 32}, kAnySize[] = {16, 8, 32};
constexpr int64_t kGrf[] = {128, 256}, kOneGrf[] = {128};

// The functions of cl_intel_subgroup_2d_block_io; elements of 64 bits have none.
constexpr BlockShape kXeBlocks[] = {
    {BlockUse::Load, 8, 32, 1, 32, 2},       {BlockUse::Load, 16, 16, 1, 32, 2},      {BlockUse::Load, 32, 16, 1, 32, 1},
    {BlockUse::Load, 32, 8, 2, 32, 2},       {BlockUse::LoadVnni, 8, 16, 32, 32, 2},  {BlockUse::LoadVnni, 16, 16, 16, 32, 2},
    {BlockUse::LoadTransposed, 32, 8, 16, 16, 1}, {BlockUse::Store, 16, 16, 1, 8, 1}, {BlockUse::Store, 32, 16, 1, 8, 1},
    {BlockUse::Prefetch, 8, 64, 1, 32, 1},   {BlockUse::Prefetch, 16, 32, 1, 32, 1},  {BlockUse::Prefetch, 32, 16, 1, 32, 1},
};

// Block rules: Xe2's from cl_intel_subgroup_2d_block_io; Xe-HPC's least width and pitch are believed to be 64 bytes.
constexpr TargetInfo kTargets[] = {
    {"xe-pvc", "Intel Data Center GPU Max (Xe-HPC)", kSixteen, kDpas16, {64, 64, 4, 64, 16, 4, 1 << 24}, kXeBlocks, 128 << 10, 32, 1024, kGrf, 64, true},
    {"xe-bmg", "Intel Arc B (Xe2)", kSixteen, kDpas16, {64, 32, 4, 32, 16, 4, 1 << 24}, kXeBlocks, 128 << 10, 32, 1024, kGrf, 64, true},
    {"xe-dg2", "Intel Arc A (Xe-HPG)", kEight, kDpas8, {}, {}, 64 << 10, 32, 1024, kGrf, 32, false},
    {"spirv", "any device that takes SPIR-V, no Intel extension", kAnySize, {}, {}, {}, 32 << 10, 0, 256, kOneGrf, 32, false},
};

} // namespace

const BlockShape *blockShape(const TargetInfo &target, BlockUse use, int bits) {
  const BlockShape *widest = nullptr;
  for (const BlockShape &shape : target.blockShapes)
    if (shape.use == use && shape.bits == bits && (!widest || shape.columns > widest->columns)) widest = &shape;
  return widest;
}

std::span<const TargetInfo> targetInfos() { return kTargets; }

const TargetInfo *findTargetInfo(std::string_view name) {
  for (const TargetInfo &info : kTargets)
    if (info.name == name) return &info;
  return nullptr;
}

} // namespace xt
