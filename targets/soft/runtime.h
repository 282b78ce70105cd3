// The functions of this process that compiled kernels call, on a work-item's stack.
#pragma once
#include "targets/llvm/linked_object.h"

#include <span>
#include <string>

namespace xt::soft {

// LLVM's address spaces for SPIR-V's storage classes.
inline constexpr unsigned kGlobalSpace = 1, kConstantSpace = 2, kLocalSpace = 3, kGenericSpace = 4;

inline constexpr const char *kIdsSymbol = "xtSoftIds";                     // ptr (): WorkItemIds
inline constexpr const char *kStateSymbol = "xtSoftState";                 // ptr (): CodeState
inline constexpr const char *kLocalSymbol = "xtSoftLocal";                 // ptr (): shared local memory
inline constexpr const char *kLocalArgumentSymbol = "xtSoftLocalArgument"; // ptr (i64 argument)
inline constexpr const char *kArriveSymbol = "xtSoftArrive"; // void (ptr Collective, i32 site, ptr arguments, ptr result)
inline constexpr const char *kAccessSymbol = "xtSoftAccess"; // void (ptr, i64 bytes, i32 AccessFlags, i32 site)
inline constexpr const char *kExchangeSymbol = "xtSoftExchange"; // void (ptr, i32 changed bits, i32 AccessFlags, i32 site)
inline constexpr const char *kPauseSymbol = "xtSoftPause";   // void ()
// Called before and after a loop that waits for a change in shared local memory, and in each iteration with the polled
// address.
inline constexpr const char *kEnterPollSymbol = "xtSoftEnterPoll"; // void ()
inline constexpr const char *kLeavePollSymbol = "xtSoftLeavePoll"; // void ()
inline constexpr const char *kPollSymbol = "xtSoftPoll";           // void (ptr, i64 bytes, i32 site)
inline constexpr const char *kTrapSymbol = "xtSoftTrap";     // void ()

inline constexpr const char *kWatchSymbol =
    "xtSoftWatch"; // void (ptr, i64 bytes, i32 WatchFlags, i32 bytes of an instruction, i32 site)
// Of an exchange of a word, of which only the bytes that change count.
inline constexpr const char *kWatchExchangeSymbol =
    "xtSoftWatchExchange"; // void (ptr, i32 changed bits, i32 WatchFlags, i32 site)
inline constexpr const char *kFenceSymbol = "xtSoftFence"; // void ()
inline constexpr const char *kKeepsSymbol = "xtSoftKeeps"; // i1 (i32 number of a barrier, wait or fence)
inline constexpr const char *kCopySymbol = "xtSoftCopy"; // void (ptr to, ptr from, i32 bytes, i32 present, i32 site)
inline constexpr const char *kCommitCopiesSymbol = "xtSoftCommitCopies"; // void (i32 site)
inline constexpr const char *kWaitForCopiesSymbol = "xtSoftWaitForCopies"; // void (i32 later groups, i32 site)

// Flags of an access, as bits: log2 of its alignment, its kind, the address space, and, if the access must be within one
// variable in shared local memory, 1 + the number of that variable (else 0).
struct AccessFlags {
  static constexpr unsigned kHowShift = 8, kSpaceShift = 12, kVariableShift = 16;
  enum How : unsigned { kLoad = 0, kStore = 1, kAtomic = 2 };
  static constexpr unsigned make(unsigned alignmentLog, How how, unsigned space) {
    return alignmentLog | how << kHowShift | space << kSpaceShift;
  }
};

// What a watched access does, as bits.
struct WatchFlags {
  static constexpr uint32_t kReads = 1, kWrites = 2, kAtomic = 4, kAcquires = 8, kReleases = 16, kLocal = 32;
};

// All functions above, and the functions of the C library that compiled code calls.
std::span<const ExternalSymbol> runtimeSymbols();

} // namespace xt::soft
