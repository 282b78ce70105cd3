// Compile-time values: parameters of one instantiation, and constant expressions over them.
#pragma once
#include "ir/elem.h"
#include "lang/check/symbols.h"

#include <map>
#include <optional>
#include <string>

namespace xt {

// A parameter's or an expression's value.
struct ConstValue {
  enum class Kind : uint8_t { Int, Float, Bool, Type } kind = Kind::Int;
  int64_t integer = 0; // Int; Bool: 0 or 1
  double number = 0;   // Float
  Elem elem = Elem::Index; // Type: which. Else the type that it has; Index and F32 for bare literals
  bool literal = true;     // no declared type: it takes that of the other operand
  bool operator==(const ConstValue &) const = default;
};
std::string constText(const ConstValue &value);

// Values of a file's parameters in one instantiation: overrides first, then the declared defaults, which may depend on
// other parameters. Each mistake is reported once.
class ParamScope {
public:
  ParamScope(const FileSymbols &symbols, Diagnostics &diagnostics) : symbols_(symbols), diagnostics_(diagnostics) {}
  // The same values, with messages going elsewhere.
  ParamScope(const ParamScope &other, Diagnostics &diagnostics)
      : symbols_(other.symbols_), diagnostics_(diagnostics), values_(other.values_) {}

  // Gives a parameter another value; the name and the type have been checked.
  void override(std::string name, ConstValue value) { values_[std::move(name)] = value; }
  // A size of a test, or another name that is no parameter of the file.
  std::optional<ConstValue> get(const ast::Name &name);
  // What a declaration's `in [...]` lists, with the parameter's type; mistakes are reported and left out.
  std::vector<ConstValue> choices(const ast::ParamDecl &param);
  const FileSymbols &symbols() const { return symbols_; }
  Diagnostics &diagnostics() const { return diagnostics_; }

  // Constant expressions; null has been reported.
  std::optional<ConstValue> eval(const ast::Expr &expr);
  std::optional<int64_t> evalInt(const ast::Expr &expr, std::string_view what);

private:
  std::optional<ConstValue> evalBinary(const ast::Expr &expr);
  std::optional<ConstValue> evalCall(const ast::Expr &expr);
  std::optional<ConstValue> evalInts(const ast::Expr &expr, std::string_view op, int64_t a, int64_t b);
  std::optional<ConstValue> notConstant(const ast::Expr &expr);

  const FileSymbols &symbols_;
  Diagnostics &diagnostics_;
  std::map<std::string, std::optional<ConstValue>, std::less<>> values_;
  std::vector<std::string> evaluating_;
  int depth_ = 0;
};

// The value of a declared parameter from text (`-D BM=128`), or null if it is not of the parameter's type.
std::optional<ConstValue> paramFromText(const ast::ParamDecl &param, std::string_view text);
// `value` with the parameter's declared type; reports at `range` if it does not fit.
std::optional<ConstValue> paramValue(const ast::ParamDecl &param, ConstValue value, SourceRange range,
                                     Diagnostics &diagnostics);

// Whether an expression consists of literals only, so that it takes the type of what stands beside it.
bool isLiteral(const ast::Expr &expr);

} // namespace xt
