#include "lang/lower/file_lowering.h"

#include "ir/base/text.h"
#include "lang/lower/kernel_lowering.h"
#include "lang/lower/test_lowering.h"
#include "lang/lower/uncalled_function.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace xt {
namespace {

using Overrides = std::vector<std::pair<std::string, ConstValue>>;

// The search for calls stops at this depth. Lowering reports deeper nesting.
constexpr int kMaxSearchDepth = 2000;

// Lowering this many statements takes some seconds and some hundred megabytes.
constexpr size_t kMostRepeatedInFile = 200000;

class FileLowering {
public:
  FileLowering(std::span<const SourceUnit *const> units, bool importLost, const SourceManager &sources, Context &context,
               CheckStore *store, Diagnostics &diagnostics)
      : units_(units.begin(), units.end()), files_(allPieces(units)), own_(units[0]->pieces.size()), context_(context),
        store_(store), diagnostics_(diagnostics), symbols_(files_, own_, importLost, diagnostics),
        module_(std::make_unique<Module>(context)), state_{{}, {}, module_->aliases, sources} {}

  void run(const LowerOptions &options) {
    readDefines(options);
    symbols_.watch(nullptr, store_ ? &names_ : nullptr);
    if (store_) nameDeclarations();
    checkParams();
    checkAliases();
    for (const ast::File *file : own())
      for (const ast::KernelDecl &kernel : file->kernels) {
        if (symbols_.kernel(kernel.name.text) != &kernel) continue;
        if (!kernel.isFunction || isKernelLike(kernel)) instantiate(kernel, {}, nullptr);
      }
    for (const ast::File *file : own()) lowerTests(*file);
    for (const ast::File *file : own())
      for (const ast::KernelDecl &decl : file->kernels)
        // Stop after a function that inlines too much: many others may call it, and each would take as long to reject.
        if (symbols_.kernel(decl.name.text) == &decl && decl.isFunction && !isKernelLike(decl) && !decl.broken &&
            !state_.lowered.contains(&decl) && !state_.repeatedTooMuch)
          merge(check(decl, str("function ", decl.name.text), {}, What::Function), What::Function);
    checkImportedKernels();
    names_.settle();
  }

  CheckedFile take() { return {std::move(module_), std::move(checks_), std::move(names_)}; }

private:
  enum class What : uint8_t { Kernel, Function };

  static std::vector<const ast::File *> allPieces(std::span<const SourceUnit *const> units) {
    std::vector<const ast::File *> all;
    for (const SourceUnit *unit : units) all.insert(all.end(), unit->pieces.begin(), unit->pieces.end());
    return all;
  }
  std::span<const ast::File *const> own() const { return std::span(files_).first(own_); }

  void lowerTests(const ast::File &file) {
    for (const ast::TestDecl &decl : file.tests) {
      ParamScope params = scope({});
      TestLowering lowering(context_, params,
                            [this](const ast::KernelDecl &kernel, Overrides overrides, const ast::Attr *attrs) {
                              return instantiate(kernel, std::move(overrides), attrs);
                            });
      HostTest test;
      if (lowering.lower(decl, test)) module_->tests.push_back(std::move(test));
    }
  }

  void nameDeclarations() {
    auto name = [&](NameKind kind, const ast::Name &declared) {
      if (declared) names_.declare(kind, declared.range);
    };
    for (const ast::File *file : files_) {
      for (const ast::AttrAlias &alias : file->attrAliases) name(NameKind::Alias, alias.name);
      for (const ast::TypeAlias &alias : file->typeAliases) name(NameKind::TypeAlias, alias.name);
      for (const ast::ParamDecl &param : file->params) name(NameKind::Param, param.name);
      for (const ast::KernelDecl &kernel : file->kernels) name(NameKind::Kernel, kernel.name);
    }
  }

  // Whether repeating an earlier check would give the same result.
  bool holds(const KernelCheck &known) const {
    if (known.completeThen != symbols_.complete() || !symbols_.answersAsIn(known.lookups, known.namesThen)) return false;
    for (const Lookups::Entry &entry : known.lookups.entries)
      if (entry.kind == NameKind::Kernel && entry.decl) {
        auto *decl = static_cast<const ast::KernelDecl *>(entry.decl);
        if (state_.failedFunctions.contains(decl) != known.failedThen.contains(decl)) return false;
      }
    auto same = [](const LayoutAlias &a, const LayoutAlias &b) {
      return a.name == b.name && a.spec == b.spec && a.order == b.order;
    };
    return known.diagnostics.all().empty() || std::equal(known.aliasesThen.begin(), known.aliasesThen.end(),
                                                         module_->aliases.begin(), module_->aliases.end(), same);
  }

  // Whether more statements may be lowered. Inlined functions and kernels with several instances repeat statements, so
  // kMostRepeatedInFile may be lowered beyond those written. The number written is at most the number of bytes.
  bool mayLowerMore(const ast::KernelDecl &decl) {
    if (mostStatements_ == 0) {
      mostStatements_ = kMostRepeatedInFile;
      for (const ast::File *file : files_) mostStatements_ += state_.sources.file(file->file).text().size();
    }
    if (state_.statements <= mostStatements_) return true;
    if (std::exchange(toldOfMany_, true)) return false;
    diagnostics_
        .report(DiagCode::NotSupported, decl.name.range,
                str("the kernels up to `@", decl.name.text, "` have more than ", kMostRepeatedInFile,
                    " statements after inlining and specialisation: the rest is not checked"))
        .note("a function counts once for each call, and a kernel once for each set of parameters that it is launched with");
    return false;
  }

  std::shared_ptr<KernelCheck> check(const ast::KernelDecl &decl, const std::string &name, const Overrides &changed,
                                     What what) {
    if (!mayLowerMore(decl)) return std::make_shared<KernelCheck>();
    if (store_)
      if (auto known = store_->find(decl, name, [this](const KernelCheck &check) { return holds(check); })) return known;
    auto made = std::make_shared<KernelCheck>();
    made->diagnostics.wantRemarks(diagnostics_.wantsRemarks());
    if (store_) made->context = std::make_unique<Context>();
    Context &context = store_ ? *made->context : context_;
    symbols_.watch(&made->lookups, store_ ? &made->names : nullptr);
    {
      // The check knows which functions have failed so far, but has its own messages, because it may be reused when other
      // declarations change.
      FileState state{state_.failedFunctions, {}, state_.aliases, state_.sources};
      ParamScope params = scope(changed, made->diagnostics);
      if (what == What::Kernel)
        made->kernel = lowerKernel(context, params, state, decl, name);
      else
        checkUncalledFunction(context, params, state, decl, made->diagnostics);
      for (const ast::KernelDecl *failed : state.failedFunctions)
        if (!state_.failedFunctions.contains(failed)) made->failed.insert(failed);
      made->lowered = std::move(state.lowered);
      made->repeatedTooMuch = state.repeatedTooMuch;
      made->statements = state.statements;
    }
    symbols_.watch(nullptr, store_ ? &names_ : nullptr);
    if (store_) {
      made->failedThen = state_.failedFunctions;
      made->completeThen = symbols_.complete();
      if (made->lookups.allNames) made->namesThen = symbols_.allNames();
      if (!made->diagnostics.all().empty()) made->aliasesThen = module_->aliases;
      store_->keep(decl, name, made);
    }
    return made;
  }

  // Adds the messages of a check and its findings about functions to those of the file. For a function that is never called,
  // drops messages whose code and range have been reported already.
  void merge(const std::shared_ptr<KernelCheck> &checked, What what) {
    // Add the codes and ranges of the messages reported since the last such function.
    for (const std::vector<Diagnostic> &all = diagnostics_.all(); what == What::Function && said_ < all.size(); ++said_)
      saidAt_.insert({all[said_].code, all[said_].range.file, all[said_].range.begin, all[said_].range.end});
    for (const Diagnostic &diagnostic : checked->diagnostics.all()) {
      const SourceRange &range = diagnostic.range;
      if (what == What::Function && saidAt_.contains({diagnostic.code, range.file, range.begin, range.end})) continue;
      diagnostics_.report(diagnostic.code, diagnostic.range, diagnostic.message) = diagnostic;
    }
    for (size_t i = 0; i < checked->diagnostics.consequences(); ++i) diagnostics_.noteConsequence();
    if (what == What::Kernel) state_.failedFunctions.insert(checked->failed.begin(), checked->failed.end());
    state_.lowered.insert(checked->lowered.begin(), checked->lowered.end());
    state_.repeatedTooMuch |= checked->repeatedTooMuch;
    state_.statements += checked->statements;
    if (store_) checks_.push_back(checked);
  }

  // Whether a function is a kernel: the RFC writes kernels as `func.func` without results. One that is called without having a
  // grid is a function nevertheless.
  bool isKernelLike(const ast::KernelDecl &decl) {
    return decl.results.empty() &&
           std::any_of(decl.params.begin(), decl.params.end(),
                       [](const ast::Param &p) { return p.type.name.text.ends_with("memref"); }) &&
           (!decl.grid.empty() || !isCalled(decl));
  }

  bool isCalled(const ast::KernelDecl &decl) {
    if (!callsAreKnown_)
      for (const ast::File *file : files_)
        for (const ast::KernelDecl &kernel : file->kernels) collectCalls(kernel.body, 0);
    callsAreKnown_ = true;
    return called_.contains(decl.name.text);
  }
  void collectCalls(const ast::Block &block, int depth) {
    if (depth > kMaxSearchDepth) return;
    for (const ast::Stmt &stmt : block.stmts) {
      for (const ast::Maybe<ast::Expr> *expr : {&stmt.expr, &stmt.lower, &stmt.upper, &stmt.step})
        if (*expr) collectCalls(**expr, 0);
      for (const ast::Expr &value : stmt.values) collectCalls(value, 0);
      for (const ast::IterArg &arg : stmt.iterArgs) collectCalls(arg.init, 0);
      if (stmt.op)
        for (const ast::Expr &operand : stmt.op->operands) collectCalls(operand, 0);
      if (stmt.body) collectCalls(*stmt.body, depth + 1);
      if (stmt.orElse) collectCalls(*stmt.orElse, depth + 1);
    }
  }
  void collectCalls(const ast::Expr &expr, int depth) {
    if (depth > kMaxSearchDepth) return;
    if (expr.is(ast::Expr::Kind::Call) && expr.symbolCall) called_.insert(expr.text);
    for (const ast::Expr &child : expr.children) collectCalls(child, depth + 1);
  }

  void readDefines(const LowerOptions &options) {
    for (const auto &[name, text] : options.defines) {
      const ast::ParamDecl *param = symbols_.param(name);
      std::optional<ConstValue> value = param ? paramFromText(*param, text) : std::nullopt;
      if (value) {
        defines_.emplace_back(name, *value);
        continue;
      }
      if (!param) {
        auto &diagnostic = diagnostics_.report(DiagCode::UnknownParam, {},
                                               str("-D ", name, "=", text, ": the file has no parameter `$", name, "`"));
        std::vector<std::string_view> names = symbols_.paramNames();
        if (!names.empty()) diagnostic.note("its parameters are $" + join(names, ", $"));
      } else {
        diagnostics_.report(DiagCode::LiteralValue, param->name.range,
                            str("-D ", name, "=", text, ": `", text, "` is not a value of type ", param->type.name.text));
      }
    }
  }

  ParamScope scope(const Overrides &overrides) { return scope(overrides, diagnostics_); }
  ParamScope scope(const Overrides &overrides, Diagnostics &diagnostics) {
    ParamScope params(symbols_, diagnostics);
    for (const auto &[name, value] : defines_) params.override(name, value);
    for (const auto &[name, value] : overrides) params.override(name, value);
    return params;
  }

  // Checks all parameters, even unused ones. Warns if a value is not in the parameter's list of values.
  void checkParams() {
    ParamScope params = scope({});
    for (const ast::File *file : files_)
      for (const ast::ParamDecl &param : file->params) {
        if (!param.name || symbols_.param(param.name.text) != &param) continue;
        std::optional<ConstValue> value = params.get(param.name);
        std::vector<ConstValue> choices = params.choices(param);
        if (!value) continue;
        ModuleParam row{param.name.text, param.type.name.text, constText(*value), {}};
        for (const ConstValue &choice : choices) row.choices.push_back(constText(choice));
        if (isUnlisted(*value, choices))
          diagnostics_.report(DiagCode::ParamNotListed, param.name.range, unlistedText(row.name, *value, choices));
        module_->params.push_back(std::move(row));
      }
  }

  static bool isUnlisted(const ConstValue &value, const std::vector<ConstValue> &choices) {
    return !choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end();
  }
  static std::string unlistedText(const std::string &name, const ConstValue &value, const std::vector<ConstValue> &choices) {
    std::vector<std::string> listed;
    for (const ConstValue &choice : choices) listed.push_back(constText(choice));
    return str("`$", name, "` is ", constText(value), ", which its `in [", join(listed, ", "), "]` does not list");
  }

  // Warns as checkParams does, for parameters that the kernel uses and that a launch changes directly or through others.
  void checkLaunchParams(ParamScope &launch, const Lookups &kernel, ParamScope &file, const ast::Attr &attrs) {
    Diagnostics reported; // discarded: errors in the lists have been reported
    std::set<std::string_view> used;
    for (const Lookups::Entry &entry : kernel.entries)
      if (entry.kind == NameKind::Param) used.insert(entry.name);
    for (const ast::File *source : files_)
      for (const ast::ParamDecl &param : source->params) {
        if (symbols_.param(param.name.text) != &param || !used.contains(param.name.text)) continue;
        std::optional<ConstValue> value = launch.get(param.name);
        if (!value || value == file.get(param.name)) continue;
        std::vector<ConstValue> choices = ParamScope(launch, reported).choices(param);
        if (!isUnlisted(*value, choices)) continue;
        SourceRange range = attrs.range;
        for (const ast::Attr::Entry &entry : attrs.entries)
          if (entry.key.text == param.name.text) range = entry.range;
        diagnostics_.report(DiagCode::ParamNotListed, range, unlistedText(param.name.text, *value, choices))
            .at(param.name.range, "declared here");
      }
  }

  // Checks imported kernels that are never launched. They do not become part of the module.
  void checkImportedKernels() {
    for (size_t f = own_; f < files_.size(); ++f)
      for (const ast::KernelDecl &decl : files_[f]->kernels) {
        bool isKernel = !decl.isFunction || isKernelLike(decl);
        if (!isKernel || decl.broken || symbols_.kernel(decl.name.text) != &decl) continue;
        if (instantiated_.contains(&decl)) continue;
        merge(check(decl, decl.name.text, {}, What::Kernel), What::Kernel);
      }
  }

  // Checks all aliases, even unused ones, and keeps layout aliases under the user's names for dumps.
  void checkAliases() {
    ParamScope params = scope({});
    TypeResolver types(context_, params);
    for (const SourceUnit *unit : units_) {
      for (const ast::File *file : unit->pieces)
        for (const ast::AttrAlias &alias : file->attrAliases) {
          ShapedAttrs attrs;
          if (types.resolveAttr(alias.value, attrs) && attrs.layout)
            module_->aliases.push_back({alias.name.text, *attrs.layout, attrs.order});
        }
      for (const ast::File *file : unit->pieces)
        for (const ast::TypeAlias &alias : file->typeAliases) types.resolve(alias.value);
    }
  }

  Kernel *instantiate(const ast::KernelDecl &decl, Overrides overrides, const ast::Attr *attrs) {
    if (decl.broken) return nullptr; // reported
    ParamScope params = scope({});
    // Overrides that change no value do not create another instance. The others are applied in order of declaration.
    std::string name = decl.name.text;
    Overrides changed;
    for (const ast::File *file : files_)
      for (const ast::ParamDecl &param : file->params)
        for (const auto &[key, value] : overrides) {
          if (key != param.name.text || params.get(param.name) == value) continue;
          name += str("$", key, "=", constText(value));
          changed.emplace_back(key, value);
        }
    if (auto known = instances_.find(name); known != instances_.end()) return known->second;
    ParamScope ownScope = scope(changed);
    size_t before = diagnostics_.errorCount();
    std::shared_ptr<KernelCheck> checked = check(decl, name, changed, What::Kernel);
    merge(checked, What::Kernel);
    Kernel *made = checked->kernel.get();
    if (!made && !changed.empty()) diagnostics_.noteErrorAfter(before, str("in `@", name, "`, which a test launches"));
    if (made && attrs) checkLaunchParams(ownScope, checked->lookups, params, *attrs);
    if (made && !store_) module_->kernels.push_back(std::move(checked->kernel));
    instances_.emplace(std::move(name), made);
    instantiated_.insert(&decl);
    return made;
  }

  std::vector<const SourceUnit *> units_;
  std::vector<const ast::File *> files_; // the pieces of all units
  size_t own_; // how many of `files_` belong to the compiled unit
  std::set<std::string, std::less<>> called_; // names of called functions; collected on first use
  bool callsAreKnown_ = false;
  Context &context_;
  CheckStore *store_;
  Diagnostics &diagnostics_;
  FileSymbols symbols_;
  std::unique_ptr<Module> module_;
  FileState state_;
  Overrides defines_;
  std::map<std::string, Kernel *> instances_; // by name, which includes the overrides of a launch
  std::set<const ast::KernelDecl *> instantiated_;
  std::set<std::tuple<DiagCode, uint32_t, uint32_t, uint32_t>> saidAt_;
  size_t said_ = 0; // how many of the file's messages are in saidAt_
  size_t mostStatements_ = 0; // 0: not counted yet
  bool toldOfMany_ = false;
  std::vector<std::shared_ptr<KernelCheck>> checks_;
  NameIndex names_;
};

} // namespace

CheckedFile lowerUnits(std::span<const SourceUnit *const> units, bool importLost, const SourceManager &sources,
                       Context &context, const LowerOptions &options, CheckStore *store, Diagnostics &diagnostics) {
  FileLowering lowering(units, importLost, sources, context, store, diagnostics);
  lowering.run(options);
  return lowering.take();
}

} // namespace xt
