// The ranks behind an xt_ranks: operations that a thread carries out on arrays of the caller.
#pragma once
#include "ir/launch.h"
#include "targets/api/boundary/failure.h"
#include "targets/api/include/xt/mpi.h"
#include "targets/ranks/communication_thread.h"

#include <mutex>
#include <optional>

namespace xt {

// An operation of mpi.h with the arguments of the call.
struct Operation {
  RankExchange exchange = {};           // without the addresses
  std::optional<BufferView> from, into; // arrays of the caller; none where this rank takes no part
  std::optional<Mesh> mesh;         // the new mesh, in place of an exchange
  Failure refused;                  // why this rank refuses the operation, which it tells the others
  Failure outcome;                  // when it is done
};

// Operations are carried out in a sequence of the Communicator (targets/ranks/communicator.h). What fails ends the sequence on all ranks, at
// the same operation, and the next operation begins a new one.
class RankGroup {
public:
  explicit RankGroup(CommunicationThread::Open open);

  const Result<void> &opened() const { return thread_.opened(); }
  int rank() const { return thread_.rank(); }
  int count() const { return thread_.count(); }
  Mesh mesh() const;

  // Begins an operation and returns its number, for `wait`, which is called once.
  size_t start(std::shared_ptr<Operation> operation);
  Failure wait(size_t number, const Operation &operation);
  // After all operations that have been started.
  Traffic traffic();

private:
  Failure carryOut(Communicator &communicator, Operation &operation);
  Failure begin(Communicator &communicator, const Mesh &mesh);
  Failure move(Communicator &communicator, Operation &operation);

  mutable std::mutex mutex_; // protects mesh_
  std::optional<Mesh> mesh_; // none: one axis of all ranks
  Traffic earlier_; // of sequences that have ended; used by the thread only
  CommunicationThread thread_; // last, because its thread uses the other members
};

// Keeps freed handles of the process.
std::shared_ptr<Graveyard> rankGraveyard();

} // namespace xt

struct xt_ranks : xt::Handle {
  explicit xt_ranks(std::shared_ptr<xt::RankGroup> of)
      : Handle(xt::HandleKind::Ranks, xt::rankGraveyard()), group(std::move(of)) {}
  void drop() override { group.reset(); }

  std::shared_ptr<xt::RankGroup> group;
};

struct xt_exchange : xt::Handle {
  xt_exchange(const xt_ranks &ranks, std::shared_ptr<xt::Operation> of)
      : Handle(xt::HandleKind::Exchange, ranks.yard), group(ranks.group), operation(std::move(of)) {}
  void drop() override {
    wait();
    operation.reset();
    group.reset();
  }
  const xt::Failure &wait();

  std::shared_ptr<xt::RankGroup> group;
  std::shared_ptr<xt::Operation> operation;
  size_t number = 0;

private:
  std::mutex mutex_;
  bool done_ = false;
};
