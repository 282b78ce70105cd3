#include "targets/ranks/communication_thread.h"

namespace xt {

CommunicationThread::CommunicationThread(Open open) : open_(std::move(open)), thread_([this] { work(); }) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ready_; });
}

CommunicationThread::~CommunicationThread() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

size_t CommunicationThread::start(Task task) {
  std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_all();
  return started_++;
}

Result<void> CommunicationThread::wait(size_t task) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return results_.count(task) != 0; });
  Result<void> result = std::move(results_.at(task));
  results_.erase(task);
  return result;
}

void CommunicationThread::work() {
  Result<std::unique_ptr<Transport>> transport = open_();
  std::unique_lock lock(mutex_);
  if (transport) {
    rank_ = (*transport)->rank();
    count_ = (*transport)->count();
    onThisMachine_ = (*transport)->onThisMachine();
  } else {
    opened_ = transport.error();
  }
  ready_ = true;
  changed_.notify_all();
  if (!transport) return;
  Communicator communicator(**transport);
  for (size_t number = 0;; ++number) {
    changed_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
    if (tasks_.empty()) break;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    Result<void> result = task(communicator);
    lock.lock();
    results_.emplace(number, std::move(result));
    changed_.notify_all();
  }
  lock.unlock();
  communicator.leave();
}

} // namespace xt
