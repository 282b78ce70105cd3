#include "targets/soft/group_memory.h"

#include <cstring>
#include <new>

namespace xt::soft {
namespace {
constexpr std::align_val_t kLocalAlignment{4096};
constexpr int kLocalPattern = 0xff; // initial content of variables: NaN, -1
} // namespace

void GroupMemory::Free::operator()(std::byte *memory) const { ::operator delete(memory, kLocalAlignment); }

GroupMemory::GroupMemory(const Launch &launch) : launch_(launch) {
  if (launch.localBytes) local_.reset(static_cast<std::byte *>(::operator new(launch.localBytes, kLocalAlignment)));
}

void GroupMemory::reset() {
  if (local_) std::memset(local_.get(), kLocalPattern, launch_.localBytes);
}

std::byte *GroupMemory::localArgument(size_t argument) const {
  size_t variable = launch_.localArguments[argument];
  return variable ? local_.get() + launch_.locals[variable - 1].offset : nullptr;
}

bool GroupMemory::inLocal(uint64_t address) const {
  auto base = reinterpret_cast<uint64_t>(local_.get());
  return local_ && address >= base && address - base < launch_.localBytes;
}

const LocalVariable *GroupMemory::localVariable(uint64_t address, uint64_t bytes) const {
  if (!inLocal(address)) return nullptr;
  uint64_t offset = address - reinterpret_cast<uint64_t>(local_.get());
  for (const LocalVariable &each : launch_.locals)
    if (offset >= each.offset && bytes <= each.bytes && offset - each.offset <= each.bytes - bytes) return &each;
  return nullptr;
}

const Allocation *GroupMemory::allocationOf(uint64_t address, uint64_t bytes) {
  for (const Allocation &last : lastAllocations_)
    if (last.reaches(address, bytes)) return &last;
  const Allocation *found = findAllocation(*launch_.memory, address);
  if (!found || !found->reaches(address, bytes)) return nullptr;
  lastAllocations_[1] = lastAllocations_[0];
  lastAllocations_[0] = *found;
  return &lastAllocations_[0];
}

} // namespace xt::soft
