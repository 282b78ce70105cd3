#include "passes/product_loops.h"

#include "ir/builder.h"
#include "ir/gpu/register_pressure.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "ir/views/nest.h"
#include "passes/block_classes.h"
#include "passes/facts.h"
#include "passes/value_classes.h"

#include <algorithm>
#include <array>

namespace xt {
namespace {

// A product becomes a loop if it has more multiplications per lane, or operands of more bytes, than this.
constexpr int64_t kMostMultiplied = 512, kMostOperandBytes = 4096;

// The fraction of a thread's registers that the sum and the operands of one step may take. Intel's compiler moves all loads of
// a step to its begin, whatever their order is.
constexpr int64_t kForStep = 3, kOf = 4;

struct Side {
  Op *load = nullptr;
  bool transposed = false;
};

struct Product {
  Op *mma;
  std::array<Side, 2> sides;
  bool loops = true;
};

bool isTile(Type type) { return type.isTile(); }

// The load of an operand that can be split into steps. `load` is null if the operand is not such a load.
Side sideOf(const Op &mma, size_t operand) {
  Op *load = mma.operand(operand)->definingOp();
  if (!load || load->kind() != OpKind::LoadTile || load->block() != mma.block() || !load->result()->hasOneUse()) return {};
  for (const Attr &attr : load->attrs())
    if (attr.name != attr_names::kTranspose) return {};
  const TypeData &tile = load->operand(0)->type().data();
  if (tile.packed || tile.scatter || firstWrite(load, &mma)) return {};
  return {load, transposes(*load)};
}

class Former {
public:
  Former(Kernel &kernel, const TargetInfo &target, Context &context, Diagnostics &diagnostics)
      : kernel_(kernel), target_(target), context_(context), diagnostics_(diagnostics), lanes_(subgroupSizeFor(target, kernel)),
        classes_(kernel, isTile), depths_(classes_.count(), kUnseen) {}

  void run() {
    walk(kernel_.body, [&](Op &op) { consider(op); });
    for (bool changed = !products_.empty(); changed;) changed = dropOne();
    for (const Product &product : products_)
      if (product.loops && isCrowded(*product.mma)) depth_ = kProductDepth / 2;
    for (Product &product : products_)
      if (product.loops) form(product);
    narrow();
  }

private:
  static constexpr int kUnseen = -1, kWhole = 2; // other values of depths_: the dimension of the tile that becomes one step

  void consider(Op &op) {
    if (op.kind() != OpKind::TileMma || chooseMma(target_, op).shape) return;
    Type a = op.operand(0)->type(), b = op.operand(1)->type();
    int64_t depth = a.extent(1);
    if (depth <= kProductDepth || depth % kProductDepth != 0) return;
    if (a.elementCount() * b.extent(1) <= kMostMultiplied * lanes_ && a.byteCount() + b.byteCount() <= kMostOperandBytes)
      return;
    Product product{&op, {sideOf(op, 0), sideOf(op, 1)}};
    if (product.sides[0].load && product.sides[1].load) products_.push_back(product);
  }

  // Whether a step of the usual depth leaves too few registers for anything else.
  bool isCrowded(const Op &mma) const {
    Type a = mma.operand(0)->type(), b = mma.operand(1)->type();
    int64_t step = (a.byteCount() + b.byteCount()) / (a.extent(1) / kProductDepth) + mma.result()->type().byteCount();
    return kOf * step > kForStep * registersOfThread(target_, kernel_.subgroups) * target_.registerBytes;
  }

  size_t classOf(const Side &side) const { return classes_.classOf(side.load->operand(0)); }
  static int alongK(const Side &side, size_t operand) { return (operand == 1) != side.transposed ? 0 : 1; }

  // Decides the depth of each class of tiles. Excludes one product with a tile that must keep its whole depth; returns
  // whether there was one.
  bool dropOne() {
    std::fill(depths_.begin(), depths_.end(), kUnseen);
    auto wants = [&](size_t of, int depth) { depths_[of] = depths_[of] == kUnseen || depths_[of] == depth ? depth : kWhole; };
    std::vector<const Op *> inSteps;
    for (const Product &product : products_)
      for (size_t i = 0; i < 2 && product.loops; ++i) {
        wants(classOf(product.sides[i]), alongK(product.sides[i], i));
        inSteps.push_back(product.sides[i].load);
      }
    walk(kernel_.body, [&](Op &op) {
      bool goesOn = op.regionCount() || op.kind() == OpKind::Yield || op.kind() == OpKind::UpdateTileOffset ||
                    op.kind() == OpKind::PrefetchTile;
      if (goesOn || std::find(inSteps.begin(), inSteps.end(), &op) != inSteps.end()) return;
      for (const Value *operand : op.operands())
        if (operand->type().isTile()) wants(classes_.classOf(operand), kWhole);
    });
    for (Product &product : products_)
      if (product.loops && (depths_[classOf(product.sides[0])] == kWhole || depths_[classOf(product.sides[1])] == kWhole)) {
        product.loops = false;
        return true;
      }
    return false;
  }

  void form(Product &product) {
    Op &mma = *product.mma;
    Builder build(context_, *mma.block());
    build.setBefore(&mma);
    build.setRange(mma.range());
    Type sum = mma.result()->type();
    Value *start = mma.operandCount() > 2 ? mma.operand(2)
                   : isFloat(sum.elem())  ? build.constantFloat(sum, 0)
                                          : build.constantInt(sum, 0);
    std::vector<Value *> operands = {product.sides[0].load->operand(0), product.sides[1].load->operand(0), start};
    for (int64_t bound : {int64_t{0}, mma.operand(0)->type().extent(1), depth_}) operands.push_back(build.index(bound));
    Op *nest = build.create(OpKind::Nest, std::move(operands), {sum});
    if (product.sides[0].transposed) NestOp(*nest).setTransposeA();
    if (product.sides[1].transposed) NestOp(*nest).setTransposeB();
    nest->result()->setName(mma.result()->name());
    mma.result()->replaceAllUsesWith(nest->result());
    mma.block()->erase(&mma);
    for (const Side &side : product.sides) {
      if (side.load->result()->type().layout())
        diagnostics_.report(
            DiagCode::LaneMovement, side.load->range(),
            "the product that uses this becomes a loop over K, whose steps do not keep the stated layout of lanes");
      side.load->block()->erase(side.load);
    }
  }

  void narrow() {
    for (const Value *tile : classes_.values()) {
      int dim = depths_[classes_.classOf(tile)];
      if (dim != 0 && dim != 1) continue;
      TypeData data = tile->type().data();
      data.shape[static_cast<size_t>(dim)] = depth_;
      const_cast<Value *>(tile)->setType(context_.intern(std::move(data))); // values() is const, but the kernel may be changed
    }
  }

  Kernel &kernel_;
  const TargetInfo &target_;
  Context &context_;
  Diagnostics &diagnostics_;
  int64_t lanes_;
  int64_t depth_ = kProductDepth; // of a step
  ValueClasses classes_;
  std::vector<int> depths_; // by class of tiles
  std::vector<Product> products_;
};

} // namespace

void formProductLoops(Kernel &kernel, const TargetInfo &target, Context &context, Diagnostics &diagnostics) {
  Former(kernel, target, context, diagnostics).run();
}

} // namespace xt
