// Host ops: the statements of a `test` block, which make buffers, launch kernels and compare array expressions. Sizes stay
// symbolic ($M) until a run picks the full or the small ones.
#pragma once
#include "ir/base/source.h"
#include "ir/elem.h"
#include "ir/type.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xt {

enum class HostFn : uint16_t {
#define XT_HOST_FN(kind, ...) kind,
#include "ir/ops/host.def"
#undef XT_HOST_FN
};
enum class HostFnClass : uint8_t {
  Initializer, // makes a buffer of the declared type: random, ints, fill, iota, identity, load, out, from
  Elementwise, // scalar function on arrays with broadcasting
  Reduction,   // sum, max, min, mean, prod
  Array        // matmul, transpose, where, cast, softmax, gather, before
};
// The names of arguments in a list such as "kind, axis".
std::vector<std::string_view> argumentNames(std::string_view list);
struct HostFnInfo {
  HostFn fn{};
  std::string_view name;    // as written in a call: "matmul"; "" if only an operator spells it
  std::string_view op;      // the infix operator, if any: "+"
  HostFnClass cls{};
  int minArgs = 0, maxArgs = 0; // positional
  std::string_view named;   // the names of arguments, in order, comma separated: "x, dim"; each may be given by name
  std::string_view summary;
  std::string_view example;
  std::string_view kernels = ""; // equivalent kernel functions, comma separated: "minimumf, minsi"
};
std::span<const HostFnInfo> allHostFns();
const HostFnInfo &hostFnInfo(HostFn fn);
// The names that a function may have in kernels: its own name, then those in `kernels`.
std::vector<std::string_view> kernelNames(const HostFnInfo &fn);
// Finds a function by its own name, or by the name of an equivalent kernel function.
const HostFnInfo *findHostFn(std::string_view name, bool initializer);
const HostFnInfo *findHostOperator(std::string_view op, size_t operands);

// What ranks of a test pass to each other.
enum class Communication : uint8_t {
#define XT_COMMUNICATION(kind, ...) kind,
#include "ir/ops/communications.def"
};
struct CommunicationInfo {
  // Whether the result goes to a second buffer, `-> %Y`.
  enum class Into : uint8_t { Never, Optional, Always };
  Communication kind{};
  std::string_view name;  // as written: "all_reduce"
  Into into = Into::Never;
  int minArgs = 0;        // number of arguments that cannot be omitted: the first ones
  std::string_view named; // the names of arguments, in order, comma separated: "kind, axis"; each may be given by name
  std::string_view summary;
  std::string_view example;
};
std::span<const CommunicationInfo> allCommunications();
const CommunicationInfo &communicationInfo(Communication kind);
const CommunicationInfo *findCommunication(std::string_view name);
// How a communication combines values: "add", "mul", "max", "min".
std::span<const std::string_view> combineKinds();

struct HostExpr {
  enum class Kind : uint8_t {
    Int,    // `integer`; `elem` is U64 if these are the bits of 2^63 or more
    Float,  // `number`
    Text,   // `text` ("x.npy")
    Elem,   // `elem`: an element type as an argument (cast(x, f16))
    Size,   // $name: a test size
    Buffer, // %name: a buffer or a value of the test
    Index,  // a variable of `from (i, j) => …`; `integer` is its position
    Counter, // the variable of a `for`; a number once the loops are unrolled
    List,   // [a, b]; also the permutation of transpose
    Call,   // fn(args); infix operators are calls too
    Slice   // args[0][items]; `ranges` holds the items, which are never calls
  };
  Kind kind = Kind::Int;
  SourceRange range;
  int64_t integer = 0;
  double number = 0;
  std::string text; // Text, Size, Buffer, Index, Counter: the name
  Elem elem = kF32Elem;
  HostFn fn{};
  std::vector<HostExpr> args;                        // positional, in the table's order
  struct Named;
  std::vector<Named> named; // arguments passed by name, in source order
  // Slice: one item per dimension, `begin:end:step`; a single index drops the dimension (as in NumPy).
  struct Range {
    std::vector<HostExpr> begin, end, step; // empty or one element each
    bool single = false;              // a single index, stored in begin
  };
  std::vector<Range> ranges;
};
struct HostExpr::Named {
  std::string name;
  HostExpr value;
};

// Calls f on each operand of an expression: arguments, and the bounds of slices.
template <class Expr, class F> void eachOperand(Expr &expr, F &&f) {
  for (auto &arg : expr.args) f(arg);
  for (auto &arg : expr.named) f(arg.value);
  for (auto &range : expr.ranges)
    for (auto *bounds : {&range.begin, &range.end, &range.step})
      for (auto &bound : *bounds) f(bound);
}

// memref<$M x 32 x f16>: extents are expressions over sizes.
struct HostBufferType {
  std::vector<HostExpr> extents;
  Elem elem = kF32Elem;
  MemoryLayout memory;
  SourceRange range;
};

struct HostStmt {
  enum class Kind : uint8_t {
    Buffer,
    Let,
    Launch,
    Check,
    Save,
    Loop,
    Mesh,        // mesh (2, 0): arranges the ranks
    Shard,       // shard %A (0, none): each rank holds a part of a buffer
    Communicate, // [start] all_reduce %C (max)
    Wait         // wait %C: the end of what `start` has begun
  } kind = Kind::Buffer;
  SourceRange range;
  std::string name; // Buffer, Let: the name that is bound. Loop: the variable. Shard, Communicate, Wait: the buffer that
  // is sharded or written
  SourceRange nameRange;
  HostBufferType type; // Buffer
  HostExpr value; // Buffer: initializer call. Let: expression. Save: the buffer (Kind::Buffer)
  std::vector<HostExpr> indexVars; // Buffer with `from`: its variables (Kind::Index, text)
  // Launch
  std::string kernel; // a kernel of Module::kernels, by its specialised name
  SourceRange kernelRange;
  std::vector<HostExpr> args; // buffers or scalar expressions, one per kernel parameter
  std::vector<HostExpr> grid; // the grid that the launch gives, or empty
  // Check
  HostExpr left, right;
  enum class Tolerance : uint8_t { Derived, Exactly, Ulp, RelAbs } tolerance = Tolerance::Derived;
  double ulp = 0, rtol = 0, atol = 0;
  // Save
  std::string path;
  // Loop: `for %k = lower to upper step step { launches and loops }`
  std::vector<HostExpr> bounds; // lower, upper, step
  std::vector<HostStmt> body;
  // Mesh: `args` are the extents of its axes, 0 for the ranks that are left. Shard: `args` has an integer for each axis of the mesh,
  // the dimension that it divides, or -1.
  // Communicate: `value` is what is read, a buffer or a slice of one
  Communication communication{};
  bool started = false; // it goes on until `wait %name`
  std::vector<HostExpr::Named> named; // by the names in the table, in its order; "kind" is a Text
};
// Calls f on each statement, those inside of loops included, until f returns true; returns whether it did.
template <class F> bool anyStmt(const std::vector<HostStmt> &body, F &&f) {
  for (const HostStmt &stmt : body)
    if (f(stmt) || anyStmt(stmt.body, f)) return true;
  return false;
}

struct HostSize {
  std::string name; // without '$'
  int64_t full = 0;
  std::optional<int64_t> small;
};

struct HostTest {
  std::string name;
  SourceRange range, nameRange;
  std::vector<HostSize> sizes;
  bool hasSmall = false;
  std::vector<HostStmt> body;
};

} // namespace xt
