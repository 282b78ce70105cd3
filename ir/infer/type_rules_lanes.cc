// The type rules of XeGPU ops that work lane by lane (SIMT), and of ops that exchange values between lanes.
#include "ir/infer/type_rules_internal.h"
#include "ir/views/names.h"

#include "ir/base/text.h"
#include "ir/combine.h"
#include "ir/gpu/lane_fragments.h"

namespace xt::rules {

bool atLaneScope(const TypeRuleInput &in) {
  if (in.lanes != 0) return true;
  in.diagnostics.report(DiagCode::NotHere, in.range, str(opName(in), " is allowed at lane scope only"))
      .note("write `subgroups(n) lanes(m)` after the kernel's parameters, so that each lane runs the body");
  return false;
}

Mode modeOf(const TypeRuleInput &in) {
  const Attr *mode = findAttr(in, attr_names::kMode);
  bool whole = mode && std::get<std::string>(mode->value) == "vc";
  if (in.lanes == kAnyLanes || whole == (in.lanes == 0)) return whole ? Mode::Whole : Mode::Lanes;
  if (whole)
    in.diagnostics
        .report(DiagCode::NotHere, mode->range.file ? mode->range : in.range,
                str(opName(in), " with `mode = vc` works on whole vectors: it is allowed at subgroup scope only"))
        .note("this kernel is at lane scope: omit the mode, and give the tensor_desc an sg_map");
  else
    in.diagnostics
        .report(DiagCode::NotHere, in.range,
                str(opName(in), " without `mode = vc` works lane by lane: it is allowed at lane scope only"))
        .note("add `{mode = vc}`, or write `subgroups(n) lanes(m)` after the kernel's parameters");
  return Mode::Wrong;
}

bool sgMapFits(const TypeRuleInput &in, const TypeData &desc, Mode mode) {
  if (mode == Mode::Whole) {
    if (!desc.layout) return true;
    in.diagnostics.report(DiagCode::SgMap, in.writtenRange, "a tensor_desc in vc mode has no sg_map")
        .note("in vc mode the subgroup works on the whole block");
    return false;
  }
  if (!desc.layout) {
    std::string lanes = in.lanes > 0 ? str(in.lanes) : "16";
    in.diagnostics
        .report(DiagCode::SgMap, in.writtenRange,
                "a tensor_desc at lane scope needs an sg_map, which assigns its elements to lanes")
        .note(desc.scatter && desc.shape.size() == 2
                  ? str("for example `#sg_map<wi_layout = [", lanes, ", 1], wi_data = [1, ", desc.shape[1], "]>`")
                  : str("for example `#sg_map<wi_layout = [1, ", lanes, "], wi_data = [1, 1]>`"));
    return false;
  }
  int64_t lanes = desc.layout->axisSize(Axis::Lane);
  if (in.lanes != kAnyLanes && lanes != in.lanes) {
    in.diagnostics
        .report(DiagCode::SgMap, in.writtenRange,
                str("this sg_map has ", lanes, " lane", lanes == 1 ? "" : "s", ", but the kernel has ", in.lanes))
        .note(desc.layout->text());
    return false;
  }
  return true;
}

std::vector<int64_t> ownShape(Type desc, Mode mode) {
  if (mode == Mode::Lanes && desc.layout()) return desc.layout()->ownerShape(Axis::Lane);
  return {desc.shape().begin(), desc.shape().end()};
}

bool packsInLanes(const TypeRuleInput &in, Type desc, int dim, int64_t factor) {
  const Layout *layout = desc.layout();
  if (!layout) return true; // the op is in a function, whose callers have a layout
  std::span<const Factor> digits = layout->factors(dim);
  bool together = !digits.empty() && digits.back().axis == Axis::Register && digits.back().extent % factor == 0;
  if (together) return true;
  in.diagnostics
      .report(DiagCode::SgMap, findAttr(in, attr_names::kVnniAxis)->range,
              str("neighbours along dimension ", dim, " of the block belong to different lanes: the ", factor, " ",
                  elemName(desc.elem()), " that fill 32 bits must be in one lane"))
      .withLabel(layout->text())
      .note(str("a wi_data of ", factor, " along that dimension keeps them in one lane"));
  return false;
}

bool dpasOfLanes(const TypeRuleInput &in, Elem result, Results &results) {
  Type c = in.operands.size() > 2 ? in.operands[2] : in.written;
  if (in.lanes == kAnyLanes) return c && push(in, results, in.context.withElem(c, result));
  auto found = dpasFragments(in.context, in.operands[0], in.operands[1], c, in.lanes);
  if (const auto *mismatch = std::get_if<DpasMismatch>(&found)) {
    bool ofResult = mismatch->operand >= in.operands.size();
    in.diagnostics
        .report(DiagCode::MmaShapes, ofResult ? in.writtenRange : in.operandRange(mismatch->operand),
                str("`dpas`: ", mismatch->message))
        .withLabel(shapedText(ofResult ? in.written : in.operands[mismatch->operand]));
    return false;
  }
  const auto &fragments = std::get<DpasFragments>(found);
  return push(in, results, in.context.vector(fragments.c->ownerShape(Axis::Lane), result));
}

bool shuffle(const TypeRuleInput &in, Results &results) {
  if (!atLaneScope(in)) return false;
  for (size_t i = 1; i < 3; ++i)
    if (!in.operands[i].isScalar()) {
      in.diagnostics.report(
          DiagCode::OperandType, in.operandRange(i),
          str("the ", in.op.operands[i].name, " of `shuffle` must be one integer, not ", shapedText(in.operands[i])));
      return false;
    }
  if (!push(in, results, in.operands[0])) return false;
  results.push_back(in.context.i1());
  return true;
}

namespace {
// Returns the value of an attribute that must be a power of two from 1 to the number of lanes; `otherwise` if it is missing.
// Returns 0 after reporting an error for any other value.
int64_t powerOfTwo(const TypeRuleInput &in, std::string_view name, int64_t otherwise) {
  const Attr *attr = findAttr(in, name);
  if (!attr) return otherwise;
  int64_t value = std::get<int64_t>(attr->value);
  bool fits = value > 0 && (value & (value - 1)) == 0 && (in.lanes == kAnyLanes || value <= in.lanes);
  if (fits) return value;
  in.diagnostics.report(DiagCode::AttributeValue, attr->range.file ? attr->range : in.range,
                        str(name, " must be a power of two, at most the number of lanes",
                            in.lanes > 0 ? str(" (", in.lanes, ")") : "", ", not ", value));
  return 0;
}
} // namespace

bool subgroupReduce(const TypeRuleInput &in, Results &results) {
  if (!atLaneScope(in)) return false;
  Elem elem = in.operands[0].elem();
  const Attr *kind = findAttr(in, attr_names::kKind);
  const std::string &word = std::get<std::string>(kind->value);
  if (!combiningOp(word, elem)) {
    in.diagnostics.report(DiagCode::UnknownKind, kind->range.file ? kind->range : in.range,
                          str("`subgroup_reduce <", word, ">` is not defined for ", elemName(elem)));
    return false;
  }
  int64_t size = powerOfTwo(in, attr_names::kClusterSize, 1), stride = size ? powerOfTwo(in, attr_names::kClusterStride, 1) : 0;
  if (!stride) return false;
  const Attr *far = findAttr(in, attr_names::kClusterStride);
  if (far && (!findAttr(in, attr_names::kClusterSize) || (in.lanes > 0 && in.lanes % (size * stride) != 0))) {
    in.diagnostics.report(DiagCode::AttributeValue, far->range.file ? far->range : in.range,
                          findAttr(in, attr_names::kClusterSize)
                              ? str("clusters of ", size, " lanes, ", stride, " apart, do not divide ", in.lanes, " lanes")
                              : std::string("a cluster_stride needs a cluster_size"));
    return false;
  }
  return push(in, results, in.operands[0]);
}

} // namespace xt::rules
