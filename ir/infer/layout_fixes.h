// Offers for layouts that do not agree: statements that convert, and declarations that say another layout. Every part
// keeps what the program computes. An offer is right where it stands, but what follows from it may disagree elsewhere:
// whoever has the source tries it (lang/lower/try_fixes.h).
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/infer/layout_rules.h"

namespace xt {

// One offer, made of parts. A part that the text does not allow (an operand that is no plain name, a statement that
// shares its line with a block's braces) makes the whole offer impossible; one that changes nothing is left out.
class LayoutFix {
public:
  explicit LayoutFix(const LayoutOrigins &origins) : origins_(&origins), possible_(origins.sources() != nullptr) {}

  // `%x_converted = convert_layout %x {#to}` before `op`, which uses it.
  LayoutFix &convertOperand(const Op &op, size_t operand, const Layout *to);
  // The one result of `op` is made in the layout `made`, and converted to the one that it has by a statement behind.
  LayoutFix &convertResult(const Op &op, const Layout *made);
  // The value that region `region` of `op` yields for result `index` is converted where the region ends.
  LayoutFix &convertYielded(const Op &op, size_t region, size_t index, const Layout *to);
  // What `op` carries for result `index` is converted before the op.
  LayoutFix &convertBefore(const Op &op, size_t index, const Layout *to);
  // The value's declaration says another layout.
  LayoutFix &declare(const Value *value, const Layout *layout);
  // What is written for an operand says another layout.
  LayoutFix &correct(const OperandLayout &written, const Layout *layout);

  bool isPossible() const { return possible_ && !fix_.edits.empty(); }
  int64_t bytes() const { return bytes_; } // between subgroups, once a conversion
  // `instead`: only where the offer before it fails.
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
  void say(std::string part);
  void conversion(std::string_view name, Type type, const Layout *to, std::string_view statement,
                  std::string_view where);
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

// Offers those that are possible, the one that moves least first.
void offerCheapest(Diagnostic &diagnostic, std::span<LayoutFix> fixes);

// What to do about an op whose layouts break its rule.
void fixSameLayouts(Diagnostic &diagnostic, const Op &op, const LayoutOrigins &origins);
void fixMmaLayouts(Diagnostic &diagnostic, const Op &op, const LayoutOrigins &origins);
// `expected`: the layout that the operand's gives the result; null where no layout spells it.
void fixDerivedLayout(Diagnostic &diagnostic, const Op &op, const Layout *expected, const LayoutOrigins &origins);
// What region `region` of `op` yields for result `index` has another layout than `kept`, which the rest of it has.
void fixCarriedLayout(Diagnostic &diagnostic, const Op &op, size_t region, size_t index, const Layout *kept,
                      const LayoutOrigins &origins);
// Several subgroups would write what `op` writes to its operand `tile`.
void fixTwoWriters(Diagnostic &diagnostic, const Op &op, size_t tile, const LayoutOrigins &origins);
// A layout that is written for an operand is not the operand's.
void fixWrittenLayout(Diagnostic &diagnostic, const OperandLayout &written, const LayoutOrigins &origins);
// The layouts of two values have different numbers of subgroups.
void fixSubgroupCounts(Diagnostic &diagnostic, const Value *value, const Value *earlier, const LayoutOrigins &origins);

} // namespace xt
