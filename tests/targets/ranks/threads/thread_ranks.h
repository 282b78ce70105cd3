// Ranks that are threads of one process, for tests of communications.
#pragma once
#include "targets/ranks/communicator.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace xt {

// What the threads share.
class ThreadRanks {
public:
  explicit ThreadRanks(int count) : count_(count), slots_(static_cast<size_t>(count)) {}
  std::unique_ptr<Transport> open(int rank);
  // The rank goes without a word, as a process that is killed: operations that need it fail.
  void kill(int rank);

private:
  friend class ThreadTransport;
  Result<void> meet(std::unique_lock<std::mutex> &lock);

  const int count_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::vector<std::byte>> slots_;
  std::map<std::pair<int, int>, std::vector<std::vector<std::byte>>> mail_; // by sender and receiver
  int waiting_ = 0;
  uint64_t meetings_ = 0;
  int killed_ = -1;
};

// Runs a function on each of `count` ranks and returns what they return: "" or the message of an error.
std::vector<std::string> onRanks(int count, const std::function<Result<void>(Communicator &)> &work);

} // namespace xt
