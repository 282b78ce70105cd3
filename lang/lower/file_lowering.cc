#include "lang/lower/file_lowering.h"

#include "ir/base/text.h"
#include "lang/lower/kernel_checks.h"
#include "lang/lower/kernel_kinds.h"
#include "lang/lower/test_lowering.h"

#include <map>
#include <set>

namespace xt {
namespace {

class FileLowering {
public:
  FileLowering(std::span<const SourceUnit *const> units, bool importLost, const SourceManager &sources, Context &context,
               CheckStore *store, Diagnostics &diagnostics)
      : units_(units.begin(), units.end()), files_(allPieces(units)), own_(units[0]->pieces.size()), context_(context),
        store_(store), diagnostics_(diagnostics), symbols_(files_, own_, importLost, diagnostics),
        module_(std::make_unique<Module>(context)), kinds_(files_), params_(symbols_, files_, diagnostics),
        checks_(files_, symbols_, params_, *module_, sources, context, store, store ? &names_ : nullptr, diagnostics) {}

  void run(const LowerOptions &options) {
    params_.setTarget(options.target);
    params_.readDefines(options.defines);
    symbols_.watch(nullptr, store_ ? &names_ : nullptr);
    if (store_) nameDeclarations();
    module_->params = params_.check();
    checkAliases();
    for (const ast::File *file : own())
      for (const ast::KernelDecl &decl : file->kernels)
        if (isFirst(decl) && kinds_.isKernel(decl)) instantiate(decl, {}, nullptr);
    checkFunctionsOfTests();
    for (const ast::File *file : own()) lowerTests(*file, options.sizes);
    checkSizes(options.sizes);
    for (const ast::File *file : own())
      for (const ast::KernelDecl &decl : file->kernels)
        if (isFirst(decl) && !decl.broken && !decl.ofTests && !kinds_.isKernel(decl)) checks_.checkFunction(decl);
    checkImportedKernels();
    names_.settle();
  }

  CheckedFile take() { return {std::move(module_), checks_.take(), std::move(names_)}; }

private:
  static std::vector<const ast::File *> allPieces(std::span<const SourceUnit *const> units) {
    std::vector<const ast::File *> all;
    for (const SourceUnit *unit : units) all.insert(all.end(), unit->pieces.begin(), unit->pieces.end());
    return all;
  }
  std::span<const ast::File *const> own() const { return std::span(files_).first(own_); }
  // Whether this is the first declaration of its name. The others have been reported.
  bool isFirst(const ast::KernelDecl &decl) const { return symbols_.kernel(decl.name.text) == &decl; }

  void checkFunctionsOfTests() {
    for (const ast::File *file : files_)
      for (const ast::KernelDecl &decl : file->kernels) {
        if (!decl.ofTests || !isFirst(decl)) continue;
        ParamScope params = params_.scope({}, diagnostics_);
        TestScope names;
        if (decl.broken || !HostExprLowering(params, names, brokenFunctions_).checkFunction(decl))
          brokenFunctions_.insert(&decl);
      }
  }

  void lowerTests(const ast::File &file, const TestLowering::Sizes &sizes) {
    for (const ast::TestDecl &decl : file.tests) {
      ParamScope params = params_.scope({}, diagnostics_);
      TestLowering lowering(context_, params, sizes, brokenFunctions_,
                            [this](const ast::KernelDecl &kernel, Overrides overrides, const ast::Attr *attrs) {
                              return instantiate(kernel, std::move(overrides), attrs);
                            });
      HostTest test;
      if (lowering.lower(decl, test)) module_->tests.push_back(std::move(test));
    }
  }

  // Reports sizes from the command line that no test has.
  void checkSizes(const TestLowering::Sizes &given) {
    std::set<std::string_view> known;
    for (const ast::File *file : own())
      for (const ast::TestDecl &test : file->tests)
        for (const ast::SizeDecl &size : test.sizes) known.insert(size.name.text);
    for (const auto &[name, value] : given) {
      if (known.contains(name)) continue;
      auto &diagnostic =
          diagnostics_.report(DiagCode::TestSizes, {}, str("--size ", name, "=", value, ": no test has a size `", name, "`"));
      if (!known.empty()) diagnostic.note("the sizes of the tests are " + join(known, ", "));
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

  // Checks imported kernels that are never launched. They do not become part of the module.
  void checkImportedKernels() {
    for (size_t f = own_; f < files_.size(); ++f)
      for (const ast::KernelDecl &decl : files_[f]->kernels) {
        if (!kinds_.isKernel(decl) || decl.broken || !isFirst(decl) || instantiated_.contains(&decl)) continue;
        checks_.checkKernel(decl, decl.name.text, {});
      }
  }

  // Checks all aliases, even unused ones, and keeps layout aliases under the user's names for dumps.
  void checkAliases() {
    ParamScope params = params_.scope({}, diagnostics_);
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
    if (decl.broken) return nullptr; // the parser has reported the error
    // Overrides that change no value do not create another instance. The others are applied in order of declaration.
    std::string name = decl.name.text;
    Overrides changed;
    for (const ast::File *file : files_)
      for (const ast::ParamDecl &param : file->params)
        for (const auto &[key, value] : overrides) {
          if (key != param.name.text || !params_.isChangedBy(param.name, value)) continue;
          name += str("$", key, "=", constText(value));
          changed.emplace_back(key, value);
        }
    if (auto known = instances_.find(name); known != instances_.end()) return known->second;
    ParamScope ownScope = params_.scope(changed, diagnostics_);
    size_t before = diagnostics_.errorCount();
    std::shared_ptr<KernelCheck> checked = checks_.checkKernel(decl, name, changed);
    Kernel *made = checked->kernel.get();
    if (!made && !changed.empty()) diagnostics_.noteErrorAfter(before, str("in `@", name, "`, which a test launches"));
    if (made && attrs) {
      ParamScope params = params_.scope({}, diagnostics_);
      params_.checkLaunch(ownScope, checked->lookups, params, *attrs);
    }
    if (made && !store_) module_->kernels.push_back(std::move(checked->kernel));
    instances_.emplace(std::move(name), made);
    instantiated_.insert(&decl);
    return made;
  }

  std::vector<const SourceUnit *> units_;
  std::vector<const ast::File *> files_; // the pieces of all units
  size_t own_; // how many of `files_` belong to the compiled unit
  Context &context_;
  CheckStore *store_;
  Diagnostics &diagnostics_;
  FileSymbols symbols_;
  std::unique_ptr<Module> module_;
  NameIndex names_;
  KernelKinds kinds_;
  FileParams params_;
  KernelChecks checks_;
  BrokenFunctions brokenFunctions_;
  std::map<std::string, Kernel *> instances_; // by name, which includes the overrides of a launch
  std::set<const ast::KernelDecl *> instantiated_;
};

} // namespace

CheckedFile lowerUnits(std::span<const SourceUnit *const> units, bool importLost, const SourceManager &sources,
                       Context &context, const LowerOptions &options, CheckStore *store, Diagnostics &diagnostics) {
  FileLowering lowering(units, importLost, sources, context, store, diagnostics);
  lowering.run(options);
  return lowering.take();
}

} // namespace xt
