// Tests reductions, broadcasts and other ops on whole vectors: every kind, every type, both dimensions.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "targets/cpu/emit.h"
#include "tests/targets/cpu/compare.h"

#include "ir/combine.h"

#include <array>
#include <cmath>
#include <limits>

namespace xt {
namespace {

constexpr const char *kReductions[] = {"add", "mul", "minsi",   "minui",   "maxsi",    "maxui",   "and",
                                       "or",  "xor", "minnumf", "maxnumf", "minimumf", "maximumf"};

// Fills an array with values whose sums or products are exact in any order and any type: mostly 0 or 1.
void fillForSums(Array &array, RandomNumbers &random, bool product) {
  array.forEach([&](const std::vector<int64_t> &index) {
    double value = product ? (random.chance(2) ? 2 : 1) : random.chance(4) ? 1 : 0;
    if (elemInfo(array.elem()).bits > 8 && random.chance(30)) value = -value;
    array.set(index, value);
  });
}

class CpuReductionOf : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(Columns, CpuReductionOf, testing::Values(70, 64)); // 70: one register per iteration; 64: several

TEST_P(CpuReductionOf, EveryKindAndType) {
  constexpr int64_t kRows = 12;
  const int64_t columns = GetParam();
  for (int e = 0; e < kElemCount; ++e) {
    auto elem = static_cast<Elem>(e);
    if (isStorageFloat(elem)) continue; // has no reductions
    SCOPED_TRACE(elemName(elem));
    RandomNumbers random(static_cast<uint64_t>(e));
    KernelMaker m;
    std::vector<std::unique_ptr<Array>> arrays;
    std::vector<LaunchArray> args;
    for (const char *kind : kReductions) {
      if (!combiningOp(kind, elem)) continue;
      auto add = [&](std::vector<int64_t> sizes) {
        arrays.push_back(std::make_unique<Array>(elem, sizes));
        args.push_back({arrays.back().get(), {}});
        return m.param(m.matrix(elem));
      };
      Value *in = add({kRows, columns});
      bool sum = std::string_view(kind) == "add", product = std::string_view(kind) == "mul";
      if (isFloat(elem) && (sum || product))
        fillForSums(*arrays.back(), random, product);
      else
        random.fill(*arrays.back());
      Value *x = m.load(m.tile(in, {m.index(0), m.index(0)}, {kRows, columns}));
      for (auto [d, size] : std::vector<std::pair<int, int64_t>>{
               {0, 0}, {1, 0}, {0, 3}, {1, columns % 7 == 0 ? 7 : 8}, {1, 1}, {0, 12}, {1, columns}}) {
        Value *result = m.reduce(kind, x, d, size);
        Type type = result->type();
        m.store(result,
                m.tile(add({type.extent(0), type.extent(1)}), {m.index(0), m.index(0)}, {type.extent(0), type.extent(1)}));
      }
    }
    expectAsInterpreter(m, args, {}, {random.pick(processors())});
  }
}

// A reduction starts from the identity of its kind, not from 0, also where the last register is only partly filled.
TEST(CpuReduction, StartsFromItsIdentity) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32)), *out = m.param(m.matrix(Elem::F32));
  Value *zero = m.index(0), *x = m.load(m.tile(in, {zero, zero}, {3, 5}));
  int64_t row = 0;
  for (const char *kind : {"maximumf", "minimumf", "mul", "add"})
    m.store(m.reduce(kind, x, 1), m.tile(out, {m.index(3 * row++), zero}, {3, 1}));
  Array a(Elem::F32, {3, 5}), c(Elem::F32, {12, 1});
  a.forEach([&](const std::vector<int64_t> &i) { a.set(i, i[0] == 0 ? -2.0 : i[0] == 1 ? 3.0 : -0.0); });
  expectAsInterpreter(m, {{&a, {}}, {&c, {}}}, {}, processors());
  Diagnostics diagnostics;
  auto executable = cpuTarget().compile(m.module, {}, diagnostics);
  ASSERT_TRUE((*executable)->launch(*m.kernel, {a.arg(), c.arg()}, {}).ok());
  const double expected[] = {-2, 3, -0.0, -2, 3, -0.0, -32, 243, -0.0, -10, 15, -0.0};
  for (int64_t i = 0; i < 12; ++i) {
    EXPECT_EQ(c.number({i, 0}), expected[i]) << i;
    EXPECT_EQ(std::signbit(c.number({i, 0})), std::signbit(expected[i])) << i;
  }
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

// A row of a matrix: all elements except one, that element, and the row's maximum and minimum.
struct FurthestRow {
  double most, other, largest, smallest;
};

// Reduces rows to their maxima and minima by two kinds of reductions.
void expectFurthest(const char *maximum, const char *minimum, const std::array<FurthestRow, 6> &rows, Elem given,
                    int64_t columns) {
  KernelMaker m;
  Value *in = m.param(m.matrix(given)), *out = m.param(m.matrix(Elem::F32));
  Value *zero = m.index(0), *x = m.load(m.tile(in, {zero, zero}, {6, columns}));
  if (given == Elem::F64) x = m.cast(OpKind::TruncF, x, Elem::F32);
  m.store(m.reduce(maximum, x, 1), m.tile(out, {zero, zero}, {6, 1}));
  m.store(m.reduce(minimum, x, 1), m.tile(out, {m.index(6), zero}, {6, 1}));
  Array a(given, {6, columns}), c(Elem::F32, {12, 1});
  for (int64_t at : {int64_t{0}, int64_t{5}, int64_t{17}, int64_t{31}, columns - 17, columns - 1}) {
    auto rowOf = [&](int64_t i) { return rows[static_cast<size_t>(i % 6)]; };
    a.forEach([&](const std::vector<int64_t> &i) { a.set(i, i[1] == at ? rowOf(i[0]).other : rowOf(i[0]).most); });
    expectAsInterpreter(m, {{&a, {}}, {&c, {}}}, {}, processors());
    Diagnostics diagnostics;
    auto executable = cpuTarget().compile(m.module, {}, diagnostics);
    ASSERT_TRUE((*executable)->launch(*m.kernel, {a.arg(), c.arg()}, {}).ok());
    for (int64_t i = 0; i < 12; ++i) {
      double expected = i < 6 ? rowOf(i).largest : rowOf(i).smallest, got = c.number({i, 0});
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(got)) << i << " at " << at;
      else
        EXPECT_TRUE(got == expected && std::signbit(got) == std::signbit(expected)) << i << " at " << at << ": " << got;
    }
  }
}

// f64 has a different number of lanes than f32; 32 and 64 columns are several registers per iteration.
constexpr std::pair<Elem, int64_t> kFurthestShapes[] = {
    {Elem::F32, 37}, {Elem::F64, 37}, {Elem::F32, 32}, {Elem::F32, 64}, {Elem::F64, 64}};

// Across the lanes of a register and across registers, +0 is larger than -0, and if an element is NaN, so is the result.
TEST(CpuReduction, FindsTheFurthestAmongZerosAndNans) {
  for (auto [given, columns] : kFurthestShapes)
    expectFurthest("maximumf", "minimumf",
                   {{{-0.0, 0.0, 0.0, -0.0},
                     {0.0, -0.0, 0.0, -0.0},
                     {-1.5, kNan, kNan, kNan},
                     {2.5, -kNan, kNan, kNan},
                     {-7, -kInf, -7, -kInf},
                     {-7, kInf, kInf, -7}}},
                   given, columns);
}

// The kinds that prefer a number to a NaN give NaN only if there is nothing else.
TEST(CpuReduction, FindsTheFurthestNumberBesideNans) {
  for (auto [given, columns] : kFurthestShapes)
    expectFurthest("maxnumf", "minnumf",
                   {{{-1.5, kNan, -1.5, -1.5},
                     {kNan, 2.5, 2.5, 2.5},
                     {-kNan, -kInf, -kInf, -kInf},
                     {kNan, kNan, kNan, kNan},
                     {-7, kInf, kInf, -7},
                     {kInf, -kNan, kInf, kInf}}},
                   given, columns);
}

// The bound is that of adding the terms one by one. Whatever the order, the error of a sum of many terms is far below it.
TEST(CpuReduction, LongSumsOfAnyNumbers) {
  for (Elem elem : {Elem::F64, Elem::F32, Elem::F16, Elem::BF16})
    for (int d : {0, 1}) {
      KernelMaker m;
      Value *in = m.param(m.matrix(elem)), *out = m.param(m.matrix(elem)), *zero = m.index(0);
      std::vector<int64_t> shape = d == 0 ? std::vector<int64_t>{333, 3} : std::vector<int64_t>{3, 333};
      std::vector<int64_t> sums = d == 0 ? std::vector<int64_t>{1, 3} : std::vector<int64_t>{3, 1};
      m.store(m.reduce("add", m.load(m.tile(in, {zero, zero}, shape)), d), m.tile(out, {zero, zero}, sums));
      Array a(elem, shape), c(elem, sums);
      RandomNumbers random(5);
      a.forEach([&](const std::vector<int64_t> &i) { a.set(i, static_cast<double>(random.between(1, 1000)) / 500); });
      Diagnostics diagnostics;
      auto executable = cpuTarget().compile(m.module, {}, diagnostics);
      ASSERT_TRUE((*executable)->launch(*m.kernel, {a.arg(), c.arg()}, {}).ok());
      for (int64_t k = 0; k < 3; ++k) {
        double sum = 0;
        for (int64_t i = 0; i < 333; ++i) sum += a.number(d == 0 ? std::vector<int64_t>{i, k} : std::vector<int64_t>{k, i});
        double got = c.number(d == 0 ? std::vector<int64_t>{0, k} : std::vector<int64_t>{k, 0});
        EXPECT_NEAR(got, sum, sum * 333 * std::ldexp(1.0, -elemInfo(elem).precision)) << elemName(elem);
      }
    }
}

// Builds one kernel with every op, for tiles of any size.
void everyOp(KernelMaker &m, int64_t rows, int64_t columns) {
  Value *in = m.param(m.matrix(Elem::F32)), *line = m.param(m.context.memref({kDynamic}, Elem::F32));
  Value *zero = m.index(0), *tile = m.tile(in, {zero, zero}, {rows, columns});
  Value *x = m.load(tile);
  x = m.binary(OpKind::SubF, x, m.broadcast(m.reduce("maximumf", x, 1), 1, columns));
  x = m.binary(OpKind::AddF, x, m.broadcast(m.reduce("add", x, 0), 0, rows));
  x = m.binary(OpKind::AddF, x, m.broadcast(m.reduce("add", x, 1, columns / 4), 1, columns, columns / 4));
  x = m.binary(OpKind::AddF, x, m.broadcast(m.reduce("mul", x, 0, rows / 4), 0, rows, rows / 4));
  x = m.binary(OpKind::MulF, x, m.transpose(m.loadTransposed(tile)));
  Type indices = m.context.vector({rows, columns}, Elem::Index);
  Value *offsets = m.binary(OpKind::AddI, m.iota(indices, 0), m.iota(indices, 1));
  Value *scatter = m.scatterTile(line, offsets), *mask = m.mask({m.index(3), m.index(5)}, {rows, columns});
  x = m.binary(OpKind::AddF, x, m.gather(scatter, mask));
  m.scatter(x, mask, scatter);
  x = m.atomic("addf", x, scatter);
  x = m.atomic("addf", x, tile);
  x = m.reshape(m.reshape(x, {rows * columns}), {rows, columns});
  x = m.insert(m.extract(x, {zero, zero}), x, {zero, m.index(1)});
  std::vector<Value *> done = m.loop(zero, m.index(3), m.index(1), {x, scatter}, [&](Value *, std::vector<Value *> in2) {
    Value *moved = m.b.value(OpKind::UpdateTileOffset, {in2[1], m.index(1)}, in2[1]->type());
    return std::vector<Value *>{m.gather(moved, mask), moved};
  });
  m.print("x", {done[0]});
  m.assertThat(m.compare("oeq", done[0], done[0]), "no NaN");
  m.store(done[0], tile);
}

TEST(CpuVectorOps, InstructionCountDoesNotDependOnTheTile) {
  for (const char *cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    std::vector<size_t> counts;
    for (auto [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{{20, 72}, {8, 264}, {136, 136}, {264, 1000}}) {
      KernelMaker m;
      everyOp(m, rows, columns);
      Diagnostics diagnostics;
      Result<size_t> count = instructionCount(m.module, {cpu}, diagnostics);
      ASSERT_TRUE(count.ok()) << count.error().message;
      counts.push_back(*count);
    }
    // A few instructions depend on whether the last chunk of a row is whole, and whether a block is a power of two.
    for (size_t count : counts) EXPECT_NEAR(static_cast<double>(count), static_cast<double>(counts[0]), 40) << cpu;
    EXPECT_LT(counts[0], 2400u) << cpu;
  }
}

TEST(CpuVectorOps, CodeGrowsLinearly) {
  auto count = [](int chains) {
    KernelMaker m;
    Value *in = m.param(m.matrix(Elem::F32)), *zero = m.index(0), *tile = m.tile(in, {zero, zero}, {32, 64});
    for (int i = 0; i < chains; ++i) {
      Value *x = m.load(tile);
      x = m.binary(OpKind::SubF, x, m.broadcast(m.reduce("maximumf", x, 1), 1, 64));
      x = m.binary(OpKind::AddF, m.transpose(m.transpose(x)), m.broadcast(m.reduce("add", x, 0), 0, 32));
      m.store(x, tile);
    }
    Diagnostics diagnostics;
    return static_cast<double>(*instructionCount(m.module, {"x86-64-v3"}, diagnostics));
  };
  double one = count(10) - count(5), more = count(80) - count(40);
  EXPECT_LT(more, 8.1 * one);
}

// A broadcast that a loop carries is computed where it is passed on. The loop may carry its operand too, which then changes.
TEST(CpuVectorOps, CarriedBroadcasts) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::I32)), *out = m.param(m.matrix(Elem::I32)), *zero = m.index(0);
  Value *column = m.load(m.tile(in, {zero, zero}, {6, 1})), *row = m.load(m.tile(in, {zero, zero}, {1, 20}));
  Value *start = m.broadcast(column, 1, 20);
  std::vector<Value *> done =
      m.loop(zero, m.index(3), m.index(1), {start, column, row, column}, [&](Value *, std::vector<Value *> v) {
        Value *wide = m.broadcast(v[1], 1, 20);
        Value *next = m.broadcast(m.reduce("add", v[0], 0), 0, 6);
        return std::vector<Value *>{wide, m.reduce("add", next, 1), m.reduce("maxsi", v[0], 0), v[1]};
      });
  int64_t at = 0;
  for (Value *value : done) {
    m.store(value, m.tile(out, {m.index(at), zero}, {value->type().extent(0), value->type().extent(1)}));
    at += value->type().extent(0);
  }
  Array a(Elem::I32, {6, 20}), c(Elem::I32, {19, 20});
  RandomNumbers(1).fill(a, true);
  expectAsInterpreter(m, {{&a, {}}, {&c, {}}}, {}, processors());
}

// Builds row reductions that a loop carries, and rows that are scaled by them, as in online softmax.
void makeRunningReductions(KernelMaker &m, Elem elem, int64_t rows, int64_t columns, bool stores) {
  bool real = isFloat(elem);
  Value *in = m.param(m.matrix(elem)), *out = m.param(m.matrix(elem)), *zero = m.index(0);
  Type column = m.context.vector({rows, 1}, elem);
  Value *start = real ? m.b.constantFloat(column, 1) : m.b.constantInt(column, 1);
  Value *tile = m.tile(in, {zero, zero}, {rows, columns});
  std::vector<Value *> done = m.loop(zero, m.index(3), m.index(1), {tile, start, start}, [&](Value *, std::vector<Value *> v) {
    Value *x = m.load(v[0]), *largest = m.reduce(real ? "maximumf" : "maxsi", x, 1);
    Value *most = m.binary(real ? OpKind::MaximumF : OpKind::MaxSI, v[1], largest);
    Value *apart = m.binary(real ? OpKind::SubF : OpKind::SubI, x, m.broadcast(most, 1, columns));
    Value *sum = m.binary(real ? OpKind::AddF : OpKind::AddI, v[2], m.reduce("add", apart, 1));
    return std::vector<Value *>{m.move(v[0], m.index(1), m.index(2)), sum, most}; // the carried values swap places
  });
  Value *wide =
      m.binary(real ? OpKind::AddF : OpKind::AddI, m.broadcast(done[1], 1, columns), m.broadcast(done[2], 1, columns));
  m.store(wide, m.tile(out, {zero, zero}, {rows, columns}));
  if (stores) m.store(done[1], m.tile(out, {zero, m.index(columns)}, {rows, 1})); // then columns are padded like rows
}

TEST(CpuVectorOps, RunningReductionsOfRows) {
  for (Elem elem : {Elem::F32, Elem::F64, Elem::F16, Elem::BF16, Elem::I32, Elem::I8, Elem::I64})
    for (int64_t rows : {2, 15, 16, 17, 40, 129})
      for (bool stores : {false, true}) {
        SCOPED_TRACE(str(elemName(elem), " ", rows, stores ? " stored" : ""));
        KernelMaker m;
        makeRunningReductions(m, elem, rows, 21, stores);
        Array a(elem, {rows, 23}, 1), c(elem, {rows, 22});
        RandomNumbers(static_cast<uint64_t>(rows)).fill(a, true);
        expectAsInterpreter(m, {{&a, {}}, {&c, {}}}, {}, rows == 17 ? processors() : std::vector{processors()[0]});
      }
}

// A column that is stored has another memory layout; sums that round must still be added in the same order.
TEST(CpuVectorOps, ASumDoesNotDependOnItsOtherUses) {
  Array a(Elem::F32, {40, 64});
  RandomNumbers random(3);
  a.forEach([&](const std::vector<int64_t> &index) { a.set(index, 1.0 / static_cast<double>(random.between(1, 1000))); });
  for (const CpuInfo &cpu : processors()) {
    std::vector<double> sums[2];
    for (bool stores : {false, true}) {
      KernelMaker m;
      Value *in = m.param(m.matrix(Elem::F32)), *out = m.param(m.matrix(Elem::F32)), *zero = m.index(0);
      Value *sum = m.reduce("add", m.load(m.tile(in, {zero, zero}, {40, 64})), 1);
      m.store(m.broadcast(sum, 1, 4), m.tile(out, {zero, zero}, {40, 4}));
      if (stores) m.store(sum, m.tile(out, {zero, m.index(4)}, {40, 1}));
      Array c(Elem::F32, {40, 5});
      Diagnostics diagnostics;
      auto executable = compileForCpu(m.module, cpu, {}, diagnostics);
      ASSERT_TRUE(executable.ok()) << executable.error().message;
      ASSERT_TRUE((*executable)->launch(*m.kernel, {a.arg(), c.arg()}, {}).ok());
      for (int64_t row = 0; row < 40; ++row) sums[stores].push_back(c.number({row, 0}));
    }
    EXPECT_EQ(sums[0], sums[1]) << cpu.name;
  }
}

TEST(CpuVectorOps, ZeroRoundsAndSingleElements) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32)), *out = m.param(m.matrix(Elem::F32)), *zero = m.index(0);
  Value *x = m.load(m.tile(in, {zero, zero}, {1, 1})), *mask = m.load(m.tile(in, {m.index(-1), zero}, {1, 256}), 4.5);
  Value *none = m.loop(zero, zero, m.index(1), {m.broadcast(x, 0, 64)}, [&](Value *, std::vector<Value *> v) {
    return std::vector<Value *>{m.broadcast(m.reduce("add", v[0], 0), 0, 64)};
  })[0];
  m.store(none, m.tile(out, {zero, zero}, {64, 1}));
  m.store(m.reduce("add", mask, 1), m.tile(out, {m.index(64), zero}, {1, 1}));
  m.store(m.transpose(m.reduce("minimumf", mask, 0)), m.tile(out, {m.index(65), m.index(-1)}, {256, 1}));
  m.store(m.transpose(m.reduce("minimumf", mask, 0)), m.tile(out, {m.index(65), zero}, {256, 1}));
  m.store(m.whileLoop(m.compare("slt", zero, zero), {x},
                      [&](std::vector<Value *> v) { return std::vector<Value *>{m.compare("slt", zero, zero), v[0]}; })[0],
          m.tile(out, {m.index(321), zero}, {1, 1}));
  Array a(Elem::F32, {1, 1}), c(Elem::F32, {322, 1});
  a.set({0, 0}, 7);
  expectAsInterpreter(m, {{&a, {}}, {&c, {}}}, {}, processors());
}

} // namespace
} // namespace xt
