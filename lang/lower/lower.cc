#include "lang/lower/lower.h"

#include "ir/base/text.h"
#include "lang/lower/kernel_lowering.h"
#include "lang/lower/test_lowering.h"
#include "lang/lower/try_fixes.h"
#include "lang/parse/parse.h"

#include <algorithm>
#include <set>

namespace xt {
namespace {

using Overrides = std::vector<std::pair<std::string, ConstValue>>;

// What nests deeper is refused where it is lowered.
constexpr int kMaxSearchDepth = 2000;

class FileLowering {
public:
  // The first file is the one that is compiled, the others are what it imports.
  FileLowering(std::vector<const ast::File *> files, bool importLost, const SourceManager &sources, Context &context,
               Diagnostics &diagnostics)
      : files_(std::move(files)), context_(context), diagnostics_(diagnostics), symbols_(files_, importLost, diagnostics),
        module_(std::make_unique<Module>(context)), state_{{}, {}, module_->aliases, sources} {}

  void run(const LowerOptions &options) {
    readDefines(options);
    checkParams();
    checkAliases();
    collectCalls();
    for (const ast::KernelDecl &kernel : files_[0]->kernels) {
      if (symbols_.kernel(kernel.name.text) != &kernel) continue;
      if (!kernel.isFunction || isKernelLike(kernel)) instantiate(kernel, {}, nullptr);
    }
    for (const ast::TestDecl &decl : files_[0]->tests) {
      ParamScope params = scope({});
      TestLowering lowering(context_, params,
                            [this](const ast::KernelDecl &kernel, Overrides overrides, const ast::Attr *attrs) {
                              return instantiate(kernel, std::move(overrides), attrs);
                            });
      HostTest test;
      if (lowering.lower(decl, test)) module_->tests.push_back(std::move(test));
    }
    for (const ast::KernelDecl &decl : files_[0]->kernels)
      if (symbols_.kernel(decl.name.text) == &decl && decl.isFunction && !isKernelLike(decl) && !decl.broken &&
          !state_.lowered.contains(&decl))
        checkUncalledFunction(context_, scope({}), state_, decl, diagnostics_);
    checkImportedKernels();
  }

  std::unique_ptr<Module> take() { return std::move(module_); }

private:
  // The RFC writes kernels as `func.func` without results. One that is called is a function all the same.
  bool isKernelLike(const ast::KernelDecl &decl) const {
    return decl.results.empty() && (!decl.grid.empty() || !called_.contains(decl.name.text)) &&
           std::any_of(decl.params.begin(), decl.params.end(), [](const ast::Param &p) { return p.type.name.text.ends_with("memref"); });
  }

  void collectCalls() {
    for (const ast::File *file : files_)
      for (const ast::KernelDecl &kernel : file->kernels) collectCalls(kernel.body, 0);
  }
  void collectCalls(const ast::Block &block, int depth) {
    if (depth > kMaxSearchDepth) return;
    for (const ast::Stmt &stmt : block.stmts) {
      for (const std::optional<ast::Expr> *expr : {&stmt.expr, &stmt.lower, &stmt.upper, &stmt.step})
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
        auto &diagnostic = diagnostics_.report(DiagCode::UnknownParam, {}, str("-D ", name, "=", text, ": the file has no parameter `$", name, "`"));
        std::vector<std::string_view> names = symbols_.paramNames();
        if (!names.empty()) diagnostic.note("its parameters are $" + join(names, ", $"));
      } else {
        diagnostics_.report(DiagCode::LiteralValue, param->name.range,
                            str("-D ", name, "=", text, ": `", text, "` is no value of type ", param->type.name.text));
      }
    }
  }

  ParamScope scope(const Overrides &overrides) {
    ParamScope params(symbols_, diagnostics_);
    for (const auto &[name, value] : defines_) params.override(name, value);
    for (const auto &[name, value] : overrides) params.override(name, value);
    return params;
  }

  // Parameters that nothing uses are checked as well; a value that is none of the listed ones is a warning.
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

  // The same for what a launch changes, and for the parameters of the kernel that follow from it.
  void checkLaunchParams(ParamScope &launch, ParamScope &file, const ast::Attr &attrs) {
    Diagnostics reported; // mistakes in the lists have been
    for (const ast::File *source : files_)
      for (const ast::ParamDecl &param : source->params) {
        if (symbols_.param(param.name.text) != &param || !launch.knows(param.name.text)) continue;
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

  // Kernels of other files that nothing launches are checked, but are no part of the module.
  void checkImportedKernels() {
    for (size_t f = 1; f < files_.size(); ++f)
      for (const ast::KernelDecl &decl : files_[f]->kernels) {
        auto launched = [&](const Instance &instance) { return instance.decl == &decl; };
        bool isKernel = !decl.isFunction || isKernelLike(decl);
        if (!isKernel || decl.broken || symbols_.kernel(decl.name.text) != &decl) continue;
        if (std::any_of(instances_.begin(), instances_.end(), launched)) continue;
        ParamScope params = scope({});
        (void)KernelLowering(context_, params, state_, decl, decl.name.text).run();
      }
  }

  // Aliases that nothing uses are checked as well, and kept under the user's names for dumps.
  void checkAliases() {
    ParamScope params = scope({});
    TypeResolver types(context_, params);
    for (const ast::File *file : files_) {
      for (const ast::AttrAlias &alias : file->attrAliases) {
        ShapedAttrs attrs;
        if (types.resolveAttr(alias.value, attrs) && attrs.layout)
          module_->aliases.push_back({alias.name.text, *attrs.layout, attrs.order});
      }
      for (const ast::TypeAlias &alias : file->typeAliases) types.resolve(alias.value);
    }
  }

  Kernel *instantiate(const ast::KernelDecl &decl, Overrides overrides, const ast::Attr *attrs) {
    if (decl.broken) return nullptr; // reported
    ParamScope params = scope({});
    // Overrides that change nothing do not make another kernel; the rest go in the order of declaration.
    std::string name = decl.name.text;
    Overrides changed;
    for (const ast::File *file : files_)
      for (const ast::ParamDecl &param : file->params)
        for (const auto &[key, value] : overrides) {
          if (key != param.name.text || params.get(param.name) == value) continue;
          name += str("$", key, "=", constText(value));
          changed.emplace_back(key, value);
        }
    for (const Instance &instance : instances_)
      if (instance.name == name) return instance.kernel;
    ParamScope own = scope(changed);
    size_t before = diagnostics_.errorCount();
    std::unique_ptr<Kernel> kernel = KernelLowering(context_, own, state_, decl, name).run();
    if (!kernel && !changed.empty()) diagnostics_.noteErrorAfter(before, str("in `@", name, "`, which a test launches"));
    if (kernel && attrs) checkLaunchParams(own, params, *attrs);
    Kernel *made = kernel.get();
    if (kernel) module_->kernels.push_back(std::move(kernel));
    instances_.push_back({name, &decl, made});
    return made;
  }

  struct Instance {
    std::string name;
    const ast::KernelDecl *decl;
    Kernel *kernel;
  };
  std::vector<const ast::File *> files_;
  std::set<std::string, std::less<>> called_; // functions, by name
  Context &context_;
  Diagnostics &diagnostics_;
  FileSymbols symbols_;
  std::unique_ptr<Module> module_;
  LoweringState state_;
  Overrides defines_;
  std::vector<Instance> instances_;
};

} // namespace

Result<std::unique_ptr<Module>> lowerFile(SourceManager &sources, uint32_t index, Context &context,
                                          const LowerOptions &options, Diagnostics &diagnostics) {
  size_t before = diagnostics.errorCount(), first = diagnostics.all().size();
  ast::File file = parse(sources, index, diagnostics);
  std::vector<std::unique_ptr<ast::File>> imports = loadImports(file, sources, options.imports, diagnostics);
  auto lost = [](const Diagnostic &d) { return d.code == DiagCode::ImportNotFound; };
  bool importLost = std::any_of(diagnostics.all().begin() + static_cast<ptrdiff_t>(first), diagnostics.all().end(), lost);
  std::vector<const ast::File *> files = {&file};
  for (const auto &import : imports) files.push_back(import.get());
  FileLowering lowering(std::move(files), importLost, sources, context, diagnostics);
  lowering.run(options);
  if (diagnostics.errorCount() != before) {
    if (options.tryFixes) tryFixes(sources, index, options, first, diagnostics);
    return Error::diagnosed();
  }
  std::unique_ptr<Module> module = lowering.take();
  module->fileName = sources.file(index).name();
  return module;
}

} // namespace xt
