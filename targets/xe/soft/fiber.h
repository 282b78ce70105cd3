// Stacks of their own for work-items, switched without a system call: a subgroup meets at every message and product.
#pragma once
#include <cstddef>
#include <memory>

namespace xt::soft {

// One stack with a page below it that faults. Its pages are touched as far as they are used.
class FiberStack {
public:
  explicit FiberStack(size_t bytes); // rounded up to pages
  ~FiberStack();
  FiberStack(const FiberStack &) = delete;
  FiberStack &operator=(const FiberStack &) = delete;
  bool valid() const { return base_ != nullptr; } // false: the machine has no memory for it
  std::byte *top() const { return base_ + total_; }
  size_t bytes() const { return bytes_; }
  bool contains(const void *address) const { return address >= base_ && address < top(); }

private:
  std::byte *base_ = nullptr;
  size_t total_ = 0, bytes_ = 0;
};

// Where a fiber goes on: its registers lie on its stack. A default one is the thread that first switches away from it.
struct FiberContext {
  void *stackPointer = nullptr;
};

// A context that begins with entry(), which must not return. `colour` shifts the first frame by so many cache lines, so
// that the hot ends of many stacks do not share cache sets.
FiberContext startContext(const FiberStack &stack, size_t colour, void (*entry)());

// Leaves `from` and goes on in `to`; returns when something switches back to `from`.
void switchContext(FiberContext &from, const FiberContext &to);

// Stacks that are kept from one launch to the next, for all threads. Null: no memory.
std::unique_ptr<FiberStack> takeStack(size_t bytes);
void giveBack(std::unique_ptr<FiberStack> stack);

} // namespace xt::soft
