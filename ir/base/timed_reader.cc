#include "ir/base/timed_reader.h"

#include "ir/base/input_file.h"
#include "ir/base/text.h"

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <thread>

namespace xt {
namespace {

Result<TimedReader::File> readFromDisk(const std::string &path, int64_t most, std::optional<TimedReader::Stamp> known) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) return Error::environment("");
  TimedReader::Stamp stamp{int64_t{info.st_mtim.tv_sec} * 1000000000 + info.st_mtim.tv_nsec, int64_t{info.st_size}};
  if (known == stamp) return TimedReader::File{stamp, std::nullopt};
  Result<std::string> text = readInputFile(path, most);
  if (!text) return text.error();
  return TimedReader::File{stamp, std::move(*text)};
}

} // namespace

struct TimedReader::Pending {
  std::mutex mutex;
  std::condition_variable ended;
  std::set<std::string> paths; // paths whose reads have not ended
};

TimedReader::TimedReader() : TimedReader(kLimit, readFromDisk) {}

TimedReader::TimedReader(std::chrono::milliseconds limit, Read read)
    : limit_(limit), read_(std::move(read)), pending_(std::make_shared<Pending>()) {}

Result<TimedReader::File> TimedReader::read(const std::string &path, int64_t most, std::optional<Stamp> known) {
  auto answer = std::make_shared<std::optional<Result<File>>>();
  std::unique_lock lock(pending_->mutex);
  if (pending_->paths.insert(path).second) {
    std::thread([pending = pending_, answer, readFile = read_, path, most, known] {
      Result<File> file = readFile(path, most, known);
      std::lock_guard guard(pending->mutex);
      answer->emplace(std::move(file));
      pending->paths.erase(path);
      pending->ended.notify_all();
    }).detach();
    pending_->ended.wait_for(lock, limit_, [&] { return answer->has_value(); });
  }
  if (*answer) return std::move(**answer);
  return Error::environment(str("cannot read ", path, ": no answer within ", limit_.count() / 1000, " seconds"));
}

} // namespace xt
