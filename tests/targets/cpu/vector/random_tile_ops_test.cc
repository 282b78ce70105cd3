// Tests random kernels of the ops that move elements: vectors of many shapes and every type, through loops and branches.
#include "ir/op_kinds.h"
#include "tests/targets/cpu/vector/random_tile_ops.h"

namespace xt {
namespace {

constexpr int kTileOpRounds = XT_FUZZ_ROUNDS / 20;

class RandomTileKernel : private RandomTileOps {
public:
  explicit RandomTileKernel(uint64_t seed) : RandomTileOps(seed) {}

  void run() {
    scalars_.push_back(m_.dim(matrices_[0].memref, 1));
    for (int i = 0; i < 3; ++i) load();
    emit(2, static_cast<int>(random_.between(3, 25)));
    for (int i = 0; i < 4; ++i) store();
    std::vector<LaunchArray> args;
    for (const auto &array : arrays_) args.push_back({array.get(), {}});
    expectAsInterpreter(m_, args, {}, {random_.pick(processors())});
  }

private:
  template <class F> auto inRegion(F emitRegion) {
    auto vectors = vectors_, scalars = scalars_;
    auto result = emitRegion();
    vectors_ = vectors;
    scalars_ = scalars;
    return result;
  }
  std::vector<Value *> pickCarried() {
    std::vector<Value *> values;
    for (int64_t n = random_.between(1, 4); n > 0; --n) values.push_back(vector());
    if (random_.chance(30)) values.push_back(scatterTile(0));
    return values;
  }
  void publish(const std::vector<Value *> &values) {
    for (Value *value : values)
      if (value->type().isVector())
        vectors_.push_back(value);
      else
        vectors_.push_back(m_.gather(value, maskLike(value)));
  }
  Value *yielded(Value *like, const std::vector<Value *> &carried) {
    for (Value *other : carried)
      if (other->type() == like->type() && random_.chance(40)) return other;
    if (like->type().isTile()) {
      if (!carried.empty() || random_.chance(50))
        return m_.b.value(OpKind::UpdateTileOffset, {like, m_.index(random_.between(-1, 3))}, like->type());
      return like;
    }
    // Yields a value that is evaluated at its uses instead of one that has a buffer.
    if (like->type().rank() == 2 && random_.chance(40)) {
      Value *x = matrixVector();
      for (int d = 0; d < 2; ++d)
        if (x->type().elem() == like->type().elem() && x->type().extent(d) == 1 &&
            x->type().extent(1 - d) == like->type().extent(1 - d))
          return m_.broadcast(x, d, like->type().extent(d));
      if (random_.chance(50)) return m_.iota(like->type(), static_cast<int>(random_.between(0, 1)));
    }
    for (int i = 0; i < 10; ++i)
      if (Value *x = vector(); x->type() == like->type()) return x;
    return like;
  }
  std::vector<Value *> yieldedAll(const std::vector<Value *> &like, const std::vector<Value *> &carried) {
    std::vector<Value *> values;
    for (Value *value : like) values.push_back(yielded(value, carried));
    return values;
  }

  std::vector<Value *> body(int depth, const std::vector<Value *> &carried) {
    return inRegion([&] {
      for (Value *value : carried)
        if (value->type().isVector()) vectors_.push_back(value);
      emit(depth - 1, static_cast<int>(random_.between(0, 6)));
      return yieldedAll(carried, carried);
    });
  }
  void loop(int depth) {
    std::vector<Value *> inits = pickCarried();
    publish(m_.loop(m_.index(0), m_.index(random_.between(-1, 4)), m_.index(random_.between(1, 2)), inits,
                    [&](Value *, std::vector<Value *> carried) { return body(depth, carried); }));
  }
  void whileLoop(int depth) {
    std::vector<Value *> inits = pickCarried();
    Value *limit = m_.index(random_.between(0, 4)), *zero = m_.index(0);
    inits.push_back(zero);
    std::vector<Value *> results = m_.whileLoop(m_.compare("slt", zero, limit), inits, [&](std::vector<Value *> carried) {
      Value *count = m_.binary(OpKind::AddI, carried.back(), m_.index(1));
      carried.pop_back();
      std::vector<Value *> values = body(depth, carried);
      values.push_back(count);
      values.insert(values.begin(), m_.compare("slt", count, limit));
      return values;
    });
    results.pop_back();
    publish(results);
  }
  void branch(int depth) {
    std::vector<Value *> like = pickCarried();
    auto side = [&] {
      return inRegion([&] {
        emit(depth - 1, static_cast<int>(random_.between(0, 5)));
        return yieldedAll(like, {});
      });
    };
    Value *condition = m_.compare("slt", any(scalars_), m_.index(random_.between(-2, 60)));
    publish(m_.branch(condition, side, [&] { return random_.chance(40) ? like : side(); }));
  }
  void emit(int depth, int ops) {
    for (int n = 0; n < ops; ++n) {
      switch (random_.between(0, depth > 0 ? 24 : 20)) {
      case 0:
      case 1: load(); break;
      case 2:
      case 3: store(); break;
      case 4:
      case 5: reduction(); break;
      case 6:
      case 7: broadcast(); break;
      case 8: vectors_.push_back(m_.transpose(matrixVector())); break;
      case 9: reshape(); break;
      case 10: extract(); break;
      case 11: insert(); break;
      case 12: generate(); break;
      case 13:
      case 14:
      case 15: pointwise(); break;
      case 16: gather(); break;
      case 17: scatter(); break;
      case 18: atomic(); break;
      case 19: element(); break;
      case 20: print(); break;
      case 21:
      case 22: loop(depth); break;
      case 23: whileLoop(depth); break;
      default: branch(depth);
      }
    }
  }
};

TEST(CpuRandomTileOps, AsInterpreter) {
  for (int round = 0; round < kTileOpRounds; ++round) {
    SCOPED_TRACE(str("round ", round));
    RandomTileKernel(static_cast<uint64_t>(round)).run();
    if (::testing::Test::HasFailure()) return;
  }
}

} // namespace
} // namespace xt
