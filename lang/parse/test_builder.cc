#include "lang/parse/test_builder.h"

namespace xt {

using ast::Block;
using ast::Expr;
using ast::Stmt;
using P = xtg::XtParser;

Block TestBuilder::hostBlock(P::HostBlockContext *ctx) const {
  Block out;
  out.range = tree_.range(ctx);
  if (!ctx) return out;
  out.stmts.reserve(ctx->children.size() / 2); // statements are large
  for (antlr4::tree::ParseTree *child : ctx->children) {
    auto *line = as<P::HostLineContext>(child);
    if (!line) {
      addDroppedToken(tree_, child, out);
      continue;
    }
    P::HostStmtContext *s = line->hostStmt();
    if (!s || s->children.empty()) continue;
    hostStmt(s, out.stmts.emplace_back());
    if (losses_.broken(line)) out.stmts.back().kind = Stmt::Kind::Error;
  }
  return out;
}

void TestBuilder::hostStmt(P::HostStmtContext *ctx, Stmt &out) const {
  out.range = tree_.range(ctx);
  if (auto *s = as<P::BufferStmtContext>(ctx)) buffer(s, out);
  if (auto *s = as<P::LaunchStmtContext>(ctx)) launch(s, out);
  if (auto *s = as<P::CheckStmtContext>(ctx)) check(s, out);
  if (auto *s = as<P::SaveStmtContext>(ctx)) save(s, out);
  if (auto *s = as<P::LaunchLoopStmtContext>(ctx)) loop(s, out);
  if (auto *s = as<P::HostReturnStmtContext>(ctx)) result(s->expr(), out);
  if (auto *s = as<P::MeshStmtContext>(ctx)) aboutRanks(Stmt::Kind::Mesh, s->HOST_MESH(), nullptr, s->hostArgs(), out);
  if (auto *s = as<P::ShardStmtContext>(ctx)) aboutRanks(Stmt::Kind::Shard, s->HOST_SHARD(), s->VALUE(), s->hostArgs(), out);
  if (auto *s = as<P::WaitStmtContext>(ctx)) aboutRanks(Stmt::Kind::Wait, s->HOST_WAIT(), s->VALUE(), nullptr, out);
  if (auto *s = as<P::CommunicateStmtContext>(ctx)) communicate(s, out);
}

void TestBuilder::loop(P::LaunchLoopStmtContext *ctx, Stmt &out) const {
  out.kind = Stmt::Kind::For;
  out.variable = tree_.boundName(ctx->VALUE());
  auto bounds = ctx->expr();
  if (!bounds.empty()) out.lower = exprs_.expr(bounds[0]);
  if (bounds.size() > 1) out.upper = exprs_.expr(bounds[1]);
  if (bounds.size() > 2) out.step = exprs_.expr(bounds[2]);
  out.body = hostBlock(ctx->hostBlock());
}

// Builds the statement that gives the value of a function.
void TestBuilder::result(P::ExprContext *value, Stmt &out) const {
  out.kind = Stmt::Kind::Return;
  if (value) out.values.push_back(exprs_.expr(value));
}

void TestBuilder::launch(P::LaunchStmtContext *ctx, Stmt &out) const {
  out.kind = Stmt::Kind::Launch;
  out.kernel = tree_.sigilName(ctx->SYMBOL());
  for (P::ArgContext *a : ctx->arg()) {
    ast::Name name;
    out.values.push_back(exprs_.arg(a, &name));
    if (name) tree_.report(DiagCode::SyntaxError, name.range, "launch arguments are positional and cannot be named");
  }
  if (ctx->attrGroup()) out.attrs = types_.group(ctx->attrGroup());
  if (ctx->launchGrid())
    for (P::ExprContext *e : ctx->launchGrid()->expr()) out.grid.push_back(exprs_.expr(e));
}

Expr TestBuilder::bufferName(antlr4::tree::TerminalNode *name) const {
  Expr out;
  out.kind = Expr::Kind::Value;
  out.range = tree_.range(name);
  out.text = tree_.sigilName(name).text;
  return out;
}

// Builds what statements about ranks have in common: their word, a buffer and arguments.
void TestBuilder::aboutRanks(Stmt::Kind kind, antlr4::tree::TerminalNode *word, antlr4::tree::TerminalNode *buffer,
                             P::HostArgsContext *args, Stmt &out) const {
  out.kind = kind;
  out.word = {std::string(tree_.slice(tree_.range(word))), tree_.range(word)};
  if (buffer) out.expr = bufferName(buffer);
  if (!args) return;
  for (P::ArgContext *a : args->arg()) {
    ast::Name name{{}, tree_.none()};
    out.values.push_back(exprs_.arg(a, &name));
    out.argNames.push_back(std::move(name));
  }
}

void TestBuilder::communicate(P::CommunicateStmtContext *ctx, Stmt &out) const {
  aboutRanks(Stmt::Kind::Communicate, ctx->HOST_COMMUNICATION(), ctx->VALUE(0), ctx->hostArgs(), out);
  if (ctx->HOST_START()) out.start = {"start", tree_.range(ctx->HOST_START())};
  if (ctx->index() && out.expr) out.expr = exprs_.indexed(std::move(*out.expr), {ctx->index()});
  if (ctx->ARROW() && ctx->VALUE(1)) out.into = bufferName(ctx->VALUE(1));
}

void TestBuilder::save(P::SaveStmtContext *ctx, Stmt &out) const {
  out.kind = Stmt::Kind::Save;
  out.expr = bufferName(ctx->VALUE());
  if (ctx->TEXT()) out.path = exprs_.text(ctx->TEXT()->getSymbol());
}

// Builds an initialiser that starts with a keyword as a call of a function with that name.
Expr TestBuilder::keywordCall(P::InitializerContext *ctx, antlr4::tree::TerminalNode *keyword, std::string text,
                              ast::Maybe<Expr> arg) const {
  Expr out;
  out.kind = Expr::Kind::Call;
  out.range = tree_.range(ctx);
  out.textRange = tree_.range(keyword);
  out.text = std::move(text);
  if (!arg) return out;
  out.children.push_back(std::move(*arg));
  out.argNames.push_back({{}, tree_.none()});
  return out;
}

void TestBuilder::buffer(P::BufferStmtContext *ctx, Stmt &out) const {
  out.results.push_back({tree_.boundName(ctx->VALUE()), 1});
  if (ctx->type()) out.type = types_.type(ctx->type());
  out.kind = out.type ? Stmt::Kind::Buffer : Stmt::Kind::Assign;
  P::InitializerContext *init = ctx->initializer();
  if (auto *load = as<P::LoadInitContext>(init)) {
    out.kind = Stmt::Kind::Buffer;
    ast::Maybe<Expr> path;
    if (load->TEXT()) path = exprs_.text(load->TEXT()->getSymbol());
    out.expr = keywordCall(init, load->KW_LOAD(), "load", std::move(path));
  } else if (auto *from = as<P::FromInitContext>(init)) {
    out.kind = Stmt::Kind::Buffer;
    out.expr = keywordCall(init, from->KW_FROM(), "from", exprs_.expr(from->expr()));
    if (from->words()) out.indexVars = tree_.words(from->words()->word());
  } else if (auto *plain = as<P::ExprInitContext>(init)) {
    out.expr = exprs_.expr(plain->expr());
    if (out.kind == Stmt::Kind::Buffer && out.expr->is(Expr::Kind::Ident)) { // no arguments: out, iota, identity
      out.expr->kind = Expr::Kind::Call;
      out.expr->textRange = out.expr->range;
    }
  }
}

void TestBuilder::check(P::CheckStmtContext *ctx, Stmt &out) const {
  out.kind = Stmt::Kind::Check;
  Expr whole = exprs_.expr(ctx->expr());
  if (whole.is(Expr::Kind::Binary) && whole.text == "==" && !whole.parenthesised) {
    out.left = std::move(whole.children[0]);
    out.right = std::move(whole.children[1]);
  } else if (!whole.is(Expr::Kind::Error) && !losses_.broken(ctx)) {
    tree_.report(DiagCode::CheckWithoutEquality, whole.range, "`check` compares two sides with `==`");
    out.kind = Stmt::Kind::Error;
  } else {
    out.kind = Stmt::Kind::Error;
  }
  P::ToleranceContext *tolerance = ctx->tolerance();
  if (!tolerance) return;
  out.tolerance = tolerance->KW_EXACTLY() ? Stmt::Tolerance::Exactly : Stmt::Tolerance::Within;
  for (P::BoundContext *b : tolerance->bound()) out.within.emplace_back(tree_.word(b->word()), exprs_.expr(b->expr()));
}

std::vector<ast::SizeDecl> TestBuilder::sizes(P::SizesContext *ctx) const {
  std::vector<ast::SizeDecl> out;
  if (ctx)
    for (P::SizeContext *s : ctx->size()) out.push_back({tree_.word(s->word()), exprs_.expr(s->expr())});
  return out;
}

ast::KernelDecl TestBuilder::function(P::HostFunctionItemContext *ctx) const {
  ast::KernelDecl out;
  out.isFunction = out.ofTests = true;
  out.range = tree_.range(ctx);
  out.broken = losses_.broken(ctx);
  out.name = tree_.sigilName(ctx->SYMBOL());
  for (antlr4::tree::TerminalNode *name : ctx->VALUE()) out.params.push_back({tree_.boundName(name), {}});
  if (ctx->hostBlock()) {
    out.body = hostBlock(ctx->hostBlock());
  } else if (ctx->expr()) {
    out.body.range = tree_.range(ctx->expr());
    out.body.stmts.emplace_back().range = out.body.range;
    result(ctx->expr(), out.body.stmts.back());
  }
  return out;
}

ast::TestDecl TestBuilder::test(P::TestItemContext *ctx) const {
  ast::TestDecl out;
  out.range = tree_.range(ctx);
  out.broken = losses_.broken(ctx);
  out.nameRange = tree_.range(ctx->TEXT());
  if (ctx->TEXT()) out.name = tree_.unescaped(out.nameRange);
  out.sizes = sizes(ctx->sizes());
  if (ctx->small()) {
    out.hasSmall = true;
    out.small = sizes(ctx->small()->sizes());
  }
  out.body = hostBlock(ctx->hostBlock());
  return out;
}

} // namespace xt
