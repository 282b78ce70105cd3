// Simpler texts that may stand in the place of parts.
#pragma once
#include "lang/reduce/cuts.h"

namespace xt {

// Changes that are tried together. Each makes the text simpler, so that trying them again and again ends.
using Change = std::vector<Replacement>;

// A statement by what its blocks hold, an expression or a mapping by one that it holds.
std::vector<Change> replacementsByInside(std::string_view text, std::span<const SourcePart> parts);
// What a statement computes by a constant of the type that it states.
std::vector<Change> replacementsByConstants(std::string_view text, std::span<const SourcePart> parts);
// A value that is used by a literal: all uses at once, then each by itself.
std::vector<Change> replacementsByLiterals(std::string_view text, std::span<const SourcePart> parts);
// Integers by smaller ones, floats by 0.0: all that are written alike at once, then each by itself.
std::vector<Change> smallerNumbers(std::string_view text, std::span<const SourcePart> parts);
// Element types by f32 and i32: all that are alike at once.
std::vector<Change> simplerElements(std::string_view text, std::span<const SourcePart> parts);

} // namespace xt
