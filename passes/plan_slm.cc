#include "passes/plan_slm.h"

#include "ir/base/text.h"
#include "ir/builder.h"
#include "ir/gpu/slm_layout.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"

#include <algorithm>
#include <set>

namespace xt {
namespace {

// The first and last op of the kernel's outermost block that read or write a buffer. An access in a nested block counts as an
// access by the op that contains the block. Empty (from > to) if there is no access.
struct Span {
  size_t from = SIZE_MAX, to = 0;
  void add(size_t at) { from = std::min(from, at), to = std::max(to, at); }
};

struct Buffer {
  Op *alloc;
  int64_t bytes;
  Span used;
  int64_t offset = 0;
};

// Whether what is done with a buffer goes on by a value of this type. A token leads to the wait for a copy.
bool leadsOn(Type type) { return type.isWindow() || type.isMemRef() || type.is(TypeKind::Token); }

class Planner {
public:
  Planner(Kernel &kernel, Context &context) : kernel_(kernel), context_(context) {}

  // `limit` is in bytes; 0: unlimited.
  void run(int64_t limit, Diagnostics &diagnostics) {
    if (!look()) return;
    int64_t bytes = place(false);
    if (limit && bytes > limit && place(true) < bytes) {
      addBarriers();
    } else if (limit && bytes > limit) {
      place(false);
    }
    for (Buffer &buffer : buffers_) {
      AllocSlmOp(*buffer.alloc).setOffset(buffer.offset);
      for (const Buffer &other : buffers_) {
        if (&other >= &buffer || !overlap(buffer, other)) continue;
        diagnostics
            .report(DiagCode::PassRemark, buffer.alloc->range(),
                    str("this buffer of ", buffer.bytes, " bytes shares its memory with an earlier one"))
            .at(other.alloc->range(), str(other.bytes, " bytes"));
        break;
      }
    }
  }

private:
  // Finds the buffers and their uses; returns false if the kernel has no buffers.
  bool look() {
    size_t at = 0;
    for (Op &op : kernel_.body) {
      if (op.kind() == OpKind::AllocSlm) buffers_.push_back({&op, slmBytesOf(op.result()->type()), {}});
      if (op.kind() == OpKind::Barrier) barriers_.push_back(at);
      ops_.push_back(&op);
      places_[&op] = at++;
    }
    for (Buffer &buffer : buffers_) follow(buffer);
    return !buffers_.empty();
  }

  size_t placeOf(const Op *op) const {
    while (op->block() != &kernel_.body) op = op->block()->parentOp();
    return places_.at(op);
  }

  // Follows every value derived from the buffer: tiles, updated tiles, and values carried by loops and branches.
  void follow(Buffer &buffer) {
    std::vector<const Value *> values = {buffer.alloc->result()};
    std::set<const Value *> seen(values.begin(), values.end()); // for lookup only
    auto reach = [&](const Value *value) {
      if (seen.insert(value).second) values.push_back(value);
    };
    for (size_t i = 0; i < values.size(); ++i)
      for (Use use : values[i]->uses()) {
        const Op &user = *use.user;
        if (has(user.info().effects, Effect::Reads) || has(user.info().effects, Effect::Writes) ||
            user.kind() == OpKind::AsyncWait)
          buffer.used.add(placeOf(&user));
        for (size_t r = 0; r < user.resultCount(); ++r)
          if (leadsOn(user.result(r)->type())) reach(user.result(r));
        if (user.regionCount() && carriedAt(user).loops && use.operand >= carriedAt(user).operand)
          reach(user.region()->param(carriedAt(user).param + use.operand - carriedAt(user).operand));
        if (const Op *parent = user.block()->parentOp();
            user.kind() == OpKind::Yield && parent && use.operand >= carriedAt(*parent).yield) {
          size_t carried = use.operand - carriedAt(*parent).yield;
          reach(parent->result(carried));
          if (carriedAt(*parent).loops) reach(parent->region()->param(carriedAt(*parent).param + carried));
        }
      }
  }

  bool barrierBetween(size_t from, size_t to) const {
    return std::any_of(barriers_.begin(), barriers_.end(), [&](size_t at) { return from < at && at < to; });
  }

  // Whether two buffers may share memory. `withNew`: assumes that barriers are added where they help.
  bool mayShare(const Buffer &a, const Buffer &b, bool withNew) const {
    if (a.used.from > a.used.to || b.used.from > b.used.to) return true;
    const Buffer &first = a.used.from < b.used.from ? a : b, &second = &first == &a ? b : a;
    return first.used.to < second.used.from && (withNew || barrierBetween(first.used.to, second.used.from));
  }

  static bool overlap(const Buffer &a, const Buffer &b) {
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  }

  // Places the largest buffers first, each at the first free offset. Returns the total size in bytes.
  int64_t place(bool withNew) {
    std::vector<Buffer *> order;
    for (Buffer &buffer : buffers_) order.push_back(&buffer);
    std::stable_sort(order.begin(), order.end(), [](const Buffer *a, const Buffer *b) { return a->bytes > b->bytes; });
    std::vector<Buffer *> placed;
    int64_t end = 0;
    for (Buffer *buffer : order) {
      buffer->offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (const Buffer *other : placed)
          if (!mayShare(*buffer, *other, withNew) && overlap(*buffer, *other)) {
            buffer->offset = (other->offset + other->bytes + kSlmAlignment - 1) / kSlmAlignment * kSlmAlignment;
            moved = true;
          }
      }
      placed.push_back(buffer);
      end = std::max(end, buffer->offset + buffer->bytes);
    }
    return end;
  }

  // Adds a barrier before the first use of each buffer that reuses the memory of an earlier one without a barrier
  // between them.
  void addBarriers() {
    std::set<size_t> needed;
    for (const Buffer &a : buffers_)
      for (const Buffer &b : buffers_)
        if (&a != &b && a.used.from < b.used.from && overlap(a, b) && a.used.to < b.used.from &&
            !barrierBetween(a.used.to, b.used.from))
          needed.insert(b.used.from);
    for (size_t at : needed) {
      Builder build(context_, kernel_.body);
      build.setBefore(ops_[at]);
      build.setRange(ops_[at]->range());
      build.create(OpKind::Barrier, {}, {});
    }
  }

  Kernel &kernel_;
  Context &context_;
  std::vector<Buffer> buffers_;
  std::vector<Op *> ops_; // the ops of the kernel's outermost block
  std::unordered_map<const Op *, size_t> places_; // for lookup only
  std::vector<size_t> barriers_;
};

void planKernel(Kernel &kernel, Context &context, int64_t limit, Diagnostics &diagnostics) {
  // Kernels at workgroup scope are skipped: their whole tiles are not meant for shared local memory.
  if (kernel.scope == Scope::Workgroup) return;
  Planner planner(kernel, context);
  planner.run(limit, diagnostics);
}

} // namespace

Result<void> planSlm(Module &module, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels) planKernel(*kernel, module.context(), 0, diagnostics);
  return {};
}

Result<void> planSlmFor(Module &module, const TargetInfo &target, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels) planKernel(*kernel, module.context(), target.slmBytes, diagnostics);
  return {};
}

} // namespace xt
