#include "tests/targets/differential/float_generator.h"

#include "tests/targets/differential/float_test_text.h"

#include <algorithm>
#include <cmath>

namespace xt {
namespace {

struct Vec {
  std::string name, elem, layout, host; // host: the name of the same values in the test, an array [batch, rows, columns]
  Shape shape;
  double most; // no element is larger in magnitude
};

bool isNarrow(const std::string &elem) { return elem == "f16" || elem == "bf16"; }
bool isByte(const std::string &elem) { return elem == "f8E4M3" || elem == "f8E5M2"; }

class FloatGenerator : private FloatTestText {
public:
  explicit FloatGenerator(uint64_t seed) : FloatTestText(seed) {}

  std::string run() {
    load("f32");
    int ops = 4 + static_cast<int>(pick(10));
    for (int i = 0; i < ops; ++i) step();
    finish();
    return file();
  }

private:
  // --- values

  Vec add(Vec v) {
    values_.push_back(v);
    return v;
  }
  Vec any() { return chooseFrom(values_); }
  // Returns a value of one of the element types. Loads one if there is none.
  Vec anyOf(std::initializer_list<const char *> elems) {
    std::vector<Vec> fitting;
    for (const Vec &v : values_)
      if (std::find(elems.begin(), elems.end(), v.elem) != elems.end()) fitting.push_back(v);
    return fitting.empty() ? load(choose(elems)) : chooseFrom(fitting);
  }
  Vec floats() { return anyOf({"f32", "f16", "bf16", "f64"}); }

  Vec settled(const Vec &v) { return add(inKnownLayout(v)); }
  // In the kernel, each operation on f16 and bf16 rounds to that type. The host rounds to f32 (or f64 for f64), so it needs a
  // cast.
  static std::string rounded(const std::string &elem, const std::string &expression) {
    return isNarrow(elem) ? str("cast(", expression, ", ", elem, ")") : expression;
  }

  // Emits an operation in the kernel, and the same operation in the test. In `text`, $0 and $1 stand for the operands. An
  // `exact` operation does not round.
  Vec apply(const std::string &text, std::initializer_list<Vec> operands, double most, bool exact) {
    Vec first = *operands.begin();
    Vec r{fresh(), first.elem, first.layout, "", first.shape, most};
    auto filled = [&](bool host) {
      std::string filledText;
      for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '$')
          filledText += text[i];
        else {
          const Vec &v = *(operands.begin() + (text[++i] - '0'));
          filledText += host ? v.host : v.name;
        }
      }
      return filledText;
    };
    line(str(r.name, " = ", filled(false)));
    r.host = let(exact ? filled(true) : rounded(r.elem, filled(true)));
    return r;
  }
  Vec scaled(Vec v, double limit) {
    while (v.most > limit) v = apply("$0 * 0.03125", {v}, v.most / 32, false);
    return v;
  }
  Vec cast(const Vec &v, const std::string &to) {
    static constexpr auto bits = [](const std::string &e) {
      return e == "f64" ? 64 : e == "f32" || e == "tf32" ? 32 : isNarrow(e) ? 16 : 8;
    };
    if (to == v.elem) return v;
    if (bits(to) == bits(v.elem)) return cast(cast(v, bits(to) == 32 ? "f64" : "f32"), to);
    Vec r{fresh(), to, v.layout, "", v.shape, v.most};
    line(str(r.name, bits(to) > bits(v.elem) ? " = extf " : " = truncf ", v.name, " : ", vectorType(v.shape, v.elem), " -> ",
             vectorType(v.shape, to)));
    r.host = let(str("cast(", v.host, ", ", to, ")"));
    return r;
  }

  // --- statements

  Vec load(const std::string &elem) {
    Vec v{fresh(), elem, "", "", randomShape(), 4};
    return load(v, !chance(3));
  }
  Vec load(Vec v, bool ragged) {
    v.layout = v.layout.empty() ? randomLayout(v.shape, true) : v.layout;
    Shape extent = v.shape;
    int64_t y = 0, x = 0;
    bool turned = ragged && chance(4);
    Shape tile = turned ? Shape{v.shape.columns, v.shape.rows} : v.shape;
    if (ragged) {
      extent = {std::max<int64_t>(1, tile.rows + between(-3, 4)), std::max<int64_t>(1, tile.columns + between(-3, 4))};
      y = between(-2, std::min<int64_t>(3, extent.rows - 1));
      x = between(-2, std::min<int64_t>(3, extent.columns - 1));
    }
    std::string base =
        argument(str("random(seed = ", pick(1000), choose({", low = -4, high = 4)", ", low = -0.5, high = 2)", ")"})), v.elem,
                 extent, false);
    std::string padding = choose({"0.25", "-1.5", "2.0"}), at = fresh();
    line(str(at, " = init_tile ", base, "[%w, ", y, ", ", x, "] -> tile<", shapeText(tile, v.elem),
             withLayout(turned ? "" : v.layout), ">"));
    std::string attributes = str("{", turned ? "transpose = [1, 0], " : "", "padding = ", padding, "}");
    line(str(v.name, " = load_tile ", at, " ", attributes, workgroup_ && turned ? " {" + v.layout + "}" : ""));
    v.host = window(base, extent, y, x, tile, padding);
    if (turned) v.host = let(str("transpose(", v.host, ")"));
    if (v.elem == "tf32") v.host = let(str("cast(", v.host, ", tf32)"));
    return add(v);
  }

  void unary() {
    Vec v = floats();
    switch (pick(20)) {
    case 0: add(apply("tanh($0)", {v}, 1, false)); break;
    case 1: add(apply("erf($0)", {v}, 1, false)); break;
    case 2: add(apply("sin($0)", {v}, 1, false)); break;
    case 3: add(apply("cos($0)", {v}, 1, false)); break;
    case 4: add(apply("atan($0)", {v}, 1.6, false)); break;
    case 5: add(apply("exp($0)", {apply("min($0, 2.0)", {v}, v.most, true)}, 8, false)); break;
    case 6: add(apply("exp2($0)", {apply("min($0, 3.0)", {v}, v.most, true)}, 8, false)); break;
    case 7: add(apply("expm1($0)", {apply("min($0, 2.0)", {v}, v.most, true)}, 8, false)); break;
    case 8:
      add(apply("sinh($0)", {apply("max($0, -2.0)", {apply("min($0, 2.0)", {v}, v.most, true)}, 2, true)}, 4, false));
      break;
    case 9: add(apply("sqrt($0)", {apply("abs($0)", {v}, v.most, true)}, std::max(1.0, v.most), false)); break;
    case 10: add(apply("log1p($0)", {apply("abs($0)", {v}, v.most, true)}, std::max(1.0, v.most), false)); break;
    case 11: add(apply("rsqrt($0)", {positive(v)}, 2, false)); break;
    case 12: add(apply("log($0)", {positive(v)}, std::max(1.0, v.most), false)); break;
    case 13: add(apply("log2($0)", {positive(v)}, 2 * std::max(1.0, v.most), false)); break;
    case 14: add(apply("log10($0)", {positive(v)}, std::max(1.0, v.most), false)); break;
    case 15: add(apply("pow($0, 1.5)", {scaled(positive(v), 8)}, 24, false)); break;
    case 16:
      add(apply(choose({"floor($0)", "ceil($0)", "round($0)", "roundeven($0)", "trunc($0)"}), {v}, v.most + 1, true));
      break;
    case 17: add(apply(choose({"-$0", "abs($0)"}), {v}, v.most, true)); break;
    case 18: add(apply("1.0 / $0", {positive(v)}, 4, false)); break;
    // The literals are numbers that every type holds exactly, because the host does not count the rounding of literals.
    default: add(apply(choose({"$0 * 0.6875", "$0 + 0.3125", "$0 - 1.75", "2.5 - $0"}), {v}, v.most + 3, false)); break;
    }
  }
  // Makes a value that is at least one half.
  Vec positive(const Vec &v) {
    Vec a = apply("abs($0)", {v}, v.most, true);
    return apply("$0 + 0.5", {a}, v.most + 0.5, false);
  }

  void binary() {
    Vec a = floats();
    std::vector<Vec> fitting;
    for (const Vec &v : values_)
      if (v.shape == a.shape && v.elem == a.elem) fitting.push_back(v);
    Vec b = converted(chooseFrom(fitting), a.layout);
    double most = std::max(a.most, b.most);
    switch (pick(8)) {
    case 0: add(scaled(apply("$0 + $1", {a, b}, a.most + b.most, false), 32)); break;
    case 1: add(scaled(apply("$0 - $1", {a, b}, a.most + b.most, false), 32)); break;
    case 2: add(scaled(apply("$0 * $1", {a, b}, a.most * b.most, false), 32)); break;
    case 3: add(apply(choose({"min($0, $1)", "max($0, $1)"}), {a, b}, most, true)); break;
    case 4: add(scaled(apply("$0 / $1", {a, positive(b)}, 2 * a.most, false), 32)); break;
    case 5: add(scaled(apply("fma($0, $1, $2)", {a, b, a}, a.most * b.most + a.most, false), 32)); break;
    case 6: choice(a, b); break;
    default: masked(a, b); break;
    }
  }
  void choice(const Vec &a, const Vec &b) {
    Vec r{fresh(), a.elem, a.layout, "", a.shape, std::max(a.most, b.most)};
    std::string mask = fresh(), compare = choose({" < ", " >= ", " > ", " <= "});
    line(str(mask, " = ", a.name, compare, b.name));
    line(str(r.name, " = select(", mask, ", ", a.name, ", ", b.name, ")"));
    r.host = let(str("where(", a.host, compare, b.host, ", ", a.host, ", ", b.host, ")"));
    add(r);
  }
  void masked(const Vec &a, const Vec &b) {
    Vec r{fresh(), a.elem, a.layout, "", a.shape, std::max(a.most, b.most)};
    std::string mask = fresh();
    int64_t rows = between(0, a.shape.rows), columns = between(0, a.shape.columns + 1);
    line(str(mask, " = create_mask ", rows, ", ", columns, " : ", vectorType(a.shape, "i1", a.layout)));
    line(str(r.name, " = select(", mask, ", ", a.name, ", ", b.name, ")"));
    std::string inside = table(str("from (i, j) => i < ", rows, " and j < ", columns), shapeText(a.shape, "i32"));
    r.host = let(str("where(", inside, ", ", a.host, ", ", b.host, ")"));
    add(r);
  }

  void casts() {
    Vec v = any();
    if (isByte(v.elem) || v.elem == "tf32")
      add(cast(v, choose({"f32", "f16"})));
    else if (chance(4))
      add(cast(scaled(v, 32), choose({"f8E4M3", "f8E5M2"})));
    else
      add(cast(v, choose({"f32", "f16", "bf16", "f64"})));
  }

  void reduce() {
    Vec v = floats();
    int dim = static_cast<int>(pick(2));
    int64_t extent = dim == 0 ? v.shape.rows : v.shape.columns, size = extent;
    if (chance(3))
      for (int64_t s : {2, 3, 4, 8})
        if (extent % s == 0) size = s;
    std::string kind = choose({"add", "add", "mul", "maximumf", "minimumf", "maxnumf", "minnumf"});
    if (kind == "mul") v = product(v, size);
    if (kind == "add" || kind == "mul") v = isNarrow(v.elem) ? cast(v, "f32") : v; // each step rounds to its type
    if (workgroup_ && size != extent) v = converted(v, whole(v.shape));
    double terms = static_cast<double>(size);
    Vec r{fresh(), v.elem, "", "", v.shape, kind == "add" ? v.most * terms : kind == "mul" ? std::pow(v.most, terms) : v.most};
    (dim == 0 ? r.shape.rows : r.shape.columns) = extent / size;
    line(str(r.name, " = reduction <", kind, "> ", v.name, " [", dim, "]",
             size == extent ? "" : str(" {reduction_size = ", size, "}")));
    r.host = size == extent ? reducedWhole(v, kind, dim) : reducedBlocks(v, kind, dim, extent, size);
    if (workgroup_) {
      r.layout = "?";
      r = converted(r, randomLayout(r.shape, true));
    }
    add(scaled(r, 32));
  }
  // Maps values to factors near 1, so that the product of many stays in range.
  Vec product(const Vec &v, int64_t) {
    Vec t = apply("tanh($0)", {v}, 1, false);
    Vec small = apply("$0 * 0.0625", {t}, 0.0625, false);
    return apply("$0 + 1.0", {small}, 1.0625, false);
  }
  std::string reducedWhole(const Vec &v, const std::string &kind, int dim) {
    const char *fn = kind == "add" ? "sum" : kind == "mul" ? "prod" : kind.starts_with("max") ? "max" : "min";
    return let(str(fn, "(", v.host, ", dim = ", dim + 1, ")"));
  }
  // Expresses the reduction of blocks in the test: sums as a product with a matrix that has ones in the blocks, other kinds
  // term by term.
  std::string reducedBlocks(const Vec &v, const std::string &kind, int dim, int64_t extent, int64_t size) {
    int64_t blocks = extent / size;
    if (kind == "add") {
      std::string ones = table(str("from (i, j) => ", dim == 0 ? "j" : "i", " >= ", dim == 0 ? "i" : "j", " * ", size, " and ",
                                   dim == 0 ? "j" : "i", " < (", dim == 0 ? "i" : "j", " + 1) * ", size),
                               dim == 0 ? str(blocks, "x", extent, "xf32") : str(extent, "x", blocks, "xf32"));
      return let(dim == 0 ? str("matmul(", ones, ", ", v.host, ")") : str("matmul(", v.host, ", ", ones, ")"));
    }
    std::string result;
    for (int64_t k = 0; k < size; ++k) {
      std::string places = table(str("from (i) => i * ", size, " + ", k), str(blocks, "xi32"));
      std::string term = str("gather(", v.host, ", ", places, ", dim = ", dim + 1, ")");
      if (k == 0)
        result = let(term);
      else
        result = let(kind == "mul" ? str(result, " * ", term)
                                   : str(kind.starts_with("max") ? "max(" : "min(", result, ", ", term, ")"));
    }
    return result;
  }

  void broadcast() {
    Vec v = any();
    int dim = static_cast<int>(pick(2));
    int64_t extent = dim == 0 ? v.shape.rows : v.shape.columns, times = between(2, 5);
    if (v.shape.rows * v.shape.columns * times > 3000) return;
    Vec r{fresh(), v.elem, "", "", v.shape, v.most};
    (dim == 0 ? r.shape.rows : r.shape.columns) = extent * times;
    bool stretches = extent == 1 && chance(2);
    line(str(r.name, " = broadcast ", v.name, " [", dim, "]", stretches ? "" : str(" {broadcast_size = ", times, "}"), " : ",
             vectorType(v.shape, v.elem), " -> ", vectorType(r.shape, r.elem)));
    std::string places = table(str("from (i) => (i - i mod ", times, ") / ", times), str(extent * times, "xi32"));
    r.host = let(str("gather(", v.host, ", ", places, ", dim = ", dim + 1, ")"));
    settled(r);
  }

  void transpose() {
    Vec v = any();
    Vec r{fresh(), v.elem, "", "", {v.shape.columns, v.shape.rows}, v.most};
    line(str(r.name, " = transpose ", v.name));
    r.host = let(str("transpose(", v.host, ")"));
    settled(r);
  }

  // Expresses a * b + c as one sum that includes c as a term, so that the error bound counts c as one term.
  std::string summed(const std::string &a, const std::string &b, const Vec *c, int64_t m, int64_t k, const std::string &acc) {
    std::string in = acc.empty() ? "" : str(", acc = ", acc);
    if (!c) return let(str("matmul(", a, ", ", b, in, ")"));
    std::string cut = table(str("from (i) => min(i, ", k - 1, ")"), str(k + m, "xi32")),
                rest = table(str("from (i) => max(i - ", k, ", 0)"), str(k + m, "xi32"));
    std::string isA = table(str("from (i, j) => j < ", k), str("1x", k + m, "xi32")),
                isB = table(str("from (i, j) => i < ", k), str(k + m, "x1xi32"));
    std::string one = table(str("from (i, j) => j == i + ", k), str(m, "x", k + m, "xf32"));
    std::string left = let(str("where(", isA, ", gather(", a, ", ", cut, ", dim = 2), ", one, ")"));
    std::string right =
        let(str("where(", isB, ", gather(", b, ", ", cut, ", dim = 1), gather(", c->host, ", ", rest, ", dim = 1))"));
    return let(str("matmul(", left, ", ", right, in, ")"));
  }
  std::string sumElem(const std::string &elem) { return elem == "f64" ? "f64" : "f32"; }

  void mma() {
    Vec a = anyOf({"f16", "bf16", "f32", "f64", "tf32", "f8E4M3", "f8E5M2"});
    std::string sum = sumElem(a.elem), acc = isNarrow(a.elem) && chance(4) ? a.elem : "";
    if (!acc.empty()) sum = acc;
    int64_t m = a.shape.rows, k = a.shape.columns, n = workgroup_ ? subgroups_ * between(1, 2) : between(1, 9);
    MmaLayouts layouts = mmaLayouts(m, n, k);
    a = converted(a, layouts.a);
    Vec b = load(Vec{fresh(), a.elem, layouts.b, "", {k, n}, 4}, chance(2));
    double most = a.most * b.most * static_cast<double>(k);
    Vec r{fresh(), sum, layouts.c, "", {m, n}, most};
    bool plus = chance(2);
    std::string text = str(" = tile_mma ", a.name, ", ", b.name);
    std::string types = str(" : ", vectorType(a.shape, a.elem), ", ", vectorType(b.shape, b.elem));
    Vec c;
    if (plus) {
      c = load(Vec{fresh(), sum, layouts.c, "", r.shape, 4}, chance(2));
      r.most += 4;
      text += str(", ", c.name);
      types += str(", ", vectorType(c.shape, c.elem));
    }
    line(str(r.name, text, workgroup_ ? " {" + layouts.c + "}" : "", types, " -> ", vectorType(r.shape, r.elem)));
    r.host = summed(a.host, b.host, plus ? &c : nullptr, m, k, acc);
    if (!acc.empty()) r.host = let(str("cast(", r.host, ", ", acc, ")"));
    if (workgroup_) r = converted(r, randomLayout(r.shape, true));
    add(scaled(r, 32));
  }

  // Emits a loop over K with moving tiles.
  void gemm() {
    std::string elem = choose({"f16", "bf16", "f32", "tf32", "f8E5M2", "f64"});
    std::string sum = sumElem(elem);
    int64_t step = choose({4, 8, 16}), k = between(1, 40);
    Shape c = randomShape();
    MmaLayouts layouts = mmaLayouts(c.rows, c.columns, step);
    Shape bigA{std::max<int64_t>(1, c.rows + between(-2, 1)), k}, bigB{k, std::max<int64_t>(1, c.columns + between(-2, 1))};
    std::string a = argument(str("random(seed = ", pick(1000), ")"), elem, bigA, false),
                b = argument(str("random(seed = ", pick(1000), ")"), elem, bigB, false);
    std::string ta = fresh(), tb = fresh(), va = fresh(), vb = fresh(), i = fresh();
    Vec r{fresh(), sum, layouts.c, "", c, static_cast<double>(k)};
    line(str(ta, " = init_tile ", a, "[%w, 0, 0] -> tile<", shapeText({c.rows, step}, elem), withLayout(layouts.a), ">"));
    line(str(tb, " = init_tile ", b, "[%w, 0, 0] -> tile<", shapeText({step, c.columns}, elem), withLayout(layouts.b), ">"));
    line(str(r.name, " = constant 0.0 : ", vectorType(c, sum, layouts.c)));
    line(str("for ", i, " = 0 to dim(", a, ", 2) step ", step, " {"));
    line(str("  ", va, " = load_tile ", ta));
    line(str("  ", vb, " = load_tile ", tb));
    line(str("  ", r.name, " = tile_mma ", va, ", ", vb, ", ", r.name));
    line(str("  ", ta, " = update_tile_offset ", ta, ", 0, ", step));
    line(str("  ", tb, " = update_tile_offset ", tb, ", ", step, ", 0"));
    line("}");
    auto operand = [&](const std::string &array, Shape extent, Shape shape) {
      std::string w = window(array, extent, 0, 0, shape, "0.0");
      return elem == "tf32" ? let(str("cast(", w, ", tf32)")) : w;
    };
    r.host = let(str("matmul(", operand(a, bigA, {c.rows, k}), ", ", operand(b, bigB, {k, c.columns}), ")"));
    if (workgroup_) r = converted(r, randomLayout(r.shape, true));
    add(scaled(r, 32));
  }

  void throughSlm() {
    Vec v = any();
    if (workgroup_ && storable(v.shape).empty()) return;
    std::string m = fresh(), to = fresh(), from = fresh();
    Vec r{fresh(), v.elem, randomLayout(v.shape, true), "", v.shape, v.most};
    int64_t parts = workgroup_ ? 1 : subgroups_;
    line(str(m, " = alloc_slm : memref<", shapeText({v.shape.rows * parts, v.shape.columns}, v.elem), ", slm>"));
    std::string mine = workgroup_ ? "0" : str("%sg * ", v.shape.rows),
                other = workgroup_ ? "0" : str("((%sg + 1) mod ", subgroups_, ") * ", v.shape.rows);
    Vec owned = workgroup_ ? converted(v, storable(v.shape)) : v;
    line(str(to, " = init_tile ", m, "[", mine, ", 0] -> tile<", shapeText(v.shape, v.elem), withLayout(owned.layout), ">"));
    line(str("store_tile ", owned.name, ", ", to));
    line("barrier");
    line(str(from, " = init_tile ", m, "[", other, ", 0] -> tile<", shapeText(v.shape, v.elem), withLayout(r.layout), ">"));
    line(str(r.name, " = load_tile ", from));
    r.host = v.host;
    if (!workgroup_) {
      std::string next = table(str("from (w) => w - w mod ", subgroups_, " + (w + 1) mod ", subgroups_), str(batches_, "xi32"));
      r.host = let(str("gather(", v.host, ", ", next, ")"));
    }
    add(r);
  }

  // Combines one element with the whole vector.
  void element() {
    Vec v = floats();
    int64_t i = between(0, v.shape.rows - 1), j = between(0, v.shape.columns - 1);
    std::string x = fresh();
    line(str(x, " = extract ", v.name, "[", i, ", ", j, "]"));
    Vec scalar{x, v.elem, "", let(str(v.host, "[:, ", i, ":", i + 1, ", ", j, ":", j + 1, "]")), {1, 1}, v.most};
    add(scaled(apply(choose({"$0 * $1", "$0 - $1"}), {v, scalar}, v.most * v.most + 2 * v.most, false), 32));
  }

  // Emits a loop of three steps, a loop of no steps, a while loop, or a branch that depends on the workgroup.
  void structure() {
    Vec v = scaled(floats(), 4);
    std::vector<Vec> fitting;
    for (const Vec &u : values_)
      if (u.shape == v.shape && u.elem == v.elem) fitting.push_back(u);
    if (fitting.empty()) return;
    Vec u = scaled(converted(chooseFrom(fitting), v.layout), 4);
    std::string name = fresh(), n = fresh(), body = choose({"$0 + $1", "$0 * $1", "$1 - $0"});
    line(str(name, " = ", v.name, " + 0.0"));
    Vec r = v;
    r.name = name;
    r.host = let(str(v.host, " + 0.0"));
    int rounds = 3;
    bool branches = false;
    switch (pick(5)) {
    case 0: line(str("for ", n, " = 0 to %three {")); break;
    case 1: line(str("for ", n, " = %three to 3 {")), rounds = 0; break;
    case 2: line(str("for ", n, " = -2 to 4 step 2 {")); break;
    case 3:
      line(str(n, " = 0"));
      line(str("while ", n, " < %three {"));
      line(str("  ", n, " = ", n, " + 1"));
      break;
    default: line("if %w mod 2 == 0 {"), rounds = 1, branches = true; break;
    }
    auto filled = [&](const std::string &a, const std::string &b) {
      std::string text = body;
      for (auto [key, with] : {std::pair{"$0", &a}, std::pair{"$1", &b}}) text.replace(text.find(key), 2, *with);
      return text;
    };
    line(str("  ", name, " = ", filled(name, u.name)));
    line("}");
    for (int i = 0; i < rounds; ++i) {
      std::string next = let(rounded(r.elem, filled(r.host, u.host)));
      if (branches)
        next = let(
            str("where(", table("from (w, i, j) => w mod 2 == 0", str(batches_, "x1x1xi32")), ", ", next, ", ", r.host, ")"));
      r.host = next;
    }
    r.most = 256;
    add(scaled(r, 32));
  }

  void call() {
    Vec v = cast(floats(), "f32");
    static constexpr std::pair<const char *, const char *> kFunctions[] = {
        {"0.5 * $0 * (1.0 + tanh($0))", "gelu"}, {"1.0 / (1.0 + exp(-$0))", "sigmoid"}, {"$0 / (1.0 + abs($0))", "softsign"}};
    auto [text, name] = kFunctions[pick(3)];
    auto filled = [](std::string t, const std::string &with) {
      for (size_t at; (at = t.find("$0")) != std::string::npos;) t.replace(at, 2, with);
      return t;
    };
    if (functions_.find(str("@", name, "(")) == std::string::npos)
      functions_ += str("func @", name, "(%x: vector<?x?xf32>) -> vector<?x?xf32> {\n  return ", filled(text, "%x"), "\n}\n");
    Vec r{fresh(), "f32", v.layout, "", v.shape, std::max(1.0, v.most)};
    line(str(r.name, " = @", name, "(", v.name, ")"));
    r.host = let(filled(text, v.host));
    add(r);
  }

  // Gathers elements of a one-dimensional buffer at individual offsets.
  void gather() {
    Vec r{fresh(), choose({"f32", "f16", "f64"}), "", "", randomShape(), 1};
    r.layout = randomLayout(r.shape, true);
    int64_t extent = between(20, 90), dy = between(-2, 3), dx = between(-1, 2), from = between(-5, 30);
    std::string base = listArgument(str("random(seed = ", pick(1000), ")"), r.elem, extent);
    std::string row = fresh(), column = fresh(), offsets = fresh(), mask = fresh(), tile = fresh(),
                type = vectorType(r.shape, "index", r.layout);
    int64_t rows = between(1, r.shape.rows), columns = between(1, r.shape.columns);
    line(str(row, " = iota [0] : ", type));
    line(str(column, " = iota [1] : ", type));
    line(str(offsets, " = ", row, " * ", dy, " + ", column, " * ", dx, " + ", from));
    line(str(mask, " = create_mask ", rows, ", ", columns, " : ", vectorType(r.shape, "i1", r.layout)));
    line(str(tile, " = init_tile ", base, ", ", offsets, " -> tile<", shapeText(r.shape, r.elem), withLayout(r.layout),
             ", #scatter>"));
    line(str(r.name, " = load_gather ", tile, ", ", mask, " {padding = 0.75}"));
    std::string place = str("i * ", dy, " + j * ", dx, " + ", from);
    std::string places = table(str("from (i, j) => min(max(", place, ", 0), ", extent - 1, ")"), shapeText(r.shape, "i32"));
    std::string inside =
        table(str("from (i, j) => i < ", rows, " and j < ", columns, " and ", place, " >= 0 and ", place, " < ", extent),
              shapeText(r.shape, "i32"));
    std::string batches = table("fill(1)", str(batches_, "x1x1xi32"));
    r.host = let(str("where(", batches, " * ", inside, ", gather(", base, ", ", places, "), 0.75)"));
    add(r);
  }

  void step() {
    switch (pick(20)) {
    case 0: load(choose({"f32", "f16", "bf16", "f64", "tf32", "f8E4M3", "f8E5M2"})); break;
    case 1:
    case 2:
    case 3: unary(); break;
    case 4:
    case 5:
    case 6: binary(); break;
    case 7:
    case 8: casts(); break;
    case 9:
    case 10: reduce(); break;
    case 11: broadcast(); break;
    case 12: transpose(); break;
    case 13: mma(); break;
    case 14: gemm(); break;
    case 15: throughSlm(); break;
    case 16: element(); break;
    case 17: structure(); break;
    case 18: call(); break;
    default: gather(); break;
    }
  }

  // Stores at most four of the last values, each to a separate buffer, or adds them to it by atomics.
  void finish() {
    size_t stored = 0;
    for (size_t i = values_.size(); i-- > 0 && stored < 4;) {
      Vec v = values_[i];
      std::string layout = storable(v.shape);
      if (workgroup_ && layout.empty()) continue;
      v = converted(v, layout);
      if (v.elem == "tf32") v = cast(cast(v, "f64"), "f32");
      bool adds = v.elem == "f32" && chance(4);
      std::string base = argument(adds ? str("random(seed = ", pick(1000), ")") : "out", v.elem, v.shape, true), tile = fresh();
      line(str(tile, " = init_tile ", base, "[%w, 0, 0] -> tile<", shapeText(v.shape, v.elem), withLayout(layout), ">"));
      if (adds)
        line(str(fresh(), " = atomic_rmw <addf> ", v.name, ", ", tile));
      else
        line(str("store_tile ", v.name, ", ", tile));
      checks_ += str("  check ", base, " == ", adds ? str("before(", base, ") + ") : "", v.host, "\n");
      ++stored;
    }
  }

  std::vector<Vec> values_;
};

} // namespace

std::string randomFloatKernel(uint64_t seed) { return FloatGenerator(seed).run(); }

} // namespace xt
