#include "ir/op_info.h"

#include "ir/base/check.h"
#include "ir/host.h"
#include "ir/module.h"
#include "ir/op_kinds.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace xt {
namespace {

constexpr OpInfo kOps[] = {
#define XT_OP(kind_, ...) OpInfo{.kind = OpKind::kind_, __VA_ARGS__},
#include "ir/ops/ops.def"
#undef XT_OP
};
constexpr size_t kOpCount = std::size(kOps);

constexpr OpInfo kComposites[] = {
#define XT_COMPOSITE(composite_, ...) OpInfo{.composite = Composite::composite_, __VA_ARGS__},
#include "ir/ops/composite.def"
#undef XT_COMPOSITE
};

constexpr HostFnInfo kHostFns[] = {
#define XT_HOST_FN(kind_, ...) HostFnInfo{.fn = HostFn::kind_, __VA_ARGS__},
#include "ir/ops/host.def"
#undef XT_HOST_FN
};

constexpr bool isDescribed(const OpInfo &op) {
  return !op.name.empty() && !op.summary.empty() && op.summary.back() != '.' &&
         op.example.find(op.name) != std::string_view::npos;
}

// Checked at compile time, so that a bad entry does not compile.
consteval bool tableIsSound() {
  for (const OpInfo &op : kComposites)
    if (!isDescribed(op) || op.composite == Composite::None) return false;
  for (size_t i = 0; i < kOpCount; ++i) {
    const OpInfo &op = kOps[i];
    if (static_cast<size_t>(op.kind) != i || op.composite != Composite::None || !isDescribed(op)) return false;
    if ((op.clause == Clause::Structure) != (op.results == -1 || op.regions != 0 || has(op.effects, Effect::Terminates)))
      return false;
    for (int operands : op.mlirTypes)
      if (operands <= 0 || operands >> op.operands.size() != 0 || op.signature != Signature::Operands) return false;
    if (op.elementwise && (op.results != 1 || op.effects != Effect::None)) return false;
    bool optionalSeen = false;
    for (size_t k = 0; k < op.operands.size(); ++k) {
      if (op.operands[k].arity == Arity::Variadic && k + 1 != op.operands.size()) return false;
      if (op.operands[k].arity == Arity::One && optionalSeen) return false;
      optionalSeen |= op.operands[k].arity != Arity::One;
    }
    if (op.clause == Clause::Kind && (op.attrs.size() == 0 || op.attrs[0].kind != AttrKind::Kind)) return false;
    for (size_t j = 0; j < i; ++j)
      if (kOps[j].dialect == op.dialect && kOps[j].name == op.name) return false;
  }
  return true;
}
static_assert(tableIsSound(), "a row of ir/ops is inconsistent: see tableIsSound");

bool sameIgnoringCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  for (size_t i = 0; i < a.size(); ++i)
    if (lower(a[i]) != lower(b[i])) return false;
  return true;
}

} // namespace

std::string_view dialectName(Dialect dialect) {
  switch (dialect) {
  case Dialect::Arith: return "arith";
  case Dialect::Math: return "math";
  case Dialect::Scf: return "scf";
  case Dialect::Memref: return "memref";
  case Dialect::Gpu: return "gpu";
  case Dialect::Vector: return "vector";
  case Dialect::XeTile: return "xetile";
  case Dialect::XeGpu: return "xegpu";
  }
  XT_UNREACHABLE("dialect");
}

std::span<const OpInfo> allOps() { return kOps; }
std::span<const OpInfo> allComposites() { return kComposites; }
const OpInfo &opInfo(OpKind kind) { return kOps[static_cast<size_t>(kind)]; }

OpMatches findOps(std::string_view spelled) {
  std::string_view prefix, name = spelled;
  if (size_t dot = spelled.rfind('.'); dot != std::string_view::npos) {
    prefix = spelled.substr(0, dot);
    name = spelled.substr(dot + 1);
  }
  static const std::unordered_map<std::string_view, std::vector<const OpInfo *>> kNamed = [] { // used for lookup only
    std::unordered_map<std::string_view, std::vector<const OpInfo *>> named;
    for (std::span<const OpInfo> table : {std::span<const OpInfo>(kOps), std::span<const OpInfo>(kComposites)})
      for (const OpInfo &op : table) {
        named[op.name].push_back(&op);
        for (std::string_view other : op.spellings)
          if (std::vector<const OpInfo *> &list = named[other]; list.empty() || list.back() != &op) list.push_back(&op);
      }
    return named;
  }();
  OpMatches matches;
  auto found = kNamed.find(spelled); // MLIR's name with its dialect, as a whole
  if (!prefix.empty() && found != kNamed.end())
    prefix = {};
  else
    found = kNamed.find(name);
  if (found == kNamed.end()) return matches;
  for (const OpInfo *op : found->second) {
    if (!prefix.empty() && !sameIgnoringCase(prefix, dialectName(op->dialect))) continue;
    if (matches.count < matches.items.size()) matches.items[matches.count++] = op;
  }
  return matches;
}

const OpInfo *findOp(std::string_view spelled) {
  OpMatches matches = findOps(spelled);
  return matches.count ? matches.items[0] : nullptr;
}

bool isXegpuData(const OpInfo &op) {
  return op.dialect == Dialect::XeGpu && std::ranges::any_of(op.operands, [](const OperandSpec &operand) {
           return operand.type == OperandClass::Base || operand.type == OperandClass::TensorDesc ||
                  operand.type == OperandClass::Vector;
         });
}

std::string fullName(const OpInfo &op) { return std::string(dialectName(op.dialect)) + "." + std::string(op.name); }

std::string_view fullName(OpKind kind) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const OpInfo &op : kOps) list.push_back(fullName(op));
    return list;
  }();
  return names[static_cast<size_t>(kind)];
}

std::span<const HostFnInfo> allHostFns() { return kHostFns; }
const HostFnInfo &hostFnInfo(HostFn fn) { return kHostFns[static_cast<size_t>(fn)]; }

std::vector<std::string_view> argumentNames(std::string_view list) {
  std::vector<std::string_view> names;
  while (!list.empty()) {
    size_t comma = list.find(", ");
    names.push_back(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 2);
  }
  return names;
}

std::vector<std::string_view> kernelNames(const HostFnInfo &fn) {
  std::vector<std::string_view> names = argumentNames(fn.kernels);
  names.insert(names.begin(), fn.name);
  return names;
}

const HostFnInfo *findHostFn(std::string_view name, bool initializer) {
  if (name.empty()) return nullptr;
  for (const HostFnInfo &fn : kHostFns) {
    if ((fn.cls == HostFnClass::Initializer) != initializer) continue;
    if (fn.name == name) return &fn;
    if (std::vector<std::string_view> names = kernelNames(fn); std::find(names.begin(), names.end(), name) != names.end())
      return &fn;
  }
  return nullptr;
}

const HostFnInfo *findHostOperator(std::string_view op, size_t operands) {
  for (const HostFnInfo &fn : kHostFns)
    if (!fn.op.empty() && fn.op == op && static_cast<size_t>(fn.minArgs) == operands) return &fn;
  return nullptr;
}

namespace {
struct FormRow {
  Form form;
  std::string_view text;
};
constexpr FormRow kForms[] = {
#define XT_FORM(name, text, summary) {Form::name, text},
#include "ir/forms.def"
#undef XT_FORM
};
} // namespace

std::string_view formText(Form form) { return kForms[static_cast<size_t>(form)].text; }
std::optional<Form> findForm(std::string_view text) {
  for (const FormRow &row : kForms)
    if (row.text == text) return row.form;
  return std::nullopt;
}

bool comparesIndices(const Value &condition) {
  const Op *op = condition.definingOp();
  return op && op->kind() == OpKind::CmpI && op->operand(0)->type().isIndex();
}

Kernel *Module::findKernel(std::string_view name) const {
  for (const auto &kernel : kernels)
    if (kernel->name == name) return kernel.get();
  return nullptr;
}

} // namespace xt
