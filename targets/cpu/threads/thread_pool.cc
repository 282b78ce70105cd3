#include "targets/cpu/threads/thread_pool.h"

#include "targets/cpu/threads/spin_until.h"

#include <algorithm>
#include <thread>
#include <unistd.h>
#include <utility>

namespace xt {
namespace {

// Launches follow each other closely in a program of many kernels. If threads slept whenever another one is late, every launch
// would lose the time of waking them.
constexpr std::chrono::microseconds kBeforeSleep{1000};

thread_local int workerOfThread = 0; // a thread that calls run() is the first worker

int countOf(int wanted) {
  const int workers = wanted > 0 ? wanted : static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(workers, 1, kMostThreads);
}

} // namespace

ThreadPool::ThreadPool(int workers) : workers_(countOf(workers)), turns_(static_cast<size_t>(workers_)) {}

ThreadPool::~ThreadPool() {
  if (process_ != getpid()) return;
  stopping_ = true;
  ++round_;
  round_.notify_all();
  for (pthread_t thread : threads_) pthread_join(thread, nullptr);
}

void ThreadPool::start() {
  const pid_t process = getpid();
  if (process == process_) return;
  process_ = process;
  // A child of fork() has none of its parent's threads.
  threads_.clear();
  servants_.clear();
  placement_ = {};
  round_ = 0; // what a new thread expects before its first run
  for (int worker = 1; worker < workers_; ++worker) servants_.push_back({this, worker});
  for (Worker &servant : servants_) {
    pthread_t thread{};
    // std::thread would throw, through the caller's locks, where no thread is to be had.
    if (pthread_create(&thread, nullptr, &ThreadPool::serveThread, &servant) != 0) return;
    threads_.push_back(thread);
  }
}

void *ThreadPool::serveThread(void *worker) {
  const auto *of = static_cast<const Worker *>(worker);
  of->pool->serve(of->number);
  return nullptr;
}

// Returns chunk number `turn` of a worker, whose share of each period is cut into chunks. If a chunk begins past the end, so do
// all later chunks of the worker.
ThreadPool::Range ThreadPool::chunkOf(int owner, int64_t turn) const {
  const int64_t first = period_ * owner / workers_, end = period_ * (owner + 1) / workers_,
                pieces = (end - first + chunk_ - 1) / chunk_;
  const int64_t base = turn / pieces * period_, begin = base + first + turn % pieces * chunk_;
  return {begin, std::min({begin + chunk_, base + end, count_})};
}

// A worker that has finished its own chunks takes those of others.
void ThreadPool::takePart(int worker) {
  for (int i = 0; i < workers_; ++i) {
    const int owner = (worker + i) % workers_;
    for (;;) {
      Range chunk = chunkOf(owner, turns_[static_cast<size_t>(owner)].taken.fetch_add(1));
      if (chunk.begin >= count_) break;
      (*work_)(chunk.begin, chunk.end, worker);
    }
  }
}

int ThreadPool::currentWorker() { return workerOfThread; }

void ThreadPool::serve(int worker) {
  workerOfThread = worker;
  for (uint32_t seen = 0;;) {
    spinUntil(kBeforeSleep, [&] { return round_ != seen; });
    round_.wait(seen);
    seen = round_;
    if (stopping_) return;
    takePart(worker);
    if (--busy_ == 0) busy_.notify_one();
  }
}

void ThreadPool::run(int64_t count, const Work &work, int64_t period) {
  if (count <= 0) return;
  std::lock_guard running(runMutex_);
  const int outside = std::exchange(workerOfThread, 0); // the caller may be a worker of another pool
  if (workers_ == 1 || count == 1)
    work(0, count, 0);
  else
    runOnAll(count, work, period);
  workerOfThread = outside;
}

void ThreadPool::runOnAll(int64_t count, const Work &work, int64_t period) {
  start();
  placement_.keepBeside(threads_);
  work_ = &work;
  count_ = count;
  // Without a given period, each worker gets a few chunks, so that late starts and uneven work even out.
  chunk_ = std::max<int64_t>(1, count / (int64_t{workers_} * 8));
  period_ = period >= workers_ ? period : chunk_ * workers_;
  for (Turn &turn : turns_) turn.taken.store(0);
  busy_ = static_cast<int32_t>(threads_.size());
  ++round_;
  round_.notify_all();
  takePart(0);
  spinUntil(kBeforeSleep, [&] { return busy_ == 0; });
  for (int32_t busy; (busy = busy_) != 0;) busy_.wait(busy);
}

} // namespace xt
