// Changes random kernels and kernels of the source tree with a mutator and runs them on the interpreter, the CPU and GPUs.
// XT_DIFFERENTIAL_KERNELS and XT_DIFFERENTIAL_SEED are as in differential_test.cc. A failing mutant is reduced and stored in
// build/…/differential/.
#include "tests/fuzz/mutator.h"
#include "tests/golden.h"
#include "tests/targets/differential/child.h"
#include "tests/targets/differential/generator.h"
#include "tests/targets/differential/mutants.h"
#include "tests/targets/differential/rounds.h"

#include "ir/base/text.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace xt {
namespace {

constexpr unsigned kSecondsOfReducing = 180;
constexpr int kMostTrials = 60, kMostChanges = 4; // limits per mutant

std::string keep(const std::string &name, const std::string &text) {
  std::filesystem::path folder = XT_BINARY_DIR "/differential";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << text;
  return (folder / name).string();
}

// Counts the fates of the mutants for the report; mutants that were not run are listed separately.
struct Counts {
  std::array<uint64_t, kFates> fates{};
  uint64_t runs = 0, refused = 0, loose = 0;
  void add(const MutantEnd &end) {
    ++fates[static_cast<size_t>(end.fate)];
    runs += end.ran, refused += end.refused, loose += end.loose;
  }
  uint64_t operator[](Fate fate) const { return fates[static_cast<size_t>(fate)]; }
  void print() const {
    for (size_t i = 0; i < kFates; ++i)
      if (fates[i])
        std::printf("%8llu %s\n", static_cast<unsigned long long>(fates[i]),
                    std::string(fateText(static_cast<Fate>(i))).c_str());
    std::printf("%8llu runs of those that agreed; %llu ways refused them with a message, %llu of them differ by rounding\n",
                static_cast<unsigned long long>(runs), static_cast<unsigned long long>(refused),
                static_cast<unsigned long long>(loose));
  }
};

// Returns the handwritten kernels. They are launched on small buffers instead of their own sizes.
std::vector<std::string> programs() {
  std::vector<std::string> texts;
  for (const char *folder : {"../examples", "../stdlib", "peers"})
    for (const auto &path : test::filesIn(folder, ".xt")) texts.push_back(test::readText(path));
  return texts;
}

void addFailure(const std::string &mutant, uint64_t seed, const MutantEnd &end, bool everyGpu) {
  std::string whole = keep(str("mutant_", seed, ".xt"), mutant),
              reduced = reduceMutant(mutant, end.kernel, seed, everyGpu, kSecondsOfReducing);
  std::string to = keep(str("mutant_", seed, ".reduced.xt"), reduced);
  ADD_FAILURE() << "seed " << seed << " " << end.said << "the mutant is in " << whole << ", reduced in " << to << ":\n"
                << reduced;
}

// Applies random changes one after another and keeps those after which the text compiles. Returns `base` if none does. If the
// compiler fails on a text, returns this text at once.
std::string changed(const std::string &base, const std::string &other, uint64_t seed, Counts &counts) {
  fuzz::Mutator mutator(seed);
  std::string text = base;
  auto wanted = static_cast<int>(1 + seed % kMostChanges);
  for (int trials = 0, done = 0; trials < kMostTrials && done < wanted; ++trials) {
    std::optional<std::string> next = mutator.mutateOnce(text, other);
    if (!next || *next == text) continue;
    MutantEnd end = checkMutant(*next, base + other);
    if (end.fate == Fate::Agreed)
      text = std::move(*next), ++done;
    else if (end.fate == Fate::Failed)
      return std::move(*next);
    else
      counts.add(end);
  }
  return text;
}

TEST(Mutants, RandomOnesAgree) {
  Rounds rounds = roundsOr(50);
  Counts counts;
  uint64_t unchanged = 0; // mutants for which no change compiled
  std::vector<std::string> written = programs();
  for (uint64_t seed = rounds.seed; seed < rounds.seed + rounds.count && !HasFailure(); ++seed) {
    std::string base = seed % 3 == 0 ? written[seed / 3 % written.size()] : randomKernel(seed),
                other = randomKernel(seed + 1000003);
    std::string mutant = changed(base, other, seed, counts);
    if (mutant == base) {
      ++unchanged;
      continue;
    }
    MutantEnd end = runMutant(mutant, base + other, seed, rounds.everyGpu);
    counts.add(end);
    if (end.fate == Fate::Late)
      std::printf("the mutant of seed %llu took too long; it is in %s\n", static_cast<unsigned long long>(seed),
                  keep(str("late_", seed, ".xt"), mutant).c_str());
    if (end.fate == Fate::Failed) addFailure(mutant, seed, end, rounds.everyGpu);
  }
  counts.print();
  std::printf("%8llu texts without a change that compiles\n", static_cast<unsigned long long>(unchanged));
  EXPECT_GE(counts[Fate::Agreed] * 4, rounds.count);
  EXPECT_LE(unchanged * 10, rounds.count);
}

// Kernels that once failed, as generated or as mutants, must not fail again; the checker may reject them now.
TEST(Mutants, ThoseThatOnceFailedAgree) {
  for (const auto &path : test::filesIn("targets/differential/found", ".xt")) {
    std::string text = test::readText(path);
    for (uint64_t gpu = 0; gpu < targetInfos(GpuFamily::Xe).size(); ++gpu) {
      MutantEnd end = runMutant(text, text, gpu, false);
      EXPECT_NE(end.fate, Fate::Failed) << path << '\n' << end.said;
      if (end.fate == Fate::Late) std::printf("%s took too long\n", path.c_str()); // not a failure: the machine may be slow
    }
  }
}

TEST(Mutants, TheChangedKernelIsLaunched) {
  const std::string first = "kernel @first(%C: memref<?x?xi32>) {\n%v = constant 1 : vector<4x4xi32>\n%t = init_tile %C[0, 0] "
                            "-> tile<4x4xi32>\nstore_tile %v, %t\n}\n";
  std::string second = first;
  second.replace(second.find("@first"), 6, "@second");
  std::string changed = second;
  changed.replace(changed.find("constant 1"), 10, "constant 2");
  for (uint64_t seed : {0, 1}) {
    EXPECT_EQ(runMutant(first + changed, first + second, seed, false).kernel, "second");
    EXPECT_EQ(runMutant(first + second, first + second, seed, false).kernel, seed ? "second" : "first");
    EXPECT_EQ(runMutant(first + second, first + second, seed, false, "first").kernel, "first");
  }
}

TEST(Mutants, TellHowTheyEnd) {
  auto fate = [](const std::string &body,
                 const std::string &parameters = "%A: memref<?x?xi32>, %I: memref<?xi32>, %C: memref<?x?xi32>") {
    std::string text = str("kernel @k(", parameters, ") grid (%g = 0 to 2) {\n", body, "\n}\n");
    return runMutant(text, text, 0, false).fate;
  };
  const std::string load = "%t = init_tile %A[0, 0] -> tile<4x4xi32>\n%v = load_tile %t\n",
                    store = "\n%o = init_tile %C[%g * 4, 0] -> tile<4x4xi32>\nstore_tile %w, %o";
  EXPECT_EQ(fate(load + "%w = %v + 1" + store), Fate::Agreed);
  EXPECT_EQ(fate(load + "%w = %v + " + store), Fate::Refused);
  EXPECT_EQ(fate(load + "%w = %v / %v" + store), Fate::Unspecified);
  EXPECT_EQ(fate(load + "%w = %v + 1\n%q = %g < 1\nassert %q, \"no\"" + store), Fate::Stopped);
  EXPECT_EQ(fate("%m = alloc_slm : memref<4x4xi32, slm>\n%s = init_tile %m[0, 0] -> tile<4x4xi32>\n%w = load_tile %s" + store),
            Fate::Stopped);
  EXPECT_EQ(fate("barrier", "%A: memref<4000000x400000xi32>"), Fate::Oversized);
  std::string address =
      "kernel @k(%A: memref<?xi32>, %D: i64) {\n  %t = init_tile %D[0, 0], [1, 8], [8, 1] -> tile<1x8xi32>\n}\n";
  EXPECT_EQ(runMutant(address, "", 0, false).fate, Fate::Addresses);
  EXPECT_EQ(runMutant(address, address, 0, false).fate, Fate::Agreed);
}

constexpr unsigned kEnough = 3600, kLittle = 1; // time limits in seconds, for children that end and for those that do not

TEST(Mutants, ChildrenTellHowTheyEnd) {
  auto end = [](int (*run)(), unsigned seconds = kEnough) {
    return inChild([run](const auto &say) { return say("said"), run(); }, seconds);
  };
  EXPECT_EQ(end([] { return 7; }).value, 7);
  EXPECT_EQ(end([] { return 7; }).said, "said");
  ChildEnd crash = end([] { return std::raise(SIGSEGV), 0; });
  EXPECT_EQ(crash.how, ChildEnd::How::Signal);
  EXPECT_EQ(crash.value, SIGSEGV);
  EXPECT_EQ(end([] { return std::_Exit(70), 0; }).how, ChildEnd::How::Exited);
  ChildEnd late = end(
      [] {
        for (;;) ::pause();
        return 0;
      },
      kLittle);
  EXPECT_EQ(late.how, ChildEnd::How::Late);
}

} // namespace
} // namespace xt
