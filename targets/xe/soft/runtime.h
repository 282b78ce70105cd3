// What compiled kernels call of this process, on a work-item's stack.
#pragma once
#include "targets/llvm/linked_object.h"

#include <span>
#include <string>

namespace xt::soft {

// Address spaces of SPIR-V's storage classes in LLVM.
inline constexpr unsigned kGlobalSpace = 1, kConstantSpace = 2, kLocalSpace = 3, kGenericSpace = 4;

inline constexpr const char *kIdsSymbol = "xtSoftIds";                     // ptr (): WorkItemIds
inline constexpr const char *kStateSymbol = "xtSoftState";                 // ptr (): CodeState
inline constexpr const char *kLocalSymbol = "xtSoftLocal";                 // ptr (): shared local memory
inline constexpr const char *kLocalArgumentSymbol = "xtSoftLocalArgument"; // ptr (i64 argument)
inline constexpr const char *kArriveSymbol =
    "xtSoftArrive"; // void (ptr Collective, i32 site, ptr arguments, ptr result)
inline constexpr const char *kAccessSymbol = "xtSoftAccess"; // void (ptr, i64 bytes, i32 AccessFlags, i32 site)
inline constexpr const char *kExchangeSymbol = "xtSoftExchange"; // void (ptr, i32 changed bits, i32 AccessFlags, i32 site)
inline constexpr const char *kPauseSymbol = "xtSoftPause";   // void ()
// Around a loop that waits for a change in shared local memory, and in each of its rounds; what it looks at.
inline constexpr const char *kEnterPollSymbol = "xtSoftEnterPoll"; // void ()
inline constexpr const char *kLeavePollSymbol = "xtSoftLeavePoll"; // void ()
inline constexpr const char *kPollSymbol = "xtSoftPoll";           // void (ptr, i64 bytes, i32 site)
inline constexpr const char *kTrapSymbol = "xtSoftTrap";     // void ()

// What an access is, in bits: its alignment's logarithm, how it accesses, the address space, and 1 + the number of the
// variable in shared local memory that it must lie in (0: any, or other memory).
struct AccessFlags {
  static constexpr unsigned kHowShift = 8, kSpaceShift = 12, kVariableShift = 16;
  enum How : unsigned { kLoad = 0, kStore = 1, kAtomic = 2 };
  static constexpr unsigned make(unsigned alignmentLog, How how, unsigned space) {
    return alignmentLog | how << kHowShift | space << kSpaceShift;
  }
};

// All of them, with the functions of the C library that code calls.
std::span<const ExternalSymbol> runtimeSymbols();

} // namespace xt::soft
