#include "targets/tools/query.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/target_info.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace xt {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kNone = 2, kUsage = 64;

std::string kib(int64_t bytes) { return str(bytes >> 10, " KiB"); }

Json combinationJson(const MmaShape &shape) {
  // The fields are those of sycl_ext_oneapi_matrix's query interface. All sizes are discrete, so the maxima are 0.
  return {{"max_msize", 0},
          {"max_nsize", 0},
          {"max_ksize", 0},
          {"msize", shape.m},
          {"nsize", shape.n},
          {"ksize", shape.k},
          {"atype", elemName(shape.a)},
          {"btype", elemName(shape.b)},
          {"accumulatortype", elemName(shape.result)}};
}

std::string limitsText(const TargetInfo &target) {
  std::string text =
      str("  subgroup sizes: ", join(target.subgroupSizes, ", "), "\n  shared local memory: ", kib(target.slmBytes),
          " per workgroup\n  named barriers: ", target.namedBarriers, "\n  lanes per workgroup: ", target.lanesPerWorkgroup,
          "\n  registers: ", join(target.registerFile, " or "), " of ", target.registerBytes,
          " bytes\n  f64: ", target.f64 ? "yes" : "no", "\n");
  text +=
      str("  gather and scatter lanes: ", scatterMessageText(target), "\n  1D block messages: ", lineMessageText(target), "\n");
  if (!target.blocks.any()) return text + "  2D block messages: none\n";
  text += str("  2D block messages: ", join(blockRuleLines(target.blocks), "\n    "), "\n");
  for (const BlockShape &shape : target.blockShapes) text += str("    ", xt::text(shape), "\n");
  return text;
}

Json targetJson(const TargetInfo &target) {
  Json json = {{"target", target.name},
               {"scope", "sub_group"},
               {"dynamic_p", false},
               {"numtiles", 0},
               {"subgroup_sizes", std::vector<int64_t>(target.subgroupSizes.begin(), target.subgroupSizes.end())},
               {"slm_bytes", target.slmBytes},
               {"named_barriers", target.namedBarriers},
               {"lanes_per_workgroup", target.lanesPerWorkgroup},
               {"registers", std::vector<int64_t>(target.registerFile.begin(), target.registerFile.end())},
               {"register_bytes", target.registerBytes},
               {"f64", target.f64}};
  if (const BlockRules &rules = target.blocks; rules.any())
    json["block_rules"] = {{"base_alignment", rules.baseAlignment}, {"minimal_width", rules.minimalWidth},
                           {"width_multiple", rules.widthMultiple}, {"minimal_pitch", rules.minimalPitch},
                           {"pitch_multiple", rules.pitchMultiple}, {"column_multiple", rules.columnMultiple},
                           {"maximal_extent", rules.maximalExtent}};
  if (!target.lineWords.empty()) {
    json["line_words"] = std::vector<int64_t>(target.lineWords.begin(), target.lineWords.end());
    json["line_bytes"] = target.lineBytes;
  }
  if (target.scatterLanes) {
    json["scatter_lanes"] = target.scatterLanes;
    json["scatter_chunks"] = std::vector<int64_t>(target.scatterChunks.begin(), target.scatterChunks.end());
  }
  for (const BlockShape &shape : target.blockShapes)
    json["block_shapes"].push_back({{"use", blockUseName(shape.use)},
                                    {"bits", shape.bits},
                                    {"columns", shape.columns},
                                    {"fewest_rows", shape.fewestRows},
                                    {"most_rows", shape.mostRows},
                                    {"fewest_blocks", shape.fewestBlocks},
                                    {"blocks", shape.blocks}});
  return json;
}

// The target's products with the element types of `a`, `b` and, if there is a third name, the result. Nullopt if there are not
// two or three names, or if one is unknown.
std::optional<std::vector<MmaShape>> withTypes(const TargetInfo &target, const std::vector<std::string> &types) {
  std::vector<std::optional<Elem>> elems;
  for (const std::string &type : types) {
    std::optional<Elem> elem;
    for (int i = 0; i < kElemCount; ++i)
      if (elemName(static_cast<Elem>(i)) == type) elem = static_cast<Elem>(i);
    if (!elem) return std::nullopt;
    elems.push_back(elem);
  }
  if (elems.size() < 2 || elems.size() > 3) return std::nullopt;
  std::vector<MmaShape> found;
  for (const MmaShape &shape : target.mma)
    if (shape.a == elems[0] && shape.b == elems[1] && (elems.size() < 3 || shape.result == elems[2])) found.push_back(shape);
  return found;
}

// Whether the text is a size such as "8x16x16".
bool isSize(const std::string &text) {
  static constexpr std::string_view kDigits = "0123456789";
  size_t numbers = 0, at = 0;
  for (; at < text.size(); ++at, ++numbers) {
    size_t end = std::min(text.find_first_not_of(kDigits, at), text.size());
    if (end == at || (end < text.size() && text[end] != 'x')) return false;
    at = end;
    if (end + 1 == text.size()) return false;
  }
  return numbers == 3;
}

int usage(const std::string &message) {
  std::fprintf(stderr, "xtc: %s\n", message.c_str());
  return kUsage;
}

int refuse(const TargetInfo &target, const std::string &what, std::span<const MmaShape> has) {
  std::fprintf(stderr, "xtc: %s has no product of %s; it supports\n%s", std::string(target.name).c_str(), what.c_str(),
               mmaTable(has).c_str());
  return kNone;
}

} // namespace

int query(const XtcOptions &options) {
  const std::vector<std::string> &words = options.query;
  const TargetInfo *target = findTargetInfo(words[0]);
  if (!target) {
    std::vector<std::string_view> names;
    for (const TargetInfo &info : targetInfos()) names.push_back(info.name);
    return usage(str("--query: unknown target `", words[0], "`; known are ", join(names, ", ")));
  }
  if (words.size() > 3) return usage("--query takes a target, then types such as f16,f16,f32, then sizes such as 8x16x16");
  std::vector<MmaShape> shapes = mmaShapes(*target);
  if (words.size() > 2 && !isSize(words[2]))
    return usage(str("--query: sizes must be M x N x K such as 8x16x16, not `", words[2], "`"));
  if (words.size() > 1) {
    auto typed = withTypes(*target, splitCommas({words[1]}));
    if (!typed)
      return usage(str("--query: types must be two or three element types such as f16,f16,f32 or f8E4M3,f8E4M3,f32, not `",
                       words[1], "`"));
    if (typed->empty()) return refuse(*target, words[1], shapes);
    if (words.size() > 2) {
      std::vector<MmaShape> sized;
      for (const MmaShape &shape : *typed)
        if (sizesText(shape) == words[2]) sized.push_back(shape);
      if (sized.empty()) return refuse(*target, str(words[1], " of size ", words[2]), *typed);
      *typed = std::move(sized);
    }
    shapes = std::move(*typed);
  }
  if (options.json) {
    Json json = targetJson(*target);
    if (words.size() > 1) json.update({{"M", shapes[0].m}, {"N", shapes[0].n}, {"K", shapes[0].k}});
    json["combinations"] = Json::array();
    for (const MmaShape &shape : shapes) json["combinations"].push_back(combinationJson(shape));
    json["num_combinations"] = shapes.size();
    std::printf("%s\n", json.dump(2).c_str());
    return 0;
  }
  if (words.size() == 1)
    std::printf("%s: %s\n%s", words[0].c_str(), std::string(target->summary).c_str(), limitsText(*target).c_str());
  if (words.size() == 2) std::printf("default: %s\n", sizesText(shapes[0]).c_str());
  std::printf("%sproducts of one subgroup, M x N x K:\n%s", words.size() == 3 ? "valid\n" : "", mmaTable(shapes).c_str());
  return 0;
}

} // namespace xt
