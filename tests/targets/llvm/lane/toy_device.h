// A GPU that does not exist, to test that the lane emitter does not depend on a real one: ids, exchanges and barriers are calls
// of functions of the test, all memory is that of the process, and each lane of a workgroup is a thread.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/module.h"
#include "targets/llvm/lane/lane_kernel.h"
#include "targets/llvm/linked_object.h"

#include <memory>
#include <string>
#include <vector>

namespace xt::test {

// Returns the description of the device for passes.
TargetInfo toyTarget();

// The kernels of a module at lane scope, translated to LLVM IR for the toy device.
class ToyProgram {
public:
  explicit ToyProgram(const Module &module) { make(module); }
  const std::string &text() const { return text_; }
  // Calls `entry` for each lane of each workgroup, workgroup after workgroup. An address is passed as its bits.
  void launch(size_t kernel, std::vector<uint64_t> arguments, int64_t workgroups);

private:
  void make(const Module &module);
  std::vector<LaneKernel> kernels_;
  std::string text_;
  std::unique_ptr<LinkedObject> object_;
};

} // namespace xt::test
