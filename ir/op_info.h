// The facts about an op: one row of the table in ir/ops/*.def. Parser, printer, verifier, completion, hover and the op
// reference are loops over these rows; no other place states a fact about an op.
#pragma once
#include "ir/base/source.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace xt {

// Only files that name a kind of op need ir/op_kinds.h. Other files do not include it, so that a new row does not rebuild
// them.
enum class OpKind : uint16_t;

enum class Dialect : uint8_t { Arith, Math, Scf, Memref, Gpu, Vector, XeTile, XeGpu };
std::string_view dialectName(Dialect dialect); // "xetile"

// The clause shapes that the grammar knows (grammar/XtParser.g4, one labelled rule each). Attribute groups `{…}` after any
// clause, and a signature `: types -> types`, are always optional.
enum class Clause : uint8_t {
  Operands, // name a, b, c            load_tile, store_tile, tile_mma, update_tile_offset, elementwise …
  Base,     // name base[offsets], [shape], [strides]             init_tile
  Locality, // name a locality<n>                                 prefetch_tile
  Kind,     // name <kind> a, b [dims]                            reduction, atomic_rmw, cmp
  Dims,     // name a [dims]  or  name [dims] a                   transpose, broadcast, iota
  Literal,  // name value                                         constant
  Text,     // name "text", a   or   name a, "text"               print, assert
  Bare,     // name                                               barrier, fence
  Dimension,// name x  or  name(0)                                block_id, workgroup_id, subgroup_id
  Structure // not a clause: for, if, while, yield have grammar rules of their own
};

// The types that a signature contains, in order, as the IR prints them. The checker decides which of them are optional in
// source text.
enum class Signature : uint8_t {
  None,            //
  Same,            // : T                 the one type of operands and results
  Operands,        // : T, U              the types of the operands, without those of class Index
  Result,          // : R
  OperandsToResult // : T, U -> R         the types left of the arrow are those of Operands
};

// An Observable op has an effect outside of memory (a print), or a result with its own identity (an allocation): it is neither
// removed nor merged.
enum class Effect : uint8_t { None = 0, Reads = 1, Writes = 2, Synchronises = 4, Terminates = 8, Observable = 16 };
constexpr Effect operator|(Effect a, Effect b) {
  return static_cast<Effect>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr bool has(Effect set, Effect e) { return (static_cast<uint8_t>(set) & static_cast<uint8_t>(e)) != 0; }

// The values that an operand may be. The type rule relates the types of the operands to each other. Base: a memref, or an
// address as i64 or u64. Offsets: an index, or a vector of indices. Scalar: one number; a literal takes the element type of
// the other operand.
enum class OperandClass : uint8_t {
  Index,
  Scalar,
  AnyInt,
  AnyFloat,
  AnyNumber,
  Bool,
  MemRef,
  Tile,
  Vector,
  Base,
  Offsets,
  TensorDesc,
  NBarrier,
  Token,
  Any
};
enum class Arity : uint8_t { One, Optional, Variadic };
struct OperandSpec {
  std::string_view name;
  OperandClass type = OperandClass::Any;
  Arity arity = Arity::One;
  std::optional<Effect> effects{}; // the effects on this operand's memory; nullopt: those of the op
};

// Kind and Word: one of the words listed in `doc`; a kind is written in angle brackets. Only composites have attributes of the
// last two kinds: Maps, an affine_map or a list of them, and Words, a word or a list of them.
enum class AttrKind : uint8_t { Int, Ints, Number, Text, Kind, Flag, Word, Maps, Words };
struct AttrSpec {
  std::string_view name;
  AttrKind kind = AttrKind::Int;
  bool required = false;
  std::string_view doc; // Kind, Word: the allowed words, separated by blanks
  std::string_view spelling{}; // another name of the key
  bool restated = false; // repeats a fact that the types state: checked in the source, and not kept in the IR
  size_t length = 0; // Ints: the number of elements; 0 if it varies
};

// Flags that MLIR prints after the operands of an op (ir/op_flags.h).
enum class OpFlag : uint8_t {
  FastMath, // permits transformations that IEEE arithmetic forbids
  Overflow, // promises that the result does not wrap around
  Exact, // promises that a division or a shift has no remainder
  Rounding, // names the rounding mode of the language, to nearest even
  OtherRounding, // names another rounding mode, which no op has
  Attribute, // stands for an attribute of the row, named like the word, or word_key if (key = value) follows
};

// The type rule that computes and checks result types (ir/infer).
enum class TypeRule : uint8_t {
#define XT_TYPE_RULE(rule, function) rule,
#include "ir/ops/type_rules.def"
};

// How the layouts of operands and results are related (ir/infer/layout_rules.cc).
enum class LayoutRule : uint8_t {
  None, // no vector or tile involved
  Free, // the result takes any layout; the op is cloned for each consumer that needs another one (constant, splat)
  Same, // all vectors, and the tile if there is one, have the same distribution
  Load, // as Same, but transposed if the op has the attribute `transpose`
  Mma, // rows as in operand a, columns as in operand b; K is split into pieces of the same length in both
  Transpose, // dimensions are permuted; each keeps its distribution, over the same or other subgroups
  Slice,     // a part has any layout; the whole keeps its own
  Reduction, // the kept dimensions are distributed the same way; all holders of a term hold the result
  Broadcast, // the kept dimensions are distributed the same way; all holders of a copy hold the operand's element
  Convert, // no relation: that is its purpose
  Reshape, // the elements keep their owners: reshaped() gives the layout
  Region, // loops and branches: init, block argument, yield and result agree
  Accumulator, // the result has the layout of the vector operand, to which the op adds; tile operands keep their layouts
};

// The ops of the source text that stand for several ops. Lowering expands them (lang/lower/composites.h), so that the IR has no
// such op.
enum class Composite : uint8_t {
  None,
#define XT_COMPOSITE(composite, ...) composite,
#include "ir/ops/composite.def"
#undef XT_COMPOSITE
};

template <class T, size_t N> struct FixedList { // a constexpr list with a length
  std::array<T, N> items{};
  size_t count = 0;
  constexpr FixedList() = default;
  template <class... Ts> constexpr FixedList(Ts... values) : items{values...}, count(sizeof...(Ts)) {}
  constexpr const T *begin() const { return items.data(); }
  constexpr const T *end() const { return items.data() + count; }
  constexpr size_t size() const { return count; }
  constexpr const T &operator[](size_t i) const { return items[i]; }
};

struct OpInfo {
  OpKind kind{}; // of no meaning in the row of a composite
  Composite composite = Composite::None;
  Dialect dialect{};
  std::string_view name{}; // without the dialect: "load_tile"
  FixedList<std::string_view, 4> spellings{}; // other names without dialect; a name with a dot is MLIR's, with its dialect
  Clause clause = Clause::Operands;
  FixedList<OperandSpec, 6> operands{};
  int results = 0; // -1: the type rule determines the number (structure ops)
  FixedList<AttrSpec, 8> attrs{};
  int regions = 0;
  Signature signature = Signature::None;
  // For each form of MLIR's signature, the operands whose types it lists: bit i stands for operand i.
  FixedList<int, 2> mlirTypes{};
  Effect effects = Effect::None;
  bool elementwise = false; // works per element on scalars and on vectors of any shape
  bool commutative = false;
  // At lane scope, the lanes of a subgroup execute the op together, so all lanes must reach it.
  bool collective = false;
  FixedList<OpFlag, 2> flags{};
  TypeRule typeRule{};
  LayoutRule layoutRule = LayoutRule::None;
  std::string_view summary{}; // one line
  std::string_view example{}; // one statement that compiles

  constexpr bool restates(std::string_view attr) const {
    for (const AttrSpec &spec : attrs)
      if (spec.restated && spec.name == attr) return true;
    return false;
  }
};

std::span<const OpInfo> allOps();
std::span<const OpInfo> allComposites();
const OpInfo &opInfo(OpKind kind);
// Finds "load_tile", "xetile.load_tile", "XeTile.load_tile" or another spelling, also of a composite; null if there is no such
// op. Several ops may have the same name without a prefix: this returns the first in the table's order, and callers choose by
// operand types.
const OpInfo *findOp(std::string_view spelled);
// All rows that the spelled name can mean.
struct OpMatches {
  std::array<const OpInfo *, 4> items{};
  size_t count = 0;
};
OpMatches findOps(std::string_view spelled);
// Whether an op is an XeGPU op that works on blocks, addresses or values. Other XeGPU ops synchronise, or advise the compiler.
bool isXegpuData(const OpInfo &op);
// "xetile.load_tile", as the IR prints it.
std::string_view fullName(OpKind kind);
std::string fullName(const OpInfo &op);

} // namespace xt
