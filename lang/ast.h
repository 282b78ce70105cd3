// The AST: what the grammar says, with ranges, before any name or type is resolved. Built by lang/parse; read by
// lang/check, lang/lower, the formatter and the language server. Broken text still gives a tree: what could not be read
// is missing or of kind Error.
#pragma once
#include "ir/base/source.h"
#include "ir/op_info.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xt::ast {

struct Name { // without its sigil
  std::string text;
  SourceRange range; // with the sigil
  explicit operator bool() const { return !text.empty(); }
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
    Values, // %x:2 — integer is the count; names are x#0, x#1 (the seeds' shorthand for several values)
    Param,  // $x
    Symbol, // @f
    Ident,  // a bare word: an index variable, a type name as an argument, a keyword argument's value
    Unary,  // text is "-" or "not"
    Binary, // text is "+", "-", "*", "/", "mod", "<", "<=", "==", "!=", ">", ">=", "and", "or"
    Call,   // text is the callee without sigil; symbolCall when @f(…). Argument names in argNames ("" if positional)
    Index,  // children[0] [ items ]: items are the other children (expressions or Slice)
    Slice,  // begin : end, each may be absent (children[0], children[1] with Kind::Error and an empty range if absent).
            // Also a factor of #layout<…>: 4:subgroup*8
    List,   // [a, b]
  };
  Kind kind = Kind::Error;
  SourceRange range;
  std::string text;
  SourceRange textRange; // of the operator or callee
  int64_t integer = 0; // Int: the bits of a uint64_t (the sign is an operator); negative from 2^63 on
  bool integerOverflow = false; // the literal does not fit 64 bits; reported by the checker
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

// #name, #name<key = value, …>, number, [list], {dict}, a type, a word. Alias bodies and attribute groups.
struct Attr {
  enum class Kind : uint8_t { Error, Value, Word, Alias, Mapping, List, Dict, Type, AffineMap };
  struct Entry;
  Kind kind = Kind::Error;
  SourceRange range;
  Name name;                  // Alias: #name. Mapping: #name<…> (dialect prefix kept in text). Word: a bare word
  std::optional<Expr> value;  // Value: a number, string, bool, parameter or expression
  std::vector<Attr> items;    // List
  std::vector<Entry> entries; // Mapping, Dict
  std::shared_ptr<TypeExpr> type;
  std::vector<int64_t> permutation; // AffineMap: (d0, d1) -> (d1, d0) is {1, 0}; its name is set in affine_map = <…>
};
struct Attr::Entry {
  Name key;                  // empty for a positional entry: `{#mp_b}`, `#slm` …
  std::optional<Attr> value; // none: a flag
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
  std::vector<Attr::Entry> attrs;    // Shaped: after the element, e.g. #mp_a, slm, strided<[?, 1]>, order = [0, 1]
};

struct Signature {
  SourceRange range;
  std::vector<TypeExpr> left, right;
  bool hasArrow = false; // `->`, `into`, `=>`, `to`
};

// An operand as written: an expression, with the bracket lists that follow it directly (`%A[%i, 0]`).
struct OpClause {
  Clause shape = Clause::Operands;
  Name op;                  // as spelled, with prefix: "xetile.load_tile"
  std::optional<Name> kind; // <add>; Dimension: x
  std::vector<Expr> operands;
  std::optional<Expr> offsets, shapeList, strides; // Base: three bracket lists (Kind::List)
  std::optional<Expr> dims;                        // Kind, Dims: [1] or [1, 0], before or after the operands
  std::optional<Expr> locality;                    // locality<n>
  std::optional<Expr> text;                        // Text
  std::optional<Attr> literal;                     // Literal: constant's value
  std::vector<Attr> attrs;                         // each a Dict: the `{…}` groups in source order
  std::optional<Signature> signature;
};

struct Stmt;
struct Block {
  SourceRange range; // with braces
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
    Error,  // could not be read to its end: holds the results, and whatever else was read
    Op,     // results = op clause
    Assign, // results = expression (a literal, infix, call)
    For,    // for %i = a to b [step s] [iter_args(…) [-> (types)]] { }
    While,  // while cond { }
    If,     // if cond [-> (types)] { } else { }; else-if nests in orElse
    Yield,  // scf.yield a, b : types
    Return, // return a, b
    Call,   // @f(%x) for its effects; value in expr
    // host statements, in `test` blocks only
    Buffer, // %A = init : memref<…>
    Launch, // launch @k(args) {overrides} grid (…)
    Check,  // check left == right [tolerance]
    Save    // save %A "path"
  };
  Kind kind = Kind::Error;
  SourceRange range;
  std::vector<Binding> results;
  std::optional<OpClause> op;
  std::optional<Expr> expr; // Assign, Call; While/If: the condition; Buffer: the initializer, always a
                            // Call (`out` is out(), `load "x"` load("x"), `from (i) => e` from(e)); Save: the buffer
  std::optional<TypeExpr> type; // Buffer; Assign with `: type`
  std::optional<Attr> attrs;    // Assign: attribute group after the expression; Launch: overrides
  // For
  Name variable;
  std::optional<Expr> lower, upper, step;
  std::vector<IterArg> iterArgs;
  std::vector<TypeExpr> resultTypes; // For, If
  std::optional<Block> body, orElse;
  // Yield, Return, Launch arguments
  std::vector<Expr> values;
  std::optional<Signature> signature;
  // Launch
  Name kernel;
  std::vector<Expr> grid;
  // Buffer with `from (i, j) => e`
  std::vector<Name> indexVars;
  // Check
  std::optional<Expr> left, right;
  enum class Tolerance : uint8_t { Derived, Exactly, Within } tolerance = Tolerance::Derived;
  std::vector<std::pair<Name, Expr>> within; // ulp = n, rtol = …, atol = …
  // Save
  std::optional<Expr> path;
};

struct Param { // of a kernel or function
  Name name;
  TypeExpr type;
};

struct GridVar {
  Name name;
  Expr lower, upper;
  std::optional<Expr> step;
};

struct KernelDecl {
  SourceRange range;
  bool broken = false; // the header could not be read to its end: parameters may be missing
  Name name;
  bool isFunction = false; // func, func.func: inlined unless it is launched (the RFC writes kernels as func.func)
  std::vector<Param> params;
  std::vector<TypeExpr> results;
  std::vector<GridVar> grid;
  std::optional<Expr> subgroups, lanes;
  std::vector<Name> forms; // `form a, b`
  Block body;
};

struct ParamDecl { // param $BM : index = 256 in [128, 256]
  SourceRange range;
  Name name;
  TypeExpr type;
  std::optional<Expr> value;         // of a scalar parameter
  std::optional<TypeExpr> typeValue; // of `: type`
  std::vector<Expr> choices;
  std::vector<TypeExpr> typeChoices;
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
  bool broken = false; // as a kernel's
  std::string name;
  SourceRange nameRange;
  std::vector<SizeDecl> sizes, small;
  bool hasSmall = false;
  Block body;
};

// Declarations of each kind in source order.
struct File {
  uint32_t file = 0;
  std::vector<ImportDecl> imports;
  std::vector<ParamDecl> params;
  std::vector<AttrAlias> attrAliases;
  std::vector<TypeAlias> typeAliases;
  std::vector<KernelDecl> kernels;
  std::vector<TestDecl> tests;
};

// Indented text of the tree with ranges as line:column, for `xtc --emit=ast` and tests. Deterministic.
std::string dump(const File &file, const SourceFile &source);

} // namespace xt::ast
