#include "lang/check/joint_matrix_type.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/lane_fragments.h"
#include "lang/check/words.h"

#include <algorithm>

namespace xt {
namespace {

struct UseWord {
  std::string_view text;
  MatrixUse use;
};
constexpr UseWord kUses[] = {{"a", MatrixUse::A}, {"b", MatrixUse::B}, {"accumulator", MatrixUse::Accumulator}};
constexpr MatrixMemory kMemories[] = {MatrixMemory::Dynamic, MatrixMemory::RowMajor, MatrixMemory::ColMajor,
                                      MatrixMemory::Packed};
constexpr std::string_view kSubgroupScope = "sub_group", kWorkgroupScope = "work_group";

// Takes a word such as `a`, `row_major` or `sub_group`. Returns false if it is none of them.
bool takeWord(std::string_view word, std::string_view key, JointMatrix &matrix) {
  if (key.empty() || key == "use")
    for (const UseWord &row : kUses)
      if (row.text == word) return matrix.use = row.use, true;
  if (key.empty() || key == "layout")
    for (MatrixMemory memory : kMemories)
      if (matrixMemoryText(memory) == word) return matrix.memory = memory, true;
  if (!key.empty() && key != "scope") return false;
  matrix.ofWorkgroup = word == kWorkgroupScope;
  return matrix.ofWorkgroup || word == kSubgroupScope;
}

// The key of an attribute that is one of the three of a joint_matrix; empty for others.
std::string_view keyOf(const ast::Attr::Entry &e) {
  for (std::string_view key : {"use", "layout", "scope"})
    if (e.value && e.key.text == key) return key;
  return {};
}

std::string wordOf(const ast::Attr::Entry &e) { return e.value ? wordText(*e.value) : e.key.text; }

} // namespace

bool isMatrixWord(const ast::Attr::Entry &e) {
  bool named = e.key && e.value;
  return !wordOf(e).empty() && (!named || !keyOf(e).empty());
}

bool takeMatrixWord(Diagnostics &diagnostics, const ast::Attr::Entry &e, JointMatrix &matrix) {
  std::string word = wordOf(e);
  JointMatrix before = matrix;
  if (takeWord(word, keyOf(e), matrix)) {
    bool use = before.use != matrix.use && before.use != MatrixUse::None;
    bool memory = before.memory != matrix.memory && before.memory != MatrixMemory::Dynamic;
    bool scope = before.ofWorkgroup && !matrix.ofWorkgroup;
    if (!use && !memory && !scope) return true;
    diagnostics.report(DiagCode::JointMatrixType, e.range,
                       str("a joint_matrix has one ",
                           use      ? "use"
                           : memory ? "layout of memory"
                                    : "scope",
                           ", and another one is given"));
    return false;
  }
  JointMatrix unkeyed;
  if (!keyOf(e).empty() && takeWord(word, {}, unkeyed)) {
    diagnostics.report(DiagCode::UnknownAttribute, e.value->range, str("`", word, "` is no ", keyOf(e), " of a joint_matrix"));
    return false;
  }
  static constexpr std::string_view kWords[] = {"a",      "b",       "accumulator", "row_major", "col_major",
                                                "packed", "dynamic", "sub_group",   "work_group"};
  SourceRange range = e.value ? e.value->range : e.key.range;
  auto &diagnostic = diagnostics.report(DiagCode::UnknownAttribute, range, str("a joint_matrix has no attribute `", word, "`"));
  if (!suggestName(diagnostic, range, 0, word, kWords))
    diagnostic.note("write its use (a, b, accumulator), the layout of its memory (row_major, col_major, packed) and its scope "
                    "(sub_group, work_group)");
  return false;
}

bool jointMatrixFits(Diagnostics &diagnostics, SourceRange range, const TypeData &data, const ShapedAttrs &attrs) {
  auto wrong = [&](std::string message, std::string note = {}) {
    Diagnostic &diagnostic = diagnostics.report(DiagCode::JointMatrixType, range, std::move(message));
    if (!note.empty()) diagnostic.note(std::move(note));
    return false;
  };
  if (data.shape.size() != 2)
    return wrong(
        str("a joint_matrix has rows and columns, not ", counted(static_cast<int64_t>(data.shape.size()), "dimension")));
  if (attrs.slm || attrs.memory || attrs.packed || attrs.scatter || attrs.order)
    return wrong("a joint_matrix takes a use, a layout of memory and a scope only");
  bool accumulator = data.matrix.use == MatrixUse::Accumulator, dynamic = data.matrix.memory == MatrixMemory::Dynamic;
  if (!data.matrix)
    return wrong("a joint_matrix needs a use: a, b or accumulator", "for example `joint_matrix<8x16xf16, a, row_major>`");
  if (dynamic && !accumulator)
    return wrong("only an accumulator may leave the layout of its memory to loads and stores",
                 "add row_major, col_major or packed");
  int bits = elemInfo(data.elem).bits;
  if (data.matrix.memory != MatrixMemory::Packed) return true;
  if (accumulator) return wrong("an accumulator cannot be packed");
  if (bits != 8 && bits != 16) return wrong(str("elements of packed matrices have 8 or 16 bits, unlike ", elemName(data.elem)));
  int64_t factor = vnniFactorOf(data.elem), extent = data.shape[data.matrix.use == MatrixUse::A ? 1 : 0];
  if (extent == kDynamic || extent % factor == 0) return true;
  return wrong(str("packing groups ", factor, " elements along K, but K is ", extent));
}

} // namespace xt
