// A thread that communicates while other threads compute.
#pragma once
#include "targets/ranks/communicator.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace xt {

// Opens the transport and carries out tasks in their order, all in one thread. The functions may be called from one other thread.
class CommunicationThread {
public:
  using Open = std::function<Result<std::unique_ptr<Transport>>()>;
  using Task = std::function<Result<void>(Communicator &)>;

  explicit CommunicationThread(Open open);
  // Carries out the tasks that are left, tells the other ranks that this one leaves, and closes the transport.
  ~CommunicationThread();
  CommunicationThread(const CommunicationThread &) = delete;
  CommunicationThread &operator=(const CommunicationThread &) = delete;

  // Whether the transport could be opened.
  const Result<void> &opened() const { return opened_; }
  int rank() const { return rank_; }
  int count() const { return count_; }
  int onThisMachine() const { return onThisMachine_; }

  // Begins a task, and returns its number.
  size_t start(Task task);
  // Waits for a task, once.
  Result<void> wait(size_t task);
  Result<void> run(Task task) { return wait(start(std::move(task))); }

private:
  void work();

  const Open open_;
  Result<void> opened_;
  int rank_ = 0, count_ = 1, onThisMachine_ = 1;
  std::mutex mutex_; // protects the members below
  std::condition_variable changed_;
  std::deque<Task> tasks_; // that have not been begun
  std::map<size_t, Result<void>> results_; // of tasks that nobody has waited for
  size_t started_ = 0;
  bool ready_ = false, ending_ = false;
  std::thread thread_; // last, because it uses the other members
};

} // namespace xt
