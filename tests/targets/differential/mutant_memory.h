// Memory for the parameters of any kernel.
#pragma once
#include "ir/launch.h"
#include "ir/module.h"

#include <optional>
#include <string>

namespace xt {

class MutantMemory {
public:
  // Returns nullopt if the kernel needs more memory than the test provides, or memory that is not row-major.
  static std::optional<MutantMemory> make(const Kernel &kernel);
  // Returns the arguments of a launch, whose buffers are filled anew. All launches use the same buffers, because a kernel's
  // result may depend on their addresses.
  std::vector<LaunchArg> args();

  struct Buffer {
    std::vector<unsigned char> bytes;
    Elem elem;
    std::vector<int64_t> sizes;
  };
  const std::vector<Buffer> &buffers() const { return buffers_; }

private:
  void fill(Buffer &buffer, size_t which);
  std::vector<Buffer> buffers_;
  std::vector<LaunchArg> args_; // for a buffer, `integer` is its index in buffers_
};

// Describes how two results of a kernel differ; "" if they do not, or if floats differ only as much as rounding may cause. Sets
// `loose` if floats differ at all.
std::string differenceOf(const MutantMemory &a, const MutantMemory &b, bool &loose);

} // namespace xt
