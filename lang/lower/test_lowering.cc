#include "lang/lower/test_lowering.h"

#include "ir/base/depth.h"
#include "ir/base/text.h"
#include "lang/check/literals.h"

#include <algorithm>

namespace xt {
namespace {

// Limits the quadratic cost of comparing each size with the others.
constexpr size_t kMostSizes = 1000;
constexpr int kMostLoops = 8;

// The first name of a buffer or a value in an expression; null if there is none.
const HostExpr *nameIn(const HostExpr &expr) {
  if (expr.kind == HostExpr::Kind::Buffer) return &expr;
  const HostExpr *found = nullptr;
  eachOperand(expr, [&](const HostExpr &operand) { found = found ? found : nameIn(operand); });
  return found;
}

} // namespace

bool TestLowering::lower(const ast::TestDecl &decl, HostTest &test) {
  if (decl.broken) return false; // the parser has reported the error
  test_ = &test;
  scope_ = {.test = &test};
  test.name = decl.name;
  test.range = decl.range;
  test.nameRange = decl.nameRange;
  bool ok = lowerSizes(decl);
  for (const ast::Stmt &stmt : decl.body.stmts)
    for (const ast::Binding &binding : stmt.results) exprs_.reserve(binding.name.text);
  for (const ast::Stmt &stmt : decl.body.stmts) {
    if (stmt.kind == ast::Stmt::Kind::Error) return false; // reported; the names that the statement binds are unknown below
    HostStmt out;
    out.range = stmt.range;
    bool lowered = lowerStmt(stmt, out);
    std::ranges::move(exprs_.takeLets(), std::back_inserter(test.body));
    if (lowered)
      test.body.push_back(std::move(out));
    else
      ok = false;
  }
  return ok && ranks_.allEnd();
}

// Evaluates the sizes of a test. A size may depend on earlier sizes; with `small`, on the values that `small` gives them.
bool TestLowering::lowerSizes(const ast::TestDecl &decl) {
  ParamScope full(params_, diagnostics()), reduced(params_, diagnostics());
  bool ok = true;
  auto take = [&](ParamScope &scope, const ast::SizeDecl &size) {
    std::optional<int64_t> value = scope.evalInt(size.value, "a size");
    ok &= value.has_value();
    auto given = std::ranges::find(sizes_, size.name.text, &std::pair<std::string, int64_t>::first);
    if (given != sizes_.end()) value = given->second;
    scope.override(size.name.text, {.integer = value.value_or(1)}); // after an error, keep the name known
    return value;
  };
  test_->hasSmall = decl.hasSmall;
  for (const std::vector<ast::SizeDecl> *sizes : {&decl.sizes, &decl.small}) {
    if (sizes->size() <= kMostSizes) continue;
    diagnostics().report(DiagCode::TestSizes, (*sizes)[kMostSizes].name.range,
                         str("a test has at most ", kMostSizes, " sizes, not ", sizes->size()));
    return false;
  }
  for (const ast::SizeDecl &size : decl.sizes) {
    auto named = [&](const auto &s) { return s.name == size.name.text; };
    if (std::any_of(test_->sizes.begin(), test_->sizes.end(), named)) {
      diagnostics().report(DiagCode::DuplicateName, size.name.range, str("size `", size.name.text, "` is given twice"));
      ok = false;
    }
    std::optional<int64_t> value = take(full, size), small;
    auto given = std::find_if(decl.small.begin(), decl.small.end(),
                              [&](const ast::SizeDecl &s) { return s.name.text == size.name.text; });
    if (given != decl.small.end())
      small = take(reduced, *given);
    else if (value && decl.hasSmall)
      small = take(reduced, size);
    if (given == decl.small.end() && small == value) small.reset(); // `small` does not change it
    test_->sizes.push_back({size.name.text, value.value_or(1), small});
  }
  for (const ast::SizeDecl &size : decl.small) {
    if (scope_.isSize(size.name.text)) continue;
    diagnostics()
        .report(DiagCode::TestSizes, size.name.range,
                str("`small` gives a size `", size.name.text, "` that the test does not have"))
        .note("`small {…}` gives other values for the sizes in the braces before it");
    ok = false;
  }
  return ok;
}

bool TestLowering::bind(const ast::Name &name, const HostBufferType *type) {
  HostName bound{.range = name.range, .isBuffer = type != nullptr, .type = type ? *type : HostBufferType()};
  auto [it, isNew] = scope_.names.emplace(name.text, bound);
  if (NameIndex *index = params_.symbols().index(); index && isNew) index->define(name.range, nullptr);
  if (isNew) return true;
  diagnostics()
      .report(DiagCode::DuplicateName, name.range, str("`%", name.text, "` is bound twice; names of a test are bound once"))
      .at(it->second.range, "first bound here");
  return false;
}

bool TestLowering::makesBuffer(const ast::Expr &init) {
  bool named = (init.is(ast::Expr::Kind::Call) && !init.symbolCall) || init.is(ast::Expr::Kind::Ident);
  return named && findHostFn(init.text, true) && !findHostFn(init.text, false);
}

// Reports a buffer without type, such as `%C = out`.
bool TestLowering::bufferWithoutType(const ast::Stmt &stmt) {
  const ast::Name &name = stmt.results[0].name;
  diagnostics()
      .report(DiagCode::MissingType, stmt.expr->range.endPoint(), str("the type of the buffer `%", name.text, "` is missing"))
      .note(str("for example `%", name.text, " = … : memref<16x16xf32>`"));
  bindBuffer(name, HostBufferType(), false);
  return false;
}

// Binds a buffer even if its type is invalid, so that its name is known. Its type is then not compared with a kernel's
// parameter.
bool TestLowering::bindBuffer(const ast::Name &name, const HostBufferType &type, bool typed) {
  bool ok = bind(name, &type);
  if (ok) scope_.names.find(name.text)->second.broken = !typed;
  return ok;
}

bool TestLowering::lowerStmt(const ast::Stmt &stmt, HostStmt &out) {
  switch (stmt.kind) {
  case ast::Stmt::Kind::Error: return false;
  case ast::Stmt::Kind::Buffer: return lowerBuffer(stmt, out);
  case ast::Stmt::Kind::Launch: return lowerLaunch(stmt, out);
  case ast::Stmt::Kind::Check: return lowerCheck(stmt, out);
  case ast::Stmt::Kind::Save:
    out.kind = HostStmt::Kind::Save;
    if (!stmt.expr || !stmt.path || !exprs_.lower(*stmt.expr, out.value)) return false;
    if (out.value.kind != HostExpr::Kind::Buffer || !scope_.names.find(out.value.text)->second.isBuffer) {
      diagnostics().report(DiagCode::UnknownValue, out.value.range, "`save` writes a buffer");
      return false;
    }
    out.path = stmt.path->text;
    return true;
  case ast::Stmt::Kind::Assign:
    out.kind = HostStmt::Kind::Let;
    if (stmt.results.size() != 1 || !stmt.expr) return false;
    out.name = stmt.results[0].name.text;
    out.nameRange = stmt.results[0].name.range;
    if (makesBuffer(*stmt.expr)) return bufferWithoutType(stmt);
    if (!exprs_.lower(*stmt.expr, out.value)) return bind(stmt.results[0].name, nullptr), false;
    return bind(stmt.results[0].name, nullptr);
  case ast::Stmt::Kind::For: return lowerLoop(stmt, out);
  case ast::Stmt::Kind::Mesh: return ranks_.lowerMesh(stmt, out);
  case ast::Stmt::Kind::Shard: return ranks_.lowerShard(stmt, out);
  case ast::Stmt::Kind::Communicate: return ranks_.lowerCommunication(stmt, out);
  case ast::Stmt::Kind::Wait: return ranks_.lowerWait(stmt, out);
  case ast::Stmt::Kind::Op:
  case ast::Stmt::Kind::While:
  case ast::Stmt::Kind::If:
  case ast::Stmt::Kind::Yield:
  case ast::Stmt::Kind::Condition:
  case ast::Stmt::Kind::Return:
  case ast::Stmt::Kind::Call:
    diagnostics()
        .report(DiagCode::NotHere, stmt.range, "this statement belongs in a kernel")
        .note("a test makes buffers, launches kernels, checks and saves");
    return false;
  }
  return false;
}

// Lowers a bound or the step of a loop. Loops are unrolled before buffers are made.
bool TestLowering::lowerBound(const ast::Expr &expr, HostExpr &out) {
  if (!exprs_.lower(expr, out)) return false;
  const HostExpr *name = nameIn(out);
  if (name)
    diagnostics().report(DiagCode::NotHere, name->range,
                         "the bounds of a loop in a test are made of numbers, sizes and loop variables");
  return !name;
}

// Whether a loop of a test may hold the statement.
bool TestLowering::mayRepeat(const ast::Stmt &stmt) {
  return stmt.kind == ast::Stmt::Kind::Launch || stmt.kind == ast::Stmt::Kind::For ||
         stmt.kind == ast::Stmt::Kind::Communicate || stmt.kind == ast::Stmt::Kind::Wait;
}

// Lowers a loop over launches and communications. Its variable is in scope in its body only.
bool TestLowering::lowerLoop(const ast::Stmt &stmt, HostStmt &out) {
  out.kind = HostStmt::Kind::Loop;
  out.name = stmt.variable.text;
  out.nameRange = stmt.variable.range;
  if (!stmt.lower || !stmt.upper || !stmt.body) return false;
  DepthGuard guard(loops_);
  if (guard.exceeds(kMostLoops)) {
    diagnostics().report(DiagCode::NotSupported, stmt.range, str("loops of a test nest deeper than ", kMostLoops));
    return false;
  }
  out.bounds.resize(3);
  out.bounds[2].integer = 1;
  bool ok = lowerBound(*stmt.lower, out.bounds[0]);
  ok &= lowerBound(*stmt.upper, out.bounds[1]);
  if (stmt.step) ok &= lowerBound(*stmt.step, out.bounds[2]);
  bool isNew = bind(stmt.variable, nullptr);
  if (isNew) scope_.names.find(out.name)->second.isCounter = true;
  for (const ast::Stmt &inner : stmt.body->stmts) {
    if (mayRepeat(inner)) {
      out.body.emplace_back().range = inner.range;
      ok &= lowerStmt(inner, out.body.back());
      continue;
    }
    ok = false;
    if (inner.kind != ast::Stmt::Kind::Error)
      diagnostics()
          .report(DiagCode::NotHere, inner.range, "a loop of a test holds launches, communications and loops only")
          .note("buffers are made and sharded before it, and checks follow it");
  }
  if (isNew) scope_.names.erase(scope_.names.find(out.name));
  return ok && isNew;
}

// --- buffers ---------------------------------------------------------------------------------------------------------

// The shaped type that an alias stands for, maybe through other aliases; null if it stands for none.
const ast::TypeExpr *TestLowering::shapedType(const ast::TypeExpr &alias) const {
  const ast::TypeExpr *type = &alias;
  for (size_t steps = 0; type->kind == ast::TypeExpr::Kind::Alias && steps < kMostAliasDepth; ++steps) {
    const ast::TypeAlias *named = params_.symbols().typeAlias(type->name.text);
    if (!named) return nullptr;
    if (NameIndex *index = params_.symbols().index(); index && type == &alias)
      index->use(NameKind::TypeAlias, alias.range, named->name.range);
    type = &named->value;
  }
  return type->kind == ast::TypeExpr::Kind::Shaped ? type : nullptr;
}

bool TestLowering::lowerType(const ast::TypeExpr &expr, HostBufferType &out) {
  if (expr.kind == ast::TypeExpr::Kind::Error) return false;
  if (expr.kind == ast::TypeExpr::Kind::Alias) {
    if (const ast::TypeExpr *shaped = shapedType(expr)) return lowerType(*shaped, out);
    // Reports the error, unless the file's check of all aliases has.
    if (types_.resolve(expr)) diagnostics().report(DiagCode::UnknownType, expr.range, "a buffer must be a memref");
    return false;
  }
  std::string_view name = expr.name.text;
  if (expr.kind != ast::TypeExpr::Kind::Shaped || !name.ends_with("memref")) {
    diagnostics().report(DiagCode::UnknownType, expr.range, "a buffer of a test must be a memref");
    return false;
  }
  out.range = expr.range;
  bool ok = true;
  // Resolve the memory layout and the element type with `?` for all extents.
  ast::TypeExpr shapeless = expr;
  for (ast::Extent &extent : shapeless.extents) {
    HostExpr lowered;
    if (extent.dynamic) {
      diagnostics().report(DiagCode::BadExtent, extent.range, "a buffer has a size: write a number or a $size instead of `?`");
      ok = false;
    } else if (!extent.value || !exprs_.lower(*extent.value, lowered))
      ok = false;
    else if (lowered.kind == HostExpr::Kind::Int && lowered.integer < 0) {
      diagnostics().report(DiagCode::BadExtent, extent.range, str("a size must not be negative: ", lowered.integer));
      ok = false;
    }
    out.extents.push_back(std::move(lowered));
    extent.dynamic = true;
    extent.value.reset();
  }
  size_t before = diagnostics().errorCount();
  Type type = types_.resolve(shapeless);
  if (!type) {
    sizesWithoutSigil(expr, before);
    return false;
  }
  if (type.data().space == MemorySpace::Slm) {
    diagnostics().report(DiagCode::NotHere, expr.range,
                         "shared local memory belongs to a workgroup; a test's buffers are global");
    return false;
  }
  out.elem = type.elem();
  out.memory = type.data().memory;
  return ok;
}

// Suggests `$` for sizes and parameters that lack it, as in `memref<MxNxf32>`.
void TestLowering::sizesWithoutSigil(const ast::TypeExpr &expr, size_t errors) {
  if (!expr.element || expr.element->kind != ast::TypeExpr::Kind::Word || diagnostics().errorCount() == errors) return;
  std::string spelled;
  bool named = false;
  std::string_view rest = expr.element->name.text;
  for (size_t x = rest.find('x'); x != std::string_view::npos; x = rest.find('x')) {
    std::string_view word = rest.substr(0, x);
    bool size = scope_.isSize(word) || params_.symbols().param(word);
    named |= size;
    spelled += str(size ? "$" : "", word, " x ");
    rest.remove_prefix(x + 1);
  }
  if (!named) return;
  spelled += rest;
  diagnostics().noteErrorAfter(errors, str("a size of the test or a parameter is written with `$`: `", spelled, "`"));
  diagnostics().fixErrorAfter(errors, str("replace by `", spelled, "`"), expr.element->range, spelled);
}

std::string formulaHead(size_t dimensions) {
  constexpr std::string_view kNames = "ijklm";
  std::vector<std::string_view> names;
  for (size_t d = 0; d < std::min(dimensions, kNames.size()); ++d) names.push_back(kNames.substr(d, 1));
  return str("from (", join(names, ", "), ") => ");
}

bool TestLowering::lowerBuffer(const ast::Stmt &stmt, HostStmt &out) {
  out.kind = HostStmt::Kind::Buffer;
  if (stmt.results.size() != 1 || !stmt.type || !stmt.expr) return false;
  const ast::Name &name = stmt.results[0].name;
  out.name = name.text;
  out.nameRange = name.range;
  bool typed = lowerType(*stmt.type, out.type), ok = typed;
  const ast::Expr &init = *stmt.expr;
  if (!stmt.indexVars.empty()) {
    for (const ast::Name &var : stmt.indexVars) {
      HostExpr index;
      index.kind = HostExpr::Kind::Index;
      index.text = var.text;
      index.range = var.range;
      index.integer = static_cast<int64_t>(out.indexVars.size());
      if (auto first = std::find(scope_.indexVars.begin(), scope_.indexVars.end(), var.text); first != scope_.indexVars.end()) {
        diagnostics()
            .report(DiagCode::DuplicateName, var.range, str("index `", var.text, "` is declared twice"))
            .at(stmt.indexVars[static_cast<size_t>(first - scope_.indexVars.begin())].range, "first here");
        ok = false;
      }
      scope_.indexVars.push_back(var.text);
      out.indexVars.push_back(std::move(index));
    }
    if (ok && out.indexVars.size() != out.type.extents.size()) {
      diagnostics().report(
          DiagCode::Initializer, init.range,
          str("the formula has ", out.indexVars.size(), " indices for a buffer of ", out.type.extents.size(), " dimensions"));
      ok = false;
    }
    HostExpr formula; // the right side of `from (i, j) => formula`
    ok &= init.children.size() == 1 && exprs_.lower(init.children[0], formula);
    scope_.indexVars.clear();
    out.value.kind = HostExpr::Kind::Call;
    out.value.fn = HostFn::From;
    out.value.range = init.range;
    out.value.args.push_back(std::move(formula));
    return bindBuffer(name, out.type, typed) && ok;
  }
  bool call = init.is(ast::Expr::Kind::Call) || init.is(ast::Expr::Kind::Ident);
  const HostFnInfo *fn = call && !init.symbolCall ? findHostFn(init.text, true) : nullptr;
  if (!fn) {
    auto &diagnostic = diagnostics().report(DiagCode::Initializer, init.textRange.file ? init.textRange : init.range,
                                            call ? str("no initialiser is called `", init.text, "`")
                                                 : std::string("a buffer needs an initialiser"));
    std::vector<std::string_view> known;
    for (const HostFnInfo &f : allHostFns())
      if (f.cls == HostFnClass::Initializer) known.push_back(f.name);
    diagnostic.note("the initialisers are " + join(known, " "));
    // An expression over buffers is a formula whose indices it does not use.
    bool expression = !call || (!init.symbolCall && findHostFn(init.text, false));
    if (expression && typed && !out.type.extents.empty()) {
      std::string head = formulaHead(out.type.extents.size());
      diagnostic.note(str("a formula makes a buffer of an expression: `", head, "…`"))
          .fix(str("write `", head, "…`"), init.range.startPoint(), head)
          .fixits.back()
          .candidate = true;
    }
    if (call) suggestName(diagnostic, init.textRange.file ? init.textRange : init.range, 0, init.text, known);
    bindBuffer(name, out.type, typed);
    return false;
  }
  ok &= exprs_.lowerCall(init, *fn, out.value);
  return bindBuffer(name, out.type, typed) && ok;
}

bool TestLowering::lowerCheck(const ast::Stmt &stmt, HostStmt &out) {
  out.kind = HostStmt::Kind::Check;
  if (!stmt.left || !stmt.right) return false;
  bool ok = exprs_.lower(*stmt.left, out.left);
  ok &= exprs_.lower(*stmt.right, out.right);
  if (stmt.tolerance == ast::Stmt::Tolerance::Exactly) out.tolerance = HostStmt::Tolerance::Exactly;
  if (stmt.tolerance != ast::Stmt::Tolerance::Within) return ok;
  for (const auto &[name, expr] : stmt.within) {
    std::optional<ConstValue> value = params_.eval(expr);
    if (!value) return false;
    double number = constNumber(*value);
    bool ulp = name.text == "ulp";
    std::string wrong;
    if (!ulp && name.text != "rtol" && name.text != "atol")
      wrong = str("no tolerance is called `", name.text, "`");
    else if (ulp && stmt.within.size() > 1)
      wrong = "`ulp` cannot be combined with another tolerance";
    else if (value->kind == ConstValue::Kind::Type)
      wrong = str("a tolerance must be a number, not ", constText(*value));
    else if (!(number >= 0))
      wrong = str("a tolerance must not be negative: ", constText(*value));
    if (!wrong.empty()) {
      diagnostics()
          .report(DiagCode::ToleranceName, name.range, wrong)
          .note("a tolerance must be `ulp = n`, or one or both of `rtol = …, atol = …`");
      return false;
    }
    out.tolerance = ulp ? HostStmt::Tolerance::Ulp : HostStmt::Tolerance::RelAbs;
    (ulp ? out.ulp : name.text == "rtol" ? out.rtol : out.atol) = number;
  }
  return ok;
}

} // namespace xt
