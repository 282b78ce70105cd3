// MPI as a transport. Only this file includes mpi.h: it is a library of its own, which xtrun --mpi opens, so that the tools run on
// machines without MPI.
#include "targets/ranks/open_mpi.h"

#include "ir/base/text.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace xt {
namespace {

using Clock = std::chrono::steady_clock;

// The number of bytes in one message of MPI, whose counts are int.
constexpr int64_t kMostBytes = int64_t{1} << 30;
constexpr int kTag = 7;

class MpiTransport : public Transport {
public:
  MpiTransport(MPI_Comm communicator, bool initialized, double seconds)
      : communicator_(communicator), initialized_(initialized), seconds_(seconds) {
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &count_);
    MPI_Comm machine;
    MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &onThisMachine_);
    MPI_Comm_free(&machine);
  }
  ~MpiTransport() override {
    // A rank that does not answer would let MPI_Finalize wait forever.
    if (failed_) MPI_Abort(communicator_, 3);
    MPI_Comm_free(&communicator_);
    if (initialized_) MPI_Finalize();
  }
  MpiTransport(const MpiTransport &) = delete;
  MpiTransport &operator=(const MpiTransport &) = delete;

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  int onThisMachine() const override { return onThisMachine_; }

  Result<void> allGather(std::span<const std::byte> own, std::span<std::byte> all) override {
    MPI_Request request;
    const int bytes = static_cast<int>(own.size());
    if (int status = MPI_Iallgather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, communicator_, &request))
      return failure("MPI_Iallgather", status);
    return wait({&request, 1});
  }

  Result<void> exchange(std::span<const Message> sends, std::span<const Message> receives) override {
    std::vector<MPI_Request> requests;
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
    return wait(requests);
  }

private:
  static int bytesFrom(const Message &message, int64_t at) {
    return static_cast<int>(std::min(kMostBytes, message.bytes - at));
  }

  Error failure(std::string_view function, int status) {
    failed_ = true;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(status, text, &length);
    return Error::environment(str(function, ": ", text));
  }

  // Waits for all requests, and yields the processor meanwhile: others compute on it.
  Result<void> wait(std::span<MPI_Request> requests) {
    const Clock::time_point start = Clock::now();
    for (int64_t turn = 0;; ++turn) {
      int done = 0;
      if (int status = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE))
        return failure("MPI_Testall", status);
      if (done) return {};
      const double waited = std::chrono::duration<double>(Clock::now() - start).count();
      if (waited > seconds_) {
        failed_ = true;
        return Error::environment(str("rank ", rank_, " has waited ", seconds_, " s for other ranks"));
      }
      if (turn < 100)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(waited < 0.1 ? 20 : 500));
    }
  }

  MPI_Comm communicator_;
  bool initialized_, failed_ = false;
  double seconds_;
  int rank_ = 0, count_ = 1, onThisMachine_ = 1;
};

} // namespace
} // namespace xt

extern "C" __attribute__((visibility("default"))) xt::Transport *xt_mpi_open(double seconds, std::string *why) {
  int initialized = 0, finalized = 0, level = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (finalized) {
    *why = "MPI has been finalized";
    return nullptr;
  }
  if (initialized)
    MPI_Query_thread(&level);
  else
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  if (initialized && level < MPI_THREAD_SERIALIZED) {
    *why = "the program has initialized MPI without MPI_THREAD_SERIALIZED, which a thread that communicates needs";
    return nullptr;
  }
  MPI_Comm communicator;
  MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  return new xt::MpiTransport(communicator, !initialized, seconds);
}
