#include "targets/cpu/module/code_remarks.h"

#include "ir/atomic_update.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/shared_operands.h"
#include "targets/cpu/analysis/vector_values.h"
#include "targets/cpu/products/nest_plan.h"

#include <unordered_set>

namespace xt {
namespace {

std::string kib(int64_t bytes) { return bytes < 1024 ? str(bytes, " bytes") : str((bytes + 1023) / 1024, " KiB"); }

class CodeRemarks {
public:
  CodeRemarks(const Kernel &kernel, const CpuInfo &cpu, const FusionPlan &fusion, const BufferAssignment &buffers,
              Diagnostics &diagnostics)
      : cpu_(cpu), fusion_(fusion), buffers_(buffers), shared_(findSharedOperands(kernel)), diagnostics_(diagnostics) {}

  void remarkOn(const Op &op) {
    if (op.kind() == OpKind::TileMma) return product(op);
    if (op.kind() == OpKind::Nest) return nest(op);
    for (const Value *operand : op.operands())
      if (operand->type().isTile() && op.kind() != OpKind::UpdateTileOffset && op.kind() != OpKind::PrefetchTile &&
          !readsDownColumns(op))
        tile(op, operand->type());
    if (op.info().elementwise || op.kind() == OpKind::LoadTile) kept(op);
    fused(op);
  }

private:
  // Elements down a column of a column-major tile are neighbours in memory, so a load that transposes reads whole registers.
  static bool readsDownColumns(const Op &op) {
    return op.kind() == OpKind::LoadTile && transposes(op) && op.operand(0)->type().packFactor() == 1;
  }
  static std::string placeOf(RegisterTile tile, bool inTiles) {
    return inTiles ? "AMX tiles" : str(tile.rows * tile.vectors, " registers");
  }
  void product(const Op &op) {
    Type sum = op.result()->type();
    Elem elem = mmaElem(op.operand(0)->type().elem());
    bool inTiles = multipliesInTiles(cpu_, op);
    RegisterTile tile = inTiles ? amxTile(cpu_) : registerTile(cpu_, elem, sum.extent(0), sum.extent(1));
    auto &remark = diagnostics_.report(DiagCode::CodeRemark, op.range(),
                                       str("the inner loop of this `tile_mma` computes ", tile.rows, "x",
                                           tile.vectors * tile.lanes, " ", elemName(elem), " sums in ", placeOf(tile, inTiles),
                                           ", over K = ", op.operand(0)->type().extent(1),
                                           "; between two executions of this op the sums are in memory"));
    for (size_t i = 0; i < 2; ++i)
      if (const Buffer *staging = buffers_.stagingOf(&op, i))
        remark.note(str("operand ", i == 0 ? "a" : "b", " is first packed into ", kib(staging->shape.bytes()), " of memory as ",
                        elemName(staging->shape.elem)));
    if (const Buffer *words = buffers_.stagingOf(&op, kMmaWords))
      remark.note(str("pairs along K are multiplied by one instruction, unless their products might be denormal; pairs of rows "
                      "of b are interleaved in ",
                      kib(words->shape.bytes()), " of memory"));
    if (cpu_.tilesBf16 && multipliesPairs(cpu_, op) && !inTiles)
      remark.note(str("AMX tiles would be used if rows, columns and K were multiples of ", kAmxSide, " and the sums were f32"));
    if (auto shared = shared_.ofMma.find(&op); shared != shared_.ofMma.end())
      remark.at(
          shared->second.load->range(),
          "b is loaded and packed only once, by the first workgroup that needs it, unless the kernel stores to its memory");
  }

  void tile(const Op &op, Type tile) {
    bool columns = tile.data().order == Order::ColumnMajor, packed = tile.packFactor() > 1;
    bool atomic = AtomicUpdate::is(op);
    if (!columns && !packed && !tile.data().scatter && !atomic) return;
    if (tile.data().scatter && !atomic) {
      diagnostics_.report(DiagCode::CodeRemark, op.range(),
                          str("`", op.info().name,
                              "` finds neighbours when it runs: elements whose offsets follow one another ",
                              "are moved as vectors, others one by one"));
      return;
    }
    std::string_view why = atomic   ? "each of its elements is a separate atomic"
                           : packed ? "the tile is packed"
                                    : "the tile is column-major, so the elements of a row are not contiguous";
    diagnostics_.report(DiagCode::CodeRemark, op.range(), str("`", op.info().name, "` moves element by element: ", why));
  }

  void nest(const Op &op) {
    const NestProblem problem = nestProblem(cpu_, op, fusion_.storeOf(op) != nullptr);
    const NestRules rules = rulesOf(problem);
    const Elem elem = problem.left.elem, work = problem.elem;
    const RegisterTile tile = problem.tile;
    const int64_t steps = rules.leftReady ? rules.inPlaceOnce : rules.stagedOnce;
    auto &remark = diagnostics_.report(DiagCode::CodeRemark, op.range(),
                                       str("this nest computes ", tile.rows, "x", tile.vectors * tile.lanes, " ",
                                           elemName(work), " sums in ", placeOf(tile, problem.inTiles()), ", over up to ",
                                           steps * problem.elements(), " of K at a time"));
    if (problem.inSlices())
      remark.note(str("each ", elemName(elem), " is multiplied as the sum of ", problem.slices(), " bf16, by ",
                      problem.slices() * problem.slices(),
                      " exact products, unless some are infinite or NaN, or their products might be denormal"));
    else if (problem.inWords())
      remark.note(str(problem.elements(), " elements along K are multiplied by one instruction, as ",
                      elemName(problem.stagedElem(elem)),
                      elem == Elem::BF16 ? ", unless their products might be denormal" : ""));
    else if (problem.convertsLeft)
      remark.note(str("a is converted from ", elemName(elem), " as it is multiplied, b while it is packed"));
    else if (elem != work)
      remark.note(str("a and b are converted from ", elemName(elem), " while they are packed"));
    if (cpu_.tilesBf16 && elem == Elem::F32 && !problem.inSlices())
      remark.note(str("AMX would be used, on exact sums of bf16, if a workgroup computed at least ", kSlicedRows, "x",
                      kSlicedColumns, " sums; that is faster for large matrices"));
    if (problem.left.transposed) remark.note("a is transposed while it is packed");
    if (fusion_.storeOf(op))
      remark.at(fusion_.storeOf(op)->range(), "stores the sums from registers, unless it may overwrite a or b");
    else
      remark.note("the sums are kept in memory: they do not start at 0, or are not used by exactly one store");
  }

  // Reports which other ops are computed in the loop of an op.
  void fused(const Op &op) {
    bool inlined = op.resultCount() && (fusion_.isInline(op.result()) || fusion_.fillerOf(op.result()));
    Value *filled = fusion_.filledBy(op);
    if (inlined || op.regionCount() || op.kind() == OpKind::Yield || op.kind() == OpKind::TileMma) return;
    constexpr size_t kMostNames = 6;
    std::string names;
    size_t count = 0;
    std::unordered_set<const Value *> seen;
    std::vector<Value *> roots(op.operands().begin(), op.operands().end());
    if (filled) roots.push_back(filled);
    for (Value *root : roots) {
      if (!root->type().isVector()) continue;
      for (const Value *value : fusion_.nodes(root, filled)) {
        const Op *node = value->definingOp();
        bool computed = node && (fusion_.isInline(value) || value == filled) && node->info().layoutRule != LayoutRule::Free;
        if (!computed || !seen.insert(value).second) continue;
        if (count++ < kMostNames) names += str(count == 1 ? "`" : ", `", node->info().name, "`");
      }
    }
    if (count == 0) return;
    if (count > kMostNames) names += str(" and ", count - kMostNames, " more");
    diagnostics_.report(DiagCode::CodeRemark, op.range(), str("`", op.info().name, "` is computed in one loop with ", names));
  }

  // Whether the loop of `filler` uses the value that it fills.
  bool uses(const Op &filler, const Value *filled) const {
    return std::ranges::any_of(filler.operands(),
                               [&](Value *operand) { return std::ranges::count(fusion_.nodes(operand, filled), filled) > 0; });
  }

  // Reports a vector that is kept in memory, because it is not computed inside the loop of its consumer.
  void kept(const Op &op) {
    if (!op.resultCount() || !op.result()->type().isVector() || fusion_.isInline(op.result())) return;
    const Buffer *buffer = buffers_.bufferOf(op.result());
    if (!buffer || op.info().layoutRule == LayoutRule::Free) return;
    const Op *filler = fusion_.fillerOf(op.result());
    const std::string why = !filler ? "it is not fused into the loop that uses it"
                            : uses(*filler, op.result())
                                ? "several loops use it, and the first one computes it"
                                : str("the loop of `", filler->info().name, "` computes it as well, from the same operand");
    auto &remark = diagnostics_.report(
        DiagCode::CodeRemark, op.range(),
        str("the result of `", op.info().name, "` is stored in ", kib(buffer->shape.bytes()), " of memory: ", why));
    if (filler) remark.at(filler->range(), "this loop");
    const Op *reader = fusion_.readerOf(op.result());
    if (!reader || !fillsRegisters(cpu_, op.operand(0)->type()) || op.operand(0)->type().data().order == Order::ColumnMajor)
      return;
    std::string_view apart = reader->kind() == OpKind::StoreTile ? " and does not overlap the store" : "";
    remark.at(reader->range(), str("reads the matrix in place instead, if it is in bounds", apart));
  }

  const CpuInfo &cpu_;
  const FusionPlan &fusion_;
  const BufferAssignment &buffers_;
  const SharedOperands shared_;
  Diagnostics &diagnostics_;
};

} // namespace

void remarkCode(const Kernel &kernel, const CpuInfo &cpu, const FusionPlan &fusion, const BufferAssignment &buffers,
                Diagnostics &diagnostics) {
  CodeRemarks remarks(kernel, cpu, fusion, buffers, diagnostics);
  forEachOp(kernel.body, [&](const Op &op) { remarks.remarkOn(op); });
}

} // namespace xt
