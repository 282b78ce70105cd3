// Tests random kernels: chains of elementwise ops, loops and branches that carry vectors, scalars and tiles, and products.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "tests/targets/cpu/compare.h"

namespace xt {
namespace {

constexpr int kProgramRounds = XT_FUZZ_ROUNDS / 10;

class RandomProgram {
public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {
    shape_ = {random_.between(1, 7), random_.between(1, 70)};
    for (Elem elem : kElems) {
      arrays_.push_back(
          std::make_unique<Array>(elem, std::vector<int64_t>{kSlots * shape_[0], shape_[1]}, random_.between(0, 3)));
      random_.fill(*arrays_.back());
      memrefs_.push_back(m_.param(m_.matrix(elem)));
    }
  }

  void run() {
    for (int i = 0; i < 3; ++i) vectors_.push_back(load());
    scalars_.push_back(m_.dim(memrefs_[0], 1));
    emit(2, static_cast<int>(random_.between(3, 25)));
    for (int i = 0; i < 3; ++i) store();
    std::vector<LaunchArray> args;
    for (const auto &array : arrays_) args.push_back({array.get(), {}});
    expectAsInterpreter(m_, args, {}, {random_.pick(processors())});
  }

private:
  static constexpr Elem kElems[] = {Elem::F32, Elem::F16, Elem::BF16, Elem::I32, Elem::I8, Elem::F64, Elem::I1};
  static constexpr int64_t kSlots = 6; // matrices of the shape, stacked in each array

  Value *tileOf(size_t array) {
    Value *slot = m_.index(random_.between(0, kSlots - 1) * shape_[0]);
    return m_.tile(memrefs_[array], {slot, m_.index(0)}, shape_);
  }
  size_t arrayOf(Elem elem) const {
    size_t i = 0;
    while (kElems[i] != elem) ++i;
    return i;
  }
  Value *load() { return m_.load(tileOf(static_cast<size_t>(random_.between(0, std::size(kElems) - 1)))); }
  void store() {
    Value *value = vector();
    m_.store(value, tileOf(arrayOf(value->type().elem())));
  }
  Value *vector() { return vectors_[static_cast<size_t>(random_.between(0, static_cast<int64_t>(vectors_.size()) - 1))]; }
  Value *vectorOf(Elem elem) {
    for (int i = 0; i < 8; ++i)
      if (Value *value = vector(); value->type().elem() == elem) return value;
    switch (random_.between(0, 2)) {
    case 0: return m_.b.constantInt(m_.context.vector(shape_, elem), elem == Elem::I1 ? 1 : random_.between(-3, 3));
    case 1: return m_.load(tileOf(arrayOf(elem)));
    default: return convert(vector(), elem);
    }
  }
  Value *scalar() { return scalars_[static_cast<size_t>(random_.between(0, static_cast<int64_t>(scalars_.size()) - 1))]; }

  // Converts through types that hold every value, so that no conversion is unspecified.
  Value *convert(Value *x, Elem to) {
    Elem from = x->type().elem();
    if (from == to) return x;
    if (isFloat(from) && isFloat(to)) {
      int a = elemInfo(from).bits, b = elemInfo(to).bits;
      if (a == b) return m_.cast(OpKind::TruncF, m_.cast(OpKind::ExtF, x, Elem::F32), to);
      return m_.cast(b < a ? OpKind::TruncF : OpKind::ExtF, x, to);
    }
    if (isFloat(to)) return m_.cast(random_.chance(50) ? OpKind::SIToFP : OpKind::UIToFP, x, to);
    if (isFloat(from))
      return m_.compare("olt", x, m_.b.constantFloat(x->type(), 0.5)), convertTruth(m_.b.block().last()->result(), to);
    int a = elemInfo(from).bits, b = elemInfo(to).bits;
    return m_.cast(b < a ? OpKind::TruncI : random_.chance(50) ? OpKind::ExtSI : OpKind::ExtUI, x, to);
  }
  Value *convertTruth(Value *x, Elem to) { return to == Elem::I1 ? x : m_.cast(OpKind::ExtUI, x, to); }

  void arithmetic() {
    Value *x = vector();
    Elem elem = x->type().elem();
    Value *y = vectorOf(elem);
    const std::vector<OpKind> floats{OpKind::AddF,    OpKind::SubF, OpKind::MulF, OpKind::DivF,  OpKind::MinimumF,
                                     OpKind::MaxNumF, OpKind::NegF, OpKind::AbsF, OpKind::Floor, OpKind::Sqrt};
    const std::vector<OpKind> integers{OpKind::AddI,  OpKind::SubI,  OpKind::MulI, OpKind::DivSI,    OpKind::RemUI,
                                       OpKind::AndI,  OpKind::OrI,   OpKind::XorI, OpKind::ShLI,     OpKind::ShRSI,
                                       OpKind::MinSI, OpKind::MaxUI, OpKind::AbsI, OpKind::CeilDivSI};
    OpKind kind = random_.pick(isFloat(elem) ? floats : integers);
    vectors_.push_back(opInfo(kind).operands.size() == 1 ? m_.unary(kind, x) : m_.binary(kind, x, y));
  }
  void choose() {
    Value *x = vector();
    vectors_.push_back(m_.b.value(OpKind::Select, {vectorOf(Elem::I1), x, vectorOf(x->type().elem())}, x->type()));
  }
  void product() {
    Elem elem = random_.pick<Elem>({Elem::I8});
    Type aType = m_.context.vector({shape_[0], shape_[0]}, elem);
    Value *a = m_.load(m_.tile(memrefs_[arrayOf(elem)], {m_.index(0), m_.index(0)}, {shape_[0], shape_[0]}));
    if (random_.chance(30)) a = m_.b.constantInt(aType, 1);
    Value *sum = random_.chance(70) ? vectorOf(Elem::I32) : nullptr;
    vectors_.push_back(m_.mma(a, vectorOf(elem), sum, Elem::I32));
  }
  Value *condition() { return m_.compare("slt", scalar(), m_.index(random_.between(-2, 60))); }

  struct Carried {
    std::vector<Value *> values; // vectors, a scalar, a tile
  };
  std::vector<Value *> pickCarried() {
    std::vector<Value *> values;
    for (int64_t n = random_.between(1, 4); n > 0; --n) values.push_back(random_.chance(20) ? vectorOf(Elem::F32) : vector());
    values.push_back(scalar());
    return values;
  }
  // Returns values of the same types as `like`, chosen from those that are visible now.
  std::vector<Value *> yielded(const std::vector<Value *> &like, const std::vector<Value *> &carried) {
    std::vector<Value *> values;
    for (size_t i = 0; i + 1 < like.size(); ++i) {
      Elem elem = like[i]->type().elem();
      Value *other =
          carried.empty() ? nullptr : carried[static_cast<size_t>(random_.between(0, static_cast<int64_t>(like.size()) - 2))];
      bool swap = other && other->type().elem() == elem && random_.chance(40);
      values.push_back(swap ? other : vectorOf(elem));
    }
    values.push_back(m_.binary(OpKind::AddI, scalar(), m_.index(random_.between(-2, 2))));
    return values;
  }
  // Emits a region; values defined in it are not visible afterwards.
  template <class F> auto inRegion(F emitRegion) {
    auto vectors = vectors_, scalars = scalars_;
    auto result = emitRegion();
    vectors_ = vectors;
    scalars_ = scalars;
    return result;
  }
  void publish(const std::vector<Value *> &results) {
    for (size_t i = 0; i + 1 < results.size(); ++i) vectors_.push_back(results[i]);
    scalars_.push_back(results.back());
  }
  void loop(int depth) {
    std::vector<Value *> inits = pickCarried();
    Value *upper = m_.index(random_.between(-1, 4));
    publish(m_.loop(m_.index(0), upper, m_.index(random_.between(1, 2)), inits, [&](Value *i, std::vector<Value *> carried) {
      return inRegion([&] {
        vectors_.insert(vectors_.end(), carried.begin(), carried.end() - 1);
        scalars_.push_back(carried.back());
        scalars_.push_back(i);
        emit(depth - 1, static_cast<int>(random_.between(0, 6)));
        return yielded(inits, carried);
      });
    }));
  }
  void branch(int depth) {
    std::vector<Value *> like = pickCarried();
    auto side = [&] {
      return inRegion([&] {
        emit(depth - 1, static_cast<int>(random_.between(0, 5)));
        return yielded(like, {});
      });
    };
    auto keep = [&] { return random_.chance(40) ? like : side(); };
    publish(m_.branch(condition(), side, keep));
  }

  void emit(int depth, int ops) {
    for (int n = 0; n < ops; ++n) {
      int64_t kind = random_.between(0, 99);
      if (kind < 50)
        arithmetic();
      else if (kind < 58)
        choose();
      else if (kind < 66)
        vectors_.push_back(convert(vector(), kElems[random_.between(0, std::size(kElems) - 1)]));
      else if (kind < 72)
        vectors_.push_back(load());
      else if (kind < 78)
        store();
      else if (kind < 83)
        product();
      else if (kind < 85)
        vectors_.push_back(m_.splat(m_.cast(OpKind::IndexCast, scalar(), Elem::I32), shape_));
      else if (depth > 0 && kind < 93)
        loop(depth);
      else if (depth > 0)
        branch(depth);
    }
  }

  RandomNumbers random_;
  KernelMaker m_;
  std::vector<int64_t> shape_;
  std::vector<std::unique_ptr<Array>> arrays_;
  std::vector<Value *> memrefs_, vectors_, scalars_;
};

TEST(CpuRandomProgram, AsInterpreter) {
  for (int round = 0; round < kProgramRounds; ++round) {
    SCOPED_TRACE(str("round ", round));
    RandomProgram(static_cast<uint64_t>(round)).run();
    if (::testing::Test::HasFailure()) return;
  }
}

// Tiles are values: loops carry them, branches choose between them, and they have different bases.
TEST(CpuRandomProgram, CarriedTiles) {
  KernelMaker m;
  Value *x = m.param(m.matrix(Elem::F32)), *y = m.param(m.matrix(Elem::F32)), *out = m.param(m.matrix(Elem::F32));
  Value *zero = m.index(0), *four = m.index(4);
  Value *tx = m.tile(x, {zero, zero}, {4, 4}), *ty = m.tile(y, {zero, zero}, {4, 4}), *to = m.tile(out, {zero, zero}, {4, 4});
  m.loop(zero, m.index(5), m.index(1), {tx, ty, to}, [&](Value *i, std::vector<Value *> t) {
    m.store(m.load(t[0]), t[2]);
    Value *odd = m.compare("eq", m.binary(OpKind::RemSI, i, m.index(2)), m.index(1));
    std::vector<Value *> next = m.branch(
        odd, [&] { return std::vector<Value *>{m.move(t[0], zero, m.index(3))}; }, [&] { return std::vector<Value *>{t[0]}; });
    return std::vector<Value *>{t[1], next[0], m.move(t[2], four, zero)};
  });
  Array a(Elem::F32, {4, 9}), b(Elem::F32, {3, 12}), c(Elem::F32, {20, 4});
  RandomNumbers random(1);
  random.fill(a, true);
  random.fill(b, true);
  expectAsInterpreter(m, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, processors());
}

TEST(CpuFailure, AStepThatIsNotPositive) {
  KernelMaker m;
  m.param(m.matrix(Elem::F32));
  Value *step = m.param(m.context.index());
  Value *i = m.gridOver(0, 0, 1), *zero = m.index(0);
  Value *by = m.binary(OpKind::SubI, step, i);
  m.loop(zero, m.index(5), by, {zero}, [&](Value *, std::vector<Value *> v) { return v; });
  walk(m.kernel->body, [](Op &op) { op.setRange({1, 10, 20}); });
  Array array(Elem::F32, {6, 1});
  Diagnostics diagnostics;
  CompileOptions options;
  options.threads = 3;
  auto executable = cpuTarget().compile(m.module, options, diagnostics);
  ASSERT_TRUE(executable.ok());
  EXPECT_TRUE((*executable)->launch(*m.kernel, {array.arg(), intArg(6)}, {{0, 1, 6}}).ok());
  for (int round = 0; round < 20; ++round) { // the lowest workgroup is reported, whichever thread came first
    Result<void> failed = (*executable)->launch(*m.kernel, {array.arg(), intArg(3)}, {{0, 1, 6}});
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().message, "the step of a `for` must be positive (workgroup (3) of @k)");
    EXPECT_EQ(failed.error().range.begin, 10u);
  }
}

} // namespace
} // namespace xt
