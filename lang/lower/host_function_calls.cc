// Inlines functions of tests.
#include "ir/base/text.h"
#include "lang/lower/test_expressions.h"

#include <algorithm>

namespace xt {
namespace {

constexpr size_t kMostCalls = 64;          // nested calls

size_t nodesOf(const HostExpr &expr) {
  size_t count = 1;
  eachOperand(expr, [&](const HostExpr &operand) { count += nodesOf(operand); });
  return count;
}

// Whether the value is known only inside of a formula or a loop, so that no statement before it can bind it.
bool dependsOnIndex(const HostExpr &expr) {
  bool found = expr.kind == HostExpr::Kind::Index || expr.kind == HostExpr::Kind::Counter;
  eachOperand(expr, [&](const HostExpr &operand) { found = found || dependsOnIndex(operand); });
  return found;
}

// Whether a copy costs nothing: a name, a number, a list of dimensions.
bool isCheap(const HostExpr &expr) { return expr.kind != HostExpr::Kind::Call && expr.kind != HostExpr::Kind::Slice; }

} // namespace

// Binds the value of a call's argument, or of a statement of a function, to a name of the test, so that it is evaluated once.
// Returns an expression that stands for the value.
HostExpr HostExprLowering::named(const std::string &name, HostExpr value) {
  if (isCheap(value) || dependsOnIndex(value)) return value;
  HostStmt let;
  let.kind = HostStmt::Kind::Let;
  let.range = let.nameRange = value.range;
  int &number = calls_.numbers[name];
  do let.name = str(name, ".", ++number);
  while (!calls_.taken.insert(let.name).second);
  HostExpr stands;
  stands.kind = HostExpr::Kind::Buffer;
  stands.range = value.range;
  stands.text = let.name;
  let.value = std::move(value);
  calls_.lets.push_back(std::move(let));
  return stands;
}

// The function of tests that a call names; null if an error was reported.
const ast::KernelDecl *HostExprLowering::functionOfTests(const ast::Expr &expr) {
  const FileSymbols &symbols = params_.symbols();
  SourceRange place = expr.textRange.end ? expr.textRange : expr.range;
  const ast::KernelDecl *decl = symbols.kernel(expr.text);
  if (NameIndex *index = symbols.index(); index && decl) index->use(NameKind::Kernel, place, decl->name.range);
  if (decl && decl->ofTests) return decl;
  if (!decl && !symbols.complete()) return nullptr;
  if (decl && decl->broken) return nullptr; // its header was reported
  if (decl) {
    diagnostics()
        .report(DiagCode::NotHere, place,
                str("`@", expr.text, "` is a ", decl->isFunction ? "function of kernels" : "kernel", ": a test cannot call it"))
        .at(decl->name.range, "defined here")
        .note(decl->isFunction ? str("a function of tests has parameters without types: `func @", expr.text, "(%x) = …`")
                               : str("`launch @", expr.text, "(…)` runs it"));
    return nullptr;
  }
  auto &unknown = diagnostics().report(DiagCode::UnknownFunction, place, str("unknown function `@", expr.text, "`"));
  suggestName(unknown, place, '@', expr.text, symbols.kernelNames());
  return nullptr;
}

bool HostExprLowering::lowerFunctionCall(const ast::Expr &expr, const ast::KernelDecl &decl, HostExpr &out) {
  std::vector<HostExpr> arguments;
  if (!lowerArguments(expr, decl, arguments) || broken_.contains(&decl)) return false;
  SourceRange place = expr.textRange.end ? expr.textRange : expr.range;
  bool open = std::ranges::any_of(calls_.frames, [&](const HostFunctionCalls::Frame &frame) { return frame.decl == &decl; });
  if (open || calls_.frames.size() >= kMostCalls) {
    diagnostics().report(DiagCode::RecursiveCall, place,
                         open ? str("`@", expr.text, "` calls itself, but every call is inlined")
                              : str("calls are nested deeper than ", kMostCalls));
    return false;
  }
  HostFunctionCalls::Frame frame{&decl, {}};
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ast::Name &name = decl.params[i].name;
    frame.names[name.text] = {named(name.text, std::move(arguments[i])), name.range};
  }
  calls_.frames.push_back(std::move(frame));
  bool ok = lowerBody(decl, out);
  calls_.frames.pop_back();
  out.range = expr.range;
  return ok;
}

// Lowers the arguments, in the order of the function's parameters. Arguments with names follow those without.
bool HostExprLowering::lowerArguments(const ast::Expr &expr, const ast::KernelDecl &decl, std::vector<HostExpr> &arguments) {
  arguments.resize(decl.params.size());
  std::vector<bool> given(decl.params.size());
  bool ok = true, anyNamed = false;
  auto wrong = [&](SourceRange range, std::string message) {
    diagnostics().report(DiagCode::HostArguments, range, std::move(message)).at(decl.name.range, "the function");
    ok = false;
  };
  for (size_t i = 0; i < expr.children.size(); ++i) {
    HostExpr argument;
    ok &= lower(expr.children[i], argument);
    const ast::Name *name = i < expr.argNames.size() && expr.argNames[i] ? &expr.argNames[i] : nullptr;
    size_t at = i;
    anyNamed |= name != nullptr;
    if (!name && anyNamed) wrong(expr.children[i].range, "a positional argument must come before the named ones");
    if (name)
      at = static_cast<size_t>(std::ranges::find(decl.params, name->text, [](const ast::Param &p) { return p.name.text; }) -
                               decl.params.begin());
    if (at >= decl.params.size()) {
      if (name) wrong(name->range, str("`@", decl.name.text, "` has no parameter `", name->text, "`"));
      continue; // too many arguments are reported below
    }
    if (given[at]) wrong(expr.children[i].range, str("`%", decl.params[at].name.text, "` is given twice"));
    given[at] = true;
    arguments[at] = std::move(argument);
  }
  if (!ok) return false;
  if (expr.children.size() != decl.params.size())
    wrong(expr.range, str("`@", decl.name.text, "` takes ", decl.params.size(), " argument", decl.params.size() == 1 ? "" : "s",
                          ", not ", expr.children.size()));
  return ok;
}

bool HostExprLowering::bindInFunction(const ast::Name &name, HostExpr value) {
  auto [it, isNew] = calls_.frames.back().names.emplace(name.text, HostFunctionCalls::Bound{std::move(value), name.range});
  if (NameIndex *index = params_.symbols().index(); index && isNew) index->define(name.range, nullptr);
  if (isNew) return true;
  diagnostics()
      .report(DiagCode::DuplicateName, name.range,
              str("`%", name.text, "` is bound twice; names of a function of tests are bound once"))
      .at(it->second.range, "first bound here");
  return false;
}

// Lowers the body of the function of the innermost frame.
bool HostExprLowering::lowerBody(const ast::KernelDecl &decl, HostExpr &out) {
  bool ok = true;
  for (const ast::Stmt &stmt : decl.body.stmts) {
    if (stmt.kind == ast::Stmt::Kind::Error) return false; // reported
    bool last = &stmt == &decl.body.stmts.back();
    if (stmt.kind == ast::Stmt::Kind::Return && last) return !stmt.values.empty() && lower(stmt.values[0], out) && ok;
    bool binds = stmt.kind == ast::Stmt::Kind::Assign && stmt.results.size() == 1 && stmt.expr;
    if (!binds) {
      diagnostics()
          .report(DiagCode::NotHere, stmt.range,
                  stmt.kind == ast::Stmt::Kind::Return ? "`return` is the last statement of a function of tests"
                                                       : "this statement belongs in a test")
          .note("a function of tests binds names, and returns a value: `%m = max(%x, dim = 1)`, `return exp(%x - %m)`");
      return false;
    }
    HostExpr value;
    bool lowered = lower(*stmt.expr, value);
    ok &= lowered & bindInFunction(stmt.results[0].name, lowered ? named(stmt.results[0].name.text, std::move(value)) : value);
  }
  diagnostics()
      .report(DiagCode::FunctionResult, decl.name.range, str("`@", decl.name.text, "` returns no value"))
      .note("its last statement must be `return` with an expression");
  return false;
}

// Counts the parts of functions that calls have inlined. Returns false if they are too many, which is reported once.
bool HostExprLowering::mayInline(size_t parts, SourceRange range) {
  constexpr size_t kMostParts = 100'000;
  bool before = calls_.parts > kMostParts;
  calls_.parts += parts;
  if (calls_.parts > kMostParts && !before)
    diagnostics().report(DiagCode::NotSupported, range,
                         str("the formulas of this test have more than ", kMostParts, " parts once its functions are inlined"));
  return calls_.parts <= kMostParts;
}

bool HostExprLowering::lowerNameInFunction(const ast::Expr &expr, HostExpr &out) {
  const auto &names = calls_.frames.back().names;
  auto known = names.find(expr.text);
  if (NameIndex *index = params_.symbols().index(); index && known != names.end())
    index->use(expr.range, nullptr, known->second.range);
  if (known != names.end()) {
    out = known->second.value;
    if (isCheap(out)) out.range = expr.range;
    return mayInline(nodesOf(out), expr.range);
  }
  auto &unknown = diagnostics().report(DiagCode::UnknownValue, expr.range, str("unknown value `%", expr.text, "`"));
  std::vector<std::string_view> candidates;
  for (const auto &[name, bound] : names) candidates.push_back(name);
  suggestName(unknown, expr.range, '%', expr.text, candidates);
  return false;
}

bool HostExprLowering::checkFunction(const ast::KernelDecl &decl) {
  HostFunctionCalls::Frame frame{&decl, {}};
  calls_.frames.push_back(std::move(frame));
  bool ok = true;
  for (const ast::Param &param : decl.params) {
    HostExpr any;
    any.kind = HostExpr::Kind::Buffer;
    any.range = param.name.range;
    any.text = param.name.text;
    ok &= bindInFunction(param.name, std::move(any));
  }
  HostExpr value;
  ok &= lowerBody(decl, value);
  calls_.frames.pop_back();
  return ok;
}

} // namespace xt
