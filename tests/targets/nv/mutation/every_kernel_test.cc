// Runs the tests of kernels on the software NVIDIA device without one barrier, wait or fence at a time: the device must report
// each that is missing. tests/run --full does this for the examples, the library, the peers' kernels and those of the tests of
// nv.
#include "ir/base/text.h"
#include "tests/effort.h"
#include "tests/golden.h"
#include "tests/targets/tools/folder_test.h"

#include <map>
#include <set>
#include <sstream>

namespace xt {
namespace {

namespace fs = std::filesystem;
using test::runTool;
using test::ToolRun;

// Calls in the kernels of a file whose removal the device does not report: their number, and why the compiler emits them.
struct Kept {
  std::string_view file, call;
  size_t count = 0;
  std::string_view reason;
};
constexpr std::string_view kWarp = "llvm.nvvm.bar.warp.sync", kGroup = "llvm.nvvm.barrier.cta.sync.aligned.all",
                           kWait = "llvm.nvvm.cp.async.wait.group";
// Arguments may be the same memory in more ways than the device tries, and places that are computed at run time may be the same
// in several lanes.
constexpr std::string_view kPlaces = "lanes may access the same place of global memory in other launches";
constexpr std::string_view kBlocks = "the lanes that perform a block op of XeGPU meet before and behind it, as in a message";
constexpr std::string_view kRounds =
    "a loop around runs once, or its copies land in the other half of the buffers, at small sizes";
constexpr std::string_view kEnd = "PTX does not promise that exit waits for copies before another workgroup gets the memory";
constexpr std::string_view kLanding = "copies of other lanes may land in the memory that is accessed behind the wait";
constexpr Kept kKept[] = {
    {"02_fused_reduce", kWarp, 1, kLanding},
    {"02_fused_reduce", kWait, 1, kEnd},
    {"03_transpose_layout", kWarp, 1, kPlaces},
    {"03_transpose_layout", kWait, 1, kEnd},
    {"05_two_cache_levels", kWarp, 1, kPlaces},
    {"05_two_cache_levels", kWait, 1, kEnd},
    {"07_dynamic_views", kWarp, 1, kPlaces},
    {"10_attention", kWarp, 1, kPlaces},
    {"10_attention", kWait, 1, kEnd},
    {"12_split_k", kWait, 1, kEnd},
    {"18_summa", kWarp, 1, kPlaces},
    {"18_summa", kWait, 1, kEnd},
    {"20_ring_attention", kWarp, 1, kPlaces},
    {"20_ring_attention", kWait, 1, kEnd},
    {"attention", kWarp, 3, kPlaces},
    {"attention", kWait, 3, kEnd},
    {"attention_backward", kWarp, 7, kPlaces},
    {"attention_backward", kWait, 8, kEnd},
    {"causal_attention", kWarp, 2, kPlaces},
    {"cholesky", kWarp, 3, kPlaces},
    {"cross_entropy", kWarp, 1, kPlaces},
    {"fft", kWarp, 11, kPlaces},
    {"moe", kWarp, 2, kPlaces},
    {"norm_backward", kWarp, 2, kPlaces},
    {"random", kWarp, 1, kPlaces},
    {"reductions", kWarp, 1, kPlaces},
    {"rope", kWarp, 4, kPlaces},
    {"stream_k", kWarp, 1, kPlaces},
    {"stream_k", kWait, 1, kRounds},
    {"25_masked_chunks_in_slm", kWarp, 4, kBlocks},
    {"masks", kWarp, 5, kPlaces},
    {"views", kWarp, 4, kPlaces},
    {"xegpu_blocks", kWarp, 16, kBlocks},
    {"divided_sums", kWarp, 1, kPlaces},
    {"divided_sums", kWait, 1, kEnd},
    {"functions", kWarp, 4, kPlaces},
    {"named_barriers", kWarp, 2, kPlaces},
    {"staged", kWarp, 8, kPlaces},
    {"staged", kGroup, 1, kRounds},
    {"staged", kWait, 1, kRounds},
    {"staged", kWait, 7, kEnd},
};

// Quick ones, with a product through shared memory, a conversion, a reduction and named barriers among them.
constexpr std::string_view kQuick[] = {
    "named_barriers", "23_cooperative_transpose", "19_wg_convert_layout", "04_gemm_tn", "softmax", "transpose", "histogram"};

struct Call {
  std::string kernel, name;
  int line = 0;
  auto operator<=>(const Call &) const = default;
};

// The calls that no launch has missed, each with the number of its places in the code.
std::map<Call, size_t> missedCalls(const fs::path &findings, size_t &tried) {
  std::map<std::pair<std::string, Call>, bool> found; // the first: program and number of the call
  std::ifstream in(findings);
  for (std::string text; std::getline(in, text);) {
    std::istringstream line(text);
    std::string fields[6];
    for (std::string &field : fields) std::getline(line, field, '\t');
    found[{fields[1] + " " + fields[3], {fields[2], fields[4], std::atoi(fields[5].c_str())}}] |= fields[0] == "found";
  }
  tried += found.size();
  std::map<Call, size_t> missed;
  for (const auto &[call, isFound] : found)
    if (!isFound) ++missed[call.second];
  return missed;
}

// Whether the line of the source has an op that states an order: a barrier, a named barrier, a fence, or an atomic op with
// `order`. What these order is not always accessed, so that the device need not report their removal.
bool isWritten(const std::vector<std::string> &lines, int number) {
  if (number < 1 || static_cast<size_t>(number) > lines.size()) return false;
  const std::string &line = lines[static_cast<size_t>(number) - 1];
  return line.find("barrier") != std::string::npos || line.find("fence") != std::string::npos ||
         line.find("order = ") != std::string::npos;
}

std::vector<std::string> linesOf(const fs::path &path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class NvMutationOfEveryKernel : public test::FolderTest {
protected:
  void check(const fs::path &path) {
    fs::path findings = folder / "findings";
    fs::remove(findings);
    const char *tests = path.stem() == "01_gemm" ? "--test unaligned --test exact " : ""; // the other tests read files
    ToolRun run =
        runTool(str("XT_SOFT_MUTATIONS=", findings.string(), " %bin/xtrun --small --target=nv ", tests, path.string()));
    if (run.output.find("error[XT06") != std::string::npos) return; // a limit of the GPU, which other tests check
    EXPECT_EQ(run.status, 0) << path << ":\n" << run.output;
    std::vector<std::string> lines = linesOf(path);
    std::map<std::string, size_t> counts, kept; // by call
    std::string text;
    for (const auto &[call, count] : missedCalls(findings, tried)) {
      if (isWritten(lines, call.line)) continue;
      counts[call.name] += count;
      text += str("  ", count, " times ", call.name, " of @", call.kernel, " at line ", call.line, "\n");
    }
    for (const Kept &each : kKept)
      if (path.stem() == each.file) kept[std::string(each.call)] += each.count;
    checked.insert(path.stem().string());
    EXPECT_EQ(counts, kept) << path << ": without these, the device reports nothing:\n" << text;
  }

  std::set<std::string> checked; // stems of files
  size_t tried = 0; // calls
};

TEST_F(NvMutationOfEveryKernel, TheDeviceMissesEachCallThatOrders) {
  std::set<std::string_view> quick(std::begin(kQuick), std::end(kQuick));
  for (const char *from : {"../examples", "../stdlib", "peers", "targets/nv/run"})
    for (const fs::path &path : test::filesIn(from, ".xt"))
      if (path.stem() != "00_inputs" && (test::everything() || quick.contains(path.stem().string()))) check(path);
  EXPECT_GT(tried, 40u);
  for (const Kept &kept : kKept)
    EXPECT_TRUE(!test::everything() || checked.contains(std::string(kept.file))) << kept.file << " has no kernel to check";
}

} // namespace
} // namespace xt
