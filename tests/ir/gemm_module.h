// The GEMM of README.md as IR, built with Builder, for tests of code that works on modules.
#pragma once
#include "ir/base/check.h"
#include "ir/builder.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

namespace xt {

struct GemmModule {
  Context context;
  Module module{context};
  Kernel *kernel = nullptr;
  Op *loop = nullptr, *loadA = nullptr, *mma = nullptr, *store = nullptr;
  const Layout *layoutA = nullptr, *layoutB = nullptr, *layoutC = nullptr;

  GemmModule() {
    module.aliases.push_back({"mp_a", LayoutSpec::of({{8, 4}, {32, 32}}), std::nullopt});
    module.aliases.push_back({"mp_b", LayoutSpec::of({{8, 4}, {32, 64}}), std::nullopt});
    layoutA = layout(0, {256, 32});
    layoutB = layout(1, {32, 256});
    layoutC = layout(1, {256, 256});
    kernel = module.kernels.emplace_back(std::make_unique<Kernel>()).get();
    kernel->name = "gemm";
    kernel->scope = Scope::Workgroup;
    kernel->subgroups = 32;
    kernel->forms.add(Form::LayoutsKnown);
    params();
    body();
  }

  const Layout *layout(size_t alias, std::vector<int64_t> shape) {
    LayoutOrError made = makeLayout(context, module.aliases[alias].spec, shape);
    XT_CHECK(std::holds_alternative<const Layout *>(made), std::get<LayoutError>(made).message);
    return std::get<const Layout *>(made);
  }

private:
  void params() {
    Type f16 = context.memref({kDynamic, kDynamic}, Elem::F16), f32 = context.memref({kDynamic, kDynamic}, Elem::F32);
    for (Block *block : {&kernel->body, &kernel->gridBlock}) {
      block->addParam(f16, "A");
      block->addParam(f16, "B");
      block->addParam(f32, "C");
    }
    kernel->paramCount = 3;
    Builder b(context, kernel->gridBlock);
    for (int64_t d = 0; d < 2; ++d) {
      Value *lower = b.index(0);
      Value *upper = b.value(OpKind::Dim, {kernel->gridBlock.param(2), b.index(d)}, context.index());
      kernel->grid.push_back({kernel->body.addParam(context.index(), d ? "j" : "i"), lower, upper, b.index(256)});
    }
  }

  Value *named(Value *value, std::string name) {
    value->setName(std::move(name));
    return value;
  }

  void body() {
    Builder b(context, kernel->body);
    Type tileA = context.tile({256, 32}, Elem::F16, layoutA), tileB = context.tile({32, 256}, Elem::F16, layoutB);
    Type vectorA = context.vector({256, 32}, Elem::F16, layoutA), vectorB = context.vector({32, 256}, Elem::F16, layoutB);
    Type vectorC = context.vector({256, 256}, Elem::F32, layoutC), tileC = context.tile({256, 256}, Elem::F32, layoutC);
    Value *c0 = named(b.index(0), "c0"), *c32 = named(b.index(32), "c32");
    Value *i = kernel->body.param(3), *j = kernel->body.param(4);
    Value *ta = named(b.value(OpKind::InitTile, {kernel->param(0), i, c0}, tileA), "ta");
    Value *tb = named(b.value(OpKind::InitTile, {kernel->param(1), c0, j}, tileB), "tb");
    Value *acc = named(b.constantFloat(vectorC, 0.0), "acc");
    Value *c1 = b.index(1);
    Value *n = b.value(OpKind::Dim, {kernel->param(0), c1}, context.index());
    loop = b.create(OpKind::For, {c0, n, c32, acc, ta, tb}, {vectorC, tileA, tileB}, 1);
    for (size_t r = 0; r < 3; ++r) named(loop->result(r), loop->operand(r + 3)->name());
    Block &inner = *loop->region();
    inner.addParam(context.index(), "k");
    for (size_t r = 0; r < 3; ++r) inner.addParam(loop->result(r)->type(), loop->result(r)->name());
    b.setEnd(inner);
    Value *va = named(b.value(OpKind::LoadTile, {inner.param(2)}, vectorA), "a");
    loadA = va->definingOp();
    Value *vb = named(b.value(OpKind::LoadTile, {inner.param(3)}, vectorB), "b");
    Value *next = named(b.value(OpKind::TileMma, {va, vb, inner.param(1)}, vectorC), "acc");
    mma = next->definingOp();
    Value *nextA = named(b.value(OpKind::UpdateTileOffset, {inner.param(2), c0, c32}, tileA), "ta");
    Value *nextB = named(b.value(OpKind::UpdateTileOffset, {inner.param(3), c32, c0}, tileB), "tb");
    b.create(OpKind::Yield, {next, nextA, nextB}, {});
    b.setEnd(kernel->body);
    Value *tc = named(b.value(OpKind::InitTile, {kernel->param(2), i, j}, tileC), "tc");
    store = b.create(OpKind::StoreTile, {loop->result(), tc}, {});
  }
};

} // namespace xt
