#include "targets/tools/query.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/matrix_units.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace xt {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kNone = 2, kUsage = 64;

std::string kib(int64_t bytes) { return str(bytes >> 10, " KiB"); }

// The fields are those of sycl_ext_oneapi_matrix's query interface: either the sizes or their maxima are 0.
Json combinationJson(const MatrixUnit &unit, const MmaShape &shape) {
  auto when = [](bool is, int64_t size) { return is ? size : 0; };
  bool most = unit.continuous;
  return {{"max_msize", when(most, shape.m)}, {"max_nsize", when(most, shape.n)}, {"max_ksize", when(most, shape.k)},
          {"msize", when(!most, shape.m)},    {"nsize", when(!most, shape.n)},    {"ksize", when(!most, shape.k)},
          {"atype", elemName(shape.a)},       {"btype", elemName(shape.b)},       {"accumulatortype", elemName(shape.result)}};
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

// The members of the general query that do not depend on types.
std::string unitText(const MatrixUnit &unit) {
  if (unit.combinations.empty()) return "";
  return str("  scope: sub_group\n  dynamic_p: ", unit.continuous ? "yes" : "no",
             unit.tiles ? str("\n  numtiles: ", unit.tiles) : "", "\n  num_combinations: ", unit.combinations.size(), "\n");
}

Json unitJson(const MatrixUnit &unit) {
  return {{"target", unit.name}, {"scope", "sub_group"}, {"dynamic_p", unit.continuous}, {"numtiles", unit.tiles}};
}

// Adds the limits of a GPU.
void addLimits(Json &json, const TargetInfo &target) {
  json["subgroup_sizes"] = std::vector<int64_t>(target.subgroupSizes.begin(), target.subgroupSizes.end());
  json["slm_bytes"] = target.slmBytes;
  json["named_barriers"] = target.namedBarriers;
  json["lanes_per_workgroup"] = target.lanesPerWorkgroup;
  json["registers"] = std::vector<int64_t>(target.registerFile.begin(), target.registerFile.end());
  json["register_bytes"] = target.registerBytes;
  json["f64"] = target.f64;
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
}

// The unit's products with the element types of `a`, `b` and, if there is a third name, the result. Nullopt if there are not
// two or three names, or if one is unknown.
std::optional<std::vector<MmaShape>> withTypes(const MatrixUnit &unit, const std::vector<std::string> &types) {
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
  for (const MmaShape &shape : unit.combinations)
    if (shape.a == elems[0] && shape.b == elems[1] && (elems.size() < 3 || shape.result == elems[2])) found.push_back(shape);
  return found;
}

// Reads a size such as "8x16x16"; nullopt if the text is none.
std::optional<MmaShape> sizeOf(const std::string &text) {
  std::vector<int64_t> numbers;
  for (size_t at = 0; at <= text.size() && numbers.size() < 4;) {
    size_t end = std::min(text.find('x', at), text.size());
    int64_t number = 0;
    auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, number);
    if (error != std::errc() || rest != text.data() + end || end == at || number < 1) return std::nullopt;
    numbers.push_back(number);
    at = end + 1;
  }
  if (numbers.size() != 3) return std::nullopt;
  return MmaShape{{}, {}, {}, numbers[0], numbers[1], numbers[2]};
}

int usage(const std::string &message) {
  std::fprintf(stderr, "xtc: %s\n", message.c_str());
  return kUsage;
}

int refuse(const MatrixUnit &unit, const std::string &what, std::span<const MmaShape> has) {
  std::fprintf(stderr, "xtc: %s has no product of %s; it supports%s\n%s", std::string(unit.name).c_str(), what.c_str(),
               unit.continuous ? " sizes up to" : "", mmaTable(has).c_str());
  return kNone;
}

void print(const MatrixUnit &unit, const std::vector<std::string> &words, const std::vector<MmaShape> &shapes) {
  if (words.size() == 1)
    std::printf("%s: %s\n%s%s", words[0].c_str(), std::string(unit.summary).c_str(), unitText(unit).c_str(),
                unit.gpu ? limitsText(*unit.gpu).c_str() : "");
  if (words.size() == 2) std::printf("default: %s\n", sizesText(shapes[0]).c_str());
  std::printf("%sproducts of one subgroup, %sM x N x K:\n%s", words.size() == 3 ? "valid\n" : "",
              unit.continuous ? "each size from 1 to " : "", mmaTable(shapes).c_str());
}

void printJson(const MatrixUnit &unit, const std::vector<std::string> &words, const std::vector<MmaShape> &shapes) {
  Json json = unitJson(unit);
  if (unit.gpu) addLimits(json, *unit.gpu);
  if (words.size() > 1) {
    MmaShape sizes = words.size() > 2 ? *sizeOf(words[2]) : shapes[0];
    json.update({{"M", sizes.m}, {"N", sizes.n}, {"K", sizes.k}});
  }
  json["combinations"] = Json::array();
  for (const MmaShape &shape : shapes) json["combinations"].push_back(combinationJson(unit, shape));
  json["num_combinations"] = shapes.size();
  std::printf("%s\n", json.dump(2).c_str());
}

} // namespace

int query(const XtcOptions &options) {
  const std::vector<std::string> &words = options.query;
  std::vector<MatrixUnit> units = matrixUnits();
  auto unit = std::ranges::find(units, words[0], &MatrixUnit::name);
  if (unit == units.end()) {
    std::vector<std::string_view> names;
    for (const MatrixUnit &known : units) names.push_back(known.name);
    return usage(str("--query: unknown target `", words[0], "`; known are ", join(names, ", ")));
  }
  if (words.size() > 3) return usage("--query takes a target, then types such as f16,f16,f32, then sizes such as 8x16x16");
  std::vector<MmaShape> shapes = unit->combinations;
  std::optional<MmaShape> sizes = words.size() > 2 ? sizeOf(words[2]) : std::nullopt;
  if (words.size() > 2 && !sizes) return usage(str("--query: sizes must be M x N x K such as 8x16x16, not `", words[2], "`"));
  if (words.size() > 1) {
    auto typed = withTypes(*unit, splitCommas({words[1]}));
    if (!typed)
      return usage(str("--query: types must be two or three element types such as f16,f16,f32 or f8E4M3,f8E4M3,f32, not `",
                       words[1], "`"));
    if (typed->empty()) return refuse(*unit, words[1], shapes);
    shapes = std::move(*typed);
  }
  if (sizes) {
    std::vector<MmaShape> all = std::move(shapes);
    shapes.clear();
    std::ranges::copy_if(all, std::back_inserter(shapes),
                         [&](const MmaShape &shape) { return supportsSizes(*unit, shape, *sizes); });
    if (shapes.empty()) return refuse(*unit, str(words[1], " of size ", words[2]), all);
  }
  if (options.json)
    printJson(*unit, words, shapes);
  else
    print(*unit, words, shapes);
  return 0;
}

} // namespace xt
