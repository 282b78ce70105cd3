// Internal to ir/infer: the type rules by family, and shared helpers.
#pragma once
#include "ir/infer/type_rules.h"

#include <string>
#include <vector>

namespace xt::rules {

using Results = std::vector<Type>;

std::string opName(const TypeRuleInput &in); // "`load_tile`"
const Attr *findAttr(const TypeRuleInput &in, std::string_view name);
// Returns the result type: the written type if it agrees with the derived one, or the derived type if none is written or if
// the written one leaves something open. Returns null after reporting an error if they disagree.
Type agree(const TypeRuleInput &in, Type derived);
// Appends the type that agree() returns; false if that is null.
bool push(const TypeRuleInput &in, Results &results, Type derived);
// Returns the type without its layout, for a derived result type: the layout stays open until it is written or inferred.
Type openLayout(const TypeRuleInput &in, Type type);
// Checks that the operands from `first` on have the same type, apart from layouts.
bool operandsAlike(const TypeRuleInput &in, size_t first);
// The one dimension in the attribute `dims`, for a type of this rank; nullopt if an error was reported.
std::optional<int> oneDimension(const TypeRuleInput &in, Type type);
// Checks that the operand has two dimensions and a static shape.
bool isMatrix(const TypeRuleInput &in, size_t operand);
// Checks that the operand has a static shape, and two dimensions unless any number is allowed.
bool rankFits(const TypeRuleInput &in, size_t operand);
// Checks that a result type is written and is a vector; otherwise reports with the op's example.
bool vectorWritten(const TypeRuleInput &in);
// Checks that there are as many indices, from operand `first` on, as `type` has dimensions.
bool indexCount(const TypeRuleInput &in, Type type, size_t first);

// Defined in type_rules_lanes.cc:
//
// Whether an XeGPU op works on whole vectors (`mode = vc`), or in lanes with one fragment each; Wrong: an error was reported.
enum class Mode : uint8_t { Wrong, Whole, Lanes };
Mode modeOf(const TypeRuleInput &in);
// Checks that the descriptor has an sg_map that fits the lanes if lanes work on fragments, and none otherwise.
bool sgMapFits(const TypeRuleInput &in, const TypeData &desc, Mode mode);
// The shape of the part of a block that one worker has: all of the block, or the part of one lane.
std::vector<int64_t> ownShape(Type desc, Mode mode);
// Checks that the elements along dimension `dim` of a block that share 32 bits belong to one lane.
bool packsInLanes(const TypeRuleInput &in, Type desc, int dim, int64_t factor);
bool dpasOfLanes(const TypeRuleInput &in, Elem result, Results &results);
// Checks that the op is at lane scope. Returns false after reporting an error if it is not.
bool atLaneScope(const TypeRuleInput &in);

// The rules of ops. Each checks the operands and attributes and appends the types of the results, or returns false after
// reporting an error. `ruleStated` checks and appends nothing: it is for ops without results, and for those with regions,
// which determine the types of their results.
#define XT_TYPE_RULE(rule, function) bool function(const TypeRuleInput &in, Results &results);
#include "ir/ops/type_rules.def"

} // namespace xt::rules
