#include "targets/xe/isa/isa_report.h"

#include "ir/base/text.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace xt {
namespace {

constexpr std::string_view kSpill = "spill";

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

int64_t numberIn(std::string_view text) { // the first number, hexadecimal after 0x, otherwise decimal
  size_t digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) return 0;
  text.remove_prefix(digit);
  bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  return value;
}

// The text between the first `begin` and the next `end`, or the end of the text; nullopt if there is no `begin`.
std::optional<std::string_view> between(std::string_view text, std::string_view begin, std::string_view end) {
  size_t from = text.find(begin);
  if (from == std::string_view::npos) return std::nullopt;
  from += begin.size();
  size_t to = text.find(end, from);
  return to == std::string_view::npos ? text.substr(from) : text.substr(from, to - from);
}

struct Instruction {
  std::string name; // the name under which it is counted
  std::optional<BlockMessage> block;
};

void count(IsaCounts &counts, const Instruction &instruction) {
  ++counts.instructions;
  ++counts.mix[instruction.name];
  counts.products += instruction.name == "dpas" || instruction.name == "dpasw";
  counts.spills += instruction.name == kSpill;
  if (instruction.block) counts.blocks.push_back(*instruction.block);
}

struct Listing {
  std::vector<std::string> order; // names of basic blocks, in order
  std::map<std::string, std::vector<Instruction>> instructions;
  std::map<std::string, std::vector<std::string>> followers;
};

class Reader {
public:
  IsaReport read(std::string_view listing) {
    while (!listing.empty()) {
      size_t end = listing.find('\n');
      line(listing.substr(0, end));
      if (end == std::string_view::npos) break;
      listing.remove_prefix(end + 1);
    }
    addLoops();
    return std::move(report_);
  }

private:
  void line(std::string_view text) {
    if (text.starts_with("//.")) return header(text.substr(3));
    if (text.starts_with("// B")) return basicBlock(text.substr(3));
    spills_ =
        text.find("scratch space spill") != std::string_view::npos || text.find("scratch space fill") != std::string_view::npos;
    std::string_view code = trimmed(text.substr(0, text.find("//")));
    if (current_.empty() || code.empty() || code[0] == '/' || code.back() == ':') return;
    while (code.starts_with("(")) { // predicates and masks
      size_t end = code.find(')');
      if (end == std::string_view::npos) return;
      code = trimmed(code.substr(end + 1));
    }
    if (code.empty() || code[0] < 'a' || code[0] > 'z' || code.starts_with("illegal")) return;
    instruction(code);
  }

  void header(std::string_view text) {
    if (text.starts_with("kernel ")) report_.kernel = std::string(trimmed(text.substr(7)));
    if (text.starts_with("thread_config")) report_.registers = numberIn(text);
    if (text.starts_with("spill size")) report_.spilledBytes = numberIn(text);
  }

  // Reads the names of a basic block and of its successors: "B002: Preds:{B003, B001},  Succs:{B003, B004}".
  void basicBlock(std::string_view text) {
    size_t colon = text.find(':');
    if (colon == std::string_view::npos) return;
    current_ = std::string(text.substr(0, colon));
    listing_.order.push_back(current_);
    std::string_view next = between(text, "Succs:{", "}").value_or("");
    while (!next.empty()) {
      size_t comma = next.find(',');
      if (std::string_view name = trimmed(next.substr(0, comma)); !name.empty())
        listing_.followers[current_].emplace_back(name);
      next = comma == std::string_view::npos ? "" : next.substr(comma + 1);
    }
  }

  // Records the size of a block message if the instruction writes the last word of its payload, which encodes the size:
  // columns - 1, rows - 1 and blocks - 1, a byte each.
  void payload(std::string_view code) {
    std::optional<std::string_view> to = between(code, " r", "<1>:");
    if (!code.starts_with("mov (1|M0)") || !to || !to->ends_with(".7")) return;
    size_t value = code.find("0x");
    if (value == std::string_view::npos) return;
    int64_t bits = numberIn(code.substr(value));
    sizes_[std::string(to->substr(0, to->size() - 2))] = {(bits & 255) + 1, (bits >> 8 & 255) + 1, (bits >> 16 & 15) + 1};
  }

  void instruction(std::string_view code) {
    std::string name(code.substr(0, code.find_first_of(". (")));
    Instruction made{spills_ ? std::string(kSpill) : name, std::nullopt};
    payload(code);
    if (name == "load_block2d" || name == "store_block2d") {
      if (code.find(" null") != std::string_view::npos && name == "load_block2d") made.name = "prefetch_block2d";
      std::string source(between(code, "[r", ":").value_or("")), element(between(code, ".ugm.", ".").value_or(""));
      if (auto size = sizes_.find(source); size != sizes_.end()) made.block = {made.name, element, size->second};
    }
    report_.unknownCalls += name == "calla";
    count(report_.all, made);
    listing_.instructions[current_].push_back(std::move(made));
  }

  // A loop extends from a basic block to a later one that jumps back to it.
  void addLoops() {
    struct Span {
      size_t first, last;
    };
    std::map<std::string, size_t> places;
    for (size_t i = 0; i < listing_.order.size(); ++i) places[listing_.order[i]] = i;
    std::vector<Span> spans;
    for (size_t last = 0; last < listing_.order.size(); ++last)
      for (const std::string &next : listing_.followers[listing_.order[last]])
        if (auto first = places.find(next); first != places.end() && first->second <= last)
          spans.push_back({first->second, last});
    std::sort(spans.begin(), spans.end(),
              [](const Span &a, const Span &b) { return a.first != b.first ? a.first < b.first : a.last > b.last; });
    for (size_t i = 0; i < spans.size(); ++i) {
      // Two jumps to the same block belong to one loop, and the farther one covers all of it.
      if (i > 0 && spans[i].first == spans[i - 1].first) continue;
      IsaLoop loop;
      for (size_t at = spans[i].first; at <= spans[i].last; ++at)
        for (const Instruction &instruction : listing_.instructions[listing_.order[at]]) count(loop, instruction);
      for (const Span &other : spans)
        loop.innermost &= other.first == spans[i].first || other.first < spans[i].first || other.last > spans[i].last;
      report_.loops.push_back(std::move(loop));
    }
  }

  IsaReport report_;
  Listing listing_;
  std::string current_;
  bool spills_ = false; // whether the comment of the line marks a spill
  std::map<std::string, BlockPayload> sizes_; // by register: the size in the payload that was last written to it
};

} // namespace

IsaReport readIsa(std::string_view listing) { return Reader().read(listing); }

size_t IsaCounts::messages() const {
  size_t count = spills;
  for (const auto &[name, n] : mix)
    for (std::string_view kind : {"load", "store", "prefetch", "atomic", "send"}) count += name.starts_with(kind) ? n : 0;
  return count;
}

std::string mixText(const IsaCounts &counts) {
  std::vector<std::pair<std::string, size_t>> sorted(counts.mix.begin(), counts.mix.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto &[name, n] : sorted)
    if (name != "dpas" && name != "dpasw") parts.push_back(str(n, " ", name));
  return str(counts.products, " dpas, ", counts.others(), " others: ", join(parts, ", "));
}

std::string blocksText(const IsaCounts &counts) {
  std::map<std::string, size_t> shapes;
  for (const BlockMessage &block : counts.blocks)
    ++shapes[str(block.name, " ", block.element, " of ", block.size.rows, "x", block.size.columns,
                 block.size.blocks > 1 ? str("x", block.size.blocks) : "")];
  std::vector<std::string> parts;
  for (const auto &[shape, n] : shapes) parts.push_back(str(n, " ", shape));
  return join(parts, ", ");
}

} // namespace xt
