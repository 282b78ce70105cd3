// Persistent threads that divide up a range of work.
#pragma once
#include "targets/cpu/threads/thread_placement.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <sys/types.h>
#include <vector>

namespace xt {

// The most threads that a pool has: several times the processors of the largest machines.
inline constexpr int kMostThreads = 1024;

class ThreadPool {
public:
  // `workers` counts the thread that calls run(); 0: one worker per processor that this process may use; above kMostThreads:
  // that many. The other threads start at the first run() that can use them. Where the system refuses to start one, those that
  // there are do its work. A child of fork() starts threads of its own; it can do so if no run was active during the fork.
  explicit ThreadPool(int workers);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int workers() const { return workers_; }
  // Calls work(begin, end, worker) for disjoint non-empty ranges that cover [0, count), from several threads at once. A
  // worker's number is in [0, workers()), and its calls do not overlap. Returns when all are done. Only one run is active at a
  // time; others wait. Unless a worker is later than the others, it gets the same ranges in each run of the same count, so that
  // its cache still holds what it wrote. Neighbouring ranges belong to different workers. With a `period` of at least
  // workers(), each worker gets the same contiguous part of every `period` neighbours, in one or more calls.
  using Work = std::function<void(int64_t begin, int64_t end, int worker)>;
  void run(int64_t count, const Work &work, int64_t period = 0);
  // Within `work`: the number of the calling worker; otherwise 0.
  static int currentWorker();

private:
  struct Worker {
    ThreadPool *pool;
    int number;
  };
  void start();
  static void *serveThread(void *worker);
  void runOnAll(int64_t count, const Work &work, int64_t period);
  void serve(int worker);
  void takePart(int worker);

  const int workers_;
  pid_t process_ = 0; // to which `threads_` belong
  std::vector<pthread_t> threads_;
  std::vector<Worker> servants_; // what each of `threads_` serves; elements never move
  ThreadPlacement placement_;
  std::mutex runMutex_; // held during a run

  // Every worker that has a thread takes part in every run, so the members below do not change until all are done. The counters have 32 bits, so
  // that waiting uses the kernel's futex directly, without the standard library's own memory and lock.
  std::atomic<uint32_t> round_{0}; // number of the current run; workers wait for it to change
  std::atomic<int32_t> busy_{0}; // workers that are not done, except the caller
  std::atomic<bool> stopping_{false};

  struct alignas(64) Turn { // the number of chunks of a worker that have been taken
    std::atomic<int64_t> taken{0};
  };
  struct Range {
    int64_t begin, end;
  };
  Range chunkOf(int owner, int64_t turn) const;

  const Work *work_ = nullptr;
  int64_t count_ = 0, chunk_ = 1, period_ = 1;
  std::vector<Turn> turns_;
};

} // namespace xt
