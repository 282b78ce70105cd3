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

// Limits of lanes per subgroup and of work items per workgroup on GPUs.
inline constexpr int64_t kMostLanes = 64, kMostWorkItems = 1024;

// The state that the lowerings of a file's kernels share.
struct LoweringState {
  std::set<const ast::KernelDecl *> failedFunctions; // functions with errors, which have been reported
  std::set<const ast::KernelDecl *> lowered; // functions whose bodies have been lowered
  const std::vector<LayoutAlias> &aliases; // the module's aliases, for messages
  const SourceManager &sources; // for messages
  size_t statements = 0; // number lowered; those of a function count once for each call
  bool repeatedTooMuch = false; // a kernel or function has more statements than may be inlined
};

bool hasOpenExtents(Type type); // whether its shape has a `?`

class KernelLowering {
public:
  KernelLowering(Context &context, ParamScope &params, LoweringState &state, const ast::KernelDecl &decl, std::string name);
  // Null if something was reported.
  std::unique_ptr<Kernel> run();
  // Checks a function that is never called; only reports errors. Returns true if extents were assumed for `?`; then only
  // errors that are independent of extents are valid.
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
  Value *lowerBound(const ast::Expr &expr, const ast::Stmt &loop, std::string_view what);
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
  struct LoopHead { // the operands before the carried ones: bounds or a condition
    OpKind kind;
    SourceRange range;
    std::vector<Value *> operands;
    std::vector<SourceRange> ranges;
    bool broken; // its condition is invalid, which has been reported
  };
  struct RegionYield { // the explicit yield of a region, if there is one
    bool written = false;
    bool lost = false; // a statement of the region could not be read: it may have been the yield
    bool ofCondition = false; // the region ends in scf.condition
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

  // while_do.cc
  void lowerWhileDo(const ast::Stmt &stmt);
  bool whileInits(const ast::Stmt &stmt, std::vector<Value *> &inits);
  std::optional<RegionYield> lowerConditionBlock(const ast::Stmt &stmt, const std::vector<Value *> &values);
  void lowerConditionEnd(const ast::Stmt &stmt);

  // op_lowering.cc
  struct OpDraft { // an op before its types are known
    const OpInfo *info = nullptr;
    std::vector<Value *> operands;
    std::vector<SourceRange> operandRanges;
    std::vector<Attr> attrs;
    Type written;
    SourceRange writtenRange, range;
    std::vector<OperandLayout> layouts; // emitDraft() sets their op
    std::vector<WrittenLayout> declared; // layouts of the single result
    std::optional<LayoutPair> pair; // emitDraft() sets its op
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
  bool missingAttr(const ast::OpClause &clause, const OpDraft &draft, std::string_view name);
  bool dimsAttr(const ast::Expr &list, OpDraft &draft);
  bool kindAttr(const ast::Name &word, OpDraft &draft);
  bool literalAttr(const ast::Attr &literal, Type type, OpDraft &draft);
  bool applyLayouts(const std::vector<const ast::Attr *> &layouts, OpDraft &draft, std::vector<Type> &results);
  bool layoutPair(const std::vector<const ast::Attr *> &layouts, size_t operand, Type result, OpDraft &draft);
  Op *emitDraft(OpDraft &draft, const std::vector<const ast::Attr *> &layouts);
  // signatures.cc: where the result is a null type or false, a mistake has been reported
  Type writtenType(const ast::TypeExpr &expr); // may have `?` in the body of a function
  Type statedType(const ast::TypeExpr &expr, Type actual); // has the extents of `actual` instead of `?`
  Type typeForLiterals(const ast::TypeExpr &expr); // also null if the type has `?`
  bool agreesWith(const ast::TypeExpr &expr, Type actual, std::string_view what);
  bool agreesWith(const std::vector<ast::TypeExpr> &exprs, const std::vector<Value *> &values, SourceRange range,
                  std::string_view what);
  bool closeResult(OpDraft &draft, std::span<const Type> operands);
  WrittenLayout layoutPlace(const ast::TypeExpr &expr);
  bool matchSignature(const ast::OpClause &clause, OpDraft &draft);
  std::vector<size_t> printedOperands(std::span<const Type> types, const OpInfo &info) const;
  std::vector<std::vector<size_t>> listedOperands(size_t count, std::span<const Type> types, const OpInfo &info) const;
  bool matchOperandTypes(std::span<const ast::TypeExpr> exprs, std::span<const Type> types, OpDraft &draft);
  // mlir_forms.cc: where the result is false, a mistake has been reported
  bool takeFlags(const ast::OpClause &clause, OpDraft &draft);
  bool flagAttribute(const ast::Attr &flag, OpDraft &draft);
  void accumulatorLast(const ast::OpClause &clause, OpDraft &draft);
  bool dimsFollow(const ast::OpClause &clause, OpDraft &draft);
  bool stretch(OpDraft &draft);
  // op_choice.cc: null has been reported
  const OpInfo *chooseRow(const ast::OpClause &clause);
  const OpInfo *findRow(const ast::OpClause &clause);
  const OpInfo *chooseByOperands(const OpMatches &matches, const ast::OpClause &clause) const;
  Type foreseenType(const ast::Expr &expr) const;

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
  // `signature` is the one written after the call, or null.
  std::optional<std::vector<Value *>> lowerFunctionCall(const ast::Expr &expr, const ast::Signature *signature = nullptr);
  std::optional<std::vector<Value *>> lowerCallBody(const ast::Expr &expr, const ast::KernelDecl &decl,
                                                    const std::vector<Value *> &arguments);
  std::optional<std::vector<Value *>> lowerFunctionBody(const ast::KernelDecl &decl, const std::vector<Value *> &arguments,
                                                        SourceRange call);
  bool mayRepeat(SourceRange range);
  std::optional<std::vector<Value *>> checkedResults(const ast::KernelDecl &decl, const CallFrame &frame);
  void lowerReturn(const ast::Stmt &stmt);

  // expr_lowering.cc. Null results have been reported. `like` is the type that literals take. If it is null, integer literals
  // are index and float literals are f32.
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
  bool poisoned_ = false; // a statement is invalid, which has been reported; run() returns no kernel
  bool namesLost_ = false; // a statement has a syntax error; unknown names are not reported, since it may have bound them
  bool layoutsAppear_ = false;
  bool anyExtents_ = false; // an extent was assumed for a `?` of a function that is never called
  int64_t lanes_ = 0; // TypeRuleInput::lanes
  int depth_ = 0;
  size_t repeated_ = 0; // statements of inlined functions and of blocks that are lowered again, counted each time
  int repeats_ = 0; // around the current block: blocks that are lowered again
  std::deque<CallFrame> calls_; // innermost last; a deque, because a nested call must not move the outer frames
  std::vector<RegionYield> yields_; // one per region being lowered, innermost last
};

// Reports the errors of a function that no kernel calls, except errors that depend on the extents for which `?` stands.
void checkUncalledFunction(Context &context, const ParamScope &params, LoweringState &state, const ast::KernelDecl &decl,
                           Diagnostics &diagnostics);

} // namespace xt
