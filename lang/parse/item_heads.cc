#include "lang/parse/item_heads.h"

#include "ir/base/text.h"
#include "ir/host.h"
#include "lang/parse/item_mistakes.h"
#include "lang/parse/rank_words.h"

#include "XtLexer.h"

namespace xt {

using L = xtg::XtLexer;

namespace {

// Whether `func` begins a function of tests: its first parameter has no type, or a formula follows its parameters.
bool isHostFunction(const TokenScan &scan, size_t i) {
  if (scan.type(i + 1) != L::SYMBOL || scan.type(i + 2) != L::LPAREN) return false;
  if (scan.type(i + 3) == L::VALUE && (scan.type(i + 4) == L::COMMA || scan.type(i + 4) == L::RPAREN)) return true;
  size_t commas = 0;
  return scan.type(scan.afterBracket(i + 2, commas)) == L::EQ;
}

void startItem(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  bool keyword = scan.isHardWord(i) && scan.type(i) <= L::KW_PARAM;
  if (keyword && scan.type(i + 1) == scan.type(i) && scan.sameLine(i, i + 1)) {
    state.report(DiagCode::SyntaxError, state.range(i + 1), str(state.quoted(i + 1), " is repeated here"))
        .fix("remove it", state.range(i + 1), "");
    state.dropped = i + 1;
  }
  switch (scan.type(i)) {
  case L::KW_FUNC:
    if (isHostFunction(scan, i)) {
      state.emit(scan.at(i), L::HOST_FUNC);
      return stmt.startBlockOwner(StatementHead::HostFunction);
    }
    [[fallthrough]];
  case L::KW_KERNEL: return stmt.startBlockOwner(StatementHead::Kernel);
  case L::KW_TEST: return stmt.startBlockOwner(StatementHead::Test);
  case L::SYMBOL:
    state
        .report(DiagCode::MisspeltKeyword, state.range(i).startPoint(),
                str("missing `kernel` or `func` before ", state.quoted(i)))
        .fix("insert `kernel`", state.range(i).startPoint(), "kernel ");
    state.emit(L::KW_KERNEL, scan.at(i).begin, scan.at(i).begin, scan.at(i));
    state.emit(scan.at(i), L::SYMBOL);
    return stmt.startBlockOwner(StatementHead::Kernel);
  case L::SIZE:
    state.report(DiagCode::MisspeltKeyword, state.range(i).startPoint(), str("missing `param` before ", state.quoted(i)))
        .fix("insert `param`", state.range(i).startPoint(), "param ");
    state.emit(L::KW_PARAM, scan.at(i).begin, scan.at(i).begin, scan.at(i));
    state.emit(scan.at(i), L::SIZE);
    stmt.head = StatementHead::Item;
    return;
  case L::ATTR:
  case L::TYPE: stmt.head = StatementHead::Alias; return;
  case L::KW_IMPORT:
  case L::KW_PARAM: stmt.head = StatementHead::Item; return;
  case L::WORD: {
    static constexpr std::string_view kAll[] = {"kernel", "func", "test", "import", "param"};
    static constexpr size_t kTypes[] = {L::KW_KERNEL, L::KW_FUNC, L::KW_TEST, L::KW_IMPORT, L::KW_PARAM};
    size_t from = 0, count = 0;
    switch (scan.type(i + 1)) {
    case L::SYMBOL: from = 0, count = 2; break;
    case L::TEXT:
    case L::UNTERMINATED: from = 2, count = 2; break;
    case L::SIZE: from = 4, count = 1; break;
    default: stmt.head = StatementHead::None; return;
    }
    if (!tryMisspelt(state, i, std::span(kAll).subspan(from, count), std::span(kTypes).subspan(from, count)))
      takeWordAs(state, i, kTypes[from], kAll[from], false);
    stmt.head = from == 0 ? StatementHead::Kernel : state.last.type == L::KW_TEST ? StatementHead::Test : StatementHead::Item;
    stmt.expectsBlock = stmt.head != StatementHead::Item;
    return;
  }
  default: stmt.head = StatementHead::None;
  }
}

// Takes a misspelt word at the beginning of a statement of a test.
void misspeltHostStatement(ItemState &state, size_t i) {
  std::vector<std::string_view> words = {"launch", "check", "save"};
  std::vector<size_t> types = {L::KW_LAUNCH, L::KW_CHECK, L::KW_SAVE};
  bool call = state.scan.type(i + 1) == L::LPAREN; // only `mesh` is followed by a parenthesis
  if (call) words.clear(), types.clear();
  for (std::string_view word : rankWordNames(true)) {
    if (call != (word == "mesh")) continue;
    words.push_back(word);
    types.push_back(rankToken(word));
  }
  tryMisspelt(state, i, words, types);
}

bool startHostStatement(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  stmt.head = StatementHead::Host;
  switch (scan.type(i)) {
  case L::KW_FOR: stmt.startBlockOwner(StatementHead::Loop); return true;
  case L::KW_WHILE:
  case L::KW_IF: stmt.startBlockOwner(StatementHead::Loop); [[fallthrough]];
  case L::KW_RETURN:
    for (const OpenBracket &block : state.stack)
      if (block.owner == StatementHead::HostFunction) return true;
    [[fallthrough]];
  case L::KW_YIELD: notHere(state, i, "is allowed in kernels and functions, not in a test"); return true;
  case L::WORD: {
    if (takeUntypedName(state, i)) return true;
    if (size_t type = rankToken(scan.text(i))) {
      state.emit(scan.at(i), type);
      return true;
    }
    if (findOpLoosely(scan.text(i)) && scan.type(i + 1) == L::VALUE) {
      notHere(state, i, "is an op: it is allowed in kernels and functions, not in a test");
      return true;
    }
    misspeltHostStatement(state, i);
    return true;
  }
  default: return true;
  }
}

void startKernelStatement(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  switch (scan.type(i)) {
  case L::KW_FOR:
  case L::KW_WHILE: return stmt.startBlockOwner(StatementHead::Loop);
  case L::KW_IF:
  case L::KW_ELSE: return stmt.startBlockOwner(StatementHead::Branch);
  case L::KW_FORM: return;
  case L::LABEL: stmt.head = StatementHead::Label; return;
  case L::VALUE:
    stmt.head = StatementHead::Results;
    stmt.onlyResults = true;
    return;
  case L::KW_LAUNCH:
  case L::KW_CHECK:
  case L::KW_SAVE:
    if (scan.startsStatement(i)) notHere(state, i, "is a host statement: it is allowed in a `test` block");
    break;
  default: break;
  }
  if (takeUntypedName(state, i)) return;
  const OpInfo *op = findOpLoosely(scan.text(i));
  if (scan.type(i) == L::WORD && (!op || op->clause == Clause::Structure)) {
    static constexpr std::string_view kLoops[] = {"for", "scf.for"};
    static constexpr size_t kLoopTypes[] = {L::KW_FOR, L::KW_FOR};
    static constexpr std::string_view kEnds[] = {"return", "yield", "scf.yield"};
    static constexpr size_t kEndTypes[] = {L::KW_RETURN, L::KW_YIELD, L::KW_YIELD};
    if (scan.type(i + 1) == L::VALUE && scan.type(i + 2) == L::EQ && scan.sameLine(i, i + 1)) {
      if (!tryMisspelt(state, i, kLoops, kLoopTypes)) takeWordAs(state, i, L::KW_FOR, "for", false);
      return stmt.startBlockOwner(StatementHead::Loop);
    }
    if (scan.type(i + 1) != L::LPAREN && tryMisspelt(state, i, kEnds, kEndTypes)) return;
    // A misspelt header such as `whlie %c {` is recognised by the brace of a block at the end of its line.
    static constexpr std::string_view kHeads[] = {"if", "while", "for", "scf.if", "scf.while"};
    static constexpr size_t kHeadTypes[] = {L::KW_IF, L::KW_WHILE, L::KW_FOR, L::KW_IF, L::KW_WHILE};
    bool onOneLine = scan.lineHoldsBlock(i) && !op && !closestName(scan.text(i), kHeads).empty();
    if (scan.lineOpensBlock(i) || onOneLine) {
      if (!tryMisspelt(state, i, kHeads, kHeadTypes)) takeWordAs(state, i, L::KW_IF, "if", false);
      return stmt.startBlockOwner(state.last.type == L::KW_IF ? StatementHead::Branch : StatementHead::Loop);
    }
  }
  if (scan.isOpName(i)) {
    stmt.head = StatementHead::Op;
    state.emit(scan.at(i), opToken(scan.clauseOf(i)));
  }
}

} // namespace

bool startStatement(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  stmt.indent = scan.at(i).firstOnLine ? scan.at(i).column : state.lineIndent;
  stmt.head = StatementHead::Item;
  stmt.expectsBlock = false;
  if (state.stack.empty()) {
    bool unnamed = scan.type(i) == L::SYMBOL && scan.type(i + 1) == L::LPAREN && scan.at(i).column <= 1;
    unnamed |= scan.type(i) == L::SIZE && scan.type(i + 1) == L::COLON && scan.at(i).column <= 1; // without `param`
    bool unnamedTest = scan.type(i) == L::KW_TEST && scan.at(i).firstOnLine;
    if (i == state.begin || scan.startsItem(i) || unnamed || unnamedTest) {
      startItem(state, i);
      if (stmt.head != StatementHead::None) return true;
    }
    if (scan.type(i) == antlr4::Token::EOF) return false;
    Diagnostic &d =
        state.report(DiagCode::OutsideKernel, state.range(i), str(state.quoted(i), " is outside of any kernel or test"));
    if (state.itemClosed) {
      state.result.superfluousBraces = true;
      d.note("a `}` above may be superfluous");
    }
    return false;
  }
  stmt.head = StatementHead::Expression;
  OpenBracket *block = &state.stack.back();
  if (!block->bodyIndent && scan.at(i).firstOnLine) block->bodyIndent = scan.at(i).column;
  if (block->host) return startHostStatement(state, i);
  startKernelStatement(state, i);
  return true;
}

bool takeStarted(ItemState &state, size_t i) {
  const TokenScan &scan = state.scan;
  if (state.last.type != L::HOST_START || scan.type(i) != L::WORD) return false;
  if (findCommunication(scan.text(i))) {
    state.emit(scan.at(i), L::HOST_COMMUNICATION);
    return true;
  }
  std::vector<std::string_view> words = rankWordNames(false);
  return tryMisspelt(state, i, words, std::vector<size_t>(words.size(), L::HOST_COMMUNICATION));
}

void startRightHandSide(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  bool afterEquals = state.last.type == L::EQ;
  size_t type = scan.type(i);
  if (type == L::KW_FOR || type == L::KW_WHILE || type == L::KW_IF) {
    stmt.startBlockOwner(type == L::KW_IF ? StatementHead::Branch : StatementHead::Loop);
    stmt.onlyResults = false;
  } else if (scan.isOpName(i) && (afterEquals || (scan.startsOperand(i + 1) && scan.sameLine(i, i + 1)))) {
    stmt.head = StatementHead::Op;
    stmt.onlyResults = false;
    state.emit(scan.at(i), opToken(scan.clauseOf(i)));
  } else if (afterEquals) {
    stmt.head = StatementHead::Expression;
    stmt.onlyResults = false;
  }
}

} // namespace xt
