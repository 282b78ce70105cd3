#include "lang/parse/statement_builder.h"

#include <algorithm>

namespace xt {

using ast::Block;
using ast::Stmt;
using P = xtg::XtParser;

namespace {

// Form lines at the start of a body belong to the kernel; elsewhere they are statements without effect.
bool isFormLine(P::StmtContext *ctx) { return as<P::FormStmtContext>(ctx) != nullptr; }

} // namespace

Block StatementBuilder::block(P::BlockContext *ctx, bool behindDo) {
  Block out;
  out.range = tree_.range(ctx);
  if (!ctx) return out;
  if (P::BlockLabelContext *label = ctx->blockLabel()) {
    out.label = {std::string(tree_.slice(tree_.range(label->LABEL()))), tree_.range(label->LABEL())};
    out.params = types_.params(label->params());
    if (!behindDo)
      tree_.report(DiagCode::NotHere, out.label.range,
                   "a label is allowed only at the start of the block after the `do` of a `while`");
  }
  auto behind = std::partition_point(like_.begin() + static_cast<ptrdiff_t>(nextLike_), like_.end(),
                                     [&](const LikeLine &l) { return l.first->begin < out.range.end; });
  out.stmts.reserve(ctx->children.size() / 2 + static_cast<size_t>(behind - like_.begin()) - nextLike_); // statements are large
  for (antlr4::tree::ParseTree *child : ctx->children) {
    auto *written = as<P::LineContext>(child);
    if (!written) {
      addDroppedToken(tree_, child, out);
      continue;
    }
    uint32_t begin = tree_.range(written).begin;
    likeLines(begin, out);
    if (!like_.empty()) models_[begin] = written;
    line(written, out);
  }
  likeLines(out.range.end, out);
  return out;
}

void StatementBuilder::line(P::LineContext *ctx, Block &out) {
  P::StmtContext *s = ctx->stmt();
  if (!s || isFormLine(s) || s->children.empty()) return;
  stmt(s, out.stmts.emplace_back());
  if (losses_.broken(ctx)) out.stmts.back().kind = Stmt::Kind::Error;
}

void StatementBuilder::likeLines(uint32_t end, Block &out) {
  for (; nextLike_ < like_.size() && like_[nextLike_].first->begin < end; ++nextLike_) {
    const LikeLine &like = like_[nextLike_];
    P::LineContext *model = models_.at(like.model);
    stream_.move(model->start->getTokenIndex(), like.first, like.count);
    line(model, out);
  }
}

template <class OpPart, class ForPart, class WhilePart, class IfPart>
void StatementBuilder::compound(antlr4::ParserRuleContext *ctx, Stmt &out) {
  if (auto *part = as<OpPart>(ctx)) {
    out.kind = Stmt::Kind::Op;
    out.op = ops_.op(part->op());
  }
  if (auto *part = as<ForPart>(ctx)) forLoop(part->forLoop(), out);
  if (auto *part = as<WhilePart>(ctx)) whileLoop(part->whileLoop(), out);
  if (auto *part = as<IfPart>(ctx)) ifElse(part->ifElse(), out);
}

void StatementBuilder::stmt(P::StmtContext *ctx, Stmt &out) {
  out.range = tree_.range(ctx);
  if (auto *s = as<P::BindStmtContext>(ctx)) {
    if (s->results()) results(s->results(), out);
    rightHandSide(s->rhs(), out);
  }
  compound<P::OpStmtContext, P::ForStmtContext, P::WhileStmtContext, P::IfStmtContext>(ctx, out);
  if (auto *s = as<P::YieldStmtContext>(ctx)) {
    out.kind = Stmt::Kind::Yield;
    valuesAndSignature(s->values(), s->signature(), out);
  }
  if (auto *s = as<P::ConditionStmtContext>(ctx)) {
    out.kind = Stmt::Kind::Condition;
    if (s->expr()) out.expr = exprs_.expr(s->expr());
    valuesAndSignature(s->values(), s->signature(), out);
  }
  if (auto *s = as<P::ReturnStmtContext>(ctx)) {
    out.kind = Stmt::Kind::Return;
    valuesAndSignature(s->values(), s->signature(), out);
  }
  if (auto *s = as<P::CallStmtContext>(ctx)) {
    out.kind = Stmt::Kind::Call;
    if (s->call()) out.expr = exprs_.call(s->call());
    exprWithTail(s->attrGroup(), s->signature(), out);
  }
}

void StatementBuilder::results(P::ResultsContext *ctx, Stmt &out) {
  for (P::ResultContext *r : ctx->result()) {
    ast::Binding binding;
    binding.name = tree_.boundName(r->VALUE());
    if (r->INT()) binding.count = exprs_.number(r->INT()->getSymbol()).integer;
    out.results.push_back(std::move(binding));
  }
}

void StatementBuilder::valuesAndSignature(P::ValuesContext *values, P::SignatureContext *sig, Stmt &out) {
  if (values)
    for (P::ValueContext *v : values->value()) out.values.push_back(exprs_.value(v));
  if (sig) out.signature = types_.signature(sig);
}

void StatementBuilder::rightHandSide(P::RhsContext *ctx, Stmt &out) {
  compound<P::OpRhsContext, P::ForRhsContext, P::WhileRhsContext, P::IfRhsContext>(ctx, out);
  if (auto *r = as<P::ExprRhsContext>(ctx)) {
    out.kind = Stmt::Kind::Assign;
    out.expr = exprs_.expr(r->expr());
    exprWithTail(r->attrGroup(), r->signature(), out);
  }
}

void StatementBuilder::exprWithTail(const std::vector<P::AttrGroupContext *> &list, P::SignatureContext *sig, Stmt &out) {
  for (P::AttrGroupContext *g : list) {
    ast::Attr dict = types_.group(g);
    if (!out.attrs) {
      out.attrs = std::move(dict);
    } else { // merge several groups
      out.attrs->range = out.attrs->range.to(dict.range);
      for (ast::Attr::Entry &e : dict.entries) out.attrs->entries.push_back(std::move(e));
    }
  }
  if (!sig) return;
  ast::Signature written = types_.signature(sig);
  if (!written.hasArrow && written.left.size() == 1)
    out.type = std::move(written.left[0]);
  else
    out.signature = std::move(written);
}

void StatementBuilder::forLoop(P::ForLoopContext *ctx, Stmt &out) {
  out.kind = Stmt::Kind::For;
  if (!ctx) return;
  out.variable = tree_.boundName(ctx->VALUE());
  auto bounds = ctx->expr();
  if (!bounds.empty()) out.lower = exprs_.expr(bounds[0]);
  if (bounds.size() > 1) out.upper = exprs_.expr(bounds[1]);
  if (bounds.size() > 2) out.step = exprs_.expr(bounds[2]);
  iterArgs(ctx->iterArgs(), out);
  out.resultTypes = types_.types(ctx->typeList());
  if (ctx->type()) out.type = types_.type(ctx->type());
  out.body = block(ctx->block());
}

void StatementBuilder::whileLoop(P::WhileLoopContext *ctx, Stmt &out) {
  out.kind = Stmt::Kind::While;
  if (!ctx) return;
  auto blocks = ctx->block();
  auto lists = ctx->typeList();
  if (ctx->expr()) {
    out.expr = exprs_.expr(ctx->expr());
    iterArgs(ctx->iterArgs(), out);
    out.resultTypes = types_.types(lists.empty() ? nullptr : lists[0]);
    out.body = block(blocks.empty() ? nullptr : blocks[0]);
    return;
  }
  iterArgs(ctx->iterArg(), out);
  ast::Signature written;
  if (!lists.empty())
    written.left = types_.types(lists[0]), written.range = tree_.range(lists.front()).to(tree_.range(lists.back()));
  if (lists.size() > 1) written.right = types_.types(lists[1]);
  written.hasArrow = true;
  out.signature = std::move(written);
  out.body = block(blocks.empty() ? nullptr : blocks[0]);
  out.orElse = block(blocks.size() > 1 ? blocks[1] : nullptr, true);
}

void StatementBuilder::iterArgs(const std::vector<P::IterArgContext *> &list, Stmt &out) {
  for (P::IterArgContext *a : list) out.iterArgs.push_back({tree_.boundName(a->VALUE()), exprs_.expr(a->expr())});
}

void StatementBuilder::iterArgs(P::IterArgsContext *ctx, Stmt &out) {
  if (ctx) iterArgs(ctx->iterArg(), out);
}

void StatementBuilder::ifElse(P::IfElseContext *ctx, Stmt &out) {
  out.kind = Stmt::Kind::If;
  if (!ctx) return;
  out.expr = exprs_.expr(ctx->expr());
  out.resultTypes = types_.types(ctx->typeList());
  out.body = block(ctx->block());
  P::OrElseContext *orElse = ctx->orElse();
  if (!orElse) return;
  if (orElse->ifElse()) {
    Stmt nested;
    nested.range = tree_.range(orElse->ifElse());
    ifElse(orElse->ifElse(), nested);
    Block wrapped;
    wrapped.range = nested.range;
    wrapped.stmts.push_back(std::move(nested));
    out.orElse = std::move(wrapped);
  } else {
    out.orElse = block(orElse->block());
  }
}

} // namespace xt
