// Reads files that may never answer: from a network that is down, or from a file system whose program hangs.
#pragma once
#include "ir/base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace xt {

// Each read runs on a separate thread, which keeps waiting if the system does not answer; a path has at most one such thread.
// Only one thread at a time may use a reader.
class TimedReader {
public:
  struct Stamp {
    int64_t nanoseconds = 0, bytes = 0; // the time of the last change, and the size
    bool operator==(const Stamp &) const = default;
  };
  struct File {
    Stamp stamp;
    std::optional<std::string> text; // nullopt: the file still has the stamp that the caller knows
  };
  using Read = std::function<Result<File>(const std::string &path, int64_t most, std::optional<Stamp> known)>;

  TimedReader(); // reads regular files from disk, for at most kLimit
  TimedReader(std::chrono::milliseconds limit, Read read);

  // Reads a file unless it still has the stamp `known`. If there is no such file, the Error has no message. If the read has not
  // ended within the limit, returns an environment Error: "cannot read PATH: no answer within 5 seconds"; until that read ends,
  // later reads of the path return this Error at once.
  Result<File> read(const std::string &path, int64_t most, std::optional<Stamp> known = {});

  static constexpr std::chrono::milliseconds kLimit{5000};

private:
  struct Pending;

  std::chrono::milliseconds limit_;
  Read read_;
  std::shared_ptr<Pending> pending_; // shared with the threads
};

} // namespace xt
