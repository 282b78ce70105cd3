// The names of a file and of what it imports: aliases, parameters, kernels, functions. Order at file level does not matter.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/ast.h"

#include <map>
#include <span>
#include <string_view>

namespace xt {

class FileSymbols {
public:
  // Reports names that are defined twice. `incomplete`: an import could not be read, and any name may come from it.
  FileSymbols(std::span<const ast::File *const> files, bool incomplete, Diagnostics &diagnostics);

  const ast::AttrAlias *attrAlias(std::string_view name) const { return find(attrAliases_, name); }
  const ast::TypeAlias *typeAlias(std::string_view name) const { return find(typeAliases_, name); }
  const ast::ParamDecl *param(std::string_view name) const { return find(params_, name); }
  const ast::KernelDecl *kernel(std::string_view name) const { return find(kernels_, name); }
  std::vector<std::string_view> attrAliasNames() const { return names(attrAliases_); }
  std::vector<std::string_view> typeAliasNames() const { return names(typeAliases_); }
  std::vector<std::string_view> paramNames() const { return names(params_); }
  std::vector<std::string_view> kernelNames() const { return names(kernels_); }

  // Whether a name that is not here is unknown.
  bool complete() const { return !incomplete_; }

private:
  template <class T> using Table = std::map<std::string_view, const T *>;
  template <class T> static const T *find(const Table<T> &table, std::string_view name) {
    auto it = table.find(name);
    return it == table.end() ? nullptr : it->second;
  }
  template <class T> static std::vector<std::string_view> names(const Table<T> &table) {
    std::vector<std::string_view> list;
    for (const auto &[name, decl] : table) list.push_back(name);
    return list;
  }
  Table<ast::AttrAlias> attrAliases_;
  Table<ast::TypeAlias> typeAliases_;
  Table<ast::ParamDecl> params_;
  Table<ast::KernelDecl> kernels_;
  bool incomplete_;
};

// Adds "did you mean …" with a fix-it when a candidate is near; `sigil` is '%', '#' … or 0.
void suggestName(Diagnostic &diagnostic, SourceRange range, char sigil, std::string_view name,
                 std::span<const std::string_view> candidates);

} // namespace xt
