#include "targets/fibers/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#if !defined(__x86_64__)
#error "stacks are switched on x86-64 only"
#endif

// Registers that a call preserves on x86-64 (System V): rbx, rbp, r12 to r15 and the stack pointer. All fibers share
// the floating-point modes, so these are not switched.
extern "C" void xtSwitchStacks(void **from, void *to);
asm(".text\n"
    ".p2align 4\n"
    ".hidden xtSwitchStacks\n"
    ".globl xtSwitchStacks\n"
    ".type xtSwitchStacks, @function\n"
    "xtSwitchStacks:\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  ret\n"
    ".size xtSwitchStacks, .-xtSwitchStacks\n");

// Return address of the first switch to a new fiber: start() has stored the context in the slot of rbx.
extern "C" void xtBeginFiber();
extern "C" __attribute__((visibility("hidden"))) void xtEnterFiber(void *context);
asm(".text\n"
    ".p2align 4\n"
    ".hidden xtBeginFiber\n"
    ".globl xtBeginFiber\n"
    ".type xtBeginFiber, @function\n"
    "xtBeginFiber:\n"
    "  .cfi_startproc\n"
    "  .cfi_undefined rip\n" // a debugger's stack trace ends here
    "  movq %rbx, %rdi\n"
    "  call xtEnterFiber\n"
    "  ud2\n"
    "  .cfi_endproc\n"
    ".size xtBeginFiber, .-xtBeginFiber\n");

namespace xt {
namespace {

constexpr size_t kCacheLine = 64, kColours = 61, kKeptStacks = 4096;

size_t pageBytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

struct Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<FiberStack>> stacks;
};

// Lives as long as the process, because threads of a driver may still run while static objects are destroyed.
Pool &pool() {
  static Pool *only = new Pool;
  return *only;
}

} // namespace

FiberStack::FiberStack(size_t bytes) {
  size_t page = pageBytes();
  bytes_ = (bytes + page - 1) / page * page;
  total_ = bytes_ + page;
  void *memory = mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  // Fails if the process has too many mappings: the guard page is a separate mapping. A stack without a guard page is not used.
  if (mprotect(memory, page, PROT_NONE) != 0) {
    munmap(memory, total_);
    return;
  }
  base_ = static_cast<std::byte *>(memory);
}

FiberStack::~FiberStack() {
  if (!base_) return;
  forgetStack(base_, total_);
  munmap(base_, total_);
}

// Lays out the new stack as xtSwitchStacks expects it: six saved registers, then the return address.
void FiberContext::start(FiberStack &stack, size_t colour, Entry entry, void *argument) {
  constexpr int kRegisters = 6, kRbx = 4; // rbx is the fifth register that a switch restores
  stack.watched_.begin(stack.top() - stack.bytes(), stack.bytes());
  auto top = reinterpret_cast<uintptr_t>(stack.top()) - colour % kColours * kCacheLine;
  auto *slot = reinterpret_cast<uint64_t *>(top & ~uintptr_t{15});
  *--slot = 0;
  *--slot = 0; // the stack is 16-byte aligned at the call of xtEnterFiber
  *--slot = reinterpret_cast<uint64_t>(&xtBeginFiber);
  slot -= kRegisters;
  std::fill_n(slot, kRegisters, 0);
  slot[kRbx] = reinterpret_cast<uint64_t>(this);
  stackPointer_ = slot;
  entry_ = entry;
  argument_ = argument;
  stack_ = &stack;
}

void FiberContext::switchTo(FiberContext &from, FiberContext &to, bool forEver) {
  WatchedStack::leaveFor(to.stack_ ? to.stack_->watched_ : WatchedStack::ofThread(), forEver);
  xtSwitchStacks(&from.stackPointer_, to.stackPointer_);
  WatchedStack::arrive();
}

void beginFiber(FiberContext &context) {
  WatchedStack::arrive();
  context.entry_(context.argument_);
}

void switchContext(FiberContext &from, FiberContext &to) { FiberContext::switchTo(from, to, false); }

void endContext(FiberContext &from, FiberContext &to) {
  FiberContext::switchTo(from, to, true);
  __builtin_unreachable();
}

std::unique_ptr<FiberStack> takeStack(size_t bytes) {
  {
    std::lock_guard lock(pool().mutex);
    std::vector<std::unique_ptr<FiberStack>> &stacks = pool().stacks;
    for (size_t i = stacks.size(); i-- > 0;)
      if (stacks[i]->bytes() >= bytes) {
        std::swap(stacks[i], stacks.back());
        std::unique_ptr<FiberStack> found = std::move(stacks.back());
        stacks.pop_back();
        return found;
      }
  }
  auto made = std::make_unique<FiberStack>(bytes);
  return made->valid() ? std::move(made) : nullptr;
}

void giveBack(std::unique_ptr<FiberStack> stack) {
  if (!stack) return;
  std::lock_guard lock(pool().mutex);
  if (pool().stacks.size() < kKeptStacks) pool().stacks.push_back(std::move(stack));
}

} // namespace xt

void xtEnterFiber(void *context) { xt::beginFiber(*static_cast<xt::FiberContext *>(context)); }
