// The functions of mpi.h on ranks, their mesh and their parts of arrays.
#include "ir/base/text.h"
#include "targets/api/mpi/operands.h"
#include "targets/ranks/mpi/mpi_transport.h"

#include <algorithm>
#include <system_error>

using namespace xt;

xt_status xt_ranks_create(const xt_ranks_options *options, xt_ranks **ranks, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (!ranks) return invalid("ranks", "is NULL");
    xt_ranks_options given = XT_INIT(xt_ranks_options);
    if (Failure bad = readVersioned(options, given, "options")) return bad;
    if (!(given.seconds >= 0)) return invalid("options.seconds", str("is ", given.seconds, ", not 0 or more"));
    const MpiOptions how = {given.communicator, given.seconds > 0 ? given.seconds : 600};
    std::shared_ptr<RankGroup> group;
    try {
      group = std::make_shared<RankGroup>([how] { return openMpiTransport(how); });
    } catch (const std::system_error &thrown) {
      return {XT_ENVIRONMENT, std::string("no thread for communication: ") + thrown.what()};
    }
    if (!group->opened()) return {XT_ENVIRONMENT, "MPI: " + group->opened().error().message};
    *ranks = new xt_ranks(std::move(group));
    return {};
  });
}

void xt_ranks_free(xt_ranks *ranks) { freeHandle(ranks, HandleKind::Ranks); }

int32_t xt_ranks_rank(const xt_ranks *ranks) { return whyNotUsable(ranks, HandleKind::Ranks) ? -1 : ranks->group->rank(); }
int32_t xt_ranks_count(const xt_ranks *ranks) { return whyNotUsable(ranks, HandleKind::Ranks) ? 0 : ranks->group->count(); }

int32_t xt_ranks_extent(const xt_ranks *ranks, int32_t axis) {
  if (whyNotUsable(ranks, HandleKind::Ranks)) return 0;
  const Mesh mesh = ranks->group->mesh();
  return axis < 0 || axis >= mesh.axes() ? 0 : mesh.extent(axis);
}

int32_t xt_ranks_position(const xt_ranks *ranks, int32_t axis) {
  if (whyNotUsable(ranks, HandleKind::Ranks)) return -1;
  const Mesh mesh = ranks->group->mesh();
  return axis < 0 || axis >= mesh.axes() ? -1 : mesh.position(ranks->group->rank(), axis);
}

xt_status xt_ranks_shard(const xt_ranks *ranks, const xt_argument *whole, const int32_t *dims, int32_t dim_count,
                         xt_shard *part, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(ranks, HandleKind::Ranks, "ranks")) return bad;
    const Mesh mesh = ranks->group->mesh();
    BufferView array;
    Sharding sharding;
    if (Failure bad = readOperand(whole, "whole", false, array, false)) return bad;
    if (Failure bad = readDims(dims, dim_count, "dims", false, mesh, array.sizes.size(), sharding)) return bad;
    if (Failure bad = checkParts({array.sizes, array.elem, sharding}, mesh, "dims")) return bad;
    const Box box = partOf(array.sizes, sharding, mesh, ranks->group->rank());
    xt_shard made = XT_INIT(xt_shard);
    made.rank = static_cast<int32_t>(array.sizes.size());
    std::ranges::copy(box.extent, made.shape);
    std::ranges::copy(box.begin, made.begin);
    std::ranges::copy(array.strides, made.strides);
    int64_t offset = 0;
    for (size_t d = 0; d < array.sizes.size(); ++d) offset += box.begin[d] * array.strides[d];
    if (box.elements() == 0) offset = 0;
    if (array.data) made.data = static_cast<std::byte *>(array.data) + offset * elemInfo(array.elem).storageBytes;
    return writeVersioned(made, part, "part");
  });
}

xt_status xt_ranks_traffic(xt_ranks *ranks, xt_traffic *traffic, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(ranks, HandleKind::Ranks, "ranks")) return bad;
    const Traffic all = ranks->group->traffic();
    xt_traffic made = XT_INIT(xt_traffic);
    made.operations = all.communications;
    made.messages = all.messages;
    made.sent = all.sent;
    made.received = all.received;
    return writeVersioned(made, traffic, "traffic");
  });
}
