// Inlines calls of functions: lowers the function's body at the call with the types of the arguments.
#include "ir/base/text.h"
#include "lang/lower/kernel_lowering.h"

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

// The type with `?` for all extents and, for tiles, in row-major order, which fits() accepts for either order.
Type withAnyExtents(Context &context, Type type) {
  if (!type || type.isScalar()) return type;
  TypeData data = type.data();
  std::fill(data.shape.begin(), data.shape.end(), kDynamic);
  data.order = Order::RowMajor;
  return context.intern(std::move(data));
}

} // namespace

const ast::KernelDecl *KernelLowering::calledFunction(const ast::Expr &expr) {
  const FileSymbols &symbols = params_.symbols();
  const ast::KernelDecl *decl = symbols.kernel(expr.text);
  if (NameIndex *index = symbols.index(); index && decl) index->use(NameKind::Kernel, expr.textRange, decl->name.range);
  if (decl && decl->isFunction) {
    auto open = std::find_if(calls_.begin(), calls_.end(), [&](const CallFrame &f) { return f.decl == decl; });
    if (open == calls_.end() && calls_.size() < kMaxCallDepth) return decl;
    std::string circle;
    for (; open != calls_.end(); ++open) circle += "@" + open->decl->name.text + " -> ";
    diagnostics()
        .report(DiagCode::RecursiveCall, expr.textRange,
                circle.empty() ? str("calls are nested deeper than ", kMaxCallDepth)
                               : str("`@", expr.text, "` calls itself, but every call is inlined"))
        .note(circle + "@" + expr.text);
    return nullptr;
  }
  if (!decl && !symbols.complete()) return nullptr;
  auto &diagnostic =
      diagnostics().report(DiagCode::UnknownFunction, expr.textRange,
                           decl ? str("`@", expr.text, "` is a kernel: a test can launch it, but nothing can call it")
                                : str("unknown function `@", expr.text, "`"));
  if (decl)
    diagnostic.at(decl->name.range, "defined here");
  else
    suggestName(diagnostic, expr.textRange, '@', expr.text, symbols.kernelNames());
  return nullptr;
}

// False: an error has been reported, or a mismatch is due to an extent assumed for `?`.
bool KernelLowering::lowerArguments(const ast::Expr &expr, const ast::KernelDecl &decl, std::vector<Value *> &values) {
  if (expr.children.size() != decl.params.size()) {
    diagnostics()
        .report(DiagCode::CallMismatch, expr.range,
                str("`@", expr.text, "` takes ", decl.params.size(), " argument", decl.params.size() == 1 ? "" : "s", ", not ",
                    expr.children.size()))
        .at(decl.name.range, "declared here");
    return false;
  }
  bool ok = true;
  for (size_t i = 0; i < decl.params.size(); ++i) {
    Type pattern = types_.resolvePattern(decl.params[i].type);
    Value *value = lowerExpr(expr.children[i], pattern && pattern.isScalar() ? pattern : Type());
    if (!pattern || !value) {
      ok = false;
      continue;
    }
    values.push_back(value);
    if (fits(pattern, value->type())) continue;
    ok = false;
    if (anyExtents_ && fits(withAnyExtents(context_, pattern), value->type())) continue;
    diagnostics()
        .report(DiagCode::CallMismatch, expr.children[i].range,
                str("`%", decl.params[i].name.text, "` of `@", expr.text, "` is ", shapedText(pattern), ", but this is ",
                    shapedText(value->type())))
        .at(decl.params[i].type.range, "declared here");
  }
  return ok;
}

std::optional<std::vector<Value *>> KernelLowering::lowerFunctionCall(const ast::Expr &expr, const ast::Signature *signature) {
  const ast::KernelDecl *decl = calledFunction(expr);
  if (!decl) return std::nullopt;
  std::vector<Value *> arguments;
  if (!lowerArguments(expr, *decl, arguments) || decl->broken) return std::nullopt;
  // `func.call @f(%x) : (f32) -> f32`
  if (signature && !agreesWith(signature->left, arguments, signature->range, "argument")) return std::nullopt;
  std::optional<std::vector<Value *>> results = lowerCallBody(expr, *decl, arguments);
  if (results && signature && !agreesWith(signature->right, *results, signature->range, "result")) return std::nullopt;
  return results;
}

std::optional<std::vector<Value *>> KernelLowering::lowerCallBody(const ast::Expr &expr, const ast::KernelDecl &decl,
                                                                  const std::vector<Value *> &arguments) {
  if (repeated_ > kMostRepeatedStatements) return std::nullopt; // reported
  // What is wrong inside a function is said once, not once a call.
  if (state_.failedFunctions.contains(&decl)) return std::nullopt;
  state_.lowered.insert(&decl);
  size_t before = diagnostics().errorCount();
  std::optional<std::vector<Value *>> results = lowerFunctionBody(decl, arguments, expr.range);
  if (diagnostics().errorCount() != before) {
    if (repeated_ > kMostRepeatedStatements) return std::nullopt; // no mistake of the function's own
    state_.failedFunctions.insert(&decl);
    diagnostics().labelErrorAfter(before, expr.range, str("`@", decl.name.text, "` is called here"));
    return std::nullopt;
  }
  return results;
}

// Counts a statement of an inlined function, or of a block that is lowered again. Returns false if there are too many, which
// has been reported.
bool KernelLowering::mayRepeat(SourceRange range) {
  if (++repeated_ <= kMostRepeatedStatements) return true;
  poisoned_ = state_.repeatedTooMuch = true;
  if (repeated_ > kMostRepeatedStatements + 1) return false;
  if (calls_.empty()) {
    diagnostics()
        .report(DiagCode::NotSupported, range,
                str("`@", decl_.name.text, "` has more than ", kMostRepeatedStatements,
                    " statements after the first blocks of `while … do` are duplicated"))
        .note("the first block is lowered before the loop and at the end of its body, so each level of loops in first blocks "
              "doubles it");
    return false;
  }
  std::string chain = str("@", decl_.name.text);
  for (const CallFrame &frame : calls_)
    if (frame.decl != &decl_) chain += " -> @" + frame.decl->name.text;
  diagnostics()
      .report(DiagCode::NotSupported, calls_.front().call.file ? calls_.front().call : range,
              str("`@", decl_.name.text, "` has more than ", kMostRepeatedStatements, " statements after inlining"))
      .note(str("the calls that exceed the limit: ", chain))
      .note("every call is inlined, so a function that calls another twice doubles its size; a loop around one call does not");
  return false;
}

std::optional<std::vector<Value *>> KernelLowering::lowerFunctionBody(const ast::KernelDecl &decl,
                                                                      const std::vector<Value *> &arguments, SourceRange call) {
  Environment outerNames = std::move(names_);
  std::vector<RegionYield> outerYields = std::move(yields_);
  bool outerLost = namesLost_;
  names_ = Environment(params_.symbols().index());
  yields_.clear();
  names_.push();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ast::Name &name = decl.params[i].name;
    if (const BoundName *other = names_.find(name.text))
      diagnostics()
          .report(DiagCode::DuplicateName, name.range, str("parameter `%", name.text, "` is declared twice"))
          .at(other->range, "first here");
    names_.bind(name.text, {arguments[i], false, name.range});
  }
  calls_.push_back({&decl, false, {}, {}, call});
  lowerBlock(decl.body);
  CallFrame frame = std::move(calls_.back());
  calls_.pop_back();
  names_.pop();
  names_ = std::move(outerNames);
  yields_ = std::move(outerYields);
  namesLost_ = outerLost;
  if (!frame.returned && !decl.results.empty() && !poisoned_)
    diagnostics().report(DiagCode::FunctionResult, decl.body.range.endPoint(),
                         str("`@", decl.name.text, "` ends without a `return`"));
  if (poisoned_) return std::nullopt;
  if (!frame.returned) return decl.results.empty() ? std::optional(std::vector<Value *>()) : std::nullopt;
  return checkedResults(decl, frame);
}

std::optional<std::vector<Value *>> KernelLowering::checkedResults(const ast::KernelDecl &decl, const CallFrame &frame) {
  if (frame.values.size() != decl.results.size()) {
    diagnostics().report(DiagCode::FunctionResult, frame.range,
                         str("`@", decl.name.text, "` declares ", decl.results.size(), " result",
                             decl.results.size() == 1 ? "" : "s", ", but returns ", frame.values.size()));
    return std::nullopt;
  }
  for (size_t i = 0; i < frame.values.size(); ++i) {
    Type pattern = types_.resolvePattern(decl.results[i]);
    if (!pattern || !frame.values[i]) return std::nullopt;
    if (fits(pattern, frame.values[i]->type())) continue;
    if (anyExtents_ && fits(withAnyExtents(context_, pattern), frame.values[i]->type())) return std::nullopt;
    diagnostics()
        .report(DiagCode::FunctionResult, frame.range,
                str("`@", decl.name.text, "` returns ", shapedText(frame.values[i]->type()), ", but declares ",
                    shapedText(pattern)))
        .at(decl.results[i].range, "declared here");
    return std::nullopt;
  }
  return frame.values;
}

void KernelLowering::lowerReturn(const ast::Stmt &stmt) {
  if (calls_.empty()) {
    // The RFC ends kernels with `return` without values, which is allowed as the last statement.
    if (stmt.values.empty() && &stmt == &decl_.body.stmts.back()) return;
    diagnostics().report(DiagCode::NotHere, stmt.range, "a kernel returns nothing; `return` may only end its body");
    return;
  }
  CallFrame &frame = calls_.back();
  if (!yields_.empty() || &stmt != &frame.decl->body.stmts.back()) {
    diagnostics().report(DiagCode::NotHere, stmt.range, "`return` is the last statement of a function");
    return;
  }
  frame.returned = true;
  frame.range = stmt.range;
  for (size_t i = 0; i < stmt.values.size(); ++i) {
    Type like = i < frame.decl->results.size() ? types_.resolvePattern(frame.decl->results[i]) : Type();
    frame.values.push_back(lowerExpr(stmt.values[i], like && like.isScalar() ? like : Type()));
    if (!frame.values.back()) poisoned_ = true;
  }
  if (stmt.signature && !poisoned_) agreesWith(stmt.signature->left, frame.values, stmt.signature->range, "value");
}

} // namespace xt
