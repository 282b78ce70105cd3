#include "lang/lower/lower.h"

#include "ir/base/text.h"
#include "lang/lower/kernel_lowering.h"
#include "lang/lower/test_lowering.h"
#include "lang/parse/parse.h"

#include <algorithm>

namespace xt {
namespace {

using Overrides = std::vector<std::pair<std::string, ConstValue>>;

class FileLowering {
public:
  FileLowering(const ast::File &file, Context &context, Diagnostics &diagnostics)
      : file_(file), context_(context), diagnostics_(diagnostics), symbols_(file, diagnostics),
        module_(std::make_unique<Module>(context)) {}

  void run(const LowerOptions &options) {
    for (const ast::ImportDecl &import : file_.imports)
      diagnostics_.report(DiagCode::NotSupported, import.range, "`import` is not in this version");
    readDefines(options);
    checkAliases();
    for (const ast::KernelDecl &kernel : file_.kernels) {
      if (kernel.isFunction && !isKernelLike(kernel)) {
        diagnostics_.report(DiagCode::NotSupported, kernel.name.range, "functions are not in this version");
        continue;
      }
      if (symbols_.kernel(kernel.name.text) == &kernel) instantiate(kernel, {});
    }
    for (const ast::TestDecl &decl : file_.tests) {
      ParamScope params = scope({});
      TestLowering lowering(context_, params,
                            [this](const ast::KernelDecl &kernel, Overrides overrides) { return instantiate(kernel, std::move(overrides)); });
      HostTest test;
      if (lowering.lower(decl, test)) module_->tests.push_back(std::move(test));
    }
  }

  std::unique_ptr<Module> take() { return std::move(module_); }

private:
  // The RFC writes kernels as `func.func` without results.
  static bool isKernelLike(const ast::KernelDecl &decl) {
    return decl.results.empty() &&
           std::any_of(decl.params.begin(), decl.params.end(), [](const ast::Param &p) { return p.type.name.text.ends_with("memref"); });
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

  // Aliases that nothing uses are checked as well, and kept under the user's names for dumps.
  void checkAliases() {
    ParamScope params = scope({});
    TypeResolver types(context_, params);
    for (const ast::ParamDecl &param : file_.params)
      if (param.name) params.get(param.name);
    for (const ast::AttrAlias &alias : file_.attrAliases) {
      ShapedAttrs attrs;
      if (types.resolveAttr(alias.value, attrs) && attrs.layout)
        module_->aliases.push_back({alias.name.text, *attrs.layout, attrs.order});
    }
    for (const ast::TypeAlias &alias : file_.typeAliases) types.resolve(alias.value);
  }

  Kernel *instantiate(const ast::KernelDecl &decl, Overrides overrides) {
    if (decl.broken) return nullptr; // reported
    ParamScope params = scope({});
    // Overrides that change nothing do not make another kernel; the rest go in the order of declaration.
    std::string name = decl.name.text;
    Overrides changed;
    for (const ast::ParamDecl &param : file_.params)
      for (const auto &[key, value] : overrides) {
        if (key != param.name.text || params.get(param.name) == value) continue;
        name += str("$", key, "=", constText(value));
        changed.emplace_back(key, value);
      }
    for (const Instance &instance : instances_)
      if (instance.name == name) return instance.kernel;
    ParamScope own = scope(changed);
    size_t before = diagnostics_.errorCount();
    std::unique_ptr<Kernel> kernel = KernelLowering(context_, own, decl, name).run();
    if (!kernel && !changed.empty()) diagnostics_.noteErrorAfter(before, str("in `@", name, "`, which a test launches"));
    Kernel *made = kernel.get();
    if (kernel) module_->kernels.push_back(std::move(kernel));
    instances_.push_back({name, made});
    return made;
  }

  struct Instance {
    std::string name;
    Kernel *kernel;
  };
  const ast::File &file_;
  Context &context_;
  Diagnostics &diagnostics_;
  FileSymbols symbols_;
  std::unique_ptr<Module> module_;
  Overrides defines_;
  std::vector<Instance> instances_;
};

} // namespace

Result<std::unique_ptr<Module>> lowerFile(const SourceManager &sources, uint32_t index, Context &context,
                                          const LowerOptions &options, Diagnostics &diagnostics) {
  size_t before = diagnostics.errorCount();
  ast::File file = parse(sources, index, diagnostics);
  FileLowering lowering(file, context, diagnostics);
  lowering.run(options);
  if (diagnostics.errorCount() != before) return Error::diagnosed();
  std::unique_ptr<Module> module = lowering.take();
  module->fileName = sources.file(index).name();
  return module;
}

} // namespace xt
