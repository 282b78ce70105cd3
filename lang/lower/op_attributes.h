// The attributes of an op: kinds, literals, and attributes in braces.
#pragma once
#include "lang/lower/op_draft.h"

namespace xt {

// These functions return false if an error was reported.

// Takes all attributes of a clause except the value of a constant; runs after its operands are lowered.
bool gatherAttributes(KernelState &state, const ast::OpClause &clause, OpDraft &draft);
// Takes `key = value` or a flag.
bool takeNamedAttribute(KernelState &state, const ast::Attr::Entry &entry, OpDraft &draft);
// Takes the value of a constant; runs after the result type is known.
bool takeLiteral(KernelState &state, const ast::Attr &literal, OpDraft &draft);

// The words that an attribute of kind Kind or Word allows; AttrSpec::doc lists them, separated by blanks.
std::vector<std::string_view> kindWords(const AttrSpec &spec);

// Reports that an op has no attribute of this name. `group`: the attribute group that contains the entry, null if there is none.
void reportUnknownAttribute(KernelState &state, const OpInfo &op, const ast::Attr::Entry &entry, const ast::Attr *group);
// Reports that an attribute of the op is missing.
void reportMissing(KernelState &state, const OpDraft &draft, std::string_view name);

} // namespace xt
