#include "tests/targets/ranks/threads/thread_ranks.h"

#include "ir/base/text.h"

#include <algorithm>
#include <thread>

namespace xt {

class ThreadTransport : public Transport {
public:
  ThreadTransport(ThreadRanks &all, int rank) : all_(all), rank_(rank) {}
  int rank() const override { return rank_; }
  int count() const override { return all_.count_; }

  Result<void> allGather(std::span<const std::byte> own, std::span<std::byte> all) override {
    std::unique_lock lock(all_.mutex_);
    all_.slots_[static_cast<size_t>(rank_)].assign(own.begin(), own.end());
    if (auto met = all_.meet(lock); !met) return met;
    for (size_t i = 0; i < all_.slots_.size(); ++i)
      std::ranges::copy(all_.slots_[i], all.begin() + static_cast<ptrdiff_t>(i * own.size()));
    return all_.meet(lock);
  }

  Result<void> exchange(std::span<const Message> sends, std::span<const Message> receives) override {
    std::unique_lock lock(all_.mutex_);
    for (const Message &message : sends)
      all_.mail_[{rank_, message.peer}].emplace_back(message.data, message.data + message.bytes);
    all_.changed_.notify_all();
    for (const Message &message : receives) {
      auto &box = all_.mail_[{message.peer, rank_}];
      all_.changed_.wait(lock, [&] { return !box.empty() || all_.killed_ >= 0; });
      if (box.empty()) return Error::environment(str("rank ", all_.killed_, " does not answer"));
      if (std::ssize(box[0]) != message.bytes) return Error::environment("a message of another size");
      std::ranges::copy(box[0], message.data);
      box.erase(box.begin());
    }
    return {};
  }

private:
  ThreadRanks &all_;
  const int rank_;
};

std::unique_ptr<Transport> ThreadRanks::open(int rank) { return std::make_unique<ThreadTransport>(*this, rank); }

void ThreadRanks::kill(int rank) {
  std::lock_guard lock(mutex_);
  killed_ = rank;
  changed_.notify_all();
}

Result<void> ThreadRanks::meet(std::unique_lock<std::mutex> &lock) {
  const uint64_t own = meetings_;
  if (++waiting_ == count_) {
    waiting_ = 0;
    ++meetings_;
    changed_.notify_all();
    return {};
  }
  changed_.wait(lock, [&] { return meetings_ != own || killed_ >= 0; });
  if (meetings_ == own) return Error::environment(str("rank ", killed_, " does not answer"));
  return {};
}

std::vector<std::string> onRanks(int count, const std::function<Result<void>(Communicator &)> &work) {
  ThreadRanks ranks(count);
  std::vector<std::string> messages(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      std::unique_ptr<Transport> transport = ranks.open(rank);
      Communicator communicator(*transport);
      if (auto done = work(communicator); !done) messages[static_cast<size_t>(rank)] = done.error().message;
    });
  for (std::thread &thread : threads) thread.join();
  return messages;
}

} // namespace xt
