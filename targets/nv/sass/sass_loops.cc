#include "targets/nv/sass/sass_loops.h"

#include <algorithm>
#include <map>

namespace xt {
namespace {

constexpr size_t kNone = SIZE_MAX;

// Instructions that follow each other, of which only the last one branches and only the first one is branched to.
struct BasicBlock {
  size_t first = 0, last = 0;
  std::vector<size_t> next, before; // numbers of blocks
};

// The blocks that the first one reaches. Calls go on behind themselves.
class Flow {
public:
  explicit Flow(std::span<const SassInstruction> code) : code_(code) {
    if (code.empty()) return;
    divide();
    for (size_t b = 0; b < blocks_.size(); ++b) connect(b);
    order();
    dominate();
  }

  const std::vector<BasicBlock> &blocks() const { return blocks_; }
  bool reached(size_t block) const { return block == 0 || dominator_[block] != kNone; }
  bool dominates(size_t above, size_t block) const {
    while (block != above && block != 0) block = dominator_[block];
    return block == above;
  }

private:
  bool isInside(int64_t target) const { return target >= 0 && target < static_cast<int64_t>(code_.size()); }
  bool ends(size_t i) const {
    uint16_t operation = code_[i].operation;
    return operation == kSassBranch || operation == kSassExit || operation == kSassReturn;
  }

  void divide() {
    std::vector<bool> begins(code_.size() + 1);
    begins[0] = true;
    for (size_t i = 0; i < code_.size(); ++i) {
      if (ends(i)) begins[i + 1] = true;
      if (code_[i].operation == kSassBranch && isInside(code_[i].target)) begins[static_cast<size_t>(code_[i].target)] = true;
    }
    blockOf_.resize(code_.size());
    for (size_t i = 0; i < code_.size(); ++i) {
      if (begins[i]) blocks_.push_back({i, i, {}, {}});
      blocks_.back().last = i;
      blockOf_[i] = blocks_.size() - 1;
    }
  }

  void connect(size_t b) {
    const size_t last = blocks_[b].last;
    const SassInstruction &end = code_[last];
    auto to = [&](size_t block) {
      blocks_[b].next.push_back(block);
      blocks_[block].before.push_back(b);
    };
    if (end.operation == kSassBranch && isInside(end.target)) to(blockOf_[static_cast<size_t>(end.target)]);
    if ((!ends(last) || !end.always) && b + 1 < blocks_.size()) to(b + 1);
  }

  // Reverse postorder of a depth-first walk.
  void order() {
    std::vector<std::pair<size_t, size_t>> path{{0, 0}}; // a block, and which of its successors is next
    std::vector<bool> seen(blocks_.size());
    seen[0] = true;
    while (!path.empty()) {
      auto &[block, next] = path.back();
      if (next == blocks_[block].next.size()) {
        order_.push_back(block);
        path.pop_back();
        continue;
      }
      size_t child = blocks_[block].next[next++];
      if (!seen[child]) path.emplace_back(child, 0);
      seen[child] = true;
    }
    std::ranges::reverse(order_);
    place_.assign(blocks_.size(), kNone);
    for (size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  }

  // Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm.
  void dominate() {
    dominator_.assign(blocks_.size(), kNone);
    dominator_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t block : order_) {
        if (block == 0) continue;
        size_t common = kNone;
        for (size_t from : blocks_[block].before)
          if (dominator_[from] != kNone) common = common == kNone ? from : commonOf(common, from);
        changed |= dominator_[block] != common;
        dominator_[block] = common;
      }
    }
  }
  size_t commonOf(size_t a, size_t b) const {
    while (a != b) {
      while (place_[a] > place_[b]) a = dominator_[a];
      while (place_[b] > place_[a]) b = dominator_[b];
    }
    return a;
  }

  std::span<const SassInstruction> code_;
  std::vector<BasicBlock> blocks_;
  std::vector<size_t> blockOf_, order_, place_, dominator_;
};

// The blocks of the loops with this first block, and where they branch back.
struct Body {
  std::vector<size_t> ends;
  std::vector<bool> holds;
};

void addBody(const Flow &flow, size_t head, size_t end, Body &body) {
  body.holds.resize(flow.blocks().size());
  body.holds[head] = true;
  body.ends.push_back(end);
  std::vector<size_t> open{end};
  while (!open.empty()) {
    size_t block = open.back();
    open.pop_back();
    if (body.holds[block]) continue;
    body.holds[block] = true;
    for (size_t from : flow.blocks()[block].before)
      if (flow.reached(from)) open.push_back(from);
  }
}

size_t shortestWay(const Flow &flow, size_t head, const Body &body) {
  const std::vector<BasicBlock> &blocks = flow.blocks();
  auto size = [&](size_t block) { return blocks[block].last - blocks[block].first + 1; };
  std::vector<size_t> way(blocks.size(), kNone);
  way[head] = size(head);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t block = 0; block < blocks.size(); ++block) {
      if (way[block] == kNone) continue;
      for (size_t next : blocks[block].next) {
        if (!body.holds[next] || next == head || way[block] + size(next) >= way[next]) continue;
        way[next] = way[block] + size(next);
        changed = true;
      }
    }
  }
  size_t shortest = kNone;
  for (size_t end : body.ends) shortest = std::min(shortest, way[end]);
  return shortest;
}

} // namespace

std::vector<SassLoop> loopsOf(std::span<const SassInstruction> code) {
  std::vector<SassLoop> loops;
  Flow flow(code);
  const std::vector<BasicBlock> &blocks = flow.blocks();
  std::map<size_t, Body> bodies; // by the number of the first block
  for (size_t b = 0; b < blocks.size(); ++b)
    for (size_t head : blocks[b].next) {
      bool stops = blocks[b].first == blocks[b].last && head == b; // behind the end of a kernel
      if (flow.reached(b) && !stops && flow.dominates(head, b)) addBody(flow, head, b, bodies[head]);
    }
  for (const auto &[head, body] : bodies) {
    SassLoop loop;
    for (size_t b = 0; b < blocks.size(); ++b)
      for (size_t i = blocks[b].first; body.holds[b] && i <= blocks[b].last; ++i) loop.code.push_back(i);
    loop.first = blocks[head].first;
    loop.line = code[blocks[body.ends.back()].last].line;
    loop.shortest = shortestWay(flow, head, body);
    for (const auto &[other, inner] : bodies) loop.innermost &= other == head || !body.holds[other];
    loops.push_back(std::move(loop));
  }
  return loops;
}

} // namespace xt
