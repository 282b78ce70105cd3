#include "targets/soft/runtime.h"

#include "ir/base/text.h"
#include "targets/soft/math_functions.h"
#include "targets/soft/workgroup.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

// Functions of the compiler's run-time library; only their addresses are used.
extern "C" {
void __truncsfhf2();
void __truncdfhf2();
void __extendhfsf2();
}

namespace xt::soft {
namespace {

const WorkItemIds *softIds() { return &Workgroup::running()->current().ids; }
CodeState *softState() { return &Workgroup::running()->codeState(); }
std::byte *softLocal() { return Workgroup::running()->memory().local(); }
std::byte *softLocalArgument(int64_t argument) {
  return Workgroup::running()->memory().localArgument(static_cast<size_t>(argument));
}

void softArrive(const Collective *collective, int32_t site, void *const *arguments, void *result) {
  Workgroup::running()->arrive(*collective, site, {arguments, result});
}

void softPause() { Workgroup::running()->pause(); }

void softEnterPoll() { Workgroup::running()->enterPoll(); }
void softLeavePoll() { Workgroup::running()->leavePoll(); }
void softPoll(const void *address, uint64_t bytes, int32_t site) { Workgroup::running()->poll(address, bytes, site); }

void softTrap() { Workgroup::running()->failHere("the kernel trapped", -1); }

const char *verb(unsigned how) {
  return how == AccessFlags::kLoad ? "load" : how == AccessFlags::kStore ? "store" : "atomic access";
}

[[noreturn]] void badAccess(Workgroup &group, uint64_t address, uint64_t bytes, unsigned how, unsigned space, int32_t site) {
  std::string text = str(verb(how), " of ", bytes, " bytes at 0x", std::hex, address, std::dec);
  if (space == kLocalSpace || group.memory().inLocal(address)) {
    text += " is out of bounds of every variable in shared local memory";
  } else {
    const MemoryMap &map = *group.launch().memory;
    uint64_t wrong = isReachable(map, address) ? address + bytes - 1 : address;
    text += str(" is out of bounds of every allocation: ",
                isReachable(map, wrong) ? "it spans several allocations" : whereIs(map, wrong));
  }
  group.failHere(std::move(text), site);
}

// Builds the report in a separate function, because no object that owns memory may be alive when failHere() abandons the
// stack.
std::string leavesVariableText(Workgroup &group, uint64_t address, uint64_t bytes, unsigned how, size_t number) {
  const LocalVariable &variable = group.launch().locals[number];
  uint64_t begin = reinterpret_cast<uint64_t>(group.memory().local()) + variable.offset, end = begin + variable.bytes;
  std::string where = address < begin ? str("begins ", begin - address, " bytes before")
                                      : str("reaches ", address + bytes - end, " bytes beyond the end of");
  return str(verb(how), " of ", bytes, " bytes ", where, " `", variable.name, "`, a variable of ", variable.bytes,
             " bytes in shared local memory");
}

// The accessible memory around these bytes; empty if the kernel may not access them.
std::span<const std::byte> reachable(Workgroup &group, uint64_t address, uint64_t bytes, unsigned space) {
  auto whole = [](uint64_t begin, uint64_t size) { return std::span(reinterpret_cast<const std::byte *>(begin), size); };
  if (space != kLocalSpace)
    if (const Allocation *found = group.memory().allocationOf(address, bytes)) return whole(found->buffer, found->bufferBytes);
  if (space != kGlobalSpace)
    if (const LocalVariable *found = group.memory().localVariable(address, bytes))
      return whole(reinterpret_cast<uint64_t>(group.memory().local()) + found->offset, found->bytes);
  bool other = (space != kLocalSpace && group.launch().inProgram(address)) ||
               (space == kGenericSpace && group.current().stack->contains(reinterpret_cast<const void *>(address)));
  return other ? whole(address, bytes) : std::span<const std::byte>();
}

// Whether an exchange of a 32-bit word is valid although some bytes of the word are inaccessible: others must be accessible,
// and the inaccessible ones must not change. Elements of 8 and 16 bits at the start or end of a buffer are updated in this way
// (kernel_abi.h). Returns false if all bytes of the word are accessible.
bool leavesOthersAlone(Workgroup &group, uint64_t address, uint32_t changed, uint32_t flags) {
  constexpr uint64_t kWord = 4;
  if (address % kWord) return false;
  unsigned space = flags >> AccessFlags::kSpaceShift & 0xf;
  size_t variable = flags >> AccessFlags::kVariableShift;
  uint32_t own = 0;
  for (uint64_t byte = 0; byte < kWord; ++byte) {
    const LocalVariable *local = variable ? group.memory().localVariable(address + byte, 1) : nullptr;
    bool inside =
        variable ? local == &group.launch().locals[variable - 1] : !reachable(group, address + byte, 1, space).empty();
    if (inside) own |= uint32_t{0xff} << (8 * byte);
  }
  return own && ~own && !(changed & ~own);
}

// Checks an access that has failed the inline check (lower_accesses.cc), and updates the slot of its site.
void softAccess(const void *pointer, uint64_t bytes, uint32_t flags, int32_t site) {
  Workgroup &group = *Workgroup::running();
  auto address = reinterpret_cast<uint64_t>(pointer);
  unsigned space = flags >> AccessFlags::kSpaceShift & 0xf, how = flags >> AccessFlags::kHowShift & 0xf;
  uint64_t alignment = uint64_t{1} << (flags & 0xff);
  if (address & (alignment - 1))
    group.failHere(
        str(verb(how), " of ", bytes, " bytes at 0x", std::hex, address, std::dec, " is not aligned to ", alignment, " bytes"),
        site);
  if (!bytes) return;
  if (size_t variable = flags >> AccessFlags::kVariableShift)
    group.failHere(leavesVariableText(group, address, bytes, how, variable - 1), site);
  std::span<const std::byte> found = reachable(group, address, bytes, space);
  if (found.empty()) badAccess(group, address, bytes, how, space, site);
  auto &slot = group.codeState().slots[static_cast<size_t>(site) % CodeState::kSlots];
  slot.begin = reinterpret_cast<uint64_t>(found.data());
  slot.bytes = found.size();
}

void softExchange(const void *pointer, uint32_t changed, uint32_t flags, int32_t site) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  if (!leavesOthersAlone(*Workgroup::running(), address, changed, flags)) softAccess(pointer, 4, flags, site);
}

void watch(const void *pointer, size_t first, size_t bytes, uint32_t flags, size_t piece, int32_t site) {
  auto is = [&](uint32_t flag) { return (flags & flag) != 0; };
  WatchedAccess access{.local = is(WatchFlags::kLocal),
                       .place = first,
                       .bytes = bytes,
                       .site = site,
                       .writes = is(WatchFlags::kWrites),
                       .atomic = is(WatchFlags::kAtomic),
                       .piece = piece};
  AtomicEffects effects{is(WatchFlags::kReads), is(WatchFlags::kWrites), is(WatchFlags::kAcquires), is(WatchFlags::kReleases)};
  Workgroup::running()->watch(pointer, access, effects);
}

void softWatch(const void *pointer, uint64_t bytes, uint32_t flags, uint32_t piece, int32_t site) {
  watch(pointer, 0, bytes, flags, piece, site);
}

void softWatchExchange(const void *pointer, uint32_t changed, uint32_t flags, int32_t site) {
  size_t first = changed ? static_cast<size_t>(std::countr_zero(changed)) / 8 : 0;
  size_t end = (static_cast<size_t>(std::bit_width(changed)) + 7) / 8;
  watch(pointer, first, end - first, flags, 0, site);
}

void softFence() { Workgroup::running()->fence(); }
bool softKeeps(uint32_t orderingCall) { return Workgroup::running()->keeps(orderingCall); }

void softCopy(std::byte *to, const std::byte *from, uint32_t bytes, uint32_t present, int32_t site) {
  Workgroup &group = *Workgroup::running();
  auto aligned = [&](const void *pointer) { return reinterpret_cast<uint64_t>(pointer) % bytes == 0; };
  if (!aligned(to) || !aligned(from))
    group.failHere(str("a copy of ", bytes, " bytes between addresses that are not multiples of ", bytes), site);
  if (present > bytes) group.failHere(str("a copy of ", bytes, " bytes, of which ", present, " come from memory"), site);
  if (!group.memory().localVariable(reinterpret_cast<uint64_t>(to), bytes))
    badAccess(group, reinterpret_cast<uint64_t>(to), bytes, AccessFlags::kStore, kLocalSpace, site);
  auto source = reinterpret_cast<uint64_t>(from);
  if (present && reachable(group, source, present, kGlobalSpace).empty())
    badAccess(group, source, present, AccessFlags::kLoad, kGlobalSpace, site);
  group.beginCopy({to, from, bytes, present, site});
}

void softCommitCopies(int32_t) { Workgroup::running()->commitCopies(); }
void softWaitForCopies(uint32_t later, int32_t) { Workgroup::running()->waitForCopies(later); }

template <class R, class... Args> void *addressOf(R (*function)(Args...)) { return reinterpret_cast<void *>(function); }

std::vector<ExternalSymbol> allSymbols() {
  std::vector<ExternalSymbol> symbols = {
      {kIdsSymbol, addressOf(softIds)},
      {kStateSymbol, addressOf(softState)},
      {kLocalSymbol, addressOf(softLocal)},
      {kLocalArgumentSymbol, addressOf(softLocalArgument)},
      {kArriveSymbol, addressOf(softArrive)},
      {kAccessSymbol, addressOf(softAccess)},
      {kExchangeSymbol, addressOf(softExchange)},
      {kPauseSymbol, addressOf(softPause)},
      {kEnterPollSymbol, addressOf(softEnterPoll)},
      {kLeavePollSymbol, addressOf(softLeavePoll)},
      {kPollSymbol, addressOf(softPoll)},
      {kTrapSymbol, addressOf(softTrap)},
      {kWatchSymbol, addressOf(softWatch)},
      {kWatchExchangeSymbol, addressOf(softWatchExchange)},
      {kFenceSymbol, addressOf(softFence)},
      {kKeepsSymbol, addressOf(softKeeps)},
      {kCopySymbol, addressOf(softCopy)},
      {kCommitCopiesSymbol, addressOf(softCommitCopies)},
      {kWaitForCopiesSymbol, addressOf(softWaitForCopies)},
      {"memcpy", addressOf<void *, void *, const void *, size_t>(&::memcpy)},
      {"memmove", addressOf<void *, void *, const void *, size_t>(&::memmove)},
      {"memset", addressOf<void *, void *, int, size_t>(&::memset)},
      {"__truncsfhf2", addressOf(&__truncsfhf2)},
      {"__truncdfhf2", addressOf(&__truncdfhf2)},
      {"__extendhfsf2", addressOf(&__extendhfsf2)},
      {"fma", addressOf<double, double, double, double>(&::fma)},
      {"fmaf", addressOf<float, float, float, float>(&::fmaf)},
  };
  // Functions that LLVM calls for intrinsics and remainders without a processor instruction.
#define XT_MATH1(name)                                                                                                         \
  symbols.push_back({#name, addressOf<double, double>(&::name)});                                                              \
  symbols.push_back({#name "f", addressOf<float, float>(&::name##f)})
#define XT_MATH2(name)                                                                                                         \
  symbols.push_back({#name, addressOf<double, double, double>(&::name)});                                                      \
  symbols.push_back({#name "f", addressOf<float, float, float>(&::name##f)})
  XT_MATH1(floor);
  XT_MATH1(ceil);
  XT_MATH1(trunc);
  XT_MATH1(rint);
  XT_MATH1(roundeven);
  XT_MATH1(round);
  XT_MATH1(sqrt);
  XT_MATH1(exp);
  XT_MATH1(exp2);
  XT_MATH1(log);
  XT_MATH1(log2);
  XT_MATH1(log10);
  XT_MATH1(sin);
  XT_MATH1(cos);
  XT_MATH2(pow);
  XT_MATH2(fmod);
  XT_MATH2(fmin);
  XT_MATH2(fmax);
#undef XT_MATH1
#undef XT_MATH2
  for (const MathFunction &function : mathFunctions()) {
    symbols.push_back({mathSymbol(function, false), function.single});
    symbols.push_back({mathSymbol(function, true), function.twice});
  }
  return symbols;
}

} // namespace

std::span<const ExternalSymbol> runtimeSymbols() {
  static const std::vector<ExternalSymbol> *symbols = new std::vector<ExternalSymbol>(allSymbols());
  return *symbols;
}

} // namespace xt::soft
