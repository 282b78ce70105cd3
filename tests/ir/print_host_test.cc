#include "ir/elem_kinds.h"
#include "ir/equal.h"
#include "ir/module.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

HostExpr expr(HostExpr::Kind kind, std::string text = {}) {
  HostExpr e;
  e.kind = kind;
  e.text = std::move(text);
  return e;
}
HostExpr number(int64_t value) {
  HostExpr e = expr(HostExpr::Kind::Int);
  e.integer = value;
  return e;
}
HostExpr real(double value) {
  HostExpr e = expr(HostExpr::Kind::Float);
  e.number = value;
  return e;
}
HostExpr buffer(std::string name) { return expr(HostExpr::Kind::Buffer, std::move(name)); }
HostExpr size(std::string name) { return expr(HostExpr::Kind::Size, std::move(name)); }
HostExpr indexVar(std::string name, int64_t which) {
  HostExpr e = expr(HostExpr::Kind::Index, std::move(name));
  e.integer = which;
  return e;
}
HostExpr list(std::vector<HostExpr> items) {
  HostExpr e = expr(HostExpr::Kind::List);
  e.args = std::move(items);
  return e;
}
HostExpr call(HostFn fn, std::vector<HostExpr> args, std::vector<HostExpr::Named> named = {}) {
  HostExpr e = expr(HostExpr::Kind::Call);
  e.fn = fn;
  e.args = std::move(args);
  e.named = std::move(named);
  return e;
}
HostBufferType memref(std::vector<HostExpr> extents, Elem elem, MemoryLayout memory = {}) {
  return {std::move(extents), elem, std::move(memory), {}};
}

class PrintHost : public testing::Test {
protected:
  PrintHost() { module_.tests.emplace_back().name = "t"; }
  std::vector<HostStmt> &body() { return module_.tests[0].body; }
  HostStmt &add(HostStmt::Kind kind) {
    body().emplace_back().kind = kind;
    return body().back();
  }
  // Returns the printed line of the statement.
  std::string line() {
    std::string text = print(module_);
    size_t end = text.rfind("\n}");
    size_t begin = text.rfind('\n', end - 1) + 3;
    return text.substr(begin, end - begin);
  }
  std::string expression(HostExpr value) {
    HostStmt &stmt = add(HostStmt::Kind::Let);
    stmt.name = "x";
    stmt.value = std::move(value);
    return line().substr(5);
  }
  std::string init(HostExpr value, HostBufferType type) {
    HostStmt &stmt = add(HostStmt::Kind::Buffer);
    stmt.name = "A";
    stmt.value = std::move(value);
    stmt.type = std::move(type);
    return line();
  }

  Context context_;
  Module module_{context_};
};

TEST_F(PrintHost, SizesAndLaunch) {
  HostTest &test = module_.tests[0];
  test.name = "a \"quoted\" one";
  test.sizes = {{"M", 4096, 512}, {"N", 64, std::nullopt}};
  test.hasSmall = true;
  HostStmt &launch = add(HostStmt::Kind::Launch);
  launch.kernel = "gemm$BM=128";
  launch.args = {buffer("A"), number(7)};
  launch.grid = {number(2), call(HostFn::CeilDiv, {size("M"), number(256)})};
  add(HostStmt::Kind::Save).value = buffer("A");
  body().back().path = "a.npy";
  EXPECT_EQ(print(module_), R"(test "a \"quoted\" one" {M = 4096, N = 64} small {M = 512} {
  launch @gemm$BM=128(%A, 7) grid (2, ceildiv($M, 256))
  save %A "a.npy"
}
)");
}

TEST_F(PrintHost, Loops) {
  HostExpr counter = expr(HostExpr::Kind::Counter, "k");
  HostStmt launch;
  launch.kind = HostStmt::Kind::Launch;
  launch.kernel = "stage";
  launch.args = {buffer("A"), counter};
  HostStmt &loop = add(HostStmt::Kind::Loop);
  loop.name = "k";
  loop.bounds = {number(0), size("N"), number(1)};
  loop.body = {launch};
  HostStmt inner = loop;
  inner.name = "l";
  inner.bounds[2] = number(2);
  loop.body.push_back(inner);
  EXPECT_EQ(print(module_), R"(test "t" {
  for %k = 0 to $N {
    launch @stage(%A, %k)
    for %l = 0 to $N step 2 {
      launch @stage(%A, %k)
    }
  }
}
)");
}

TEST_F(PrintHost, Ranks) {
  add(HostStmt::Kind::Mesh).args = {number(2), call(HostFn::Ranks, {})};
  HostStmt &shard = add(HostStmt::Kind::Shard);
  shard.name = "A";
  shard.args = {number(1), number(-1)};
  HostStmt &reduce = add(HostStmt::Kind::Communicate);
  reduce.communication = Communication::AllReduce;
  reduce.started = true;
  reduce.name = "C";
  reduce.value = buffer("C");
  reduce.named = {{"kind", expr(HostExpr::Kind::Text, "max")}, {"axis", number(1)}};
  add(HostStmt::Kind::Wait).name = "C";
  HostStmt &gather = add(HostStmt::Kind::Communicate);
  gather.communication = Communication::AllGather;
  gather.name = "C";
  gather.value = buffer("A");
  EXPECT_EQ(print(module_), R"(test "t" {
  mesh (2, ranks())
  shard %A (1, none)
  start all_reduce %C (kind = max, axis = 1)
  wait %C
  all_gather %A -> %C
}
)");
}

TEST_F(PrintHost, Buffers) {
  EXPECT_EQ(init(call(HostFn::Random, {}, {{"seed", number(1)}}), memref({number(1000), number(777)}, Elem::F16)),
            "%A = random(seed = 1) : memref<1000x777xf16>");
  EXPECT_EQ(init(call(HostFn::Out, {}), memref({size("M"), number(32)}, Elem::F32)), "%A = out : memref<$M x 32 x f32>");
  EXPECT_EQ(init(call(HostFn::Iota, {}), memref({call(HostFn::Div, {size("M"), number(2)})}, Elem::I32)),
            "%A = iota : memref<[$M / 2] x i32>");
  EXPECT_EQ(init(call(HostFn::Random, {}), memref({number(4)}, Elem::F32)), "%A = random() : memref<4xf32>");
  EXPECT_EQ(init(call(HostFn::Load, {expr(HostExpr::Kind::Text, "a\\b.npy")}), memref({number(4)}, Elem::F32)),
            "%A = load \"a\\\\b.npy\" : memref<4xf32>");
  EXPECT_EQ(init(call(HostFn::Ints, {number(-4), number(4)}, {{"seed", number(1)}}),
                 memref({number(8), number(8)}, Elem::F32, {MemoryLayout::Kind::Strided, {16, 1}, {}})),
            "%A = ints(-4, 4, seed = 1) : memref<8x8xf32, strided<[16, 1]>>");
  HostStmt &stmt = add(HostStmt::Kind::Buffer);
  stmt.name = "A";
  stmt.type = memref({number(4), number(4)}, Elem::F32);
  stmt.indexVars = {indexVar("i", 0), indexVar("j", 1)};
  HostExpr sum =
      call(HostFn::Add, {call(HostFn::Mul, {indexVar("i", 0), number(31)}), call(HostFn::Mul, {indexVar("j", 1), number(17)})});
  stmt.value = call(HostFn::From, {call(HostFn::Sub, {call(HostFn::Mod, {sum, number(9)}), number(4)})});
  EXPECT_EQ(line(), "%A = from (i, j) => (i * 31 + j * 17) mod 9 - 4 : memref<4x4xf32>");
}

TEST_F(PrintHost, Expressions) {
  HostExpr a = buffer("a"), b = buffer("b");
  auto add2 = [](HostExpr x, HostExpr y) { return call(HostFn::Add, {std::move(x), std::move(y)}); };
  EXPECT_EQ(expression(add2(add2(a, b), a)), "%a + %b + %a");
  EXPECT_EQ(expression(add2(a, add2(b, a))), "%a + (%b + %a)");
  EXPECT_EQ(expression(call(HostFn::Neg, {add2(a, b)})), "-(%a + %b)");
  EXPECT_EQ(expression(call(HostFn::Neg, {number(1)})), "-(1)");
  EXPECT_EQ(expression(add2(a, number(-1))), "%a + (-1)");
  EXPECT_EQ(expression(real(-1e-5)), "-1e-05");
  HostExpr less = call(HostFn::Lt, {a, b});
  EXPECT_EQ(expression(call(HostFn::Eq, {less, b})), "(%a < %b) == %b");
  EXPECT_EQ(expression(call(HostFn::Not, {call(HostFn::And, {less, b})})), "not (%a < %b and %b)");
  EXPECT_EQ(expression(call(HostFn::And, {call(HostFn::Not, {less}), b})), "not %a < %b and %b");
  EXPECT_EQ(expression(call(HostFn::Or, {call(HostFn::And, {a, b}), a})), "%a and %b or %a");
  EXPECT_EQ(expression(call(HostFn::And, {call(HostFn::Or, {a, b}), a})), "(%a or %b) and %a");
  EXPECT_EQ(expression(call(HostFn::Max, {a}, {{"dim", number(0)}})), "max(%a, dim = 0)");
  EXPECT_EQ(expression(call(HostFn::Transpose, {a, list({number(0), number(2), number(1)})})), "transpose(%a, [0, 2, 1])");
  HostExpr f16 = expr(HostExpr::Kind::Elem);
  f16.elem = Elem::F16;
  EXPECT_EQ(expression(call(HostFn::Cast, {call(HostFn::Matmul, {a, b}), f16})), "cast(matmul(%a, %b), f16)");
  HostExpr slice = expr(HostExpr::Kind::Slice);
  slice.args = {a};
  slice.ranges = {{{number(0)}, {}, {}, true}, {{number(2)}, {number(4)}, {number(3)}}, {{}, {}, {}}};
  EXPECT_EQ(expression(slice), "%a[0, 2:4:3, :]");
  slice.args = {add2(a, b)};
  EXPECT_EQ(expression(slice), "(%a + %b)[0, 2:4:3, :]");
}

TEST_F(PrintHost, Checks) {
  HostStmt &check = add(HostStmt::Kind::Check);
  check.left = buffer("C");
  check.right = call(HostFn::Matmul, {buffer("A"), buffer("B")});
  EXPECT_EQ(line(), "check %C == matmul(%A, %B)");
  check.tolerance = HostStmt::Tolerance::Exactly;
  EXPECT_EQ(line(), "check %C == matmul(%A, %B) exactly");
  check.tolerance = HostStmt::Tolerance::Ulp;
  check.ulp = 2;
  EXPECT_EQ(line(), "check %C == matmul(%A, %B) within ulp = 2.0");
  check.tolerance = HostStmt::Tolerance::RelAbs;
  check.rtol = 1e-3;
  EXPECT_EQ(line(), "check %C == matmul(%A, %B) within rtol = 0.001, atol = 0.0");
  check.tolerance = HostStmt::Tolerance::Derived;
  check.left = call(HostFn::Lt, {buffer("C"), number(0)});
  EXPECT_EQ(line(), "check (%C < 0) == matmul(%A, %B)");
}

} // namespace
} // namespace xt
