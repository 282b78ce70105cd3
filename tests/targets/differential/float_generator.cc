#include "tests/targets/differential/float_generator.h"

#include "tests/targets/differential/float_ops.h"

#include <algorithm>
#include <cmath>

namespace xt {
namespace {

class FloatGenerator : private FloatOps {
public:
  explicit FloatGenerator(uint64_t seed) : FloatOps(seed) {}

  std::string run() {
    load("f32");
    int ops = 4 + static_cast<int>(pick(10));
    for (int i = 0; i < ops; ++i) step();
    finish();
    return file();
  }

private:
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
};

} // namespace

std::string randomFloatKernel(uint64_t seed) { return FloatGenerator(seed).run(); }

} // namespace xt
