#include "lang/lower/memref_views.h"

#include "ir/base/text.h"
#include "ir/constants.h"
#include "ir/op_kinds.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/op_lowering.h"
#include "lang/lower/written_types.h"

#include <algorithm>
#include <numeric>

namespace xt {

ViewNumber ViewNumbers::of(Value *value) {
  std::optional<int64_t> constant = value ? constantInt(*value) : std::nullopt;
  return {constant && *constant >= 0 ? *constant : kDynamic, value};
}

ViewNumber ViewNumbers::size(Value *memref, size_t dim) {
  int64_t extent = memref->type().extent(static_cast<int>(dim));
  if (extent != kDynamic) return known(extent);
  return {kDynamic, ops_.op(OpKind::Dim, {memref, ops_.index(static_cast<int64_t>(dim))})};
}

ViewNumber ViewNumbers::stride(Value *memref, size_t dim) {
  int64_t stride = memrefStrides(memref->type())[dim];
  if (stride != kDynamic) return known(stride);
  return {kDynamic, ops_.op(OpKind::Stride, {memref, ops_.index(static_cast<int64_t>(dim))})};
}

ViewNumber ViewNumbers::times(ViewNumber a, ViewNumber b) {
  int64_t product = 0;
  if (a.known != kDynamic && b.known != kDynamic && !__builtin_mul_overflow(a.known, b.known, &product)) return known(product);
  if (a.known == 1) return b;
  if (b.known == 1) return a;
  if (a.known == 0 || b.known == 0) return known(0);
  return {kDynamic, ops_.op(OpKind::MulI, {value(a), value(b)})};
}

ViewNumber ViewNumbers::plus(ViewNumber a, ViewNumber b) {
  int64_t sum = 0;
  if (a.known != kDynamic && b.known != kDynamic && !__builtin_add_overflow(a.known, b.known, &sum)) return known(sum);
  if (a.known == 0) return b;
  if (b.known == 0) return a;
  return {kDynamic, ops_.op(OpKind::AddI, {value(a), value(b)})};
}

Value *ViewNumbers::value(ViewNumber &number) {
  if (!number.value && number.known != kDynamic) number.value = ops_.index(number.known);
  return number.value;
}

ViewNumber ViewNumbers::span(Value *memref) {
  ViewNumber span = known(1), some = known(1); // `some` is 0 if an extent is
  for (size_t d = 0; d < static_cast<size_t>(memref->type().rank()); ++d) {
    ViewNumber size = this->size(memref, d), last = known(std::max<int64_t>(size.known - 1, 0)), one = known(size.known != 0);
    if (size.known == kDynamic) {
      last = {kDynamic, ops_.op(OpKind::SubI, {value(size), ops_.index(1)})};
      one = {kDynamic, ops_.op(OpKind::MinSI, {value(size), ops_.index(1)})};
    }
    span = plus(span, times(last, stride(memref, d)));
    some = times(some, one);
  }
  return times(span, some);
}

Value *viewOf(KernelState &state, CompositeOps &ops, Value *base, ViewNumber offset, std::vector<ViewNumber> sizes,
              std::vector<ViewNumber> strides) {
  ViewNumbers numbers(ops);
  std::vector<int64_t> shape;
  MemoryLayout memory{MemoryLayout::Kind::Strided, {}, {}, base->type().data().memory.swizzle};
  std::vector<Value *> operands{base, numbers.value(offset)};
  for (ViewNumber &size : sizes) {
    shape.push_back(size.known == 0 ? kDynamic : size.known); // no type states that there is no element
    operands.push_back(numbers.value(size));
  }
  for (ViewNumber &stride : strides) {
    memory.strides.push_back(stride.known);
    operands.push_back(numbers.value(stride));
  }
  const TypeData &data = base->type().data();
  return ops.op(OpKind::View, std::move(operands), {},
                state.context.memref(std::move(shape), data.elem, data.space, std::move(memory)));
}

namespace {

using Group = std::vector<int64_t>; // neighbouring dimensions

// Whether both have the same element type, and the extents that `written` states.
bool extentsAgree(Type view, Type written) {
  bool agree = view.elem() == written.elem() && view.rank() == written.rank();
  for (int d = 0; agree && d < view.rank(); ++d) agree = written.extent(d) == kDynamic || written.extent(d) == view.extent(d);
  return agree;
}

// The parts that the four ops share.
class View {
public:
  explicit View(const CompositeClause &clause) : clause_(clause), ops_(clause), numbers_(ops_) {}

  std::optional<std::vector<Value *>> subview();
  std::optional<std::vector<Value *>> transpose();
  std::optional<std::vector<Value *>> collapse();
  std::optional<std::vector<Value *>> expand();

private:
  bool readBase();
  std::optional<std::vector<ViewNumber>> items(const ast::Expr &list, std::string_view what);
  std::optional<std::vector<Group>> groups(int rank);
  std::optional<Type> writtenMemRef();
  ViewNumber clipped(size_t dim, ViewNumber &offset, ViewNumber &size, ViewNumber &step);
  bool readExpanded(const Group &group, size_t dim, Type to, std::vector<ViewNumber> &sizes);
  void assertEqual(ViewNumber a, ViewNumber b, ViewNumber unless, const std::string &text);
  std::optional<std::vector<Value *>> finish(ViewNumber offset, std::vector<ViewNumber> sizes, std::vector<ViewNumber> strides);
  std::nullopt_t wrong(DiagCode code, SourceRange range, std::string message) const {
    clause_.diagnostics().report(code, range, std::move(message));
    return std::nullopt;
  }
  size_t rank() const { return static_cast<size_t>(base_->type().rank()); }

  const CompositeClause &clause_;
  CompositeOps ops_;
  ViewNumbers numbers_;
  Value *base_ = nullptr;
};

bool View::readBase() {
  if (!clause_.takesOperands(1, 1)) return false;
  const ast::Expr &expr = clause_.clause().operands[0];
  base_ = lowerExpr(clause_.state(), expr);
  if (!base_) return false;
  if (!base_->type().isMemRef()) {
    clause_.diagnostics().report(DiagCode::OperandType, expr.range,
                                 str(clause_.name(), " takes a memref, not ", shapedText(base_->type())));
    return false;
  }
  if (base_->type().data().memory.swizzle) {
    clause_.diagnostics().report(DiagCode::NotSupported, expr.range,
                                 str(clause_.name(), " of a swizzled buffer: its elements have no strides"));
    return false;
  }
  return true;
}

std::optional<std::vector<ViewNumber>> View::items(const ast::Expr &list, std::string_view what) {
  if (list.children.size() != rank())
    return wrong(
        DiagCode::OffsetCount, list.range,
        str("this list has ", counted(static_cast<int64_t>(list.children.size()), "item"), " for ", shapedText(base_->type())));
  std::vector<ViewNumber> numbers;
  for (const ast::Expr &item : list.children) {
    Value *value = lowerIndex(clause_.state(), item, what);
    if (!value) return std::nullopt;
    numbers.push_back(ViewNumbers::of(value));
  }
  return numbers;
}

// The part of `size` elements from `offset` on, `step` apart, that is in bounds of dimension `dim` of the base.
ViewNumber View::clipped(size_t dim, ViewNumber &offset, ViewNumber &size, ViewNumber &step) {
  ViewNumber whole = numbers_.size(base_, dim);
  bool allKnown = whole.known != kDynamic && offset.known != kDynamic && size.known != kDynamic && step.known != kDynamic;
  if (allKnown) {
    int64_t left = std::max<int64_t>(whole.known - std::min(offset.known, whole.known), 0);
    int64_t count = step.known == 0 ? 0 : left / step.known + (left % step.known != 0);
    return ViewNumbers::known(std::min(size.known, count));
  }
  Value *zero = ops_.index(0);
  Value *left = ops_.op(OpKind::SubI, {numbers_.value(whole), numbers_.value(offset)});
  if (step.known != 1) left = ops_.op(OpKind::CeilDivSI, {left, numbers_.value(step)});
  Value *count = ops_.op(OpKind::MinSI, {left, numbers_.value(size)});
  count = ops_.op(OpKind::MaxSI, {count, zero});
  if (offset.known == kDynamic) { // nothing is in bounds of a part that begins before the base
    Value *before = ops_.op(OpKind::CmpI, {numbers_.value(offset), zero}, {{"kind", std::string("slt"), clause_.range()}});
    count = ops_.op(OpKind::Select, {before, zero, count});
  }
  return {kDynamic, count};
}

std::optional<std::vector<Value *>> View::subview() {
  if (!readBase()) return std::nullopt;
  const ast::OpClause &clause = clause_.clause();
  if (!clause.offsets || !clause.shapeList) {
    clause_.diagnostics()
        .report(DiagCode::OffsetCount, clause_.range(), "`subview` takes the offsets and the sizes of the part")
        .note("for example `subview %A[%i, %j], [8, 16]`, or with steps, `subview %A[%i, %j], [8, 16], [1, 2]`");
    return std::nullopt;
  }
  auto offsets = items(*clause.offsets, "an offset"), sizes = items(*clause.shapeList, "a size");
  if (!offsets || !sizes) return std::nullopt;
  std::vector<ViewNumber> steps(rank(), ViewNumbers::known(1));
  if (clause.strides) {
    auto written = items(*clause.strides, "a step");
    if (!written) return std::nullopt;
    steps = std::move(*written);
  }
  ViewNumber offset = ViewNumbers::known(0);
  std::vector<ViewNumber> strides;
  for (size_t d = 0; d < rank(); ++d) {
    if (clause.strides && steps[d].known < 1)
      return wrong(DiagCode::AttributeValue, clause.strides->children[d].range, "a step of a part is a positive constant");
    ViewNumber stride = numbers_.stride(base_, d);
    offset = numbers_.plus(offset, numbers_.times((*offsets)[d], stride));
    strides.push_back(numbers_.times(stride, steps[d]));
    (*sizes)[d] = clipped(d, (*offsets)[d], (*sizes)[d], steps[d]);
  }
  return finish(offset, std::move(*sizes), std::move(strides));
}

std::optional<std::vector<Value *>> View::transpose() {
  if (!readBase()) return std::nullopt;
  const ast::OpClause &clause = clause_.clause();
  std::vector<int64_t> permutation(rank());
  std::iota(permutation.rbegin(), permutation.rend(), 0);
  if (clause.dims) {
    permutation.clear();
    for (const ast::Expr &item : clause.dims->children) {
      std::optional<int64_t> d = clause_.state().params.evalInt(item, "a dimension");
      if (!d) return std::nullopt;
      permutation.push_back(*d);
    }
  }
  std::vector<int64_t> sorted = permutation, all(rank());
  std::ranges::sort(sorted);
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all)
    return wrong(DiagCode::AttributeValue, clause.dims->range,
                 str("[", join(permutation, ", "), "] is not a permutation of ", rank(), " dimensions"));
  std::vector<ViewNumber> sizes, strides;
  for (int64_t d : permutation) {
    sizes.push_back(numbers_.size(base_, static_cast<size_t>(d)));
    strides.push_back(numbers_.stride(base_, static_cast<size_t>(d)));
  }
  return finish(ViewNumbers::known(0), std::move(sizes), std::move(strides));
}

// The groups of [[0, 1], [2]]: together they list the dimensions of a memref of this rank in order.
std::optional<std::vector<Group>> View::groups(int rank) {
  const ast::OpClause &clause = clause_.clause();
  if (!clause.dims) {
    clause_.diagnostics()
        .report(DiagCode::AttributeValue, clause_.range(), str(clause_.name(), " needs groups of dimensions"))
        .note("for example `[[0, 1], [2]]`");
    return std::nullopt;
  }
  std::vector<Group> groups;
  int64_t next = 0;
  bool inOrder = true;
  for (const ast::Expr &group : clause.dims->children) {
    if (!group.is(ast::Expr::Kind::List) || group.children.empty())
      return wrong(DiagCode::AttributeValue, group.range, "each group is a list of neighbouring dimensions, such as [0, 1]");
    Group &dims = groups.emplace_back();
    for (const ast::Expr &item : group.children) {
      std::optional<int64_t> d = clause_.state().params.evalInt(item, "a dimension");
      if (!d) return std::nullopt;
      inOrder &= *d == next++;
      dims.push_back(*d);
    }
  }
  if (!inOrder || next != rank)
    return wrong(DiagCode::AttributeValue, clause.dims->range,
                 str("the groups must list the dimensions 0 to ", rank - 1, " in order"));
  return groups;
}

// Stops the launch unless the numbers are equal, or `unless` is 1.
void View::assertEqual(ViewNumber a, ViewNumber b, ViewNumber unless, const std::string &text) {
  auto compare = [&](Value *x, Value *y) {
    return ops_.op(OpKind::CmpI, {x, y}, {{"kind", std::string("eq"), clause_.range()}});
  };
  Value *equal = compare(numbers_.value(a), numbers_.value(b));
  if (unless.known == kDynamic) equal = ops_.op(OpKind::OrI, {equal, compare(numbers_.value(unless), ops_.index(1))});
  if (equal)
    emitOp(clause_.state(), OpKind::Assert, {equal}, {clause_.range()}, clause_.range(), {{"text", text, clause_.range()}});
}

std::optional<std::vector<Value *>> View::collapse() {
  if (!readBase()) return std::nullopt;
  std::optional<std::vector<Group>> groups = this->groups(base_->type().rank());
  if (!groups) return std::nullopt;
  std::vector<ViewNumber> sizes, strides;
  for (const Group &group : *groups) {
    auto last = static_cast<size_t>(group.back());
    ViewNumber size = numbers_.size(base_, last), stride = numbers_.stride(base_, last);
    ViewNumber span = numbers_.times(size, stride); // the stride of the next outer dimension
    for (size_t i = group.size() - 1; i-- > 0;) {
      auto d = static_cast<size_t>(group[i]);
      ViewNumber outer = numbers_.size(base_, d), outerStride = numbers_.stride(base_, d);
      bool known = span.known != kDynamic && outerStride.known != kDynamic;
      if (known && span.known != outerStride.known && outer.known != 1)
        return wrong(DiagCode::AttributeValue, clause_.clause().dims->range,
                     str("dimensions ", d, " and ", d + 1, " of ", typeText(base_->type()),
                         " are not contiguous: their stride is ", outerStride.known, ", not ", span.known));
      if (!known && outer.known != 1)
        assertEqual(span, outerStride, outer, str("dimensions ", d, " and ", d + 1, " of the memref are contiguous"));
      size = numbers_.times(outer, size);
      span = numbers_.times(outer, span);
    }
    sizes.push_back(size);
    strides.push_back(stride);
  }
  return finish(ViewNumbers::known(0), std::move(sizes), std::move(strides));
}

std::optional<Type> View::writtenMemRef() {
  const ast::OpClause &clause = clause_.clause();
  const ast::TypeExpr *expr = nullptr;
  if (clause.signature && !clause.signature->right.empty()) expr = &clause.signature->right.back();
  if (!expr) {
    clause_.diagnostics()
        .report(DiagCode::ResultTypeNeeded, clause_.range(), str(clause_.name(), " needs the type of its result"))
        .note("for example `expand_shape %A [[0, 1], [2]] into memref<?x4x16xf32>`");
    return std::nullopt;
  }
  Type type = writtenType(clause_.state(), *expr);
  if (!type) return std::nullopt;
  if (!type.isMemRef() || type.elem() != base_->type().elem())
    return wrong(DiagCode::TypeMismatch, expr->range,
                 str(clause_.name(), " of ", shapedText(base_->type()), " cannot give ", shapedText(type)));
  return type;
}

// Appends the sizes of the dimensions into which dimension `dim` of the base is split. One of them may be unknown.
bool View::readExpanded(const Group &group, size_t dim, Type to, std::vector<ViewNumber> &sizes) {
  ViewNumber whole = numbers_.size(base_, dim), rest = ViewNumbers::known(1);
  size_t unknown = 0;
  for (int64_t d : group) {
    int64_t extent = to.extent(static_cast<int>(d));
    if (extent == kDynamic)
      ++unknown;
    else
      rest = numbers_.times(rest, ViewNumbers::known(extent));
  }
  auto fail = [&](const std::string &why) {
    wrong(DiagCode::ShapeMismatch, clause_.clause().signature->range,
          str("dimension ", dim, " of ", shapedText(base_->type()), " cannot become [", join(group, ", "), "] of ",
              shapedText(to), ": ", why));
    return false;
  };
  if (unknown > 1) return fail("at most one extent of a group may be `?`");
  bool known = whole.known != kDynamic && rest.known != kDynamic;
  if (known && (rest.known == 0 || whole.known % rest.known != 0 || (!unknown && whole.known != rest.known)))
    return fail("the numbers of elements differ");
  ViewNumber open = ViewNumbers::known(1);
  if (unknown)
    open = known ? ViewNumbers::known(whole.known / rest.known)
                 : ViewNumber{kDynamic, ops_.op(OpKind::DivSI, {numbers_.value(whole), numbers_.value(rest)})};
  if (!known)
    assertEqual(numbers_.times(open, rest), whole, ViewNumbers::known(0), "the extent is a multiple of the new inner extents");
  for (int64_t d : group) {
    int64_t extent = to.extent(static_cast<int>(d));
    sizes.push_back(extent == kDynamic ? open : ViewNumbers::known(extent));
  }
  return true;
}

std::optional<std::vector<Value *>> View::expand() {
  if (!readBase()) return std::nullopt;
  std::optional<Type> to = writtenMemRef();
  if (!to) return std::nullopt;
  std::optional<std::vector<Group>> groups = this->groups(to->rank());
  if (!groups) return std::nullopt;
  if (groups->size() != rank())
    return wrong(DiagCode::AttributeValue, clause_.clause().dims->range,
                 str("there are ", groups->size(), " groups for the ", rank(), " dimensions of ", shapedText(base_->type())));
  std::vector<ViewNumber> sizes, strides(static_cast<size_t>(to->rank()));
  for (size_t g = 0; g < groups->size(); ++g) {
    if (!readExpanded((*groups)[g], g, *to, sizes)) return std::nullopt;
    ViewNumber stride = numbers_.stride(base_, g);
    for (size_t i = (*groups)[g].size(); i-- > 0;) {
      auto d = static_cast<size_t>((*groups)[g][i]);
      strides[d] = stride;
      stride = numbers_.times(stride, sizes[d]);
    }
  }
  return finish(ViewNumbers::known(0), std::move(sizes), std::move(strides));
}

// Makes the view and compares it with the type that is written, which may leave extents and strides open.
std::optional<std::vector<Value *>> View::finish(ViewNumber offset, std::vector<ViewNumber> sizes,
                                                 std::vector<ViewNumber> strides) {
  KernelState &state = clause_.state();
  Value *view = viewOf(state, ops_, base_, offset, std::move(sizes), std::move(strides));
  if (!view) return std::nullopt;
  const ast::OpClause &clause = clause_.clause();
  if (!clause.signature || clause.signature->right.empty()) return std::vector{view};
  const ast::TypeExpr &expr = clause.signature->right.back();
  Type written = writtenType(state, expr);
  if (!written) return std::nullopt;
  // A type without strides states the extents only.
  bool stridesStated = written.isMemRef() && written.data().memory.kind != MemoryLayout::Kind::Contiguous;
  if (written.isMemRef() && !stridesStated && extentsAgree(view->type(), written)) return std::vector{view};
  if (!stridesStated || written.elem() != view->type().elem() || written.rank() != view->type().rank() ||
      !memrefCastDims(view->type(), written)) {
    clause_.diagnostics()
        .report(DiagCode::SignatureMismatch, expr.range,
                str("the signature gives ", typeText(written), ", but ", clause_.name(), " gives ", typeText(view->type())))
        .note("an extent is `?` where the part may reach out of the memref: it ends there");
    return std::nullopt;
  }
  return std::vector{written == view->type() ? view : ops_.op(OpKind::Cast, {view}, {}, written)};
}

} // namespace

std::optional<std::vector<Value *>> lowerSubview(const CompositeClause &clause) { return View(clause).subview(); }
std::optional<std::vector<Value *>> lowerMemRefTranspose(const CompositeClause &clause) { return View(clause).transpose(); }
std::optional<std::vector<Value *>> lowerCollapseShape(const CompositeClause &clause) { return View(clause).collapse(); }
std::optional<std::vector<Value *>> lowerExpandShape(const CompositeClause &clause) { return View(clause).expand(); }

} // namespace xt
