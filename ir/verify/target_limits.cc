#include "ir/verify/target_limits.h"

#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "ir/constants.h"
#include "ir/gpu/block_rules.h"
#include "ir/gpu/line_reads.h"
#include "ir/gpu/matrix_operands.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/op_kinds.h"
#include "ir/verify/nearest_size.h"
#include "ir/verify/slm_limit.h"
#include "ir/views/xegpu.h"

#include <algorithm>
#include <optional>

namespace xt {
namespace {

int memoryBits(Elem elem) { return 8 * elemInfo(elem).storageBytes; }

// The block that an op moves with one message, in units of `bits` bits.
struct BlockRequest {
  BlockUse use;
  int bits;
  int64_t rows, columns;
};

// `desc` has two dimensions.
BlockRequest requestOf(const Op &op, Type desc) {
  int bits = memoryBits(desc.elem());
  BlockRequest plain{BlockUse::Load, bits, desc.extent(0), desc.extent(1)};
  if (op.kind() == OpKind::StoreNd) plain.use = BlockUse::Store;
  if (op.kind() == OpKind::PrefetchNd) plain.use = BlockUse::Prefetch;
  if (op.kind() != OpKind::LoadNd) return plain;
  bool turned = transposes(op), packs = LoadNdOp(op).vnniAxis() == 0;
  // Narrower elements are transposed in groups of 32 bits: a lane gets all elements of a group of one row.
  if (turned && (packs || bits < 32)) return {BlockUse::LoadTransposed, 32, plain.rows, plain.columns * bits / 32};
  if (turned)
    plain.use = BlockUse::LoadTransposed;
  else if (packs)
    plain.use = BlockUse::LoadVnni;
  return plain;
}

std::string_view verbOf(BlockUse use) {
  switch (use) {
  case BlockUse::Load:
  case BlockUse::LoadVnni:
  case BlockUse::LoadTransposed: return "loads";
  case BlockUse::Store: return "stores";
  case BlockUse::Prefetch: return "prefetches";
  }
  return "";
}

std::string_view mannerOf(BlockUse use) {
  switch (use) {
  case BlockUse::LoadVnni: return " in VNNI form";
  case BlockUse::LoadTransposed: return " transposed";
  case BlockUse::Load:
  case BlockUse::Store:
  case BlockUse::Prefetch: return "";
  }
  return "";
}

// The nearest map with at most `most` subgroups: repeatedly merges several subgroups into one along the dimension with the most
// subgroups.
WgMap nearestMap(WgMap map, int64_t most) {
  while (productOf(map.sgLayout) > most) {
    auto widest = static_cast<size_t>(std::ranges::max_element(map.sgLayout) - map.sgLayout.begin());
    int64_t factor = 2;
    while (map.sgLayout[widest] % factor != 0) ++factor;
    map.sgLayout[widest] /= factor;
    map.sgData[widest] *= factor;
  }
  return map;
}

// Lists the module's maps that have the kernel's number of subgroups, each changed to the nearest map that fits; "" if there
// are none.
std::string mapsThatFit(const Module &module, const Kernel &kernel, int64_t most) {
  std::vector<std::string> fitting;
  for (const LayoutAlias &alias : module.aliases) {
    if (!alias.spec.wg || productOf(alias.spec.wg->sgLayout) != kernel.subgroups) continue;
    fitting.push_back(str("#", alias.name, " = ", LayoutSpec::of(nearestMap(*alias.spec.wg, most)).text()));
  }
  return fitting.empty() ? "" : str(", the nearest maps that do:\n", join(fitting, "\n"));
}

class LimitChecker {
public:
  LimitChecker(const Module &module, const Kernel &kernel, const TargetInfo &target, const SourceManager &sources,
               Diagnostics &diagnostics)
      : module_(module), kernel_(kernel), target_(target), context_(module.context()), sources_(sources),
        diagnostics_(diagnostics) {}

  bool run() {
    size_t before = diagnostics_.errorCount();
    walk(kernel_.body, [&](const Op &op) {
      if (diagnostics_.errorCount() - before < kMostLimitReports) check(op);
    });
    workgroup();
    sharedMemory();
    return diagnostics_.errorCount() == before;
  }

private:
  bool ofLanes() const { return kernel_.scope == Scope::Lane; }

  void check(const Op &op) {
    switch (op.info().typeRule) {
    case TypeRule::LoadNd:
    case TypeRule::PrefetchNd: return block(op, 0);
    case TypeRule::StoreNd: return block(op, 1);
    case TypeRule::CreateNdTdesc: return descriptor(op);
    case TypeRule::UpdateNdOffset: return movedDescriptor(op);
    case TypeRule::CreateTdesc: return scattered(op);
    case TypeRule::Dpas: return product(op);
    case TypeRule::AllocNbarrier:
    case TypeRule::CreateNbarrier: return namedBarrier(op);
    case TypeRule::Print: return print(op);
    default: return;
    }
  }

  // Passes may have duplicated a print; all copies keep one source range, so it is reported once.
  void print(const Op &op) {
    if (op.kind() == OpKind::Print)
      diagnostics_.report(DiagCode::NoPrint, op.range(), str(target_.name, " cannot print: `print` is removed"));
  }

  // --- blocks --------------------------------------------------------------------------------------------------------

  Diagnostic &reportBlock(const Op &op, size_t desc, std::string message) {
    return diagnostics_.report(DiagCode::NoBlockMessage, op.range(), std::move(message))
        .withLabel(shapedText(op.operand(desc)->type()));
  }

  void block(const Op &op, size_t at) {
    Type desc = op.operand(at)->type();
    if (desc.rank() == 1) return line(op, at);
    std::string_view verb = op.kind() == OpKind::StoreNd ? "store" : op.kind() == OpKind::LoadNd ? "load" : "prefetch";
    std::string tiles = ofLanes()
                            ? str("a block of a size that the target supports is one message")
                            : str("ops on tiles (`init_tile`, `", verb, "_tile`) are cut into blocks that the target supports");
    auto report = [&](std::string why) -> Diagnostic & {
      bool prefetch = op.kind() == OpKind::PrefetchNd;
      return diagnostics_
          .report(DiagCode::BlockByLanes, op.range(),
                  str(why, prefetch ? ": the prefetch is removed" : str(": each lane ", verb, "s its own elements")))
          .withLabel(shapedText(desc));
    };
    if (ofLanes() && movesMatrix(context_, target_, op, kernel_.lanes)) return;
    if (ofLanes() && op.kind() == OpKind::LoadNd && lineRead(target_, desc)) return;
    if (!target_.blocks.any()) {
      report(str(target_.name, " has no 2D block messages"));
      return;
    }
    if (desc.data().space == MemorySpace::Slm) {
      report("2D block messages cannot access shared local memory");
      return;
    }
    BlockRequest wanted = requestOf(op, desc);
    if (blockMessage(target_, wanted.use, wanted.bits, wanted.rows, wanted.columns)) return;
    std::string size = shapeText(std::array{wanted.rows, wanted.columns}), table;
    for (const BlockShape &shape : target_.blockShapes)
      if (shape.use == wanted.use) table += str("  ", text(shape), "\n");
    Diagnostic &diagnostic = report(str(target_.name, " has no message that ", verbOf(wanted.use), " ", size, " elements of ",
                                        wanted.bits, " bits", mannerOf(wanted.use)));
    if (std::optional<BlockSize> nearest = nearestBlock(target_, wanted.use, wanted.bits, {wanted.rows, wanted.columns}))
      diagnostic.note(nearestText({nearest->rows, nearest->columns * wanted.bits / memoryBits(desc.elem())}, desc, true));
    if (wanted.bits != memoryBits(desc.elem()))
      diagnostic.note(str("a transposed load moves groups of ", 32 / memoryBits(desc.elem()), " elements (32 bits)"));
    diagnostic.note(tiles).withPicture(
        table.empty() ? "" : str(target_.name, " supports, with a number of rows that is a power of two\n", table));
  }

  // "the nearest size that works: 8x16xf32"; or with `othersWork`, "the nearest size of one message: 8x16xf32".
  static std::string nearestText(std::vector<int64_t> extents, Type desc, bool othersWork = false) {
    return str(othersWork ? "the nearest size of one message: " : "the nearest size that works: ", shapeText(extents), "x",
               elemName(desc.elem()));
  }

  void line(const Op &op, size_t at) {
    Type desc = op.operand(at)->type();
    int64_t bytes = desc.byteCount();
    if (lineAlignment(target_, bytes)) return;
    if (target_.lineWords.empty()) {
      std::string why = str(target_.name, " has no block messages");
      if (op.kind() == OpKind::PrefetchNd)
        diagnostics_.report(DiagCode::BlockByLanes, op.range(), str(why, ": the prefetch is removed"))
            .withLabel(shapedText(desc));
      else
        reportBlock(op, at, why);
    } else {
      Diagnostic &diagnostic = reportBlock(
          op, at, str(target_.name, " has no message that ", verbOf(requestOfLine(op)), " ", bytes, " contiguous bytes"));
      if (std::optional<int64_t> nearest = nearestLine(target_, desc.extent(0), elemInfo(desc.elem()).storageBytes))
        diagnostic.note(nearestText({*nearest}, desc));
      diagnostic.note(str("it has messages of ", lineMessageText(target_)));
    }
  }
  static BlockUse requestOfLine(const Op &op) {
    return op.kind() == OpKind::StoreNd      ? BlockUse::Store
           : op.kind() == OpKind::PrefetchNd ? BlockUse::Prefetch
                                             : BlockUse::Load;
  }

  // --- bases ---------------------------------------------------------------------------------------------------------

  void reportBase(const Op &op, size_t operand, const std::string &message, std::string rules) {
    diagnostics_.report(DiagCode::BlockBase, op.operandRange(operand), message)
        .withLabel(op.operand(operand)->type().isMemRef() ? shapedText(op.operand(operand)->type()) : "")
        .note(std::move(rules));
  }

  void descriptor(const Op &op) {
    Type desc = op.result()->type(), base = op.operand(0)->type();
    if (desc.rank() == 1) return lineBase(op);
    if (!target_.blocks.any() || desc.data().space == MemorySpace::Slm) return; // reported at the ops that use it
    size_t rank = base.isMemRef() ? static_cast<size_t>(base.rank()) : 2;
    bool given = op.operandCount() == 1 + 3 * rank;
    BlockBase matrix = base.isMemRef() ? blockBaseOf(base) : BlockBase{};
    matrix.elem = desc.elem();
    auto constant = [&](size_t operand) { return constantInt(*op.operand(operand)).value_or(kDynamic); };
    if (given) {
      matrix.height = constant(2 * rank - 1), matrix.width = constant(2 * rank);
      matrix.pitch = constant(3 * rank - 1);
      int64_t step = constant(3 * rank);
      matrix.step = step == kDynamic ? 1 : step;
      matrix.apart.clear();
      for (size_t d = 0; d + 2 < rank; ++d) matrix.apart.push_back(constant(2 * rank + 1 + d));
    }
    std::string rules = str("its rules: ", join(blockRuleLines(target_.blocks), "\n"));
    if (std::string reason = whyNoBlockBase(target_.blocks, matrix); !reason.empty())
      return reportBase(op, 0, str("this matrix breaks a rule of the 2D block messages of ", target_.name, ": ", reason),
                        rules);
    firstColumn(op, rank, desc, rules);
  }

  // The byte alignment of a block's start in its row or line; 0 if it may start anywhere, or if the error is reported
  // elsewhere.
  int64_t startMultiple(Type desc) const {
    return desc.rank() == 1                        ? lineAlignment(target_, desc.byteCount())
           : desc.data().space == MemorySpace::Slm ? 0
                                                   : target_.blocks.columnMultiple;
  }

  void firstColumn(const Op &op, size_t operand, Type desc, std::string rules) {
    int64_t bytes = elemInfo(desc.elem()).storageBytes, unit = startMultiple(desc);
    std::optional<int64_t> column = constantInt(*op.operand(operand));
    if (!unit || !column || *column * bytes % unit == 0) return;
    bool moves = op.kind() == OpKind::UpdateNdOffset, line = desc.rank() == 1;
    std::string what =
        str(line ? "a 1D block of " : "a 2D block of ", target_.name, moves ? " cannot move by " : " cannot begin ");
    if (!moves && !line) what += str("at column ", *column, ", ");
    if (moves && !line) what += str(*column, " columns, ");
    what += str(*column * bytes,
                moves  ? " bytes"
                : line ? " bytes into its base"
                       : " bytes into a row",
                ", but only ", moves ? "by" : "at", " a multiple of ", unit);
    reportBase(op, operand, what, std::move(rules));
  }

  void lineBase(const Op &op) {
    int64_t unit = startMultiple(op.result()->type());
    if (!unit) return; // reported at the ops that use it
    std::string rules = str("a 1D block is contiguous, and one of ", op.result()->type().byteCount(),
                            " bytes must begin at a word of ", 8 * unit, " bits");
    if (op.operandCount() == 2)
      firstColumn(op, 1, op.result()->type(), rules); // with more offsets, rows come before the column
  }

  // The descriptor's old position is aligned already, so only the step is checked.
  void movedDescriptor(const Op &op) {
    Type desc = op.result()->type();
    bool line = desc.rank() == 1;
    firstColumn(op, op.operandCount() - 1, desc,
                line ? "a 1D block must begin at a multiple of its word size"
                     : str("its rules: ", join(blockRuleLines(target_.blocks), "\n")));
  }

  // --- lanes with offsets --------------------------------------------------------------------------------------------

  // At lane scope, the access of each lane is separate, so no limit applies.
  void scattered(const Op &op) {
    Type desc = op.result()->type();
    if (ofLanes() || target_.scatterLanes == 0) return;
    int64_t lanes = desc.extent(0), most = target_.scatterLanes, chunk = desc.data().chunk;
    std::string tiles = "scatter tiles (`init_tile` with offsets) take any: they are cut into messages";
    bool power = lanes > 0 && (lanes & (lanes - 1)) == 0;
    std::vector<int64_t> counts{1};
    while (counts.back() * 2 <= most) counts.push_back(counts.back() * 2);
    if (!power || lanes > most)
      diagnostics_
          .report(DiagCode::NoBlockMessage, op.range(),
                  str(target_.name, " has no message of ", lanes, " lanes with one offset each"))
          .withLabel(shapedText(desc))
          .note(str("it has messages of ", most, " lanes, and of smaller powers of two; the nearest is ",
                    nearestOf(counts, lanes)))
          .note(tiles);
    std::span<const int64_t> chunks = target_.scatterChunks;
    if (std::find(chunks.begin(), chunks.end(), chunk) == chunks.end())
      diagnostics_
          .report(DiagCode::NoBlockMessage, op.range(),
                  str(target_.name, " has no message in which each lane takes ", chunk, " contiguous elements"))
          .withLabel(shapedText(desc))
          .note(str("a lane takes ", join(chunks.first(chunks.size() - 1), ", "), " or ", chunks.back(), "; the nearest is ",
                    nearestOf(chunks, chunk)));
  }

  // --- products ------------------------------------------------------------------------------------------------------

  void product(const Op &op) {
    // The pass distribute-to-lanes lets the lanes of a kernel at lane scope multiply element by element.
    if (ofLanes() && target_.mma.empty() && !kernel_.forms.has(Form::Lanes)) return;
    if (ofLanes() && !products_ && kernel_.lanes != target_.subgroupSizes[0])
      diagnostics_.report(DiagCode::SubgroupSize, op.range(),
                          str("matrix products of ", target_.name, " need subgroups of ", target_.subgroupSizes[0],
                              " lanes, not ", kernel_.lanes));
    products_ = true;
    Type a = op.operand(0)->type(), b = op.operand(1)->type();
    MmaShape wanted = productShape(context_, op, ofLanes() ? kernel_.lanes : 0);
    std::vector<MmaShape> typed;
    for (const MmaShape &shape : target_.mma) {
      if (typesText(shape) != typesText(wanted)) continue;
      if (sizesText(shape) == sizesText(wanted)) return;
      typed.push_back(shape);
    }
    Diagnostic &diagnostic = diagnostics_.report(
        DiagCode::NoProduct, op.range(),
        target_.mma.empty() ? str(target_.name, " has no matrix products")
        : typed.empty()     ? str(target_.name, " has no product ", typesText(wanted))
                            : str(target_.name, " has no product ", typesText(wanted), " of ", sizesText(wanted)));
    diagnostic.withLabel(str("a is ", shapedText(a), ", b is ", shapedText(b)));
    if (!typed.empty()) diagnostic.note(str("the nearest size that works: ", sizesText(nearestProduct(typed, wanted))));
    if (!ofLanes()) diagnostic.note("`tile_mma` takes any sizes and types: it is cut into products that the target supports");
    if (!target_.mma.empty())
      diagnostic.withPicture(str(target_.name, " supports, M x N x K\n", mmaTable(typed.empty() ? mmaShapes(target_) : typed)));
  }

  void sharedMemory() {
    int64_t scratch = products_ ? kernel_.subgroups * matrixScratchBytes(target_) : 0;
    std::string who(target_.name);
    if (scratch > 0) who += str(", beside ", scratch, " bytes for its matrices,");
    fitsSlm(kernel_, who, std::max<int64_t>(target_.slmBytes - scratch, 0), sources_, diagnostics_);
  }

  // --- workgroups ----------------------------------------------------------------------------------------------------

  void namedBarrier(const Op &op) {
    bool counts = op.kind() == OpKind::AllocNbarrier;
    if (target_.namedBarriers == 0) {
      if (!noBarriers_)
        diagnostics_.report(DiagCode::NamedBarrierLimit, op.range(), str(target_.name, " has no named barriers"))
            .note("`barrier` waits for all subgroups of the workgroup");
      noBarriers_ = true;
      return;
    }
    std::optional<int64_t> number = constantInt(*op.operand(0));
    if (!number || (*number >= 0 && *number < target_.namedBarriers + counts)) return;
    diagnostics_.report(DiagCode::NamedBarrierLimit, op.operandRange(0),
                        counts
                            ? str(target_.name, " has ", target_.namedBarriers, " named barriers per workgroup, not ", *number)
                            : str(target_.name, " has ", target_.namedBarriers, " named barriers per workgroup, 0 to ",
                                  target_.namedBarriers - 1, ", not one with the id ", *number));
  }

  // Checks the sizes of the subgroups and of the workgroup. A kernel above lane scope without products can run in subgroups of
  // any size that the target has, so its workgroup is checked with the smallest.
  void workgroup() {
    std::span<const int64_t> sizes = target_.subgroupSizes;
    if (ofLanes() && std::find(sizes.begin(), sizes.end(), kernel_.lanes) == sizes.end()) {
      diagnostics_
          .report(DiagCode::SubgroupSize, kernel_.nameRange,
                  str("`@", kernel_.name, "` has subgroups of ", kernel_.lanes, " lanes; ", target_.name, " has subgroups of ",
                      join(sizes, ", ")))
          .note(nearestLanesText(kernel_, sizes));
      return;
    }
    if (!ofLanes() && !checkStatedLanes(kernel_, target_, diagnostics_).ok()) return;
    std::vector<int64_t> possible = ofLanes() ? std::vector{kernel_.lanes} : subgroupSizesFor(target_, kernel_);
    (void)checkWorkgroupSize(module_, kernel_, std::ranges::min(possible), possible.size() > 1, target_, diagnostics_)
        .ok(); // run() compares the number of errors
  }

  const Module &module_;
  const Kernel &kernel_;
  const TargetInfo &target_;
  Context &context_;
  const SourceManager &sources_;
  Diagnostics &diagnostics_;
  bool products_ = false, noBarriers_ = false;
};

} // namespace

Result<void> checkWorkgroupSize(const Module &module, const Kernel &kernel, int64_t lanes, bool atLeast,
                                const TargetInfo &target, Diagnostics &diagnostics) {
  int64_t most = target.lanesPerWorkgroup / lanes;
  if (kernel.subgroups <= most) return {};
  diagnostics
      .report(DiagCode::WorkgroupTooLarge, kernel.nameRange,
              str("`@", kernel.name, "` has ", kernel.subgroups, " subgroups of ", atLeast ? "at least " : "", lanes,
                  " lanes, ", kernel.subgroups * lanes, " in all; ", target.name, " runs ", target.lanesPerWorkgroup,
                  " in a workgroup"))
      .note(str("at most ", most, " subgroups fit", mapsThatFit(module, kernel, most)));
  return Error::diagnosed();
}

Result<void> checkStatedLanes(const Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics) {
  if (!subgroupSizesFor(target, kernel).empty()) return {};
  std::vector<int64_t> sizes = subgroupSizesFor(target, kernel, 1);
  auto fits = [&](Type type) { return std::ranges::any_of(sizes, [&](int64_t size) { return size % lanesOf(type) == 0; }); };
  const Value *fault = nullptr; // the first one whose layout alone does not fit
  walk(kernel.body, [&](const Op &op) {
    for (size_t i = 0; i < op.resultCount() && !fault; ++i)
      if (!fits(op.result(i)->type())) fault = op.result(i);
  });
  bool multiplies = sizes.size() < target.subgroupSizes.size();
  std::string have = multiplies ? str("subgroups of ", target.subgroupSizes[0], " lanes for matrix products")
                                : str("subgroups of ", join(target.subgroupSizes, " or "), " lanes");
  Diagnostic &diagnostic = diagnostics.report(DiagCode::SubgroupSize, fault ? fault->range() : kernel.nameRange,
                                              str("the layouts of `@", kernel.name, "` need a multiple of ",
                                                  statedLanes(kernel), " lanes; ", target.name, " has ", have));
  if (fault) diagnostic.withLabel(fault->type().layout()->text());
  diagnostic.note("the number of lanes of each layout must divide the size of a subgroup; lanes that remain hold copies");
  return Error::diagnosed();
}

Result<void> checkTargetLimits(const Module &module, const TargetInfo &target, const SourceManager &sources,
                               Diagnostics &diagnostics) {
  bool ok = true;
  for (const auto &kernel : module.kernels) ok &= LimitChecker(module, *kernel, target, sources, diagnostics).run();
  return ok ? Result<void>() : Error::diagnosed();
}

} // namespace xt
