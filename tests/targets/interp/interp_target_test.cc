#include "targets/interp/interp_target.h"

#include "ir/builder.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

TEST(InterpTarget, CompilesToSomethingThatLaunches) {
  Context context;
  Module module(context);
  module.kernels.push_back(std::make_unique<Kernel>());
  Kernel &kernel = *module.kernels.back();
  Value *out = kernel.body.addParam(context.memref({kDynamic, kDynamic}, Elem::F32));
  kernel.paramCount = 1;
  Builder b(context, kernel.body);
  Value *tile = b.value(OpKind::InitTile, {out, b.index(1), b.index(1)}, context.tile({2, 2}, Elem::F32));
  b.create(OpKind::StoreTile, {b.constantFloat(context.vector({2, 2}, Elem::F32), 2.5), tile}, {});

  Target &target = interpTarget();
  EXPECT_EQ(target.name(), "interp");
  EXPECT_TRUE(target.wantsSmallSizes(DeviceChoice::Any));
  EXPECT_EQ(passNames(target.pipeline()), std::vector<std::string_view>{"infer-layouts"});
  Diagnostics diagnostics;
  auto executable = target.compile(module, {}, diagnostics);
  ASSERT_TRUE(executable);
  std::vector<float> data(6);
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::Buffer;
  arg.buffer = {data.data(), Elem::F32, {2, 3}, {3, 1}};
  Result<void> done = (*executable)->launch(kernel, {arg}, {});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(data, (std::vector<float>{0, 0, 0, 0, 2.5, 2.5}));
  EXPECT_FALSE((*executable)->launch(kernel, {}, {})) << "an argument is missing";
}

} // namespace
} // namespace xt
