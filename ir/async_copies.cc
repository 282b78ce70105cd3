#include "ir/async_copies.h"

#include "ir/op_kinds.h"

namespace xt {

std::string_view tokenMistake(const Op &op) {
  if (op.kind() == OpKind::AsyncCopy) {
    const UseList &uses = op.result()->uses();
    if (uses.empty()) return "nothing can wait for this copy: its token goes to no `async_commit`";
    for (Use use : uses) {
      if (use.user->regionCount() || use.user->kind() == OpKind::Yield)
        return "no loop or branch carries the token of a copy: if its name is bound again inside, use another name there";
      if (use.user->kind() != OpKind::AsyncCommit)
        return "the token of a copy only goes to an `async_commit`, whose token is the group's";
    }
    return "";
  }
  if (op.kind() != OpKind::AsyncCommit) return "";
  for (const Value *copy : op.operands())
    if (!copy->definingOp() || copy->definingOp()->kind() != OpKind::AsyncCopy)
      return "`async_commit` takes the tokens of `async_copy` ops";
  return "";
}

} // namespace xt
