#include "lang/lower/early_return.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "lang/lower/bindings.h"
#include "lang/lower/branches.h"
#include "lang/lower/call_lowering.h"
#include "lang/lower/statements.h"

#include <algorithm>
#include <map>
#include <span>

namespace xt {
namespace {

bool returnsInBranch(const ast::Stmt &stmt);

bool contains(const ast::Maybe<ast::Block> &block) {
  return block && std::ranges::any_of(block->stmts, [](const ast::Stmt &stmt) {
           return stmt.kind == ast::Stmt::Kind::Return || returnsInBranch(stmt);
         });
}

// Whether a branch of this `if`, or of one in it, has a `return`.
bool returnsInBranch(const ast::Stmt &stmt) {
  return stmt.kind == ast::Stmt::Kind::If && (contains(stmt.body) || contains(stmt.orElse));
}

// Whether no statement after this one is executed.
bool ends(const ast::Stmt &stmt) {
  auto blockEnds = [](const ast::Maybe<ast::Block> &block) {
    return block && !block->stmts.empty() && ends(block->stmts.back());
  };
  if (stmt.kind == ast::Stmt::Kind::Return) return stmt.values.empty();
  return stmt.kind == ast::Stmt::Kind::If && blockEnds(stmt.body) && blockEnds(stmt.orElse);
}

// The statements after an `if` with a `return` are nested in its branches.
constexpr size_t kMostReturns = 100;

// Statements of several blocks, one block after the other.
using Blocks = std::vector<std::span<const ast::Stmt>>;

class KernelBody {
public:
  explicit KernelBody(KernelState &state) : state_(state) {}
  void lower(const Blocks &blocks);

private:
  void lowerOne(const ast::Stmt &stmt);
  void lowerIfWithReturn(const ast::Stmt &stmt, const Blocks &rest);
  void lowerRegion(Block &region, const ast::Maybe<ast::Block> &block, const Blocks &rest);

  KernelState &state_;
  Op *outermost_ = nullptr; // the outermost op of an `if` with a return
  size_t nested_ = 0;       // the number of such ops around the current statement
  bool tooManyReturns_ = false; // which was reported
  std::map<const ast::Stmt *, Value *> buffers_; // by the statement that allocates each
};

// A buffer exists from the start of the workgroup to its end, even if some workgroups return before its statement. It is the
// same one in both branches in which the statement is lowered.
void KernelBody::lowerOne(const ast::Stmt &stmt) {
  if (auto known = buffers_.find(&stmt); known != buffers_.end())
    return bindResults(state_, stmt, {known->second}, "alloc_slm");
  lowerStatement(state_, stmt);
  Op *last = state_.builder.block().last();
  if (!outermost_ || !last || last->kind() != OpKind::AllocSlm || stmt.kind != ast::Stmt::Kind::Op) return;
  outermost_->block()->moveBefore(outermost_, last);
  buffers_[&stmt] = last->result();
}

void KernelBody::lower(const Blocks &blocks) {
  for (size_t b = 0; b < blocks.size(); ++b)
    for (size_t i = 0; i < blocks[b].size(); ++i) {
      const ast::Stmt &stmt = blocks[b][i];
      bool returns = stmt.kind == ast::Stmt::Kind::Return && stmt.values.empty();
      if (ends(stmt) && i + 1 != blocks[b].size()) {
        state_.diagnostics()
            .report(DiagCode::NotHere, blocks[b][i + 1].range, "this statement is never executed")
            .at(returns ? stmt.range : headerOf(stmt), returns ? "after this `return`" : "both branches return");
        return;
      }
      if (returns) return; // what follows in outer blocks is skipped
      if (tooManyReturns_ || repeatedTooMuch(state_)) return;
      if (returnsInBranch(stmt) && stmt.results.empty() && stmt.resultTypes.empty() && stmt.body) {
        Blocks rest{blocks[b].subspan(i + 1)};
        rest.insert(rest.end(), blocks.begin() + static_cast<ptrdiff_t>(b) + 1, blocks.end());
        return lowerIfWithReturn(stmt, rest);
      }
      lowerOne(stmt);
    }
}

void KernelBody::lowerRegion(Block &region, const ast::Maybe<ast::Block> &block, const Blocks &rest) {
  state_.builder.setEnd(region);
  state_.names.push();
  Blocks blocks;
  if (block) blocks.emplace_back(block->stmts);
  blocks.insert(blocks.end(), rest.begin(), rest.end());
  lower(blocks);
  state_.names.pop();
  state_.builder.setEnd(region);
  state_.builder.create(OpKind::Yield, {}, {});
}

void KernelBody::lowerIfWithReturn(const ast::Stmt &stmt, const Blocks &rest) {
  if (nested_ == kMostReturns) {
    state_.diagnostics()
        .report(DiagCode::NotSupported, headerOf(stmt),
                str("more than ", kMostReturns, " `if`s with a `return` follow one another"))
        .note("combine their conditions with `or`");
    state_.poisoned = tooManyReturns_ = true;
    return;
  }
  ++nested_;
  Value *condition = lowerIfCondition(state_, stmt);
  Op *branch = state_.builder.create(OpKind::If, {condition}, {}, 2);
  if (stmt.expr) branch->setOperandRanges({stmt.expr->range});
  Op *outer = outermost_;
  if (!outermost_) outermost_ = branch;
  Builder before = state_.builder;
  lowerRegion(*branch->region(0), stmt.body, rest);
  // Where neither branch returns at its end, the statements that follow are lowered twice.
  ++state_.repeats;
  lowerRegion(*branch->region(1), stmt.orElse, rest);
  --state_.repeats;
  state_.builder = before;
  outermost_ = outer;
  --nested_;
}

} // namespace

void lowerKernelBody(KernelState &state, const ast::Block &body) { KernelBody(state).lower({body.stmts}); }

} // namespace xt
