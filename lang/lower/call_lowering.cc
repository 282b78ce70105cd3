// Every call is inlined: the function's body is lowered at the call with the types of the arguments.
#include "lang/lower/call_lowering.h"

#include "ir/base/text.h"
#include "lang/check/literals.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/instance.h"
#include "lang/lower/statements.h"
#include "lang/lower/written_types.h"
#include "lang/parse/foreign_names.h"

#include <algorithm>

namespace xt {
namespace {

// Deeper nesting of calls is reported as an error. Recursion is reported separately.
constexpr size_t kMaxCallDepth = 64;

// Limits the exponential growth caused by chains of functions that each call the next one twice.
constexpr size_t kMostRepeatedStatements = 50000;

// Whether a value's type matches the type of a parameter or result: `?` matches any extent, and layouts are ignored.
bool fits(Type pattern, Type type) {
  if (pattern == type) return true;
  if (pattern.kind() != type.kind() || pattern.elem() != type.elem() || pattern.rank() != type.rank()) return false;
  if (type.isScalar()) return false;
  for (int d = 0; d < type.rank(); ++d)
    if (pattern.extent(d) != kDynamic && pattern.extent(d) != type.extent(d)) return false;
  const TypeData &p = pattern.data(), &t = type.data();
  if (type.isMemRef()) return p.space == t.space && p.memory == t.memory;
  return p.scatter == t.scatter && (p.order == t.order || p.order == Order::RowMajor);
}

// Returns the type with `?` for all extents. The order is row-major, because fits() accepts tiles of either order for it.
Type withAnyExtents(Context &context, Type type) {
  if (!type || type.isScalar()) return type;
  TypeData data = type.data();
  std::fill(data.shape.begin(), data.shape.end(), kDynamic);
  data.order = Order::RowMajor;
  return context.intern(std::move(data));
}

const ast::KernelDecl *calledFunction(KernelState &state, const ast::Expr &expr) {
  const FileSymbols &symbols = state.params.symbols();
  SourceRange place = expr.textRange.end ? expr.textRange : expr.range;
  const ast::KernelDecl *decl = nullptr;
  if (!state.calls.empty())
    if (auto given = state.calls.back().functions.find(expr.text); given != state.calls.back().functions.end())
      decl = given->second;
  if (!decl) decl = symbols.kernel(expr.text);
  if (NameIndex *index = symbols.index(); index && decl) index->use(NameKind::Kernel, place, decl->name.range);
  if (decl && decl->ofTests) {
    state.diagnostics()
        .report(DiagCode::NotHere, place, str("`@", expr.text, "` is a function of tests: kernels cannot call it"))
        .at(decl->name.range, "its parameters have no types");
    return nullptr;
  }
  if (decl && decl->isFunction) {
    auto open = std::find_if(state.calls.begin(), state.calls.end(), [&](const CallFrame &f) { return f.decl == decl; });
    if (open == state.calls.end() && state.calls.size() < kMaxCallDepth) return decl;
    std::string circle;
    for (; open != state.calls.end(); ++open) circle += "@" + open->decl->name.text + " -> ";
    state.diagnostics()
        .report(DiagCode::RecursiveCall, place,
                circle.empty() ? str("calls are nested deeper than ", kMaxCallDepth)
                               : str("`@", expr.text, "` calls itself, but every call is inlined"))
        .note(circle + "@" + expr.text);
    return nullptr;
  }
  if (!decl && !symbols.complete()) return nullptr;
  auto &diagnostic =
      state.diagnostics().report(DiagCode::UnknownFunction, place,
                                 decl ? str("`@", expr.text, "` is a kernel: a test can launch it, but nothing can call it")
                                      : str("unknown function `@", expr.text, "`"));
  if (decl)
    diagnostic.at(decl->name.range, "defined here");
  else if (!suggestName(diagnostic, place, '@', expr.text, symbols.kernelNames()))
    if (std::string_view note = noteOnForeignName(expr.text); !note.empty()) diagnostic.note(std::string(note));
  return nullptr;
}

// Whether the function has this number of parameters; otherwise reports an error, unless its header is one.
bool takesArguments(KernelState &state, const ast::Expr &expr, const ast::KernelDecl &decl, size_t count) {
  if (count == decl.params.size()) return true;
  if (decl.broken) return false; // its header was reported
  state.diagnostics()
      .report(DiagCode::CallMismatch, expr.range,
              str("`@", expr.text, "` takes ", decl.params.size(), " argument", decl.params.size() == 1 ? "" : "s", ", not ",
                  count))
      .at(decl.name.range, "declared here");
  return false;
}

// Whether argument i, at `range`, matches the type of the parameter. If not, an error was reported, unless the mismatch is
// due to an extent assumed for `?`.
bool argumentFits(KernelState &state, const ast::KernelDecl &decl, size_t i, SourceRange range, Type pattern,
                  const Value *value) {
  if (fits(pattern, value->type())) return true;
  if (state.anyExtents && fits(withAnyExtents(state.context, pattern), value->type())) return false;
  state.diagnostics()
      .report(DiagCode::CallMismatch, range,
              str("`%", decl.params[i].name.text, "` of `@", decl.name.text, "` is ", shapedText(pattern), ", but this is ",
                  shapedText(value->type())))
      .at(decl.params[i].type.range, "declared here");
  return false;
}

// A parameter that is a function or a layout; null if there is none.
const ast::Param *otherParameter(const ast::KernelDecl &decl) {
  auto found = std::ranges::find_if_not(decl.params, &ast::Param::isValue);
  return found == decl.params.end() ? nullptr : &*found;
}

// Reports generic names, functions and layouts that are declared twice.
void checkDeclaredNames(KernelState &state, const ast::KernelDecl &decl) {
  std::map<std::string_view, SourceRange> generics, functions, layouts;
  auto declare = [&](std::map<std::string_view, SourceRange> &names, std::string_view sigil, const ast::Name &name) {
    auto [first, isNew] = names.try_emplace(name.text, name.range);
    if (isNew) return;
    state.diagnostics()
        .report(DiagCode::DuplicateName, name.range, str("`", sigil, name.text, "` is declared twice"))
        .at(first->second, "first here");
  };
  for (const ast::Generic &generic : decl.generics) declare(generics, "$", generic.name);
  for (const ast::Param &param : decl.params)
    if (param.isFunction)
      declare(functions, "@", param.name);
    else if (param.isLayout)
      declare(layouts, "#", param.name);
}

// The function that is passed for a parameter `@f`; null if an error was reported.
const ast::KernelDecl *functionArgument(KernelState &state, const ast::Expr &expr, const ast::KernelDecl &decl, size_t i) {
  if (expr.is(ast::Expr::Kind::Symbol)) return calledFunction(state, expr);
  state.diagnostics()
      .report(DiagCode::CallMismatch, expr.range,
              str("`@", decl.params[i].name.text, "` of `@", decl.name.text, "` is a function, such as `@relu`"))
      .at(decl.params[i].name.range, "declared here");
  return nullptr;
}

// The layout that is passed for a parameter `#l`; nullopt if an error was reported.
std::optional<ParamScope::GivenLayout> layoutArgument(KernelState &state, const ast::Expr &expr, const ast::KernelDecl &decl,
                                                      size_t i) {
  const SourceRange declared = decl.params[i].name.range;
  if (expr.is(ast::Expr::Kind::Alias)) {
    if (const auto *given = state.params.givenLayout(expr.text, expr.range)) return {{given->alias, declared}};
    const ast::AttrAlias *alias = state.params.attrAlias(expr.text, expr.range);
    return alias ? std::optional(ParamScope::GivenLayout{alias, declared}) : std::nullopt;
  }
  state.diagnostics()
      .report(DiagCode::CallMismatch, expr.range,
              str("`#", decl.params[i].name.text, "` of `@", decl.name.text, "` is a layout, such as `#rows`"))
      .at(declared, "declared here");
  return std::nullopt;
}

Type patternIn(KernelState &state, const Instance &instance, const ast::TypeExpr &type) {
  Instance::Scope scope(instance);
  return state.types.resolvePattern(type);
}

// Lowers the arguments of a call. Returns false if an error was reported, or if a mismatch is due to an extent assumed for `?`.
bool lowerArguments(KernelState &state, const ast::Expr &expr, const ast::KernelDecl &decl, Instance &instance,
                    std::vector<Value *> &values) {
  if (!takesArguments(state, expr, decl, expr.children.size())) return false;
  bool ok = true;
  values.assign(decl.params.size(), nullptr);
  for (size_t i = 0; i < decl.params.size(); ++i) {
    if (!decl.params[i].isLayout) continue;
    std::optional<ParamScope::GivenLayout> given = layoutArgument(state, expr.children[i], decl, i);
    if (!given) return false;
    instance.layouts[decl.params[i].name.text] = *given;
  }
  // First those that decide what the generic names stand for: all but literals, then literals if some are left.
  for (bool literals : {false, true})
    for (size_t i = 0; i < decl.params.size(); ++i) {
      const ast::Expr &argument = expr.children[i];
      if (!decl.params[i].isValue() || values[i] || isLiteral(argument) != literals) continue;
      if (literals && instance.complete()) continue;
      if (!literals && decl.generics.empty()) continue;
      values[i] = lowerExpr(state, argument);
      if (!values[i]) return false;
      if (!instance.bind(decl.params[i].type, values[i]->type(), argument.range)) return false;
    }
  if (!instance.decided(expr.range)) return false;
  for (size_t i = 0; i < decl.params.size(); ++i) {
    const ast::Expr &argument = expr.children[i];
    if (decl.params[i].isLayout) continue;
    if (decl.params[i].isFunction) {
      const ast::KernelDecl *given = functionArgument(state, argument, decl, i);
      ok &= given != nullptr;
      instance.functions[decl.params[i].name.text] = given;
      continue;
    }
    Type pattern = patternIn(state, instance, decl.params[i].type);
    if (!values[i]) values[i] = lowerExpr(state, argument, pattern && pattern.isScalar() ? pattern : Type());
    if (!pattern || !values[i])
      ok = false;
    else
      ok &= argumentFits(state, decl, i, argument.range, pattern, values[i]);
  }
  return ok;
}

std::optional<std::vector<Value *>> lowerCallBody(KernelState &state, const ast::Expr &expr, const ast::KernelDecl &decl,
                                                  const Instance &instance, const std::vector<Value *> &arguments) {
  if (repeatedTooMuch(state)) return std::nullopt;
  // An error inside a function is reported once, not once for each call.
  if (state.file.failedFunctions.contains(&decl)) return std::nullopt;
  state.file.lowered.insert(&decl);
  size_t before = state.diagnostics().errorCount();
  Instance::Scope scope(instance);
  std::optional<std::vector<Value *>> results = lowerFunctionBody(state, decl, arguments, expr.range, instance.functions);
  if (state.diagnostics().errorCount() != before) {
    if (repeatedTooMuch(state)) return std::nullopt; // the error is no mistake of this function
    state.file.failedFunctions.insert(&decl);
    state.diagnostics().labelErrorAfter(before, expr.range, str("`@", decl.name.text, "` is called here", instance.text()));
    return std::nullopt;
  }
  return results;
}

std::optional<std::vector<Value *>> checkedResults(KernelState &state, const ast::KernelDecl &decl, const CallFrame &frame) {
  if (frame.values.size() != decl.results.size()) {
    state.diagnostics().report(DiagCode::FunctionResult, frame.range,
                               str("`@", decl.name.text, "` declares ", decl.results.size(), " result",
                                   decl.results.size() == 1 ? "" : "s", ", but returns ", frame.values.size()));
    return std::nullopt;
  }
  for (size_t i = 0; i < frame.values.size(); ++i) {
    Type pattern = state.types.resolvePattern(decl.results[i]);
    if (!pattern || !frame.values[i]) return std::nullopt;
    if (fits(pattern, frame.values[i]->type())) continue;
    if (state.anyExtents && fits(withAnyExtents(state.context, pattern), frame.values[i]->type())) return std::nullopt;
    state.diagnostics()
        .report(DiagCode::FunctionResult, frame.range,
                str("`@", decl.name.text, "` returns ", shapedText(frame.values[i]->type()), ", but declares ",
                    shapedText(pattern)))
        .at(decl.results[i].range, "declared here");
    return std::nullopt;
  }
  return frame.values;
}

} // namespace

std::optional<std::vector<Value *>> lowerFunctionCall(KernelState &state, const ast::Expr &expr,
                                                      const ast::Signature *signature) {
  const ast::KernelDecl *decl = calledFunction(state, expr);
  if (!decl) return std::nullopt;
  std::vector<Value *> arguments;
  Instance instance(state, *decl);
  if (!lowerArguments(state, expr, *decl, instance, arguments) || decl->broken) return std::nullopt;
  // Check the types in a call such as `func.call @f(%x) : (f32) -> f32`.
  if (signature && !agreesWith(state, signature->left, arguments, signature->range, "argument")) return std::nullopt;
  std::optional<std::vector<Value *>> results = lowerCallBody(state, expr, *decl, instance, arguments);
  if (results && signature && !agreesWith(state, signature->right, *results, signature->range, "result")) return std::nullopt;
  return results;
}

std::optional<std::vector<Value *>> lowerFunctionCall(KernelState &state, const ast::Expr &symbol,
                                                      const std::vector<Value *> &arguments) {
  const ast::KernelDecl *decl = calledFunction(state, symbol);
  if (!decl || decl->broken || !takesArguments(state, symbol, *decl, arguments.size())) return std::nullopt;
  if (const ast::Param *other = otherParameter(*decl)) {
    state.diagnostics()
        .report(DiagCode::CallMismatch, symbol.range,
                str("`", other->isFunction ? '@' : '#', other->name.text, "` of `@", decl->name.text, "` is a ",
                    other->isFunction ? "function" : "layout", ", but it is given a value"))
        .at(other->name.range, "declared here");
    return std::nullopt;
  }
  Instance instance(state, *decl);
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!instance.bind(decl->params[i].type, arguments[i]->type(), symbol.range)) return std::nullopt;
  if (!instance.decided(symbol.range)) return std::nullopt;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Type pattern = patternIn(state, instance, decl->params[i].type);
    if (!pattern || !argumentFits(state, *decl, i, symbol.range, pattern, arguments[i])) return std::nullopt;
  }
  return lowerCallBody(state, symbol, *decl, instance, arguments);
}

std::optional<std::vector<Value *>> lowerFunctionBody(KernelState &state, const ast::KernelDecl &decl,
                                                      const std::vector<Value *> &arguments, SourceRange call,
                                                      const FunctionArguments &functions) {
  Environment outerNames = std::move(state.names);
  std::vector<RegionYield> outerYields = std::move(state.yields);
  bool outerLost = state.namesLost;
  state.names = Environment(state.params.symbols().index());
  state.yields.clear();
  state.names.push();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ast::Name &name = decl.params[i].name;
    if (const BoundName *other = state.names.find(name.text))
      state.diagnostics()
          .report(DiagCode::DuplicateName, name.range, str("parameter `%", name.text, "` is declared twice"))
          .at(other->range, "first here");
    if (!decl.params[i].isValue()) continue;
    // A constant with a name is kept when an op takes its value.
    if (arguments[i]->name().empty()) arguments[i]->setName(name.text);
    state.names.bind(name.text, {arguments[i], false, name.range});
  }
  checkDeclaredNames(state, decl);
  state.calls.push_back({&decl, false, {}, {}, call, functions});
  lowerBlock(state, decl.body);
  CallFrame frame = std::move(state.calls.back());
  state.calls.pop_back();
  state.names.pop();
  state.names = std::move(outerNames);
  state.yields = std::move(outerYields);
  state.namesLost = outerLost;
  if (!frame.returned && !decl.results.empty() && !state.poisoned)
    state.diagnostics().report(DiagCode::FunctionResult, decl.body.range.endPoint(),
                               str("`@", decl.name.text, "` ends without a `return`"));
  if (state.poisoned) return std::nullopt;
  if (!frame.returned) return decl.results.empty() ? std::optional(std::vector<Value *>()) : std::nullopt;
  return checkedResults(state, decl, frame);
}

void lowerReturn(KernelState &state, const ast::Stmt &stmt) {
  if (state.calls.empty()) {
    state.diagnostics().report(DiagCode::NotHere, stmt.range,
                               stmt.values.empty()
                                   ? "`return` may end a kernel, or a branch of an `if` that is in no loop and yields nothing"
                                   : "a kernel returns nothing");
    return;
  }
  CallFrame &frame = state.calls.back();
  if (!state.yields.empty() || &stmt != &frame.decl->body.stmts.back()) {
    state.diagnostics().report(DiagCode::NotHere, stmt.range, "`return` must be the last statement of a function");
    return;
  }
  frame.returned = true;
  frame.range = stmt.range;
  for (size_t i = 0; i < stmt.values.size(); ++i) {
    Type like = i < frame.decl->results.size() ? state.types.resolvePattern(frame.decl->results[i]) : Type();
    frame.values.push_back(lowerExpr(state, stmt.values[i], like && like.isScalar() ? like : Type()));
    if (!frame.values.back()) state.poisoned = true;
  }
  if (stmt.signature && !state.poisoned) agreesWith(state, stmt.signature->left, frame.values, stmt.signature->range, "value");
}

bool repeatedTooMuch(const KernelState &state) { return state.repeated > kMostRepeatedStatements; }

bool mayRepeat(KernelState &state, SourceRange range) {
  if (++state.repeated <= kMostRepeatedStatements) return true;
  state.poisoned = state.file.repeatedTooMuch = true;
  if (state.repeated > kMostRepeatedStatements + 1) return false;
  if (state.calls.empty()) {
    state.diagnostics()
        .report(DiagCode::NotSupported, range,
                str("`@", state.decl.name.text, "` has more than ", kMostRepeatedStatements,
                    " statements after some are duplicated"))
        .note(
            "the first block of `while … do` is lowered before the loop and at the end of its body, so each level of loops in "
            "first blocks doubles it")
        .note("what follows an `if` is lowered in both branches if one of them may return, but need not");
    return false;
  }
  std::string chain = str("@", state.decl.name.text);
  for (const CallFrame &frame : state.calls)
    if (frame.decl != &state.decl) chain += " -> @" + frame.decl->name.text;
  state.diagnostics()
      .report(DiagCode::NotSupported, state.calls.front().call.file ? state.calls.front().call : range,
              str("`@", state.decl.name.text, "` has more than ", kMostRepeatedStatements, " statements after inlining"))
      .note(str("the calls that exceed the limit: ", chain))
      .note("every call is inlined, so a function that calls another twice doubles its size; a loop around one call does not");
  return false;
}

} // namespace xt
