// Tests kernels at lane scope: each lane is a fiber, which exchanges values with the others of its subgroup.
#include "ir/elem_kinds.h"
#include "targets/cpu/runtime/fibers.h"
#include "tests/targets/cpu/text_kernel.h"

#include <random>

namespace xt {
namespace {

TEST(LaneFibers, MeetTheirSubgroupOnly) {
  FiberGroup group(6, 3);
  for (int round = 0; round < 2; ++round) {
    std::string order;
    auto diverged = group.run([&](size_t i) {
      EXPECT_EQ(group.subgroup(), i / 3);
      EXPECT_EQ(group.lane(), i % 3);
      for (int64_t place = 0; place < (i < 3 ? 1 : 2); ++place) { // the lanes of the second subgroup synchronise once more
        order += std::to_string(i);
        group.meet(place);
      }
      group.wait(9); // waits for all fibers
      order += 'x';
      return true;
    });
    EXPECT_FALSE(diverged);
    EXPECT_EQ(order, "012345345xxxxxx");
  }
}

TEST(LaneFibers, ExchangesKeepWhatWasGiven) {
  constexpr size_t kLanes = 5, kRounds = 40;
  FiberGroup group(2 * kLanes, kLanes);
  auto diverged = group.run([&](size_t i) {
    std::mt19937_64 random(i);
    for (size_t round = 0; round < kRounds; ++round) {
      // Each round has a different size and a different program point.
      std::vector<unsigned char> own(round % 7 + 1, static_cast<unsigned char>(round * 16 + i));
      group.exchange(own.data(), own.size(), static_cast<int64_t>(round));
      size_t lane = random() % kLanes, from = i / kLanes * kLanes + lane;
      EXPECT_EQ(group.given(lane)[round % 7], static_cast<unsigned char>(round * 16 + from));
    }
    return true;
  });
  EXPECT_FALSE(diverged);
}

TEST(LaneFibers, DivergenceNamesBoth) {
  FiberGroup group(4, 2);
  auto elsewhere = group.run([&](size_t i) {
    if (i == 1)
      group.wait(5);
    else
      group.meet(i == 0 ? 4 : 6);
    return true;
  });
  ASSERT_TRUE(elsewhere);
  EXPECT_EQ(elsewhere->waiting, 0u);
  EXPECT_EQ(elsewhere->other, 1u);
  EXPECT_EQ(elsewhere->place, 4);
  EXPECT_EQ(elsewhere->otherPlace, 5);
  auto finished = group.run([&](size_t i) {
    if (i == 2) group.meet(1);
    return true;
  });
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->waiting, 2u);
  EXPECT_EQ(finished->other, 3u);
  EXPECT_FALSE(finished->otherPlace);
}

Array filled(Elem elem, std::vector<int64_t> sizes, int seed, int low, int high) {
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  Array array(elem, std::move(sizes));
  array.forEach([&](const std::vector<int64_t> &index) {
    array.set(index, static_cast<double>(static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1)) + low));
  });
  return array;
}

// Compares all four modes, with offsets and widths that differ from lane to lane, with the definition.
TEST(CpuLanes, ShufflesFollowTheirDefinition) {
  TextKernel kernel(R"(
kernel @k(%A: memref<16xi32>, %O: memref<16xi32>, %W: memref<16xi32>, %R: memref<4x16xi32>, %V: memref<4x16xi32>) lanes(16) {
  %l = lane_id()
  %a = memref.load %A[%l]
  %o = memref.load %O[%l]
  %w = memref.load %W[%l]
  %x, %vx = shuffle <xor> %a, %o, %w : i32
  %u, %vu = shuffle <up> %a, %o, %w : i32
  %d, %vd = shuffle <down> %a, %o, %w : i32
  %i, %vi = shuffle <idx> %a, %o, %w : i32
  %zero = constant 0 : i32
  memref.store %x, %R[0, %l]
  memref.store %u, %R[1, %l]
  memref.store %d, %R[2, %l]
  memref.store %i, %R[3, %l]
  %ix = select(%vx, 1, %zero)
  %iu = select(%vu, 1, %zero)
  %id = select(%vd, 1, %zero)
  %ii = select(%vi, 1, %zero)
  memref.store %ix, %V[0, %l]
  memref.store %iu, %V[1, %l]
  memref.store %id, %V[2, %l]
  memref.store %ii, %V[3, %l]
}
)");
  if (!kernel) return;
  for (int seed = 0; seed < 20; ++seed) {
    Array a = filled(Elem::I32, {16}, seed, -1000, 1000), o = filled(Elem::I32, {16}, seed + 100, -4, 20),
          w = filled(Elem::I32, {16}, seed + 200, -1, 18), r(Elem::I32, {4, 16}), v(Elem::I32, {4, 16});
    ASSERT_TRUE(kernel.launch({&a, &o, &w, &r, &v}).ok);
    for (int64_t kind = 0; kind < 4; ++kind)
      for (int64_t l = 0; l < 16; ++l) {
        auto offset = static_cast<int64_t>(o.number({l})), width = std::min<int64_t>(16, static_cast<int64_t>(w.number({l})));
        int64_t from[] = {l ^ offset, l - offset, l + offset, offset};
        bool valid = l < width && from[kind] >= 0 && from[kind] < width;
        EXPECT_EQ(v.number({kind, l}), valid ? 1.0 : 0.0) << kind << ' ' << l;
        EXPECT_EQ(r.number({kind, l}), a.number({valid ? from[kind] : l})) << kind << ' ' << l;
      }
  }
}

constexpr const char *kGemm = R"(
#a = #sg_map<wi_layout = [2, 8], wi_data = [1, 2]>
#b = #sg_map<wi_layout = [1, 16], wi_data = [2, 1]>
#c = #sg_map<wi_layout = [1, 16], wi_data = [1, 1]>
kernel @gemm(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) subgroups(2) lanes(16)
    grid (%i = 0 to dim(%C, 0) step 16, %j = 0 to dim(%C, 1) step 16) {
  %row = %i + subgroup_id() * 8
  %ta = create_nd_tdesc %A[%row, 0] : memref<?x?xbf16> -> tensor_desc<8x16xbf16, #a>
  %tb = create_nd_tdesc %B[0, %j] : memref<?x?xbf16> -> tensor_desc<16x16xbf16, #b>
  %acc = constant 0.0 : vector<8x1xf32>
  for %k = 0 to dim(%A, 1) step 16 {
    %a = load_nd %ta {vnni_axis = 1}
    %b = load_nd %tb {vnni_axis = 0}
    %acc = dpas %a, %b, %acc
    %ta = update_nd_offset %ta[0, 16]
    %tb = update_nd_offset %tb[16, 0]
  }
  %tc = create_nd_tdesc %C[%row, %j] : memref<?x?xf32> -> tensor_desc<8x16xf32, #c>
  store_nd %acc, %tc
}
)";

TEST(CpuLanes, ProductsOfRaggedSizes) {
  TextKernel kernel(kGemm);
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1}, {17, 16, 33}, {40, 35, 7}}) {
    Array a = filled(Elem::BF16, {m, k}, 1, -9, 9), b = filled(Elem::BF16, {k, n}, 2, -9, 9), c(Elem::F32, {m, n});
    for (int threads : {1, 3}) ASSERT_TRUE(kernel.launch({&a, &b, &c}, {}, threads).ok);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t x = 0; x < k; ++x) sum += a.number({i, x}) * b.number({x, j});
        ASSERT_EQ(c.number({i, j}), sum) << i << ' ' << j;
      }
  }
}

TEST(CpuLanes, AWholeWorkgroupOfLanes) {
  TextKernel kernel(R"(
kernel @k(%A: memref<?x1024xi32>, %C: memref<?x1024xi32>) subgroups(32) lanes(32) grid (%i = 0 to dim(%A, 0)) {
  %m = alloc_slm : memref<32xi32, slm>
  %s = subgroup_id()
  %l = lane_id()
  %a = memref.load %A[%i, %s * 32 + %l]
  %sum = subgroup_reduce <add> %a
  memref.store %sum, %m[%s]
  barrier
  %other = memref.load %m[%l]
  %all = subgroup_reduce <add> %other
  memref.store %all, %C[%i, %s * 32 + %l]
}
)");
  Array a = filled(Elem::I32, {3, 1024}, 5, -100, 100), c(Elem::I32, {3, 1024});
  ASSERT_TRUE(kernel.launch({&a, &c}, {}, 2).ok);
  for (int64_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < 1024; ++j) sum += a.number({i, j});
    for (int64_t j = 0; j < 1024; ++j) ASSERT_EQ(c.number({i, j}), sum);
  }
}

// Values in memory decide whether lanes reach a collective op. The launch must not hang, and the message must name the lanes
// that wait and the op at which they wait.
TEST(CpuLanes, DivergenceIsReportedAndNeverAHang) {
  TextKernel kernel(R"(
#c = #sg_map<wi_layout = [1, 4], wi_data = [1, 1]>
kernel @k(%F: memref<?x8xi32>, %C: memref<?x8xi32>) subgroups(2) lanes(4) grid (%i = 0 to dim(%F, 0)) {
  %n = subgroup_id() * 4 + lane_id()
  %f = memref.load %F[%i, %n]
  %t = create_nd_tdesc %F[%i, 0] : memref<?x8xi32> -> tensor_desc<1x4xi32, #c>
  if %f == 1 {
    %x = subgroup_reduce <add> %f // reduce
    memref.store %x, %C[%i, %n]
  }
  if %f == 2 {
    %v = load_nd %t // load
    store_nd %v, %t
  }
  if %f == 3 {
    barrier // barrier
  }
  memref.store %f, %C[%i, %n]
}
)");
  if (!kernel) return;
  struct Case {
    std::vector<int> flags;
    const char *line, *message;
  };
  for (const Case &c : std::vector<Case>{
           {{0, 0, 0, 0, 1, 1, 0, 1},
            "// reduce",
            "lane 0 of subgroup 1 waits at `subgroup_reduce`, lane 2 of subgroup 1 has finished"},
           {{1, 1, 2, 1, 0, 0, 0, 0},
            "// reduce",
            "lane 0 of subgroup 0 waits at `subgroup_reduce`, lane 2 of subgroup 0 waits at another one"},
           {{0, 2, 2, 2, 0, 0, 0, 0}, "// load", "lane 1 of subgroup 0 waits at `load_nd`, lane 0 of subgroup 0 has finished"},
           {{3, 3, 3, 3, 3, 3, 3, 0},
            "// barrier",
            "lane 0 of subgroup 0 waits at `barrier`, lane 3 of subgroup 1 has finished"}})
    for (int threads : {1, 2}) {
      Array flags(Elem::I32, {1, 8}), out(Elem::I32, {1, 8});
      for (int64_t k = 0; k < 8; ++k) flags.set({0, k}, c.flags[static_cast<size_t>(k)]);
      auto outcome = kernel.launch({&flags, &out}, {}, threads);
      ASSERT_FALSE(outcome.ok);
      EXPECT_EQ(outcome.error.kind, Error::Kind::Kernel);
      EXPECT_EQ(outcome.error.message, str("the lanes of workgroup (0) deadlock: ", c.message));
      EXPECT_NE(outcome.line.find(c.line), std::string::npos) << outcome.line;
      // The same executable still works.
      Array good(Elem::I32, {1, 8});
      for (int64_t k = 0; k < 8; ++k) good.set({0, k}, 3);
      EXPECT_TRUE(kernel.launch({&good, &out}, {}, threads).ok);
    }
}

TEST(CpuLanes, AFailedAssertEndsTheWorkgroup) {
  TextKernel kernel(R"(
kernel @k(%C: memref<4xi32>) lanes(4) {
  %l = lane_id()
  print "lane", %l
  assert (%l < 2), "small"
  subgroup_barrier
  print "behind", %l
}
)");
  Array c(Elem::I32, {4});
  auto outcome = kernel.launch({&c});
  ASSERT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.error.message, "assertion failed: small");
  EXPECT_EQ(outcome.printed, "lane: 0\nlane: 1\nlane: 2\n");
}

} // namespace
} // namespace xt
