// The operations of mpi.h.
#include "ir/base/text.h"
#include "targets/api/mpi/operands.h"

using namespace xt;

namespace {

// Begins an operation, of which `make` checks the arguments, and waits for it if `exchange` is null. What `make` refuses is told to the
// other ranks.
template <class Make>
xt_status operate(xt_ranks *ranks, const char *name, xt_exchange **exchange, xt_error *error, const Make &make) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(ranks, HandleKind::Ranks, "ranks")) return bad;
    const std::shared_ptr<RankGroup> group = ranks->group;
    auto operation = std::make_shared<Operation>();
    operation->refused = make(*operation, group->mesh());
    const Distributed &source = operation->exchange.source;
    const bool hasArray = operation->from || operation->into;
    operation->exchange.text = str("`", name, "`", hasArray ? " of " + typeText(source.shape, source.elem) : "");
    if (exchange && !operation->refused) {
      auto made = std::make_unique<xt_exchange>(*ranks, operation);
      made->number = group->start(operation);
      *exchange = made.release();
      return {};
    }
    return group->wait(group->start(operation), *operation);
  });
}

// Makes an exchange of a message; without a peer this rank has no array.
Failure makeMessage(const xt_argument *array, int32_t peer, const char *name, bool received, int count, Operation &out) {
  if (peer != XT_NO_RANK && (peer < 0 || peer >= count))
    return invalid(name, str("is ", peer, ", but there are ", count, count == 1 ? " rank" : " ranks"));
  out.exchange.kind = received ? Communication::Recv : Communication::Send;
  out.exchange.peer = peer;
  if (peer == XT_NO_RANK) return {};
  BufferView view;
  if (Failure bad = readOperand(array, "array", received, view)) return bad;
  out.exchange.source = out.exchange.destination = {view.sizes, view.elem};
  (received ? out.into : out.from) = std::move(view);
  return {};
}

} // namespace

xt_status xt_ranks_mesh(xt_ranks *ranks, const int64_t *extents, int32_t axes, xt_error *error) {
  return operate(ranks, "xt_ranks_mesh", nullptr, error, [&](Operation &out, const Mesh &) -> Failure {
    if (axes < 1 || axes > XT_MAX_AXES) return invalid("axes", str("is ", axes, ", not 1 to ", XT_MAX_AXES));
    if (!extents) return invalid("extents", "is NULL");
    std::string why;
    out.mesh = Mesh::make(std::span(extents, static_cast<size_t>(axes)), ranks->group->count(), why);
    return out.mesh ? Failure{} : Failure{XT_INVALID_ARGUMENT, why, "extents"};
  });
}

xt_status xt_ranks_all_reduce(xt_ranks *ranks, const xt_argument *from, const xt_argument *into, xt_combine kind, int32_t axis,
                              xt_exchange **exchange, xt_error *error) {
  return operate(ranks, "xt_ranks_all_reduce", exchange, error, [&](Operation &out, const Mesh &mesh) -> Failure {
    out.exchange.kind = Communication::AllReduce;
    if (Failure bad = readPair(from, into, out)) return bad;
    if (Failure bad = readAxis(axis, mesh, out.exchange.axis)) return bad;
    return readKind(kind, out.from->elem, out.exchange.combine);
  });
}

xt_status xt_ranks_all_gather(xt_ranks *ranks, const xt_argument *from, const int32_t *from_dims, const xt_argument *into,
                              const int32_t *into_dims, int32_t dim_count, xt_exchange **exchange, xt_error *error) {
  return operate(ranks, "xt_ranks_all_gather", exchange, error, [&](Operation &out, const Mesh &mesh) -> Failure {
    RankExchange &move = out.exchange;
    move.kind = Communication::AllGather;
    if (Failure bad = readArrays(from, into, out)) return bad;
    const BufferView &source = *out.from, &destination = *out.into;
    const size_t rank = source.sizes.size();
    if (Failure bad = readDims(from_dims, dim_count, "from_dims", false, mesh, rank, move.source.sharding)) return bad;
    if (Failure bad = readDims(into_dims, dim_count, "into_dims", true, mesh, rank, move.destination.sharding)) return bad;
    if (Failure bad = wholeShape(source, move.source.sharding, mesh, "from", move.source.shape)) return bad;
    move.destination.shape = move.source.shape;
    move.source.elem = move.destination.elem = source.elem;
    if (Failure bad = checkParts(move.destination, mesh, "into_dims")) return bad;
    return checkPart(move.destination, mesh, ranks->group->rank(), destination, "into");
  });
}

xt_status xt_ranks_reduce_scatter(xt_ranks *ranks, const xt_argument *from, const xt_argument *into, const int32_t *into_dims,
                                  int32_t dim_count, xt_combine kind, xt_exchange **exchange, xt_error *error) {
  return operate(ranks, "xt_ranks_reduce_scatter", exchange, error, [&](Operation &out, const Mesh &mesh) -> Failure {
    RankExchange &move = out.exchange;
    move.kind = Communication::ReduceScatter;
    if (Failure bad = readArrays(from, into, out)) return bad;
    const BufferView &source = *out.from, &destination = *out.into;
    move.source = move.destination = {source.sizes, source.elem};
    const size_t rank = source.sizes.size();
    if (Failure bad = readDims(into_dims, dim_count, "into_dims", false, mesh, rank, move.destination.sharding)) return bad;
    if (Failure bad = checkParts(move.destination, mesh, "into_dims")) return bad;
    if (Failure bad = checkPart(move.destination, mesh, ranks->group->rank(), destination, "into")) return bad;
    return readKind(kind, source.elem, move.combine);
  });
}

xt_status xt_ranks_broadcast(xt_ranks *ranks, const xt_argument *from, const xt_argument *into, int32_t root, int32_t axis,
                             xt_exchange **exchange, xt_error *error) {
  return operate(ranks, "xt_ranks_broadcast", exchange, error, [&](Operation &out, const Mesh &mesh) -> Failure {
    out.exchange.kind = Communication::Broadcast;
    if (Failure bad = readPair(from, into, out)) return bad;
    if (Failure bad = readAxis(axis, mesh, out.exchange.axis)) return bad;
    const int places = out.exchange.axis ? mesh.extent(*out.exchange.axis) : mesh.ranks();
    if (root < 0 || root >= places) return invalid("root", str("is ", root, ", not 0 to ", places - 1));
    out.exchange.peer = root;
    return {};
  });
}

xt_status xt_ranks_broadcast_slice(xt_ranks *ranks, const xt_argument *from, const int32_t *from_dims, int32_t dim_count,
                                   const int64_t *begin, const xt_argument *into, xt_exchange **exchange, xt_error *error) {
  return operate(ranks, "xt_ranks_broadcast_slice", exchange, error, [&](Operation &out, const Mesh &mesh) -> Failure {
    RankExchange &move = out.exchange;
    move.kind = Communication::Broadcast;
    if (Failure bad = readArrays(from, into, out)) return bad;
    const BufferView &source = *out.from, &destination = *out.into;
    const size_t rank = source.sizes.size();
    if (destination.sizes.size() != rank)
      return invalid("into", str("has ", destination.sizes.size(), " dimensions, but `from` has ", rank));
    if (Failure bad = readDims(from_dims, dim_count, "from_dims", false, mesh, rank, move.source.sharding)) return bad;
    if (Failure bad = wholeShape(source, move.source.sharding, mesh, "from", move.source.shape)) return bad;
    if (!begin && rank > 0) return invalid("begin", "is NULL");
    move.slice = {{begin, begin + rank}, destination.sizes};
    for (size_t d = 0; d < rank; ++d)
      if (begin[d] < 0 || destination.sizes[d] > move.source.shape[d] || begin[d] > move.source.shape[d] - destination.sizes[d])
        return invalid("begin",
                       str("is ", join(move.slice.begin, ", "), ": a slice of ", typeText(destination.sizes, source.elem),
                           " is not inside of ", typeText(move.source.shape, source.elem)));
    move.destination = {destination.sizes, source.elem};
    move.source.elem = source.elem;
    return {};
  });
}

xt_status xt_ranks_shift(xt_ranks *ranks, const xt_argument *from, const xt_argument *into, int64_t by, int32_t axis,
                         xt_exchange **exchange, xt_error *error) {
  return operate(ranks, "xt_ranks_shift", exchange, error, [&](Operation &out, const Mesh &mesh) -> Failure {
    out.exchange.kind = Communication::Shift;
    out.exchange.peer = by;
    if (Failure bad = readPair(from, into, out)) return bad;
    return readAxis(axis, mesh, out.exchange.axis);
  });
}

xt_status xt_ranks_send(xt_ranks *ranks, const xt_argument *array, int32_t to, xt_exchange **exchange, xt_error *error) {
  return operate(ranks, "xt_ranks_send", exchange, error, [&](Operation &out, const Mesh &mesh) -> Failure {
    return makeMessage(array, to, "to", false, mesh.ranks(), out);
  });
}

xt_status xt_ranks_recv(xt_ranks *ranks, const xt_argument *array, int32_t from, xt_exchange **exchange, xt_error *error) {
  return operate(ranks, "xt_ranks_recv", exchange, error, [&](Operation &out, const Mesh &mesh) -> Failure {
    return makeMessage(array, from, "from", true, mesh.ranks(), out);
  });
}

xt_status xt_exchange_wait(xt_exchange *exchange, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(exchange, HandleKind::Exchange, "exchange")) return bad;
    return exchange->wait();
  });
}

void xt_exchange_free(xt_exchange *exchange) { freeHandle(exchange, HandleKind::Exchange); }
