#include "targets/llvm/lane/products.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "targets/llvm/lane/exchange.h"

namespace xt {

Fragment inOrderOfRegisters(const Fragment &elements, const RegisterLayout &layout) {
  Fragment ordered(elements.size());
  for (size_t k = 0; k < elements.size(); ++k) ordered[layout.registers[k]] = elements[k];
  return ordered;
}

Fragment inOrderOfElements(const Fragment &registers, const RegisterLayout &layout) {
  Fragment own(registers.size());
  for (size_t k = 0; k < own.size(); ++k) own[k] = registers[layout.registers[k]];
  return own;
}

DpasFragments LaneProducts::fragmentsOf(const Op &dpas) {
  auto found = dpasFragments(c.types, dpas.operand(0)->type(), dpas.operand(1)->type(), dpas.result()->type(), c.kernel.lanes);
  const auto *fragments = std::get_if<DpasFragments>(&found);
  XT_CHECK(fragments, "the type rule has found these fragments");
  return *fragments;
}

LaneProducts::Instruction LaneProducts::instructionFor(const DpasFragments &product, const Op &dpas) {
  const MmaInstruction *row =
      findProduct(c.target, {dpas.operand(0)->type().elem(), dpas.operand(1)->type().elem(), dpas.result()->type().elem(),
                             product.rows, product.columns, product.depth});
  if (!row) return {};
  auto known = c.operandLayouts.find(row);
  if (known == c.operandLayouts.end()) {
    std::array<RegisterLayout, 3> layouts{registerLayout(c.types, row->aLayout), registerLayout(c.types, row->bLayout),
                                          registerLayout(c.types, row->cLayout)};
    known = c.operandLayouts.emplace(row, std::move(layouts)).first;
  }
  for (const RegisterLayout &operand : known->second)
    if (!operand.layout || operand.layout->axisSize(Axis::Lane) != c.kernel.lanes) return {};
  return {row, &known->second};
}

const Op *LaneProducts::firstWithoutInstruction() {
  const Op *found = nullptr;
  walk(c.kernel.body, [&](const Op &op) {
    if (!found && op.kind() == OpKind::Dpas && !instructionFor(fragmentsOf(op), op).row) found = &op;
  });
  return found;
}

LaneProducts::Operand LaneProducts::ownOperand(const Op &dpas, size_t operand) {
  DpasFragments product = fragmentsOf(dpas);
  Instruction found = instructionFor(product, dpas);
  if (!found.row) return {};
  const RegisterLayout &registers = (*found.layouts)[operand];
  const Layout *own = operand == 0 ? product.a : operand == 1 ? product.b : product.c;
  return own == registers.layout ? Operand{found.row, &registers} : Operand{};
}

// Returns an operand of the op in the order of the instruction's registers. Elements that other lanes hold are shuffled.
Fragment LaneProducts::inRegisters(const Op &dpas, size_t operand, const Layout *own, const RegisterLayout &wanted) {
  const Value *value = dpas.operand(operand);
  Fragment elements = v.fragment(value);
  if (wanted.layout != own) {
    elements = LaneExchange(c).dealtAs(elements, value->type().elem(), *own, *wanted.layout);
    c.diagnostics.report(DiagCode::BlockRemark, dpas.range(),
                         str("`dpas` needs operand ", std::string_view("abc").substr(operand, 1), " in the layout ",
                             wanted.layout->text(), ": its elements are first exchanged between lanes"));
  }
  return inOrderOfRegisters(elements, wanted);
}

void LaneProducts::emitDpas(const Op &op) {
  DpasFragments product = fragmentsOf(op);
  Instruction instruction = instructionFor(product, op);
  XT_CHECK(instruction.row, "a product that the target has");
  const auto &[ofA, ofB, ofC] = *instruction.layouts;
  Elem elem = op.result()->type().elem();
  Fragment left = inRegisters(op, 0, product.a, ofA), right = inRegisters(op, 1, product.b, ofB),
           sum = op.operandCount() > 2 ? inRegisters(op, 2, product.c, ofC)
                                       : LaneValues::splat(ops.zero(elem, 0), ofC.registers.size());
  Fragment made = c.device.product(c, *instruction.row, left, right, sum);
  XT_CHECK(made.size() == ofC.registers.size(), "the device gives all registers of the result");
  Fragment own = inOrderOfElements(made, ofC);
  if (ofC.layout != product.c) own = LaneExchange(c).dealtAs(own, elem, *ofC.layout, *product.c);
  v.setFragment(op.result(), std::move(own));
}

// Used if there is no instruction: each lane has all of `a`, and multiplies it by its columns of `b`. 16-bit sums are
// accumulated in f32 and rounded once.
void LaneProducts::emitTileMma(const Op &op) {
  Type a = op.operand(0)->type(), result = op.result()->type();
  Elem elem = result.elem(), work = isInteger(elem) || elem == Elem::F64 ? elem : Elem::F32;
  auto rows = static_cast<size_t>(a.extent(0)), depth = static_cast<size_t>(a.extent(1)),
       columns = static_cast<size_t>(result.extent(1));
  auto widened = [&](size_t operand) {
    Elem own = op.operand(operand)->type().elem();
    Fragment wide;
    for (LlvmValue *part : v.chunksOf(v.fragment(op.operand(operand)), own))
      append(wide, own == Elem::F64 ? part : ops.mmaOperand(part, own));
    return wide;
  };
  Fragment left = widened(0), right = widened(1), sums;
  if (op.operandCount() == 2)
    sums = v.splat(ops.zero(work, 0), rows * columns);
  else
    for (LlvmValue *part : v.chunksOf(v.fragment(op.operand(2)), elem))
      append(sums, isFloat(elem) ? ops.convertFloat(part, elem, work) : part);
  unsigned bits = ops.type(work, 0)->getScalarSizeInBits();
  Fragment done(rows * columns);
  for (size_t n = 0; n < columns; ++n)
    for (size_t r = 0; r < rows;) { // several rows of a column at a time
      size_t length = chunkLength(bits, rows - r);
      Fragment part;
      for (size_t i = 0; i < length; ++i) part.push_back(sums[(r + i) * columns + n]);
      LlvmValue *sum = together(b, part);
      for (size_t k = 0; k < depth; ++k) {
        Fragment x;
        for (size_t i = 0; i < length; ++i) x.push_back(left[(r + i) * depth + k]);
        LlvmValue *factor = together(b, x), *other = together(b, v.splat(scalarOf(b, right[k * columns + n]), length));
        sum = isInteger(work) ? b.CreateAdd(sum, b.CreateMul(factor, other)) : b.CreateFAdd(sum, b.CreateFMul(factor, other));
      }
      if (isFloat(elem)) sum = ops.convertFloat(sum, work, elem);
      Fragment own;
      append(own, sum);
      for (size_t i = 0; i < length; ++i) done[(r + i) * columns + n] = own[i];
      r += length;
    }
  v.setFragment(op.result(), std::move(done));
}

} // namespace xt
