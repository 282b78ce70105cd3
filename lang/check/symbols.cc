#include "lang/check/symbols.h"

#include "ir/base/text.h"

namespace xt {
namespace {

template <class T>
void insert(std::map<std::string_view, const T *> &table, const T &decl, std::string_view what, Diagnostics &diagnostics) {
  if (!decl.name) return; // the parser has said so
  auto [it, isNew] = table.emplace(decl.name.text, &decl);
  if (!isNew)
    diagnostics.report(DiagCode::DuplicateName, decl.name.range, str(what, " `", decl.name.text, "` is defined twice"))
        .at(it->second->name.range, "first defined here");
}

} // namespace

FileSymbols::FileSymbols(std::span<const ast::File *const> files, bool incomplete, Diagnostics &diagnostics)
    : incomplete_(incomplete) {
  for (const ast::File *file : files) {
    for (const auto &alias : file->attrAliases) insert(attrAliases_, alias, "alias", diagnostics);
    for (const auto &alias : file->typeAliases) insert(typeAliases_, alias, "type alias", diagnostics);
    for (const auto &param : file->params) insert(params_, param, "parameter", diagnostics);
    for (const auto &kernel : file->kernels)
      insert(kernels_, kernel, kernel.isFunction ? "function" : "kernel", diagnostics);
  }
  std::map<std::string_view, const ast::TestDecl *> tests;
  for (const auto &test : files[0]->tests) {
    auto [it, isNew] = tests.emplace(test.name, &test);
    if (!isNew)
      diagnostics.report(DiagCode::DuplicateName, test.nameRange, str("test \"", test.name, "\" is defined twice"))
          .at(it->second->nameRange, "first defined here");
  }
}

void suggestName(Diagnostic &diagnostic, SourceRange range, char sigil, std::string_view name,
                 std::span<const std::string_view> candidates) {
  std::string_view best = closestName(name, candidates);
  if (best.empty()) return;
  std::string spelled = (sigil ? std::string(1, sigil) : std::string()) + std::string(best);
  diagnostic.note(str("did you mean `", spelled, "`?"));
  diagnostic.fix(str("replace by `", spelled, "`"), range, spelled);
}

} // namespace xt
