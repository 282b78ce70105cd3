// libFuzzer's mutator for SPIR-V: cuts, repeats and swaps whole instructions, and changes words within one; sometimes changes
// bytes.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

using Words = std::vector<uint32_t>;
constexpr size_t kHeaderWords = 5;

std::vector<Words> instructions(const Words &words) {
  std::vector<Words> all;
  for (size_t at = kHeaderWords; at < words.size();) {
    size_t length = words[at] >> 16;
    if (!length || length > words.size() - at) length = words.size() - at;
    all.emplace_back(words.begin() + static_cast<std::ptrdiff_t>(at), words.begin() + static_cast<std::ptrdiff_t>(at + length));
    at += length;
  }
  return all;
}

void change(std::vector<Words> &all, std::mt19937 &random) {
  auto pick = [&](size_t n) { return random() % n; };
  size_t at = pick(all.size()), other = pick(all.size());
  Words &op = all[at];
  switch (pick(7)) {
  case 0: all.erase(all.begin() + static_cast<std::ptrdiff_t>(at)); return;
  case 1: all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), Words(all[other])); return;
  case 2: std::swap(all[at], all[other]); return;
  case 3: op[pick(op.size())] ^= uint32_t{1} << pick(32); return;
  case 4: op[pick(op.size())] = all[other][pick(all[other].size())]; return;
  case 5: op.push_back(static_cast<uint32_t>(pick(64))); break;
  default: op.resize(1 + pick(op.size())); break;
  }
  op[0] = static_cast<uint32_t>(op.size()) << 16 | (op[0] & 0xffff); // the instruction's length field must equal its length
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  constexpr unsigned kBytesOneIn = 5;
  Words words(size / 4);
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * 4);
  std::vector<Words> all = instructions(words);
  if (seed % kBytesOneIn == 0 || all.empty()) return LLVMFuzzerMutate(data, size, maxSize);
  std::mt19937 random(seed);
  for (size_t changes = 1 + random() % 3; changes > 0 && !all.empty(); --changes) change(all, random);
  Words made(words.begin(), words.begin() + kHeaderWords);
  for (const Words &op : all) made.insert(made.end(), op.begin(), op.end());
  if (made.size() * 4 > maxSize) return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, made.data(), made.size() * 4);
  return made.size() * 4;
}
