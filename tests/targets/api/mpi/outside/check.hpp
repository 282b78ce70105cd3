// Checks of the programs that run on ranks.
#pragma once
#include <xt/mpi.hpp>

#include <cstdio>

inline int failedChecks = 0;

inline void check(bool right, const char *what, int line) {
  if (right) return;
  std::printf("line %d: %s\n", line, what);
  ++failedChecks;
}
#define CHECK(condition) check(condition, #condition, __LINE__)

// Prints the message of an operation that should have succeeded.
inline void expectDone(const xt::Result<void> &done, int line) {
  check(done.has_value(), done ? "" : done.error().message.c_str(), line);
}
#define DONE(operation) expectDone(operation, __LINE__)

// Adds the failed checks of all ranks; rank 0 says whether all is right.
inline int report(const xt::mpi::Ranks &ranks) {
  std::vector<int> all = {failedChecks};
  DONE(ranks.allReduce(xt::Array(all, {1})));
  if (ranks.rank() == 0 && all[0] == 0) std::printf("right on %d\n", ranks.count());
  return all[0] != 0;
}
