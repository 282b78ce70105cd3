// Names that are bound before a loop or a branch and rebound in it. The op carries their values out of its regions.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

struct CarriedName {
  std::string name;
  Value *init; // the value before the loop or branch
  SourceRange range; // the name in its first rebinding
};

// The carried names that the statements of these blocks rebind, in the order of their first rebinding.
std::vector<CarriedName> carriedNames(const KernelState &state, const std::vector<const ast::Block *> &blocks);

// Appends the value that each carried name has at the end of a region to the values that the region yields. An invalid value is
// null. Returns false if an error was reported: a value is invalid, or its type is not the one that the name had before.
bool appendCarried(KernelState &state, const std::vector<CarriedName> &carried, RegionYield &yield);

// Binds the carried names after the op. Their values are the op's results from index `first` on.
void bindCarried(KernelState &state, const std::vector<CarriedName> &carried, Op &op, size_t first);

// Binds the carried names of an invalid loop or branch to null, so that their uses report nothing.
void loseCarried(KernelState &state, const std::vector<CarriedName> &carried);

// Whether `value` has the type of the value that it replaces; otherwise reports an error. Layouts may differ.
bool sameCarriedType(KernelState &state, Type type, Value *value, SourceRange range, std::string_view what,
                     SourceRange initRange);

// Ends the current region with an op that yields these values. Nullopt if they have an error: the region then yields nothing.
void emitYield(KernelState &state, const std::optional<RegionYield> &yield, SourceRange range);

} // namespace xt
