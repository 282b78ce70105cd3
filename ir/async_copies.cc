#include "ir/async_copies.h"

#include "ir/op_kinds.h"

namespace xt {
namespace {

bool isCopy(const Value *token) { return token->definingOp() && token->definingOp()->kind() == OpKind::AsyncCopy; }

std::string_view copyMistake(const Op &copy) {
  bool isCommitted = false;
  for (Use use : copy.result()->uses()) {
    if (use.user->regionCount() || use.user->kind() == OpKind::Yield)
      return "no loop or branch carries the token of a copy: if its name is bound again inside, use another name there";
    isCommitted |=
        use.user->kind() == OpKind::AsyncCommit || use.user->kind() == OpKind::AsyncWait; // a wait has its own mistake
  }
  return isCommitted ? "" : "nothing can wait for this copy: its token goes to no `async_commit`";
}

} // namespace

std::string_view tokenMistake(const Op &op) {
  if (op.kind() == OpKind::AsyncCopy) return copyMistake(op);
  if (op.kind() == OpKind::AsyncWait && isCopy(op.operand(0)))
    return "`async_wait` waits for a group, and this is the token of a copy";
  if (op.kind() != OpKind::AsyncCommit) return "";
  for (const Value *copy : op.operands())
    if (!isCopy(copy)) return "`async_commit` takes the tokens of `async_copy` ops";
  return "";
}

} // namespace xt
