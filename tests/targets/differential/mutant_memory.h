// Buffers for the parameters of any kernel.
#pragma once
#include "ir/launch.h"
#include "ir/module.h"

#include <optional>
#include <string>

namespace xt {

class MutantMemory {
public:
  // nullopt: the kernel asks for more than the test gives.
  static std::optional<MutantMemory> make(const Kernel &kernel);
  // The same bytes and addresses for each launch: what a kernel reads of an address depends on it.
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
  std::vector<LaunchArg> args_; // of a buffer: its index as the integer
};

// How two results of a kernel differ; "" where they do not. `loose` becomes true where only rounding may tell them apart.
std::string differenceOf(const MutantMemory &a, const MutantMemory &b, bool &loose);

} // namespace xt
