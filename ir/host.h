// Host ops: what a `test` block does. Buffers are made, kernels launched, expressions of arrays compared. Sizes stay
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
struct HostFnInfo {
  HostFn fn{};
  std::string_view name;    // as written in a call: "matmul"; "" for what only an operator spells
  std::string_view op;      // the infix operator, if any: "+"
  HostFnClass cls{};
  int minArgs = 0, maxArgs = 0; // positional
  std::string_view named;   // the names of arguments, in order, comma separated: "x, dim"; each may be given by name
  std::string_view summary;
  std::string_view example;
  std::string_view kernels = ""; // the functions of kernels that compute the same, comma separated: "minimumf, minsi"
};
std::span<const HostFnInfo> allHostFns();
const HostFnInfo &hostFnInfo(HostFn fn);
// By its name, or by that of a kernel's function.
const HostFnInfo *findHostFn(std::string_view name, bool initializer);
const HostFnInfo *findHostOperator(std::string_view op, size_t operands);

struct HostExpr {
  enum class Kind : uint8_t {
    Int,    // integer; elem is U64 where it holds the bits of 2^63 or more
    Float,  // number
    Text,   // text ("x.npy")
    Elem,   // elem: an element type as an argument (cast(x, f16))
    Size,   // $name: a test size
    Buffer, // %name: a buffer or a value of the test
    Index,  // a variable of `from (i, j) => …`; integer: which one
    List,   // [a, b]; also the permutation of transpose
    Call,   // fn(args); infix operators are calls too
    Slice   // args[0][items]; each item is a Call-less Range below
  };
  Kind kind = Kind::Int;
  SourceRange range;
  int64_t integer = 0;
  double number = 0;
  std::string text; // Text, Size, Buffer, Index: the name
  Elem elem = Elem::F32;
  HostFn fn{};
  std::vector<HostExpr> args;                        // positional, in the table's order
  struct Named;
  std::vector<Named> named; // arguments given by name, in source order
  // Slice: one item per dimension. `begin:end:step`; a single index drops the dimension (NumPy).
  struct Range {
    std::vector<HostExpr> begin, end, step; // none or one each
    bool single = false;              // an index, in begin
  };
  std::vector<Range> ranges;
};
struct HostExpr::Named {
  std::string name;
  HostExpr value;
};

// memref<$M x 32 x f16>: extents are expressions of sizes.
struct HostBufferType {
  std::vector<HostExpr> extents;
  Elem elem = Elem::F32;
  MemoryLayout memory;
  SourceRange range;
};

struct HostStmt {
  enum class Kind : uint8_t { Buffer, Let, Launch, Check, Save } kind = Kind::Buffer;
  SourceRange range;
  std::string name;          // Buffer, Let: what is bound
  SourceRange nameRange;
  HostBufferType type;       // Buffer
  HostExpr value;            // Buffer: initializer call. Let: expression. Save: the buffer (Kind::Buffer)
  std::vector<HostExpr> indexVars; // Buffer with `from`: its variables (Kind::Index, text)
  // Launch
  std::string kernel;        // of Module::kernels, specialised name
  SourceRange kernelRange;
  std::vector<HostExpr> args; // buffers or scalar expressions, one per kernel parameter
  std::vector<HostExpr> grid; // the launch's own grid, or none
  // Check
  HostExpr left, right;
  enum class Tolerance : uint8_t { Derived, Exactly, Ulp, RelAbs } tolerance = Tolerance::Derived;
  double ulp = 0, rtol = 0, atol = 0;
  // Save
  std::string path;
};

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
