// Failures that one rank causes and all ranks get. The argument says which: `agree`, after which the ranks go on; `leave`, `silent` and
// `abort`, after which they cannot.
#include "check.hpp"

#include <chrono>
#include <cstring>
#include <string>
#include <thread>

namespace {

using xt::Array;
using xt::mpi::Kind;
using xt::mpi::kNone;
using xt::mpi::Ranks;

void expectFailure(const xt::Result<void> &done, xt_status status, const std::string &text, int line) {
  if (done) return check(false, "this must fail", line);
  const bool right = done.error().status == status && done.error().message.find(text) != std::string::npos;
  check(right, done.error().message.c_str(), line);
}
#define FAILS(operation, status, text) expectFailure(operation, status, text, __LINE__)

// One rank refuses an argument; the others get its reason.
void refuses(const Ranks &ranks, std::vector<float> &a) {
  const Array good(a, {4}), bad(a, {2, 2}, {0, 1});
  if (ranks.rank() == 1) {
    auto done = ranks.allReduce(bad);
    FAILS(done, XT_INVALID_ARGUMENT, "several of its indices have the same element");
    CHECK(!done && done.error().argument == "into");
    auto started = ranks.startBroadcast(good, ranks.count());
    CHECK(!started && started.error().argument == "root");
  } else {
    FAILS(ranks.allReduce(good), XT_STOPPED, "rank 1 has stopped: `into`: several of its indices");
    auto started = ranks.startBroadcast(good, 0);
    CHECK(started.has_value());
    if (started) FAILS(started->wait(), XT_STOPPED, "rank 1 has stopped: `root`");
  }
  FAILS(ranks.mesh({ranks.count() + 1}), XT_INVALID_ARGUMENT, "a mesh of"); // all ranks refuse it
  CHECK(ranks.extent(0) == ranks.count());
}

void differs(const Ranks &ranks, std::vector<float> &a) {
  const bool first = ranks.rank() == 0;
  std::vector<double> wide(4);
  const auto differ = "the ranks do different things: rank 0 is at `xt_ranks_all_reduce` of 4xf32";
  FAILS(first ? ranks.allReduce(Array(a, {4})) : ranks.broadcast(Array(a, {4}), 0), XT_INVALID_ARGUMENT, differ);
  FAILS(ranks.allReduce(first ? Array(a, {4}) : Array(wide, {4})), XT_INVALID_ARGUMENT, differ);
  FAILS(ranks.allReduce(Array(a, {first ? 4 : 3})), XT_INVALID_ARGUMENT, differ);
  FAILS(ranks.allReduce(Array(a, {4}), first ? Kind::Add : Kind::Max), XT_INVALID_ARGUMENT, "other sizes or arguments");
  FAILS(ranks.shift(Array(a, {4}), ranks.rank()), XT_INVALID_ARGUMENT, "other sizes or arguments");
  FAILS(first ? ranks.mesh({ranks.count()}) : ranks.mesh({ranks.count(), 1}), XT_INVALID_ARGUMENT, "a mesh of");
}

void messages(const Ranks &ranks, std::vector<float> &a) {
  const int to = ranks.rank() == 0 ? 1 : kNone, from = ranks.rank() == 1 ? 0 : kNone;
  FAILS(ranks.recv(Array(a, {4}), from), XT_INVALID_ARGUMENT, "rank 1 receives from rank 0, which has sent it nothing");
  DONE(ranks.send(Array(a, {4}), to));
  FAILS(ranks.recv(Array(a, {2}), from), XT_INVALID_ARGUMENT, "rank 1 receives 2xf32, but rank 0 has sent 4xf32");
  std::vector<int> numbers(4);
  DONE(ranks.send(Array(a, {4}), to));
  FAILS(ranks.recv(Array(numbers, {2, 2}), from), XT_INVALID_ARGUMENT, "receives 2x2xi32, but rank 0 has sent 4xf32");
}

// Each failure is followed by an operation that works.
int agree(const Ranks &ranks) {
  std::vector<float> a(4);
  auto works = [&] {
    std::vector<int> one = {1};
    DONE(ranks.allReduce(Array(one, {1})));
    CHECK(one[0] == ranks.count());
  };
  refuses(ranks, a);
  works();
  differs(ranks, a);
  works();
  messages(ranks, a);
  works();
  return report(ranks);
}

// The last rank is done while the others go on.
int leave(Ranks ranks) {
  std::vector<float> a(4);
  DONE(ranks.allReduce(Array(a, {4})));
  if (ranks.rank() == ranks.count() - 1) return failedChecks != 0;
  FAILS(ranks.allReduce(Array(a, {4})), XT_INVALID_ARGUMENT, "at its end");
  FAILS(ranks.allReduce(Array(a, {4})), XT_ENVIRONMENT, "no longer reach each other");
  if (ranks.rank() == 0 && failedChecks == 0) std::puts("right");
  return failedChecks != 0;
}

// The last rank computes for longer than the others wait.
int silent(const Ranks &ranks) {
  std::vector<float> a(4);
  if (ranks.rank() == ranks.count() - 1) {
    std::this_thread::sleep_for(std::chrono::seconds(8));
    return 0;
  }
  FAILS(ranks.allReduce(Array(a, {4})), XT_ENVIRONMENT, "has waited 3 s for other ranks");
  FAILS(ranks.allReduce(Array(a, {4})), XT_ENVIRONMENT, "no longer reach each other");
  if (ranks.rank() == 0 && failedChecks == 0) std::puts("right"), std::fflush(stdout);
  return failedChecks != 0;
}

} // namespace

int main(int, char **argv) {
  const std::string how = argv[1];
  auto ranks = Ranks::create({.seconds = how == "silent" ? 3.0 : 60.0});
  if (!ranks) return std::puts(ranks.error().message.c_str()), 2;
  if (how == "agree") return agree(*ranks);
  if (how == "leave") return leave(std::move(*ranks));
  if (how == "silent") return silent(*ranks);
  std::vector<float> a(4);
  DONE(ranks->allReduce(Array(a, {4})));
  if (ranks->rank() == ranks->count() - 1) std::abort();
  (void)ranks->allReduce(Array(a, {4})).has_value();
  return 0;
}
