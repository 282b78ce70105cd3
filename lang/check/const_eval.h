// Compile-time values: the parameters of one instantiation, and constant expressions over them.
#pragma once
#include "ir/elem.h"
#include "lang/check/symbols.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace xt {

// A parameter's or an expression's value.
struct ConstValue {
  enum class Kind : uint8_t { Int, Float, Bool, Type } kind = Kind::Int;
  int64_t integer = 0; // Int; Bool: 0 or 1
  double number = 0;   // Float
  Elem elem = kIndexElem; // Type: the element type itself. Otherwise the value's type (Int literals: see literals.h)
  bool literal = true;     // the value has no declared type: it takes the type of the other operand
  bool operator==(const ConstValue &) const = default;
};
std::string constText(const ConstValue &value);

// Values of a file's parameters in one instantiation: an override if there is one, else the declared default, which may
// depend on other parameters. Each mistake is reported once.
class ParamScope {
public:
  ParamScope(const FileSymbols &symbols, Diagnostics &diagnostics) : symbols_(symbols), diagnostics_(diagnostics) {}
  // Copies the values, but reports to other diagnostics.
  ParamScope(const ParamScope &other, Diagnostics &diagnostics)
      : symbols_(other.symbols_), diagnostics_(diagnostics), target_(other.target_), values_(other.values_),
        generics_(other.generics_), layouts_(other.layouts_) {}

  // Sets the target whose values parameters have where they state some for it. "": those before `for`.
  void setTarget(std::string target) { target_ = std::move(target); }
  // Sets the value of a parameter or of a test's size. The caller has checked the name and the type.
  void override(std::string name, ConstValue value) { values_[std::move(name)] = value; }
  void forget(const std::string &name) { values_.erase(name); } // what override() has set
  using Generics = std::map<std::string, ConstValue, std::less<>>;
  // Sets the generic names of the function whose body is lowered, and what they stand for. Returns those before.
  Generics setGenerics(Generics names) { return std::exchange(generics_, std::move(names)); }

  // The layouts that a call gives for the parameters `#l` of the function whose body is lowered.
  struct GivenLayout {
    const ast::AttrAlias *alias = nullptr; // null while a function is checked without a call: some layout
    SourceRange declared;                  // the parameter
  };
  using Layouts = std::map<std::string, GivenLayout, std::less<>>;
  Layouts setLayouts(Layouts layouts) { return std::exchange(layouts_, std::move(layouts)); }
  // The layout that was given for a parameter `#name`, used at `place`; null if no parameter has this name.
  const GivenLayout *givenLayout(std::string_view name, SourceRange place);
  // The alias that `#name` stands for at `place`: a layout that was given, or an alias of the file. Null if there is none, which
  // is reported. The names in the alias's value are those of the file: resolve it while a FileLayouts exists.
  const ast::AttrAlias *attrAlias(std::string_view name, SourceRange place);
  // What a generic name stands for; null for other names.
  const ConstValue *generic(std::string_view name) const;
  // Returns the value of a parameter or of a name that override() has set. Nullopt if the value has an error, which is reported
  // here unless it was reported before.
  std::optional<ConstValue> get(const ast::Name &name);
  // The values in a declaration's list `in [...]`, converted to the parameter's type. Reports invalid values and skips them.
  std::vector<ConstValue> choices(const ast::ParamDecl &param);
  const FileSymbols &symbols() const { return symbols_; }
  Diagnostics &diagnostics() const { return diagnostics_; }

  // Evaluates a constant expression. Nullopt if it has an error, which is reported here unless it was reported before.
  std::optional<ConstValue> eval(const ast::Expr &expr);
  std::optional<int64_t> evalInt(const ast::Expr &expr, std::string_view what);

private:
  std::optional<ConstValue> declared(const ast::ParamDecl &param, const std::optional<ast::Expr> &value,
                                     const std::optional<ast::TypeExpr> &type);
  std::optional<ConstValue> evalUnary(const ast::Expr &expr);
  std::optional<ConstValue> evalBinary(const ast::Expr &expr);
  std::optional<ConstValue> evalCall(const ast::Expr &expr);
  std::optional<ConstValue> evalInts(const ast::Expr &expr, const ConstValue &left, const ConstValue &right);
  std::optional<ConstValue> notConstant(const ast::Expr &expr);
  std::optional<ConstValue> beyond64Bits(const ast::Expr &expr);
  Diagnostic &notDefined(const ast::Expr &expr, const ConstValue &operand); // reports the operator of `expr`

  const FileSymbols &symbols_;
  Diagnostics &diagnostics_;
  std::string target_;
  std::map<std::string, std::optional<ConstValue>, std::less<>> values_;
  Generics generics_;
  Layouts layouts_;
  std::vector<std::string> evaluating_;
  int depth_ = 0;
};

// While it exists, `#name` stands for an alias of the file, and not for a layout that a call gives.
class FileLayouts {
public:
  explicit FileLayouts(ParamScope &params) : params_(params), outer_(params.setLayouts({})) {}
  FileLayouts(const FileLayouts &) = delete;
  ~FileLayouts() { params_.setLayouts(std::move(outer_)); }

private:
  ParamScope &params_;
  ParamScope::Layouts outer_;
};

// Parses the value of a declared parameter (`-D BM=128`). Null if the text is not a value of the parameter's type.
std::optional<ConstValue> paramFromText(const ast::ParamDecl &param, std::string_view text);
// Converts `value` to the parameter's declared type. Reports an error at `range` and returns nullopt if it does not fit.
std::optional<ConstValue> paramValue(const ast::ParamDecl &param, ConstValue value, SourceRange range,
                                     Diagnostics &diagnostics);

// Whether an expression consists of number literals only, so that it takes the type of the other operand.
bool isLiteral(const ast::Expr &expr);

} // namespace xt
