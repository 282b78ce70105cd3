#include "ir/print.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/integer_text.h"

#include <algorithm>

namespace xt {
namespace {

// Precedence of operators, as in Python; larger binds tighter.
enum HostPrecedence : int {
  kHostAny = 0,
  kHostOr = 1,
  kHostAnd,
  kHostNot,
  kHostCompare,
  kHostSum,
  kHostProduct,
  kHostSign,
  kHostPostfix
};

int precedenceOf(HostFn fn, size_t operands) {
  std::string_view op = hostFnInfo(fn).op;
  if (op == "or") return kHostOr;
  if (op == "and") return kHostAnd;
  if (op == "not") return kHostNot;
  if (op == "~") return kHostSign;
  if (op == "*" || op == "/" || op == "mod") return kHostProduct;
  if (op == "+" || op == "-") return operands == 1 ? kHostSign : kHostSum;
  return kHostCompare;
}

class TestPrinter {
public:
  explicit TestPrinter(std::string &out) : out_(out) {}
  void test(const HostTest &test);

private:
  void sizes(const HostTest &test, bool small);
  void body(const std::vector<HostStmt> &statements, size_t indent);
  void loop(const HostStmt &stmt, size_t indent);
  void statement(const HostStmt &stmt);
  void check(const HostStmt &stmt);
  void shard(const HostStmt &stmt);
  void communicate(const HostStmt &stmt);
  void bufferType(const HostBufferType &type);
  void initializer(const HostStmt &stmt);
  void expression(const HostExpr &expr, int precedence = kHostAny);
  void operatorCall(const HostExpr &expr, int precedence);
  void arguments(const HostExpr &expr);
  void slice(const HostExpr &expr);
  void list(const std::vector<HostExpr> &items);

  std::string &out_;
  int depth_ = 0;
};

void TestPrinter::test(const HostTest &test) {
  out_ += "test " + quotedText(test.name);
  if (!test.sizes.empty()) sizes(test, false);
  if (test.hasSmall) {
    out_ += " small";
    sizes(test, true);
  }
  out_ += " {\n";
  body(test.body, 2);
  out_ += "}\n";
}

void TestPrinter::body(const std::vector<HostStmt> &statements, size_t indent) {
  for (const HostStmt &stmt : statements) {
    out_.append(indent, ' ');
    if (stmt.kind == HostStmt::Kind::Loop)
      loop(stmt, indent);
    else
      statement(stmt);
    out_ += "\n";
  }
}

void TestPrinter::loop(const HostStmt &stmt, size_t indent) {
  XT_CHECK(indent < 2 * kMaxPrintDepth, "the loops of a test nest too deeply");
  out_ += "for %" + stmt.name + " = ";
  expression(stmt.bounds[0]);
  out_ += " to ";
  expression(stmt.bounds[1]);
  if (const HostExpr &step = stmt.bounds[2]; step.kind != HostExpr::Kind::Int || step.integer != 1) {
    out_ += " step ";
    expression(step);
  }
  out_ += " {\n";
  body(stmt.body, indent + 2);
  out_.append(indent, ' ');
  out_ += "}";
}

void TestPrinter::sizes(const HostTest &test, bool small) {
  std::string text;
  for (const HostSize &size : test.sizes) {
    if (small && !size.small) continue;
    text += str(text.empty() ? "" : ", ", size.name, " = ", small ? *size.small : size.full);
  }
  out_ += " {" + text + "}";
}

void TestPrinter::statement(const HostStmt &stmt) {
  switch (stmt.kind) {
  case HostStmt::Kind::Buffer:
    out_ += "%" + stmt.name + " = ";
    initializer(stmt);
    out_ += " : ";
    bufferType(stmt.type);
    return;
  case HostStmt::Kind::Let:
    out_ += "%" + stmt.name + " = ";
    expression(stmt.value);
    return;
  case HostStmt::Kind::Launch:
    out_ += "launch " + symbolText(stmt.kernel) + "(";
    list(stmt.args);
    out_ += ")";
    if (stmt.grid.empty()) return;
    out_ += " grid (";
    list(stmt.grid);
    out_ += ")";
    return;
  case HostStmt::Kind::Check: check(stmt); return;
  case HostStmt::Kind::Save:
    out_ += "save ";
    expression(stmt.value);
    out_ += " " + quotedText(stmt.path);
    return;
  case HostStmt::Kind::Mesh:
    out_ += "mesh (";
    list(stmt.args);
    out_ += ")";
    return;
  case HostStmt::Kind::Shard: shard(stmt); return;
  case HostStmt::Kind::Communicate: communicate(stmt); return;
  case HostStmt::Kind::Wait: out_ += "wait %" + stmt.name; return;
  case HostStmt::Kind::Loop: XT_UNREACHABLE("a loop is printed with its body");
  }
}

void TestPrinter::shard(const HostStmt &stmt) {
  std::vector<std::string> dims;
  for (const HostExpr &dim : stmt.args) dims.push_back(dim.integer < 0 ? "none" : str(dim.integer));
  out_ += "shard %" + stmt.name + " (" + join(dims, ", ") + ")";
}

void TestPrinter::communicate(const HostStmt &stmt) {
  out_ += str(stmt.started ? "start " : "", communicationInfo(stmt.communication).name, " ");
  expression(stmt.value);
  if (stmt.value.kind != HostExpr::Kind::Buffer || stmt.value.text != stmt.name) out_ += " -> %" + stmt.name;
  if (stmt.named.empty()) return;
  out_ += " (";
  for (size_t i = 0; i < stmt.named.size(); ++i) {
    out_ += str(i ? ", " : "", stmt.named[i].name, " = ");
    if (stmt.named[i].value.kind == HostExpr::Kind::Text)
      out_ += stmt.named[i].value.text; // a word, not a string
    else
      expression(stmt.named[i].value);
  }
  out_ += ")";
}

void TestPrinter::check(const HostStmt &stmt) {
  out_ += "check ";
  expression(stmt.left, kHostCompare + 1);
  out_ += " == ";
  expression(stmt.right, kHostCompare + 1);
  switch (stmt.tolerance) {
  case HostStmt::Tolerance::Derived: return;
  case HostStmt::Tolerance::Exactly: out_ += " exactly"; return;
  case HostStmt::Tolerance::Ulp: out_ += " within ulp = " + floatText(stmt.ulp); return;
  case HostStmt::Tolerance::RelAbs:
    out_ += " within rtol = " + floatText(stmt.rtol) + ", atol = " + floatText(stmt.atol);
    return;
  }
}

void TestPrinter::bufferType(const HostBufferType &type) {
  bool literal = std::all_of(type.extents.begin(), type.extents.end(),
                             [](const HostExpr &e) { return e.kind == HostExpr::Kind::Int && e.integer >= 0; });
  std::string_view times = literal ? "x" : " x ";
  out_ += "memref<";
  for (const HostExpr &extent : type.extents) {
    bool bare = extent.kind == HostExpr::Kind::Size || (extent.kind == HostExpr::Kind::Int && extent.integer >= 0);
    if (!bare) out_ += "[";
    expression(extent);
    if (!bare) out_ += "]";
    out_ += times;
  }
  out_ += str(elemName(type.elem), memoryText(type.memory), ">");
}

void TestPrinter::initializer(const HostStmt &stmt) {
  const HostExpr &value = stmt.value;
  if (value.kind != HostExpr::Kind::Call) return expression(value);
  const HostFnInfo &info = hostFnInfo(value.fn);
  if (value.fn == HostFn::From) {
    out_ += "from (";
    list(stmt.indexVars);
    out_ += ") => ";
    if (!value.args.empty()) expression(value.args[0]);
    return;
  }
  out_ += info.name;
  if (value.fn == HostFn::Load && !value.args.empty()) {
    out_ += " ";
    return expression(value.args[0]);
  }
  if (info.maxArgs > 0) arguments(value);
}

void TestPrinter::expression(const HostExpr &expr, int precedence) {
  XT_CHECK(++depth_ < kMaxPrintDepth, "an expression of a test nests too deeply");
  switch (expr.kind) {
  case HostExpr::Kind::Int:
  case HostExpr::Kind::Float: {
    std::string text = expr.kind == HostExpr::Kind::Int ? integerText(expr.elem, expr.integer) : floatText(expr.number);
    out_ += text[0] == '-' && precedence > kHostAny ? "(" + text + ")" : text;
    break;
  }
  case HostExpr::Kind::Text: out_ += quotedText(expr.text); break;
  case HostExpr::Kind::Elem: out_ += elemName(expr.elem); break;
  case HostExpr::Kind::Size: out_ += "$" + expr.text; break;
  case HostExpr::Kind::Counter:
  case HostExpr::Kind::Buffer: out_ += "%" + expr.text; break;
  case HostExpr::Kind::Index: out_ += expr.text; break;
  case HostExpr::Kind::List:
    out_ += "[";
    list(expr.args);
    out_ += "]";
    break;
  case HostExpr::Kind::Call:
    if (hostFnInfo(expr.fn).name.empty()) {
      operatorCall(expr, precedence);
    } else {
      out_ += hostFnInfo(expr.fn).name;
      arguments(expr);
    }
    break;
  case HostExpr::Kind::Slice: slice(expr); break;
  }
  --depth_;
}

void TestPrinter::operatorCall(const HostExpr &expr, int precedence) {
  int own = precedenceOf(expr.fn, expr.args.size());
  std::string_view op = hostFnInfo(expr.fn).op;
  bool parentheses = own < precedence;
  if (parentheses) out_ += "(";
  if (expr.args.size() == 1) {
    out_ += own == kHostNot ? "not " : op;
    // A sign directly before a number would be parsed as part of the number.
    bool number = expr.args[0].kind == HostExpr::Kind::Int || expr.args[0].kind == HostExpr::Kind::Float;
    if (number) out_ += "(";
    expression(expr.args[0], number ? kHostAny : own);
    if (number) out_ += ")";
  } else {
    expression(expr.args[0],
               own == kHostCompare ? own + 1 : own); // comparisons do not chain; other operators are left-associative
    out_ += str(" ", op, " ");
    expression(expr.args[1], own + 1);
  }
  if (parentheses) out_ += ")";
}

void TestPrinter::arguments(const HostExpr &expr) {
  out_ += "(";
  list(expr.args);
  bool first = expr.args.empty();
  for (const auto &[name, value] : expr.named) {
    out_ += str(first ? "" : ", ", name, " = ");
    first = false;
    expression(value);
  }
  out_ += ")";
}

void TestPrinter::slice(const HostExpr &expr) {
  expression(expr.args[0], kHostPostfix);
  out_ += "[";
  for (size_t i = 0; i < expr.ranges.size(); ++i) {
    const HostExpr::Range &range = expr.ranges[i];
    if (i) out_ += ", ";
    if (!range.begin.empty()) expression(range.begin[0]);
    if (range.single) continue;
    out_ += ":";
    if (!range.end.empty()) expression(range.end[0]);
    if (range.step.empty()) continue;
    out_ += ":";
    expression(range.step[0]);
  }
  out_ += "]";
}

void TestPrinter::list(const std::vector<HostExpr> &items) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (i) out_ += ", ";
    expression(items[i]);
  }
}

} // namespace

void printTest(std::string &out, const HostTest &test) { TestPrinter(out).test(test); }

} // namespace xt
