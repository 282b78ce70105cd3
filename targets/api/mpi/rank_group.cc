#include "targets/api/mpi/rank_group.h"

#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/interp/launch_state.h"
#include "targets/api/mpi/dense_copy.h"

namespace xt {
namespace {

// Runs a body whose exceptions become failures.
template <class Body> Failure caught(const Body &body) {
  xt_error error = XT_INIT(xt_error);
  guarded(&error, body);
  return {error.status, error.message, error.argument, error.index};
}

Failure failureOf(const Error &error, const Communicator &communicator) {
  if (error.kind == Error::Kind::Environment) return {XT_ENVIRONMENT, error.message};
  return {communicator.otherHasStopped() ? XT_STOPPED : XT_INVALID_ARGUMENT, error.message};
}

std::string meshText(const Mesh &mesh) {
  std::vector<int> extents;
  for (int axis = 0; axis < mesh.axes(); ++axis) extents.push_back(mesh.extent(axis));
  return str("operations on a mesh of ", join(extents, "x"));
}

// The elements of an array without gaps: its own memory, or other memory.
class DenseMemory {
public:
  DenseMemory(const std::optional<BufferView> &array, bool separate) {
    if (!array) return;
    data_ = static_cast<std::byte *>(array->data);
    if (!separate && isDense(*array)) return;
    other_.resize(static_cast<size_t>(productOf(array->sizes) * elemInfo(array->elem).storageBytes));
    data_ = other_.data();
  }
  std::byte *data() { return data_; }
  bool isCopy(const std::optional<BufferView> &array) const { return array && data_ != array->data; }

private:
  std::byte *data_ = nullptr;
  std::vector<std::byte> other_;
};

// Whether what is sent has to be copied, as the result is written over it while it is read.
bool isOverwritten(const Operation &operation) {
  if (!operation.from || !operation.into || !overlap(*operation.from, *operation.into)) return false;
  const bool same = operation.from->data == operation.into->data && operation.from->sizes == operation.into->sizes;
  const bool gathers =
      !operation.exchange.source.sharding.dims.empty() || !operation.exchange.destination.sharding.dims.empty();
  return !same || gathers || !isDense(*operation.into);
}

} // namespace

std::shared_ptr<Graveyard> rankGraveyard() {
  static const auto *yard =
      new std::shared_ptr<Graveyard>(new Graveyard); // never destroyed: handles may be freed at the end of the process
  return *yard;
}

RankGroup::RankGroup(CommunicationThread::Open open) : thread_(std::move(open)) {}

Mesh RankGroup::mesh() const {
  std::lock_guard lock(mutex_);
  return mesh_ ? *mesh_ : Mesh(thread_.count());
}

size_t RankGroup::start(std::shared_ptr<Operation> operation) {
  return thread_.start([this, operation = std::move(operation)](Communicator &communicator) -> Result<void> {
    operation->outcome = caught([&] { return carryOut(communicator, *operation); });
    // After an exception in the middle of it, the others are waiting for this rank.
    if (operation->outcome && communicator.isOpen())
      (void)caught([&]() -> Failure {
        communicator.stop(operation->outcome.message);
        return {};
      });
    return {};
  });
}

Failure RankGroup::wait(size_t number, const Operation &operation) {
  (void)thread_.wait(number).ok();
  return operation.outcome;
}

Traffic RankGroup::traffic() {
  Traffic all;
  (void)thread_
      .run([&](Communicator &communicator) -> Result<void> {
        const Traffic &now = communicator.traffic();
        all = {earlier_.communications + now.communications, earlier_.messages + now.messages, earlier_.sent + now.sent,
               earlier_.received + now.received};
        return {};
      })
      .ok();
  return all;
}

Failure RankGroup::carryOut(Communicator &communicator, Operation &operation) {
  if (!communicator.isOpen())
    if (Failure failed = begin(communicator, mesh())) return failed;
  if (operation.refused) {
    communicator.stop(operation.refused.message);
    return operation.refused;
  }
  if (!operation.mesh) return move(communicator, operation);
  if (Failure failed = begin(communicator, *operation.mesh)) return failed;
  std::lock_guard lock(mutex_);
  mesh_ = operation.mesh;
  return {};
}

Failure RankGroup::begin(Communicator &communicator, const Mesh &mesh) {
  const Traffic &now = communicator.traffic();
  earlier_ = {earlier_.communications + now.communications, earlier_.messages + now.messages, earlier_.sent + now.sent,
              earlier_.received + now.received};
  auto begun = communicator.begin(meshText(mesh), mesh);
  return begun ? Failure{} : failureOf(begun.error(), communicator);
}

Failure RankGroup::move(Communicator &communicator, Operation &operation) {
  DenseMemory from(operation.from, isOverwritten(operation)), into(operation.into, false);
  if (from.isCopy(operation.from)) pack(*operation.from, from.data());
  operation.exchange.from = from.data();
  operation.exchange.into = into.data();
  if (auto done = communicator.run(operation.exchange); !done) return failureOf(done.error(), communicator);
  if (into.isCopy(operation.into)) unpack(into.data(), *operation.into);
  return {};
}

} // namespace xt

const xt::Failure &xt_exchange::wait() {
  std::lock_guard lock(mutex_);
  if (!done_) (void)group->wait(number, *operation).status;
  done_ = true;
  return operation->outcome;
}
