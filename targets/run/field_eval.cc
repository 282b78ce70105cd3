#include "targets/run/field_eval.h"

#include "ir/base/check.h"
#include "ir/op_kinds.h"
#include "targets/run/eval.h"

#include <algorithm>
#include <cmath>

namespace xt {

namespace {
// The op of kernels that computes a function of floats; nullopt if there is none.
std::optional<OpKind> kernelOp(HostFn fn) {
  for (std::string_view name : kernelNames(hostFnInfo(fn)))
    if (const OpInfo *op = findOp(name); op && isFieldOp(op->kind)) return op->kind;
  return std::nullopt;
}

FieldValue flooredRemainder(const FieldValue &a, const FieldValue &b) {
  FieldValue quotient[] = {a, b};
  FieldValue whole = fieldApply(OpKind::DivF, quotient);
  whole = fieldApply(OpKind::Floor, {&whole, 1});
  FieldValue parts[] = {a, fieldMultiply(whole, b)};
  return fieldApply(OpKind::SubF, parts);
}

int64_t product(std::span<const int64_t> extents) {
  int64_t all = 1;
  for (int64_t extent : extents) all *= extent;
  return all;
}

class FieldEvaluator {
public:
  FieldEvaluator(size_t position, const HostTest &test, TestState &state, FieldContents &contents, Elem literals)
      : position_(position), test_(test), state_(state), contents_(contents), literals_(literals) {}

  Result<FieldArray> evaluate(const HostExpr &expr) {
    switch (expr.kind) {
    case HostExpr::Kind::Float: return computed({}, [&](int64_t) { return fieldFromReal(literals_, expr.number); });
    case HostExpr::Kind::Int:
    case HostExpr::Kind::Size: return plain(expr);
    case HostExpr::Kind::Buffer: return state_.shape(expr.text) ? content(expr, expr.text, false) : binding(expr.text);
    case HostExpr::Kind::Slice: return slice(expr);
    case HostExpr::Kind::Call: return call(expr);
    case HostExpr::Kind::Text:
    case HostExpr::Kind::Elem:
    case HostExpr::Kind::Index:
    case HostExpr::Kind::Counter:
    case HostExpr::Kind::List: break;
    }
    XT_UNREACHABLE("the expression has been evaluated before, so it is a value");
  }

private:
  // --- values ---

  EvalSite site(const HostExpr &expr) const {
    EvalSite site = state_.siteAt(expr.range);
    site.trackErrors = false;
    return site;
  }
  // An array of floats whose element i (row-major) is valueAt(i).
  template <class F> Result<FieldArray> computed(std::vector<int64_t> shape, F valueAt) {
    auto values = makeFieldValues(state_.site().budget, product(shape));
    if (!values) return values.error();
    for (int64_t i = 0; i < values->count(); ++i) (*values)[i] = valueAt(i);
    return FieldArray{std::move(shape), std::move(*values), {}};
  }
  // Evaluates an expression that uses no float buffers.
  Result<FieldArray> plain(const HostExpr &expr) {
    state_.setTrackErrors(false);
    auto value = state_.evaluate(expr, position_);
    state_.setTrackErrors(true);
    if (!value) return value.error();
    return wrap(std::move(*value));
  }
  Result<FieldArray> wrap(HostArray array) {
    if (!array.integer) return computed(array.shape, [&](int64_t i) { return fieldFromReal(literals_, array.values[i]); });
    FieldArray result;
    result.shape = array.shape;
    result.integers = std::move(array);
    return result;
  }
  // The array as an operand of comparisons and similar functions: its integers, or its real values.
  Result<HostArray> host(const FieldArray &array) {
    if (array.integers) return copyView(*array.integers, {array.shape, denseStrides(array.shape), 0}, state_.site().budget, 0);
    auto reals = makeArray(state_.site().budget, array.shape, false, false);
    if (!reals) return reals;
    for (int64_t i = 0; i < array.count(); ++i) reals->values[i] = array.at(i).real;
    return reals;
  }
  // `expr` is the buffer, or `before` of the buffer.
  Result<FieldArray> content(const HostExpr &expr, const std::string &buffer, bool before) {
    TestBuffer &held = *state_.find(buffer);
    if (!isFloat(held.stmt->type.elem)) return plain(expr);
    const Elements<FieldValue> &kept = contents_.fieldContent(held, position_, before);
    return computed(held.sizes, [&](int64_t i) { return kept[i]; });
  }
  Result<FieldArray> binding(const std::string &name) {
    for (size_t p = 0; p < test_.body.size(); ++p)
      if (test_.body[p].kind == HostStmt::Kind::Let && test_.body[p].name == name)
        return FieldEvaluator(p, test_, state_, contents_, literals_).evaluate(test_.body[p].value);
    XT_UNREACHABLE("unknown name: the lowering resolves names");
  }

  // --- elements from other places ---

  Result<FieldArray> view(const FieldArray &x, const ViewSpec &spec) {
    if (x.integers) {
      auto cut = copyView(*x.integers, spec, state_.site().budget, 0);
      if (!cut) return cut.error();
      return wrap(std::move(*cut));
    }
    std::vector<int64_t> index(spec.shape.size(), 0);
    return computed(spec.shape, [&](int64_t) {
      int64_t place = spec.offset;
      for (size_t d = 0; d < index.size(); ++d) place += index[d] * spec.strides[d];
      for (size_t d = index.size(); d-- > 0 && ++index[d] == spec.shape[d];) index[d] = 0;
      return x.values[place];
    });
  }
  Result<FieldArray> broadcast(const FieldArray &x, const std::vector<int64_t> &shape) {
    return view(x, {shape, broadcastStrides(x.shape, shape), 0});
  }
  Result<FieldArray> slice(const HostExpr &expr) {
    auto index = state_.at(position_, [&] { return Evaluator(site(expr), state_).arrayIndex(expr); });
    if (!index) return index.error();
    if (*index) {
      auto rest = slice((*index)->rest);
      if (!rest) return rest;
      auto indices = state_.at(position_, [&] { return joinIndices(site(expr), **index, rest->shape); });
      if (!indices) return indices.error();
      return gather(*rest, *indices, static_cast<size_t>((*index)->dim));
    }
    auto base = evaluate(expr.args[0]);
    if (!base) return base;
    auto spec = state_.at(position_, [&] { return Evaluator(site(expr), state_).sliceView(expr, base->shape); });
    if (!spec) return spec.error();
    return view(*base, *spec);
  }
  Result<FieldArray> transpose(const FieldArray &x, const HostExpr *order) {
    std::vector<int64_t> permutation;
    for (size_t d = 0; d < x.shape.size(); ++d) permutation.push_back(static_cast<int64_t>(d));
    if (!order) std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
    for (size_t d = 0; order && d < order->args.size(); ++d) {
      auto dimension = state_.integer(order->args[d], position_);
      if (!dimension) return dimension.error();
      permutation[d] = *dimension;
    }
    std::vector<int64_t> dense = denseStrides(x.shape);
    ViewSpec spec;
    for (int64_t d : permutation) {
      spec.shape.push_back(x.shape[static_cast<size_t>(d)]);
      spec.strides.push_back(dense[static_cast<size_t>(d)]);
    }
    return view(x, spec);
  }
  // Products of the extents before a dimension and after it, and its own extent.
  struct Around {
    int64_t before, extent, behind;
  };
  static Around around(std::span<const int64_t> shape, size_t d) {
    return {product(shape.first(d)), shape[d], product(shape.subspan(d + 1))};
  }
  // The dimension given by an argument; negative ones count from the end.
  Result<size_t> dimensionOf(const HostExpr *arg, int64_t otherwise, const FieldArray &x) {
    int64_t dim = otherwise;
    if (arg) {
      auto given = state_.integer(*arg, position_);
      if (!given) return given.error();
      dim = *given;
    }
    return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(x.shape.size()) : dim);
  }
  Result<FieldArray> gather(const FieldArray &x, const HostArray &indices, size_t d) {
    std::vector<int64_t> shape(x.shape.begin(), x.shape.begin() + static_cast<ptrdiff_t>(d));
    shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
    shape.insert(shape.end(), x.shape.begin() + static_cast<ptrdiff_t>(d) + 1, x.shape.end());
    Around of = around(x.shape, d);
    return computed(std::move(shape), [&](int64_t at) {
      int64_t inner = at % of.behind, given = indices.ints[at / of.behind % indices.count()];
      int64_t outer = at / of.behind / indices.count(), index = given < 0 ? given + of.extent : given;
      return x.at((outer * of.extent + index) * of.behind + inner);
    });
  }

  // --- functions ---

  Result<FieldArray> call(const HostExpr &expr) {
    auto bound = bindArguments(expr, site(expr));
    if (!bound) return bound.error();
    const std::vector<const HostExpr *> &args = *bound;
    if (expr.fn == HostFn::Dim) return plain(expr);
    if (expr.fn == HostFn::Before) return content(expr, args[0]->text, true);
    auto x = evaluate(*args[0]);
    if (!x) return x;
    HostFnClass cls = hostFnInfo(expr.fn).cls;
    bool pair = (expr.fn == HostFn::Max || expr.fn == HostFn::Min) && expr.args.size() == 2;
    if (cls == HostFnClass::Reduction && !pair) return reduction(expr, *x, args[1]);
    if (cls == HostFnClass::Array) return arrayCall(expr, std::move(*x), args);
    if (args.size() == 1) return unary(expr, *x);
    auto y = evaluate(*args[1]);
    if (!y) return y;
    return binary(expr, *x, *y);
  }

  Result<FieldArray> unary(const HostExpr &expr, const FieldArray &x) {
    std::optional<OpKind> kind = kernelOp(expr.fn);
    if (x.integers || !kind) {
      auto operand = host(x);
      if (!operand) return operand.error();
      auto value = applyUnary(site(expr), expr.fn, std::move(*operand));
      if (!value) return value.error();
      if (value->integer) return wrap(std::move(*value));
    }
    return computed(x.shape, [&](int64_t i) {
      FieldValue operand = x.at(i);
      return fieldApply(*kind, {&operand, 1});
    });
  }

  Result<FieldArray> binary(const HostExpr &expr, const FieldArray &x, const FieldArray &y) {
    std::optional<OpKind> kind = kernelOp(expr.fn);
    bool remainder = expr.fn == HostFn::Mod;
    if ((x.integers && y.integers) || (!kind && !remainder)) {
      auto a = host(x), b = host(y);
      if (!a || !b) return a ? b.error() : a.error();
      auto value = applyBinary(site(expr), expr.fn, std::move(*a), std::move(*b));
      if (!value) return value.error();
      if (value->integer) return wrap(std::move(*value));
    }
    std::vector<int64_t> shape = *broadcastShape(x.shape, y.shape);
    auto left = broadcast(x, shape), right = broadcast(y, shape);
    if (!left || !right) return left ? right.error() : left.error();
    return computed(shape, [&](int64_t i) {
      FieldValue operands[] = {left->at(i), right->at(i)};
      return remainder ? flooredRemainder(operands[0], operands[1]) : fieldApply(*kind, operands);
    });
  }

  Result<FieldArray> reduction(const HostExpr &expr, const FieldArray &x, const HostExpr *dim) {
    if (x.integers && expr.fn != HostFn::Mean) {
      auto value = reduce(site(expr), expr.fn, *x.integers, std::nullopt);
      if (dim) {
        auto d = dimensionOf(dim, 0, x);
        if (!d) return d.error();
        value = reduce(site(expr), expr.fn, *x.integers, static_cast<int>(*d));
      }
      if (!value) return value.error();
      return wrap(std::move(*value));
    }
    Around of{1, x.count(), 1};
    std::vector<int64_t> shape;
    if (dim) {
      auto d = dimensionOf(dim, 0, x);
      if (!d) return d.error();
      of = around(x.shape, *d);
      shape = x.shape;
      shape[*d] = 1;
    }
    return computed(std::move(shape), [&](int64_t at) {
      int64_t outer = at / of.behind, inner = at % of.behind;
      return reduced(expr.fn, of.extent, [&](int64_t k) { return x.at((outer * of.extent + k) * of.behind + inner); });
    });
  }
  template <class Term> static FieldValue reduced(HostFn fn, int64_t terms, Term term) {
    bool sum = fn == HostFn::Sum || fn == HostFn::Mean;
    OpKind kind = fn == HostFn::Max   ? OpKind::MaximumF
                  : fn == HostFn::Min ? OpKind::MinimumF
                  : sum               ? OpKind::AddF
                                      : OpKind::MulF;
    FieldValue value = terms ? term(0) : fieldFromInteger(sum ? 0 : 1);
    for (int64_t k = 1; k < terms; ++k) {
      FieldValue operands[] = {value, term(k)};
      value = fieldApply(kind, operands);
    }
    if (fn != HostFn::Mean) return value;
    FieldValue quotient[] = {value, fieldFromInteger(terms)};
    return fieldApply(OpKind::DivF, quotient);
  }

  // exp(x - max) divided by its sum, as a kernel computes it: the maximum cancels.
  Result<FieldArray> softmax(const FieldArray &x, size_t d) {
    auto result = computed(x.shape, [](int64_t) { return FieldValue(); });
    if (!result) return result;
    Around of = around(x.shape, d);
    for (int64_t outer = 0; outer < of.before; ++outer)
      for (int64_t inner = 0; inner < of.behind; ++inner) {
        auto place = [&](int64_t k) { return (outer * of.extent + k) * of.behind + inner; };
        FieldValue largest = reduced(HostFn::Max, of.extent, [&](int64_t k) { return x.at(place(k)); }), sum;
        for (int64_t k = 0; k < of.extent; ++k) {
          FieldValue difference[] = {x.at(place(k)), largest};
          FieldValue shifted = fieldApply(OpKind::SubF, difference);
          sum = fieldAdd(sum, result->values[place(k)] = fieldApply(OpKind::Exp, {&shifted, 1}));
        }
        for (int64_t k = 0; k < of.extent; ++k) {
          FieldValue &value = result->values[place(k)];
          FieldValue quotient[] = {value, sum};
          value = fieldApply(OpKind::DivF, quotient);
        }
      }
    return result;
  }

  // Sums are of the field; indices and the order of a sort follow the real values.
  Result<FieldArray> along(const HostExpr &expr, FieldArray x, size_t d) {
    bool moves = expr.fn == HostFn::CumSum || expr.fn == HostFn::Sort;
    if (x.integers || !moves) {
      auto operand = host(x);
      if (!operand) return operand.error();
      auto value = alongDimension(site(expr), expr.fn, *operand, static_cast<int>(d));
      if (!value) return value.error();
      return wrap(std::move(*value));
    }
    auto result = computed(x.shape, [&](int64_t i) { return x.at(i); });
    if (!result) return result;
    Around of = around(x.shape, d);
    std::vector<double> row(static_cast<size_t>(of.extent));
    for (int64_t outer = 0; outer < of.before; ++outer)
      for (int64_t inner = 0; inner < of.behind; ++inner) {
        auto place = [&](int64_t k) { return (outer * of.extent + k) * of.behind + inner; };
        for (int64_t k = 1; k < of.extent && expr.fn == HostFn::CumSum; ++k)
          result->values[place(k)] = fieldAdd(result->values[place(k - 1)], result->values[place(k)]);
        if (expr.fn == HostFn::CumSum) continue;
        for (int64_t k = 0; k < of.extent; ++k) row[static_cast<size_t>(k)] = x.at(place(k)).real;
        std::vector<int64_t> order = sortedOrder(row);
        for (int64_t k = 0; k < of.extent; ++k) result->values[place(k)] = x.at(place(order[static_cast<size_t>(k)]));
      }
    return result;
  }

  Result<FieldArray> reshape(const HostExpr &expr, FieldArray x, std::vector<int64_t> shape) {
    if (x.integers) {
      auto reshaped = reshapeArray(site(expr), std::move(*x.integers), std::move(shape));
      if (!reshaped) return reshaped.error();
      return wrap(std::move(*reshaped));
    }
    auto places = makeArray(state_.site().budget, x.shape, false, false); // only its shape is used
    if (!places) return places.error();
    auto reshaped = reshapeArray(site(expr), std::move(*places), std::move(shape));
    if (!reshaped) return reshaped.error();
    x.shape = std::move(reshaped->shape);
    return x;
  }

  Result<FieldArray> cast(const HostExpr &expr, FieldArray x, Elem to) {
    // A cast between floats changes nothing here; a cast to an integer type uses the real values.
    if (isFloat(to)) return computed(x.shape, [&](int64_t i) { return x.at(i); });
    auto reals = host(x);
    if (!reals) return reals.error();
    auto value = applyCast(site(expr), std::move(*reals), to);
    if (!value) return value.error();
    return wrap(std::move(*value));
  }

  Result<FieldArray> where(const HostExpr &expr, const FieldArray &condition, const FieldArray &x, const FieldArray &y) {
    if (x.integers && y.integers) {
      auto chosen = host(condition), first = host(x), second = host(y);
      if (!chosen || !first || !second) return !chosen ? chosen.error() : !first ? first.error() : second.error();
      auto value = applyWhere(site(expr), std::move(*chosen), std::move(*first), std::move(*second));
      if (!value) return value.error();
      return wrap(std::move(*value));
    }
    std::vector<int64_t> shape = *broadcastShape(*broadcastShape(condition.shape, x.shape), y.shape);
    auto which = broadcast(condition, shape), first = broadcast(x, shape), second = broadcast(y, shape);
    if (!which || !first || !second) return !which ? which.error() : !first ? first.error() : second.error();
    return computed(shape, [&](int64_t i) { return which->at(i).real != 0 ? first->at(i) : second->at(i); });
  }

  Result<FieldArray> arrayCall(const HostExpr &expr, FieldArray x, std::span<const HostExpr *const> args) {
    if (expr.fn == HostFn::Cast) return cast(expr, std::move(x), args[1]->elem);
    if (expr.fn == HostFn::Transpose) return transpose(x, args[1]);
    if (expr.fn == HostFn::Softmax || isAlongDimension(expr.fn)) {
      auto d = dimensionOf(args[1], -1, x);
      if (!d) return d.error();
      return expr.fn == HostFn::Softmax ? softmax(x, *d) : along(expr, std::move(x), *d);
    }
    if (expr.fn == HostFn::Reshape) {
      auto shape = state_.at(position_, [&] { return Evaluator(site(expr), state_).integers(*args[1]); });
      if (!shape) return shape.error();
      return reshape(expr, std::move(x), std::move(*shape));
    }
    auto y = evaluate(*args[1]);
    if (!y) return y;
    if (expr.fn == HostFn::Gather) {
      auto d = dimensionOf(args[2], 0, x);
      if (!d) return d.error();
      return gather(x, *y->integers, *d);
    }
    if (expr.fn == HostFn::Fma || expr.fn == HostFn::Where) {
      auto z = evaluate(*args[2]);
      if (!z) return z;
      if (expr.fn == HostFn::Where) return where(expr, x, *y, *z);
      HostExpr multiply = expr, sum = expr;
      multiply.fn = HostFn::Mul;
      sum.fn = HostFn::Add;
      auto products = binary(multiply, x, *y);
      if (!products) return products.error();
      return binary(sum, *products, *z);
    }
    XT_CHECK(expr.fn == HostFn::Matmul, "function on arrays");
    bool startGiven = args[2] && args[2]->kind != HostExpr::Kind::Elem;
    std::optional<FieldArray> start;
    if (startGiven) {
      auto value = evaluate(*args[2]);
      if (!value) return value;
      start = std::move(*value);
    }
    return multiplyMatrices(expr, std::move(x), std::move(*y), std::move(start));
  }

  // Replaces integers by elements of the field.
  Result<FieldArray> inField(FieldArray array) {
    if (!array.integers) return array;
    return computed(array.shape, [&](int64_t i) { return array.at(i); });
  }

  Result<FieldArray> multiplyMatrices(const HostExpr &expr, FieldArray x, FieldArray y, std::optional<FieldArray> start) {
    if (x.integers && y.integers && (!start || start->integers)) {
      std::optional<HostArray> first;
      if (start) first = std::move(*start->integers);
      auto value = matmul(site(expr), std::move(*x.integers), std::move(*y.integers), std::move(first), std::nullopt);
      if (!value) return value.error();
      return wrap(std::move(*value));
    }
    bool row = x.shape.size() == 1, column = y.shape.size() == 1; // operand of rank 1: its added dimension is dropped again
    if (row) x.shape.insert(x.shape.begin(), 1);
    if (column) y.shape.push_back(1);
    size_t m = static_cast<size_t>(x.shape[x.shape.size() - 2]), k = static_cast<size_t>(x.shape.back()),
           n = static_cast<size_t>(y.shape.back());
    auto leading = [](std::vector<int64_t> shape) { return shape.resize(shape.size() - 2), shape; };
    std::vector<int64_t> batch = *broadcastShape(leading(x.shape), leading(y.shape));
    auto whole = [&](size_t rows, size_t columns) {
      std::vector<int64_t> shape = batch;
      shape.push_back(static_cast<int64_t>(rows));
      shape.push_back(static_cast<int64_t>(columns));
      return shape;
    };
    auto a = broadcast(x, whole(m, k)), b = broadcast(y, whole(k, n));
    if (!a || !b) return a ? b.error() : a.error();
    a = inField(std::move(*a));
    b = inField(std::move(*b));
    if (!a || !b) return a ? b.error() : a.error();
    std::vector<int64_t> shape = whole(m, n);
    if (row) shape.erase(shape.end() - 2);
    if (column) shape.pop_back();
    auto result = start ? broadcast(*start, shape) : computed(shape, [](int64_t) { return FieldValue(); });
    if (result) result = inField(std::move(*result));
    if (!result) return result;
    const FieldValue *left = a->values.data(), *right = b->values.data();
    for (size_t p = 0; p < static_cast<size_t>(product(batch)); ++p)
      for (size_t r = 0; r < m; ++r)
        for (size_t c = 0; c < n && k; ++c)
          fieldDot(result->values[static_cast<int64_t>((p * m + r) * n + c)], left + (p * m + r) * k, 1, right + p * k * n + c,
                   n, k);
    return result;
  }

  size_t position_;
  const HostTest &test_;
  TestState &state_;
  FieldContents &contents_;
  Elem literals_;
};
} // namespace

Result<Elements<FieldValue>> makeFieldValues(MemoryBudget &budget, int64_t count) {
  return Elements<FieldValue>::make(budget, count, "the elements of the field");
}

Result<FieldArray> evaluateInField(const HostExpr &expr, size_t position, const HostTest &test, TestState &state,
                                   FieldContents &contents, Elem literals) {
  return FieldEvaluator(position, test, state, contents, literals).evaluate(expr);
}

} // namespace xt
