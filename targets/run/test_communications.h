// The communications of one run of a test: arranges the ranks, divides buffers, and carries out what the statements say.
#pragma once
#include "targets/ranks/communication_thread.h"
#include "targets/run/test_state.h"

#include <map>
#include <memory>

namespace xt {

// A communication with its operands evaluated.
struct CommunicationPlan {
  const HostStmt *stmt = nullptr;
  size_t position = 0;
  TestBuffer *source = nullptr, *destination = nullptr;
  RankExchange exchange = {}; // without the addresses of data
  bool writes() const {
    const bool receivesNothing = exchange.kind == Communication::Recv && exchange.peer == -1;
    return exchange.kind != Communication::Send && !receivesNothing;
  }
};

class TestCommunications {
public:
  // `thread`: null if this is the only rank.
  TestCommunications(const HostTest &test, TestState &state, CommunicationThread *thread)
      : test_(test), state_(state), thread_(thread) {}

  // Arranges the ranks and makes sure that all are at the same test.
  Result<void> begin(const std::string &name);
  // Finds out which part of a buffer this rank holds. The buffer has its sizes.
  Result<void> divide(TestBuffer &buffer);
  Result<CommunicationPlan> plan(const HostStmt &stmt, size_t position);

  // Carries out a communication. `counted`: whether the bytes count as traffic.
  Result<void> run(const CommunicationPlan &plan, bool counted);
  // Takes a copy of what the rank sends and begins to communicate, until wait().
  Result<void> start(const CommunicationPlan &plan, bool counted);
  // Waits for all that has been started for a buffer, and writes the results.
  Result<void> wait(const HostStmt &stmt);
  // Waits for everything that no `wait` has waited for, and says what that was; "" if there is nothing.
  std::string unfinished();

  // The whole content of a buffer: what this rank holds, with the parts of the others.
  Result<RawArray> wholeContent(TestBuffer &buffer);
  // The larger of the values of the ranks.
  Result<double> largest(double value);

  Result<void> finish();
  // Tells the other ranks that this one stops, and why. `isDiagnosed`: the test is wrong, and not its run.
  void stop(const std::string &why, bool isDiagnosed);
  int rank() const { return state_.ranks().rank; }
  int count() const { return state_.ranks().mesh.ranks(); }
  Traffic traffic();

private:
  struct Running {
    size_t task = 0;
    const CommunicationPlan *plan = nullptr;
    RawArray sent, received;
  };

  Result<Mesh> mesh();
  Result<void> planSlice(const HostStmt &stmt, CommunicationPlan &plan);
  bool sends(const CommunicationPlan &plan) const;
  Result<void> planArguments(const HostStmt &stmt, CommunicationPlan &plan);
  Result<void> run(CommunicationThread::Task task);
  Result<std::unique_ptr<Running>> begin(const CommunicationPlan &plan, bool counted);
  Result<void> end(Running &running);
  Result<RawArray> contentOfPart(TestBuffer &buffer);

  const HostTest &test_;
  TestState &state_;
  CommunicationThread *thread_;
  std::unique_ptr<CommunicationThread> own_; // of the only rank
  std::map<std::string, std::vector<std::unique_ptr<Running>>> running_; // by the buffer that is written, in their order
};

// Whether a test has statements for ranks.
bool usesRanks(const HostTest &test);

} // namespace xt
