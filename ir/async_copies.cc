#include "ir/async_copies.h"

#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

bool isToken(const Value *value) { return value->type().is(TypeKind::Token); }
bool isCopy(const Value *token) { return token->definingOp() && token->definingOp()->kind() == OpKind::AsyncCopy; }

std::optional<AsyncMistake> copyMistake(const Op &copy) {
  auto space = [&](size_t operand) { return copy.operand(operand)->type().data().space; };
  if (space(0) != MemorySpace::Global)
    return AsyncMistake{DiagCode::OperandType, copy.operandRange(0),
                        "`async_copy` copies from global memory, but this tile is in shared local memory"};
  if (space(1) != MemorySpace::Slm)
    return AsyncMistake{DiagCode::OperandType, copy.operandRange(1),
                        "`async_copy` copies to shared local memory, but this tile is in global memory"};
  size_t groups = 0;
  for (Use use : copy.result()->uses()) {
    if (use.user->regionCount() || use.user->kind() == OpKind::Yield)
      return AsyncMistake{DiagCode::NotHere, copy.range(),
                          "a loop or branch cannot carry the token of a copy: use another name for it inside"};
    if (use.user->kind() == OpKind::AsyncWait) return std::nullopt; // the mistake is reported at the async_wait
    if (use.user->block() != copy.block()) return std::nullopt;
    ++groups;
  }
  if (groups == 1) return std::nullopt;
  return AsyncMistake{DiagCode::NotHere, copy.range(),
                      groups ? "a copy can belong to only one group: pass its token to one `async_commit`"
                             : "nothing can wait for this copy: its token is not passed to an `async_commit`"};
}

std::optional<AsyncMistake> commitMistake(const Op &commit) {
  for (size_t i = 0; i < commit.operandCount(); ++i) {
    const Value *copy = commit.operand(i);
    if (!isCopy(copy))
      return AsyncMistake{DiagCode::NotHere, commit.operandRange(i), "`async_commit` takes the tokens of `async_copy` ops"};
    if (copy->definingOp()->block() != commit.block())
      return AsyncMistake{DiagCode::NotHere, commit.operandRange(i), "a copy and its `async_commit` must be in the same block"};
  }
  return std::nullopt;
}

} // namespace

std::optional<AsyncMistake> asyncMistake(const Op &op) {
  if (op.kind() == OpKind::AsyncCopy) return copyMistake(op);
  if (op.kind() == OpKind::AsyncCommit) return commitMistake(op);
  if (op.kind() == OpKind::AsyncWait && isCopy(op.operand(0)))
    return AsyncMistake{DiagCode::NotHere, op.operandRange(0),
                        "`async_wait` waits for a group, but this is the token of a copy"};
  return std::nullopt;
}

const Op *firstAsyncOp(const Block &block) {
  const Op *found = nullptr;
  walk(block, [&](const Op &op) {
    bool takes = std::any_of(op.operands().begin(), op.operands().end(), isToken), makes = false;
    for (size_t i = 0; i < op.resultCount(); ++i) makes |= isToken(op.result(i));
    if (!found && (takes || makes)) found = &op;
  });
  return found;
}

} // namespace xt
