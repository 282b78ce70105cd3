// MPI as a transport: libxt_mpi, which xtrun --mpi opens at run time and programs link. The tools and libxt run on machines without MPI.
#include "targets/ranks/mpi/mpi_transport.h"

#include "ir/base/text.h"
#include "targets/ranks/open_mpi.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace xt {
namespace {

using Clock = std::chrono::steady_clock;

// The number of bytes in one message of MPI, whose counts are int.
constexpr int64_t kMostBytes = int64_t{1} << 30;
constexpr int kTag = 7;

// The MPI of this process. Its mutex is held during each call of MPI, as MPI_THREAD_SERIALIZED requires of several transports.
struct Process {
  std::mutex mutex;
  int transports = 0;
  bool initialized = false; // by this library
  bool silent = false; // a rank has not answered: MPI_Finalize would wait for it
};
Process &process() {
  static Process one;
  return one;
}

bool isFinalized() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized != 0;
}

class MpiTransport : public Transport {
public:
  explicit MpiTransport(const MpiOptions &options) : options_(options) {}
  ~MpiTransport() override {
    std::lock_guard lock(process().mutex);
    if (failed_) {
      if (options_.ownsProgram) MPI_Abort(MPI_COMM_WORLD, 3);
      // MPI may still write them.
      (void)new std::vector(std::move(gathered_));
      (void)new std::vector(std::move(own_));
    } else if (communicator_ != MPI_COMM_NULL && !isFinalized()) {
      MPI_Comm_free(&communicator_);
    }
    if (--process().transports == 0 && process().initialized && !process().silent && !isFinalized()) MPI_Finalize();
  }
  MpiTransport(const MpiTransport &) = delete;
  MpiTransport &operator=(const MpiTransport &) = delete;

  // Duplicates the communicator, together with its other ranks.
  Result<void> open() {
    MPI_Request request;
    {
      std::lock_guard lock(process().mutex);
      const MPI_Comm from = options_.communicator ? *static_cast<const MPI_Comm *>(options_.communicator) : MPI_COMM_WORLD;
      if (from == MPI_COMM_NULL) return Error::environment("the communicator is MPI_COMM_NULL");
      MPI_Comm_rank(from, &rank_);
      MPI_Comm_size(from, &count_);
      onThisMachine_ = count_;
      if (int status = MPI_Comm_idup(from, &communicator_, &request)) return failure("MPI_Comm_idup", status);
    }
    if (auto done = wait({&request, 1}); !done) return done;
    std::lock_guard lock(process().mutex);
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    if (!options_.ownsProgram) return {};
    MPI_Comm machine;
    MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &onThisMachine_);
    MPI_Comm_free(&machine);
    return {};
  }

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  int onThisMachine() const override { return onThisMachine_; }

  Result<void> allGather(std::span<const std::byte> own, std::span<std::byte> all) override {
    MPI_Request request;
    const int bytes = static_cast<int>(own.size());
    own_.assign(own.begin(), own.end());
    gathered_.resize(all.size());
    {
      std::lock_guard lock(process().mutex);
      if (isFinalized()) return finalized();
      if (int status = MPI_Iallgather(own_.data(), bytes, MPI_BYTE, gathered_.data(), bytes, MPI_BYTE, communicator_, &request))
        return failure("MPI_Iallgather", status);
    }
    if (auto done = wait({&request, 1}); !done) return done;
    std::ranges::copy(gathered_, all.begin());
    return {};
  }

  Result<void> exchange(std::span<const Message> sends, std::span<const Message> receives) override {
    std::vector<MPI_Request> requests;
    {
      std::lock_guard lock(process().mutex);
      if (isFinalized()) return finalized();
      if (auto begun = start(sends, receives, requests); !begun) return begun;
    }
    return wait(requests, true);
  }

private:
  Result<void> start(std::span<const Message> sends, std::span<const Message> receives, std::vector<MPI_Request> &requests) {
    for (const Message &message : receives)
      for (int64_t at = 0; at < message.bytes; at += kMostBytes)
        if (int status = MPI_Irecv(message.data + at, bytesFrom(message, at), MPI_BYTE, message.peer, kTag, communicator_,
                                   &requests.emplace_back()))
          return failure("MPI_Irecv", status);
    for (const Message &message : sends)
      for (int64_t at = 0; at < message.bytes; at += kMostBytes)
        if (int status = MPI_Isend(message.data + at, bytesFrom(message, at), MPI_BYTE, message.peer, kTag, communicator_,
                                   &requests.emplace_back()))
          return failure("MPI_Isend", status);
    return {};
  }

  static int bytesFrom(const Message &message, int64_t at) {
    return static_cast<int>(std::min(kMostBytes, message.bytes - at));
  }

  Error finalized() {
    failed_ = process().silent = true;
    return Error::environment("the program has finalized MPI");
  }

  Error failure(std::string_view function, int status) {
    failed_ = process().silent = true;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(status, text, &length);
    return Error::environment(str(function, ": ", text));
  }

  // Waits for all requests, which are messages or a call that all ranks take part in, and yields the processor meanwhile: others compute on it.
  Result<void> wait(std::span<MPI_Request> requests, bool areMessages = false) {
    const Clock::time_point start = Clock::now();
    for (int64_t turn = 0;; ++turn) {
      const double waited = std::chrono::duration<double>(Clock::now() - start).count();
      {
        std::lock_guard lock(process().mutex);
        if (isFinalized()) return finalized();
        int done = 0;
        if (int status = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE))
          return failure("MPI_Testall", status);
        if (done) return {};
        if (waited > options_.seconds) return silence(areMessages ? requests : std::span<MPI_Request>());
      }
      if (turn < 100)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(waited < 0.1 ? 20 : 500));
    }
  }

  // Gives up messages: one that comes late must not be written to memory that the program has freed by then.
  Error silence(std::span<MPI_Request> messages) {
    failed_ = process().silent = true;
    for (MPI_Request &request : messages)
      if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
    return Error::environment(str("rank ", rank_, " has waited ", options_.seconds, " s for other ranks"));
  }

  const MpiOptions options_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::vector<std::byte> own_, gathered_; // what MPI uses while ranks tell each other what they do
  bool failed_ = false;
  int rank_ = 0, count_ = 1, onThisMachine_ = 1;
};

// Initialises MPI for one more transport; returns why that is impossible, or "".
std::string enter() {
  std::lock_guard lock(process().mutex);
  if (isFinalized()) return "MPI has been finalized";
  int initialized = 0, level = 0;
  MPI_Initialized(&initialized);
  if (initialized)
    MPI_Query_thread(&level);
  else
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  if (!initialized) process().initialized = true;
  if (level < MPI_THREAD_SERIALIZED)
    return initialized ? "the program has initialized MPI without MPI_THREAD_SERIALIZED, which a thread that communicates needs"
                       : "this MPI lacks MPI_THREAD_SERIALIZED, which a thread that communicates needs";
  ++process().transports;
  return "";
}

} // namespace

Result<std::unique_ptr<Transport>> openMpiTransport(const MpiOptions &options) {
  if (std::string why = enter(); !why.empty()) return Error::environment(std::move(why));
  auto transport = std::make_unique<MpiTransport>(options);
  if (auto opened = transport->open(); !opened) return opened.error();
  return std::unique_ptr<Transport>(std::move(transport));
}

} // namespace xt

extern "C" __attribute__((visibility("default"))) xt::Transport *xt_mpi_open(double seconds, std::string *why) {
  auto opened = xt::openMpiTransport({.seconds = seconds, .ownsProgram = true});
  if (opened) return opened->release();
  *why = opened.error().message;
  return nullptr;
}
