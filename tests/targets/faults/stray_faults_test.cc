#include "targets/faults/stray_faults.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace xt {
namespace {

// Simulates a driver that runs kernels on its own threads and installs handlers that end the process.
TEST(StrayFaults, StopTheirThreadAndAreTold) {
  FaultGuard before;
  struct sigaction driver{};
  driver.sa_handler = [](int) { _exit(9); };
  for (int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &driver, nullptr);
  StrayFaultTrap trap;
  EXPECT_FALSE(StrayFaultTrap::fault());
  void *page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  std::thread([page] {
    *static_cast<volatile int *>(page) = 1;
    _exit(8); // not reached
  }).detach();
  std::optional<MemoryFault> fault;
  for (int i = 0; i < 1000 && !fault; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    fault = StrayFaultTrap::fault();
  }
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->address, reinterpret_cast<uintptr_t>(page));
}

} // namespace
} // namespace xt
