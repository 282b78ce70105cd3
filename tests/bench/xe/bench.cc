// Compares the code of our kernels for Intel GPUs with that of the upstream compiler: see README.md.
#include "ir/base/text.h"
#include "tests/bench/xe/compile_time.h"
#include "tests/bench/xe/ours.h"
#include "tests/bench/xe/upstream.h"
#include "tests/targets/xe/isa/kernels.h"
#include "tests/targets/xe/isa/shim.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

namespace xt::bench {
namespace {

constexpr int kRounds = 15;

struct Row {
  std::string kernel, who;
  std::function<Result<IsaReport>()> code;
};

std::string fileText(const std::string &path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<Row> rows() {
  std::vector<Row> rows;
  auto both = [&](std::string name, const std::string &text) {
    rows.push_back({std::move(name), "ours", [text] { return ourCode(text, SpirvExtensions::None); }});
    rows.push_back({"", "payloads", [text] { return ourCode(text, SpirvExtensions::InlineAssembly); }});
  };
  auto ours = [&](std::string name, const test::GemmVariant &variant) { both(std::move(name), test::gemmText(variant)); };
  auto upstream = [&](UpstreamGemm gemm) { rows.push_back({"", "upstream", [gemm] { return upstreamCode(gemm); }}); };
  ours("f16", {.extent = 4096});
  upstream({});
  ours("f16, prefetches", {.prefetches = true, .extent = 4096});
  upstream({.prefetches = true});
  ours("bf16", {.elem = "bf16", .extent = 4096});
  upstream({.elem = "bf16"});
  ours("i8", {.elem = "i8", .sum = "i32", .extent = 4096});
  upstream({.elem = "i8", .sum = "i32", .instA = 32});
  ours("tf32, 16 deep", {.elem = "tf32", .depth = 16, .extent = 4096});
  upstream({.elem = "tf32", .instA = 8});
  ours("f16, any sizes", {});
  ours("f16, B transposed", {.transposed = true});
  ours("f16, B by columns", {.columns = true});
  ours("f16, A by columns", {.columnsA = true});
  ours("f16, bias and gelu", {.epilogue = true});
  std::string attention = fileText(XT_SOURCE_DIR "/stdlib/attention.xt");
  both("attention", attention);
  constexpr std::string_view kF16 = "type = f16 in";
  if (size_t at = attention.find(kF16); at != std::string::npos) attention.replace(at, kF16.size(), "type = bf16 in");
  both("attention, bf16", attention);
  return rows;
}

void print(const Row &row) {
  Result<IsaReport> report = row.code();
  std::printf("%-20s %-9s", row.kernel.c_str(), row.who.c_str());
  if (!report.ok()) {
    std::printf(" %s\n", report.error().message.c_str());
    return;
  }
  const IsaLoop *loop = innerLoop(*report);
  if (!loop || loop->products == 0) {
    std::printf(" no products in a loop\n");
    return;
  }
  double perStep = 32.0 * static_cast<double>(loop->others()) / static_cast<double>(loop->products);
  std::printf("%6zu %7zu %11.1f %9zu %7zu %10lld %10lld\n", loop->products, loop->others(), perStep,
              loop->messages() - loop->spills, loop->spills, static_cast<long long>(report->spilledBytes),
              static_cast<long long>(report->registers));
}

int run(const std::string &xtc) {
  std::printf("Instructions of the inner loop, on xe-pvc\n%-20s %-9s%6s %7s %11s %9s %7s %10s %10s\n", "kernel", "", "dpas",
              "others", "per 32 dpas", "messages", "spills", "bytes", "registers");
  for (const Row &row : rows()) print(row), std::fflush(stdout);
  Result<std::string> times = compileTimes(xtc, kRounds);
  std::printf("\nFrom text to SPIR-V, whole processes in turn, medians of %d\n%s", kRounds,
              times.ok() ? times->c_str() : (times.error().message + "\n").c_str());
  return times.ok() ? 0 : 3;
}

} // namespace
} // namespace xt::bench

int main(int argc, char **argv) {
  if (argc == 3 && std::strcmp(argv[1], "--shim") == 0) {
    std::ofstream out(argv[2]);
    out << xt::test::deviceShim();
    return out.good() ? 0 : 3;
  }
  if (argc != 1) {
    std::fprintf(
        stderr,
        "usage: xt_bench_xe [--shim FILE.ll]\nPrints the table of README.md; with --shim writes what xtc --isa-shim takes.\n");
    return 64;
  }
  return xt::bench::run(XT_BINARY_DIR "/bin/xtc");
}
