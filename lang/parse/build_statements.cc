#include "lang/parse/ast_builder.h"

#include <algorithm>

namespace xt {

using ast::Block;
using ast::Expr;
using ast::Stmt;
using P = xtg::XtParser;

namespace {

// Form lines at the start of a body belong to the kernel; elsewhere they are statements without effect.
bool isFormLine(P::StmtContext *ctx) { return as<P::FormStmtContext>(ctx) != nullptr; }

} // namespace

// Handles a token of a line that starts no statement. The parse tree has such tokens directly in the block.
void AstBuilder::droppedToken(antlr4::tree::ParseTree *child, Block &out) {
  antlr4::tree::TerminalNode *node = xtg::terminal(child);
  if (!node) return;
  size_t type = node->getSymbol()->getType();
  SourceRange where = range(node);
  if (type == P::LBLOCK || type == P::NL || (type == P::RBLOCK && where.end == out.range.end)) return;
  bool goesOn = !out.stmts.empty() && out.stmts.back().kind == Stmt::Kind::Error &&
                slice({file_, out.stmts.back().range.end, where.begin}).find('\n') == std::string_view::npos;
  if (goesOn) {
    out.stmts.back().range.end = where.end;
    return;
  }
  out.stmts.emplace_back().range = where;
}

Block AstBuilder::block(P::BlockContext *ctx, bool behindDo) {
  Block out;
  out.range = range(ctx);
  if (!ctx) return out;
  if (P::BlockLabelContext *label = ctx->blockLabel()) {
    out.label = {std::string(slice(range(label->LABEL()))), range(label->LABEL())};
    out.params = params(label->params());
    if (!behindDo) report(DiagCode::NotHere, out.label.range, "a label can begin only the block after the `do` of a `while`");
  }
  auto behind = std::partition_point(like_.begin() + static_cast<ptrdiff_t>(nextLike_), like_.end(),
                                     [&](const LikeLine &l) { return l.first->begin < out.range.end; });
  out.stmts.reserve(ctx->children.size() / 2 + static_cast<size_t>(behind - like_.begin()) - nextLike_); // statements are large
  for (antlr4::tree::ParseTree *child : ctx->children) {
    auto *written = as<P::LineContext>(child);
    if (!written) {
      droppedToken(child, out);
      continue;
    }
    uint32_t begin = range(written).begin;
    likeLines(begin, out);
    if (!like_.empty()) models_[begin] = written;
    line(written, out);
  }
  likeLines(out.range.end, out);
  return out;
}

void AstBuilder::line(P::LineContext *ctx, Block &out) {
  P::StmtContext *s = ctx->stmt();
  if (!s || isFormLine(s) || s->children.empty()) return;
  stmt(s, out.stmts.emplace_back());
  if (broken(ctx)) out.stmts.back().kind = Stmt::Kind::Error;
}

void AstBuilder::likeLines(uint32_t end, Block &out) {
  for (; nextLike_ < like_.size() && like_[nextLike_].first->begin < end; ++nextLike_) {
    const LikeLine &like = like_[nextLike_];
    P::LineContext *model = models_.at(like.model);
    stream_.move(model->start->getTokenIndex(), like.first, like.count);
    line(model, out);
  }
}

void AstBuilder::stmt(P::StmtContext *ctx, Stmt &out) {
  out.range = range(ctx);
  if (auto *s = as<P::BindStmtContext>(ctx)) {
    if (s->results())
      for (P::ResultContext *r : s->results()->result()) {
        ast::Binding binding;
        binding.name = boundName(r->VALUE());
        if (r->INT()) binding.count = number(r->INT()->getSymbol()).integer;
        out.results.push_back(std::move(binding));
      }
    rightHandSide(s->rhs(), out);
  }
  if (auto *s = as<P::OpStmtContext>(ctx)) {
    out.kind = Stmt::Kind::Op;
    if (s->op()) out.op = op(s->op());
  }
  if (auto *s = as<P::ForStmtContext>(ctx)) {
    forLoop(s->forLoop(), out);
  }
  if (auto *s = as<P::WhileStmtContext>(ctx)) {
    whileLoop(s->whileLoop(), out);
  }
  if (auto *s = as<P::IfStmtContext>(ctx)) {
    ifElse(s->ifElse(), out);
  }
  if (auto *s = as<P::YieldStmtContext>(ctx)) {
    out.kind = Stmt::Kind::Yield;
    if (s->values())
      for (P::ValueContext *v : s->values()->value()) out.values.push_back(value(v));
    if (s->signature()) out.signature = signature(s->signature());
  }
  if (auto *s = as<P::ConditionStmtContext>(ctx)) {
    out.kind = Stmt::Kind::Condition;
    if (s->expr()) out.expr = expr(s->expr());
    if (s->values())
      for (P::ValueContext *v : s->values()->value()) out.values.push_back(value(v));
    if (s->signature()) out.signature = signature(s->signature());
  }
  if (auto *s = as<P::ReturnStmtContext>(ctx)) {
    out.kind = Stmt::Kind::Return;
    if (s->values())
      for (P::ValueContext *v : s->values()->value()) out.values.push_back(value(v));
    if (s->signature()) out.signature = signature(s->signature());
  }
  if (auto *s = as<P::CallStmtContext>(ctx)) {
    out.kind = Stmt::Kind::Call;
    if (s->call()) out.expr = call(s->call());
    exprWithTail(s->attrGroup(), s->signature(), out);
  }
}

void AstBuilder::rightHandSide(P::RhsContext *ctx, Stmt &out) {
  if (auto *r = as<P::OpRhsContext>(ctx)) {
    out.kind = Stmt::Kind::Op;
    out.op = op(r->op());
  }
  if (auto *r = as<P::ForRhsContext>(ctx)) {
    forLoop(r->forLoop(), out);
  }
  if (auto *r = as<P::WhileRhsContext>(ctx)) {
    whileLoop(r->whileLoop(), out);
  }
  if (auto *r = as<P::IfRhsContext>(ctx)) {
    ifElse(r->ifElse(), out);
  }
  if (auto *r = as<P::ExprRhsContext>(ctx)) {
    out.kind = Stmt::Kind::Assign;
    out.expr = expr(r->expr());
    exprWithTail(r->attrGroup(), r->signature(), out);
  }
}

void AstBuilder::exprWithTail(const std::vector<P::AttrGroupContext *> &list, P::SignatureContext *sig, Stmt &out) {
  for (P::AttrGroupContext *g : list) {
    ast::Attr dict = group(g);
    if (!out.attrs) {
      out.attrs = std::move(dict);
    } else { // merge several groups
      out.attrs->range = out.attrs->range.to(dict.range);
      for (ast::Attr::Entry &e : dict.entries) out.attrs->entries.push_back(std::move(e));
    }
  }
  if (!sig) return;
  ast::Signature written = signature(sig);
  if (!written.hasArrow && written.left.size() == 1)
    out.type = std::move(written.left[0]);
  else
    out.signature = std::move(written);
}

void AstBuilder::forLoop(P::ForLoopContext *ctx, Stmt &out) {
  out.kind = Stmt::Kind::For;
  if (!ctx) return;
  out.variable = boundName(ctx->VALUE());
  auto bounds = ctx->expr();
  if (!bounds.empty()) out.lower = expr(bounds[0]);
  if (bounds.size() > 1) out.upper = expr(bounds[1]);
  if (bounds.size() > 2) out.step = expr(bounds[2]);
  iterArgs(ctx->iterArgs(), out);
  out.resultTypes = types(ctx->typeList());
  if (ctx->type()) out.type = type(ctx->type());
  out.body = block(ctx->block());
}

void AstBuilder::whileLoop(P::WhileLoopContext *ctx, Stmt &out) {
  out.kind = Stmt::Kind::While;
  if (!ctx) return;
  auto blocks = ctx->block();
  auto lists = ctx->typeList();
  if (ctx->expr()) {
    out.expr = expr(ctx->expr());
    iterArgs(ctx->iterArgs(), out);
    out.resultTypes = types(lists.empty() ? nullptr : lists[0]);
    out.body = block(blocks.empty() ? nullptr : blocks[0]);
    return;
  }
  iterArgs(ctx->iterArg(), out);
  ast::Signature written;
  if (!lists.empty()) written.left = types(lists[0]), written.range = range(lists.front()).to(range(lists.back()));
  if (lists.size() > 1) written.right = types(lists[1]);
  written.hasArrow = true;
  out.signature = std::move(written);
  out.body = block(blocks.empty() ? nullptr : blocks[0]);
  out.orElse = block(blocks.size() > 1 ? blocks[1] : nullptr, true);
}

void AstBuilder::iterArgs(const std::vector<P::IterArgContext *> &list, Stmt &out) {
  for (P::IterArgContext *a : list) out.iterArgs.push_back({boundName(a->VALUE()), expr(a->expr())});
}
void AstBuilder::iterArgs(P::IterArgsContext *ctx, Stmt &out) {
  if (ctx) iterArgs(ctx->iterArg(), out);
}

void AstBuilder::ifElse(P::IfElseContext *ctx, Stmt &out) {
  out.kind = Stmt::Kind::If;
  if (!ctx) return;
  out.expr = expr(ctx->expr());
  out.resultTypes = types(ctx->typeList());
  out.body = block(ctx->block());
  P::OrElseContext *orElse = ctx->orElse();
  if (!orElse) return;
  if (orElse->ifElse()) {
    Stmt nested;
    nested.range = range(orElse->ifElse());
    ifElse(orElse->ifElse(), nested);
    Block wrapped;
    wrapped.range = nested.range;
    wrapped.stmts.push_back(std::move(nested));
    out.orElse = std::move(wrapped);
  } else {
    out.orElse = block(orElse->block());
  }
}

// ---- tests ----

Block AstBuilder::hostBlock(P::HostBlockContext *ctx) {
  Block out;
  out.range = range(ctx);
  if (!ctx) return out;
  out.stmts.reserve(ctx->children.size() / 2); // statements are large
  for (antlr4::tree::ParseTree *child : ctx->children) {
    auto *line = as<P::HostLineContext>(child);
    if (!line) {
      droppedToken(child, out);
      continue;
    }
    P::HostStmtContext *s = line->hostStmt();
    if (!s || s->children.empty()) continue;
    hostStmt(s, out.stmts.emplace_back());
    if (broken(line)) out.stmts.back().kind = Stmt::Kind::Error;
  }
  return out;
}

void AstBuilder::hostStmt(P::HostStmtContext *ctx, Stmt &out) {
  out.range = range(ctx);
  if (auto *s = as<P::BufferStmtContext>(ctx)) {
    buffer(s, out);
  }
  if (auto *s = as<P::LaunchStmtContext>(ctx)) {
    out.kind = Stmt::Kind::Launch;
    out.kernel = sigilName(s->SYMBOL());
    for (P::ArgContext *a : s->arg()) {
      ast::Name name;
      out.values.push_back(arg(a, &name));
      if (name) report(DiagCode::SyntaxError, name.range, "launch arguments are positional and cannot be named");
    }
    if (s->attrGroup()) out.attrs = group(s->attrGroup());
    if (s->launchGrid())
      for (P::ExprContext *e : s->launchGrid()->expr()) out.grid.push_back(expr(e));
  }
  if (auto *s = as<P::CheckStmtContext>(ctx)) {
    check(s, out);
  }
  if (auto *s = as<P::SaveStmtContext>(ctx)) {
    out.kind = Stmt::Kind::Save;
    Expr saved;
    saved.kind = Expr::Kind::Value;
    saved.range = range(s->VALUE());
    saved.text = sigilName(s->VALUE()).text;
    out.expr = std::move(saved);
    if (s->TEXT()) out.path = text(s->TEXT()->getSymbol());
  }
}

void AstBuilder::buffer(P::BufferStmtContext *ctx, Stmt &out) {
  out.results.push_back({boundName(ctx->VALUE()), 1});
  if (ctx->type()) out.type = type(ctx->type());
  out.kind = out.type ? Stmt::Kind::Buffer : Stmt::Kind::Assign;
  P::InitializerContext *init = ctx->initializer();
  if (auto *load = as<P::LoadInitContext>(init)) {
    out.kind = Stmt::Kind::Buffer;
    Expr e;
    e.kind = Expr::Kind::Call;
    e.range = range(init);
    e.textRange = range(load->KW_LOAD());
    e.text = "load";
    if (load->TEXT()) {
      e.children.push_back(text(load->TEXT()->getSymbol()));
      e.argNames.push_back({{}, none()});
    }
    out.expr = std::move(e);
  } else if (auto *from = as<P::FromInitContext>(init)) {
    out.kind = Stmt::Kind::Buffer;
    Expr e;
    e.kind = Expr::Kind::Call;
    e.range = range(init);
    e.textRange = range(from->KW_FROM());
    e.text = "from";
    e.children.push_back(expr(from->expr()));
    e.argNames.push_back({{}, none()});
    if (from->words()) out.indexVars = words(from->words()->word());
    out.expr = std::move(e);
  } else if (auto *plain = as<P::ExprInitContext>(init)) {
    out.expr = expr(plain->expr());
    if (out.kind == Stmt::Kind::Buffer && out.expr->is(Expr::Kind::Ident)) { // no arguments: out, iota, identity
      out.expr->kind = Expr::Kind::Call;
      out.expr->textRange = out.expr->range;
    }
  }
}

void AstBuilder::check(P::CheckStmtContext *ctx, Stmt &out) {
  out.kind = Stmt::Kind::Check;
  Expr whole = expr(ctx->expr());
  if (whole.is(Expr::Kind::Binary) && whole.text == "==" && !whole.parenthesised) {
    out.left = std::move(whole.children[0]);
    out.right = std::move(whole.children[1]);
  } else if (!whole.is(Expr::Kind::Error) && !broken(ctx)) {
    report(DiagCode::CheckWithoutEquality, whole.range, "`check` compares two sides with `==`");
    out.kind = Stmt::Kind::Error;
  } else {
    out.kind = Stmt::Kind::Error;
  }
  P::ToleranceContext *tolerance = ctx->tolerance();
  if (!tolerance) return;
  out.tolerance = tolerance->KW_EXACTLY() ? Stmt::Tolerance::Exactly : Stmt::Tolerance::Within;
  for (P::BoundContext *b : tolerance->bound()) out.within.emplace_back(word(b->word()), expr(b->expr()));
}

} // namespace xt
