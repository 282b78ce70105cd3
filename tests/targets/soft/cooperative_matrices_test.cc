// Cooperative matrices of the software device: products, memory in both orders, and what kernels do wrong.
#include "tests/targets/soft/soft_kernel.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/soft/products.h"

#include <cmath>

namespace xt::soft::test {
namespace {

struct Types {
  Elem a, b, sum;
  int64_t depth;
};
constexpr Types kTypes[] = {{Elem::F16, Elem::F16, Elem::F32, 16},   {Elem::F16, Elem::F16, Elem::F16, 16},
                            {Elem::BF16, Elem::BF16, Elem::F32, 16}, {Elem::I8, Elem::I8, Elem::I32, 32},
                            {Elem::U8, Elem::I8, Elem::I32, 32},     {Elem::I8, Elem::U8, Elem::I32, 32},
                            {Elem::U8, Elem::U8, Elem::I32, 32}};
constexpr int64_t kRows = 8, kColumns = 16, kSubgroupLanes = 16;

std::string llvmType(Elem elem) {
  switch (elem) {
  case Elem::F16: return "half";
  case Elem::BF16: return "bfloat";
  case Elem::F32: return "float";
  case Elem::I32: return "i32";
  default: return "i8";
  }
}

std::string matrix(Elem elem, int64_t rows, int64_t columns, int use) {
  return str("target(\"spirv.CooperativeMatrixKHR\", ", llvmType(elem), ", 3, ", rows, ", ", columns, ", ", use, ")");
}

constexpr const char *kMatrixLoad = "@_Z32__spirv_CooperativeMatrixLoadKHR_",
                     *kMatrixStore = "@_Z33__spirv_CooperativeMatrixStoreKHR_",
                     *kMatrixProduct = "@_Z34__spirv_CooperativeMatrixMulAddKHR_",
                     *kMatrixFill = "@_Z26__spirv_CompositeConstruct_";

// A module of one kernel with these parameters, for subgroups of `lanes` lanes, and the declarations that it needs.
std::string module(const std::string &parameters, const std::string &body, const std::string &declarations,
                   int64_t lanes = kSubgroupLanes) {
  return str("target triple = \"spirv64-unknown-unknown\"\ndefine spir_kernel void @k(", parameters,
             ") !intel_reqd_sub_group_size !0 {\n", body, "  ret void\n}\n", declarations, "!0 = !{i32 ", lanes, "}\n");
}

// d = a * b + c. `byColumns`: a is column-major.
std::string productModule(const Types &t, bool byColumns) {
  std::string a = matrix(t.a, kRows, t.depth, 0), b = matrix(t.b, t.depth, kColumns, 1), c = matrix(t.sum, kRows, kColumns, 2),
              global = "ptr addrspace(1)";
  int signs = (t.a == Elem::I8 ? 1 : 0) | (t.b == Elem::I8 ? 2 : 0);
  std::string body =
      str("  %ma = call spir_func ", a, " ", kMatrixLoad, "a(", global, " %a, i32 ", byColumns ? 1 : 0, ", i64 %pitch)\n",
          "  %mb = call spir_func ", b, " ", kMatrixLoad, "b(", global, " %b, i32 0, i64 ", kColumns, ")\n",
          "  %mc = call spir_func ", c, " ", kMatrixLoad, "c(", global, " %c, i32 0, i64 ", kColumns, ")\n",
          "  %md = call spir_func ", c, " ", kMatrixProduct, "p(", a, " %ma, ", b, " %mb, ", c, " %mc, i32 ", signs, ")\n",
          "  call spir_func void ", kMatrixStore, "d(", global, " %d, ", c, " %md, i32 0, i64 ", kColumns, ")\n");
  std::string declarations = str("declare spir_func ", a, " ", kMatrixLoad, "a(", global, ", i32, i64)\ndeclare spir_func ", b,
                                 " ", kMatrixLoad, "b(", global, ", i32, i64)\ndeclare spir_func ", c, " ", kMatrixLoad, "c(",
                                 global, ", i32, i64)\ndeclare spir_func ", c, " ", kMatrixProduct, "p(", a, ", ", b, ", ", c,
                                 ", i32)\ndeclare spir_func void ", kMatrixStore, "d(", global, ", ", c, ", i32, i64)\n");
  return module(str(global, " %a, ", global, " %b, ", global, " %c, ", global, " %d, i64 %pitch"), body, declarations);
}

template <class T> T as(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

double read(Elem elem, const uint8_t *from) {
  switch (elem) {
  case Elem::F16: return fromHalf(as<uint16_t>(from));
  case Elem::BF16: return fromBfloat(as<uint16_t>(from));
  case Elem::F32: return as<float>(from);
  case Elem::I32: return as<int32_t>(from);
  case Elem::I8: return as<int8_t>(from);
  default: return *from;
  }
}

// Small multiples of 1/4, so that all sums are exact.
std::vector<uint8_t> values(Elem elem, int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes;
  auto put = [&](auto value) {
    const auto *first = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
  };
  for (int64_t i = 0; i < count; ++i) {
    int number = static_cast<int>(random() % 17) - 8;
    switch (elem) {
    case Elem::F16: put(toHalf(static_cast<float>(number) / 4)); break;
    case Elem::BF16: put(toBfloat(static_cast<float>(number) / 4)); break;
    case Elem::F32: put(static_cast<float>(number) / 4); break;
    case Elem::I32: put(number); break;
    default: put(static_cast<uint8_t>(random())); break;
    }
  }
  return bytes;
}

class SoftMatrices : public testing::TestWithParam<Types> {};

TEST_P(SoftMatrices, MultiplyAsLoopsDo) {
  XT_NEEDS_COMPILER();
  const Types t = GetParam();
  for (bool byColumns : {false, true}) {
    SoftKernels kernels(spirvOfLlvm(productModule(t, byColumns)));
    ASSERT_TRUE(kernels) << kernels.error;
    DeviceArray<uint8_t> a(values(t.a, kRows * t.depth, 1)), b(values(t.b, t.depth * kColumns, 2)),
        c(values(t.sum, kRows * kColumns, 3)), d(c.size());
    int64_t pitch = byColumns ? kRows : t.depth;
    // Columns of 8 bytes need 8 bytes of alignment only.
    ASSERT_EQ(kernels.run("k", {kSubgroupLanes, 1, 1}, {1, 1, 1}, a, b, c, d, pitch), "");
    auto at = [](Elem elem, const DeviceArray<uint8_t> &array, int64_t index) {
      return read(elem, array.data() + index * elemInfo(elem).storageBytes);
    };
    for (int64_t m = 0; m < kRows; ++m)
      for (int64_t n = 0; n < kColumns; ++n) {
        double sum = at(t.sum, c, m * kColumns + n);
        for (int64_t k = 0; k < t.depth; ++k)
          sum += at(t.a, a, byColumns ? k * kRows + m : m * t.depth + k) * at(t.b, b, k * kColumns + n);
        EXPECT_EQ(at(t.sum, d, m * kColumns + n), sum) << "row " << m << " column " << n;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SoftMatrices, testing::ValuesIn(kTypes), [](const auto &types) {
  return str(elemName(types.param.a), elemName(types.param.b), elemName(types.param.sum));
});

// A kernel that fills a matrix and stores it, in parts of shared local memory and to global memory.
std::string storing(const std::string &pitch, const std::string &address) {
  std::string c = matrix(Elem::F32, kRows, kColumns, 2);
  return module("ptr addrspace(1) %d, i64 %pitch",
                str("  %lane32 = call spir_func i32 @_Z22get_sub_group_local_idv()\n  %lane = zext i32 %lane32 to i64\n",
                    address, "  %m = call spir_func ", c, " ", kMatrixFill, "c(float 1.5)\n", "  call spir_func void ",
                    kMatrixStore, "d(ptr addrspace(1) %to, ", c, " %m, i32 0, i64 ", pitch, ")\n"),
                str("declare spir_func i32 @_Z22get_sub_group_local_idv()\ndeclare spir_func ", c, " ", kMatrixFill,
                    "c(float)\ndeclare spir_func void ", kMatrixStore, "d(ptr addrspace(1), ", c, ", i32, i64)\n"));
}

constexpr const char *kSameAddress = "  %to = getelementptr i8, ptr addrspace(1) %d, i64 0\n";

TEST(SoftMatrixMemory, AFillIsStoredRowByRow) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(spirvOfLlvm(storing("%pitch", kSameAddress)));
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<float> d(kRows * 20, 0.0f);
  ASSERT_EQ(kernels.run("k", {kSubgroupLanes, 1, 1}, {1, 1, 1}, d, int64_t{20}), "");
  for (size_t i = 0; i < d.size(); ++i) EXPECT_EQ(d[i], i % 20 < 16 ? 1.5f : 0.0f) << i;
}

TEST(SoftMatrixMemory, ReportsWhatIsWrong) {
  XT_NEEDS_COMPILER();
  auto report = [](const std::string &text, int64_t pitch, size_t elements) {
    SoftKernels kernels(spirvOfLlvm(text));
    EXPECT_TRUE(kernels) << kernels.error;
    DeviceArray<float> d(elements, 0.0f);
    return kernels ? kernels.run("k", {kSubgroupLanes, 1, 1}, {1, 1, 1}, d, pitch) : "";
  };
  std::string plain = storing("%pitch", kSameAddress);
  EXPECT_NE(report(plain, 16, kRows * 16 - 1).find("are not in one allocation"), std::string::npos);
  EXPECT_NE(report(plain, 17, kRows * 17).find("is not aligned to 16 bytes"), std::string::npos);
  EXPECT_NE(report(storing("%lane", kSameAddress), 16, kRows * 16).find("the stride"), std::string::npos);
  EXPECT_NE(report(storing("%pitch", "  %to = getelementptr i64, ptr addrspace(1) %d, i64 %lane\n"), 16, kRows * 32)
                .find("the address"),
            std::string::npos);
}

// Other kernels of a module may have subgroups of another size; a subgroup without some of its lanes has no matrices.
TEST(SoftMatrixMemory, BelongsToSubgroupsOfOneSize) {
  XT_NEEDS_COMPILER();
  std::string text = storing("%pitch", kSameAddress);
  text.insert(text.find("define"), "define spir_kernel void @before() !intel_reqd_sub_group_size !1 {\n  ret void\n}\n"
                                   "define spir_kernel void @other() !intel_reqd_sub_group_size !1 {\n  ret void\n}\n");
  SoftKernels kernels(spirvOfLlvm(text + "!1 = !{i32 32}\n"));
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<float> d(kRows * 16, 0.0f);
  EXPECT_EQ(kernels.run("k", {kSubgroupLanes, 1, 1}, {1, 1, 1}, d, int64_t{16}), "");
  EXPECT_EQ(d[d.size() - 1], 1.5f);
  EXPECT_NE(kernels.run("k", {kSubgroupLanes / 2, 1, 1}, {1, 1, 1}, d, int64_t{16}).find("but this one has 8"),
            std::string::npos);
}

// What the device does not have is an error of the build.
TEST(SoftMatrixModules, AreRefusedIfTheDeviceLacksThem) {
  XT_NEEDS_COMPILER();
  auto error = [](const std::string &text, const std::string &device) {
    SoftKernels kernels(spirvOfLlvm(text), device);
    EXPECT_FALSE(kernels);
    return kernels.error;
  };
  EXPECT_NE(error(productModule(kTypes[0], false), "dg2").find("xtMatrixProduct_f16_f16_f32_8x16x16"), std::string::npos);
  std::string text = storing("%pitch", kSameAddress);
  std::string withoutSize = text;
  withoutSize.replace(withoutSize.find(" !intel_reqd_sub_group_size !0"), std::string(" !intel_reqd_sub_group_size !0").size(),
                      "");
  EXPECT_NE(error(withoutSize, "pvc").find("must state a subgroup size"), std::string::npos);
  std::string odd = text;
  for (size_t at; (at = odd.find("3, 8, 16, 2")) != std::string::npos;) odd.replace(at, 11, "3, 8, 24, 2");
  EXPECT_NE(error(odd, "pvc").find("no cooperative matrices of 8x24 elements of 32 bits"), std::string::npos);
}

} // namespace
} // namespace xt::soft::test
