#include "tests/targets/differential/generator.h"

#include "ir/base/text.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

namespace xt {
namespace {

struct Shape {
  int64_t rows, columns;
  bool operator==(const Shape &) const = default;
};
struct Vec {
  std::string name, elem, layout; // layout: as it is written, "" at subgroup scope
  Shape shape;
  int64_t bound; // no element is larger in magnitude
};

// How large an integer a type holds exactly.
int64_t limitOf(const std::string &elem) {
  static const std::map<std::string, int64_t> limits = {{"f32", 1 << 22}, {"f16", 1 << 11}, {"bf16", 1 << 8}, {"i32", 1 << 28},
                                                        {"i8", 100},      {"i16", 30000},   {"f64", 1 << 30}, {"index", 1 << 28}};
  return limits.at(elem);
}
bool isFloatName(const std::string &elem) { return elem.find('f') != std::string::npos; }

class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  std::string run() {
    workgroup_ = pick(2) == 0;
    static const int64_t counts[] = {1, 2, 4, 6, 8};
    subgroups_ = workgroup_ ? counts[1 + pick(4)] : counts[pick(3)];
    elem_ = choose({"f32", "f16", "bf16", "i32", "i8"});
    line(str("// seed ", seedText_));
    header();
    int ops = 3 + static_cast<int>(pick(10));
    for (int i = 0; i < ops; ++i) step(0);
    finish();
    indent_ = 0;
    line("}");
    return out_;
  }
  void setSeedText(std::string text) { seedText_ = std::move(text); }

private:
  uint64_t pick(uint64_t n) { return random_() % n; }
  template <class T> T choose(std::initializer_list<T> items) { return *(items.begin() + pick(items.size())); }
  std::string choose(std::initializer_list<const char *> items) { return *(items.begin() + pick(items.size())); }
  void line(const std::string &text) { out_ += std::string(static_cast<size_t>(indent_) * 2, ' ') + text + "\n"; }
  std::string fresh() { return str("%v", next_++); }

  void header() {
    line(str("kernel @k(%A: memref<?x?x", elem_, ">, %I: memref<?xi32>, %C: memref<?x?x", outElem(), ">, %S: memref<?x?xi32>, %n: index)"));
    out_.pop_back();
    if (!workgroup_) out_ += str(" subgroups(", subgroups_, ")");
    out_ += " grid (%gi = 0 to 2, %gj = 0 to 2) {\n";
    indent_ = 1;
    if (!workgroup_) line("%sg = subgroup_id()");
    load();
  }
  std::string outElem() const { return isFloatName(elem_) ? "f32" : "i32"; }

  Shape randomShape() {
    int64_t n = subgroups_;
    static const int64_t odd[] = {1, 3, 5, 8, 12, 16, 17, 24, 33};
    // At workgroup scope some dimension has a layout without copies, so that the value can be stored.
    if (!workgroup_) return {odd[pick(9)], odd[pick(9)]};
    int64_t small[] = {1, 2, 3, 4, 8};
    Shape shape{n * small[pick(4)], odd[pick(9)]};
    if (pick(2)) std::swap(shape.rows, shape.columns);
    return shape;
  }

  // A wg_map that fits the shape: round-robin or wrapping in each dimension.
  std::string randomLayout(Shape shape, bool copies) {
    if (!workgroup_) return "";
    for (int tries = 0; tries < 200; ++tries) {
      std::vector<int64_t> divisors;
      for (int64_t d = 1; d <= subgroups_; ++d)
        if (subgroups_ % d == 0) divisors.push_back(d);
      int64_t a = divisors[pick(divisors.size())], b = subgroups_ / a;
      auto data = [&](int64_t extent, int64_t parts) -> int64_t {
        if (copies && pick(3) == 0) return extent; // all hold everything
        if (extent % parts != 0) return copies ? extent : 0;
        int64_t most = extent / parts;
        std::vector<int64_t> sizes;
        for (int64_t s = 1; s <= most; ++s)
          if (most % s == 0) sizes.push_back(s);
        return sizes[pick(sizes.size())];
      };
      int64_t p = data(shape.rows, a), q = data(shape.columns, b);
      if (p && q) return str("#wg_map<sg_layout = [", a, ", ", b, "], sg_data = [", p, ", ", q, "]>");
    }
    return str("#wg_map<sg_layout = [", subgroups_, ", 1], sg_data = [", shape.rows, ", ", shape.columns, "]>");
  }
  static std::string shapeText(Shape s, const std::string &elem) { return str(s.rows, "x", s.columns, "x", elem); }
  std::string withLayout(const std::string &layout) const { return layout.empty() ? "" : ", " + layout; }
  std::string braces(const std::string &layout) const { return layout.empty() ? "" : " {" + layout + "}"; }

  Vec add(Vec v) {
    values_.push_back(v);
    return v;
  }
  Vec any() { return values_[pick(values_.size())]; }

  // The same value in another layout; at subgroup scope the value itself.
  Vec converted(const Vec &v, const std::string &layout) {
    if (v.layout == layout) return v;
    Vec to = v;
    to.name = fresh();
    to.layout = layout;
    line(str(to.name, " = convert_layout ", v.name, " {", layout, "}"));
    return to;
  }
  // After an op whose result's layout follows from its operands: one that is known here.
  Vec settled(Vec v) {
    if (!workgroup_) return add(v);
    v.layout = "?";
    return add(converted(v, randomLayout(v.shape, true)));
  }

  std::string offset() { return choose({"0", "1", "-3", "%n", "(%gi * 5)", "%gj", "(%n - 7)"}); }

  void load() {
    Vec v{fresh(), elem_, "", randomShape(), elem_ == "i8" ? 4 : 8};
    v.layout = randomLayout(v.shape, true);
    std::string tile = fresh();
    std::string x = offset(), y = offset();
    if (!workgroup_ && pick(3) == 0) x = "%sg";
    if (pick(4) == 0) {
      // The transposed tile: the layout is the vector's.
      line(str(tile, " = init_tile %A[", x, ", ", y, "] -> tile<", shapeText({v.shape.columns, v.shape.rows}, elem_), ">"));
      line(str(v.name, " = load_tile ", tile, " {transpose = [1, 0]", workgroup_ ? ", " + v.layout : "", "}"));
    } else {
      line(str(tile, " = init_tile %A[", x, ", ", y, "] -> tile<", shapeText(v.shape, elem_), withLayout(v.layout), ">"));
      if (pick(3) == 0) {
        std::string moved = fresh();
        line(str(moved, " = update_tile_offset ", tile, ", ", offset(), ", 2"));
        tile = moved;
      }
      line(str(v.name, " = load_tile ", tile, pick(2) ? " {padding = -2}" : ""));
    }
    add(v);
  }

  void elementwise() {
    Vec a = any();
    std::vector<Vec> fitting;
    for (const Vec &v : values_)
      if (v.shape == a.shape && v.elem == a.elem) fitting.push_back(v);
    Vec b = converted(fitting[pick(fitting.size())], a.layout);
    Vec r{fresh(), a.elem, a.layout, a.shape, 0};
    switch (pick(5)) {
    case 0:
      r.bound = a.bound + b.bound;
      if (r.bound <= limitOf(a.elem)) line(str(r.name, " = ", a.name, " + ", b.name));
      break;
    case 1:
      r.bound = a.bound + b.bound + 3;
      if (r.bound <= limitOf(a.elem)) line(str(r.name, " = ", a.name, " - ", b.name, isFloatName(a.elem) ? " + 3.0" : " + 3"));
      break;
    case 2:
      r.bound = a.bound * std::max<int64_t>(b.bound, 1);
      if (r.bound <= limitOf(a.elem)) line(str(r.name, " = ", a.name, " * ", b.name));
      break;
    case 3:
      r.bound = std::max(a.bound, b.bound);
      line(str(r.name, " = ", choose({"min", "max"}), "(", a.name, ", ", b.name, ")"));
      break;
    default: {
      r.bound = std::max(a.bound, b.bound);
      std::string mask = fresh();
      if (pick(2)) {
        line(str(mask, " = ", a.name, choose({" < ", " == ", " >= "}), b.name));
      } else {
        line(str(mask, " = create_mask ", choose({"%n", "2", "100"}), ", ", choose({"%n", "3", "0"}), " : vector<", shapeText(a.shape, "i1"), ">"));
      }
      line(str(r.name, " = select(", mask, ", ", a.name, ", ", b.name, ")"));
      break;
    }
    }
    if (r.bound <= limitOf(a.elem)) add(r);
  }

  void cast() {
    Vec a = any();
    std::string to = isFloatName(a.elem) ? choose({"f32", "f16", "bf16", "f64"}) : choose({"i32", "i16", "i8"});
    if (to == a.elem || a.bound > limitOf(to) || ((a.elem == "f16" || a.elem == "bf16") && (to == "f16" || to == "bf16"))) return;
    static const std::map<std::string, int> bits = {{"f64", 64}, {"f32", 32}, {"f16", 16}, {"bf16", 16}, {"i32", 32}, {"i16", 16}, {"i8", 8}};
    bool widens = bits.at(to) > bits.at(a.elem);
    const char *op = isFloatName(to) ? (widens ? "extf" : "truncf") : (widens ? "extsi" : "trunci");
    Vec r{fresh(), to, a.layout, a.shape, a.bound};
    line(str(r.name, " = ", op, " ", a.name, " : vector<", shapeText(a.shape, a.elem), "> -> vector<", shapeText(a.shape, to), ">"));
    add(r);
  }

  void reduce() {
    Vec a = any();
    int dim = static_cast<int>(pick(2));
    int64_t extent = dim == 0 ? a.shape.rows : a.shape.columns, size = extent;
    if (pick(3) == 0)
      for (int64_t s : {2, 3, 4, 8})
        if (extent % s == 0) size = s;
    bool sum = pick(2) == 0 && a.bound * size <= limitOf(a.elem);
    std::string kind = sum ? "add" : isFloatName(a.elem) ? choose({"maximumf", "minimumf", "maxnumf"}) : choose({"maxsi", "minsi"});
    // A part of a block may be split over subgroups in a way that no layout spells: whole blocks are kept together.
    if (workgroup_ && size != extent) a = converted(a, str("#wg_map<sg_layout = [", subgroups_, ", 1], sg_data = [", a.shape.rows, ", ", a.shape.columns, "]>"));
    Vec r{fresh(), a.elem, "", a.shape, sum ? a.bound * size : a.bound};
    (dim == 0 ? r.shape.rows : r.shape.columns) = extent / size;
    line(str(r.name, " = reduction <", kind, "> ", a.name, " [", dim, "]", size == extent ? "" : str(" {reduction_size = ", size, "}")));
    settled(r);
  }

  void broadcast() {
    Vec a = any();
    int dim = static_cast<int>(pick(2));
    int64_t &extent = dim == 0 ? a.shape.rows : a.shape.columns;
    int64_t times = 2 + static_cast<int64_t>(pick(4));
    if (a.shape.rows * a.shape.columns * times > 4096) return;
    Vec r{fresh(), a.elem, "", a.shape, a.bound};
    (dim == 0 ? r.shape.rows : r.shape.columns) = extent * times;
    bool stretches = extent == 1 && pick(2) == 0;
    line(str(r.name, " = broadcast ", a.name, " [", dim, "]", stretches ? "" : str(" {broadcast_size = ", times, "}"), " : vector<",
             shapeText(a.shape, a.elem), "> -> vector<", shapeText(r.shape, a.elem), ">"));
    settled(r);
  }

  void transpose() {
    Vec a = any();
    Vec r{fresh(), a.elem, "", {a.shape.columns, a.shape.rows}, a.bound};
    line(str(r.name, " = transpose ", a.name, choose({"", " [1, 0]"})));
    settled(r);
  }

  void reshape() {
    Vec a = any();
    if (workgroup_) return;
    int64_t count = a.shape.rows * a.shape.columns;
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= count; ++d)
      if (count % d == 0) divisors.push_back(d);
    int64_t rows = divisors[pick(divisors.size())];
    Vec r{fresh(), a.elem, "", {rows, count / rows}, a.bound};
    line(str(r.name, " = reshape ", a.name, " -> vector<", shapeText(r.shape, a.elem), ">"));
    add(r);
  }

  void generate() {
    Vec r{fresh(), "i32", "", randomShape(), 64};
    r.layout = randomLayout(r.shape, true);
    std::string type = str("vector<", shapeText(r.shape, "i32"), withLayout(r.layout), ">");
    switch (pick(2)) {
    case 0: line(str(r.name, " = iota [", pick(2), "] : ", type)); break;
    default: line(str(r.name, " = constant ", static_cast<int64_t>(pick(20)) - 10, " : ", type)); break;
    }
    add(r);
  }

  void insertExtract() {
    Vec a = any();
    std::string x = fresh();
    line(str(x, " = extract ", a.name, "[", choose({"0", "%gi", "%n"}), ", ", choose({"0", "%gj"}), "]"));
    Vec r{fresh(), a.elem, a.layout, a.shape, a.bound};
    line(str(r.name, " = insert ", x, ", ", a.name, "[", choose({"0", "1", "%n"}), ", 0]"));
    add(r);
  }

  void mma() {
    Vec a = any();
    if (a.elem != "f16" && a.elem != "bf16" && a.elem != "i8" && a.elem != "f32") return;
    int64_t columns = workgroup_ ? subgroups_ : static_cast<int64_t>(1 + pick(9));
    int64_t bound = a.bound * 3 * a.shape.columns;
    std::string result = a.elem == "i8" ? "i32" : "f32";
    if (bound > limitOf(result)) return;
    std::string whole = workgroup_ ? str("#wg_map<sg_layout = [1, ", subgroups_, "], sg_data = [", a.shape.rows, ", ", a.shape.columns, "]>") : "";
    a = converted(a, whole);
    std::string b = fresh();
    Shape right{a.shape.columns, columns};
    std::string layoutB = workgroup_ ? str("#wg_map<sg_layout = [1, ", subgroups_, "], sg_data = [", right.rows, ", 1]>") : "";
    line(str(b, " = constant ", pick(2) ? "3" : "-2", isFloatName(a.elem) ? ".0" : "", " : vector<", shapeText(right, a.elem), withLayout(layoutB), ">"));
    Vec r{fresh(), result, "", {a.shape.rows, columns}, bound};
    line(str(r.name, " = tile_mma ", a.name, ", ", b));
    settled(r);
  }

  // A value goes through shared local memory into another layout; at subgroup scope to the next subgroup.
  void throughSlm() {
    if (depth_ > 0) return;
    Vec a = any();
    if (workgroup_ && storable(a.shape).empty()) return;
    std::string m = fresh(), to = fresh(), from = fresh();
    Vec r{fresh(), a.elem, randomLayout(a.shape, true), a.shape, a.bound};
    int64_t parts = workgroup_ ? 1 : subgroups_;
    line(str(m, " = alloc_slm : memref<", shapeText({a.shape.rows * parts, a.shape.columns}, a.elem), ", slm>"));
    std::string mine = "0", other = "0";
    if (!workgroup_) {
      mine = str("%sg * ", a.shape.rows);
      other = str("((%sg + 1) mod ", subgroups_, ") * ", a.shape.rows);
    }
    Vec owned = workgroup_ ? converted(a, storable(a.shape)) : a;
    line(str(to, " = init_tile ", m, "[", mine, ", 0] -> tile<", shapeText(a.shape, a.elem), withLayout(owned.layout), ">"));
    line(str("store_tile ", owned.name, ", ", to));
    line("barrier");
    line(str(from, " = init_tile ", m, "[", other, ", 0] -> tile<", shapeText(a.shape, a.elem), withLayout(r.layout), ">"));
    line(str(r.name, " = load_tile ", from));
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
    line(str(mask, " = create_mask %n, ", choose({"4", "%n", "100"}), " : vector<", shapeText(r.shape, "i1"), withLayout(r.layout), ">"));
    line(str(tile, " = init_tile %I, ", offsets, " -> tile<", shapeText(r.shape, "i32"), withLayout(r.layout), ", #scatter>"));
    line(str(r.name, " = load_gather ", tile, ", ", mask, pick(2) ? " {padding = 7}" : ""));
    add(r);
  }

  // A loop that carries one value, or a branch that may replace it.
  void structure() {
    if (depth_ >= 2) return;
    Vec a = any();
    std::string name = fresh();
    bool loop = pick(2) == 0;
    int64_t rounds = loop ? 3 : 1;
    int64_t step = a.elem == "i8" ? 2 : 5;
    if (a.bound + rounds * step > limitOf(a.elem)) return;
    std::string literal = str(step, isFloatName(a.elem) ? ".0" : "");
    line(str(name, " = ", a.name, " + 0", isFloatName(a.elem) ? ".0" : ""));
    switch (pick(3)) {
    case 0: line(str(loop ? "for %l = 0 to 3 {" : "if %n > 4 {")); break;
    case 1: line(str(loop ? "for %l = %gi to %gi + 2 {" : "if %gi == %gj {")); break;
    default: line(str(loop ? "for %l = 2 to 2 {" : "if %gj != 0 {")); break;
    }
    ++indent_;
    ++depth_;
    std::vector<Vec> outer = values_;
    step_(depth_);
    line(str(name, " = ", name, pick(2) ? " + " : " - ", literal));
    values_ = outer;
    --depth_;
    --indent_;
    line("}");
    add({name, a.elem, a.layout, a.shape, a.bound + rounds * step});
  }

  void step_(int) {
    switch (pick(5)) {
    case 0: elementwise(); break;
    case 1: reduce(); break;
    case 2: load(); break;
    case 3: transpose(); break;
    default: cast(); break;
    }
  }

  void step(int) {
    switch (pick(14)) {
    case 0: load(); break;
    case 1:
    case 2: elementwise(); break;
    case 3: cast(); break;
    case 4: reduce(); break;
    case 5: broadcast(); break;
    case 6: transpose(); break;
    case 7: reshape(); break;
    case 8: generate(); break;
    case 9: insertExtract(); break;
    case 10: mma(); break;
    case 11: throughSlm(); break;
    case 12: gather(); break;
    default: structure(); break;
    }
  }

  // A layout in which each element has one owner.
  std::string storable(Shape shape) {
    if (!workgroup_) return "";
    int64_t n = subgroups_;
    for (int64_t a = n; a >= 1; --a)
      if (n % a == 0 && shape.rows % a == 0 && shape.columns % (n / a) == 0)
        return str("#wg_map<sg_layout = [", a, ", ", n / a, "], sg_data = [", shape.rows / a, ", ", shape.columns / (n / a), "]>");
    return "";
  }

  // Stores the last few values side by side, each workgroup in rows of its own, and adds up what fits an i32.
  void finish() {
    int64_t column = 0;
    size_t count = std::min<size_t>(values_.size(), 4);
    std::vector<Vec> last(values_.end() - static_cast<ptrdiff_t>(count), values_.end());
    for (Vec v : last) {
      bool wide = isFloatName(v.elem) != isFloatName(outElem());
      std::string layout = storable(v.shape);
      if (wide || v.elem == "f64" || (workgroup_ && layout.empty()) || v.shape.rows > 64) continue;
      v = converted(v, layout);
      if (v.elem != outElem()) {
        Vec w = v;
        w.name = fresh();
        w.elem = outElem();
        line(str(w.name, isFloatName(v.elem) ? " = extf " : " = extsi ", v.name, " : vector<", shapeText(v.shape, v.elem), "> -> vector<", shapeText(v.shape, w.elem), ">"));
        v = w;
      }
      std::string tile = fresh();
      std::string base = workgroup_ ? str("(%gi * 2 + %gj) * 64") : str("((%gi * 2 + %gj) * ", subgroups_, " + %sg) * 64");
      line(str(tile, " = init_tile %C[", base, ", ", column, "] -> tile<", shapeText(v.shape, v.elem), withLayout(layout), ">"));
      line(str("store_tile ", v.name, ", ", tile));
      column += v.shape.columns;
      if (v.elem == "i32" && v.bound < (1 << 20)) {
        std::string sums = fresh();
        line(str(sums, " = init_tile %S[0, 0] -> tile<", shapeText(v.shape, "i32"), withLayout(layout), ">"));
        line(str(fresh(), " = atomic_rmw <", choose({"addi", "maxs", "xori"}), "> ", v.name, ", ", sums));
        return; // one kind of atomic only, so that their order does not matter
      }
    }
  }

  std::mt19937_64 random_;
  bool workgroup_ = false;
  int64_t subgroups_ = 1;
  std::string elem_, out_, seedText_;
  std::vector<Vec> values_;
  int indent_ = 0, next_ = 0, depth_ = 0;
};

} // namespace

std::string randomKernel(uint64_t seed) {
  Generator generator(seed);
  generator.setSeedText(std::to_string(seed));
  return generator.run();
}

} // namespace xt
