#include "targets/run/eval.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/run/sum_of_terms.h"

namespace xt {

namespace {
std::string countWords(int low, int high) { return low == high ? str(low) : str(low, " to ", high); }

EvalSite siteAt(const EvalSite &site, SourceRange range) {
  EvalSite here = site;
  here.range = range;
  return here;
}
} // namespace

std::string shapeWords(std::span<const int64_t> shape) { return shape.empty() ? "a scalar" : shapeText(shape); }

Result<std::vector<const HostExpr *>> bindArguments(const HostExpr &call, const EvalSite &site) {
  const HostFnInfo &info = hostFnInfo(call.fn);
  EvalSite here = siteAt(site, call.range);
  std::vector<std::string_view> names = argumentNames(info.named);
  auto most = static_cast<size_t>(info.maxArgs);
  if (call.args.size() > most)
    return here.fail(DiagCode::HostBadArgument, str("`", spelling(call.fn), "` takes ", countWords(info.minArgs, info.maxArgs),
                                                    " arguments, not ", call.args.size()));
  std::vector<const HostExpr *> bound(most, nullptr);
  for (size_t i = 0; i < call.args.size(); ++i) bound[i] = &call.args[i];
  for (const auto &[name, value] : call.named) {
    EvalSite there = siteAt(site, value.range);
    auto place = std::find(names.begin(), names.end(), std::string_view(name));
    if (place == names.end()) {
      Error error = there.fail(DiagCode::HostBadArgument, str("`", spelling(call.fn), "` has no argument `", name, "`"));
      return error;
    }
    const HostExpr *&slot = bound[static_cast<size_t>(place - names.begin())];
    bool byPosition = static_cast<size_t>(place - names.begin()) < call.args.size();
    if (slot)
      return there.fail(DiagCode::HostBadArgument, str("argument `", name, "` is given twice",
                                                       byPosition ? str(": without names they are ", info.named) : ""));
    slot = &value;
  }
  for (int i = 0; i < info.minArgs; ++i)
    if (!bound[static_cast<size_t>(i)])
      return here.fail(DiagCode::HostBadArgument,
                       str("`", spelling(call.fn), "` is missing its ", ordinal(static_cast<size_t>(i) + 1), " argument",
                           static_cast<size_t>(i) < names.size() ? str(" `", names[static_cast<size_t>(i)], "`") : ""));
  return bound;
}

EvalSite Evaluator::at(const HostExpr &expr) const { return siteAt(site_, expr.range); }

template <class F> auto Evaluator::nested(const HostExpr &expr, F evaluateIt) -> decltype(evaluateIt()) {
  if (depth_ >= kMaxDepth)
    return at(expr).fail(DiagCode::HostBadArgument,
                         str("this expression is nested deeper than ", kMaxDepth, " levels; bind a part of it to a name"));
  ++depth_;
  auto result = evaluateIt();
  --depth_;
  return result;
}

Result<HostArray> Evaluator::evaluate(const HostExpr &expr) {
  return nested(expr, [&] { return evaluateKind(expr); });
}

Result<HostArray> Evaluator::evaluateKind(const HostExpr &expr) {
  switch (expr.kind) {
  case HostExpr::Kind::Int: {
    auto value = integerScalar(site_.budget, expr.integer);
    if (value && expr.elem == Elem::U64) value->elem = Elem::U64; // such literals are 2^63 or more
    return value;
  }
  case HostExpr::Kind::Float: return floatLiteral(site_.budget, expr.number, site_.trackErrors);
  case HostExpr::Kind::Size: return integerScalar(site_.budget, source_.size(expr.text));
  case HostExpr::Kind::Text: return at(expr).fail(DiagCode::HostBadArgument, "text is not a value here");
  case HostExpr::Kind::Elem: return at(expr).fail(DiagCode::HostBadArgument, "a type is not a value here");
  case HostExpr::Kind::List: return at(expr).fail(DiagCode::HostBadArgument, "a list is not a value here");
  case HostExpr::Kind::Index: return index(expr);
  case HostExpr::Kind::Counter: XT_UNREACHABLE("a loop's variable is a number once the loops are unrolled");
  case HostExpr::Kind::Slice: return slice(expr);
  case HostExpr::Kind::Call: return call(expr);
  case HostExpr::Kind::Buffer: {
    if (!source_.shape(expr.text)) return source_.binding(expr);
    auto raw = source_.content(expr, false);
    if (!raw) return raw.error();
    return fromRaw(**raw, site_.budget, site_.threads);
  }
  }
  XT_UNREACHABLE("expression kind");
}

Result<HostArray> Evaluator::index(const HostExpr &expr) {
  auto d = static_cast<size_t>(expr.integer);
  XT_CHECK(d < indexShape_.size(), "index variable outside of `from`");
  std::vector<int64_t> shape(indexShape_.size(), 1);
  shape[d] = indexShape_[d];
  auto array = makeArray(site_.budget, std::move(shape), true, false);
  if (array)
    for (int64_t i = 0; i < array->count(); ++i) array->ints[i] = i;
  return array;
}

namespace {
// Whether the base of a slice is `before` of a buffer: such content can be cut before it is converted.
bool isBeforeOfBuffer(const HostExpr &expr) {
  return expr.kind == HostExpr::Kind::Call && expr.fn == HostFn::Before && expr.args.size() == 1 &&
         expr.args[0].kind == HostExpr::Kind::Buffer;
}
} // namespace

Result<std::optional<Evaluator::ArrayIndex>> Evaluator::arrayIndex(const HostExpr &expr) {
  std::optional<ArrayIndex> found;
  int dim = 0;
  for (size_t i = 0; i < expr.ranges.size(); ++i) {
    const HostExpr::Range &range = expr.ranges[i];
    if (!range.single) {
      ++dim;
      continue;
    }
    const HostExpr &item = range.begin[0];
    if (item.kind == HostExpr::Kind::Int || item.kind == HostExpr::Kind::Size) continue;
    auto value = evaluate(item);
    if (!value) return value.error();
    if (value->shape.empty()) continue;
    if (!found) found.emplace(ArrayIndex{expr, {}, dim});
    if (found->dim + static_cast<int>(found->indices.size()) != dim++)
      return at(item).fail(DiagCode::HostBadArgument, "arrays of indices in a slice must stand beside each other");
    found->indices.push_back(std::move(*value));
    found->rest.ranges[i] = {};
  }
  return found;
}

Result<HostArray> Evaluator::slice(const HostExpr &expr) {
  XT_CHECK(expr.args.size() == 1, "a slice has one base");
  auto index = arrayIndex(expr);
  if (!index) return index.error();
  if (*index) {
    auto rest = slice((*index)->rest);
    if (!rest) return rest;
    auto indices = joinIndices(at(expr), **index, rest->shape);
    if (!indices) return indices;
    return gatherArray(at(expr), *rest, *indices, (*index)->dim);
  }
  const HostExpr &base = expr.args[0];
  const HostExpr &buffer = isBeforeOfBuffer(base) ? base.args[0] : base;
  if (buffer.kind == HostExpr::Kind::Buffer && source_.shape(buffer.text)) {
    auto raw = source_.content(buffer, &buffer != &base);
    if (!raw) return raw.error();
    auto view = sliceView(expr, (*raw)->sizes);
    if (!view) return view.error();
    auto cut = copyView(**raw, *view, site_.budget, site_.threads);
    if (!cut) return cut.error();
    return fromRaw(*cut, site_.budget, site_.threads);
  }
  auto array = evaluate(base);
  if (!array) return array;
  auto view = sliceView(expr, array->shape);
  if (!view) return view.error();
  return copyView(*array, *view, site_.budget, site_.threads);
}

Result<ViewSpec> Evaluator::sliceView(const HostExpr &expr, std::span<const int64_t> shape) {
  if (expr.ranges.size() > shape.size())
    return at(expr).fail(DiagCode::HostShapeMismatch,
                         str(expr.ranges.size(), " indices for ", shapeWords(shape), ", which has rank ", shape.size()));
  std::vector<int64_t> strides = denseStrides(shape);
  ViewSpec view;
  for (size_t d = 0; d < shape.size(); ++d) {
    const HostExpr::Range *range = d < expr.ranges.size() ? &expr.ranges[d] : nullptr;
    bool single = range && range->single;
    int64_t step = 1;
    if (range && !range->step.empty()) {
      auto given = integer(range->step[0]);
      if (!given) return given.error();
      step = *given;
      if (step == 0) return at(range->step[0]).fail(DiagCode::HostBadArgument, "the step of a slice must not be 0");
    }
    // A negative step runs from the last element to the first; the default end before the first element cannot be written.
    int64_t begin = step < 0 ? shape[d] - 1 : 0, end = step < 0 ? -1 : shape[d];
    auto bound = [&](const std::vector<HostExpr> &written, int64_t &value, int64_t most) -> Result<void> {
      if (written.empty()) return {};
      auto given = integer(written[0]);
      if (!given) return given.error();
      value = *given < 0 ? *given + shape[d] : *given; // negative indices count from the end, as in NumPy
      if (value >= 0 && value <= most) return {};
      return at(written[0])
          .fail(DiagCode::HostBadSize,
                str(*given, " is out of bounds of dimension ", d, " of ", shapeWords(shape), ", whose extent is ", shape[d]));
    };
    if (range) {
      if (auto ok = bound(range->begin, begin, single || step < 0 ? shape[d] - 1 : shape[d]); !ok) return ok.error();
      if (auto ok = bound(range->end, end, shape[d]); !ok) return ok.error();
    }
    view.offset += begin * strides[d];
    if (single) continue;
    int64_t length = step < 0 ? begin - end : end - begin; // at most the extent
    int64_t pace = step < 0 ? std::max(step, -shape[d] - 1) * -1 : std::min(step, shape[d] + 1);
    view.shape.push_back(length <= 0 ? 0 : (length + pace - 1) / pace);
    view.strides.push_back((step < 0 ? -pace : pace) * strides[d]);
  }
  return view;
}

Result<int64_t> Evaluator::integer(const HostExpr &expr) {
  auto value = evaluate(expr);
  if (!value) return value.error();
  if (value->integer && value->shape.empty()) return value->ints[0];
  std::string_view quotient = expr.kind == HostExpr::Kind::Call && expr.fn == HostFn::Div
                                  ? ": `/` is real division in tests, `floordivsi(a, b)` and `ceildiv(a, b)` give integers"
                                  : "";
  return at(expr).fail(DiagCode::HostBadArgument, str("expected an integer, not ", value->integer ? "an array of " : "",
                                                      value->shape.empty() ? "a float" : shapeText(value->shape), quotient));
}

Result<double> Evaluator::number(const HostExpr &expr) {
  auto value = evaluate(expr);
  if (!value) return value.error();
  if (value->shape.empty()) return value->valueAt(0);
  return at(expr).fail(DiagCode::HostBadArgument, "expected a number, not an array of " + shapeText(value->shape));
}

Result<HostArray> Evaluator::extentOf(const HostExpr &array, const HostExpr &dimension) {
  auto d = integer(dimension);
  if (!d) return d.error();
  std::vector<int64_t> shape;
  const std::vector<int64_t> *known = array.kind == HostExpr::Kind::Buffer ? source_.shape(array.text) : nullptr;
  if (known) {
    shape = *known;
  } else {
    auto value = evaluate(array);
    if (!value) return value;
    shape = value->shape;
  }
  if (*d < 0 || *d >= static_cast<int64_t>(shape.size()))
    return at(dimension).fail(DiagCode::HostBadArgument, str("dimension ", *d, " of an array of rank ", shape.size()));
  return integerScalar(site_.budget, shape[static_cast<size_t>(*d)]);
}

Result<HostArray> Evaluator::reduction(const HostExpr &expr, std::span<const HostExpr *const> args) {
  std::optional<int> dim;
  if (args[1]) {
    auto given = integer(*args[1]);
    if (!given) return given.error();
    // The function reports a dimension outside of its operand's rank; clamping only makes it fit an int.
    dim = static_cast<int>(std::clamp<int64_t>(*given, -100, 100));
  }
  auto x = evaluate(*args[0]);
  if (!x) return x;
  return reduce(at(expr), expr.fn, *x, dim);
}

Result<HostArray> Evaluator::call(const HostExpr &expr) {
  const HostFnInfo &info = hostFnInfo(expr.fn);
  auto bound = bindArguments(expr, site_);
  if (!bound) return bound.error();
  const std::vector<const HostExpr *> &args = *bound;
  // max(a, b) is elementwise; max(x, dim = 0) and max(x) are reductions.
  bool extreme = expr.fn == HostFn::Max || expr.fn == HostFn::Min;
  bool pair = extreme && expr.args.size() == 2;
  switch (info.cls) {
  case HostFnClass::Initializer:
    return at(expr).fail(DiagCode::HostBadArgument, str("`", info.name, "` is an initialiser of buffers, not a value"));
  case HostFnClass::Array: return arrayCall(expr, args);
  case HostFnClass::Reduction:
    if (!pair) return reduction(expr, args);
    break;
  case HostFnClass::Elementwise: break;
  }
  if (site_.trackErrors && isLongSum(expr)) return sumInAnyOrder(expr);
  auto x = evaluate(*args[0]);
  if (!x) return x;
  if (args.size() == 1) return applyUnary(at(expr), expr.fn, std::move(*x));
  auto y = evaluate(*args[1]);
  if (!y) return y;
  return applyBinary(at(expr), expr.fn, std::move(*x), std::move(*y));
}

Result<HostArray> Evaluator::sumInAnyOrder(const HostExpr &expr) {
  auto sum = sumOf(expr);
  if (!sum) return sum.error();
  return std::move(*sum).withBounds(at(expr));
}

Result<SumOfTerms> Evaluator::sumOf(const HostExpr &expr) {
  if (!isSum(expr)) {
    auto term = evaluate(expr);
    if (!term) return term.error();
    return SumOfTerms(std::move(*term));
  }
  return nested(expr, [&]() -> Result<SumOfTerms> {
    auto a = sumOf(expr.args[0]);
    if (!a) return a;
    auto b = sumOf(expr.args[1]);
    if (!b) return b;
    return SumOfTerms::combined(at(expr), expr.fn, std::move(*a), std::move(*b));
  });
}

Result<Elem> Evaluator::elemType(const HostExpr &arg) const {
  if (arg.kind == HostExpr::Kind::Elem) return arg.elem;
  return at(arg).fail(DiagCode::HostBadArgument, "expected an element type such as f16");
}

Result<int> Evaluator::dimension(const HostExpr *arg, int64_t otherwise) {
  if (!arg) return static_cast<int>(otherwise);
  auto given = integer(*arg);
  if (!given) return given.error();
  return static_cast<int>(std::clamp<int64_t>(*given, -100, 100));
}

Result<HostArray> Evaluator::arrayCall(const HostExpr &expr, std::span<const HostExpr *const> args) {
  if (expr.fn == HostFn::Dim) return extentOf(*args[0], *args[1]);
  if (expr.fn == HostFn::Before) return contentBefore(*args[0]);
  if (expr.fn == HostFn::Rank || expr.fn == HostFn::Ranks) return rankOrRanks(expr, args[0]);
  if (expr.fn == HostFn::Address)
    return at(expr).fail(DiagCode::HostBadArgument,
                         "an address can be used only as an argument of a launch, for a parameter of type i64");
  auto x = evaluate(*args[0]);
  if (!x) return x;
  if (expr.fn == HostFn::Cast) {
    auto type = elemType(*args[1]);
    if (!type) return type.error();
    return applyCast(at(expr), std::move(*x), *type);
  }
  if (expr.fn == HostFn::Transpose) return transposeCall(expr, *x, args[1]);
  if (expr.fn == HostFn::Reshape) {
    auto shape = integers(*args[1]);
    if (!shape) return shape.error();
    return reshapeArray(at(expr), std::move(*x), std::move(*shape));
  }
  if (isAlongDimension(expr.fn)) {
    auto dim = dimension(args[1], -1);
    if (!dim) return dim.error();
    return alongDimension(at(expr), expr.fn, *x, *dim);
  }
  if (expr.fn == HostFn::Softmax) {
    auto dim = dimension(args[1], x->rank() - 1);
    if (!dim) return dim.error();
    return softmax(at(expr), std::move(*x), *dim);
  }
  auto y = evaluate(*args[1]);
  if (!y) return y;
  if (expr.fn == HostFn::Gather) {
    auto dim = dimension(args[2], 0);
    if (!dim) return dim.error();
    return gatherArray(at(expr), *x, *y, *dim);
  }
  if (expr.fn == HostFn::Fma || expr.fn == HostFn::Where) return ternaryCall(expr, std::move(*x), std::move(*y), *args[2]);
  XT_CHECK(expr.fn == HostFn::Matmul, "function on arrays");
  return matmulCall(expr, std::move(*x), std::move(*y), args);
}

// The number of this rank, or of all ranks; with an axis, its position along it, or the extent of the axis.
Result<HostArray> Evaluator::rankOrRanks(const HostExpr &expr, const HostExpr *axis) {
  const RankInMesh &ranks = source_.ranks();
  const bool all = expr.fn == HostFn::Ranks;
  if (!axis) return integerScalar(site_.budget, all ? ranks.mesh.ranks() : ranks.rank);
  auto given = integer(*axis);
  if (!given) return given.error();
  if (*given < 0 || *given >= ranks.mesh.axes())
    return at(*axis).fail(DiagCode::HostBadArgument, str("axis ", *given, " of a mesh that has ", ranks.mesh.axes(),
                                                         ranks.mesh.axes() == 1 ? " axis" : " axes"));
  const int number = static_cast<int>(*given);
  return integerScalar(site_.budget, all ? ranks.mesh.extent(number) : ranks.mesh.position(ranks.rank, number));
}

Result<HostArray> Evaluator::contentBefore(const HostExpr &buffer) {
  bool isBuffer = buffer.kind == HostExpr::Kind::Buffer && source_.shape(buffer.text);
  if (!isBuffer) return at(buffer).fail(DiagCode::HostBadArgument, "`before` takes a buffer");
  auto raw = source_.content(buffer, true);
  if (!raw) return raw.error();
  return fromRaw(**raw, site_.budget, site_.threads);
}

Result<HostArray> Evaluator::transposeCall(const HostExpr &expr, const HostArray &x, const HostExpr *dims) {
  std::vector<int64_t> permutation;
  if (dims) {
    auto order = integers(*dims);
    if (!order) return order.error();
    permutation = std::move(*order);
  }
  return transposeArray(at(expr), x, permutation);
}

Result<std::vector<int64_t>> Evaluator::integers(const HostExpr &list) {
  if (list.kind != HostExpr::Kind::List)
    return at(list).fail(DiagCode::HostBadArgument, "expected a list of integers such as [0, 2, 1]");
  std::vector<int64_t> values;
  for (const HostExpr &item : list.args) {
    auto value = integer(item);
    if (!value) return value.error();
    values.push_back(*value);
  }
  return values;
}

Result<HostArray> Evaluator::ternaryCall(const HostExpr &expr, HostArray x, HostArray y, const HostExpr &third) {
  auto z = evaluate(third);
  if (!z) return z;
  if (expr.fn == HostFn::Where) return applyWhere(at(expr), std::move(x), std::move(y), std::move(*z));
  auto product = applyBinary(at(expr), HostFn::Mul, std::move(x), std::move(y));
  return product ? applyBinary(at(expr), HostFn::Add, std::move(*product), std::move(*z)) : std::move(product);
}

Result<HostArray> Evaluator::matmulCall(const HostExpr &expr, HostArray x, HostArray y, std::span<const HostExpr *const> args) {
  // matmul(a, b, f16) gives the accumulator type as the third argument.
  bool typeThird = args[2] && !args[3] && args[2]->kind == HostExpr::Kind::Elem;
  const HostExpr *start = typeThird ? nullptr : args[2], *rounds = typeThird ? args[2] : args[3];
  std::optional<HostArray> first;
  std::optional<Elem> accumulator;
  if (start) {
    auto value = evaluate(*start);
    if (!value) return value;
    first = std::move(*value);
  }
  if (rounds) {
    auto type = elemType(*rounds);
    if (!type) return type.error();
    accumulator = *type;
  }
  return matmul(at(expr), std::move(x), std::move(y), std::move(first), accumulator);
}

} // namespace xt
