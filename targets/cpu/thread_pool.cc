#include "targets/cpu/thread_pool.h"

#include <algorithm>

namespace xt {
namespace {

// Launches follow each other closely in a program of many kernels: waking a thread costs more than this many looks.
constexpr int kLooksBeforeSleep = 2000;

void pause() { __builtin_ia32_pause(); }

} // namespace

ThreadPool::ThreadPool(int workers)
    : workers_(workers > 0 ? workers : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    announced_.fetch_add(1);
  }
  wake_.notify_all();
  for (std::thread &thread : threads_) thread.join();
}

void ThreadPool::start() {
  for (int worker = static_cast<int>(threads_.size()) + 1; worker < workers_; ++worker)
    threads_.emplace_back([this, worker] { serve(worker); });
}

void ThreadPool::takePart(int worker) {
  for (;;) {
    int64_t begin = next_.fetch_add(chunk_);
    if (begin >= count_) return;
    (*work_)(begin, std::min(begin + chunk_, count_), worker);
  }
}

void ThreadPool::serve(int worker) {
  uint64_t seen = 0;
  for (;;) {
    for (int i = 0; i < kLooksBeforeSleep && announced_.load() == seen; ++i) pause();
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
      if (stopping_) return;
      seen = round_;
    }
    takePart(worker);
    std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
    remaining_.store(busy_);
  }
}

void ThreadPool::run(int64_t count, const Work &work) {
  if (count <= 0) return;
  std::lock_guard running(runMutex_);
  // A few chunks a worker: late starters and uneven work even out.
  int64_t chunk = std::max<int64_t>(1, count / (int64_t{workers_} * 8));
  if (workers_ == 1 || count == 1) {
    work(0, count, 0);
    return;
  }
  start();
  placement_.keepBeside(threads_);
  {
    std::lock_guard lock(mutex_);
    work_ = &work;
    count_ = count;
    chunk_ = chunk;
    next_.store(0);
    busy_ = workers_ - 1;
    remaining_.store(busy_);
    ++round_;
    announced_.store(round_);
  }
  wake_.notify_all();
  takePart(0);
  for (int i = 0; i < kLooksBeforeSleep && remaining_.load() != 0; ++i) pause();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return busy_ == 0; });
}

} // namespace xt
