#include "lang/check/symbols.h"

#include "ir/base/text.h"

#include <set>

namespace xt {
namespace {

// The declarations of the compiled file itself that are the first ones of their names.
using OwnNames = std::set<const void *>; // used for lookup only; iteration order would not be deterministic

template <class T>
void insert(std::map<std::string_view, const T *> &table, const T &decl, std::string_view what, bool imported, OwnNames &own,
            Diagnostics &diagnostics) {
  if (!decl.name) return; // the parser has reported it
  auto [it, isNew] = table.emplace(decl.name.text, &decl);
  if (isNew && !imported) own.insert(&decl);
  if (isNew) return;
  // Report a clash with an import in the importing file, since its author may be unable to change the imported file.
  const T *first = it->second, *second = &decl;
  bool apart = imported && own.contains(first);
  if (apart) std::swap(first, second);
  diagnostics.report(DiagCode::DuplicateName, second->name.range, str(what, " `", decl.name.text, "` is defined twice"))
      .at(first->name.range, apart ? "imported from here" : "first defined here");
}

} // namespace

FileSymbols::FileSymbols(std::span<const ast::File *const> files, size_t own, bool incomplete, Diagnostics &diagnostics)
    : incomplete_(incomplete) {
  OwnNames names;
  for (size_t i = 0; i < files.size(); ++i) {
    bool imported = i >= own;
    for (const auto &alias : files[i]->attrAliases) insert(attrAliases_, alias, "alias", imported, names, diagnostics);
    for (const auto &alias : files[i]->typeAliases) insert(typeAliases_, alias, "type alias", imported, names, diagnostics);
    for (const auto &param : files[i]->params) insert(params_, param, "parameter", imported, names, diagnostics);
    for (const auto &kernel : files[i]->kernels)
      insert(kernels_, kernel, kernel.isFunction ? "function" : "kernel", imported, names, diagnostics);
  }
  std::map<std::string_view, const ast::TestDecl *> tests;
  for (const ast::File *file : files.first(own))
    for (const auto &test : file->tests) {
      auto [it, isNew] = tests.emplace(test.name, &test);
      if (!isNew)
        diagnostics.report(DiagCode::DuplicateName, test.nameRange, str("test \"", test.name, "\" is defined twice"))
            .at(it->second->nameRange, "first defined here");
    }
}

bool FileSymbols::answersAsIn(const Lookups &lookups, const std::set<std::string> &namesThen) const {
  if (lookups.allNames && namesThen != allNames()) return false;
  for (const Lookups::Entry &entry : lookups.entries) {
    // A new declaration may have the address of a deleted one; the file index distinguishes the two.
    auto same = [&](const auto *decl) { return decl == entry.decl && (!decl || decl->range.file == entry.file); };
    bool holds = false;
    switch (entry.kind) {
    case NameKind::Alias: holds = same(findIn(attrAliases_, entry.name)); break;
    case NameKind::TypeAlias: holds = same(findIn(typeAliases_, entry.name)); break;
    case NameKind::Param: holds = same(findIn(params_, entry.name)); break;
    case NameKind::Kernel: holds = same(findIn(kernels_, entry.name)); break;
    case NameKind::Value:
    case NameKind::Op:
    case NameKind::HostFn: break; // these kinds are not declared in a file's symbols
    }
    if (!holds) return false;
  }
  return true;
}

std::set<std::string> FileSymbols::allNames() const {
  std::set<std::string> all;
  auto add = [&](char sigil, const auto &table) {
    for (const auto &[name, decl] : table) all.insert(std::string(1, sigil).append(name));
  };
  add('#', attrAliases_);
  add('!', typeAliases_);
  add('$', params_);
  add('@', kernels_);
  return all;
}

bool suggestName(Diagnostic &diagnostic, SourceRange range, char sigil, std::string_view name,
                 std::span<const std::string_view> candidates) {
  std::string_view best = closestName(name, candidates);
  if (best.empty()) return false;
  std::string spelled = (sigil ? std::string(1, sigil) : std::string()) + std::string(best);
  diagnostic.note(str("did you mean `", spelled, "`?"));
  diagnostic.fix(str("replace by `", spelled, "`"), range, spelled);
  return true;
}

} // namespace xt
