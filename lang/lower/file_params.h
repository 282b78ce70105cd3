// The values of a file's parameters: declared defaults, definitions from the command line, overrides of a launch.
#pragma once
#include "ir/module.h"
#include "lang/check/const_eval.h"

#include <string>
#include <utility>
#include <vector>

namespace xt {

using Overrides = std::vector<std::pair<std::string, ConstValue>>;

class FileParams {
public:
  // `files`: the pieces of the compiled file and of its imports.
  FileParams(const FileSymbols &symbols, const std::vector<const ast::File *> &files, Diagnostics &diagnostics);

  // Sets LowerOptions::target.
  void setTarget(const std::string &target) { target_ = target; }
  // Whether an override of a launch changes the parameter on some target. Then it is in the name of the kernel on all targets, so
  // that a launch names the same kernel on each of them.
  bool isChangedBy(const ast::Name &param, const ConstValue &value) const;

  // Reads LowerOptions::defines. Reports unknown names and values that do not fit their parameters.
  void readDefines(const std::vector<std::pair<std::string, std::string>> &defines);
  // Returns the parameters of one instantiation: the declared defaults, replaced by definitions and by `overrides`.
  ParamScope scope(const Overrides &overrides, Diagnostics &diagnostics) const;
  // Checks all parameters, even unused ones, and returns their values. Warns if a value is not in the parameter's list of
  // values.
  std::vector<ModuleParam> check();
  // Warns as check() does, for parameters that the kernel uses and that a launch changes directly or through other parameters.
  void checkLaunch(ParamScope &launch, const Lookups &kernel, ParamScope &file, const ast::Attr &attrs);

private:
  void checkListed(const ast::ParamDecl &param, const ConstValue &value, SourceRange range,
                   const std::vector<ConstValue> &choices);
  bool isDefined(const ast::ParamDecl &param) const; // by LowerOptions::defines
  std::vector<TargetValue> checkTargets(const ast::ParamDecl &param, const std::vector<ConstValue> &choices);

  const FileSymbols &symbols_;
  const std::vector<const ast::File *> &files_;
  Diagnostics &diagnostics_;
  Overrides defines_;
  std::string target_;
  std::vector<std::string> targets_ = {""}; // all whose values may differ
};

} // namespace xt
