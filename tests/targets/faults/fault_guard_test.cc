#include "targets/faults/fault_guard.h"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>

namespace xt {
namespace {

void readNothing(void *) { static_cast<void>(*static_cast<volatile int *>(reinterpret_cast<int *>(64))); }

struct sigaction beforeHost;
int hostFaults = 0;

// The handler passes a fault that it does not know on to the previous handler, as a handler should.
void onHostFault(int signal, siginfo_t *info, void *context) {
  if (++hostFaults > 10) std::_Exit(7); // the fault repeats endlessly
  beforeHost.sa_sigaction(signal, info, context);
}

void setHostHandler() {
  struct sigaction action{};
  action.sa_sigaction = onHostFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, &beforeHost);
}

TEST(FaultGuardTest, AFaultOfAGuardedCallIsSaid) {
  FaultGuard guard;
  std::optional<MemoryFault> fault = guardedCall(readNothing, nullptr);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->address, 64u);
  EXPECT_FALSE(guardedCall([](void *) {}, nullptr));
}

TEST(FaultGuardTest, HandlersGoWithTheLastGuard) {
  struct sigaction before{}, during{}, after{};
  sigaction(SIGSEGV, nullptr, &before);
  {
    FaultGuard kept;
    { FaultGuard guard; }
    sigaction(SIGSEGV, nullptr, &during);
  }
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_NE(before.sa_sigaction, during.sa_sigaction);
  EXPECT_EQ(before.sa_sigaction, after.sa_sigaction);
}

TEST(FaultGuardTest, AHandlerOfTheProcessThatPassesOn) {
  FaultGuard kept;
  setHostHandler();
  FaultGuard guard;
  EXPECT_TRUE(guardedCall(readNothing, nullptr));
  EXPECT_EQ(hostFaults, 1);
  sigaction(SIGSEGV, &beforeHost, nullptr);
}

TEST(FaultGuardDeathTest, AFaultOfNoGuardedCallEndsTheProcess) {
  auto crash = [](bool host) {
    FaultGuard kept;
    if (host) setHostHandler();
    readNothing(nullptr);
  };
  auto dies = [](int status) { return !WIFEXITED(status) || WEXITSTATUS(status) != 7; }; // ended by a signal or the sanitizer
  EXPECT_EXIT(crash(false), dies, "");
  EXPECT_EXIT(crash(true), dies, "");
  auto crashInTurn = [] { // the handler of the process and that of the guards are each installed on top of the other
    {
      FaultGuard first;
      setHostHandler();
    }
    FaultGuard second;
    readNothing(nullptr);
  };
  EXPECT_EXIT(crashInTurn(), dies, "");
}

} // namespace
} // namespace xt
