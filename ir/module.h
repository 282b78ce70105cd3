// A module: kernels and the tests that travel with them.
#pragma once
#include "ir/context.h"
#include "ir/host.h"
#include "ir/op.h"

#include <memory>
#include <string>
#include <vector>

namespace xt {

enum class Scope : uint8_t { Workgroup, Subgroup, Lane };

// Promises that hold for a kernel; each has a check in ir/verify. Printed as `form ssa, layouts_known`.
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
// Stands beside the forms of a printed kernel that is at workgroup scope although no layout is left in it to say so.
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

// One grid variable: its bounds are computed by ops of Kernel::gridBlock from the kernel's parameters.
struct GridDim {
  Value *variable = nullptr; // a parameter of the body block
  Value *lower = nullptr, *upper = nullptr, *step = nullptr; // values of the grid block
};

class Kernel {
public:
  std::string name; // without '@'; a specialised one carries its parameters: "gemm$BM=128"
  SourceRange range, nameRange;
  Scope scope = Scope::Subgroup;
  // Subgroups per workgroup: of the layouts at workgroup scope, else `subgroups(n)`.
  int64_t subgroups = 1;
  bool subgroupsWritten = false;
  int64_t lanes = 1; // of a subgroup at lane scope: `lanes(m)`
  Forms forms;
  // The launch grid, outermost first; empty: the launch's own grid, or one workgroup. gridBlock's parameters are the
  // kernel's; only scalar ops without effects stand in it.
  Block gridBlock;
  std::vector<GridDim> grid;
  // The body's parameters: the kernel's, then one index per grid variable.
  Block body;
  size_t paramCount = 0;
  Value *param(size_t i) const { return body.param(i); }
};

// A layout alias of the source, kept so that dumps speak the user's language.
struct LayoutAlias {
  std::string name; // without '#'
  LayoutSpec spec;
  std::optional<Order> order; // tile_attr<…, order = …>
};

// The first of the aliases that owns like `layout` on the shape of `type`; null: none. One that says an order has to say
// that of a tile, and is none for vectors.
const LayoutAlias *aliasOf(Context &context, std::span<const LayoutAlias> aliases, Type type, const Layout *layout);

// A parameter of the source ($BM) with the value that this module was made with. For descriptions and tuners: kernels
// have theirs built in, and a printed module has none.
struct ModuleParam {
  std::string name, type, value;    // "BM", "index", "256"
  std::vector<std::string> choices; // of `in [...]`
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
  std::string fileName; // of the source, for messages and relative paths of `load`

private:
  Context &context_;
};

// .xt text that parses back to an equal module. Layouts print by alias where the module has one that fits.
std::string print(const Module &module);
std::string print(const Kernel &kernel, const Module &module);
std::string print(const Op &op); // one statement, for messages

} // namespace xt
