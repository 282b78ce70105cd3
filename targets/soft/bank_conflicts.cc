#include "targets/soft/bank_conflicts.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt::soft {
namespace {

constexpr uint64_t kBanks = 32, kWordBytes = 4, kStepBytes = kBanks * kWordBytes;

// How many steps are needed beyond the first for pieces of one step, given by the addresses where they begin.
uint64_t stepsAgain(std::span<const uint64_t> addresses, uint64_t piece) {
  std::array<std::vector<uint64_t>, kBanks> words; // the different words that are wanted of each bank
  size_t most = 1;
  for (uint64_t address : addresses)
    for (uint64_t word = address / kWordBytes; word <= (address + piece - 1) / kWordBytes; ++word) {
      std::vector<uint64_t> &bank = words[word % kBanks];
      if (std::ranges::find(bank, word) == bank.end()) bank.push_back(word);
      most = std::max(most, bank.size());
    }
  return most - 1;
}

std::string_view whatText(BankConflicts::What what, bool one) {
  switch (what) {
  case BankConflicts::What::Load: return one ? "load" : "loads";
  case BankConflicts::What::Store: return one ? "store" : "stores";
  case BankConflicts::What::Matrix: return "ldmatrix";
  }
  return "";
}

} // namespace

void BankConflicts::add(const std::map<Key, Count> &counts) {
  std::lock_guard lock(mutex_);
  for (const auto &[key, count] : counts) {
    Count &sum = counts_[key];
    sum.accesses += count.accesses;
    sum.again += count.again;
  }
}

std::string BankConflicts::text(const std::vector<Site> &sites) const {
  std::map<std::pair<std::string, What>, Count> places; // an access in the source may be several in the code
  uint64_t all = 0;
  for (const auto &[key, count] : counts_) {
    if (!count.again) continue;
    Count &sum = places[{sites[static_cast<size_t>(key.first)].place, key.second}];
    sum.accesses += count.accesses;
    sum.again += count.again;
    all += count.again;
  }
  if (!all) return "";
  std::vector<std::pair<std::pair<std::string, What>, Count>> ordered(places.begin(), places.end());
  std::ranges::stable_sort(ordered, std::ranges::greater(), [](const auto &place) { return place.second.again; });
  constexpr size_t kMostPlaces = 3;
  std::vector<std::string> texts;
  for (const auto &[place, count] : std::span(ordered).first(std::min(kMostPlaces, ordered.size())))
    texts.push_back(str(count.again, " by ", count.accesses, " ", whatText(place.second, count.accesses == 1), place.first));
  return str("banks of shared memory were accessed ", all, all == 1 ? " time" : " times",
             " more than without conflicts: ", join(texts, ", "), ordered.size() > kMostPlaces ? " …" : "");
}

void BankWatch::access(size_t item, uint64_t offset, uint64_t bytes, uint64_t piece, bool writes, int32_t site) {
  size_t lane = item % launch_.subgroupSize;
  if (!piece || lane >= kLanes) return;
  BankConflicts::Key key{site, writes ? BankConflicts::What::Store : BankConflicts::What::Load};
  Place &place = subgroups_[launch_.subgroupOf(item)][key];
  place.bytes = bytes;
  place.piece = piece;
  uint64_t executed = place.executed[lane]++;
  if (executed < place.counted) return; // the others are far ahead
  uint64_t number = executed - place.counted;
  if (number >= place.begun.size()) place.begun.resize(number + 1);
  place.begun[number].offsets[lane] = offset;
  place.begun[number].lanes |= uint32_t{1} << lane;
  while (!place.begun.empty() && (place.begun.front().lanes == ~uint32_t{0} || place.begun.size() > kMostBegun)) {
    count(key, place, place.begun.front());
    place.begun.pop_front();
    ++place.counted;
  }
}

void BankWatch::count(BankConflicts::Key key, const Place &place, const Instruction &instruction) {
  BankConflicts::Count &sum = counts_[key];
  size_t atOnce = std::min<size_t>(kLanes, kStepBytes / place.piece);
  for (uint64_t begin = 0; begin < place.bytes; begin += place.piece) {
    ++sum.accesses;
    for (size_t first = 0; first < kLanes; first += atOnce) {
      std::vector<uint64_t> addresses;
      for (size_t lane = first; lane < first + atOnce; ++lane)
        if (instruction.lanes >> lane & 1) addresses.push_back(instruction.offsets[lane] + begin);
      sum.again += stepsAgain(addresses, place.piece);
    }
  }
}

void BankWatch::matrixRows(std::span<const std::byte *const> rows, int32_t site) {
  constexpr size_t kRowsAtOnce = 8, kRowBytes = 16;
  BankConflicts::Count &sum = counts_[{site, BankConflicts::What::Matrix}];
  ++sum.accesses;
  for (size_t first = 0; first < rows.size(); first += kRowsAtOnce) {
    std::vector<uint64_t> addresses;
    for (const std::byte *row : rows.subspan(first, std::min(kRowsAtOnce, rows.size() - first)))
      addresses.push_back(reinterpret_cast<uint64_t>(row));
    sum.again += stepsAgain(addresses, kRowBytes);
  }
}

void BankWatch::meet(size_t first, size_t items) {
  size_t lanes = launch_.subgroupSize;
  for (size_t s = first / lanes; s < std::min((first + items + lanes - 1) / lanes, subgroups_.size()); ++s) {
    for (const auto &[key, place] : subgroups_[s])
      for (const Instruction &each : place.begun) count(key, place, each);
    subgroups_[s].clear();
  }
}

void BankWatch::finish() {
  meet(0, launch_.items());
  if (launch_.bankConflicts) launch_.bankConflicts->add(counts_);
  counts_.clear();
}

} // namespace xt::soft
