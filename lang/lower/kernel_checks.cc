#include "lang/lower/kernel_checks.h"

#include "ir/base/text.h"
#include "lang/lower/kernel_lowering.h"
#include "lang/lower/uncalled_function.h"

#include <algorithm>
#include <utility>

namespace xt {
namespace {

// Lowering this many statements takes some seconds and several hundred megabytes.
constexpr size_t kMostRepeatedInFile = 200000;

} // namespace

// Whether repeating an earlier check would give the same result.
bool KernelChecks::holds(const KernelCheck &known) const {
  if (known.completeThen != symbols_.complete() || !symbols_.answersAsIn(known.lookups, known.namesThen)) return false;
  for (const Lookups::Entry &entry : known.lookups.entries)
    if (entry.kind == NameKind::Kernel && entry.decl) {
      auto *decl = static_cast<const ast::KernelDecl *>(entry.decl);
      if (state_.failedFunctions.contains(decl) != known.failedThen.contains(decl)) return false;
    }
  auto same = [](const LayoutAlias &a, const LayoutAlias &b) {
    return a.name == b.name && a.spec == b.spec && a.order == b.order;
  };
  return known.diagnostics.all().empty() ||
         std::equal(known.aliasesThen.begin(), known.aliasesThen.end(), state_.aliases.begin(), state_.aliases.end(), same);
}

// Whether more statements may be lowered. Inlined functions and kernels with several instances repeat statements, so the limit
// is kMostRepeatedInFile plus the number of statements in the text. The number of bytes is an upper bound of the latter and is
// used instead.
bool KernelChecks::mayLowerMore(const ast::KernelDecl &decl) {
  if (mostStatements_ == 0) {
    mostStatements_ = kMostRepeatedInFile;
    for (const ast::File *file : files_) mostStatements_ += state_.sources.file(file->file).text().size();
  }
  if (state_.statements <= mostStatements_) return true;
  if (std::exchange(limitReported_, true)) return false;
  diagnostics_
      .report(DiagCode::NotSupported, decl.name.range,
              str("the kernels of this file up to `@", decl.name.text, "` have more than ", kMostRepeatedInFile,
                  " statements after inlining and specialisation: the rest is not checked"))
      .note("a function counts once for each call, and a kernel once for each set of parameters that it is launched with");
  return false;
}

// Checks a declaration without using the store.
std::shared_ptr<KernelCheck> KernelChecks::make(const ast::KernelDecl &decl, const std::string &name, const Overrides &changed,
                                                What what) {
  auto made = std::make_shared<KernelCheck>();
  made->diagnostics.wantRemarks(diagnostics_.wantsRemarks());
  if (store_) made->context = std::make_unique<Context>();
  Context &context = store_ ? *made->context : context_;
  symbols_.watch(&made->lookups, store_ ? &made->names : nullptr);
  // The check gets the set of functions that have failed so far, but has its own messages, because it may be reused when other
  // declarations change.
  FileState state{state_.failedFunctions, {}, state_.aliases, state_.sources};
  ParamScope params = params_.scope(changed, made->diagnostics);
  if (what == What::Kernel)
    made->kernel = lowerKernel(context, params, state, decl, name);
  else
    checkUncalledFunction(context, params, state, decl, made->diagnostics);
  for (const ast::KernelDecl *failed : state.failedFunctions)
    if (!state_.failedFunctions.contains(failed)) made->failed.insert(failed);
  made->lowered = std::move(state.lowered);
  made->repeatedTooMuch = state.repeatedTooMuch;
  made->statements = state.statements;
  symbols_.watch(nullptr, names_);
  return made;
}

std::shared_ptr<KernelCheck> KernelChecks::find(const ast::KernelDecl &decl, const std::string &name, const Overrides &changed,
                                                What what) {
  if (!mayLowerMore(decl)) return std::make_shared<KernelCheck>();
  if (store_)
    if (auto known = store_->find(decl, name, [this](const KernelCheck &check) { return holds(check); })) return known;
  std::shared_ptr<KernelCheck> made = make(decl, name, changed, what);
  if (!store_) return made;
  made->failedThen = state_.failedFunctions;
  made->completeThen = symbols_.complete();
  if (made->lookups.allNames) made->namesThen = symbols_.allNames();
  if (!made->diagnostics.all().empty()) made->aliasesThen = state_.aliases;
  store_->keep(decl, name, made);
  return made;
}

// Adds the messages of a check and its findings about functions to those of the file. For a function that is never called,
// drops messages whose code and range have been reported already.
void KernelChecks::merge(const std::shared_ptr<KernelCheck> &checked, What what) {
  // Add the codes and ranges of the messages reported since the last such function.
  for (const std::vector<Diagnostic> &all = diagnostics_.all(); what == What::Function && merged_ < all.size(); ++merged_)
    reportedAt_.insert({all[merged_].code, all[merged_].range.file, all[merged_].range.begin, all[merged_].range.end});
  for (const Diagnostic &diagnostic : checked->diagnostics.all()) {
    const SourceRange &range = diagnostic.range;
    if (what == What::Function && reportedAt_.contains({diagnostic.code, range.file, range.begin, range.end})) continue;
    diagnostics_.report(diagnostic.code, diagnostic.range, diagnostic.message) = diagnostic;
  }
  for (size_t i = 0; i < checked->diagnostics.consequences(); ++i) diagnostics_.noteConsequence();
  if (what == What::Kernel) state_.failedFunctions.insert(checked->failed.begin(), checked->failed.end());
  state_.lowered.insert(checked->lowered.begin(), checked->lowered.end());
  state_.repeatedTooMuch |= checked->repeatedTooMuch;
  state_.statements += checked->statements;
  if (store_) checks_.push_back(checked);
}

std::shared_ptr<KernelCheck> KernelChecks::checkKernel(const ast::KernelDecl &decl, const std::string &name,
                                                       const Overrides &changed) {
  std::shared_ptr<KernelCheck> checked = find(decl, name, changed, What::Kernel);
  merge(checked, What::Kernel);
  return checked;
}

void KernelChecks::checkFunction(const ast::KernelDecl &decl) {
  if (!decl.requirements.empty())
    diagnostics_.report(DiagCode::NotHere, decl.requirements[0].range, "only kernels have `requires`")
        .note("a function runs inside a launch, whose kernel can require it");
  // Stop after a function that inlines too much: many others may call it, and each would take as long to reject.
  if (state_.lowered.contains(&decl) || state_.repeatedTooMuch) return;
  merge(find(decl, str("function ", decl.name.text), {}, What::Function), What::Function);
}

} // namespace xt
