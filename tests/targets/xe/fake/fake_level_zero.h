// A Level Zero without a device: a table of functions that count the objects that are created and freed. Any call can be made
// to fail.
#pragma once
#include "targets/xe/level_zero/functions.h"

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace xt::test {

class FakeLevelZero {
public:
  using Arguments = std::map<uint32_t, std::vector<std::byte>>;
  // Performs the effect of a launch, on memory of this process.
  std::function<void(const Arguments &, ze_group_count_t)> kernel = [](const Arguments &, ze_group_count_t) {};

  // The index of the call that fails, counted from 0, and its result; -1: no call fails.
  int failAt = -1;
  ze_result_t failWith = ZE_RESULT_ERROR_UNKNOWN;
  bool brokenDriver = false; // whether there is another driver, before the good one, that does not list its devices
  bool wrapsHandles = false; // whether handles are wrapped, as the loader does if there are several drivers
  std::string deviceName = "Fake GPU";
  uint32_t deviceId = 0x0BD5;
  std::string buildLog = "error: undefined reference to `f'";

  std::vector<std::string> calls; // all calls that could fail, in order
  std::set<void *> live;          // objects and memory that are not freed yet
  int modulesBuilt = 0;
  std::string buildFlags; // flags of the last module
  uint32_t groupSize = 0;

  // table() calls the functions of this object; only one may exist at a time.
  FakeLevelZero() { current = this; }
  ~FakeLevelZero() { current = nullptr; }
  FakeLevelZero(const FakeLevelZero &) = delete;
  FakeLevelZero &operator=(const FakeLevelZero &) = delete;
  static ZeFunctions table();
  static ZeFunctions newerTable(); // the table of a loader that has zeInitDrivers and zeDeviceGetCompilerInfo
  bool driverKnowsInitDrivers = true;
  std::vector<std::string> spirvExtensions; // which the driver lists

  ze_result_t enter(const char *name) {
    calls.push_back(name);
    return static_cast<int>(calls.size()) - 1 == failAt ? failWith : ZE_RESULT_SUCCESS;
  }
  template <class T> void make(T *handle, size_t bytes = 8) {
    void *object = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    live.insert(object);
    *handle = reinterpret_cast<T>(object);
  }
  ze_result_t free(void *object) {
    if (live.erase(object) == 0)
      ++wrongFrees;
    else
      std::free(object);
    return ZE_RESULT_SUCCESS;
  }
  int wrongFrees = 0;
  Arguments arguments;

  static inline FakeLevelZero *current = nullptr;
};

} // namespace xt::test
