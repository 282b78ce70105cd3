// The text file beside a file of kernels that says which values of their parameters are the fastest (README.md shows one).
#pragma once
#include "ir/base/result.h"
#include "targets/run/bench.h"

#include <string>
#include <utility>
#include <vector>

namespace xt {

// Names of parameters without '$', and the texts of their values.
using TuneValues = std::vector<std::pair<std::string, std::string>>;

std::string valuesText(const TuneValues &values); // "BM = 128, BN = 256"

// What was found for one kernel at one size on one device.
struct TuneRecord {
  std::string kernel, target, device; // "gemm", "cpu", "znver5, 2 threads"
  int threads = 0;                    // that launches used; 0: all
  std::vector<std::vector<int64_t>> arrays; // the extents of the kernel's arguments that are arrays
  TuneValues given;                   // values of other parameters, for which the kernel was tuned
  TuneValues values;                  // the fastest ones
  BenchTimes best, defaults;          // times with them, and with the values that the file declares
  size_t timed = 0, candidates = 0;   // combinations that were timed, of all that there are
};

// The tune file of a file of kernels: its path with ".tune" behind it.
std::string tunePath(const std::string &kernels);

// Reads a tune file; no records if there is no such file. An Error says which line is wrong: "gemm.xt.tune:7: …".
Result<std::vector<TuneRecord>> readTuneFile(const std::string &path);

// The text of a tune file.
std::string tuneText(const std::vector<TuneRecord> &records);

// Adds a record in place of the one for the same kernel, target, device, threads, arrays and given values.
void addRecord(std::vector<TuneRecord> &records, TuneRecord record);

// How far apart two sizes are: the sum of |log2| of the ratios of their extents; infinite for arrays of other ranks.
double sizeDistance(const std::vector<std::vector<int64_t>> &a, const std::vector<std::vector<int64_t>> &b);

} // namespace xt
