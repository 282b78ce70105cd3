// Tests tests that several ranks run: each rank is a thread with its own module, state and communication thread.
#include "tests/targets/ranks/threads/thread_ranks.h"
#include "tests/targets/run/fake_kernels.h"

#include "ir/base/text.h"
#include "targets/ranks/communication_thread.h"

#include <thread>

namespace xt {
namespace {

struct RankResult {
  TestReport report;
  std::string text; // the report and the messages
};

using BodiesOf = std::function<std::map<std::string, FakeExecutable::Body>(int rank)>;

// Runs the first test on each of `count` ranks.
std::vector<RankResult> runOnRanks(int count, const std::string &test, const BodiesOf &bodies) {
  ThreadRanks ranks(count);
  std::vector<RankResult> results(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      CommunicationThread thread([&, rank] { return Result(ranks.open(rank)); });
      Runner runner(test, bodies(rank));
      runner.options.ranks = &thread;
      RankResult &result = results[static_cast<size_t>(rank)];
      result.report = runner.run();
      result.text = runner.text(result.report) + runner.messages();
    });
  for (std::thread &thread : threads) thread.join();
  return results;
}

FakeExecutable::Body productBody() {
  return [](const auto &args) { return product(args), Result<void>(); };
}
std::vector<RankResult> runProducts(int count, const std::string &test) {
  return runOnRanks(count, test, [](int) {
    return std::map<std::string, FakeExecutable::Body>{{"gemm", productBody()}, {"add", addBody()}};
  });
}

// Each rank adds 1 to its rows.
const std::string kAddToRows = R"(test "t" {
  %X = iota : memref<8x3xi32>
  %Y = out : memref<8x3xi32>
  shard %X (0)
  shard %Y (0)
  launch @add(%X, %Y, 1)
  check %Y == %X + 1
})";

void expectAll(const std::vector<RankResult> &results, TestStatus status, const std::vector<std::string> &parts = {}) {
  for (size_t rank = 0; rank < results.size(); ++rank) {
    SCOPED_TRACE(str("rank ", rank));
    EXPECT_EQ(results[rank].report.status, status) << results[rank].text;
    for (const std::string &part : parts)
      EXPECT_NE(results[rank].text.find(part), std::string::npos) << part << "\n" << results[rank].text;
  }
}

TEST(Ranks, DivideRows) {
  const std::string test = R"(test "t" {
    %A = random(seed = 1) : memref<24x16xf32>
    %B = random(seed = 2) : memref<16x8xf32>
    %C = out : memref<24x8xf32>
    shard %A (0)
    shard %C (0)
    launch @gemm(%A, %B, %C)
    check %C == matmul(%A, %B)
  })";
  for (int count : {1, 2, 3, 4}) expectAll(runProducts(count, test), TestStatus::Passed);
}

TEST(Ranks, AddUpPartialProducts) {
  const std::string test = R"(test "t" {
    %A = random(seed = 1) : memref<16x24xf32>
    %B = random(seed = 2) : memref<24x8xf32>
    %C = out : memref<16x8xf32>
    %D = out : memref<16x8xf32>
    shard %A (1)
    shard %B (0)
    shard %D (0)
    launch @gemm(%A, %B, %C)
    reduce_scatter %C -> %D
    all_reduce %C
    check %C == matmul(%A, %B)
    check %D == matmul(%A, %B)
  })";
  for (int count : {1, 2, 4}) expectAll(runProducts(count, test), TestStatus::Passed);
  // Each rank gets half of the sum twice from another one, and gives as much.
  for (const RankResult &result : runProducts(2, test)) {
    ASSERT_TRUE(result.report.runs[0].ranks) << result.text;
    EXPECT_EQ(result.report.runs[0].ranks->received, 3 * 16 * 8 / 2 * 4);
    EXPECT_EQ(result.report.runs[0].ranks->communications, 2);
  }
}

TEST(Ranks, MultiplyPanelsOnAGrid) {
  const std::string test = R"(test "t" {
    %A  = random(seed = 1) : memref<24x24xf32>
    %B  = random(seed = 2) : memref<24x24xf32>
    %Ap = out : memref<24x24xf32>
    %Bp = out : memref<24x24xf32>
    %C  = out : memref<24x24xf32>
    mesh (0, 0)
    shard %A (0, 1)
    shard %B (0, 1)
    shard %C (0, 1)
    shard %Ap (0)
    shard %Bp (none, 1)
    start broadcast %A[:, 0:24] -> %Ap
    start all_gather %B -> %Bp
    wait %Ap
    wait %Bp
    launch @gemm(%Ap, %Bp, %C)
    check %C == matmul(%A, %B)
  })";
  for (int count : {1, 2, 3, 4, 6}) expectAll(runProducts(count, test), TestStatus::Passed);
}

// Each rank adds its number and passes the array on.
TEST(Ranks, PassMessages) {
  const std::string test = R"(test "t" {
    %X = ints(0, 9, seed = 1) : memref<2x3xi32>
    %Y = out : memref<2x3xi32>
    %Z = out : memref<2x3xi32>
    launch @add(%X, %Y, rank())
    send %Y ((rank() + 1) mod ranks())
    recv %Z ((rank() + ranks() - 1) mod ranks())
    check %Z == %X + (rank() + ranks() - 1) mod ranks()
  })";
  for (int count : {1, 2, 3}) expectAll(runProducts(count, test), TestStatus::Passed);
}

// Each rank sends what it holds to both neighbours, by two communications that one `wait` ends.
TEST(Ranks, ExchangeWithNeighbours) {
  const std::string test = R"(test "t" {
    %X = ints(0, 9, seed = 1) : memref<2x3xi32>
    %Y = out : memref<2x3xi32>
    %L = fill(-1) : memref<2x3xi32>
    %R = fill(-1) : memref<2x3xi32>
    launch @add(%X, %Y, rank())
    start send %Y (rank() - 1)
    start send %Y (where(rank() + 1 == ranks(), -1, rank() + 1))
    wait %Y
    recv %R (where(rank() + 1 == ranks(), -1, rank() + 1))
    recv %L (rank() - 1)
    check %L == where(rank() == 0, -1, %X + rank() - 1)
    check %R == where(rank() + 1 == ranks(), -1, %X + rank() + 1)
  })";
  for (int count : {1, 2, 3, 4}) expectAll(runProducts(count, test), TestStatus::Passed);
}

// On one rank a communication changes nothing; a check of an expression with itself proves nothing there, too.
TEST(Ranks, RefuseChecksThatCannotFail) {
  const std::string test = R"(test "t" {
    %X = ints(0, 9, seed = 1) : memref<2x3xi32>
    %Y = ints(0, 9, seed = 2) : memref<2x3xi32>
    launch @add(%X, %Y, 1)
    all_reduce %Y
    check %Y == %Y
  })";
  for (int count : {1, 2}) expectAll(runProducts(count, test), TestStatus::Failed, {"both sides are the same expression"});
}

TEST(Ranks, ShiftAround) {
  const std::string test = R"(test "t" {
    %X = ints(0, 9, seed = 1) : memref<12x3xi32>
    %Y = out : memref<12x3xi32>
    shard %X (0)
    shard %Y (0)
    for %i = 1 to ranks() {
      start shift %X (1)
      launch @add(%X, %Y, 1)
      wait %X
    }
    shift %X (1)
    launch @add(%X, %Y, 1)
    check %Y == before(%X) + 1
  })";
  for (int count : {1, 2, 3, 4}) expectAll(runProducts(count, test), TestStatus::Passed);
}

TEST(Ranks, RefuseUnevenParts) {
  expectAll(runProducts(2, kAddToRows), TestStatus::Passed);
  expectAll(
      runProducts(3, kAddToRows), TestStatus::FileError,
      {"`%X`: the extent 8 of dimension 0 is no multiple of the 3 parts that axis 0 of the mesh divides it into; the nearest "
       "are 6 and 9"});
}

TEST(Ranks, RefuseAMeshThatDoesNotFit) {
  const std::string test = R"(test "t" {
    %X = iota : memref<8x3xi32>
    %Y = out : memref<8x3xi32>
    mesh (2, 2)
    launch @add(%X, %Y, 1)
    check %Y == %X + 1
  })";
  expectAll(runProducts(4, test), TestStatus::Passed);
  expectAll(runProducts(3, test), TestStatus::FileError, {"a mesh of 2 x 2 does not have 3 ranks"});
}

// A wrong part of one rank fails on all of them, since the whole is compared.
TEST(Ranks, FindAWrongPart) {
  auto results = runOnRanks(2, kAddToRows, [](int rank) -> std::map<std::string, FakeExecutable::Body> {
    return {{"add", [rank](const std::vector<LaunchArg> &args) {
               Result<void> done = addBody()(args);
               if (rank == 1) ++i32At(args[1], 3, 2);
               return done;
             }}};
  });
  expectAll(results, TestStatus::Failed,
            {"1 of 24 elements differ", "at [7, 2]: got 25, expected 24, difference 1, bound 0, written by rank 1"});
}

TEST(Ranks, StopTogetherIfALaunchFails) {
  const std::string test = R"(test "t" {
    %X = iota : memref<8x3xi32>
    %Y = out : memref<8x3xi32>
    launch @add(%X, %Y, 1)
    all_reduce %Y
    check %Y == (%X + 1) * ranks()
  })";
  auto results = runOnRanks(3, test, [](int rank) -> std::map<std::string, FakeExecutable::Body> {
    return {{"add", [rank](const std::vector<LaunchArg> &args) -> Result<void> {
               if (rank == 1) return Error::kernel("an assert failed");
               return addBody()(args);
             }}};
  });
  expectAll(results, TestStatus::Failed);
  EXPECT_NE(results[1].text.find("an assert failed"), std::string::npos) << results[1].text;
  for (size_t rank : {0, 2})
    EXPECT_NE(results[rank].text.find("rank 1 has stopped: an assert failed"), std::string::npos) << results[rank].text;
}

// The number of iterations is the rank's: the ranks come to different statements.
TEST(Ranks, FindDifferentStatements) {
  const std::string test = R"(test "t" {
    %X = iota : memref<8x3xi32>
    %Y = out : memref<8x3xi32>
    launch @add(%X, %Y, 1)
    for %i = 0 to rank() {
      all_reduce %Y
    }
    check %Y == %X + 1
  })";
  expectAll(runProducts(2, test), TestStatus::Failed, {"the ranks do different things: rank 0 is at ", "`all_reduce %Y`"});
}

// The launches of one rank do not write an output that the others write.
TEST(Ranks, FindAnOutputThatOneRankDoesNotWrite) {
  const std::string test = R"(test "t" {
    %X = iota : memref<8x3xi32>
    %Y = out : memref<8x3xi32>
    %Z = out : memref<8x3xi32>
    launch @add(%X, %Y, 1)
    for %i = 0 to rank() {
      launch @add(%X, %Z, 1)
    }
    check %Y == %X + 1
    check %Z == %X + 1
  })";
  auto results = runProducts(2, test);
  EXPECT_EQ(results[0].report.status, TestStatus::Failed);
  EXPECT_NE(results[0].text.find("no launched kernel writes the `out` buffer `%Z`"), std::string::npos) << results[0].text;
  EXPECT_EQ(results[1].report.status, TestStatus::Passed) << results[1].text;
}

// A root gives to ranks that have nothing yet; a rank that receives from nobody keeps what it has, also while it waits.
TEST(Ranks, KeepAndReplaceContents) {
  const std::string test = R"(test "t" {
    %X = iota : memref<8x3xi32>
    %Y = out : memref<8x3xi32>
    %Z = fill(7) : memref<8x3xi32>
    for %i = 0 to 1 - rank() {
      launch @add(%X, %Y, 5)
    }
    broadcast %Y (root = 0)
    start recv %Z (-1)
    launch @add(%X, %Z, 2)
    wait %Z
    check %Y == %X + 5
    check %Z == %X + 2
  })";
  for (int count : {1, 2}) expectAll(runProducts(count, test), TestStatus::Passed);
}

TEST(Ranks, RefuseToWriteABufferTwiceAtOnce) {
  const std::string test = R"(test "t" {
    %X = iota : memref<8x3xi32>
    %Y = out : memref<8x3xi32>
    launch @add(%X, %Y, 1)
    start shift %Y (1)
    shift %Y (1)
    wait %Y
    check %Y == %X + 1
  })";
  expectAll(runProducts(2, test), TestStatus::FileError,
            {"`%Y` is being written by a communication that has been started: `wait %Y` ends it"});
}

// An error of one rank in the test is one of the test on all ranks.
TEST(Ranks, AgreeThatATestIsWrong) {
  const std::string test = R"(test "t" {
    %X = iota : memref<8x3xi32>
    %Y = out : memref<8x3xi32>
    launch @add(%X, %Y, 1)
    all_reduce %Y (axis = rank())
    check %Y == (%X + 1) * ranks()
  })";
  expectAll(runProducts(2, test), TestStatus::FileError);
}

// Rows with gaps in memory, columns first, and elements of 4 bits.
TEST(Ranks, DivideAnyMemory) {
  const std::string test = R"(test "t" {
    %A = random(seed = 1) : memref<24x16xf32, strided<[20, 1]>>
    %B = random(seed = 2) : memref<16x8xf32>
    %C = out : memref<24x8xf32, strided<[11, 1]>>
    %D = random(seed = 3) : memref<12x5xi4, affine_map<(d0, d1) -> (d1, d0)>>
    %E = out : memref<12x5xi4>
    shard %A (0)
    shard %C (0)
    shard %D (0)
    launch @gemm(%A, %B, %C)
    all_gather %D -> %E
    check %C == matmul(%A, %B)
    check %E == %D
  })";
  for (int count : {1, 2, 3, 4}) expectAll(runProducts(count, test), TestStatus::Passed);
}

TEST(Ranks, FindMessagesThatNobodyReceives) {
  const std::string test = R"(test "t" {
    %X = iota : memref<8x3xi32>
    %Y = out : memref<8x3xi32>
    launch @add(%X, %Y, 1)
    send %Y (0)
    check %Y == %X + 1
  })";
  expectAll(runProducts(2, test), TestStatus::Failed, {"rank 0 has sent to rank 0, which has received nothing"});
}

} // namespace
} // namespace xt
