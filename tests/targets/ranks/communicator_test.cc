// Tests communications between ranks that are threads: results, traffic, and what happens when the ranks disagree.
#include "tests/targets/ranks/threads/thread_ranks.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/ranks/combine_parts.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>

namespace xt {
namespace {

using Bytes = std::vector<std::byte>;

// An array of i32 whose elements are their own row-major indices.
Bytes indices(int64_t count) {
  Bytes bytes(static_cast<size_t>(count) * 4);
  for (int32_t i = 0; i < count; ++i) std::memcpy(bytes.data() + i * 4, &i, 4);
  return bytes;
}
Bytes partBytes(const Bytes &whole, std::span<const int64_t> shape, const Box &box) {
  Bytes part(static_cast<size_t>(box.elements()) * 4);
  copyBox(box, wholeOf(shape), whole.data(), box, part.data(), 4);
  return part;
}

Mesh meshOf(std::vector<int64_t> extents, int ranks) {
  std::string why;
  std::optional<Mesh> mesh = Mesh::make(extents, ranks, why);
  EXPECT_TRUE(mesh) << why;
  return mesh.value_or(Mesh(ranks));
}

// Runs one sequence of communications on all ranks.
std::vector<std::string> sequence(int ranks, const std::vector<int64_t> &mesh,
                                  const std::function<Result<void>(Communicator &)> &work) {
  return onRanks(ranks, [&](Communicator &communicator) -> Result<void> {
    if (auto begun = communicator.begin("test", meshOf(mesh, ranks)); !begun) return begun;
    if (auto done = work(communicator); !done) return done;
    return communicator.finish();
  });
}
std::vector<std::string> allWell(int ranks) { return std::vector<std::string>(static_cast<size_t>(ranks)); }

// --- movements -------------------------------------------------------------------------------------------------------

// A random way to divide an array of two dimensions on a mesh of two axes.
Sharding randomSharding(std::mt19937 &random) {
  Sharding sharding = {{static_cast<int>(random() % 3) - 1, static_cast<int>(random() % 3) - 1}};
  if (sharding.dims[0] == sharding.dims[1]) sharding.dims[1] = -1;
  return sharding;
}

// Moves a slice of an array from one distribution to another, and checks each element, and that no rank receives an element that
// it holds, or one that it does not need.
void moveAndCheck(std::mt19937 &random) {
  const std::vector<int64_t> extents = {1 + static_cast<int64_t>(random() % 3), 1 + static_cast<int64_t>(random() % 3)};
  const int ranks = static_cast<int>(extents[0] * extents[1]);
  auto multiple = [&] { return 6 * (1 + static_cast<int64_t>(random() % 3)); };
  RankExchange exchange = {.kind = Communication::Broadcast, .text = "`broadcast`"};
  exchange.source = {{multiple() * 2, multiple() * 2}, Elem::I32, randomSharding(random)};
  exchange.destination = {{multiple(), multiple()}, Elem::I32, randomSharding(random)};
  for (size_t d : {0, 1}) {
    int64_t most = exchange.source.shape[d];
    int64_t &extent = exchange.destination.shape[d];
    extent = std::min(extent, most);
    exchange.slice.extent.push_back(extent);
    exchange.slice.begin.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(most - extent + 1)));
  }
  const Bytes whole = indices(exchange.source.shape[0] * exchange.source.shape[1]);
  auto messages = sequence(ranks, extents, [&](Communicator &communicator) -> Result<void> {
    const Box held = exchange.source.part(communicator.mesh(), communicator.rank());
    Box wanted = exchange.destination.part(communicator.mesh(), communicator.rank());
    for (size_t d : {0, 1}) wanted.begin[d] += exchange.slice.begin[d];
    const Bytes own = partBytes(whole, exchange.source.shape, held);
    Bytes into(static_cast<size_t>(wanted.elements()) * 4);
    RankExchange mine = exchange;
    mine.from = own.data();
    mine.into = into.data();
    if (auto done = communicator.run(mine); !done) return done;
    EXPECT_EQ(into, partBytes(whole, exchange.source.shape, wanted));
    std::optional<Box> both = intersection(held, wanted);
    EXPECT_EQ(communicator.traffic().received, (wanted.elements() - (both ? both->elements() : 0)) * 4);
    return {};
  });
  EXPECT_EQ(messages, allWell(ranks));
}

TEST(Communicator, movesSlicesBetweenDistributions) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    SCOPED_TRACE(str("seed ", seed));
    moveAndCheck(random);
  }
}

TEST(Communicator, shiftsAroundARing) {
  for (int64_t by : {-4, -1, 0, 1, 2, 7}) {
    auto messages = sequence(3, {0}, [&](Communicator &communicator) -> Result<void> {
      int32_t value = communicator.rank();
      RankExchange exchange = {.kind = Communication::Shift, .text = "`shift`", .peer = by};
      exchange.source = exchange.destination = {{3}, Elem::I32, {{0}}};
      exchange.from = exchange.into = reinterpret_cast<std::byte *>(&value);
      exchange.axis = 0;
      if (auto done = communicator.run(exchange); !done) return done;
      EXPECT_EQ(value, ((communicator.rank() - by) % 3 + 3) % 3);
      return {};
    });
    EXPECT_EQ(messages, allWell(3));
  }
}

TEST(Communicator, broadcastsAlongAnAxis) {
  auto messages = sequence(6, {2, 3}, [&](Communicator &communicator) -> Result<void> {
    int32_t value = communicator.rank();
    RankExchange exchange = {.kind = Communication::Broadcast, .text = "`broadcast`", .axis = 1, .peer = 2};
    exchange.source = exchange.destination = {{1}, Elem::I32};
    exchange.from = exchange.into = reinterpret_cast<std::byte *>(&value);
    if (auto done = communicator.run(exchange); !done) return done;
    EXPECT_EQ(value, communicator.rank() / 3 * 3 + 2);
    return {};
  });
  EXPECT_EQ(messages, allWell(6));
}

TEST(Communicator, passesMessages) {
  auto messages = sequence(3, {0}, [&](Communicator &communicator) -> Result<void> {
    const int rank = communicator.rank();
    int32_t value = 10 + rank, other = 5;
    RankExchange send = {.kind = Communication::Send, .text = "`send`", .peer = rank == 2 ? -1 : rank + 1};
    send.source = send.destination = {{1}, Elem::I32};
    send.from = reinterpret_cast<std::byte *>(&value);
    if (auto done = communicator.run(send); !done) return done;
    value = -1; // the message is a copy
    RankExchange receive = send;
    receive.kind = Communication::Recv;
    receive.text = "`recv`";
    receive.peer = rank - 1;
    receive.into = reinterpret_cast<std::byte *>(&other);
    if (auto done = communicator.run(receive); !done) return done;
    EXPECT_EQ(other, rank == 0 ? 5 : 9 + rank);
    return {};
  });
  EXPECT_EQ(messages, allWell(3));
}

// --- combinations ----------------------------------------------------------------------------------------------------

// What a rank holds: small integers, so that products stay finite in every type.
Bytes termsOf(Elem elem, int rank, int64_t count) {
  const int64_t bytes = elemInfo(elem).storageBytes;
  Bytes terms(static_cast<size_t>(count * bytes));
  for (int64_t i = 0; i < count; ++i) {
    const double value = static_cast<double>((i * 7 + rank * 5) % 4) + (isFloat(elem) ? 0.125 * rank : 0);
    std::byte *at = terms.data() + i * bytes;
    isFloat(elem) ? storeFloat(elem, at, value) : storeInteger(elem, at, static_cast<int64_t>(value));
  }
  return terms;
}
Bytes combined(std::string_view kind, Elem elem, std::span<const int> ranks, int64_t count) {
  std::vector<Bytes> terms;
  std::vector<const std::byte *> pointers;
  for (int rank : ranks) terms.push_back(termsOf(elem, rank, count));
  for (const Bytes &one : terms) pointers.push_back(one.data());
  Bytes result(terms[0].size());
  combineParts(kind, elem, pointers, count, result.data());
  return result;
}

void reduceAndCheck(std::string_view kind, Elem elem, int64_t count, std::optional<int> axis) {
  SCOPED_TRACE(str(kind, " of ", count, " ", elemName(elem)));
  auto messages = sequence(6, {3, 2}, [&](Communicator &communicator) -> Result<void> {
    Bytes own = termsOf(elem, communicator.rank(), count);
    RankExchange exchange = {
        .kind = Communication::AllReduce, .text = "`all_reduce`", .combine = std::string(kind), .axis = axis};
    exchange.source = exchange.destination = {{count}, elem};
    exchange.from = exchange.into = own.data();
    if (auto done = communicator.run(exchange); !done) return done;
    const std::vector<int> group = communicator.mesh().group(communicator.rank(), axis);
    EXPECT_EQ(own, combined(kind, elem, group, count));
    // The least that is possible, where the elements can be divided evenly.
    const auto ranks = static_cast<int64_t>(group.size());
    if (count % ranks == 0) {
      EXPECT_EQ(communicator.traffic().received, 2 * (ranks - 1) * count / ranks * elemInfo(elem).storageBytes);
    }
    return {};
  });
  EXPECT_EQ(messages, allWell(6));
}

TEST(Communicator, reducesInTheOrderOfRanks) {
  for (std::string_view kind : combineKinds())
    for (Elem elem : {Elem::F32, Elem::F64, Elem::F16, Elem::BF16, Elem::I8, Elem::U8, Elem::I32, Elem::U64}) {
      reduceAndCheck(kind, elem, 12, std::nullopt);
      reduceAndCheck(kind, elem, 1, std::nullopt);
    }
  for (int64_t count : {0, 5, 3000}) {
    reduceAndCheck("add", Elem::F32, count, std::nullopt);
    reduceAndCheck("add", Elem::F32, count, 0);
    reduceAndCheck("max", Elem::I16, count, 1);
  }
}

TEST(CombineParts, roundsNarrowFloatsOnce) {
  // 256 + 1 + 1 is 258 in bf16, but each sum of its own would be rounded to 256.
  std::vector<Bytes> terms(3, Bytes(2));
  storeFloat(Elem::BF16, terms[0].data(), 256);
  storeFloat(Elem::BF16, terms[1].data(), 1);
  storeFloat(Elem::BF16, terms[2].data(), 1);
  const std::byte *pointers[] = {terms[0].data(), terms[1].data(), terms[2].data()};
  Bytes sum(2);
  combineParts("add", Elem::BF16, pointers, 1, sum.data());
  EXPECT_EQ(loadFloat(Elem::BF16, sum.data()), 258);
  EXPECT_FALSE(canCombine("add", Elem::I1));
  EXPECT_FALSE(canCombine("add", Elem::F4E2M1));
  EXPECT_FALSE(canCombine("sub", Elem::F32));
}

TEST(Communicator, scattersSums) {
  auto messages = sequence(4, {0}, [&](Communicator &communicator) -> Result<void> {
    Bytes own = termsOf(Elem::F32, communicator.rank(), 32), part(32);
    RankExchange exchange = {.kind = Communication::ReduceScatter, .text = "`reduce_scatter`"};
    exchange.source = {{4, 8}, Elem::F32};
    exchange.destination = {{4, 8}, Elem::F32, {{1}}};
    exchange.from = own.data();
    exchange.into = part.data();
    if (auto done = communicator.run(exchange); !done) return done;
    const Bytes whole = combined("add", Elem::F32, communicator.mesh().group(0, std::nullopt), 32);
    EXPECT_EQ(part,
              partBytes(whole, exchange.source.shape, exchange.destination.part(communicator.mesh(), communicator.rank())));
    EXPECT_EQ(communicator.traffic().received, 3 * 32);
    EXPECT_EQ(communicator.traffic().messages, 3);
    return {};
  });
  EXPECT_EQ(messages, allWell(4));
}

// --- disagreement ----------------------------------------------------------------------------------------------------

RankExchange reduceOf(int64_t count, int32_t *data) {
  RankExchange exchange = {.kind = Communication::AllReduce, .text = "`all_reduce %C`"};
  exchange.source = exchange.destination = {{count}, Elem::I32};
  exchange.from = exchange.into = reinterpret_cast<std::byte *>(data);
  return exchange;
}

TEST(Communicator, endsOnAllRanksIfTheyDisagree) {
  auto messages = sequence(3, {0}, [&](Communicator &communicator) -> Result<void> {
    int32_t values[4] = {};
    RankExchange exchange = reduceOf(4, values);
    if (communicator.rank() == 2) {
      exchange.kind = Communication::Shift;
      exchange.text = "`shift %K`";
    }
    return communicator.run(exchange);
  });
  for (const std::string &message : messages)
    EXPECT_EQ(message, "the ranks do different things: rank 0 is at `all_reduce %C` and rank 2 at `shift %K`");
  messages = sequence(3, {0}, [&](Communicator &communicator) -> Result<void> {
    int32_t values[4] = {};
    return communicator.run(reduceOf(communicator.rank() == 1 ? 3 : 4, values));
  });
  for (const std::string &message : messages)
    EXPECT_EQ(message,
              "the ranks do different things: rank 0 is at `all_reduce %C` and rank 1 at `all_reduce %C`, with other sizes "
              "or arguments");
}

TEST(Communicator, endsOnAllRanksIfOneDoesLess) {
  auto messages = sequence(3, {0}, [&](Communicator &communicator) -> Result<void> {
    int32_t values[4] = {};
    if (communicator.rank() == 1) return {};
    return communicator.run(reduceOf(4, values));
  });
  for (const std::string &message : messages)
    EXPECT_EQ(message, "the ranks do different things: rank 0 is at `all_reduce %C` and rank 1 at the end of the test");
}

TEST(Communicator, tellsTheOthersWhyOneStops) {
  auto messages = onRanks(3, [&](Communicator &communicator) -> Result<void> {
    if (auto begun = communicator.begin("first", Mesh(3)); !begun) return begun;
    int32_t values[4] = {};
    if (communicator.rank() == 0)
      communicator.stop("out of memory");
    else
      EXPECT_EQ(communicator.run(reduceOf(4, values)).error().message, "rank 0 has stopped: out of memory");
    communicator.stop("nothing"); // the sequence has ended already
    // The next sequence is as usual.
    if (auto begun = communicator.begin("second", Mesh(3)); !begun) return begun;
    if (auto done = communicator.run(reduceOf(4, values)); !done) return done;
    return communicator.finish();
  });
  EXPECT_EQ(messages, allWell(3));
}

TEST(Communicator, findsMessagesThatDoNotMatch) {
  auto messaging = [&](bool send, bool receive, int64_t count, int64_t to) {
    return sequence(2, {0}, [=](Communicator &communicator) -> Result<void> {
      int32_t values[4] = {};
      RankExchange exchange = reduceOf(4, values);
      exchange.kind = Communication::Send;
      exchange.text = "`send %X`";
      exchange.peer = communicator.rank() == 0 ? to : -1;
      if (send)
        if (auto done = communicator.run(exchange); !done) return done;
      exchange = reduceOf(count, values);
      exchange.kind = Communication::Recv;
      exchange.text = "`recv %X`";
      exchange.peer = communicator.rank() == 0 ? -1 : 0;
      if (receive) return communicator.run(exchange);
      return {};
    });
  };
  EXPECT_EQ(messaging(true, true, 4, 1), allWell(2));
  for (const std::string &message : messaging(true, false, 4, 1))
    EXPECT_EQ(message, "rank 0 has sent to rank 1, which has received nothing");
  for (const std::string &message : messaging(false, true, 4, 1))
    EXPECT_EQ(message, "`recv %X`: rank 1 receives from rank 0, which has sent it nothing");
  for (const std::string &message : messaging(true, true, 3, 1))
    EXPECT_EQ(message, "`recv %X`: rank 1 receives 3xi32, but rank 0 has sent 4xi32");
  for (const std::string &message : messaging(true, true, 4, 2))
    EXPECT_EQ(message, "`send %X`: rank 0 sends to rank 2, but there are 2 ranks");
}

// Whole and divided arrays, and arrays that are divided by different dimensions, are not confused.
TEST(Communicator, refusesArraysThatAreDividedInAnotherWay) {
  auto onFour = [](Communication kind, const Sharding &from, const Sharding &into, std::optional<int> axis) {
    return sequence(4, {2, 2}, [=](Communicator &communicator) -> Result<void> {
      std::vector<int32_t> data(64), result(64);
      RankExchange exchange = {.kind = kind, .text = "`it`", .axis = axis, .peer = 0};
      exchange.source = {{8, 8}, Elem::I32, from};
      exchange.destination = {{8, 8}, Elem::I32, into};
      exchange.from = reinterpret_cast<std::byte *>(data.data());
      exchange.into = reinterpret_cast<std::byte *>(result.data());
      if (kind == Communication::Recv) {
        exchange.kind = Communication::Send;
        if (auto done = communicator.run(exchange); !done) return done;
        exchange.kind = Communication::Recv;
        exchange.source = exchange.destination;
        exchange.peer = communicator.rank() == 0 ? 0 : -1;
      }
      return communicator.run(exchange);
    });
  };
  const std::string root =
      "`it`: a root gives what it holds, so both arrays have the same shape and are divided in the same way";
  const std::string divided = "`it`: axis 1 of the mesh divides the array, so these ranks hold different parts of it";
  for (const std::string &message : onFour(Communication::Broadcast, {}, {{0}}, std::nullopt)) EXPECT_EQ(message, root);
  for (const std::string &message : onFour(Communication::Broadcast, {{-1, 0}}, {{-1, 0}}, 1)) EXPECT_EQ(message, divided);
  for (const std::string &message : onFour(Communication::AllReduce, {{-1, 0}}, {{-1, 0}}, std::nullopt))
    EXPECT_EQ(message, divided);
  EXPECT_EQ(onFour(Communication::AllReduce, {{-1, 0}}, {{-1, 0}}, 0), allWell(4));
  for (const std::string &message : onFour(Communication::Recv, {}, {{0}}, std::nullopt))
    EXPECT_EQ(message, "`it`: rank 0 receives 4x8xi32, but rank 0 has sent 8x8xi32");
  for (const std::string &message : onFour(Communication::Recv, {{1}}, {{0}}, std::nullopt))
    EXPECT_EQ(message, "`it`: rank 0 receives 4x8xi32, but rank 0 has sent 8x4xi32");
}

TEST(Communicator, agreesOnContents) {
  auto messages = onRanks(3, [&](Communicator &communicator) -> Result<void> {
    EXPECT_TRUE(communicator.agree("the end", "same"));
    EXPECT_FALSE(communicator.agree("the end", communicator.rank() == 2 ? "other" : "same"));
    if (auto begun = communicator.begin("test", Mesh(3)); !begun) return begun;
    if (communicator.rank() != 1) {
      Result<void> done = communicator.finish();
      EXPECT_EQ(done.error().kind, Error::Kind::Diagnosed);
      return done;
    }
    communicator.stop("it is wrong", true);
    return {};
  });
  EXPECT_EQ(messages, (std::vector<std::string>{"rank 1 has stopped: it is wrong", "", "rank 1 has stopped: it is wrong"}));
}

TEST(Communicator, failsAfterARankHasLeft) {
  auto messages = onRanks(2, [&](Communicator &communicator) -> Result<void> {
    if (communicator.rank() == 1) return communicator.leave(), Result<void>();
    EXPECT_EQ(communicator.begin("test", Mesh(2)).error().message,
              "the ranks do different things: rank 0 is at test and rank 1 at its end");
    return communicator.begin("another", Mesh(2));
  });
  EXPECT_EQ(messages, (std::vector<std::string>{"the ranks no longer reach each other", ""}));
}

TEST(Communicator, failsIfARankDies) {
  ThreadRanks ranks(2);
  ranks.kill(1);
  std::unique_ptr<Transport> transport = ranks.open(0);
  Communicator communicator(*transport);
  EXPECT_EQ(communicator.begin("test", Mesh(2)).error().message, "rank 1 does not answer");
  EXPECT_EQ(communicator.begin("test", Mesh(2)).error().message, "the ranks no longer reach each other");
}

} // namespace
} // namespace xt
