#include "tests/targets/xe/isa/shim.h"

#include "ir/base/text.h"

#include <set>

namespace xt::test {
namespace {

struct Function {
  std::string kind; // read, read_transform, read_transpose, prefetch, write
  int bits, rows, columns, blocks;
  bool is(const char *name) const { return kind == name; }
  std::string name() const {
    return str("intel_sub_group_2d_block_", kind, "_", bits, "b_", rows, "r", columns, "x", blocks, "c");
  }
};

// The width and the number of the words of a block in the private memory of each of 16 lanes.
int wordBits(const Function &f) { return f.is("read_transform") || f.bits == 32 ? 32 : 16; }
int words(const Function &f) {
  if (f.is("read_transpose")) return f.columns * f.blocks;
  return f.rows * f.columns * f.blocks * f.bits / wordBits(f) / 16;
}

// Computes the parameters of the message, which encodes width, height and pitch minus one.
const char *const kPlace = R"(  %a = ptrtoint ptr addrspace(1) %base to i64
  %w = sub i32 %width, 1
  %h = sub i32 %height, 1
  %p = sub i32 %pitch, 1
  %x = extractelement <2 x i32> %at, i32 0
  %y = extractelement <2 x i32> %at, i32 1
)";

std::string head(const Function &f) {
  bool memory = !f.is("prefetch");
  std::string name = f.name(), pointer = !memory ? "" : wordBits(f) == 16 ? "Pt" : "Pj";
  return str("define linkonce_odr spir_func void @_Z", name.size(), name, "PU3AS1viiiDv2_i", pointer,
             "(ptr addrspace(1) %base, i32 %width, i32 %height, i32 %pitch, <2 x i32> %at", memory ? ", ptr %memory" : "",
             ") {\n", kPlace);
}

std::string typeOf(const Function &f) {
  return words(f) == 1 ? str("i", wordBits(f)) : str("<", words(f), " x i", wordBits(f), ">");
}

std::string reading(const Function &f, std::set<std::string> &declared) {
  std::string type = typeOf(f);
  std::string suffix = str(words(f) == 1 ? "" : str("v", words(f)), "i", wordBits(f));
  std::string internal = "@llvm.genx.GenISA.LSC2DBlockRead." + suffix;
  declared.insert(
      str("declare spir_func ", type, " ", internal, "(i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i1, i1, i32)\n"));
  return str(head(f), "  %v = call spir_func ", type, " ", internal, "(i64 %a, i32 %w, i32 %h, i32 %p, i32 %x, i32 %y, i32 ",
             f.bits, ", i32 ", f.columns, ", i32 ", f.rows, ", i32 ", f.blocks, ", i1 ",
             f.is("read_transpose") ? "true" : "false", ", i1 ", f.is("read_transform") ? "true" : "false",
             ", i32 0)\n  store ", type, " %v, ptr %memory, align 4\n  ret void\n}\n");
}

const char *const kFlat = "flat[$0,$1,$2,$3,$4,$5]";
const char *const kPlaceArgs = "i64 %a, i32 %w, i32 %h, i32 %p, i32 %x, i32 %y";
const char *const kPlaceConstraints = "rw.u,rw.u,rw.u,rw.u,rw.u,rw.u";

std::string prefetching(const Function &f) {
  std::string blocks = f.blocks > 1 ? str(f.blocks, "x") : "";
  return str(head(f), "  call void asm sideeffect \"lsc_load_block2d.ugm.ca.ca (M1, 1) V0:d", f.bits, ".", blocks, f.columns,
             "x", f.rows, "nn ", kFlat, "\", \"", kPlaceConstraints, "\"(", kPlaceArgs, ")\n  ret void\n}\n");
}

// Moves the block row by row into one variable, because LLVM accepts only scalars as operands of the assembly.
std::string writing(const Function &f) {
  std::string rows, arguments, constraints = kPlaceConstraints, moves, type = typeOf(f);
  int rowBytes = 2 * f.bits, perRegister = 512 / f.bits;
  for (int r = 0; r < f.rows; ++r) {
    if (f.rows > 1) rows += str("  %e", r, " = extractelement ", type, " %v, i32 ", r, "\n");
    arguments += str(", i", f.bits, " ", f.rows > 1 ? str("%e", r) : "%v");
    constraints += ",rw";
    int first = r * rowBytes * 8 / f.bits;
    moves += str("mov (M1, 16) V_st(", first / perRegister, ",", first % perRegister, ")<1> $", 6 + r, "(0,0)<1;1,0>\\0A");
  }
  return str(head(f), "  %v = load ", type, ", ptr %memory, align 4\n", rows,
             "  call void asm sideeffect \"{\\0A.decl V_st v_type=G type=", f.bits == 32 ? "ud" : "uw",
             " num_elts=", 16 * f.rows, " align=wordx32\\0A", moves, "lsc_store_block2d.ugm (M1, 1) ", kFlat, " V_st:d", f.bits,
             ".16x", f.rows, "nn\\0A}\", \"", constraints, "\"(", kPlaceArgs, arguments, ")\n  ret void\n}\n");
}

// Defines tf32 products, for which the compiler uses the same registers as for other types. A lane has half a row of A.
std::string multiplyingTf32(int rows, std::set<std::string> &declared) {
  std::string sum = str("<", rows, " x float>"), words = str("<", rows, " x i16>"),
              own = rows == 2 ? "float" : str("<", rows / 2, " x float>");
  std::string last = rows == 8 ? "S0_" : str("Dv", rows, "_f"), first = rows == 2 ? "f" : str("Dv", rows / 2, "_f");
  std::string internal = str("@_Z43intel_sub_group_tf32_tf32_matrix_mad_k8_f32Dv", rows, "_sDv8_iDv", rows, "_f");
  declared.insert(str("declare spir_func ", sum, " ", internal, "(", words, ", <8 x i32>, ", sum, ")\n"));
  return str("define linkonce_odr spir_func ", sum, " @_Z39intel_sub_group_tf32_tf32_matrix_mad_k8", first, "Dv8_f", last, "(",
             own, " %a, <8 x float> %b, ", sum, " %c) {\n  %x = bitcast ", own, " %a to ", words,
             "\n  %y = bitcast <8 x float> %b to <8 x i32>\n  %d = call spir_func ", sum, " ", internal, "(", words,
             " %x, <8 x i32> %y, ", sum, " %c)\n  ret ", sum, " %d\n}\n");
}

} // namespace

std::string deviceShim() {
  std::set<std::string> declared;
  std::string functions;
  auto add = [&](const char *kind, int bits, int rows, int columns, int blocks) {
    Function f{kind, bits, rows, columns, blocks};
    functions += f.is("prefetch") ? prefetching(f) : f.is("write") ? writing(f) : reading(f, declared);
  };
  constexpr struct {
    int bits, columns, most;
  } kUnits[] = {{8, 32, 2}, {16, 16, 2}, {32, 16, 1}, {32, 8, 2}};
  for (auto unit : kUnits)
    for (int rows = 1; rows <= 32; rows *= 2)
      for (int blocks = 1; blocks <= unit.most; blocks *= 2) {
        if (unit.columns * rows >= 16) add("read", unit.bits, rows, unit.columns, blocks);
        add("prefetch", unit.bits, rows, unit.columns, blocks);
      }
  for (int blocks = 1; blocks <= 2; ++blocks) {
    add("read_transform", 8, 32, 16, blocks);
    for (int rows : {16, 32}) add("read_transform", 16, rows, 16, blocks);
  }
  add("read_transpose", 32, 16, 8, 1);
  for (int bits : {16, 32})
    for (int rows = 1; rows <= 8; rows *= 2) add("write", bits, rows, 16, 1);
  for (int rows : {2, 4, 8}) functions += multiplyingTf32(rows, declared);
  std::string declarations;
  for (const std::string &declaration : declared) declarations += declaration;
  return declarations + functions;
}

} // namespace xt::test
