#include "targets/xe/soft/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <mutex>
#include <vector>

#if !defined(__x86_64__)
#error "the software Xe device switches stacks on x86-64 only"
#endif

// What a call must keep on x86-64 (System V): rbx, rbp, r12 to r15 and the stack. The floating-point modes are those of
// all fibers, so they stay.
extern "C" void xtSoftSwitchStacks(void **from, void *to);
asm(".text\n"
    ".p2align 4\n"
    ".hidden xtSoftSwitchStacks\n"
    ".globl xtSoftSwitchStacks\n"
    ".type xtSoftSwitchStacks, @function\n"
    "xtSoftSwitchStacks:\n"
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
    ".size xtSoftSwitchStacks, .-xtSoftSwitchStacks\n");

namespace xt::soft {
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

// Lives as long as the process: threads of a driver may still run while static objects are destroyed.
Pool &pool() {
  static Pool *only = new Pool;
  return *only;
}

} // namespace

FiberStack::FiberStack(size_t bytes) {
  size_t page = pageBytes();
  bytes_ = (bytes + page - 1) / page * page;
  total_ = bytes_ + page;
  void *memory =
      mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  base_ = static_cast<std::byte *>(memory);
  mprotect(base_, page, PROT_NONE);
}

FiberStack::~FiberStack() {
  if (base_) munmap(base_, total_);
}

FiberContext startContext(const FiberStack &stack, size_t colour, void (*entry)()) {
  auto top = reinterpret_cast<uintptr_t>(stack.top()) - colour % kColours * kCacheLine;
  auto *slot = reinterpret_cast<uint64_t *>(top & ~uintptr_t{15});
  // As if entry() had been called: its return address (none) leaves the stack 8 bytes off 16.
  *--slot = 0;
  *--slot = reinterpret_cast<uint64_t>(entry);
  for (int i = 0; i < 6; ++i) *--slot = 0; // the registers that a switch restores
  return {slot};
}

void switchContext(FiberContext &from, const FiberContext &to) {
  xtSoftSwitchStacks(&from.stackPointer, to.stackPointer);
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

} // namespace xt::soft
