// Tests which named barriers become barriers of the GPU that count subgroups, and why others do not.
#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "targets/llvm/lane/barrier_plan.h"
#include "tests/targets/lane_program.h"

namespace xt::test {
namespace {

constexpr int64_t kBarriers = 15;

// A kernel of four subgroups with the numbers %0 … and the barriers %x and %y of these producers and consumers. In %x, the subgroups below
// `first` are producers and the others consumers; in %y it is the other way round.
class Barriers : LaneProgram {
public:
  explicit Barriers(const std::string &body, int first = 2, int producers = 2, int consumers = 2)
      : LaneProgram(text(body, first, producers, consumers), "nv-sm80") {}

  BarrierPlan plan(int64_t barriers = kBarriers) const { return planBarriers(*module_->kernels[0], barriers); }
  // The places in program order: "a4" arrives at a barrier of four subgroups, "s4" waits too, "-" is nothing. Why not, if there is no plan.
  std::string places() const {
    if (!module_) return messages();
    BarrierPlan made = plan();
    if (!made.missing.empty()) return made.missing;
    std::vector<std::string> texts;
    walk(module_->kernels[0]->body, [&](const Op &op) {
      if (op.kind() != OpKind::NbarrierArrive && op.kind() != OpKind::NbarrierWait) return;
      BarrierPlace place = made.places.at(&op);
      using How = BarrierPlace::How;
      texts.push_back(place.how == How::Nothing ? "-" : str(place.how == How::Sync ? "s" : "a", place.subgroups));
    });
    return join(texts, " ");
  }

private:
  static std::string text(const std::string &body, int first, int producers, int consumers) {
    return str(
        "kernel @k(%A: memref<?xi32>, %n: index) subgroups(4) lanes(32) {\n  %s = subgroup_id()\n  %count = constant 15 : i8\n"
        "  alloc_nbarrier %count : i8\n  %produces = %s < ",
        first,
        "\n  %one = constant 1 : i8\n  %two = constant 2 : i8\n  %zero = constant 0 : i8\n"
        "  %rx = select(%produces, %one, %two)\n  %ry = select(%produces, %two, %one)\n"
        "  %x = create_nbarrier %zero, %rx {num_producers = ",
        producers, ", num_consumers = ", consumers,
        "} : i8, i8 -> nbarrier\n  %y = create_nbarrier %one, %ry {num_producers = ", consumers,
        ", num_consumers = ", producers, "} : i8, i8 -> nbarrier\n", body, "}\n");
  }
};

constexpr const char *kWaitX = "nbarrier_arrive %x\nnbarrier_wait %x\n", *kWaitY = "nbarrier_arrive %y\nnbarrier_wait %y\n";

// `first` and `second` as bodies of the loops of the producers and of the others, behind what is before these loops.
std::string loops(const std::string &first, const std::string &second, const char *beforeFirst = "",
                  const char *beforeSecond = "") {
  return str("if %produces {\n", beforeFirst, "for %i = 0 to %n {\n", first, "}\n} else {\n", beforeSecond,
             "for %i = 0 to %n {\n", second, "}\n}\n");
}

TEST(BarrierPlan, AllWait) {
  EXPECT_EQ(Barriers(kWaitX).places(), "- s4");
  EXPECT_EQ(Barriers(str("for %i = 0 to %n {\n", kWaitX, kWaitY, "}\n")).places(), "- s4 - s4");
}

TEST(BarrierPlan, SomeOnlyArrive) {
  EXPECT_EQ(Barriers(str("if %produces {\nnbarrier_arrive %x\n} else {\n", kWaitX, "}\n")).places(), "a4 - s4");
}

// One buffer: the producers wait until it is empty, before or after they fill it.
TEST(BarrierPlan, ProducersAndConsumersInLoops) {
  EXPECT_EQ(Barriers(loops(str("nbarrier_arrive %x\n", kWaitY), str(kWaitX, "nbarrier_arrive %y\n"))).places(),
            "a4 - s4 - s4 a4");
  EXPECT_EQ(
      Barriers(loops(str(kWaitY, "nbarrier_arrive %x\n"), str(kWaitX, "nbarrier_arrive %y\n"), "", "nbarrier_arrive %y\n"))
          .places(),
      "- s4 a4 a4 - s4 a4");
  EXPECT_EQ(
      Barriers(str("for %i = 0 to %n {\nif %produces {\nnbarrier_arrive %x\n} else {\n", kWaitX, "}\nbarrier\n}\n")).places(),
      "a4 - s4");
}

// Producers that are a round ahead would be counted in place of consumers.
TEST(BarrierPlan, ArrivalsAheadStayInMemory) {
  constexpr const char *kAgain =
      "subgroup 0 may arrive at barrier 0 again before the others have come: no other barrier holds it back";
  EXPECT_EQ(Barriers(loops("nbarrier_arrive %x\n", kWaitX)).places(), kAgain);
  EXPECT_EQ(Barriers(str("if %produces {\nnbarrier_arrive %x\nnbarrier_arrive %x\n} else {\n", kWaitX, kWaitX, "}\n")).places(),
            kAgain);
  // Two buffers: the consumers release one before they have waited for it.
  EXPECT_EQ(
      Barriers(loops(str("nbarrier_arrive %x\n", kWaitY), str(kWaitX, "nbarrier_arrive %y\n"), "", "nbarrier_arrive %y\n"))
          .places(),
      kAgain);
  EXPECT_EQ(Barriers(loops(str("nbarrier_arrive %x\n", kWaitY), str("nbarrier_arrive %y\n", kWaitX))).places(), kAgain);
  // The loops of the two may run a different number of times, so what is behind them is not ordered.
  EXPECT_EQ(Barriers(str(loops(str("nbarrier_arrive %x\n", kWaitY), str(kWaitX, "nbarrier_arrive %y\n")),
                         "if %produces {\nnbarrier_arrive %x\nnbarrier_arrive %x\n}\n"))
                .places(),
            kAgain);
}

TEST(BarrierPlan, NumbersThatAreNotThoseOfTheSubgroups) {
  EXPECT_EQ(Barriers(kWaitX, 1).places(), "barrier 0 is for 2 producers and 2 consumers, but 1 and 3 come");
  EXPECT_EQ(Barriers(kWaitX, 1, 1, 3).places(), "- s4");
  EXPECT_EQ(Barriers(str("if %produces {\n", kWaitX, "}\n")).places(),
            "barrier 0 is for 2 producers and 2 consumers, but 2 and 0 come");
  EXPECT_EQ(Barriers(str("%b = create_nbarrier %zero, %rx {num_producers = 1, num_consumers = 3} : i8, i8 -> nbarrier\n",
                         kWaitX, "nbarrier_arrive %b\nnbarrier_wait %b\n"))
                .places(),
            "subgroups state different numbers or roles for barrier 0");
}

TEST(BarrierPlan, ProducersThatConsume) {
  auto both = [](int count) {
    return str("%b = create_nbarrier %two, %zero {num_producers = ", count, ", num_consumers = ", count,
               "} : i8, i8 -> nbarrier\nnbarrier_arrive %b\nnbarrier_wait %b\n");
  };
  EXPECT_EQ(Barriers(both(4)).places(), "- s4");
  EXPECT_EQ(Barriers(both(2)).places(), "barrier 2 is for 2 producers and 2 consumers, but 4 and 4 come");
}

TEST(BarrierPlan, PairsOfSubgroupsHaveABarrierEach) {
  std::string pairs = "%pair = %s / 2\n%id = index_cast %pair : index -> i8\n"
                      "%b = create_nbarrier %id, %zero {num_producers = 2, num_consumers = 2} : i8, i8 -> nbarrier\n"
                      "nbarrier_arrive %b\nnbarrier_wait %b\n";
  EXPECT_EQ(Barriers(pairs).places(), "- s2");
}

TEST(BarrierPlan, WhatIsNotKnown) {
  std::string branch = str("%v = memref.load %A[%s]\nif %v > 0 {\n", kWaitX, "}\n");
  EXPECT_EQ(Barriers(branch).places(), "which subgroups take part depends on more than their numbers");
  std::string loaded = "%v = memref.load %A[%s]\n%id = trunci %v : i32 to i8\n"
                       "%b = create_nbarrier %id, %zero {num_producers = 4, num_consumers = 4} : i8, i8 -> nbarrier\n"
                       "nbarrier_arrive %b\nnbarrier_wait %b\n";
  EXPECT_EQ(Barriers(loaded).places(),
            "the number of a barrier or the role of a subgroup depends on more than the subgroup's number");
  EXPECT_EQ(Barriers(str("nbarrier_arrive %x\n", kWaitY, "nbarrier_wait %x\n")).places(),
            "subgroup 0 does something at other barriers between its arrival at one and its wait there");
  EXPECT_EQ(
      Barriers("nbarrier_arrive %x\nif %produces {\n} else {\nnbarrier_wait %x\n}\n").places(),
      "subgroups run the same code at barriers, but only some of them wait, or at barriers of different numbers of subgroups");
}

// A loop without barriers may wait for what another subgroup writes.
TEST(BarrierPlan, LoopsThatMayWait) {
  const std::string count = "%c = constant 0 : i32\nwhile %c < 3 {\n", next = "%c = %c + 1\n}\n";
  const std::string pipeline = loops(str("nbarrier_arrive %x\n", kWaitY), str(kWaitX, "nbarrier_arrive %y\n"));
  EXPECT_EQ(Barriers(count + next + pipeline).places(), Barriers(pipeline).places());
  EXPECT_NE(Barriers(pipeline).places().find("a4"), std::string::npos) << Barriers(pipeline).places();
  const char *why = "subgroup 0 may wait in a loop between its arrival at barrier 0 and its wait there";
  EXPECT_EQ(Barriers("nbarrier_arrive %x\n" + count + next + "nbarrier_wait %x\n").places(), why);
  EXPECT_EQ(Barriers("nbarrier_arrive %x\n" + count +
                     "if %s == 3 {\n%b = create_nbarrier %two, %zero {num_producers = 1, "
                     "num_consumers = 1} : i8, i8 -> nbarrier\nnbarrier_arrive %b\nnbarrier_wait %b\n}\n" +
                     next + "nbarrier_wait %x\n")
                .places(),
            why)
      << "other subgroups have barriers in the loop";
}

TEST(BarrierPlan, MoreThanIsAnalysed) {
  std::string first, second;
  for (int i = 0; i < 7; ++i) first += str("nbarrier_arrive %x\n", kWaitY), second += str(kWaitX, "nbarrier_arrive %y\n");
  EXPECT_EQ(
      Barriers(loops(first, second)).places(),
      "subgroup 0 arrives without waiting, and comes to barriers in nested loops, in more than 2 loops, or at more than 12 "
      "places");
}

TEST(BarrierPlan, BarriersThatAreNotAllocated) {
  EXPECT_EQ(Barriers(kWaitY).plan(2).missing, "");
  EXPECT_EQ(Barriers(kWaitY).plan(1).missing, "barrier 1 is not allocated");
}

} // namespace
} // namespace xt::test
