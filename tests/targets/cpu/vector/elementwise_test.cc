// Compares every elementwise op, on every type that it accepts, as a scalar and as vectors, with the interpreter.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "tests/targets/cpu/compare.h"

namespace xt {
namespace {

constexpr Elem kFloats[] = {Elem::F64, Elem::F32, Elem::TF32, Elem::F16, Elem::BF16, Elem::F8E4M3, Elem::F8E5M2};
constexpr Elem kConverted[] = {Elem::F64,    Elem::F32,    Elem::TF32,   Elem::F16,   Elem::BF16,
                               Elem::F8E4M3, Elem::F8E5M2, Elem::F4E2M1, Elem::F8E8M0};
constexpr Elem kIntegers[] = {Elem::I1,  Elem::I4, Elem::U4,  Elem::I8,  Elem::I16, Elem::I32,
                              Elem::I64, Elem::U8, Elem::U16, Elem::U32, Elem::U64, Elem::Index};

bool isLibraryFunction(OpKind kind) {
  return kind == OpKind::Exp || kind == OpKind::Exp2 || kind == OpKind::Log || kind == OpKind::Log2 || kind == OpKind::Rsqrt ||
         kind == OpKind::Tanh || kind == OpKind::Erf || kind == OpKind::Sin || kind == OpKind::Cos || kind == OpKind::Expm1 ||
         kind == OpKind::Log10 || kind == OpKind::Log1p || kind == OpKind::Sinh || kind == OpKind::Atan || kind == OpKind::PowF;
}

// One kernel of many ops on 3x37 matrices. The operands x, y and z have one type, each op has an output, and all outputs are
// compared at once.
class ManyOps {
public:
  static constexpr int64_t kRows = 3, kColumns = 37;
  ManyOps(Elem elem, RandomNumbers &random, bool smallIntegers = false) : random_(random) {
    for (int i = 0; i < 3; ++i) operands.push_back(m.load(tile(array(elem, smallIntegers))));
  }
  Value *array(Elem elem, bool smallIntegers = false) {
    arrays_.push_back(std::make_unique<Array>(elem, std::vector<int64_t>{kRows, kColumns}));
    random_.fill(*arrays_.back(), smallIntegers);
    return m.param(m.matrix(elem));
  }
  Value *tile(Value *memref) { return m.tile(memref, {m.index(0), m.index(0)}, {kRows, kColumns}); }
  void output(Value *value) { m.store(value, tile(array(value->type().elem()))); }
  void run(Tolerance tolerance = {}) {
    std::vector<LaunchArray> args;
    for (const auto &array : arrays_) args.push_back({array.get(), {}});
    // Runs on the host and on one of the older processors.
    std::vector<CpuInfo> cpus{processors()[0]};
    if (processors().size() > 1)
      cpus.push_back(processors()[static_cast<size_t>(random_.between(1, static_cast<int64_t>(processors().size()) - 1))]);
    expectAsInterpreter(m, args, {}, cpus, tolerance);
  }
  KernelMaker m;
  std::vector<Value *> operands;

private:
  RandomNumbers &random_;
  std::vector<std::unique_ptr<Array>> arrays_;
};

// Returns the ops on floats or on integers whose result has the operands' type: either those of the C library, or the others.
std::vector<const OpInfo *> arithmetic(bool floats, bool library) {
  std::vector<const OpInfo *> ops;
  for (const OpInfo &info : allOps())
    if (info.elementwise && info.typeRule == TypeRule::Elementwise &&
        (info.operands[0].type == OperandClass::AnyFloat) == floats && isLibraryFunction(info.kind) == library)
      ops.push_back(&info);
  return ops;
}

void runArithmetic(Elem elem, bool library, RandomNumbers &random) {
  SCOPED_TRACE(elemName(elem));
  ManyOps test(elem, random);
  for (const OpInfo *info : arithmetic(isFloat(elem), library)) {
    std::vector<Value *> operands(test.operands.begin(), test.operands.begin() + static_cast<long>(info->operands.size()));
    test.output(test.m.b.value(info->kind, operands, operands[0]->type()));
  }
  test.run({library ? 4.0 : 0.0});
}

TEST(CpuElementwise, Arithmetic) {
  RandomNumbers random(1);
  for (int round = 0; round < 2; ++round) {
    for (Elem elem : kFloats) runArithmetic(elem, false, random);
    for (Elem elem : kIntegers) runArithmetic(elem, false, random);
  }
}

TEST(CpuElementwise, Functions) {
  RandomNumbers random(1);
  for (Elem elem : kFloats) runArithmetic(elem, true, random);
}

TEST(CpuElementwise, ComparisonsAndSelect) {
  RandomNumbers random(2);
  auto run = [&](Elem elem, std::vector<std::string> kinds, bool small) {
    SCOPED_TRACE(elemName(elem));
    ManyOps test(elem, random, small);
    Value *x = test.operands[0], *y = test.operands[1];
    for (const std::string &kind : kinds) {
      Value *condition = test.m.compare(kind, x, y);
      test.output(condition);
      test.output(test.m.b.value(OpKind::Select, {condition, test.operands[2], x}, x->type()));
    }
    Value *scalar = test.m.compare("slt", test.m.dim(test.m.kernel->param(0), 0), test.m.index(2));
    test.output(test.m.b.value(OpKind::Select, {scalar, x, y}, x->type()));
    test.run();
  };
  for (Elem elem : kFloats) run(elem, {"oeq", "une", "olt", "ole", "ogt", "oge"}, random.chance(50));
  for (Elem elem : kIntegers)
    run(elem, {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}, random.chance(50));
}

// Clamps a float to the integer's range, because the result is unspecified outside of it.
Value *clampTo(ManyOps &test, Value *x, Elem to) {
  const ElemInfo &info = elemInfo(to);
  int bits = info.isUnsigned || to == Elem::I1 ? info.bits : info.bits - 1;
  double high = std::ldexp(1.0, std::min(bits, 30)) - 1, low = info.isUnsigned || to == Elem::I1 ? 0 : -high;
  Elem elem = x->type().elem();
  if (elemInfo(elem).precision < 24) high = std::min(high, 16.0), low = std::max(low, -16.0);
  Value *least = test.m.b.constantFloat(x->type(), low), *most = test.m.b.constantFloat(x->type(), high);
  return test.m.binary(OpKind::MaxNumF, least, test.m.binary(OpKind::MinNumF, most, x));
}

bool castAllowed(OpKind kind, Elem from, Elem to) {
  const ElemInfo &a = elemInfo(from), &b = elemInfo(to);
  bool floats = a.isFloat && b.isFloat, integers = !a.isFloat && !b.isFloat;
  bool index = from == Elem::Index || to == Elem::Index;
  if (kind == OpKind::TruncF) return floats && b.bits < a.bits;
  if (kind == OpKind::ExtF) return floats && b.bits > a.bits && b.maxExponent >= a.maxExponent;
  if (kind == OpKind::TruncI) return integers && !index && b.bits < a.bits;
  if (kind == OpKind::ExtSI || kind == OpKind::ExtUI) return integers && !index && b.bits > a.bits;
  if (kind == OpKind::SIToFP || kind == OpKind::UIToFP) return !a.isFloat && b.isFloat;
  if (kind == OpKind::FPToSI || kind == OpKind::FPToUI) return a.isFloat && !b.isFloat;
  if (kind == OpKind::IndexCast) return integers && (from == Elem::Index) != (to == Elem::Index);
  return a.bits == b.bits && a.storageBytes == b.storageBytes && from != to;
}

TEST(CpuElementwise, Casts) {
  RandomNumbers random(4);
  for (int f = 0; f < kElemCount; ++f) {
    Elem from = static_cast<Elem>(f);
    SCOPED_TRACE(elemName(from));
    ManyOps test(from, random);
    for (const OpInfo &info : allOps())
      for (int t = 0; t < kElemCount; ++t) {
        Elem to = static_cast<Elem>(t);
        if (info.typeRule != TypeRule::Cast || !castAllowed(info.kind, from, to)) continue;
        Value *value = test.operands[0];
        if (info.kind == OpKind::FPToSI || info.kind == OpKind::FPToUI) value = clampTo(test, value, to);
        if (info.kind == OpKind::FPToUI) value = test.m.unary(OpKind::AbsF, value);
        test.output(test.m.cast(info.kind, value, to));
      }
    test.run();
  }
}

// The product is a tie. The addend, far below the last place of f64, decides how it is rounded.
TEST(CpuElementwise, FusedMultiplyAddRoundsOnce) {
  for (Elem elem : {Elem::BF16, Elem::F16, Elem::TF32}) {
    SCOPED_TRACE(elemName(elem));
    KernelMaker m;
    std::vector<Value *> operands;
    std::vector<Array> arrays(3, Array(elem, {1, 8}));
    int precision = elemInfo(elem).precision;
    double one = 1, ulp = std::ldexp(1.0, 1 - precision), tiny = std::ldexp(1.0, elem == Elem::F16 ? -24 : -120);
    for (int64_t i = 0; i < 8; ++i) {
      double a = one + ulp, b = one + std::ldexp(1.0, -1) * static_cast<double>(i % 4 < 2); // (1 + u) * 1.5 is a tie
      arrays[0].set({0, i}, a);
      arrays[1].set({0, i}, i & 1 ? -b : b);
      arrays[2].set({0, i}, i & 4 ? -tiny : tiny);
    }
    for (int i = 0; i < 3; ++i) operands.push_back(m.load(m.tile(m.param(m.matrix(elem)), {m.index(0), m.index(0)}, {1, 8})));
    Array out(elem, {1, 8});
    Value *result = m.b.value(OpKind::Fma, operands, operands[0]->type());
    m.store(result, m.tile(m.param(m.matrix(elem)), {m.index(0), m.index(0)}, {1, 8}));
    expectAsInterpreter(m, {{&arrays[0], {}}, {&arrays[1], {}}, {&arrays[2], {}}, {&out, {}}}, {}, processors());
  }
}

// Converts every pattern of the 8- and 16-bit floats, and many of f32 and f64, to every type with another number of bits.
TEST(CpuElementwise, ConversionsOfAllPatterns) {
  for (Elem from : {Elem::F16, Elem::BF16, Elem::F8E4M3, Elem::F8E5M2, Elem::F4E2M1, Elem::F8E8M0, Elem::F32, Elem::F64})
    for (Elem to : kConverted) {
      OpKind kind = elemInfo(to).bits < elemInfo(from).bits ? OpKind::TruncF : OpKind::ExtF;
      if (!castAllowed(kind, from, to)) continue;
      SCOPED_TRACE(str(elemName(from), " to ", elemName(to)));
      KernelMaker m;
      Value *x = m.param(m.matrix(from)), *out = m.param(m.matrix(to));
      Value *i = m.gridOver(0, 0, 1);
      Value *value = m.load(m.tile(x, {i, m.index(0)}, {1, 256}));
      m.store(m.cast(kind, value, to), m.tile(out, {i, m.index(0)}, {1, 256}));
      Array in(from, {256, 256}), result(to, {256, 256});
      uint64_t pattern = 0;
      RandomNumbers random(5);
      in.forEach([&](const std::vector<int64_t> &index) {
        // The upper half of an f32 has every pattern, and the lower half is near a tie of every narrower format.
        uint64_t bits = pattern++;
        const uint64_t tails[] = {0, 1, 0x8000, 0x7FFF, 0x8001, 0xFFFF, random.next() & 0xFFFF, 0x1000};
        if (from == Elem::F32) bits = bits << 16 | tails[random.next() % 8];
        std::memcpy(in.at(index), &bits, static_cast<size_t>(elemInfo(from).storageBytes));
        if (from == Elem::F64) {
          float single;
          uint32_t image = static_cast<uint32_t>(bits << 16 | tails[random.next() % 8]);
          std::memcpy(&single, &image, sizeof single);
          double value64 = static_cast<double>(single);
          in.set(index, random.chance(50) ? std::nextafter(value64, random.chance(50) ? 1e308 : -1e308) : value64);
        }
      });
      expectAsInterpreter(m, {{&in, {}}, {&result, {}}}, {}, processors());
    }
}

// Tests the same ops on scalars: scalar arguments, and results that are splatted.
TEST(CpuElementwise, Scalars) {
  RandomNumbers random(6);
  auto run = [&](Elem elem) {
    SCOPED_TRACE(elemName(elem));
    KernelMaker m;
    std::vector<Value *> operands;
    std::vector<LaunchArray> args;
    std::vector<std::unique_ptr<Array>> arrays;
    for (int i = 0; i < 3; ++i) {
      operands.push_back(m.param(m.context.scalar(elem)));
      int64_t number = wrapTo(elem == Elem::I1 ? Elem::I1 : Elem::I4, random.between(-7, 7));
      if (elemInfo(elem).isUnsigned) number = number < 0 ? -number : number;
      args.push_back({nullptr, isFloat(elem) ? floatArg(static_cast<double>(random.between(-64, 64)) / 8) : intArg(number)});
    }
    for (bool library : {false, true})
      for (const OpInfo *info : arithmetic(isFloat(elem), library)) {
        std::vector<Value *> used(operands.begin(), operands.begin() + static_cast<long>(info->operands.size()));
        Value *result = m.b.value(info->kind, used, operands[0]->type());
        arrays.push_back(std::make_unique<Array>(elem, std::vector<int64_t>{2, 3}));
        args.push_back({arrays.back().get(), {}});
        Value *out = m.param(m.matrix(elem));
        m.store(m.splat(result, {2, 3}), m.tile(out, {m.index(0), m.index(0)}, {2, 3}));
      }
    expectAsInterpreter(m, args, {}, {processors()[0]}, {isFloat(elem) ? 4.0 : 0.0});
  };
  for (Elem elem : kFloats) run(elem);
  for (Elem elem : kIntegers) run(elem);
}

} // namespace
} // namespace xt
