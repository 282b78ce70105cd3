// Internal to ir/infer: the type rules by family, and what they share.
#pragma once
#include "ir/infer/type_rules.h"

#include <string>
#include <vector>

namespace xt::rules {

using Results = std::vector<Type>;

std::string opName(const TypeRuleInput &in); // "`load_tile`"
const Attr *findAttr(const TypeRuleInput &in, std::string_view name);
// The written type where it agrees with what the operands say; reports and gives null otherwise.
Type agree(const TypeRuleInput &in, Type derived);
bool push(const TypeRuleInput &in, Results &results, Type derived);
// The derived type of an elementwise result: the layout stays open unless it is written.
Type openLayout(const TypeRuleInput &in, Type type);
// Whether the operands from `first` on have one type, layouts apart.
bool operandsAlike(const TypeRuleInput &in, size_t first);
// The one dimension that the attribute `dims` names, of a type of this rank; nullopt has been reported.
std::optional<int> oneDimension(const TypeRuleInput &in, Type type);
// The operand has two dimensions and a static shape.
bool isMatrix(const TypeRuleInput &in, size_t operand);
// The result type is written, and is a vector; else reports with the row's example.
bool vectorWritten(const TypeRuleInput &in);
// As many indices as `type` has dimensions, from operand `first` on.
bool indexCount(const TypeRuleInput &in, Type type, size_t first);

// type_rules_tile.cc
bool initTile(const TypeRuleInput &in, Results &results);
bool loadTile(const TypeRuleInput &in, Results &results);
bool storeTile(const TypeRuleInput &in, Results &results);
bool prefetchTile(const TypeRuleInput &in, Results &results);
bool updateTileOffset(const TypeRuleInput &in, Results &results);
bool tileMma(const TypeRuleInput &in, Results &results);
bool nest(const TypeRuleInput &in, Results &results);
bool atomicRmw(const TypeRuleInput &in, Results &results);
bool loadGather(const TypeRuleInput &in, Results &results);
bool storeScatter(const TypeRuleInput &in, Results &results);

// type_rules_xegpu.cc
bool createNdTdesc(const TypeRuleInput &in, Results &results);
bool loadNd(const TypeRuleInput &in, Results &results);
bool storeNd(const TypeRuleInput &in, Results &results);
bool prefetchNd(const TypeRuleInput &in, Results &results);
bool updateNdOffset(const TypeRuleInput &in, Results &results);
bool dpas(const TypeRuleInput &in, Results &results);
bool createTdesc(const TypeRuleInput &in, Results &results);
bool gatherTdesc(const TypeRuleInput &in, Results &results);
bool scatterTdesc(const TypeRuleInput &in, Results &results);
bool prefetchTdesc(const TypeRuleInput &in, Results &results);
bool updateTdesc(const TypeRuleInput &in, Results &results);
bool atomicTdesc(const TypeRuleInput &in, Results &results);
bool createNbarrier(const TypeRuleInput &in, Results &results);
bool allocNbarrier(const TypeRuleInput &in, Results &results);

// type_rules_lanes.cc
// Whether an XeGPU op works on whole vectors (`mode = vc`) or lane by lane, each with its fragment; Wrong was reported.
enum class Mode : uint8_t { Wrong, Whole, Lanes };
Mode modeOf(const TypeRuleInput &in);
// The descriptor's sg_map is there where lanes work, fits them, and is not there otherwise.
bool sgMapFits(const TypeRuleInput &in, const TypeData &desc, Mode mode);
// What one worker has of a block: all, or a lane's part.
std::vector<int64_t> ownShape(Type desc, Mode mode);
// Elements that share 32 bits are one lane's. `dim` of the block.
bool packsInLanes(const TypeRuleInput &in, Type desc, int dim, int64_t factor);
bool dpasOfLanes(const TypeRuleInput &in, Elem result, Results &results);
// At lane scope: else reports.
bool atLaneScope(const TypeRuleInput &in);
bool shuffle(const TypeRuleInput &in, Results &results);
bool subgroupReduce(const TypeRuleInput &in, Results &results);

// type_rules_vector.cc
bool transpose(const TypeRuleInput &in, Results &results);
bool reduction(const TypeRuleInput &in, Results &results);
bool broadcast(const TypeRuleInput &in, Results &results);
bool convertLayout(const TypeRuleInput &in, Results &results);
bool iota(const TypeRuleInput &in, Results &results);
bool createMask(const TypeRuleInput &in, Results &results);
bool reshape(const TypeRuleInput &in, Results &results);
bool extract(const TypeRuleInput &in, Results &results);
bool insert(const TypeRuleInput &in, Results &results);
bool extractStridedSlice(const TypeRuleInput &in, Results &results);
bool insertStridedSlice(const TypeRuleInput &in, Results &results);

// type_rules_memory.cc
bool allocSlm(const TypeRuleInput &in, Results &results);
bool memRefCast(const TypeRuleInput &in, Results &results);
bool memRefLoad(const TypeRuleInput &in, Results &results);
bool memRefStore(const TypeRuleInput &in, Results &results);

} // namespace xt::rules
