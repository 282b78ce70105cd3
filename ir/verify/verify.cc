#include "ir/verify/verify.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/header_ops.h"
#include "ir/print.h"
#include "ir/verify/verifier.h"

#include <unordered_set>

namespace xt {

bool Verifier::fail(const Op &op, std::string what) {
  if (++violations_ <= kMaxViolations)
    diagnostics_.report(DiagCode::InvalidIr, op.range(), str("kernel ", symbolText(kernel_.name), ": ", what))
        .note(str("in `", print(op), "`"));
  return false;
}

bool Verifier::fail(std::string what) {
  if (++violations_ <= kMaxViolations)
    diagnostics_.report(DiagCode::InvalidIr, kernel_.nameRange, str("kernel ", symbolText(kernel_.name), ": ", what));
  return false;
}

void Verifier::define(const Value &value) {
  values_.push_back(&value);
  sight_.push_back(&value);
  states_[&value] = {};
}

bool Verifier::inSight(const Value *value) const {
  auto found = states_.find(value);
  return found != states_.end() && found->second.inSight;
}

bool Verifier::run() {
  // Later checks rely on properties that earlier checks have established.
  if (!header()) return false;
  bool ok = block(kernel_.body, nullptr, 0);
  sight_.clear();
  ok &= block(kernel_.gridBlock, nullptr, 0) && gridOps() && grid() && requirements();
  return ok && useLists();
}

bool Verifier::header() {
  const auto &params = kernel_.body.params(), &gridParams = kernel_.gridBlock.params();
  if (kernel_.name.empty()) return fail("has no name");
  if (kernel_.subgroups < 1) return fail(str("has ", kernel_.subgroups, " subgroups"));
  if (kernel_.lanes < 1 || (kernel_.lanes > 1 && kernel_.scope != Scope::Lane))
    return fail(str("has ", kernel_.lanes, " lanes"));
  if (params.size() != kernel_.paramCount + kernel_.grid.size())
    return fail(str("its body has ", params.size(), " parameters for ", kernel_.paramCount, " of the kernel and ",
                    kernel_.grid.size(), " grid variables"));
  if (gridParams.size() != kernel_.paramCount) return fail("its grid does not have the kernel's parameters");
  for (size_t i = 0; i < kernel_.paramCount; ++i) {
    Type type = params[i]->type();
    if (!type || !(type.isMemRef() || type.isScalar()))
      return fail(str("its ", ordinal(i + 1), " parameter is ", typeText(type), ", neither a memref nor a scalar"));
    if (gridParams[i]->type() != type) return fail("its grid and its body have parameters of different types");
  }
  return true;
}

bool Verifier::gridOps() {
  for (const Op &op : kernel_.gridBlock)
    if (!isHeaderOp(op)) return fail(op, "a header takes constants, extents and arithmetic on scalars only");
  return true;
}

bool Verifier::grid() {
  if (kernel_.grid.size() > 3) return fail("its grid has more than three variables");
  for (size_t d = 0; d < kernel_.grid.size(); ++d) {
    const GridDim &dim = kernel_.grid[d];
    if (dim.variable != kernel_.body.param(kernel_.paramCount + d) || !dim.variable->type().isIndex())
      return fail(str("its ", ordinal(d + 1), " grid variable does not match the index parameter of the body"));
    for (const Value *bound : {dim.lower, dim.upper, dim.step}) {
      if (!ofHeader(bound) || !bound->type().isIndex())
        return fail(str("a bound of its ", ordinal(d + 1), " grid variable is not an index of the grid"));
    }
  }
  return true;
}

// Whether the host computes the value before a launch.
bool Verifier::ofHeader(const Value *value) const {
  if (!value || !inSight(value)) return false;
  return (value->definingOp() ? value->definingOp()->block() : value->definingBlock()) == &kernel_.gridBlock;
}

bool Verifier::requirements() {
  for (size_t i = 0; i < kernel_.requirements.size(); ++i) {
    const Value *condition = kernel_.requirements[i].condition;
    if (!ofHeader(condition) || !condition->type().isScalar(Elem::I1))
      return fail(str("its ", ordinal(i + 1), " requirement is not an i1 of the grid's block"));
  }
  return true;
}

bool Verifier::block(const Block &block, const Op *parent, int depth) {
  if (depth >= kMaxVerifyDepth) return fail("regions nest too deeply");
  if (block.parentOp() != parent) return fail("a block is not linked to its op");
  size_t mark = sight_.size();
  bool ok = blockEnds(block, parent);
  for (size_t i = 0; i < block.params().size(); ++i) {
    const Value &param = *block.param(i);
    if (param.definingBlock() != &block || param.definingOp() || param.index() != i || !param.type())
      return fail("a parameter of a block is not linked to it");
    define(param);
  }
  for (const Op &op : block) {
    if (!links(op, block, parent)) return false;
    bool sound = visibleOperands(op) && this->op(op);
    for (size_t i = 0; sound && i < op.regionCount(); ++i) sound = this->block(*op.region(i), &op, depth + 1);
    // The results of a broken op stay visible, so that one mistake gives one message.
    for (size_t i = 0; i < op.resultCount(); ++i) define(*op.result(i));
    ok &= sound;
  }
  // The values of the grid's block stay visible, because the grid's bounds, which are checked last, use them.
  if (&block == &kernel_.gridBlock) return ok;
  for (; sight_.size() > mark; sight_.pop_back()) states_[sight_.back()].inSight = false;
  return ok;
}

bool Verifier::blockEnds(const Block &block, const Op *parent) {
  for (const Op &op : block)
    if (has(op.info().effects, Effect::Terminates) != (parent && &op == block.last()))
      return fail(op, parent ? "a region must have one terminator, as its last op" : "a kernel's body has no terminator");
  return true;
}

bool Verifier::links(const Op &op, const Block &block, const Op *) {
  bool ok = op.block() == &block && (op.previous() ? op.previous()->next() == &op : block.first() == &op) &&
            (op.next() ? op.next()->previous() == &op : block.last() == &op);
  for (size_t i = 0; i < op.resultCount(); ++i)
    ok &= op.result(i)->definingOp() == &op && op.result(i)->index() == i && op.result(i)->type();
  return ok || fail("an op is not linked to its block or its results, or a result has no type");
}

bool Verifier::visibleOperands(const Op &op) {
  for (size_t i = 0; i < op.operandCount(); ++i) {
    if (!inSight(op.operand(i))) return fail(op, str("the ", ordinal(i + 1), " operand is not defined where it is used"));
    ++states_[op.operand(i)].uses;
  }
  return true;
}

bool Verifier::useLists() {
  for (const Value *value : values_) {
    bool ok = value->uses().size() == states_[value].uses;
    for (Use use : value->uses()) ok &= use.operand < use.user->operandCount() && use.user->operand(use.operand) == value;
    if (!ok) return fail("the list of a value's uses is wrong");
  }
  return true;
}

namespace {

bool verifyTest(const Module &module, const HostTest &test, Diagnostics &diagnostics) {
  bool ok = true;
  for (const HostStmt &stmt : test.body) {
    if (stmt.kind != HostStmt::Kind::Launch) continue;
    const Kernel *kernel = module.findKernel(stmt.kernel);
    if (kernel && kernel->paramCount == stmt.args.size()) continue;
    ok = false;
    diagnostics.report(
        DiagCode::InvalidIr, stmt.range,
        str("test ", quotedText(test.name), ": ",
            kernel ? "launches with a wrong number of arguments: " : "launches a kernel that is not in the module: ",
            symbolText(stmt.kernel)));
  }
  return ok;
}

bool hasForm(Form form, const Kernel &kernel, Context &context, Diagnostics &diagnostics) {
  Diagnostics found;
  bool holds = verifyForm(form, kernel, context, found).ok();
  for (const Diagnostic &reason : found.all()) {
    Diagnostic &reported = diagnostics.report(reason.code, reason.range, "");
    reported = reason;
    reported.message =
        str("kernel ", symbolText(kernel.name), " does not have the form `", formText(form), "`: ", reason.message);
  }
  return holds;
}
} // namespace

Result<void> verify(const Module &module, Diagnostics &diagnostics) {
  bool ok = true;
  std::unordered_set<std::string_view> names;
  for (const auto &kernel : module.kernels) {
    if (!names.insert(kernel->name).second) {
      ok = false;
      diagnostics.report(DiagCode::InvalidIr, kernel->nameRange, str("two kernels are called ", symbolText(kernel->name)));
    }
    bool sound = Verifier(*kernel, module.context(), diagnostics).run();
    for (size_t f = 0; sound && f < kFormCount; ++f)
      if (kernel->forms.has(static_cast<Form>(f)))
        sound = hasForm(static_cast<Form>(f), *kernel, module.context(), diagnostics);
    ok &= sound;
  }
  for (const HostTest &test : module.tests) ok &= verifyTest(module, test, diagnostics);
  if (!ok) return Error::diagnosed();
  return {};
}

} // namespace xt
