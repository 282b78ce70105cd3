// Reads files that may never answer: on a network that is gone, or a file system of a program that hangs.
#pragma once
#include "ir/base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace xt {

// Each read runs on a thread of its own, which stays behind where the system does not answer; one path has at most one.
// One thread at a time uses a reader.
class TimedReader {
public:
  using Read = std::function<Result<std::string>(const std::string &path, int64_t most)>;

  TimedReader(); // reads with readInputFile, for at most kLimit
  TimedReader(std::chrono::milliseconds limit, Read read);

  // The Error of a file that has not answered within the limit is of the environment: "cannot read PATH: no answer within 5
  // seconds". It comes at once as long as an earlier read of that path has not ended.
  Result<std::string> read(const std::string &path, int64_t most);

  // Whether the last read or stamp of this path has been given up and has not ended since.
  bool isPending(const std::string &path) const;

  struct Stamp {
    int64_t nanoseconds = 0, bytes = 0;
    bool operator==(const Stamp &) const = default;
  };
  // When a file was changed last, and its size; zeros where it is not there or does not answer.
  Stamp stamp(const std::string &path);

  static constexpr std::chrono::milliseconds kLimit{5000};

private:
  struct Pending;
  template <class T> std::optional<T> answer(const std::string &path, std::function<T()> ask);

  std::chrono::milliseconds limit_;
  Read read_;
  std::shared_ptr<Pending> pending_; // also of the threads
};

} // namespace xt
