// The pipelines: fixed sequences of passes. A static_assert checks that each pass finds the forms it needs.
#pragma once
#include "passes/passes.h"

#include <algorithm>
#include <array>

namespace xt {

// Run by `xtc` and the language server on every file, because layouts that do not agree are mistakes of the user.
inline constexpr std::array kFrontPipeline = {PassKind::InferLayouts};

// From checked source to the module that the targets start from.
inline constexpr std::array kTilePipeline = {PassKind::InferLayouts, PassKind::WidenReductions, PassKind::Canonicalize,
                                             PassKind::Cse,          PassKind::HoistInvariants, PassKind::Canonicalize,
                                             PassKind::DeadCode};

// For the CPU target.
inline constexpr std::array kProcessorPipeline = {
    PassKind::InferLayouts, PassKind::ExpandAsyncCopies, PassKind::WidenReductions,
    PassKind::XegpuToTiles, PassKind::Canonicalize,      PassKind::Cse,
    PassKind::DeadCode,     PassKind::FormNests,         PassKind::DeadCode};

// For GPUs, down to their messages and products (`xtc --target=xe-pvc`).
inline constexpr std::array kBlockPipeline = {PassKind::InferLayouts,
                                              PassKind::ExpandAsyncCopies,
                                              PassKind::WidenReductions,
                                              PassKind::Canonicalize,
                                              PassKind::Cse,
                                              PassKind::HoistInvariants,
                                              PassKind::Canonicalize,
                                              PassKind::DeadCode,
                                              PassKind::DistributeToSubgroups,
                                              PassKind::ExpandScans,
                                              PassKind::Canonicalize,
                                              PassKind::Cse,
                                              PassKind::HoistInvariants,
                                              PassKind::DeadCode,
                                              PassKind::PlanSlm,
                                              PassKind::BlockTiles,
                                              PassKind::Canonicalize,
                                              PassKind::Cse,
                                              PassKind::HoistInvariants,
                                              PassKind::DeadCode};

// The passes without one of them.
template <size_t n> constexpr std::array<PassKind, n - 1> without(const std::array<PassKind, n> &all, PassKind one) {
  std::array<PassKind, n - 1> others{};
  std::ranges::copy_if(all, others.begin(), [one](PassKind kind) { return kind != one; });
  return others;
}

// The passes with another one before one of them.
template <size_t n>
constexpr std::array<PassKind, n + 1> before(const std::array<PassKind, n> &all, PassKind one, PassKind added) {
  std::array<PassKind, n + 1> more{};
  auto at = std::ranges::find(all, one);
  *std::copy(all.begin(), at, more.begin()) = added;
  std::copy(at, all.end(), more.begin() + (at - all.begin()) + 1);
  return more;
}

template <size_t n, size_t m>
constexpr std::array<PassKind, n + m> followedBy(const std::array<PassKind, n> &first, const std::array<PassKind, m> &second) {
  std::array<PassKind, n + m> all{};
  std::ranges::copy(second, std::ranges::copy(first, all.begin()).out);
  return all;
}

// For GPUs, down to the ops of each lane, for code generation.
inline constexpr std::array kLanePipeline =
    followedBy(kBlockPipeline, std::array{PassKind::DistributeToLanes, PassKind::Canonicalize, PassKind::Cse,
                                          PassKind::HoistInvariants, PassKind::DeadCode, PassKind::SinkToUses});

// Both for GPUs that copy asynchronously.
inline constexpr std::array kAsyncBlockPipeline =
    before(without(kBlockPipeline, PassKind::ExpandAsyncCopies), PassKind::DistributeToSubgroups, PassKind::StageProducts);
inline constexpr std::array kAsyncLanePipeline =
    before(without(kLanePipeline, PassKind::ExpandAsyncCopies), PassKind::DistributeToSubgroups, PassKind::StageProducts);

// Whether every pass finds the forms it needs if no form holds at the start.
constexpr bool needsAreMet(std::span<const PassKind> pipeline) {
  std::array<bool, kFormCount> has{};
  for (PassKind kind : pipeline) {
    const PassInfo &pass = passInfo(kind);
    for (Form form : pass.needs)
      if (!has[static_cast<size_t>(form)]) return false;
    for (Form form : pass.drops) has[static_cast<size_t>(form)] = false;
    for (Form form : pass.gives) has[static_cast<size_t>(form)] = true;
  }
  return true;
}
static_assert(needsAreMet(kFrontPipeline));
static_assert(needsAreMet(kTilePipeline));
static_assert(needsAreMet(kProcessorPipeline));
static_assert(needsAreMet(kBlockPipeline));
static_assert(needsAreMet(kLanePipeline));
static_assert(needsAreMet(kAsyncBlockPipeline));
static_assert(needsAreMet(kAsyncLanePipeline));

// A pipeline in which each pass finds the forms it needs, which the constructor checks at compile time.
class Pipeline {
public:
  template <size_t n> consteval Pipeline(const std::array<PassKind, n> &passes) : passes_(passes) {
    if (!needsAreMet(passes)) aPassLacksAForm();
  }
  constexpr operator std::span<const PassKind>() const { return passes_; }
  bool operator==(const Pipeline &other) const { return std::ranges::equal(passes_, other.passes_); }

private:
  static void aPassLacksAForm(); // not constexpr, so that calling it in the consteval constructor is a compile error
  std::span<const PassKind> passes_;
};

inline std::vector<std::string_view> passNames(std::span<const PassKind> pipeline) {
  std::vector<std::string_view> names;
  for (PassKind kind : pipeline) names.push_back(passInfo(kind).name);
  return names;
}

// The passes of a pipeline, for runPasses.
inline std::vector<const PassInfo *> passesOf(std::span<const PassKind> pipeline) {
  std::vector<const PassInfo *> passes;
  for (PassKind kind : pipeline) passes.push_back(&passInfo(kind));
  return passes;
}

} // namespace xt
