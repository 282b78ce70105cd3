#include "tests/targets/differential/generator.h"

#include "tests/targets/differential/exact_ops.h"

#include <algorithm>

namespace xt {
namespace {

class Generator : private ExactOps {
public:
  explicit Generator(uint64_t seed) : ExactOps(seed), seed_(seed) {}

  std::string run() {
    elem_ = choose({"f32", "f16", "bf16", "f64", "f8E4M3", "f8E5M2", "i32", "i8", "i16", "i64"});
    header();
    int ops = 3 + static_cast<int>(pick(12));
    for (int i = 0; i < ops; ++i) step();
    finish();
    return str("// seed ", seed_, "\n", functions_, out_, "}\n");
  }

private:
  void header() {
    line(str("kernel @k(%A: memref<?x?x", elem_, ">, %I: memref<?xi32>, %C: memref<?x?x", outElem(),
             ">, %S: memref<?x?xi32>, %L: memref<?x", outElem(), ">, %D: i64, %n: index)"));
    out_.pop_back();
    if (!workgroup_) out_ += str(" subgroups(", subgroups_, ")");
    out_ += " grid (%gi = 0 to 2, %gj = 0 to 2) {\n";
    indent_ = 1;
    if (!workgroup_) line("%sg = subgroup_id()");
    load();
  }
  std::string outElem() const { return isFloatName(elem_) ? "f32" : "i32"; }

  std::string offset() { return choose({"0", "1", "-3", "%n", "(%gi * 5)", "%gj", "(%n - 7)", "(dim(%A, 1) - 38)"}); }

  // Emits a tile of %A. Its base is the plain memref, a part of it or its column-major view with an explicit shape, its
  // address, or a cast with a leading dimension, outside of which there is only padding. The tile may also be packed.
  // Attributes such as `order` follow the layout.
  std::string tileOfA(Shape shape, const std::string &layout, const std::string &y, const std::string &x) {
    std::string base = str("%A[", y, ", ", x, "]"), attributes;
    bool pairs = (elem_ == "f16" || elem_ == "bf16" || elem_ == "i16") && shape.rows % 2 == 0;
    bool quads = bitsOf(elem_) == 8 && shape.rows % 4 == 0;
    switch (pick(9)) {
    case 0: base = str("%A[", y, ", ", x, "], [23 + %n, 31], [41, 1]"); break;
    case 1:
      base = str("%A[", y, ", ", x, "], [41, 37], [1, 41]");
      attributes = ", order = [0, 1]";
      break;
    case 2: base = str("%D[", y, ", ", x, "], [37, 41], [41, 1]"); break;
    case 3: {
      std::string cast = fresh();
      line(str(cast, " = memref.cast %A : memref<?x?x", elem_, "> -> memref<1x?x?x", elem_, ">"));
      base = str(cast, "[", choose({"0", "0", "%gi", "-1"}), ", ", y, ", ", x, "]");
      break;
    }
    case 4:
      if (pairs || quads) {
        base = str("%A[", y, ", ", x, "], [32, 40], [40, 1]");
        attributes = ", packed";
      }
      break;
    default: break;
    }
    std::string tile = fresh();
    line(str(tile, " = init_tile ", base, " -> tile<", shapeText(shape, elem_), withLayout(layout), attributes, ">"));
    return tile;
  }

  void load() {
    Vec v{fresh(), elem_, "", randomShape(), kLargestInput};
    v.layout = randomLayout(v.shape, true);
    std::string x = offset(), y = offset(), padding = choose({"", "padding = -2", "padding = 3"});
    if (!workgroup_ && pick(3) == 0) x = "%sg";
    bool turned = chance(4);
    // A transposed tile has no explicit layout; its layout follows from that of the vector.
    std::string tile = turned ? tileOfA({v.shape.columns, v.shape.rows}, "", x, y) : tileOfA(v.shape, v.layout, x, y);
    if (chance(3)) {
      std::string moved = fresh();
      line(str(moved, " = update_tile_offset ", tile, ", ", offset(), ", ", choose({"2", "-1", "%gi"})));
      tile = moved;
    }
    if (chance(6)) line(str("prefetch_tile ", tile, " locality<", pick(4), ">"));
    std::string attributes = str(turned ? "transpose = [1, 0]" : "", turned && !padding.empty() ? ", " : "", padding);
    std::string mask = chance(4) ? str(", ", maskOf(v)) : "";
    line(str(v.name, " = load_tile ", tile, mask, attributes.empty() ? "" : str(" {", attributes, "}"),
             turned && workgroup_ ? str(" {", v.layout, "}") : ""));
    add(v);
  }

  // Emits a mask of the shape of a vector, or one of a row or a column, which stretches to it.
  std::string maskOf(const Vec &v) {
    std::string mask = fresh(), place = fresh();
    std::string bound = choose({"%n", "3", "(%gi + 2)", "0", "100"});
    if (chance(2)) {
      line(str(mask, " = create_mask ", bound, ", ", choose({"%n", "5", "100"}), " : ", vectorType(v.shape, "i1", v.layout)));
      return mask;
    }
    bool down = chance(2);
    Shape stretched = down ? Shape{v.shape.rows, 1} : Shape{1, v.shape.columns};
    line(str(place, " = iota [", down ? 0 : 1, "] : vector<", shapeText(stretched, "index"), ">"));
    return str("(", place, choose({" < ", " != ", " >= "}), bound, ")");
  }

  // Moves a value through shared local memory to another layout or, at subgroup scope, to the next subgroup.
  void throughSlm() {
    if (depth_ > 0) return;
    Vec a = any();
    if (workgroup_ && storable(a.shape).empty()) return;
    if (workgroup_) a = converted(a, storable(a.shape));
    bool turns = workgroup_ && chance(3);
    std::string m = fresh(), to = fresh(), from = fresh(), mine = "0", other = "0";
    Vec r{fresh(), a.elem, "", turns ? Shape{a.shape.columns, a.shape.rows} : a.shape, a.bound};
    r.layout = randomLayout(r.shape, true);
    if (!workgroup_) {
      mine = str("%sg * ", a.shape.rows);
      other = str("((%sg + 1) mod ", subgroups_, ") * ", a.shape.rows);
    }
    int64_t parts = workgroup_ ? 1 : subgroups_;
    std::string type = str("memref<", shapeText({r.shape.rows * parts, r.shape.columns}, a.elem), ", slm>");
    line(str(m, " = alloc_slm : ", type));
    if (turns) {
      // Transposes by storing to a column-major view and loading by rows.
      std::string view = fresh();
      line(str(view, " = memref.cast ", m, " : ", type, " -> memref<?x?x", a.elem, ", slm>"));
      line(str(to, " = init_tile ", view, "[0, 0], [", a.shape.rows, ", ", a.shape.columns, "], [1, ", a.shape.rows,
               "] -> tile<", shapeText(a.shape, a.elem), withLayout(a.layout), ", order = [0, 1]>"));
    } else {
      line(str(to, " = init_tile ", m, "[", mine, ", 0] -> tile<", shapeText(a.shape, a.elem), withLayout(a.layout), ">"));
    }
    line(str("store_tile ", a.name, ", ", to));
    line("barrier");
    line(str(from, " = init_tile ", m, "[", other, ", 0] -> tile<", shapeText(r.shape, a.elem), withLayout(r.layout), ">"));
    line(str(r.name, " = load_tile ", from, chance(3) ? " {padding = 1}" : ""));
    add(r);
  }

  void gather() {
    Vec r{fresh(), "i32", "", randomShape(), 64};
    r.layout = randomLayout(r.shape, true);
    std::string row = fresh(), column = fresh(), offsets = fresh(), mask = fresh(), tile = fresh();
    std::string type = str("vector<", shapeText(r.shape, "index"), withLayout(r.layout), ">");
    line(str(row, " = iota [0] : ", type));
    line(str(column, " = iota [1] : ", type));
    line(str(offsets, " = ", row, " * ", choose({"3", "1", "-2"}), " + ", column, " + ", choose({"0", "%n", "-5"})));
    line(str(mask, " = create_mask %n, ", choose({"4", "%n", "100"}), " : vector<", shapeText(r.shape, "i1"),
             withLayout(r.layout), ">"));
    line(str(tile, " = init_tile %I, ", offsets, " -> tile<", shapeText(r.shape, "i32"), withLayout(r.layout), ", #scatter>"));
    line(str(r.name, " = load_gather ", tile, ", ", mask, pick(2) ? " {padding = 7}" : ""));
    add(r);
  }

  // Emits a loop that carries one value, or a branch that may replace it.
  void structure() {
    if (depth_ >= 2) return;
    Vec a = any();
    std::string name = fresh(), i = fresh();
    int64_t step = bitsOf(a.elem) == 8 ? 1 : 5;
    int64_t most = a.bound + 3 * step;
    if (!holds(a.elem, most)) return;
    line(str(name, " = ", a.name, " + ", number(a.elem, 0)));
    bool otherwise = false;
    switch (pick(9)) {
    case 0: line(str("for ", i, " = 0 to 3 {")); break;
    case 1: line(str("for ", i, " = %gi to %gi + 2 {")); break;
    case 2: line(str("for ", i, " = 2 to 2 {")); break;
    case 3: line(str("for ", i, " = %n to dim(%A, 0) step 14 {")); break;
    case 4:
      line(str(i, " = %n"));
      line(str("while ", i, " > 3 {"));
      line(str("  ", i, " = ", i, " - 2"));
      break;
    case 5:
      line(str(i, " = %gj"));
      line(str("while ", i, " < 2 {"));
      line(str("  ", i, " = ", i, " + 1"));
      break;
    case 6: line("if %n > 4 {"), otherwise = true; break;
    case 7: line("if %gi == %gj {"), otherwise = true; break;
    default: line("if %gj != 0 {"), otherwise = chance(2); break;
    }
    inside(name, a.elem, step);
    if (otherwise && chance(2)) {
      line(choose({"} else {", "} else if %gi == 0 {"}));
      inside(name, a.elem, -step);
    }
    line("}");
    add({name, a.elem, a.layout, a.shape, most});
  }
  void inside(const std::string &name, const std::string &elem, int64_t by) {
    ++indent_;
    ++depth_;
    std::vector<Vec> outer = values_;
    inner();
    line(str(name, " = ", name, by < 0 ? " - " : " + ", number(elem, std::abs(by))));
    values_ = outer;
    --depth_;
    --indent_;
  }

  void inner() {
    switch (pick(7)) {
    case 0: elementwise(); break;
    case 1: reduce(); break;
    case 2: load(); break;
    case 3: transpose(); break;
    case 4: mma(); break;
    case 5: structure(); break;
    default: cast(); break;
    }
  }

  // Emits a call of a function on vectors of any extent, which contains a branch and a loop.
  void call() {
    Vec a = any();
    if (!holds(a.elem, a.bound + 4) || a.elem == "index") return;
    std::string name = str("@f_", a.elem);
    if (functions_.find(name + "(") == std::string::npos)
      functions_ += str("func ", name, "(%x: vector<?x?x", a.elem, ">, %k: index) -> vector<?x?x", a.elem,
                        "> {\n  if %k > 1 {\n    for %i = 0 to %k {\n      %x = %x + ", number(a.elem, 1),
                        "\n    }\n  } else {\n    %x = max(%x, ", number(a.elem, -1), ")\n  }\n  return %x\n}\n");
    Vec r{fresh(), a.elem, a.layout, a.shape, a.bound + 4};
    line(str(r.name, " = ", name, "(", a.name, ", ", choose({"4", "%gi", "0"}), ")"));
    add(r);
  }

  void step() {
    switch (pick(17)) {
    case 0: load(); break;
    case 1:
    case 2:
    case 3: elementwise(); break;
    case 4: cast(); break;
    case 5: reduce(); break;
    case 6: broadcast(); break;
    case 7: transpose(); break;
    case 8: reshape(); break;
    case 9: generate(); break;
    case 10: insertExtract(); break;
    case 11: mma(); break;
    case 12: throughSlm(); break;
    case 13: gather(); break;
    case 14: call(); break;
    default: structure(); break;
    }
  }

  // Stores at most four of the last values side by side, each workgroup in separate rows; one of them may be scattered instead.
  // The first i32 value that is stored is also combined with %S by an atomic, after which no further value is stored.
  void finish() {
    int64_t column = 0;
    size_t count = std::min<size_t>(values_.size(), 4);
    std::vector<Vec> last(values_.end() - static_cast<ptrdiff_t>(count), values_.end());
    bool scattered = false;
    for (Vec v : last) {
      std::string layout = storable(v.shape);
      if (isFloatName(v.elem) != isFloatName(outElem()) || (workgroup_ && layout.empty()) || v.shape.rows > 64) continue;
      v = converted(asOutput(v), layout);
      std::string region = workgroup_ ? "(%gi * 2 + %gj)" : str("((%gi * 2 + %gj) * ", subgroups_, " + %sg)");
      if (!scattered && chance(4)) {
        scattered = true;
        scatter(v, region);
        continue;
      }
      store(v, str(region, " * 64"), column);
      column += v.shape.columns;
      if (v.elem == "i32") {
        std::string sums = fresh();
        line(str(sums, " = init_tile %S[0, 0] -> tile<", shapeText(v.shape, "i32"), withLayout(layout), ">"));
        line(str(fresh(), " = atomic_rmw <", choose({"addi", "maxs", "xori", "minu", "andi"}), "> ", v.name, ", ", sums));
        return; // only one kind of atomic is used, so that the order of atomics does not matter
      }
    }
  }
  Vec asOutput(const Vec &v) {
    std::string to = outElem();
    if (v.elem == to) return v;
    if (bitsOf(v.elem) == bitsOf(to)) return v;
    Vec w = v;
    w.name = fresh();
    w.elem = to;
    bool widens = bitsOf(v.elem) < bitsOf(to);
    const char *op = isFloatName(to) ? (widens ? " = extf " : " = truncf ") : (widens ? " = extsi " : " = trunci ");
    line(str(w.name, op, v.name, " : ", vectorType(v.shape, v.elem), " -> ", vectorType(v.shape, to)));
    return w;
  }
  // Stores a value to the rows from `row` on: by a plain store, by a transposed store through a column-major view, or by an
  // atomic without conflicting accesses.
  void store(const Vec &v, const std::string &row, int64_t column) {
    std::string tile = fresh();
    if (chance(4)) {
      Vec t{fresh(), v.elem, "", {v.shape.columns, v.shape.rows}, v.bound};
      line(str(t.name, " = transpose ", v.name));
      if (workgroup_) {
        t.layout = "?";
        t = converted(t, storable(t.shape));
      }
      line(str(tile, " = init_tile %C[", column, ", ", row, "], [160, 2048], [1, 160] -> tile<", shapeText(t.shape, t.elem),
               withLayout(t.layout), ", order = [0, 1]>"));
      line(str("store_tile ", t.name, ", ", tile));
      return;
    }
    line(str(tile, " = init_tile %C[", row, ", ", column, "] -> tile<", shapeText(v.shape, v.elem), withLayout(v.layout), ">"));
    if (chance(4))
      line(str(fresh(), " = atomic_rmw <",
               isFloatName(v.elem) ? choose({"addf", "assign", "maximumf"}) : choose({"addi", "assign", "mins"}), "> ", v.name,
               ", ", tile));
    else
      line(str("store_tile ", v.name, ", ", tile));
  }
  // Scatters elements to distinct positions in %L; the elements that a mask excludes have positions far out of bounds.
  void scatter(const Vec &v, const std::string &region) {
    std::string type = vectorType(v.shape, "index", v.layout), row = fresh(), column = fresh(), at = fresh(), mask = fresh(),
                tile = fresh();
    line(str(row, " = iota [0] : ", type));
    line(str(column, " = iota [1] : ", type));
    line(str(at, " = ", row, " * ", v.shape.columns, " + ", column, " + ", region, " * 4096"));
    line(str(mask, " = ", choose({str(column, " != %n"), str(row, " < 2"), str(row, " + ", column, " mod 3 != 1")})));
    std::string far = fresh(), some = fresh();
    line(str(far, " = ", at, " * 1000003 - 17"));
    line(str(some, " = select(", mask, ", ", at, ", ", far, ")"));
    line(str(tile, " = init_tile %L, ", some, " -> tile<", shapeText(v.shape, v.elem), withLayout(v.layout), ", #scatter>"));
    if (chance(2))
      line(str("store_scatter ", v.name, ", ", mask, ", ", tile));
    else
      line(str(fresh(), " = atomic_rmw <", isFloatName(v.elem) ? "addf" : "addi", "> ", v.name, ", ", tile, ", ", mask));
  }

  static constexpr int64_t kLargestInput = 4;
  uint64_t seed_;
  std::string functions_;
  int depth_ = 0;
};

} // namespace

std::string randomKernel(uint64_t seed) { return Generator(seed).run(); }

} // namespace xt
