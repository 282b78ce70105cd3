// Checks every simplification of an elementwise op with one unknown operand against the scalar evaluator, on all
// values of the type: the value that replaces the op must equal the op's result.
#include "passes/simplify.h"

#include "ir/elem_kinds.h"
#include "ir/interp/scalar_eval.h"
#include "ir/op_kinds.h"
#include "passes/facts.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace xt {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Returns all values of the narrow types; for the others, values for which a simplification could be wrong.
std::vector<Number> valuesOf(Elem elem) {
  std::vector<Number> values;
  if (elemInfo(elem).storageBytes <= 2) {
    for (uint32_t bits = 0; bits < 1u << (8 * elemInfo(elem).storageBytes); ++bits) values.push_back(loadNumber(elem, &bits));
  } else if (isFloat(elem)) {
    for (double x : {0.0, -0.0, 1.0, -1.0, 1.5, -3.25, 1e-45, 1e-310, 3e38, 0x1.fffffep0, 0x1.fffffcp0, kInf, -kInf,
                     std::numeric_limits<double>::quiet_NaN()})
      values.push_back(floatNumber(elem == Elem::TF32 ? roundTo(Elem::F32, x) : roundTo(elem, x)));
  } else {
    for (int64_t x : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{-7}, INT64_MAX, INT64_MIN, int64_t{1} << 31})
      values.push_back(integerNumber(wrapTo(elem, x)));
  }
  return values;
}

bool same(Elem elem, Number a, Number b) {
  if (!isFloat(elem)) return a.i == b.i;
  return (std::isnan(a.f) && std::isnan(b.f)) || std::bit_cast<uint64_t>(a.f) == std::bit_cast<uint64_t>(b.f);
}

bool takes(OperandClass cls, Elem elem) {
  if (cls == OperandClass::AnyInt) return isInteger(elem);
  return cls == OperandClass::AnyFloat ? isFloat(elem) : cls == OperandClass::AnyNumber;
}

class Simplify : public testing::Test {
protected:
  Simplify() : b_(context_, block_) {}

  // If `op`, which uses x (unknown) and constants, can be simplified, counts this and checks it on all values of x.
  void expectSound(Op &op, Value *x, std::string_view what) {
    Value *simple = simplifiedValue(op, context_);
    if (!simple) return;
    ++found_;
    ASSERT_EQ(simple->type(), op.result()->type());
    Elem elem = x->type().elem(), result = op.result()->type().elem();
    auto valueOf = [&](const Value *value, Number unknown) {
      const AttrValue *constant = constantValue(*value);
      return constant ? numberFromAttr(value->type().elem(), *constant) : unknown;
    };
    for (Number unknown : valuesOf(elem)) {
      std::vector<Number> operands;
      for (const Value *operand : op.operands()) operands.push_back(valueOf(operand, unknown));
      Number exact = *evaluateScalar(elementwiseOp(op), operands);
      ASSERT_TRUE(same(result, exact, valueOf(simple, unknown)))
          << what << " " << fullName(op.kind()) << " of " << elemName(elem)
          << ", x = " << (isFloat(elem) ? unknown.f : static_cast<double>(unknown.i));
    }
  }

  Value *constant(Elem elem, double number, int64_t integer) {
    return isFloat(elem) ? b_.constantFloat(context_.scalar(elem), number) : b_.constantInt(context_.scalar(elem), integer);
  }

  Context context_;
  Block block_;
  Builder b_;
  size_t found_ = 0;
};

constexpr Elem kElems[] = {Elem::I1,  Elem::I4,  Elem::I8,   Elem::U8,  Elem::I64,  Elem::U64,    Elem::Index,
                           Elem::F16, Elem::F32, Elem::TF32, Elem::F64, Elem::BF16, Elem::F8E4M3, Elem::F8E5M2};

TEST_F(Simplify, BinaryOpsWithAConstant) {
  struct {
    double number;
    int64_t integer;
  } constants[] = {{0.0, 0}, {-0.0, -1}, {1.0, 1}, {-1.0, 2}, {kInf, INT64_MIN}, {2.0, 3}};
  for (const OpInfo &info : allOps()) {
    if (!info.elementwise || info.operands.size() != 2) continue;
    for (Elem elem : kElems) {
      if (!takes(info.operands[0].type, elem)) continue;
      Value *x = block_.addParam(context_.scalar(elem), "x");
      Type result = info.typeRule == TypeRule::Compare ? context_.i1() : x->type();
      std::vector<std::vector<Value *>> uses{{x, x}};
      for (auto [number, integer] : constants) {
        Value *c = constant(elem, number, integer);
        uses.push_back({x, c});
        uses.push_back({c, x});
      }
      for (const std::vector<Value *> &operands : uses) {
        std::vector<std::string_view> kinds{""};
        if (info.attrs.size()) kinds = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
        if (info.kind == OpKind::CmpF) kinds = {"oeq", "une", "olt", "ole", "ogt", "oge"};
        for (std::string_view kind : kinds) {
          Op *op = b_.create(info.kind, operands, {result});
          if (!kind.empty()) op->setAttr("kind", std::string(kind));
          expectSound(*op, x, info.name);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(found_, 300u); // most of the table applies to most of the types
}

TEST_F(Simplify, ConstantsFoldInEveryOp) {
  for (const OpInfo &info : allOps()) {
    if (!info.elementwise || info.typeRule != TypeRule::Elementwise) continue;
    for (Elem elem : kElems) {
      if (!takes(info.operands[0].type, elem)) continue;
      std::vector<Value *> operands(info.operands.size(), constant(elem, 1.0, 1));
      Op *op = b_.create(info.kind, operands, {context_.scalar(elem)});
      Value *value = simplifiedValue(*op, context_);
      ASSERT_TRUE(value && constantValue(*value)) << info.name << " of " << elemName(elem);
    }
  }
}

TEST_F(Simplify, ABitcastThatGivesANaNIsKept) {
  Value *quiet = b_.constantInt(context_.scalar(Elem::I32), 0x7fc00001),
        *one = b_.constantInt(context_.scalar(Elem::I32), 0x3f800000);
  Type f32 = context_.scalar(Elem::F32);
  EXPECT_EQ(simplifiedValue(*b_.create(OpKind::Bitcast, {quiet}, {f32}), context_), nullptr);
  Value *folded = simplifiedValue(*b_.create(OpKind::Bitcast, {one}, {f32}), context_);
  ASSERT_TRUE(folded);
  EXPECT_EQ(std::get<double>(*constantValue(*folded)), 1.0);
}

TEST_F(Simplify, ATypeIsNeverChanged) {
  LayoutOrError layout = makeLayout(context_, LayoutSpec::of({{2, 1}, {4, 8}}), std::vector<int64_t>{8, 8});
  Type open = context_.vector({8, 8}, Elem::F32), known = context_.withLayout(open, std::get<const Layout *>(layout));
  Value *x = block_.addParam(known), *one = b_.constantFloat(known, 1.0);
  EXPECT_EQ(simplifiedValue(*b_.create(OpKind::MulF, {x, one}, {open}), context_), nullptr);
  EXPECT_EQ(simplifiedValue(*b_.create(OpKind::MulF, {x, one}, {known}), context_), x);
}

} // namespace
} // namespace xt
