// A module: kernels and their tests.
#pragma once
#include "ir/context.h"
#include "ir/host.h"
#include "ir/op.h"

#include <memory>
#include <string>
#include <vector>

namespace xt {

enum class Scope : uint8_t { Workgroup, Subgroup, Lane };

// Promises that hold for a kernel; each has a check in ir/verify. Printed as `form blocks, layouts_known`.
enum class Form : uint8_t {
#define XT_FORM(name, text, summary) name,
#include "ir/forms.def"
#undef XT_FORM
};
inline constexpr size_t kFormCount = 0
#define XT_FORM(name, text, summary) +1
#include "ir/forms.def"
#undef XT_FORM
    ;
// Printed among the forms of a kernel at workgroup scope if the kernel contains no layout that would show its scope.
inline constexpr std::string_view kWorkgroupScopeText = "workgroup_scope";
std::string_view formText(Form form);
std::optional<Form> findForm(std::string_view text);
class Forms {
public:
  bool has(Form f) const { return (bits_ >> static_cast<unsigned>(f)) & 1u; }
  void add(Form f) { bits_ |= 1u << static_cast<unsigned>(f); }
  void drop(Form f) { bits_ &= ~(1u << static_cast<unsigned>(f)); }
  bool empty() const { return bits_ == 0; }
  bool operator==(const Forms &) const = default;

private:
  uint32_t bits_ = 0;
};

// One grid variable. Ops of Kernel::gridBlock compute its bounds from the kernel's parameters.
struct GridDim {
  Value *variable = nullptr; // a parameter of the body block
  Value *lower = nullptr, *upper = nullptr, *step = nullptr; // values of the grid block
};

// What a launch must satisfy, as `requires (dim(%B, 0) == dim(%A, 1))` states it: a scalar i1 that ops of Kernel::gridBlock compute.
struct Requirement {
  Value *condition = nullptr;
  SourceRange range;
};

// Whether the condition compares two indices, which a message about it can state.
bool comparesIndices(const Value &condition);

class Kernel {
public:
  std::string name; // without '@'; a specialised kernel's name contains its parameters: "gemm$BM=128"
  SourceRange range, nameRange;
  Scope scope = Scope::Subgroup;
  // Subgroups per workgroup: given by the layouts at workgroup scope, else by `subgroups(n)`.
  int64_t subgroups = 1;
  bool subgroupsWritten = false;
  int64_t lanes = 1; // lanes per subgroup at lane scope: `lanes(m)`
  Forms forms;
  // The launch grid, outermost dimension first. If it is empty, the launch gives the grid, or there is one workgroup. gridBlock
  // has the same parameters as the kernel and contains only scalar ops without effects. The host computes it before a launch.
  Block gridBlock;
  std::vector<GridDim> grid;
  std::vector<Requirement> requirements;
  bool computesHeader() const { return !grid.empty() || !requirements.empty(); } // whether the host computes anything
  // The body. Its parameters are those of the kernel, `paramCount` in number, then one index per grid variable.
  Block body;
  size_t paramCount = 0;
  Value *param(size_t i) const { return body.param(i); }
};

// A layout alias of the source, kept so that dumps use the user's names.
struct LayoutAlias {
  std::string name; // without '#'
  LayoutSpec spec;
  std::optional<Order> order; // tile_attr<…, order = …>
};

// The first alias that stands for `layout` on the shape of `type`; null if there is none. An alias with an order only matches
// tiles of that order, never vectors.
const LayoutAlias *aliasOf(Context &context, std::span<const LayoutAlias> aliases, Type type, const Layout *layout);

// A parameter of the source ($BM) with its value in this module. Only descriptions and tuners need it: the kernels were made
// for these values, and a printed module has no parameters.
struct TargetValue {
  std::string target, value; // "xe-dg2", "128"
};
struct ModuleParam {
  std::string name, type, value; // "BM", "index", "256"
  std::vector<std::string> choices; // the values that `in [...]` lists
  std::vector<TargetValue> targets = {}; // the values that `for` states for targets
};

class Module {
public:
  explicit Module(Context &context) : context_(context) {}
  Context &context() const { return context_; }
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<HostTest> tests;
  std::vector<LayoutAlias> aliases;
  std::vector<ModuleParam> params;
  Kernel *findKernel(std::string_view name) const;
  std::string fileName; // the source file, for messages and relative paths of `load`

private:
  Context &context_;
};

// .xt text that parses back to an equal module. Layouts print as an alias if the module has one that fits.
std::string print(const Module &module);
std::string print(const Kernel &kernel, const Module &module);
std::string print(const Op &op); // one statement, for messages

} // namespace xt
