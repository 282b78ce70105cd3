// The kernel as stdlib/gemm.xt writes it, for any types and with transposed loads.
#include "ir/base/text.h"
#include "ir/launch.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "passes/passes.h"
#include "targets/cpu/cpu_target.h"
#include "tests/bench/cpu/problem.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace xt::bench {
namespace {

std::string kernelText(const Problem &p) {
  auto tile = [](const char *letter, bool turned, const Matrix &matrix, const char *row, const char *column, const char *shape) {
    return str("  %t", letter, " = init_tile %", letter, turned ? str("[", column, ", ", row, "]") : str("[", row, ", ", column, "]"),
               " -> tile<", shape, "x", elemName(matrix.elem), ">\n");
  };
  auto load = [](const char *letter, bool turned) {
    return str("    %v", letter, " = load_tile %t", letter, turned ? " {transpose = [1, 0]}" : "", "\n");
  };
  auto move = [](const char *letter, bool down) {
    return str("    %t", letter, " = update_tile_offset %t", letter, down ? ", 32, 0" : ", 0, 32", "\n");
  };
  const Cell &c = p.cell;
  return str("kernel @gemm(%a: memref<?x?x", elemName(p.a.elem), ">, %b: memref<?x?x", elemName(p.b.elem), ">, %c: memref<?x?x",
             elemName(c.sum()), ">)\n    grid (%i = 0 to dim(%c, 0) step 256, %j = 0 to dim(%c, 1) step 256) {\n",
             tile("a", c.turnA, p.a, "%i", "0", c.turnA ? "32x256" : "256x32"), tile("b", c.turnB, p.b, "0", "%j", c.turnB ? "256x32" : "32x256"),
             "  %acc = constant ", isFloat(c.sum()) ? "0.0" : "0", " : vector<256x256x", elemName(c.sum()), ">\n  for %k = 0 to dim(%a, ",
             c.turnA ? 0 : 1, ") step 32 {\n", load("a", c.turnA), load("b", c.turnB), "    %acc = tile_mma %va, %vb, %acc\n",
             move("a", c.turnA), move("b", !c.turnB), "  }\n  %tc = init_tile %c[%i, %j] -> tile<256x256x", elemName(c.sum()),
             ">\n  store_tile %acc, %tc\n}\n");
}

LaunchArg argument(const Matrix &matrix) {
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::Buffer;
  arg.buffer = {matrix.data.get(), matrix.elem, {matrix.rows, matrix.columns}, {matrix.columns, 1}};
  return arg;
}

// What a launch needs; lives as long as the side's function.
struct Compiled {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::unique_ptr<Module> module;
  std::unique_ptr<Executable> executable;
  std::vector<LaunchArg> args;
  std::vector<GridRange> grid;
};

Result<void> compileOurs(Compiled &c, int threads) {
  CompileOptions options;
  options.threads = threads;
  auto compiled = cpuTarget().compile(*c.module, options, c.diagnostics);
  if (!compiled.ok()) return compiled.error();
  c.executable = std::move(*compiled);
  return {};
}

// What is there before code is made; null: `why` says why not.
std::shared_ptr<Compiled> lower(const Problem &problem, std::string &why) {
  auto c = std::make_shared<Compiled>();
  auto lowered = lowerFile(c->sources, c->sources.add("gemm.xt", kernelText(problem)), c->context, {}, c->diagnostics);
  if (lowered.ok()) {
    c->module = std::move(*lowered);
    if (runPasses(*c->module, *passesNamed(cpuTarget().pipeline()), {}, c->diagnostics).ok()) return c;
  }
  why += "xt: " + renderText(c->diagnostics, c->sources, false) + "\n";
  return nullptr;
}

} // namespace

std::vector<double> compileSeconds(const Problem &problem, int times) {
  std::vector<double> seconds;
  std::string why;
  auto c = lower(problem, why);
  for (int i = 0; c && i < times; ++i) {
    std::clock_t start = std::clock(); // of this process alone
    if (!compileOurs(*c, 1).ok()) break;
    seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return seconds;
}

void addOurs(const Problem &problem, int threads, std::vector<Side> &sides, std::string &why) {
  auto c = lower(problem, why);
  if (!c) return;
  if (Result<void> compiled = compileOurs(*c, threads); !compiled.ok()) {
    why += compiled.error().message + "\n";
    return;
  }
  Side side{"xt", makeMatrix(problem.cell.sum(), problem.cell.m, problem.cell.n), {}};
  c->args = {argument(problem.a), argument(problem.b), argument(side.result)};
  c->grid = *computeGrid(*c->module->kernels[0], c->args);
  side.call = [c] {
    if (Result<void> launched = c->executable->launch(*c->module->kernels[0], c->args, c->grid); !launched.ok()) {
      std::fprintf(stderr, "%s\n", launched.error().message.c_str());
      std::exit(1);
    }
  };
  sides.push_back(std::move(side));
}

} // namespace xt::bench
