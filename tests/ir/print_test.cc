#include "ir/elem_kinds.h"
#include "ir/equal.h"
#include "ir/op_kinds.h"
#include "tests/ir/gemm_module.h"

#include <gtest/gtest.h>

#include <limits>

namespace xt {
namespace {

constexpr std::string_view kGemm =
    R"(#mp_a = #wg_map<sg_layout = [8, 4], sg_data = [32, 32]>
#mp_b = #wg_map<sg_layout = [8, 4], sg_data = [32, 64]>

kernel @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) grid (%i = 0 to dim(%C, 0) step 256, %j = 0 to dim(%C, 1) step 256) form layouts_known {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %ta = xetile.init_tile %A[%i, %c0] : memref<?x?xf16> -> tile<256x32xf16, #mp_a>
  %tb = xetile.init_tile %B[%c0, %j] : memref<?x?xf16> -> tile<32x256xf16, #mp_b>
  %acc = arith.constant 0.0 : vector<256x256xf32, #mp_b>
  %0 = arith.constant 1 : index
  %1 = memref.dim %A, %0 : memref<?x?xf16>
  %acc_1, %ta_1, %tb_1 = scf.for %k = %c0 to %1 step %c32 iter_args(%acc_2 = %acc, %ta_2 = %ta, %tb_2 = %tb) -> (vector<256x256xf32, #mp_b>, tile<256x32xf16, #mp_a>, tile<32x256xf16, #mp_b>) {
    %a = xetile.load_tile %ta_2 : tile<256x32xf16, #mp_a> -> vector<256x32xf16, #mp_a>
    %b = xetile.load_tile %tb_2 : tile<32x256xf16, #mp_b> -> vector<32x256xf16, #mp_b>
    %acc_3 = xetile.tile_mma %a, %b, %acc_2 : vector<256x32xf16, #mp_a>, vector<32x256xf16, #mp_b>, vector<256x256xf32, #mp_b> -> vector<256x256xf32, #mp_b>
    %ta_3 = xetile.update_tile_offset %ta_2, %c0, %c32 : tile<256x32xf16, #mp_a>
    %tb_3 = xetile.update_tile_offset %tb_2, %c32, %c0 : tile<32x256xf16, #mp_b>
    scf.yield %acc_3, %ta_3, %tb_3 : vector<256x256xf32, #mp_b>, tile<256x32xf16, #mp_a>, tile<32x256xf16, #mp_b>
  }
  %tc = xetile.init_tile %C[%i, %j] : memref<?x?xf32> -> tile<256x256xf32, #mp_b>
  xetile.store_tile %acc_1, %tc : vector<256x256xf32, #mp_b>, tile<256x256xf32, #mp_b>
}
)";

TEST(Print, Gemm) {
  GemmModule gemm;
  EXPECT_EQ(print(gemm.module), kGemm);
}

TEST(Print, OneStatementHasTheNamesOfTheDumpAndSpelledLayouts) {
  GemmModule gemm;
  EXPECT_EQ(print(*gemm.loadA),
            "%a = xetile.load_tile %ta_2 : tile<256x32xf16, #wg_map<sg_layout = [8, 4], sg_data = [32, 32]>> -> "
            "vector<256x32xf16, #wg_map<sg_layout = [8, 4], sg_data = [32, 32]>>");
  EXPECT_TRUE(print(*gemm.loop).ends_with(" {…}")) << print(*gemm.loop);
}

// A fixture with one kernel at subgroup scope. Texts are compared without the kernel's indentation.
class PrintOp : public testing::Test {
protected:
  PrintOp() : kernel_(*module_.kernels.emplace_back(std::make_unique<Kernel>())), b_(context_, kernel_.body) {
    kernel_.name = "k";
  }
  Value *param(Type type, std::string name) {
    ++kernel_.paramCount;
    kernel_.gridBlock.addParam(type, name);
    return kernel_.body.addParam(type, std::move(name));
  }
  std::string last() { return print(*kernel_.body.last()); }

  Context context_;
  Module module_{context_};
  Kernel &kernel_;
  Builder b_;
};

TEST_F(PrintOp, Constants) {
  auto number = [&](Elem elem, double value) { return b_.constantFloat(context_.scalar(elem), value), last(); };
  auto integer = [&](Elem elem, int64_t value) { return b_.constantInt(context_.scalar(elem), value), last(); };
  EXPECT_EQ(number(Elem::F32, 0.0), "%0 = arith.constant 0.0 : f32");
  EXPECT_EQ(number(Elem::F32, -0.0), "%1 = arith.constant -0.0 : f32");
  EXPECT_EQ(number(Elem::F64, 1e-300), "%2 = arith.constant 1e-300 : f64");
  EXPECT_EQ(number(Elem::F16, std::numeric_limits<double>::infinity()), "%3 = arith.constant inf : f16");
  EXPECT_EQ(number(Elem::F16, std::numeric_limits<double>::quiet_NaN()), "%4 = arith.constant nan : f16");
  EXPECT_EQ(integer(Elem::I1, 1), "%5 = arith.constant true : i1");
  EXPECT_EQ(integer(Elem::I1, 0), "%6 = arith.constant false : i1");
  EXPECT_EQ(integer(Elem::I64, INT64_MIN), "%7 = arith.constant -9223372036854775808 : i64");
  b_.constantInt(context_.vector({8, 16}, Elem::I1), 1);
  EXPECT_EQ(last(), "%8 = arith.constant true : vector<8x16xi1>");
}

TEST_F(PrintOp, KindsCastsAndIds) {
  Value *x = param(context_.scalar(Elem::I32), "x"), *c = param(context_.i1(), "c");
  Op *compare = b_.create(OpKind::CmpI, {x, x}, {context_.i1()});
  compare->setAttr("kind", std::string("slt"));
  EXPECT_EQ(last(), "%0 = arith.cmpi <slt> %x, %x : i32");
  b_.value(OpKind::IndexCast, {x}, context_.index());
  EXPECT_EQ(last(), "%1 = arith.index_cast %x : i32 -> index");
  Value *i = kernel_.body.last()->result();
  b_.value(OpKind::Select, {c, i, i}, context_.index());
  EXPECT_EQ(last(), "%2 = arith.select %c, %1, %1 : i1, index, index");
  b_.create(OpKind::BlockId, {}, {context_.index()})->setAttr("dimension", std::string("y"));
  EXPECT_EQ(last(), "%3 = gpu.block_id y");
  b_.create(OpKind::SubgroupId, {}, {context_.index()});
  EXPECT_EQ(last(), "%4 = gpu.subgroup_id");
}

TEST_F(PrintOp, AttributesOfTiles) {
  Value *m = param(context_.memref({64, 64}, Elem::F16), "M"), *zero = b_.index(0);
  Value *t = b_.value(OpKind::InitTile, {m, zero, zero}, context_.tile({8, 16}, Elem::F16, nullptr, Order::ColumnMajor));
  EXPECT_EQ(last(), "%1 = xetile.init_tile %M[%0, %0] : memref<64x64xf16> -> tile<8x16xf16, order = [0, 1]>");
  Op *load = b_.create(OpKind::LoadTile, {t}, {context_.vector({8, 16}, Elem::F16)});
  load->setAttr("padding", 1.0);
  EXPECT_EQ(last(), "%2 = xetile.load_tile %1 {padding = 1.0} : tile<8x16xf16, order = [0, 1]> -> vector<8x16xf16>");
  b_.create(OpKind::PrefetchTile, {t}, {});
  EXPECT_EQ(last(), "xetile.prefetch_tile %1 : tile<8x16xf16, order = [0, 1]>");
  b_.create(OpKind::PrefetchTile, {t}, {})->setAttr("locality", int64_t{2});
  EXPECT_EQ(last(), "xetile.prefetch_tile %1 locality<2> : tile<8x16xf16, order = [0, 1]>");
}

TEST_F(PrintOp, Branches) {
  Value *c = param(context_.i1(), "c");
  Op *plain = b_.create(OpKind::If, {c}, {}, 2);
  Op *valued = b_.create(OpKind::If, {c}, {context_.index()}, 2);
  for (size_t r = 0; r < 2; ++r) {
    b_.setEnd(*plain->region(r));
    if (r == 0) b_.index(7);
    b_.create(OpKind::Yield, {}, {});
    b_.setEnd(*valued->region(r));
    b_.create(OpKind::Yield, {b_.index(static_cast<int64_t>(r))}, {});
  }
  EXPECT_EQ(print(kernel_, module_), R"(kernel @k(%c: i1) {
  scf.if %c {
    %0 = arith.constant 7 : index
  }
  %1 = scf.if %c -> (index) {
    %2 = arith.constant 0 : index
    scf.yield %2 : index
  } else {
    %3 = arith.constant 1 : index
    scf.yield %3 : index
  }
}
)");
}

TEST_F(PrintOp, NamesAreUniqueAndLegal) {
  auto name = [&](std::string text) { b_.index(0)->setName(std::move(text)); };
  for (const char *text : {"x", "x", "x_1", "x", "12", "", "y#0", "a.b"}) name(text);
  EXPECT_EQ(print(kernel_, module_), R"(kernel @k() {
  %x = arith.constant 0 : index
  %x_1 = arith.constant 0 : index
  %x_1_1 = arith.constant 0 : index
  %x_2 = arith.constant 0 : index
  %0 = arith.constant 0 : index
  %1 = arith.constant 0 : index
  %y_0 = arith.constant 0 : index
  %a.b = arith.constant 0 : index
}
)");
}

TEST_F(PrintOp, HeaderOfAKernel) {
  kernel_.subgroups = 8;
  EXPECT_EQ(print(kernel_, module_), "kernel @k() subgroups(8) {\n}\n");
  kernel_.subgroups = 1;
  EXPECT_EQ(print(kernel_, module_), "kernel @k() {\n}\n");
  kernel_.subgroupsWritten = true;
  EXPECT_EQ(print(kernel_, module_), "kernel @k() subgroups(1) {\n}\n");
  kernel_.subgroupsWritten = false;
  kernel_.scope = Scope::Workgroup;
  kernel_.subgroups = 8; // no op implies this number, so it is printed
  EXPECT_EQ(print(kernel_, module_), "kernel @k() subgroups(8) form workgroup_scope {\n}\n");
  kernel_.scope = Scope::Subgroup;
  kernel_.subgroups = 1;
  auto symbol = [&](std::string name) {
    kernel_.name = std::move(name);
    std::string text = print(kernel_, module_);
    return text.substr(7, text.find('(') - 7);
  };
  EXPECT_EQ(symbol("gemm$BM=128$T=f16"), "@gemm$BM=128$T=f16");
  EXPECT_EQ(symbol("gemm$N=-3"), "@gemm$N=-3");
  EXPECT_EQ(symbol("a b"), "@\"a b\"");
  EXPECT_EQ(symbol("a$b"), "@\"a$b\"");
}

class PrintGrid : public PrintOp {
protected:
  PrintGrid() : n_(param(context_.index(), "n")), g_(context_, kernel_.gridBlock) {}
  Value *n() { return kernel_.gridBlock.param(0); }
  Value *op(OpKind kind, Value *a, Value *b) { return g_.value(kind, {a, b}, context_.index()); }
  std::string text(Value *upper) {
    kernel_.grid = {{kernel_.body.params().size() > 1 ? kernel_.body.param(1) : kernel_.body.addParam(context_.index(), "i"),
                     g_.index(0), upper, g_.index(1)}};
    std::string all = print(kernel_, module_);
    size_t from = all.find(" to ") + 4;
    return all.substr(from, all.find(" step ") - from);
  }
  Value *n_;
  Builder g_;
};

TEST_F(PrintGrid, ParenthesesWhereTheTreeNeedsThem) {
  using enum OpKind;
  EXPECT_EQ(text(op(AddI, op(AddI, n(), g_.index(1)), n())), "%n + 1 + %n");
  EXPECT_EQ(text(op(AddI, n(), op(AddI, g_.index(1), n()))), "%n + (1 + %n)");
  EXPECT_EQ(text(op(SubI, n(), op(MulI, g_.index(2), n()))), "%n - 2 * %n");
  EXPECT_EQ(text(op(MulI, op(SubI, n(), g_.index(2)), n())), "(%n - 2) * %n");
  EXPECT_EQ(text(op(DivSI, n(), op(RemSI, n(), g_.index(3)))), "%n / (%n mod 3)");
  EXPECT_EQ(text(op(RemSI, op(DivSI, n(), g_.index(3)), n())), "%n / 3 mod %n");
  EXPECT_EQ(text(op(MulI, op(CeilDivSI, n(), op(AddI, n(), g_.index(4))), g_.index(8))), "ceildiv(%n, %n + 4) * 8");
  EXPECT_EQ(text(op(MinSI, n(), op(MaxSI, n(), g_.index(4)))), "min(%n, max(%n, 4))");
  EXPECT_EQ(text(op(AddI, n(), g_.index(-1))), "%n + (-1)");
  EXPECT_EQ(text(g_.index(-1)), "-1");
}

TEST_F(PrintOp, FirstAliasThatOwnsAlikeIsUsed) {
  // #one and #two distribute a 16x16 tile in the same way, but not a 32x32 tile.
  module_.aliases.push_back({"one", LayoutSpec::of({{2, 1}, {8, 16}}), std::nullopt});
  module_.aliases.push_back({"two", LayoutSpec::of({{2, 1}, {8, 32}}), std::nullopt});
  module_.aliases.push_back({"columns", LayoutSpec::of({{1, 2}, {16, 8}}), Order::ColumnMajor});
  auto layout = [&](size_t alias, std::vector<int64_t> shape) {
    return std::get<const Layout *>(makeLayout(context_, module_.aliases[alias].spec, shape));
  };
  kernel_.scope = Scope::Workgroup;
  b_.constantFloat(context_.vector({16, 16}, Elem::F32, layout(1, {16, 16})), 1.0);
  b_.constantFloat(context_.vector({64, 64}, Elem::F32, layout(1, {64, 64})), 1.0);
  b_.constantFloat(context_.vector({16, 16}, Elem::F32, layout(2, {16, 16})), 1.0);
  Value *m = param(context_.memref({64, 64}, Elem::F32, MemorySpace::Global, {MemoryLayout::Kind::Permuted, {}, {1, 0}}), "M");
  Value *zero = b_.index(0);
  b_.value(OpKind::InitTile, {m, zero, zero}, context_.tile({16, 16}, Elem::F32, layout(2, {16, 16}), Order::ColumnMajor));
  b_.value(OpKind::InitTile, {m, zero, zero}, context_.tile({16, 16}, Elem::F32, layout(0, {16, 16}), Order::ColumnMajor));
  EXPECT_EQ(print(module_), R"(#one = #wg_map<sg_layout = [2, 1], sg_data = [8, 16]>
#two = #wg_map<sg_layout = [2, 1], sg_data = [8, 32]>
#columns = #tile_attr<wg = #wg_map<sg_layout = [1, 2], sg_data = [16, 8]>, order = [0, 1]>

kernel @k(%M: memref<64x64xf32, affine_map<(d0, d1) -> (d1, d0)>>) {
  %0 = arith.constant 1.0 : vector<16x16xf32, #one>
  %1 = arith.constant 1.0 : vector<64x64xf32, #one>
  %2 = arith.constant 1.0 : vector<16x16xf32, #wg_map<sg_layout = [1, 2], sg_data = [16, 8]>>
  %3 = arith.constant 0 : index
  %4 = xetile.init_tile %M[%3, %3] : memref<64x64xf32, affine_map<(d0, d1) -> (d1, d0)>> -> tile<16x16xf32, #columns>
  %5 = xetile.init_tile %M[%3, %3] : memref<64x64xf32, affine_map<(d0, d1) -> (d1, d0)>> -> tile<16x16xf32, #one, order = [0, 1]>
}
)");
}

} // namespace
} // namespace xt
