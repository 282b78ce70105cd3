// The AST: the syntax of a file with source ranges, before names and types are resolved. lang/parse builds it; lang/check,
// lang/lower, the formatter and the language server use it. A text with syntax errors gives a tree too; the parts that could
// not be parsed are missing or have kind Error.
#pragma once
#include "ir/base/source.h"
#include "ir/op_info.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace xt::ast {

struct Name { // a name in the source; `text` is without the sigil
  std::string text;
  SourceRange range; // includes the sigil
  explicit operator bool() const { return !text.empty(); }
};

// Like std::optional, but with the value on the heap: a statement has many optional parts, and the absent ones should take
// little memory.
template <class T> class Maybe {
public:
  Maybe() = default;
  Maybe(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Maybe(const Maybe &other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Maybe(Maybe &&) noexcept = default;
  Maybe &operator=(Maybe other) noexcept { return value_ = std::move(other.value_), *this; }
  ~Maybe() = default;
  explicit operator bool() const { return value_ != nullptr; }
  bool has_value() const { return value_ != nullptr; }
  T &operator*() { return *value_; }
  const T &operator*() const { return *value_; }
  T *operator->() { return value_.get(); }
  const T *operator->() const { return value_.get(); }
  template <class... Args> T &emplace(Args &&...args) { return *(value_ = std::make_unique<T>(std::forward<Args>(args)...)); }
  void reset() { value_.reset(); }

private:
  std::unique_ptr<T> value_;
};

struct Attr;
struct TypeExpr;

struct Expr {
  enum class Kind : uint8_t {
    Error,
    Int,    // integer (hex too); text keeps the spelling
    Float,  // number: 1.0, 1e-5, nan, inf, hex float
    Text,   // "…" in `text`, escapes resolved
    Bool,   // true, false: integer 1 or 0
    Value,  // %x
    Values, // %x:2 — integer is the count; names are x#0, x#1 (the RFC's shorthand for several values)
    Param,  // $x
    Symbol, // @f
    Alias,  // #l: a layout as the argument of a call
    Ident,  // a bare word: an index variable, a type name as an argument, a keyword argument's value
    Unary,  // text is "-", "~" or "not"
    Binary, // text is "+", "-", "*", "/", "mod", "<<", ">>", "&", "^", "|", "<", "<=", "==", "!=", ">", ">=", "and", "or"
    Call,   // text is the callee without sigil; symbolCall when @f(…). Argument names in argNames ("" if positional)
    Index,  // children[0] [ items ]: items are the other children (expressions or Slice)
    Slice,  // begin : end : step. children[0], children[1]: begin and end, of Kind::Error and with an empty range if absent;
            // children[2]: the step, if given. Also a factor of #layout<…>: 4:sg*8
    List,   // [a, b]
  };
  Kind kind = Kind::Error;
  SourceRange range;
  std::string text;
  SourceRange textRange; // the range of the operator or callee
  int64_t integer = 0; // Int: the bits of a uint64_t, since a sign is a separate operator; negative for 2^63 and above
  bool overflows = false; // the literal fits neither 64 bits nor f64; reported by the checker
  double number = 0;
  bool symbolCall = false;
  bool parenthesised = false;
  std::vector<Expr> children;
  std::vector<Name> argNames;

  bool is(Kind k) const { return kind == k; }
};

struct Extent {
  SourceRange range;
  bool dynamic = false;      // '?'
  std::optional<Expr> value; // an integer, $param or [expression]
};

// An attribute: #name, #name<key = value, …>, a number, [list], {dict}, a type or a word. Bodies of aliases and attribute
// groups are attributes too.
struct Attr {
  enum class Kind : uint8_t { Error, Value, Word, Alias, Mapping, List, Dict, Type, AffineMap };
  struct Entry;
  Kind kind = Kind::Error;
  SourceRange range;
  Name name;                  // Alias: #name. Mapping: #name<…> (dialect prefix kept in text). Word: a bare word
  Maybe<Expr> value;  // Value: a number, string, bool, parameter or expression
  std::vector<Attr> items;    // List
  std::vector<Entry> entries; // Mapping, Dict
  std::shared_ptr<TypeExpr> type;
  std::vector<int64_t> results; // AffineMap: (d0, d1) -> (d1, d0) is {1, 0}; the constant 0 is kMapZero
  size_t mapDims = 0; // AffineMap: the number of dimensions on its left side; `name` is set for the form affine_map = <…>
};
inline constexpr int64_t kMapZero = -1;
struct Attr::Entry {
  Name key;                  // empty for a positional entry: `{#mp_b}`, `#slm` …
  Maybe<Attr> value; // empty for a flag
  SourceRange range;
};

struct TypeExpr {
  enum class Kind : uint8_t {
    Error,
    Word,  // f32, index, nbarrier: `name`
    Param, // $T
    Alias, // !name
    Shaped // memref<…>, vector<…>, tile<…>, tensor_desc<…>: `name` is the constructor
  };
  Kind kind = Kind::Error;
  SourceRange range;
  Name name;
  std::vector<Extent> extents;       // Shaped
  std::shared_ptr<TypeExpr> element; // Shaped: Word or Param
  std::vector<Attr::Entry> attrs;    // Shaped: the attributes after the element: #mp_a, slm, strided<[?, 1]>, order = [0, 1]
};

struct Signature {
  SourceRange range;
  std::vector<TypeExpr> left, right;
  bool hasArrow = false; // `->`, `into`, `=>`, `to`
};

// An op with its operands, attributes and signature. An operand includes bracket lists that follow it directly (`%A[%i, 0]`).
struct OpClause {
  Clause shape = Clause::Operands;
  Name op;                  // as spelled, with prefix: "xetile.load_tile"
  Maybe<Name> kind; // Kind: the word, such as add in <add>; Dimension: the dimension, such as x
  std::vector<Expr> operands;
  Maybe<Expr> offsets, shapeList, strides; // Base: three bracket lists (Kind::List)
  Maybe<Expr> dims;                        // Kind, Dims: [1] or [1, 0], before or after the operands
  Maybe<Expr> locality;                    // locality<n>
  Maybe<Expr> text;                        // Text
  Maybe<Attr> literal;                     // Literal: constant's value
  std::vector<Attr> flags;                 // MLIR's flags after the operands: a Word, or a Mapping if brackets follow
  std::vector<Attr> attrs;                         // each a Dict: the `{…}` groups in source order
  Maybe<Signature> signature;
};

struct Param { // a parameter of a kernel, of a function or of a block's label
  Name name;
  TypeExpr type;
  bool isFunction = false; // `@f`: a function, which has no type
  bool isLayout = false;   // `#l`: a layout, which has none either
  bool isValue() const { return !isFunction && !isLayout; }
};

struct Generic { // `$T: float` or `T: float` in the angle brackets of a function
  Name name; // without `$`
  Name constraint; // empty if there is none
};

struct Stmt;
struct Block {
  SourceRange range; // with braces
  Name label;                // `^bb0` with its sigil; empty if the block has no label
  std::vector<Param> params; // ^bb0(%x: f32)
  std::vector<Stmt> stmts;
};

struct Binding { // %x or %x:2
  Name name;
  int64_t count = 1;
};

struct IterArg {
  Name name;
  Expr init;
};

struct Stmt {
  enum class Kind : uint8_t {
    Error,  // could not be parsed to its end: has the results and any other parts that were parsed
    Op,     // results = op clause
    Assign, // results = expression (a literal, infix, call)
    For,    // for %i = a to b [step s] [iter_args(…) [-> (types)]] { }
    While,  // while cond { }; while (iter args) : signature { } do { }, the second block in orElse
    If,     // if cond [-> (types)] { } else { }; else-if nests in orElse
    Yield,  // scf.yield a, b : types
    Condition, // scf.condition(cond) a, b : types
    Return, // return a, b
    Call,   // @f(%x) for its effects; value in expr
    // host statements, in `test` blocks only
    Buffer, // %A = init : memref<…>
    Launch, // launch @k(args) {overrides} grid (…)
    Check,  // check left == right [tolerance]
    Save,   // save %A "path"
    Mesh,   // mesh (2, 0)
    Shard,  // shard %A (0, none)
    Communicate, // [start] all_reduce %A [-> %B] (max)
    Wait    // wait %A
  };
  Kind kind = Kind::Error;
  SourceRange range;
  std::vector<Binding> results;
  Maybe<OpClause> op;
  Maybe<Expr> expr; // Assign, Call; While/If/Condition: the condition; Buffer: the initializer, a Call unless it is wrong
                    // (`out` is out(), `load "x"` load("x"), `from (i) => e` from(e)); Save, Shard, Wait: the buffer;
                    // Communicate: the source, a Value or an Index
  Maybe<TypeExpr> type; // Buffer, Assign: the type after `:`; For: the type of the variable
  Maybe<Attr> attrs;    // Assign: the attribute group after the expression; Launch: the overrides
  // For
  Name variable;
  Maybe<Expr> lower, upper, step;
  std::vector<IterArg> iterArgs;
  std::vector<TypeExpr> resultTypes; // For, If
  Maybe<Block> body, orElse;
  // Yield, Condition, Return; the arguments of Launch, Mesh, Shard, Communicate
  std::vector<Expr> values;
  Maybe<Signature> signature;
  // Launch
  Name kernel;
  std::vector<Expr> grid;
  // Buffer with `from (i, j) => e`
  std::vector<Name> indexVars;
  // Check
  Maybe<Expr> left, right;
  enum class Tolerance : uint8_t { Derived, Exactly, Within } tolerance = Tolerance::Derived;
  std::vector<std::pair<Name, Expr>> within; // ulp = n, rtol = …, atol = …
  // Save
  Maybe<Expr> path;
  // Mesh, Shard, Communicate, Wait
  Name word;                  // `mesh`, `all_reduce` …
  Name start;                 // the `start` before a communication, or nothing
  std::vector<Name> argNames; // the names of `values`, empty if positional
  Maybe<Expr> into;           // the destination behind `->`
};

struct GridVar {
  Name name;
  Expr lower, upper;
  std::optional<Expr> step;
};

struct KernelDecl {
  SourceRange range;
  bool broken = false; // the header could not be parsed to its end: parameters may be missing
  Name name;
  bool isFunction = false; // func, func.func: inlined unless it is launched (the RFC writes kernels as func.func)
  // A function of tests, `func @f(%x) = formula`: its parameters have no types, and its body binds names (Assign) and ends in a
  // Return. Implies isFunction.
  bool ofTests = false;
  std::vector<Generic> generics;
  std::vector<Param> params;
  std::vector<TypeExpr> results;
  std::vector<GridVar> grid;
  std::vector<Expr> requirements; // `requires (a, b)`
  std::optional<Expr> subgroups, lanes;
  std::vector<Name> forms; // `form a, b`
  Block body;
};

struct TargetChoice { // "xe-dg2" = 128
  SourceRange range;
  std::string target;
  SourceRange targetRange;
  std::optional<Expr> value; // one of the two is set, as in ParamDecl
  std::optional<TypeExpr> typeValue;
};

struct ParamDecl { // param $BM : index = 256 in [128, 256] for "xe-dg2" = 128
  SourceRange range;
  Name name;
  TypeExpr type;
  std::optional<Expr> value; // the default of a scalar parameter
  std::optional<TypeExpr> typeValue; // the default of a parameter that is declared as `: type`
  std::vector<Expr> choices;
  std::vector<TypeExpr> typeChoices;
  std::vector<TargetChoice> targetChoices; // defaults for targets
};

struct AttrAlias { // #mp_a = #wg_map<…>
  SourceRange range;
  Name name;
  Attr value;
};
struct TypeAlias { // !t = memref<…>
  SourceRange range;
  Name name;
  TypeExpr value;
};
struct ImportDecl {
  SourceRange range;
  std::string path;
  SourceRange pathRange;
};

struct SizeDecl {
  Name name;
  Expr value;
};
struct TestDecl {
  SourceRange range;
  bool broken = false; // the header could not be parsed to its end
  std::string name;
  SourceRange nameRange;
  std::vector<SizeDecl> sizes, small;
  bool hasSmall = false;
  Block body;
};

// The declarations of a file; those of each kind are in source order.
struct File {
  uint32_t file = 0;
  std::vector<ImportDecl> imports;
  std::vector<ParamDecl> params;
  std::vector<AttrAlias> attrAliases;
  std::vector<TypeAlias> typeAliases;
  std::vector<KernelDecl> kernels;
  std::vector<TestDecl> tests;
};

// Prints the tree as indented text with ranges as line:column, for `xtc --emit=ast` and tests. Deterministic.
std::string dump(const File &file, const SourceFile &source);

} // namespace xt::ast
