// Fix-its for layouts that disagree: statements that convert values, and declarations with another layout. None of them
// changes the program's results. A fix-it is correct locally but may cause disagreements elsewhere, so a caller that has the
// source must try it (lang/lower/try_fixes.h).
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/infer/layout_rules.h"

namespace xt {

// One fix-it, built from parts. A part that the source text does not allow (an operand that is not a plain name, a statement
// that shares its line with a block's braces) makes the whole fix-it impossible; a part that changes nothing is left out.
class LayoutFix {
public:
  explicit LayoutFix(const LayoutOrigins &origins) : origins_(&origins), possible_(origins.sources() != nullptr) {}

  // Inserts `%x_converted = convert_layout %x {#to}` before `op`, which then uses the converted value.
  LayoutFix &convertOperand(const Op &op, size_t operand, const Layout *to);
  // Changes the layout of the single result of `op` to `made`, and inserts a statement after the op that converts the result
  // back to the layout that it has now.
  LayoutFix &convertResult(const Op &op, const Layout *made);
  // Converts, at the end of region `region` of `op`, the value that it yields for result `index`.
  LayoutFix &convertYielded(const Op &op, size_t region, size_t index, const Layout *to);
  // Inserts a statement before `op` that converts the value which `op` carries for result `index`.
  LayoutFix &convertBefore(const Op &op, size_t index, const Layout *to);
  // Changes the layout in the value's declaration.
  LayoutFix &declare(const Value *value, const Layout *layout);
  // Changes the layout that is written for an operand.
  LayoutFix &correct(const OperandLayout &written, const Layout *layout);

  bool isPossible() const { return possible_ && !fix_.edits.empty(); }
  int64_t bytes() const { return bytes_; } // the bytes that the conversions move between subgroups each time they run
  // Adds the fix-it to the diagnostic if it is possible and not there yet. `instead`: it is used only if the previous one
  // fails.
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

// Adds the possible fix-its to the diagnostic, ordered by the bytes that they move, fewest first.
void offerCheapest(Diagnostic &diagnostic, std::span<LayoutFix> fixes);

// These functions add fix-its to a diagnostic. The first two are for an op whose layouts break its rule.
void fixSameLayouts(Diagnostic &diagnostic, const Op &op, const LayoutOrigins &origins);
void fixMmaLayouts(Diagnostic &diagnostic, const Op &op, const LayoutOrigins &origins);
// For an op whose result has another layout than `expected`, the one that the operand's layout requires. `expected` is null if
// no layout meets the requirement.
void fixDerivedLayout(Diagnostic &diagnostic, const Op &op, const Layout *expected, const LayoutOrigins &origins);
// For a value that region `region` of `op` yields for result `index` with another layout than `kept`, the layout that the op's
// other values for this result have.
void fixCarriedLayout(Diagnostic &diagnostic, const Op &op, size_t region, size_t index, const Layout *kept,
                      const LayoutOrigins &origins);
// For several subgroups that would write the same elements of operand `tile` of `op`.
void fixTwoWriters(Diagnostic &diagnostic, const Op &op, size_t tile, const LayoutOrigins &origins);
// For a layout that is written for an operand and differs from the operand's layout.
void fixWrittenLayout(Diagnostic &diagnostic, const OperandLayout &written, const LayoutOrigins &origins);
// For two values whose layouts have different numbers of subgroups.
void fixSubgroupCounts(Diagnostic &diagnostic, const Value *value, const Value *earlier, const LayoutOrigins &origins);

} // namespace xt
