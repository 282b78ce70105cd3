// Proposes simpler texts as replacements for parts of a text.
#pragma once
#include "lang/reduce/cuts.h"

namespace xt {

// Replacements that are tried together. Each one makes the text simpler, so repeated application terminates.
using Change = std::vector<Replacement>;

// Replaces a statement by the contents of one of its blocks, and an expression or mapping by a nested one.
std::vector<Change> replacementsByInside(std::string_view text, std::span<const SourcePart> parts);
// Replaces the op of a statement by a constant of the last type in the op's signature.
std::vector<Change> replacementsByConstants(std::string_view text, std::span<const SourcePart> parts);
// Replaces the uses of a value or parameter by a literal: all uses at once, then each use alone.
std::vector<Change> replacementsByLiterals(std::string_view text, std::span<const SourcePart> parts);
// Replaces integers by smaller ones, and floats by 0.0 or 1: all numbers with the same spelling at once, then each alone.
std::vector<Change> smallerNumbers(std::string_view text, std::span<const SourcePart> parts);
// Replaces element types by f32 or i32: all occurrences of one type at once.
std::vector<Change> simplerElements(std::string_view text, std::span<const SourcePart> parts);

} // namespace xt
