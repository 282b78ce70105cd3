#include "ir/gpu/matrix_units.h"

#include "ir/elem_kinds.h"

namespace xt {
namespace {

// A tile register has 16 rows of 64 bytes; `b` is in VNNI form, so that K is 16 words of 32 bits. Source: Intel 64 and IA-32
// Architectures Software Developer's Manual, TDPBSSD, TDPBF16PS and TILELOADD; the general query form of sycl_ext_oneapi_matrix
// lists the same combinations.
constexpr MmaShape kAmx[] = {{Elem::I8, Elem::I8, Elem::I32, 16, 16, 64},
                             {Elem::I8, Elem::U8, Elem::I32, 16, 16, 64},
                             {Elem::U8, Elem::I8, Elem::I32, 16, 16, 64},
                             {Elem::U8, Elem::U8, Elem::I32, 16, 16, 64},
                             {Elem::BF16, Elem::BF16, Elem::F32, 16, 16, 32}};
constexpr int kAmxTiles = 8;

} // namespace

std::vector<MatrixUnit> matrixUnits() {
  std::vector<MatrixUnit> units;
  for (const TargetInfo &target : targetInfos())
    units.push_back({target.name, target.summary, false, 0, mmaShapes(target), &target});
  units.push_back({"amx",
                   "Intel Advanced Matrix Extensions, which the target cpu uses where the processor has them",
                   true,
                   kAmxTiles,
                   {std::begin(kAmx), std::end(kAmx)},
                   nullptr});
  return units;
}

bool supportsSizes(const MatrixUnit &unit, const MmaShape &combination, const MmaShape &wanted) {
  auto fits = [&](int64_t has, int64_t wants) { return unit.continuous ? wants >= 1 && wants <= has : wants == has; };
  return fits(combination.m, wanted.m) && fits(combination.n, wanted.n) && fits(combination.k, wanted.k);
}

} // namespace xt
