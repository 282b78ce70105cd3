#include "tests/targets/differential/exact_ops.h"

#include <algorithm>
#include <map>

namespace xt {

int ExactOps::bitsOf(const std::string &elem) {
  static const std::map<std::string, int> bits = {{"f64", 64},   {"f32", 32},   {"f16", 16},  {"bf16", 16},
                                                  {"f8E4M3", 8}, {"f8E5M2", 8}, {"i64", 64},  {"i32", 32},
                                                  {"i16", 16},   {"i8", 8},     {"index", 64}};
  return bits.at(elem);
}

bool ExactOps::holds(const std::string &elem, int64_t bound) {
  static const std::map<std::string, int64_t> limits = {{"f64", 1 << 30}, {"f32", 1 << 22}, {"f16", 1 << 11},
                                                        {"bf16", 1 << 8}, {"f8E4M3", 16},   {"f8E5M2", 8}};
  return !isFloatName(elem) || bound <= limits.at(elem);
}

ExactOps::Vec ExactOps::add(Vec v) {
  if (!isFloatName(v.elem)) v.bound = 1;
  values_.push_back(v);
  return v;
}

void ExactOps::elementwise() {
  Vec a = any();
  std::vector<Vec> fitting;
  for (const Vec &v : values_)
    if (v.shape == a.shape && v.elem == a.elem) fitting.push_back(v);
  Vec b = converted(fitting[pick(fitting.size())], a.layout);
  Vec r{fresh(), a.elem, a.layout, a.shape, std::max(a.bound, b.bound)};
  bool whole = !isFloatName(a.elem);
  std::string text;
  switch (pick(whole ? 9 : 5)) {
  case 0:
    r.bound = a.bound + b.bound;
    text = str(a.name, " + ", b.name);
    break;
  case 1:
    r.bound = a.bound + b.bound + 3;
    text = str(a.name, " - ", b.name, " + ", number(a.elem, 3));
    break;
  case 2:
    r.bound = a.bound * std::max<int64_t>(b.bound, 1);
    text = str(a.name, " * ", b.name);
    break;
  case 3: text = str(choose({"min", "max"}), "(", a.name, ", ", b.name, ")"); break;
  case 4: text = selected(a, b); break;
  case 5: text = str(a.name, choose({" / max(", " mod max("}), b.name, ", 1)"); break;
  case 6: text = str(choose({"andi", "ori", "xori", "minui", "maxui"}), "(", a.name, ", ", b.name, ")"); break;
  case 7: text = str(choose({"shli", "shrsi", "shrui"}), "(", a.name, ", ", pick(7), ")"); break;
  default: text = str(choose({"divui", "remui", "floordivsi", "ceildivsi"}), "(", a.name, ", max(", b.name, ", 3))"); break;
  }
  if (!holds(r.elem, r.bound)) return;
  line(str(r.name, " = ", text));
  add(r);
}

std::string ExactOps::selected(const Vec &a, const Vec &b) {
  std::string mask = fresh();
  if (pick(2))
    line(str(mask, " = ", a.name, choose({" < ", " == ", " >= ", " != "}), b.name));
  else
    line(str(mask, " = create_mask ", choose({"%n", "2", "100"}), ", ", choose({"%n", "3", "0"}), " : ",
             vectorType(a.shape, "i1")));
  return str("select(", mask, ", ", a.name, ", ", b.name, ")");
}

void ExactOps::cast() {
  Vec a = any();
  std::string to =
      isFloatName(a.elem) ? choose({"f32", "f16", "bf16", "f64", "f8E4M3", "f8E5M2"}) : choose({"i32", "i16", "i8", "i64"});
  if (bitsOf(to) == bitsOf(a.elem) || !holds(to, a.bound)) return;
  bool widens = bitsOf(to) > bitsOf(a.elem);
  const char *op = isFloatName(to) ? (widens ? "extf" : "truncf")
                                   : (widens ? choose({"extsi", "extui"}) == "extsi" ? "extsi" : "extui" : "trunci");
  Vec r{fresh(), to, a.layout, a.shape, a.bound};
  line(str(r.name, " = ", op, " ", a.name, " : vector<", shapeText(a.shape, a.elem), "> -> vector<", shapeText(a.shape, to),
           ">"));
  add(r);
}

void ExactOps::reduce() {
  Vec a = any();
  int dim = static_cast<int>(pick(2));
  int64_t extent = dim == 0 ? a.shape.rows : a.shape.columns, size = extent;
  if (pick(3) == 0)
    for (int64_t s : {2, 3, 4, 8})
      if (extent % s == 0) size = s;
  bool sum = pick(2) == 0 && holds(a.elem, a.bound * size);
  std::string kind = sum                   ? "add"
                     : isFloatName(a.elem) ? choose({"maximumf", "minimumf", "maxnumf"})
                                           : choose({"maxsi", "minsi", "minui", "maxui", "and", "or", "xor", "mul"});
  // If a part of a block were distributed over subgroups, there might be no notation for the layout, so whole blocks are kept
  // together.
  if (workgroup_ && size != extent)
    a = converted(a, str("#wg_map<sg_layout = [", subgroups_, ", 1], sg_data = [", a.shape.rows, ", ", a.shape.columns, "]>"));
  Vec r{fresh(), a.elem, "", a.shape, sum ? a.bound * size : a.bound};
  (dim == 0 ? r.shape.rows : r.shape.columns) = extent / size;
  line(str(r.name, " = reduction <", kind, "> ", a.name, " [", dim, "]",
           size == extent ? "" : str(" {reduction_size = ", size, "}")));
  settled(r);
}

void ExactOps::broadcast() {
  Vec a = any();
  int dim = static_cast<int>(pick(2));
  int64_t &extent = dim == 0 ? a.shape.rows : a.shape.columns;
  int64_t times = 2 + static_cast<int64_t>(pick(4));
  if (a.shape.rows * a.shape.columns * times > 4096) return;
  Vec r{fresh(), a.elem, "", a.shape, a.bound};
  (dim == 0 ? r.shape.rows : r.shape.columns) = extent * times;
  bool stretches = extent == 1 && pick(2) == 0;
  line(str(r.name, " = broadcast ", a.name, " [", dim, "]", stretches ? "" : str(" {broadcast_size = ", times, "}"),
           " : vector<", shapeText(a.shape, a.elem), "> -> vector<", shapeText(r.shape, a.elem), ">"));
  settled(r);
}

void ExactOps::transpose() {
  Vec a = any();
  Vec r{fresh(), a.elem, "", {a.shape.columns, a.shape.rows}, a.bound};
  line(str(r.name, " = transpose ", a.name, choose({"", " [1, 0]"})));
  settled(r);
}

void ExactOps::reshape() {
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

void ExactOps::generate() {
  Vec r{fresh(), choose({"i32", "i32", "i64", "i16"}), "", randomShape(), 64};
  if (isFloatName(elem_)) r.elem = "i32";
  r.layout = randomLayout(r.shape, true);
  std::string type = vectorType(r.shape, r.elem, r.layout);
  if (pick(2))
    line(str(r.name, " = iota [", pick(2), "] : ", type));
  else
    line(str(r.name, " = constant ", between(-10, 10), " : ", type));
  add(r);
}

void ExactOps::insertExtract() {
  Vec a = any();
  std::string x = fresh();
  line(str(x, " = extract ", a.name, "[", choose({"0", "%gi", "%n"}), ", ", choose({"0", "%gj"}), "]"));
  Vec r{fresh(), a.elem, a.layout, a.shape, a.bound};
  line(str(r.name, " = insert ", x, ", ", a.name, "[", choose({"0", "1", "%n"}), ", 0]"));
  add(r);
}

void ExactOps::mma() {
  Vec a = any();
  if (a.elem == "i16" || a.elem == "i32" || a.elem == "i64") return;
  int64_t columns = workgroup_ ? subgroups_ * between(1, 2) : between(1, 9);
  int64_t bound = a.bound * 3 * a.shape.columns;
  std::string result = a.elem == "i8" ? "i32" : a.elem == "f64" ? "f64" : "f32";
  if (!holds(result, bound)) return;
  MmaLayouts layouts = mmaLayouts(a.shape.rows, columns, a.shape.columns);
  a = converted(a, layouts.a);
  std::string b = fresh();
  Shape right{a.shape.columns, columns};
  line(str(b, " = constant ", number(a.elem, pick(2) ? 3 : -2), " : ", vectorType(right, a.elem, layouts.b)));
  if (a.shape.columns > 1) {
    // Makes the value non-uniform by inserting another number.
    std::string one = fresh(), changed = fresh();
    line(str(one, " = constant ", number(a.elem, 1), " : ", a.elem));
    line(str(changed, " = insert ", one, ", ", b, "[", pick(static_cast<uint64_t>(a.shape.columns)), ", 0]"));
    b = changed;
  }
  Vec r{fresh(), result, layouts.c, {a.shape.rows, columns}, bound};
  line(str(r.name, " = tile_mma ", a.name, ", ", b, workgroup_ ? str(" {", layouts.c, "}") : ""));
  add(workgroup_ ? converted(r, randomLayout(r.shape, true)) : r);
}

} // namespace xt
