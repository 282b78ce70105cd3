#include "tests/targets/differential/float_ops.h"

#include <algorithm>
#include <cmath>

namespace xt {

FloatOps::Vec FloatOps::add(Vec v) {
  values_.push_back(v);
  return v;
}

FloatOps::Vec FloatOps::anyOf(std::initializer_list<const char *> elems) {
  std::vector<Vec> fitting;
  for (const Vec &v : values_)
    if (std::find(elems.begin(), elems.end(), v.elem) != elems.end()) fitting.push_back(v);
  return fitting.empty() ? load(choose(elems)) : chooseFrom(fitting);
}

std::string FloatOps::rounded(const std::string &elem, const std::string &expression) {
  return isNarrow(elem) ? str("cast(", expression, ", ", elem, ")") : expression;
}

FloatOps::Vec FloatOps::apply(const std::string &text, std::initializer_list<Vec> operands, double most, bool exact) {
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

FloatOps::Vec FloatOps::scaled(Vec v, double limit) {
  while (v.most > limit) v = apply("$0 * 0.03125", {v}, v.most / 32, false);
  return v;
}

FloatOps::Vec FloatOps::cast(const Vec &v, const std::string &to) {
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

FloatOps::Vec FloatOps::load(const std::string &elem) {
  Vec v{fresh(), elem, "", "", randomShape(), 4};
  return load(v, !chance(3));
}

FloatOps::Vec FloatOps::load(Vec v, bool ragged) {
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

void FloatOps::unary() {
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

FloatOps::Vec FloatOps::positive(const Vec &v) {
  Vec a = apply("abs($0)", {v}, v.most, true);
  return apply("$0 + 0.5", {a}, v.most + 0.5, false);
}

void FloatOps::binary() {
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

void FloatOps::choice(const Vec &a, const Vec &b) {
  Vec r{fresh(), a.elem, a.layout, "", a.shape, std::max(a.most, b.most)};
  std::string mask = fresh(), compare = choose({" < ", " >= ", " > ", " <= "});
  line(str(mask, " = ", a.name, compare, b.name));
  line(str(r.name, " = select(", mask, ", ", a.name, ", ", b.name, ")"));
  r.host = let(str("where(", a.host, compare, b.host, ", ", a.host, ", ", b.host, ")"));
  add(r);
}

void FloatOps::masked(const Vec &a, const Vec &b) {
  Vec r{fresh(), a.elem, a.layout, "", a.shape, std::max(a.most, b.most)};
  std::string mask = fresh();
  int64_t rows = between(0, a.shape.rows), columns = between(0, a.shape.columns + 1);
  line(str(mask, " = create_mask ", rows, ", ", columns, " : ", vectorType(a.shape, "i1", a.layout)));
  line(str(r.name, " = select(", mask, ", ", a.name, ", ", b.name, ")"));
  std::string inside = table(str("from (i, j) => i < ", rows, " and j < ", columns), shapeText(a.shape, "i32"));
  r.host = let(str("where(", inside, ", ", a.host, ", ", b.host, ")"));
  add(r);
}

void FloatOps::casts() {
  Vec v = any();
  if (isByte(v.elem) || v.elem == "tf32")
    add(cast(v, choose({"f32", "f16"})));
  else if (chance(4))
    add(cast(scaled(v, 32), choose({"f8E4M3", "f8E5M2"})));
  else
    add(cast(v, choose({"f32", "f16", "bf16", "f64"})));
}

void FloatOps::reduce() {
  Vec v = floats();
  int dim = static_cast<int>(pick(2));
  int64_t extent = dim == 0 ? v.shape.rows : v.shape.columns, size = extent;
  if (chance(3))
    for (int64_t s : {2, 3, 4, 8})
      if (extent % s == 0) size = s;
  std::string kind = choose({"add", "add", "mul", "maximumf", "minimumf", "maxnumf", "minnumf"});
  if (kind == "mul") v = nearOne(v);
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

FloatOps::Vec FloatOps::nearOne(const Vec &v) {
  Vec t = apply("tanh($0)", {v}, 1, false);
  Vec small = apply("$0 * 0.0625", {t}, 0.0625, false);
  return apply("$0 + 1.0", {small}, 1.0625, false);
}

std::string FloatOps::reducedWhole(const Vec &v, const std::string &kind, int dim) {
  const char *fn = kind == "add" ? "sum" : kind == "mul" ? "prod" : kind.starts_with("max") ? "max" : "min";
  return let(str(fn, "(", v.host, ", dim = ", dim + 1, ")"));
}

std::string FloatOps::reducedBlocks(const Vec &v, const std::string &kind, int dim, int64_t extent, int64_t size) {
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

void FloatOps::broadcast() {
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

void FloatOps::transpose() {
  Vec v = any();
  Vec r{fresh(), v.elem, "", "", {v.shape.columns, v.shape.rows}, v.most};
  line(str(r.name, " = transpose ", v.name));
  r.host = let(str("transpose(", v.host, ")"));
  settled(r);
}

} // namespace xt
