// Runs a kernel on the CPU target and with the interpreter, and compares every byte that it could have written.
#pragma once
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/interp/interpreter.h"
#include "targets/cpu/cpu_target.h"
#include "tests/targets/cpu/array.h"
#include "tests/targets/cpu/kernel_maker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace xt {

// Returns the processors whose code this machine can run; "host" is the first.
inline const std::vector<CpuInfo> &processors() {
  static const std::vector<CpuInfo> list = [] {
    std::vector<CpuInfo> found;
    for (const char *name : {"host", "x86-64", "x86-64-v3"}) {
      Result<CpuInfo> info = cpuInfo(name);
      if (info.ok() && hostCanRun(*info)) found.push_back(*info);
    }
    return found;
  }();
  return list;
}

struct Tolerance {
  double ulp = 0; // in units of the element type's last place
};

inline bool agree(Elem elem, double got, double expected, Tolerance tolerance) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  if (got == expected) return tolerance.ulp > 0 || std::signbit(got) == std::signbit(expected);
  if (tolerance.ulp == 0 || std::isinf(got) || std::isinf(expected)) return false;
  const ElemInfo &info = elemInfo(elem);
  int exponent = expected == 0 ? info.minExponent : std::max(std::ilogb(expected), info.minExponent);
  return std::fabs(got - expected) <= tolerance.ulp * std::ldexp(1.0, exponent - info.precision + 1);
}

// Describes the first difference of two arrays of one shape; empty if there is none.
inline std::string difference(const Array &got, const Array &expected, Tolerance tolerance) {
  std::string text;
  Array copy(got); // elements that agree are made equal in the copy, so that the rest can be compared as bytes
  got.forEach([&](const std::vector<int64_t> &index) {
    if (!text.empty()) return;
    double x = got.number(index), y = expected.number(index);
    bool same = isFloat(got.elem()) ? agree(got.elem(), x, y, tolerance)
                                    : loadInteger(got.elem(), got.at(index)) == loadInteger(got.elem(), expected.at(index));
    if (!same) text = str("element ", join(index, ","), ": got ", x, ", expected ", y);
    std::memcpy(copy.at(index), expected.at(index), static_cast<size_t>(elemInfo(got.elem()).storageBytes));
  });
  if (text.empty() && copy.bytes() != expected.bytes()) text = "bytes outside the array were written";
  return text;
}

struct LaunchArray {
  Array *array = nullptr; // null: the argument is `scalar`
  LaunchArg scalar;
};

// Launches a kernel for each processor in `cpus` and with the interpreter, and compares the results.
inline void expectAsInterpreter(const Module &module, const Kernel &kernel, const std::vector<LaunchArray> &args,
                                std::vector<GridRange> grid, const std::vector<CpuInfo> &cpus, Tolerance tolerance = {},
                                int threads = 1) {
  auto copies = [&] {
    std::vector<std::unique_ptr<Array>> list;
    for (const LaunchArray &arg : args) list.push_back(arg.array ? std::make_unique<Array>(*arg.array) : nullptr);
    return list;
  };
  auto launchArgs = [&](const std::vector<std::unique_ptr<Array>> &arrays) {
    std::vector<LaunchArg> list;
    for (size_t i = 0; i < args.size(); ++i) list.push_back(arrays[i] ? arrays[i]->arg() : args[i].scalar);
    return list;
  };
  auto expected = copies();
  if (!kernel.grid.empty()) {
    Result<std::vector<GridRange>> computed = computeGrid(kernel, launchArgs(expected));
    ASSERT_TRUE(computed.ok()) << computed.error().message;
    grid = *computed;
  }
  std::string expectedText;
  InterpOptions interpOptions;
  interpOptions.print = [&](std::string_view text) { expectedText += text; };
  Result<void> interpreted = interpret(kernel, launchArgs(expected), grid, interpOptions);
  ASSERT_TRUE(interpreted.ok()) << interpreted.error().message;
  for (const CpuInfo &cpu : cpus) {
    SCOPED_TRACE(str(cpu.name, cpu.tuning.lineSplitLoadsAreFree ? " with" : " without", " loads across lines"));
    Diagnostics diagnostics;
    CompileOptions options;
    options.threads = threads;
    std::string gotText;
    options.print = [&](std::string_view text) { gotText += text; };
    auto executable = compileForCpu(module, cpu, options, diagnostics);
    ASSERT_TRUE(executable.ok()) << executable.error().message;
    auto got = copies();
    Result<void> launched = (*executable)->launch(kernel, launchArgs(got), grid);
    ASSERT_TRUE(launched.ok()) << launched.error().message;
    EXPECT_EQ(gotText, expectedText);
    for (size_t i = 0; i < args.size(); ++i)
      if (got[i]) {
        EXPECT_EQ(difference(*got[i], *expected[i], tolerance), "") << "argument " << i;
      }
  }
}

inline void expectAsInterpreter(KernelMaker &m, const std::vector<LaunchArray> &args, std::vector<GridRange> grid,
                                const std::vector<CpuInfo> &cpus, Tolerance tolerance = {}, int threads = 1) {
  expectAsInterpreter(m.module, *m.kernel, args, std::move(grid), cpus, tolerance, threads);
}

// Random values that are likely to show errors of a type: any bit pattern, small numbers, and the ends of the range.
class RandomNumbers {
public:
  explicit RandomNumbers(uint64_t seed) : generator_(seed) {}
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return between(0, 99) < percent; }
  uint64_t next() { return generator_(); }
  template <class T> const T &pick(const std::vector<T> &list) { return list[static_cast<size_t>(next() % list.size())]; }

  void fill(Array &array, bool smallIntegers = false) {
    Elem elem = array.elem();
    array.forEach([&](const std::vector<int64_t> &index) {
      if (smallIntegers) {
        bool isUnsigned = elemInfo(elem).isUnsigned || elem == Elem::I1;
        array.set(index, static_cast<double>(between(isUnsigned ? 0 : -3, 3)));
        return;
      }
      uint64_t bits = next();
      if (isFloat(elem) && chance(70)) {
        double value = std::ldexp(static_cast<double>(between(-4096, 4096)), static_cast<int>(between(-14, -4)));
        array.set(index, value);
        return;
      }
      if (elem == Elem::I1) bits &= 1;
      if (elem == Elem::U4 || elem == Elem::F4E2M1) bits &= 15;
      if (elem == Elem::I4) bits = static_cast<uint64_t>(wrapTo(Elem::I4, static_cast<int64_t>(bits)));
      if (elem == Elem::F32 && chance(50)) bits &= 0x807FFFFF; // subnormal
      std::memcpy(array.at(index), &bits, static_cast<size_t>(elemInfo(elem).storageBytes));
    });
  }

private:
  std::mt19937_64 generator_;
};

} // namespace xt
