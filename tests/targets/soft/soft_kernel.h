// Kernels in OpenCL C for tests of the software device. They are compiled to SPIR-V by clang-22 and llc-22, and run through the
// device's internal interface.
#pragma once
#include "targets/soft/launch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace xt::soft::test {

// Returns the package that is missing for generating SPIR-V or reading it back, or "" if none is missing.
std::string missingPackage();

// Compiles OpenCL C. If that fails, fails the test and returns an empty vector.
std::vector<uint8_t> spirvOf(const std::string &source);

// Compiles LLVM IR, which may have cooperative matrices.
std::vector<uint8_t> spirvOfLlvm(const std::string &text);

// Memory of the device with values of type T, which the destructor frees.
template <class T> class DeviceArray {
public:
  explicit DeviceArray(size_t count, T value = T{}) : count_(count) {
    data_ = static_cast<T *>(DeviceMemory::instance().allocate(count * sizeof(T), 0, MemoryKind::Device));
    std::fill_n(data_, count, value);
  }
  explicit DeviceArray(const std::vector<T> &values) : DeviceArray(values.size()) {
    std::copy(values.begin(), values.end(), data_);
  }
  ~DeviceArray() { DeviceMemory::instance().free(data_); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  T *data() const { return data_; }
  size_t size() const { return count_; }
  T &operator[](size_t i) const { return data_[i]; }
  std::span<T> span() const { return {data_, count_}; }

private:
  size_t count_;
  T *data_ = nullptr;
};

// The size of shared local memory for a pointer argument.
struct LocalBytes {
  size_t bytes;
};

class SoftKernels {
public:
  explicit SoftKernels(const std::string &source, const std::string &device = "pvc", bool optimised = true);
  explicit SoftKernels(std::span<const uint8_t> spirv, const std::string &device = "pvc", bool optimised = true);
  explicit operator bool() const { return program_ != nullptr; }
  const Program &program() const { return *program_; }
  DeviceSettings device;
  std::string error; // the error of the build
  bool lacks = false; // whether the machine lacks a tool

  // Runs a kernel. Returns the report, or "" on success.
  template <class... Args>
  std::string run(const std::string &kernel, Dimensions groupSize, Dimensions groups, const Args &...args) {
    LaunchRequest request;
    request.kernel = program_->find(kernel);
    if (!request.kernel) return "no such kernel: " + kernel;
    (add(request, args), ...);
    request.groupSize = groupSize;
    request.groupCount = groups;
    return launch(request);
  }

private:
  template <class T> static void add(LaunchRequest &request, const T &value) {
    std::vector<std::byte> bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    request.arguments.push_back(std::move(bytes));
    request.localBytes.push_back(0);
  }
  template <class T> static void add(LaunchRequest &request, const DeviceArray<T> &array) { add(request, array.data()); }
  static void add(LaunchRequest &request, const LocalBytes &local) {
    request.arguments.emplace_back();
    request.localBytes.push_back(local.bytes);
  }
  std::string launch(LaunchRequest &request) const;
  std::unique_ptr<Program> program_;
};

// Declarations of Intel's functions that clang's header lacks.
extern const char *const kDeclarations;

template <class T> std::vector<T> randomBits(size_t count, uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  for (T &value : values) {
    uint64_t bits = random();
    std::memcpy(&value, &bits, sizeof(T));
  }
  return values;
}

} // namespace xt::soft::test

#define XT_NEEDS_COMPILER()                                                                                                    \
  if (std::string package = ::xt::soft::test::missingPackage(); !package.empty())                                              \
  GTEST_SKIP() << "Debian's package " << package << " is not installed"
