// libxt_mpi for C++20: mpi.h with destructors and results.
//
//   auto ranks = xt::mpi::Ranks::create();
//   auto part = ranks->shard(xt::Array(a, {m, k}), {0});      // the rows that this rank holds: an Array for launches
//   auto done = ranks->allReduce(xt::Array(c, {m, n}));
//   auto going = ranks->startBroadcast(xt::Array(b, {k, n}), 0);
//   … auto arrived = going->wait();
//
// Contracts, errors and the order of operations are those of mpi.h: all ranks call the same operations in the same order, on arrays in
// memory of the host. Functions that begin with `start` return before the operation is done; its arrays must exist until then.
#ifndef XT_MPI_HPP
#define XT_MPI_HPP

#include <xt/mpi.h>
#include <xt/xt.hpp>

namespace xt {
inline namespace v0 {
namespace mpi {

// How ranks combine elements.
enum class Kind {
  Add = XT_COMBINE_ADD,
  Mul = XT_COMBINE_MUL,
  Max = XT_COMBINE_MAX,
  Min = XT_COMBINE_MIN,
};

inline constexpr int kAllRanks = XT_ALL_RANKS; // in place of an axis of the mesh
inline constexpr int kNone = -1; // a rank that takes no part in a message; an axis that divides no dimension

// For each axis of the mesh, the dimension that it divides, or kNone. Axes at the end may be left out.
using Dims = std::initializer_list<int32_t>;

namespace detail {
struct Free {
  void operator()(xt_ranks *handle) const { xt_ranks_free(handle); }
  void operator()(xt_exchange *handle) const { xt_exchange_free(handle); }
};
} // namespace detail

// An operation that goes on. The destructor waits for its end.
class Exchange {
public:
  explicit Exchange(xt_exchange *handle) : handle_(handle) {}
  Result<void> wait() const {
    return v0::detail::done([&](xt_error *error) { return xt_exchange_wait(handle_.get(), error); });
  }
  xt_exchange *handle() const { return handle_.get(); }

private:
  std::unique_ptr<xt_exchange, detail::Free> handle_;
};

struct Options {
  const void *communicator = nullptr; // an MPI_Comm *; null: that of MPI_COMM_WORLD
  double seconds = 0; // how long a rank waits until the silence of another one is an error; 0: 600
};

// The ranks of the program. The destructor waits for the other ranks.
class Ranks {
  static int32_t size(Dims dims) { return static_cast<int32_t>(dims.size()); }

  // Each of these returns the call of a function of mpi.h, which `done` and `started` make before the arguments end.
  auto reduce(const Array &from, const Array &into, Kind kind, int axis) const {
    return [this, &from, &into, kind, axis](xt_exchange **exchange, xt_error *error) {
      const xt_argument source = from.argument(), destination = into.argument();
      return xt_ranks_all_reduce(handle(), &source, &destination, static_cast<xt_combine>(kind), axis, exchange, error);
    };
  }
  auto gather(const Array &from, Dims dims, const Array &into, Dims intoDims) const {
    return [this, &from, dims, &into, intoDims](xt_exchange **exchange, xt_error *error) {
      const xt_argument source = from.argument(), destination = into.argument();
      std::array<int32_t, XT_MAX_AXES> all, both; // with as many numbers each
      all.fill(XT_NOT_DIVIDED);
      both.fill(XT_NOT_DIVIDED);
      std::copy_n(dims.begin(), std::min(dims.size(), all.size()), all.begin());
      std::copy_n(intoDims.begin(), std::min(intoDims.size(), both.size()), both.begin());
      return xt_ranks_all_gather(handle(), &source, all.data(), &destination, both.data(), std::max(size(dims), size(intoDims)),
                                 exchange, error);
    };
  }
  auto scatter(const Array &from, const Array &into, Dims dims, Kind kind) const {
    return [this, &from, &into, dims, kind](xt_exchange **exchange, xt_error *error) {
      const xt_argument source = from.argument(), destination = into.argument();
      return xt_ranks_reduce_scatter(handle(), &source, &destination, dims.begin(), size(dims), static_cast<xt_combine>(kind),
                                     exchange, error);
    };
  }
  auto spread(const Array &from, const Array &into, int root, int axis) const {
    return [this, &from, &into, root, axis](xt_exchange **exchange, xt_error *error) {
      const xt_argument source = from.argument(), destination = into.argument();
      return xt_ranks_broadcast(handle(), &source, &destination, root, axis, exchange, error);
    };
  }
  auto slice(const Array &from, Dims dims, Array::Numbers begin, const Array &into) const {
    return [this, &from, dims, begin, &into](xt_exchange **exchange, xt_error *error) {
      const xt_argument source = from.argument(), destination = into.argument();
      const auto rank = static_cast<size_t>(std::max(source.rank, 0));
      const int64_t *first = begin.size() == rank ? begin.begin() : nullptr; // refused, unless the array has no dimensions
      return xt_ranks_broadcast_slice(handle(), &source, dims.begin(), size(dims), first, &destination, exchange, error);
    };
  }
  auto ring(const Array &from, const Array &into, int64_t by, int axis) const {
    return [this, &from, &into, by, axis](xt_exchange **exchange, xt_error *error) {
      const xt_argument source = from.argument(), destination = into.argument();
      return xt_ranks_shift(handle(), &source, &destination, by, axis, exchange, error);
    };
  }
  auto message(decltype(&xt_ranks_send) pass, const Array &array, int peer) const {
    return [this, pass, &array, peer](xt_exchange **exchange, xt_error *error) {
      const xt_argument given = array.argument();
      return pass(handle(), &given, peer, exchange, error);
    };
  }

  template <class Call> static Result<void> done(const Call &call) {
    return v0::detail::done([&](xt_error *error) { return call(nullptr, error); });
  }
  template <class Call> static Result<Exchange> started(const Call &call) {
    return v0::detail::made<Exchange, xt_exchange>(call);
  }

public:
  explicit Ranks(xt_ranks *handle) : handle_(handle) {}
  static Result<Ranks> create(const Options &options = {}) {
    xt_ranks_options given = XT_INIT(xt_ranks_options);
    given.communicator = options.communicator;
    given.seconds = options.seconds;
    return v0::detail::made<Ranks, xt_ranks>(
        [&](xt_ranks **made, xt_error *error) { return xt_ranks_create(&given, made, error); });
  }
  xt_ranks *handle() const { return handle_.get(); }

  int rank() const { return xt_ranks_rank(handle()); }
  int count() const { return xt_ranks_count(handle()); }

  // Arranges the ranks in a grid; extents of 0 are chosen.
  Result<void> mesh(std::initializer_list<int64_t> extents) const {
    return v0::detail::done(
        [&](xt_error *error) { return xt_ranks_mesh(handle(), extents.begin(), static_cast<int32_t>(extents.size()), error); });
  }
  int extent(int axis) const { return xt_ranks_extent(handle(), axis); }
  int position(int axis) const { return xt_ranks_position(handle(), axis); }

  // The part of an array that this rank holds: a view of it, with its strides.
  Result<Array> shard(const Array &whole, Dims dims) const {
    xt_error error = XT_INIT(xt_error);
    xt_shard part = XT_INIT(xt_shard);
    const xt_argument given = whole.argument();
    if (xt_ranks_shard(handle(), &given, dims.begin(), size(dims), &part, &error) != XT_OK) return v0::detail::errorOf(error);
    const auto rank = static_cast<size_t>(part.rank);
    return Array(part.data, given.element, std::span<const int64_t>(part.shape, rank),
                 std::span<const int64_t>(part.strides, rank), given.read_only != 0);
  }

  // Combines arrays of one shape, and gives the result to all ranks, or to all along an axis of the mesh.
  Result<void> allReduce(const Array &array, Kind kind = Kind::Add, int axis = kAllRanks) const {
    return done(reduce(array, array, kind, axis));
  }
  Result<void> allReduce(const Array &from, const Array &into, Kind kind = Kind::Add, int axis = kAllRanks) const {
    return done(reduce(from, into, kind, axis));
  }
  Result<Exchange> startAllReduce(const Array &array, Kind kind = Kind::Add, int axis = kAllRanks) const {
    return started(reduce(array, array, kind, axis));
  }
  Result<Exchange> startAllReduce(const Array &from, const Array &into, Kind kind = Kind::Add, int axis = kAllRanks) const {
    return started(reduce(from, into, kind, axis));
  }

  // Gives each rank the whole array that is divided as `dims` says, or with `intoDims` a part of it that is divided in another way.
  Result<void> allGather(const Array &from, Dims dims, const Array &into) const { return done(gather(from, dims, into, {})); }
  Result<void> allGather(const Array &from, Dims dims, const Array &into, Dims intoDims) const {
    return done(gather(from, dims, into, intoDims));
  }
  Result<Exchange> startAllGather(const Array &from, Dims dims, const Array &into) const {
    return started(gather(from, dims, into, {}));
  }
  Result<Exchange> startAllGather(const Array &from, Dims dims, const Array &into, Dims intoDims) const {
    return started(gather(from, dims, into, intoDims));
  }

  // Combines arrays of one shape, and gives each rank its part of the result.
  Result<void> reduceScatter(const Array &from, const Array &into, Dims dims, Kind kind = Kind::Add) const {
    return done(scatter(from, into, dims, kind));
  }
  Result<Exchange> startReduceScatter(const Array &from, const Array &into, Dims dims, Kind kind = Kind::Add) const {
    return started(scatter(from, into, dims, kind));
  }

  // Gives what the rank at place `root` holds to the others, along an axis or all.
  Result<void> broadcast(const Array &array, int root, int axis = kAllRanks) const {
    return done(spread(array, array, root, axis));
  }
  Result<void> broadcast(const Array &from, const Array &into, int root, int axis = kAllRanks) const {
    return done(spread(from, into, root, axis));
  }
  Result<Exchange> startBroadcast(const Array &array, int root, int axis = kAllRanks) const {
    return started(spread(array, array, root, axis));
  }
  Result<Exchange> startBroadcast(const Array &from, const Array &into, int root, int axis = kAllRanks) const {
    return started(spread(from, into, root, axis));
  }

  // Gives all ranks the slice that begins at an index of a divided array; it has the shape of `into`.
  Result<void> broadcastSlice(const Array &from, Dims dims, Array::Numbers begin, const Array &into) const {
    return done(slice(from, dims, begin, into));
  }
  Result<Exchange> startBroadcastSlice(const Array &from, Dims dims, Array::Numbers begin, const Array &into) const {
    return started(slice(from, dims, begin, into));
  }

  // Passes what each rank holds to the rank that is `by` places further, around a ring.
  Result<void> shift(const Array &array, int64_t by, int axis = kAllRanks) const { return done(ring(array, array, by, axis)); }
  Result<void> shift(const Array &from, const Array &into, int64_t by, int axis = kAllRanks) const {
    return done(ring(from, into, by, axis));
  }
  Result<Exchange> startShift(const Array &array, int64_t by, int axis = kAllRanks) const {
    return started(ring(array, array, by, axis));
  }
  Result<Exchange> startShift(const Array &from, const Array &into, int64_t by, int axis = kAllRanks) const {
    return started(ring(from, into, by, axis));
  }

  // Messages. All ranks call both; a rank that takes no part gives kNone.
  Result<void> send(const Array &array, int to) const { return done(message(&xt_ranks_send, array, to)); }
  Result<void> recv(const Array &array, int from) const { return done(message(&xt_ranks_recv, array, from)); }
  Result<Exchange> startSend(const Array &array, int to) const { return started(message(&xt_ranks_send, array, to)); }
  Result<Exchange> startRecv(const Array &array, int from) const { return started(message(&xt_ranks_recv, array, from)); }

  // What this rank has moved.
  Result<xt_traffic> traffic() const {
    xt_error error = XT_INIT(xt_error);
    xt_traffic all = XT_INIT(xt_traffic);
    if (xt_ranks_traffic(handle(), &all, &error) == XT_OK) return all;
    return v0::detail::errorOf(error);
  }

private:
  std::unique_ptr<xt_ranks, detail::Free> handle_;
};

} // namespace mpi
} // namespace v0
} // namespace xt

#endif
