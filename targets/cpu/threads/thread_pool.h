// Persistent threads that share out a range of work.
#pragma once
#include "targets/cpu/threads/thread_placement.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace xt {

class ThreadPool {
public:
  // Workers including the thread that calls run(); 0: one per processor that this process may use. The others start at
  // the first run() that can use them.
  explicit ThreadPool(int workers);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int workers() const { return workers_; }
  // Calls work(begin, end, worker) for disjoint ranges, none empty, that cover [0, count), from several threads at once; a
  // worker's number is in [0, workers()) and its calls do not overlap. Returns when all are done. One run at a time: others
  // wait. The same worker has the same ranges in each run of the same count, as long as it is no later than the others, so that
  // what it wrote is still in its cache. Neighbouring ranges are those of different workers. With a `period`, of workers() at
  // least, each worker has the same part of each `period` neighbours, which lies together, a call for each.
  using Work = std::function<void(int64_t begin, int64_t end, int worker)>;
  void run(int64_t count, const Work &work, int64_t period = 0);
  // Within a `work`: the worker whose call it is; else 0.
  static int currentWorker();

private:
  void start();
  void runOnAll(int64_t count, const Work &work, int64_t period);
  void serve(int worker);
  void takePart(int worker);

  const int workers_;
  std::vector<std::thread> threads_;
  ThreadPlacement placement_;
  std::mutex runMutex_; // held by the thread whose run it is

  // Each worker takes part in each round, so that what belongs to one stays as it is until all are done.
  // Of 32 bits: what the kernel's futex waits for, without memory and a lock of the library's in between.
  std::atomic<uint32_t> round_{0}; // of runs; workers wait for another one
  std::atomic<int32_t> busy_{0};   // workers that are not done, without the caller's
  std::atomic<bool> stopping_{false};

  struct alignas(64) Turn { // of a worker: how many of its chunks are taken
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
