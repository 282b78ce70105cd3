// The names declared in a file and in its imports: aliases, parameters, kernels, functions. The order of declarations does
// not matter.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/check/name_index.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>

namespace xt {

// Records the declarations that a check has looked up. The result of the check stays valid while the same look-ups give the
// same answers.
struct Lookups {
  struct Entry {
    NameKind kind;
    std::string name;
    const void *decl; // null: the name was not declared
    uint32_t file;    // the file of the declaration
    auto operator<=>(const Entry &) const = default;
  };
  std::set<Entry> entries;
  bool allNames = false; // all names were listed in order to suggest one
};

class FileSymbols {
public:
  // The first `own` trees are the pieces of the compiled file; the others are its imports. Reports names that are defined
  // twice. `incomplete`: an import could not be read, so an undeclared name may come from it.
  FileSymbols(std::span<const ast::File *const> files, size_t own, bool incomplete, Diagnostics &diagnostics);

  const ast::AttrAlias *attrAlias(std::string_view name) const { return find(attrAliases_, NameKind::Alias, name); }
  const ast::TypeAlias *typeAlias(std::string_view name) const { return find(typeAliases_, NameKind::TypeAlias, name); }
  const ast::ParamDecl *param(std::string_view name) const { return find(params_, NameKind::Param, name); }
  const ast::KernelDecl *kernel(std::string_view name) const { return find(kernels_, NameKind::Kernel, name); }
  std::vector<std::string_view> attrAliasNames() const { return names(attrAliases_); }
  std::vector<std::string_view> typeAliasNames() const { return names(typeAliases_); }
  std::vector<std::string_view> paramNames() const { return names(params_); }
  std::vector<std::string_view> kernelNames() const { return names(kernels_); }

  // From now on, records look-ups in `lookups` and the meaning of names in `index`. Null: records nothing.
  void watch(Lookups *lookups, NameIndex *index) const { lookups_ = lookups, index_ = index; }
  NameIndex *index() const { return index_; }
  // Whether a parameter has been looked up since watch().
  bool readsParams() const {
    return lookups_ &&
           std::ranges::any_of(lookups_->entries, [](const Lookups::Entry &e) { return e.kind == NameKind::Param; });
  }
  // Whether each recorded look-up would give the same answer now. `namesThen` is what allNames() returned at that time.
  bool answersAsIn(const Lookups &lookups, const std::set<std::string> &namesThen) const;
  std::set<std::string> allNames() const; // each with its sigil

  // Whether all imports could be read, so that a name that is not declared here is an error.
  bool complete() const { return !incomplete_; }

private:
  template <class T> using Table = std::map<std::string_view, const T *>;
  template <class T> static const T *findIn(const Table<T> &table, std::string_view name) {
    auto it = table.find(name);
    return it == table.end() ? nullptr : it->second;
  }
  template <class T> const T *find(const Table<T> &table, NameKind kind, std::string_view name) const {
    const T *decl = findIn(table, name);
    if (lookups_) lookups_->entries.insert({kind, std::string(name), decl, decl ? decl->range.file : 0});
    return decl;
  }
  template <class T> std::vector<std::string_view> names(const Table<T> &table) const {
    if (lookups_) lookups_->allNames = true;
    std::vector<std::string_view> list;
    for (const auto &[name, decl] : table) list.push_back(name);
    return list;
  }
  Table<ast::AttrAlias> attrAliases_;
  Table<ast::TypeAlias> typeAliases_;
  Table<ast::ParamDecl> params_;
  Table<ast::KernelDecl> kernels_;
  bool incomplete_;
  mutable Lookups *lookups_ = nullptr;
  mutable NameIndex *index_ = nullptr;
};

// Adds "did you mean …" with a fix-it if a candidate is similar to `name`; otherwise returns false. `sigil` is '%', '#' … or
// 0 for none.
bool suggestName(Diagnostic &diagnostic, SourceRange range, char sigil, std::string_view name,
                 std::span<const std::string_view> candidates);

} // namespace xt
