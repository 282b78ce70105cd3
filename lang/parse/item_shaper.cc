// Line ends, statement heads and op names. Brackets are in item_brackets.cc.
#include "lang/parse/item_shaper.h"

#include "ir/base/text.h"
#include "ir/op_flags.h"

#include "XtLexer.h"

namespace xt {

using L = xtg::XtLexer;

bool isBinaryOperator(size_t type) {
  switch (type) {
  case L::PLUS:
  case L::MINUS:
  case L::STAR:
  case L::SLASH:
  case L::KW_MOD:
  case L::KW_AND:
  case L::KW_OR:
  case L::LT:
  case L::LE:
  case L::GT:
  case L::GE:
  case L::EQEQ:
  case L::NE: return true;
  default: return false;
  }
}

namespace {

// A line that ends in one of these goes on (lang/reference/lexical.md).
bool goesOnAfter(size_t type) {
  switch (type) {
  case L::COMMA:
  case L::COLON:
  case L::ARROW:
  case L::EQ:
  case L::KW_INTO:
  case L::KW_TO:
  case L::FAT_ARROW: return true;
  default: return isBinaryOperator(type);
  }
}

// Whether a line that starts with this token type continues the line above.
bool continues(size_t type) {
  switch (type) {
  case L::COLON:
  case L::ARROW:
  case L::FAT_ARROW:
  case L::LBRACE:
  case L::RPAREN:
  case L::RBRACK:
  case L::COMMA:
  case L::KW_INTO:
  case L::KW_TO:
  case L::KW_GRID:
  case L::KW_SUBGROUPS:
  case L::KW_LANES:
  case L::KW_ITER_ARGS:
  case L::KW_STEP:
  case L::KW_ELSE: return true;
  default: return isBinaryOperator(type);
  }
}

} // namespace

Diagnostic &ItemShaper::report(DiagCode code, SourceRange range, std::string message) {
  Diagnostic d;
  d.code = code;
  d.severity = Severity::Error;
  d.range = range;
  d.message = std::move(message);
  result_.diagnostics.push_back(std::move(d));
  statementReported_ = true;
  return result_.diagnostics.back();
}

std::string ItemShaper::quoted(size_t i) const {
  if (i >= end_) return scan_.type(i) == antlr4::Token::EOF ? "the end of the file" : str("`", scan_.text(i), "`");
  return str("`", scan_.text(i), "`");
}

void ItemShaper::emit(size_t type, uint32_t begin, uint32_t end, const SyntaxToken &at) {
  SyntaxToken out = at;
  out.type = type;
  out.begin = begin;
  out.end = end;
  result_.tokens.push_back(out);
  if (type == L::NL) return;
  beforeLast_ = last_.type;
  last_ = out;
  ++length_;
}

ShapedItem ItemShaper::run() {
  for (size_t i = begin_; i < end_; ++i)
    if (!step(i)) break;
  if (abandoned_) {
    result_.tokens.clear();
    return std::move(result_);
  }
  finish();
  return std::move(result_);
}

// Whether token i is `dense` or the closing bracket of `dense<0.0>`, MLIR's spelling of a splat constant. Both are dropped.
bool ItemShaper::takeDense(size_t i) {
  if (i == denseEnd_ && i != begin_) return true;
  if (head_ != Head::Op || last_.type != opToken(Clause::Literal) || scan_.text(i) != "dense" || scan_.type(i + 1) != L::LT)
    return false;
  if (scan_.type(i + 2) == L::LBRACK && !statementReported_)
    report(DiagCode::NotSupported, range(i),
           "a constant has one value for all its elements: `dense<…>` with a list is not supported");
  size_t number = i + (scan_.type(i + 2) == L::MINUS ? 3 : 2);
  if (scan_.type(number + 1) != L::GT || !scan_.sameLine(i, number + 1)) return false;
  denseEnd_ = number + 1;
  return true;
}

// Takes two kinds of words that have a meaning in ops only: a kind that is a keyword elsewhere (`cmpf true, %x, %y`), and a flag of
// MLIR after the operands.
bool ItemShaper::takeOpWord(size_t i) {
  if (head_ != Head::Op || inBracket()) return false;
  size_t type = scan_.type(i), next = scan_.type(i + 1);
  if (last_.type == L::OP_KIND) {
    bool keyword = scan_.isHardWord(i) || type == L::KW_TRUE || type == L::KW_FALSE;
    if (!keyword || (next != L::COMMA && next != L::VALUE)) return false;
    emit(scan_.at(i), L::WORD);
    return true;
  }
  bool behind =
      last_.type != L::COMMA && last_.type != L::COLON && !(last_.type >= L::OP_OPERANDS && last_.type <= L::OP_DIMENSION);
  if (type != L::WORD || !behind || !findFlag(scan_.text(i))) return false;
  emit(scan_.at(i), L::FLAG);
  return true;
}

bool ItemShaper::step(size_t i) {
  const SyntaxToken &token = scan_.at(i);
  if (takeDense(i) || (denseEnd_ && i > begin_ && scan_.text(i - 1) == "dense" && i < denseEnd_ && token.type == L::LT))
    return true;
  if (token.firstOnLine) {
    lineIndent_ = token.column;
    lineBreak(i);
  }
  if (token.type == L::STRAY) return stray(i), true;
  if (dropped_ == i && i != begin_) return true;
  if (skip_ == i && i != begin_) {
    emit(token, L::VALUE);
    return true;
  }
  if (length_ == 0 && token.type != L::RBRACE) {
    if (!startStatement(i)) return false;
    if (length_ != 0 || skip_ == i + 1) return true; // startStatement() has taken the first token
  } else if (onlyResults_ && (last_.type == L::EQ || last_.type == L::VALUE) && !inHostBlock() && !inBracket()) {
    size_t before = length_;
    startRightHandSide(i);
    if (length_ != before) return true;
  } else if (token.type == L::KW_IF && last_.type == L::KW_ELSE) {
    head_ = Head::Branch;
    expectsBlock_ = true;
    if (++elseIfs_ > kMaxNesting) return checkDepth(i);
  }
  if (last_.type == L::RBLOCK && head_ == Head::Loop && length_ != 0 && token.type == L::KW_DO) expectsBlock_ = true;
  if (last_.type == L::RBLOCK && head_ == Head::Branch && length_ != 0) {
    static constexpr std::string_view kElse[] = {"else"};
    static constexpr size_t kElseType[] = {L::KW_ELSE};
    bool misspelt = token.type == L::WORD && (scan_.type(i + 1) == L::LBRACE || scan_.type(i + 1) == L::KW_IF);
    if (token.type == L::KW_ELSE || misspelt) expectsBlock_ = true;
    if (misspelt && tryMisspelt(i, kElse, kElseType)) return true;
  }
  if (onlyResults_ && token.type != L::VALUE && token.type != L::COMMA && token.type != L::EQ && token.type != L::COLON &&
      token.type != L::INT)
    onlyResults_ = false;
  if (token.type == L::VALUE && scan_.type(i + 1) == L::LT && scan_.at(i + 1).begin == token.end) gluedName(i);
  if (token.type == L::WORD || (token.type >= L::KW_TILE && token.type <= L::KW_TENSOR_DESC)) missingAngle(i);
  return takeOpWord(i) || opInExpression(i) || bracket(i);
}

// ---- line ends ----

bool ItemShaper::endsStatement(size_t i, bool strong) const {
  size_t type = scan_.type(i);
  if (!goesOnAfter(last_.type)) {
    if (type == L::KW_FORM && head_ == Head::Kernel && expectsBlock_) return false; // `form` lines of a header
    // A signature without its colon, as the RFC for XeTile and XeGPU Dialect prints it: no statement starts with a shaped type.
    if (head_ == Head::Op && type >= L::KW_TILE && type <= L::KW_TENSOR_DESC && scan_.type(i + 1) == L::LT) return false;
    if (type == L::KW_ELSE || (type == L::KW_DO && head_ == Head::Loop)) return last_.type != L::RBLOCK;
    return !continues(type);
  }
  // The line above is unfinished, but this one can only be a new statement. End the line above, so that only it is lost.
  if (!strong) return false;
  if (type == L::VALUE) return !onlyResults_ || last_.type != L::COMMA;
  if (type == L::SYMBOL) return false;
  return last_.type != L::EQ;
}

void ItemShaper::lineBreak(size_t i) {
  bool isBrace = scan_.type(i) == L::RBRACE;
  if (length_ != 0 && inBracket()) {
    bool strong = scan_.startsStatement(i);
    if (isBrace || !strong) return;
    const Open &top = stack_.back();
    size_t type = scan_.type(i);
    if (type == L::SYMBOL && goesOnAfter(last_.type)) return;
    // grid (%i = …,\n %j = …), iter_args and MLIR's while alike
    bool bindings = top.opener == L::KW_GRID || top.opener == L::KW_ITER_ARGS || top.opener == L::KW_WHILE;
    if (type == L::VALUE && bindings && scan_.at(i).column > indent_) return;
    closeBrackets(bracketsBase(), "the end of the line");
    endStatement(&scan_.at(i));
  } else if (length_ != 0 && (isBrace || endsStatement(i, scan_.startsStatement(i)))) {
    if (!isBrace) endStatement(&scan_.at(i));
  }
  if (length_ == 0) closeBlocksByIndent(i);
}

void ItemShaper::endStatement(const SyntaxToken *next) {
  if (length_ == 0) return;
  if (expectsBlock_) {
    std::string_view what = head_ == Head::Kernel ? "the body of a kernel"
                            : head_ == Head::Test ? "the body of a test"
                                                  : "the body of a loop or a branch";
    bool hasBody = next && next->column > indent_;
    if (!statementReported_)
      report(DiagCode::MissingBlock, afterLast(), str("expected `{` before the end of the line: ", what, " must be in braces"))
          .fix("insert `{`", afterLast(), hasBody ? " {" : " {\n" + std::string(indent_, ' ') + "}");
    openBlock(last_, false);
    if (hasBody) return;
    closeBlock(nullptr);
  }
  emit(L::NL, last_.end, last_.end, last_);
  length_ = 0;
  statementReported_ = false;
  head_ = Head::None;
  onlyResults_ = false;
  operators_ = prefixes_ = elseIfs_ = 0;
}

// ---- heads ----

bool ItemShaper::startStatement(size_t i) {
  indent_ = scan_.at(i).firstOnLine ? scan_.at(i).column : lineIndent_;
  head_ = Head::Item;
  expectsBlock_ = false;
  if (stack_.empty()) {
    bool unnamed = scan_.type(i) == L::SYMBOL && scan_.type(i + 1) == L::LPAREN && scan_.at(i).column <= 1;
    unnamed |= scan_.type(i) == L::SIZE && scan_.type(i + 1) == L::COLON && scan_.at(i).column <= 1; // lacks `param`
    bool unnamedTest = scan_.type(i) == L::KW_TEST && scan_.at(i).firstOnLine;
    if (i == begin_ || scan_.startsItem(i) || unnamed || unnamedTest) {
      startItem(i);
      if (head_ != Head::None) return true;
    }
    if (scan_.type(i) == antlr4::Token::EOF) return false;
    Diagnostic &d = report(DiagCode::OutsideKernel, range(i), str(quoted(i), " is outside of any kernel or test"));
    if (itemClosed_) {
      result_.superfluousBraces = true;
      d.note("a `}` above may be superfluous");
    }
    return false;
  }
  head_ = Head::Expression;
  Open *block = &stack_.back();
  if (!block->bodyIndent && scan_.at(i).firstOnLine) block->bodyIndent = scan_.at(i).column;
  if (block->host) return startHostStatement(i);
  startKernelStatement(i);
  return true;
}

void ItemShaper::startItem(size_t i) {
  bool keyword = scan_.isHardWord(i) && scan_.type(i) <= L::KW_PARAM;
  if (keyword && scan_.type(i + 1) == scan_.type(i) && scan_.sameLine(i, i + 1)) {
    report(DiagCode::SyntaxError, range(i + 1), str(quoted(i + 1), " is repeated here")).fix("remove it", range(i + 1), "");
    dropped_ = i + 1;
  }
  switch (scan_.type(i)) {
  case L::KW_KERNEL:
  case L::KW_FUNC:
    head_ = Head::Kernel;
    expectsBlock_ = true;
    return;
  case L::KW_TEST:
    head_ = Head::Test;
    expectsBlock_ = true;
    return;
  case L::SYMBOL:
    report(DiagCode::MisspeltKeyword, range(i).startPoint(), str("missing `kernel` or `func` before ", quoted(i)))
        .fix("insert `kernel`", range(i).startPoint(), "kernel ");
    emit(L::KW_KERNEL, scan_.at(i).begin, scan_.at(i).begin, scan_.at(i));
    emit(scan_.at(i), L::SYMBOL);
    head_ = Head::Kernel;
    expectsBlock_ = true;
    return;
  case L::SIZE:
    report(DiagCode::MisspeltKeyword, range(i).startPoint(), str("missing `param` before ", quoted(i)))
        .fix("insert `param`", range(i).startPoint(), "param ");
    emit(L::KW_PARAM, scan_.at(i).begin, scan_.at(i).begin, scan_.at(i));
    emit(scan_.at(i), L::SIZE);
    head_ = Head::Item;
    return;
  case L::ATTR:
  case L::TYPE: head_ = Head::Alias; return;
  case L::KW_IMPORT:
  case L::KW_PARAM: head_ = Head::Item; return;
  case L::WORD: {
    static constexpr std::string_view kAll[] = {"kernel", "func", "test", "import", "param"};
    static constexpr size_t kTypes[] = {L::KW_KERNEL, L::KW_FUNC, L::KW_TEST, L::KW_IMPORT, L::KW_PARAM};
    size_t from = 0, count = 0;
    switch (scan_.type(i + 1)) {
    case L::SYMBOL: from = 0, count = 2; break;
    case L::TEXT:
    case L::UNTERMINATED: from = 2, count = 2; break;
    case L::SIZE: from = 4, count = 1; break;
    default: head_ = Head::None; return;
    }
    if (!tryMisspelt(i, std::span(kAll).subspan(from, count), std::span(kTypes).subspan(from, count)))
      takeWordAs(i, kTypes[from], kAll[from], false);
    head_ = from == 0 ? Head::Kernel : last_.type == L::KW_TEST ? Head::Test : Head::Item;
    expectsBlock_ = head_ != Head::Item;
    return;
  }
  default: head_ = Head::None;
  }
}

bool ItemShaper::startHostStatement(size_t i) {
  head_ = Head::Host;
  switch (scan_.type(i)) {
  case L::KW_FOR:
  case L::KW_WHILE:
  case L::KW_IF:
    head_ = Head::Loop;
    expectsBlock_ = true;
    [[fallthrough]];
  case L::KW_RETURN:
  case L::KW_YIELD: notHere(i, "is allowed in kernels and functions, not in a test"); return true;
  case L::WORD: {
    if (takeUntypedName(i)) return true;
    if (findOpLoosely(scan_.text(i)) && scan_.type(i + 1) == L::VALUE) {
      notHere(i, "is an op: it is allowed in kernels and functions, not in a test");
      return true;
    }
    static constexpr std::string_view kWords[] = {"launch", "check", "save"};
    static constexpr size_t kTypes[] = {L::KW_LAUNCH, L::KW_CHECK, L::KW_SAVE};
    if (scan_.type(i + 1) != L::LPAREN) tryMisspelt(i, kWords, kTypes);
    return true;
  }
  default: return true;
  }
}

void ItemShaper::startKernelStatement(size_t i) {
  switch (scan_.type(i)) {
  case L::KW_FOR:
  case L::KW_WHILE:
    head_ = Head::Loop;
    expectsBlock_ = true;
    return;
  case L::KW_IF:
  case L::KW_ELSE:
    head_ = Head::Branch;
    expectsBlock_ = true;
    return;
  case L::KW_FORM: return;
  case L::LABEL: head_ = Head::Label; return;
  case L::VALUE:
    head_ = Head::Results;
    onlyResults_ = true;
    return;
  case L::KW_LAUNCH:
  case L::KW_CHECK:
  case L::KW_SAVE:
    if (scan_.startsStatement(i)) notHere(i, "is a host statement: it is allowed in a `test` block");
    break;
  default: break;
  }
  if (takeUntypedName(i)) return;
  const OpInfo *op = findOpLoosely(scan_.text(i));
  if (scan_.type(i) == L::WORD && (!op || op->clause == Clause::Structure)) {
    static constexpr std::string_view kLoops[] = {"for", "scf.for"};
    static constexpr size_t kLoopTypes[] = {L::KW_FOR, L::KW_FOR};
    static constexpr std::string_view kEnds[] = {"return", "yield", "scf.yield"};
    static constexpr size_t kEndTypes[] = {L::KW_RETURN, L::KW_YIELD, L::KW_YIELD};
    if (scan_.type(i + 1) == L::VALUE && scan_.type(i + 2) == L::EQ && scan_.sameLine(i, i + 1)) {
      if (!tryMisspelt(i, kLoops, kLoopTypes)) takeWordAs(i, L::KW_FOR, "for", false);
      head_ = Head::Loop;
      expectsBlock_ = true;
      return;
    }
    if (scan_.type(i + 1) != L::LPAREN && tryMisspelt(i, kEnds, kEndTypes)) return;
    // A misspelt header such as `whlie %c {`, whose line ends in the brace of a block.
    static constexpr std::string_view kHeads[] = {"if", "while", "for", "scf.if", "scf.while"};
    static constexpr size_t kHeadTypes[] = {L::KW_IF, L::KW_WHILE, L::KW_FOR, L::KW_IF, L::KW_WHILE};
    bool onOneLine = scan_.lineHoldsBlock(i) && !op && !closestName(scan_.text(i), kHeads).empty();
    if (scan_.lineOpensBlock(i) || onOneLine) {
      if (!tryMisspelt(i, kHeads, kHeadTypes)) takeWordAs(i, L::KW_IF, "if", false);
      head_ = last_.type == L::KW_IF ? Head::Branch : Head::Loop;
      expectsBlock_ = true;
      return;
    }
  }
  if (scan_.isOpName(i)) {
    head_ = Head::Op;
    emit(scan_.at(i), opToken(scan_.clauseOf(i)));
  }
}

void ItemShaper::startRightHandSide(size_t i) {
  bool afterEquals = last_.type == L::EQ;
  size_t type = scan_.type(i);
  if (type == L::KW_FOR || type == L::KW_WHILE || type == L::KW_IF) {
    head_ = type == L::KW_IF ? Head::Branch : Head::Loop;
    expectsBlock_ = true;
    onlyResults_ = false;
  } else if (scan_.isOpName(i) && (afterEquals || (scan_.startsOperand(i + 1) && scan_.sameLine(i, i + 1)))) {
    head_ = Head::Op;
    onlyResults_ = false;
    emit(scan_.at(i), opToken(scan_.clauseOf(i)));
  } else if (afterEquals) {
    head_ = Head::Expression;
    onlyResults_ = false;
  }
}

} // namespace xt
