// Tests mpi.h on the only rank of a program that mpirun has not started.
#include "tests/mpirun.h"

#include <xt/mpi.h>

#include <gtest/gtest.h>

#include <numeric>
#include <sstream>
#include <thread>

namespace xt::test {
namespace {

// MPI cannot be initialised twice in a process, so that all tests use one handle.
class OneRank : public testing::Test {
protected:
  static void SetUpTestSuite() {
    std::istringstream settings(kMpiEnvironment);
    for (std::string setting; settings >> setting;)
      setenv(setting.substr(0, setting.find('=')).c_str(), setting.substr(setting.find('=') + 1).c_str(), 1);
    EXPECT_EQ(xt_ranks_create(nullptr, &ranks_, nullptr), XT_OK);
  }
  static void TearDownTestSuite() { xt_ranks_free(ranks_); }

  xt_argument array(std::vector<float> &elements, const std::vector<int64_t> &shape, const std::vector<int64_t> &strides = {}) {
    xt_argument made = XT_INIT(xt_argument);
    made.kind = XT_ARRAY;
    made.element = XT_F32;
    made.rank = static_cast<int32_t>(shape.size());
    made.data = elements.data();
    made.shape = shape.data();
    made.strides = strides.empty() ? nullptr : strides.data();
    return made;
  }
  std::string message() const { return error_.message; }

  static inline xt_ranks *ranks_ = nullptr;
  xt_error error_ = XT_INIT(xt_error);
};

TEST_F(OneRank, HasTheWholeMesh) {
  EXPECT_EQ(xt_ranks_rank(ranks_), 0);
  EXPECT_EQ(xt_ranks_count(ranks_), 1);
  const int64_t extents[] = {0, 1, 0};
  ASSERT_EQ(xt_ranks_mesh(ranks_, extents, 3, &error_), XT_OK) << message();
  EXPECT_EQ(xt_ranks_extent(ranks_, 2), 1);
  EXPECT_EQ(xt_ranks_position(ranks_, 2), 0);
  EXPECT_EQ(xt_ranks_extent(ranks_, 3), 0);
  const int64_t two[] = {2};
  EXPECT_EQ(xt_ranks_mesh(ranks_, two, 1, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "a mesh of 2 does not have 1 rank");
  EXPECT_EQ(xt_ranks_extent(ranks_, 2), 1) << "a mesh that is refused changes nothing";
}

TEST_F(OneRank, ShardsAreViews) {
  std::vector<float> elements(40);
  const std::vector<int64_t> shape = {2, 3}, strides = {20, 2};
  const xt_argument whole = array(elements, shape, strides);
  const int32_t dims[] = {1};
  xt_shard part = XT_INIT(xt_shard);
  ASSERT_EQ(xt_ranks_shard(ranks_, &whole, dims, 1, &part, &error_), XT_OK) << message();
  EXPECT_EQ(part.rank, 2);
  EXPECT_EQ(part.data, elements.data());
  EXPECT_EQ(std::vector(part.shape, part.shape + 2), shape);
  EXPECT_EQ(std::vector(part.strides, part.strides + 2), strides);
}

// A structure of an earlier header is filled as far as it goes.
TEST_F(OneRank, FillsShortStructures) {
  xt_traffic traffic = XT_INIT(xt_traffic);
  traffic.size = offsetof(xt_traffic, sent);
  traffic.sent = 77;
  ASSERT_EQ(xt_ranks_traffic(ranks_, &traffic, &error_), XT_OK) << message();
  EXPECT_EQ(traffic.sent, 77);
  EXPECT_EQ(traffic.messages, 0);
}

TEST_F(OneRank, CopiesOverlappingArrays) {
  std::vector<float> elements(10);
  std::iota(elements.begin(), elements.end(), 0.0f);
  const std::vector<int64_t> shape = {3, 2}, strides = {2, 1}, transposed = {1, 3};
  const xt_argument from = array(elements, shape, strides);
  xt_argument into = array(elements, shape, transposed);
  into.data = elements.data() + 2;
  ASSERT_EQ(xt_ranks_shift(ranks_, &from, &into, 5, XT_ALL_RANKS, nullptr, &error_), XT_OK) << message();
  EXPECT_EQ(elements, (std::vector<float>{0, 1, 0, 2, 4, 1, 3, 5, 8, 9}));
}

TEST_F(OneRank, GoesOnAfterStarts) {
  std::vector<float> elements = {3, 4};
  const std::vector<int64_t> shape = {2};
  const xt_argument own = array(elements, shape);
  xt_exchange *first = nullptr, *second = nullptr;
  ASSERT_EQ(xt_ranks_all_reduce(ranks_, &own, &own, XT_COMBINE_MUL, 0, &first, &error_), XT_OK) << message();
  ASSERT_EQ(xt_ranks_broadcast(ranks_, &own, &own, 0, XT_ALL_RANKS, &second, &error_), XT_OK) << message();
  EXPECT_EQ(xt_exchange_wait(second, &error_), XT_OK) << message();
  xt_exchange_free(second);
  xt_exchange_free(first); // waits
  EXPECT_EQ(elements, (std::vector<float>{3, 4}));
}

// On one rank the order of operations does not matter.
TEST_F(OneRank, ThreadsShareAHandle) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      std::vector<float> elements(100, static_cast<float>(t)), result(100);
      const std::vector<int64_t> shape = {100};
      const xt_argument from = array(elements, shape), into = array(result, shape);
      for (int i = 0; i < 50; ++i) {
        xt_exchange *going = nullptr;
        EXPECT_EQ(xt_ranks_all_reduce(ranks_, &from, &into, XT_COMBINE_ADD, XT_ALL_RANKS, i % 2 ? &going : nullptr, nullptr),
                  XT_OK);
        EXPECT_EQ(going ? xt_exchange_wait(going, nullptr) : XT_OK, XT_OK);
        xt_exchange_free(going);
        EXPECT_EQ(result, elements);
      }
    });
  for (std::thread &thread : threads) thread.join();
}

// A message to this rank itself.
TEST_F(OneRank, SendsToItself) {
  std::vector<float> sent = {1, 2}, received(4);
  const std::vector<int64_t> shape = {2}, strides = {3};
  const xt_argument from = array(sent, shape), into = array(received, shape, strides);
  ASSERT_EQ(xt_ranks_send(ranks_, &from, 0, nullptr, &error_), XT_OK) << message();
  sent = {7, 7};
  ASSERT_EQ(xt_ranks_send(ranks_, nullptr, XT_NO_RANK, nullptr, &error_), XT_OK) << message();
  ASSERT_EQ(xt_ranks_recv(ranks_, &into, 0, nullptr, &error_), XT_OK) << message();
  EXPECT_EQ(received, (std::vector<float>{1, 0, 0, 2}));
  EXPECT_EQ(xt_ranks_recv(ranks_, &into, 0, nullptr, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "`xt_ranks_recv` of 2xf32: rank 0 receives from rank 0, which has sent it nothing");
  EXPECT_EQ(xt_ranks_recv(ranks_, nullptr, XT_NO_RANK, nullptr, &error_), XT_OK) << message();
}

} // namespace
} // namespace xt::test
