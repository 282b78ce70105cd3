#include "ir/base/timed_reader.h"

#include "ir/base/input_file.h"
#include "ir/base/text.h"

#include <condition_variable>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <thread>

namespace xt {

struct TimedReader::Pending {
  std::mutex mutex;
  std::condition_variable ended;
  std::set<std::string> paths; // whose thread has not ended
};

TimedReader::TimedReader() : TimedReader(kLimit, readInputFile) {}

TimedReader::TimedReader(std::chrono::milliseconds limit, Read read) : limit_(limit), read_(std::move(read)), pending_(std::make_shared<Pending>()) {}

template <class T> std::optional<T> TimedReader::answer(const std::string &path, std::function<T()> ask) {
  auto answer = std::make_shared<std::optional<T>>();
  std::unique_lock lock(pending_->mutex);
  if (!pending_->paths.insert(path).second) return std::nullopt;
  std::thread([pending = pending_, answer, path, ask = std::move(ask)] {
    T made = ask();
    std::lock_guard guard(pending->mutex);
    answer->emplace(std::move(made));
    pending->paths.erase(path);
    pending->ended.notify_all();
  }).detach();
  pending_->ended.wait_for(lock, limit_, [&] { return answer->has_value(); });
  return std::move(*answer);
}

Result<std::string> TimedReader::read(const std::string &path, int64_t most) {
  std::optional<Result<std::string>> text = answer<Result<std::string>>(path, [read = read_, path, most] { return read(path, most); });
  if (text) return std::move(*text);
  return Error::environment(str("cannot read ", path, ": no answer within ", limit_.count() / 1000, " seconds"));
}

bool TimedReader::isPending(const std::string &path) const {
  std::lock_guard lock(pending_->mutex);
  return pending_->paths.contains(path);
}

TimedReader::Stamp TimedReader::stamp(const std::string &path) {
  auto ask = [path] {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) info = {};
    return Stamp{int64_t{info.st_mtim.tv_sec} * 1000000000 + info.st_mtim.tv_nsec, int64_t{info.st_size}};
  };
  return answer<Stamp>(path, ask).value_or(Stamp());
}

} // namespace xt
