// How the ranks of a program reach each other: a few operations that MPI, and threads in tests, provide.
#pragma once
#include "ir/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace xt {

// Used by one thread at a time. Each operation is called by all ranks, in the same order. Failures are errors of the environment:
// a rank that does not answer, or the network.
class Transport {
public:
  struct Message {
    int peer = 0;
    std::byte *data = nullptr; // read by a send, written by a receive
    int64_t bytes = 0; // both sides give the same number
  };

  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int count() const = 0;
  virtual int onThisMachine() const { return count(); } // number of ranks on the machine of this one
  // Gives each rank the bytes of all ranks, in their order: `all` has own.size() * count() bytes.
  virtual Result<void> allGather(std::span<const std::byte> own, std::span<std::byte> all) = 0;
  // Sends and receives messages at the same time, and returns when all have arrived. There is at most one message from one rank to
  // another, and none from a rank to itself.
  virtual Result<void> exchange(std::span<const Message> sends, std::span<const Message> receives) = 0;
};

// The only rank of a program.
std::unique_ptr<Transport> singleRank();

} // namespace xt
