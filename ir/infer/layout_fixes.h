// Fix-its for layouts that disagree: statements that convert, and declarations with another layout. Every part keeps the
// program's results. A fix is correct locally, but its consequences may disagree elsewhere, so a caller with the source must
// try it (lang/lower/try_fixes.h).
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/infer/layout_rules.h"

namespace xt {

// One fix-it, built from parts. A part that the source text does not allow (an operand that is not a plain name, a statement
// that shares its line with a block's braces) makes the whole fix-it impossible; a part that changes nothing is left out.
class LayoutFix {
public:
  explicit LayoutFix(const LayoutOrigins &origins) : origins_(&origins), possible_(origins.sources() != nullptr) {}

  // `%x_converted = convert_layout %x {#to}` before `op`, which uses it.
  LayoutFix &convertOperand(const Op &op, size_t operand, const Layout *to);
  // Changes the single result of `op` to the layout `made`, and converts it to its present layout by a statement after the op.
  LayoutFix &convertResult(const Op &op, const Layout *made);
  // Converts, at the end of region `region` of `op`, the value that it yields for result `index`.
  LayoutFix &convertYielded(const Op &op, size_t region, size_t index, const Layout *to);
  // Converts the value that `op` carries for result `index` before the op.
  LayoutFix &convertBefore(const Op &op, size_t index, const Layout *to);
  // Changes the layout in the value's declaration.
  LayoutFix &declare(const Value *value, const Layout *layout);
  // Changes the layout that is written for an operand.
  LayoutFix &correct(const OperandLayout &written, const Layout *layout);

  bool isPossible() const { return possible_ && !fix_.edits.empty(); }
  int64_t bytes() const { return bytes_; } // moved between subgroups each time the conversions run
  // `instead`: only used if the previous fix-it fails.
  void offer(Diagnostic &diagnostic, bool instead = false);

private:
  LayoutFix &impossible() { return possible_ = false, *this; }
  std::string_view text(SourceRange range) const;
  std::string_view lineBefore(SourceRange range) const;
  std::string_view lineAfter(SourceRange range) const;
  bool isName(SourceRange range) const;
  bool isExpression(SourceRange range) const;
  bool standsAlone(SourceRange range) const;
  void rewrite(const WrittenLayout &place, Type type, const Layout *layout);
  void say(const std::string &part);
  void conversion(std::string_view name, Type type, const Layout *to, std::string_view statement, std::string_view where);
  std::string freshName(SourceRange range) const;
  std::string statementOf(std::string_view result, std::string_view name, Type type, const Layout *to) const;

  struct Converted {
    std::string name, converted;
    const Layout *to;
  };
  const LayoutOrigins *origins_;
  FixIt fix_;
  std::vector<Converted> converted_;
  int64_t bytes_ = 0;
  bool possible_;
};

// Adds the possible fix-its to the diagnostic, the one that moves the fewest bytes first.
void offerCheapest(Diagnostic &diagnostic, std::span<LayoutFix> fixes);

// Fix-its for an op whose layouts break its rule.
void fixSameLayouts(Diagnostic &diagnostic, const Op &op, const LayoutOrigins &origins);
void fixMmaLayouts(Diagnostic &diagnostic, const Op &op, const LayoutOrigins &origins);
// `expected`: the layout that the result must have by the operand's; null if no layout describes it.
void fixDerivedLayout(Diagnostic &diagnostic, const Op &op, const Layout *expected, const LayoutOrigins &origins);
// The value that region `region` of `op` yields for result `index` has another layout than `kept`, the layout of the other
// parts.
void fixCarriedLayout(Diagnostic &diagnostic, const Op &op, size_t region, size_t index, const Layout *kept,
                      const LayoutOrigins &origins);
// Several subgroups would write the same elements of `tile`, the operand that `op` writes to.
void fixTwoWriters(Diagnostic &diagnostic, const Op &op, size_t tile, const LayoutOrigins &origins);
// The layout written for an operand differs from the operand's layout.
void fixWrittenLayout(Diagnostic &diagnostic, const OperandLayout &written, const LayoutOrigins &origins);
// The layouts of two values have different numbers of subgroups.
void fixSubgroupCounts(Diagnostic &diagnostic, const Value *value, const Value *earlier, const LayoutOrigins &origins);

} // namespace xt
