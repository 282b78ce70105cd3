// Lowers one kernel for one instantiation of the file's parameters. Split over kernel_lowering.cc (kernel, grid),
// control_flow.cc (loops, branches), call_lowering.cc (functions), op_lowering.cc (op clauses, signatures) and expr_lowering.cc (infix, calls).
#pragma once
#include "ir/builder.h"
#include "ir/infer/layout_inference.h"
#include "ir/infer/type_rules.h"
#include "lang/check/types.h"
#include "lang/lower/environment.h"

#include <deque>
#include <set>
#include <unordered_set>

namespace xt {

// Of a subgroup, and of a workgroup: what GPUs have.
inline constexpr int64_t kMostLanes = 64, kMostWorkItems = 1024;

// What the lowerings of a file's kernels share.
struct LoweringState {
  std::set<const ast::KernelDecl *> failedFunctions; // their mistakes have been reported
  std::set<const ast::KernelDecl *> lowered;         // functions whose bodies have been looked at
  const std::vector<LayoutAlias> &aliases;           // of the module, for messages
  const SourceManager &sources;                      // likewise
  size_t statements = 0;                             // lowered so far, those of a function once for each call
  bool inlinedTooMuch = false;                       // a kernel or function has more statements than may be inlined
};

class KernelLowering {
public:
  KernelLowering(Context &context, ParamScope &params, LoweringState &state, const ast::KernelDecl &decl,
                 std::string name);
  // Null if something was reported.
  std::unique_ptr<Kernel> run();
  // Of a function that nothing calls: only reports. True if extents stood for `?`: only mistakes that have nothing to do
  // with extents count then.
  bool checkFunction();

private:
  // kernel_lowering.cc
  void settleNames();
  bool lowerParams();
  void lowerGrid();
  bool lowerLanes();
  void finish();
  bool fitsLaneScope();
  bool blocksStandAlone();
  void checkPlaces();
  void checkBarriers();
  bool laneAgrees(const Op &op, const std::unordered_set<const Value *> &divergent);

  // control_flow.cc
  void lowerBlock(const ast::Block &block);
  void lowerStmt(const ast::Stmt &stmt);
  void lowerFor(const ast::Stmt &stmt);
  void lowerWhile(const ast::Stmt &stmt);
  void lowerIf(const ast::Stmt &stmt);
  void lowerYield(const ast::Stmt &stmt);
  void bindResults(const ast::Stmt &stmt, const std::vector<Value *> &values, std::string_view what);
  void bindName(const ast::Name &name, Value *value);
  void poison(const ast::Stmt &stmt);
  struct Carried {
    std::string name;
    Value *init;
    SourceRange range; // of the first rebinding
  };
  struct LoopHead { // operands before the carried ones: bounds, or a condition
    OpKind kind;
    SourceRange range;
    std::vector<Value *> operands;
    std::vector<SourceRange> ranges;
    bool broken; // its condition has no meaning, which has been reported
  };
  struct RegionYield { // the explicit yield of a region, if one was written
    bool written = false;
    bool lost = false; // a statement of the region could not be read: it may have been the yield
    std::vector<Value *> values;
    std::vector<SourceRange> ranges;
  };
  void lowerLoop(const ast::Stmt &stmt, LoopHead head);
  std::vector<Carried> loopInits(const ast::Stmt &stmt, LoopHead &head);
  void bindLoopParams(const ast::Stmt &stmt, Op *loop, const std::vector<Carried> &carried);
  std::optional<RegionYield> loopYield(const ast::Stmt &stmt, Op *loop, const LoopHead &head,
                                       const std::vector<Carried> &carried);
  Value *lowerCondition(const ast::Expr &expr, std::string_view what);
  std::vector<Carried> carriedNames(const std::vector<const ast::Block *> &blocks);
  Value *currentValue(const Carried &carried, const BoundName **bound);
  void emitYield(const std::vector<Value *> &values, const std::vector<SourceRange> &ranges, SourceRange range);
  bool sameCarriedType(Type type, Value *value, SourceRange range, std::string_view what, SourceRange initRange);

  // op_lowering.cc
  struct OpDraft { // an op before its types are known
    const OpInfo *info = nullptr;
    std::vector<Value *> operands;
    std::vector<SourceRange> operandRanges;
    std::vector<Attr> attrs;
    Type written;
    SourceRange writtenRange, range;
    std::vector<OperandLayout> layouts; // op is filled in when it is made
    std::vector<WrittenLayout> declared; // of its one result
    std::optional<LayoutPair> pair;     // likewise
  };
  std::optional<ast::OpClause> opWithParentheses(const ast::Stmt &stmt) const;
  std::optional<std::vector<Value *>> lowerOp(const ast::OpClause &clause, SourceRange range);
  bool gatherOperands(const ast::OpClause &clause, OpDraft &draft);
  void linesAsMatrices(OpDraft &draft);
  bool explicitViewFits(const ast::OpClause &clause, const OpDraft &draft);
  bool lowerOperand(const ast::Expr &expr, size_t index, const ast::OpClause &clause, OpDraft &draft);
  bool gatherAttrs(const ast::OpClause &clause, OpDraft &draft, std::vector<const ast::Attr *> &layouts);
  bool namedAttr(const ast::Attr::Entry &entry, OpDraft &draft);
  bool wordAttr(const AttrSpec &spec, const ast::Attr &value, OpDraft &draft);
  bool textAttr(const AttrSpec &spec, const ast::Attr &value, OpDraft &draft);
  bool requiredAttrs(const ast::OpClause &clause, const OpDraft &draft);
  bool dimsAttr(const ast::Expr &list, OpDraft &draft);
  bool kindAttr(const ast::Name &word, OpDraft &draft);
  bool literalAttr(const ast::Attr &literal, Type type, OpDraft &draft);
  WrittenLayout layoutPlace(const ast::TypeExpr &expr);
  bool matchSignature(const ast::OpClause &clause, OpDraft &draft);
  bool matchOperandTypes(std::span<const ast::TypeExpr> exprs, std::span<const Type> types, OpDraft &draft);
  bool applyLayouts(const std::vector<const ast::Attr *> &layouts, OpDraft &draft, std::vector<Type> &results);
  bool layoutPair(const std::vector<const ast::Attr *> &layouts, size_t operand, Type result, OpDraft &draft);
  Op *emitDraft(OpDraft &draft, const std::vector<const ast::Attr *> &layouts);
  // op_choice.cc: null has been reported
  const OpInfo *chooseRow(const ast::OpClause &clause);
  const OpInfo *findRow(const ast::OpClause &clause);
  const OpInfo *chooseByOperands(const OpMatches &matches, const ast::OpClause &clause) const;
  Type foreseenType(const ast::Expr &expr) const;
  SourceRange typeRange(const ast::TypeExpr &expr) const { return expr.range; }

  // call_lowering.cc
  struct CallFrame { // a function whose body is being lowered
    const ast::KernelDecl *decl;
    bool returned;
    std::vector<Value *> values;
    SourceRange range; // of the return
    SourceRange call;
  };
  const ast::KernelDecl *calledFunction(const ast::Expr &expr);
  bool lowerArguments(const ast::Expr &expr, const ast::KernelDecl &decl, std::vector<Value *> &values);
  std::optional<std::vector<Value *>> lowerFunctionCall(const ast::Expr &expr);
  std::optional<std::vector<Value *>> lowerFunctionBody(const ast::KernelDecl &decl, const std::vector<Value *> &arguments,
                                                         SourceRange call);
  bool mayInline(SourceRange range);
  std::optional<std::vector<Value *>> checkedResults(const ast::KernelDecl &decl, const CallFrame &frame);
  void lowerReturn(const ast::Stmt &stmt);

  // expr_lowering.cc: null has been reported. `like`: the type that literals take; null: index, or f32 with a point.
  Value *lowerExpr(const ast::Expr &expr, Type like = {});
  Value *lowerIndex(const ast::Expr &expr, std::string_view what);
  Value *lowerValue(const ast::Expr &expr);
  Value *lowerLiteral(const ast::Expr &expr, Type like);
  Value *lowerConst(const ConstValue &value, Type like, SourceRange range);
  Value *lowerUnary(const ast::Expr &expr, Type like);
  Value *lowerBinary(const ast::Expr &expr, Type like);
  Value *lowerCall(const ast::Expr &expr, Type like);
  Value *noFunction(const ast::Expr &expr);
  bool lowerAlike(std::span<const ast::Expr *const> exprs, Type like, std::vector<Value *> &values);
  bool broadcastScalars(std::vector<Value *> &values, SourceRange range, bool alike = true);
  Value *emit(OpKind kind, std::vector<Value *> operands, std::vector<SourceRange> ranges, SourceRange range,
              std::vector<Attr> attrs = {}, Type written = {});

  Diagnostics &diagnostics() const { return params_.diagnostics(); }

  Context &context_;
  ParamScope &params_;
  LoweringState &state_;
  const ast::KernelDecl &decl_;
  TypeResolver types_;
  std::unique_ptr<Kernel> kernel_;
  Builder builder_;
  Environment names_;
  WrittenLayouts written_;
  bool poisoned_ = false;  // a statement has no meaning, which has been reported; the kernel is not made
  bool namesLost_ = false; // a statement could not be read: names that it may have bound are not reported as unknown
  bool layoutsAppear_ = false;
  bool anyExtents_ = false; // a `?` of a function that nothing calls has been given an extent
  int64_t lanes_ = 0; // TypeRuleInput::lanes
  int depth_ = 0;
  size_t inlined_ = 0; // statements of functions so far, once for each call
  std::deque<CallFrame> calls_; // innermost last; a deque, as a nested call must not move the frames around it
  std::vector<RegionYield> yields_; // of the regions being lowered, innermost last
};

// Reports the mistakes of a function that no kernel calls, as far as they do not depend on what `?` stands for.
void checkUncalledFunction(Context &context, const ParamScope &params, LoweringState &state, const ast::KernelDecl &decl,
                           Diagnostics &diagnostics);

} // namespace xt
