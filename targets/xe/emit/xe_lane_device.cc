#include "targets/xe/emit/xe_lane_device.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/gpu/register_pressure.h"
#include "ir/op_kinds.h"
#include "targets/xe/core_info.h"
#include "targets/xe/library/spirv_numbers.h"

#include <algorithm>

namespace xt {
namespace {

// Calls the device function that computes an op; null if no function does.
LlvmValue *mathFunction(llvm::IRBuilderBase &b, OpKind kind, llvm::ArrayRef<LlvmValue *> args) {
  std::string_view name = mathFunctionName(kind);
  std::string type = mangledType(args[0]->getType());
  return name.empty()
             ? nullptr
             : callDevice(b, deviceFunction(name, std::vector<std::string>(args.size(), type), type), args, DeviceEffect::None);
}

// Some devices lack f64 and others are slow at it, so only ops on elements of f64 compute in f64.
constexpr RegisterTraits kTraits{.halves = true, .doubles = false, .vectors = true, .minimum = false, .function = mathFunction};

// The fraction of the small register file that vectors may occupy.
constexpr int64_t kForVectors = 3, kOf = 4;

// Additional registers that Intel's compiler needs for functions that it inlines, with their branches.
constexpr int64_t kForFunctions = 32;

bool callsFunctions(const Kernel &kernel) {
  bool calls = false;
  walk(kernel.body, [&](const Op &op) {
    calls |= (op.kind() == OpKind::Erf || op.kind() == OpKind::Tanh) && op.result()->type().isVector();
  });
  return calls;
}

uint32_t scopeOf(LaneScope scope) { // the number of the scope in SPIR-V
  switch (scope) {
  case LaneScope::Device: return spirv::kScopeDevice;
  case LaneScope::Workgroup: return spirv::kScopeWorkgroup;
  case LaneScope::Subgroup: return spirv::kScopeSubgroup;
  }
  XT_UNREACHABLE("scope");
}

uint32_t semanticsOf(LaneMemory memory) {
  switch (memory) {
  case LaneMemory::Slm: return spirv::kSequentiallyConsistent | spirv::kWorkgroupMemory;
  case LaneMemory::Global: return spirv::kSequentiallyConsistent | spirv::kCrossWorkgroupMemory;
  case LaneMemory::Both: return spirv::kSequentiallyConsistent | spirv::kWorkgroupMemory | spirv::kCrossWorkgroupMemory;
  }
  XT_UNREACHABLE("memory");
}

} // namespace

XeLaneDevice::XeLaneDevice(const Kernel &kernel, const TargetInfo &target, const XeEmitOptions &options,
                           Diagnostics &diagnostics)
    : kernel_(kernel), target_(target), options_(options), diagnostics_(diagnostics), origins_(kernel),
      blocks_(planBlocks(kernel, target, options, origins_, diagnostics)) {}

RegisterTraits XeLaneDevice::traits() const { return kTraits; }

// The large register file halves the threads of an engine. It is used if vectors nearly fill the small one (addresses, message
// payloads and temporaries need the rest), and if a core still has room for a workgroup.
bool XeLaneDevice::wantsLargeRegisterFile() const {
  if (target_.registerFile.size() < 2) return false;
  int64_t small = target_.registerFile[0], large = target_.registerFile.back();
  int64_t registers = registersAtOnce(kernel_.body, kernel_.lanes, target_),
          others = callsFunctions(kernel_) ? kForFunctions : 0;
  if (kForVectors * small > kOf * (registers + others)) return false;
  auto tell = [&](std::string text) {
    diagnostics_.report(DiagCode::DeviceRemark, kernel_.nameRange,
                        str("`@", kernel_.name, "` needs ", registers, " registers for vectors at one time", text));
  };
  if (registersOfThread(target_, kernel_.subgroups) < large) {
    int64_t threads = coreInfo(target_).engines * engineThreads(target_, large);
    tell(str(", but uses ", small, " per thread: with ", large, " a core has only ", threads, " threads, and a workgroup has ",
             kernel_.subgroups, " subgroups"));
    return false;
  }
  tell(str(": it uses ", large, " per thread, so half as many threads run at one time"));
  return true;
}

void XeLaneDevice::annotate(llvm::Function &function, const Kernel &kernel) {
  llvm::LLVMContext &context = function.getContext();
  auto entry = [&](int64_t value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), static_cast<uint64_t>(value)));
  };
  // Without this metadata, Intel's compiler chooses 32 lanes, and spills.
  function.setMetadata("intel_reqd_sub_group_size", llvm::MDNode::get(context, {entry(kernel.lanes)}));
  function.setMetadata("reqd_work_group_size",
                       llvm::MDNode::get(context, {entry(kernel.subgroups * kernel.lanes), entry(1), entry(1)}));
}

LlvmValue *XeLaneDevice::groupId(llvm::IRBuilderBase &b, int dim) {
  return callDevice(b, deviceFunction("get_group_id", {"j"}, "m"), {b.getInt32(static_cast<uint32_t>(dim))},
                    DeviceEffect::None);
}

LlvmValue *XeLaneDevice::groupCount(llvm::IRBuilderBase &b, int dim) {
  return callDevice(b, deviceFunction("get_num_groups", {"j"}, "m"), {b.getInt32(static_cast<uint32_t>(dim))},
                    DeviceEffect::None);
}

LlvmValue *XeLaneDevice::subgroupId(llvm::IRBuilderBase &b) {
  return callDevice(b, deviceFunction("get_sub_group_id", {}, "j"), {}, DeviceEffect::None);
}

LlvmValue *XeLaneDevice::laneId(llvm::IRBuilderBase &b) {
  return callDevice(b, deviceFunction("get_sub_group_local_id", {}, "j"), {}, DeviceEffect::None);
}

LlvmValue *XeLaneDevice::shuffle(llvm::IRBuilderBase &b, LlvmValue *bits, LlvmValue *lane, bool exclusiveOr) {
  std::string word = mangledType(bits->getType());
  DeviceFunction function = deviceFunction(exclusiveOr ? "sub_group_shuffle_xor" : "sub_group_shuffle", {word, "j"}, word);
  return callDevice(b, function, {bits, lane}, DeviceEffect::Convergent);
}

void XeLaneDevice::barrier(llvm::IRBuilderBase &b, LaneScope scope) {
  LlvmValue *over = b.getInt32(scopeOf(scope));
  callDevice(b, deviceFunction("__spirv_ControlBarrier", {"j", "j", "j"}, "v"),
             {over, over, b.getInt32(semanticsOf(LaneMemory::Both))}, DeviceEffect::Memory);
}

void XeLaneDevice::fence(llvm::IRBuilderBase &b, LaneScope scope, LaneMemory memory) {
  callDevice(b, deviceFunction("__spirv_MemoryBarrier", {"j", "j"}, "v"),
             {b.getInt32(scopeOf(scope)), b.getInt32(semanticsOf(memory))}, DeviceEffect::Memory);
}

llvm::StringRef XeLaneDevice::scopeName(LaneScope scope) const {
  switch (scope) {
  case LaneScope::Device: return "device";
  case LaneScope::Workgroup: return "workgroup";
  case LaneScope::Subgroup: return "subgroup";
  }
  XT_UNREACHABLE("scope");
}

void XeLaneDevice::remark(const Op &op, std::string message) {
  diagnostics_.report(DiagCode::BlockRemark, op.range(), std::move(message));
}

} // namespace xt
