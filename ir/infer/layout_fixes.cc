#include "ir/infer/layout_fixes.h"

#include "ir/base/text.h"
#include "ir/layout/layout_pieces.h"
#include "ir/op_kinds.h"

#include <algorithm>
#include <array>

namespace xt {
namespace {

constexpr std::string_view kBlanks = " \t\r";

bool isNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string byteText(int64_t bytes) {
  return bytes >= 1024 && bytes % 1024 == 0 ? str(bytes / 1024, " KiB") : str(bytes, " bytes");
}

// The maximum number of layouts to try: each one costs a compilation.
constexpr size_t kMostLayouts = 3;

// Whether the text begins with a parenthesis that its last character closes.
bool matchesFirst(std::string_view text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

void addLayout(std::vector<const Layout *> &list, const Layout *layout) {
  if (layout && list.size() < kMostLayouts && std::find(list.begin(), list.end(), layout) == list.end()) list.push_back(layout);
}

} // namespace

// --- one offer -------------------------------------------------------------------------------------------------------

std::string_view LayoutFix::text(SourceRange range) const {
  return origins_->sources() ? origins_->sources()->file(range.file).slice(range) : std::string_view();
}

std::string_view LayoutFix::lineBefore(SourceRange range) const {
  std::string_view file = origins_->sources()->file(range.file).text();
  size_t lineBreak = range.begin ? file.rfind('\n', range.begin - 1) : std::string_view::npos;
  size_t line = lineBreak == std::string_view::npos ? 0 : lineBreak + 1;
  std::string_view before = file.substr(line, range.begin - line);
  before.remove_prefix(std::min(before.find_first_not_of(kBlanks), before.size()));
  return before;
}

std::string_view LayoutFix::lineAfter(SourceRange range) const {
  std::string_view file = origins_->sources()->file(range.file).text();
  std::string_view after = file.substr(range.end, std::min(file.find('\n', range.end), file.size()) - range.end);
  after.remove_prefix(std::min(after.find_first_not_of(kBlanks), after.size()));
  return after;
}

bool LayoutFix::isName(SourceRange range) const {
  std::string_view name = text(range);
  return name.size() > 1 && name[0] == '%' && std::all_of(name.begin() + 1, name.end(), isNameByte);
}

// Whether the range is an expression on one line that can be moved: it has no calls (@), comments, braces or strings.
bool LayoutFix::isExpression(SourceRange range) const {
  std::string_view expression = text(range);
  return expression.size() > 1 && expression.find_first_of("\n@/{}\"") == std::string_view::npos;
}

// Whether a statement that is inserted before the line where the range begins runs as often as the text in the range. It does
// not if a brace opens or closes a block in between, or if the text is the condition of a `while`, which is evaluated
// repeatedly.
bool LayoutFix::standsAlone(SourceRange range) const {
  if (!possible_ || range.file == 0) return false;
  std::string_view before = lineBefore(range);
  return before.find_first_of("{}") == std::string_view::npos && !before.starts_with("while") &&
         !before.starts_with("scf.while");
}

void LayoutFix::say(const std::string &part) { fix_.title += fix_.title.empty() ? part : ", and " + part; }

void LayoutFix::conversion(std::string_view name, Type type, const Layout *to, std::string_view statement,
                           std::string_view where) {
  int64_t bytes = movedBytes(type.layout(), to, elemInfo(type.elem()).storageBytes);
  bytes_ += std::min(bytes, INT64_MAX - bytes_);
  std::string cost = bytes ? str(byteText(bytes), " through shared local memory, 1 barrier") : "inside each subgroup";
  say(str("convert `", name, "`", where, " (", cost, "): `", statement, "`"));
}

// A name for the converted value: `%x_converted`, with a number appended if the file already has that name.
std::string LayoutFix::freshName(SourceRange range) const {
  std::string_view file = origins_->sources()->file(range.file).text();
  auto isThere = [&](const std::string &name) {
    for (size_t at = file.find(name); at != std::string_view::npos; at = file.find(name, at + 1))
      if (at + name.size() == file.size() || !isNameByte(file[at + name.size()])) return true;
    return std::any_of(converted_.begin(), converted_.end(), [&](const Converted &c) { return c.converted == name; });
  };
  std::string name = isName(range) ? std::string(text(range)) + "_converted" : std::string("%converted");
  if (!isThere(name)) return name;
  for (size_t number = 2;; ++number)
    if (std::string numbered = str(name, number); !isThere(numbered)) return numbered;
}

std::string LayoutFix::statementOf(std::string_view result, std::string_view name, Type type, const Layout *to) const {
  return str(result, " = convert_layout ", name, " {", origins_->spell(type, to), "}");
}

LayoutFix &LayoutFix::convertOperand(const Op &op, size_t operand, const Layout *to) {
  const Value *value = op.operand(operand);
  SourceRange range = op.operandRange(operand);
  if (!to) return impossible();
  if (value->type().layout() == to) return *this;
  // Where the source does not show the op, its operand can only be a value that has a name.
  if (range == op.range() && (!isName(range) || value->name().empty())) return impossible();
  if (!value->type().isVector() || !standsAlone(range) || (!isName(range) && !isExpression(range))) return impossible();
  for (const Converted &c : converted_)
    if (c.name == text(range) && c.to == to) return fix_.edits.push_back({range, c.converted}), *this;
  // An expression is moved into the conversion, in parentheses.
  std::string name(text(range)), converted = freshName(range);
  if (!isName(range) && !(name.starts_with("(") && matchesFirst(name))) name = str("(", name, ")");
  std::string statement = statementOf(converted, name, value->type(), to);
  fix_.edits.push_back({range, statement, TextEdit::Place::LineBefore});
  fix_.edits.push_back({range, converted});
  conversion(name, value->type(), to, statement, "");
  converted_.push_back({std::string(text(range)), converted, to});
  return *this;
}

LayoutFix &LayoutFix::convertResult(const Op &op, const Layout *made) {
  const Value *result = op.result();
  const Layout *to = result->type().layout();
  if (!made) return impossible();
  if (made == to) return *this;
  if (result->range() == op.range()) return impossible(); // the source does not show the op
  std::string_view after = possible_ ? lineAfter(op.range()) : std::string_view();
  bool endsLine = after.empty() || after.starts_with("//");
  if (!result->type().isVector() || !standsAlone(op.range()) || !endsLine || !isName(result->range())) return impossible();
  Type from = origins_->context().withLayout(result->type(), made);
  std::string name(text(result->range())), statement = statementOf(name, name, from, to);
  const LayoutOrigin *origin = origins_->find(result);
  if (origin)
    for (const WrittenLayout &place : origin->written) rewrite(place, result->type(), made);
  if (origin && !origin->written.empty()) say(str("give `", name, "` the layout `", origins_->spell(from, made), "`"));
  fix_.edits.push_back({op.range(), statement, TextEdit::Place::LineAfter});
  conversion(name, from, to, statement, " after the op");
  return *this;
}

LayoutFix &LayoutFix::convertYielded(const Op &op, size_t region, size_t index, const Layout *to) {
  const Op *yield = op.region(region)->last();
  size_t operand = index + carriedAt(op).yield;
  const Value *value = yield->operand(operand);
  SourceRange range = yield->operandRange(operand), end = yield->range();
  if (!possible_ || !value->type().isVector() || range.file == 0 || !isName(range)) return impossible();
  std::string_view line = lineBefore(range);
  if (line.starts_with("yield") || line.starts_with("scf.yield")) return convertOperand(*yield, operand, to);
  // The region has no yield statement: it carries the value that the name has at the closing brace. The statement binds the
  // name to the converted value before this brace.
  SourceRange brace{end.file, end.end - 1, end.end};
  if (end.end == 0 || text(brace) != "}" || !lineBefore(brace).empty()) return impossible();
  std::string name(text(range)), statement = statementOf(name, name, value->type(), to);
  std::string_view file = origins_->sources()->file(end.file).text();
  auto last = static_cast<uint32_t>(file.find_last_not_of(" \t\r\n", brace.begin - 1) + 1); // end of the body
  fix_.edits.push_back({{end.file, last, last}, statement, TextEdit::Place::LineAfter});
  conversion(name, value->type(), to, statement,
             op.kind() == OpKind::If ? " at the end of the branch" : " at the end of the body");
  return *this;
}

LayoutFix &LayoutFix::convertBefore(const Op &op, size_t index, const Layout *to) {
  CarriedAt at = carriedAt(op);
  if (!possible_ || !lineBefore(op.range()).empty()) return impossible(); // the line begins with a `}` or with results
  const Op *yield = op.region()->last();
  size_t operand = at.loops ? index + at.operand : index + at.yield;
  const Op &holder = at.loops ? op : *yield;
  SourceRange range = holder.operandRange(operand);
  // The header of a loop with iter_args names the value; in any other op, the value has the name that the body rebinds.
  bool inHeader = at.loops && range.begin >= op.range().begin && range.end <= op.range().end;
  if (inHeader) return convertOperand(op, operand, to);
  const Value *value = holder.operand(operand);
  if (at.loops) value = op.operand(operand);
  if (!value->type().isVector() || range.file == 0 || !isName(range)) return impossible();
  std::string name(text(range)), statement = statementOf(name, name, value->type(), to);
  fix_.edits.push_back({op.range(), statement, TextEdit::Place::LineBefore});
  conversion(name, value->type(), to, statement,
             str(" before the `", op.info().name.substr(op.info().name.find('.') + 1), "`"));
  return *this;
}

void LayoutFix::rewrite(const WrittenLayout &place, Type type, const Layout *layout) {
  if (place.range.file == 0) {
    impossible();
    return;
  }
  std::string text;
  switch (place.kind) {
  case WrittenLayout::Kind::Attribute: text = origins_->spell(type, layout); break;
  case WrittenLayout::Kind::Type: text = origins_->spellType(type, layout); break;
  case WrittenLayout::Kind::InType: {
    const LayoutAlias *alias = origins_->aliasOf(type, layout);
    text = origins_->spell(type, layout);
    bool order = place.withOrder && !(alias && alias->order);
    if (order) text += type.data().order == Order::ColumnMajor ? ", order = [0, 1]" : ", order = [1, 0]";
    break;
  }
  }
  fix_.edits.push_back({place.range, std::move(text)});
}

LayoutFix &LayoutFix::declare(const Value *value, const Layout *layout) {
  const LayoutOrigin *origin = origins_->find(value);
  if (!layout || !origin || origin->written.empty() || !isName(value->range())) return impossible();
  for (const WrittenLayout &place : origin->written) rewrite(place, value->type(), layout);
  say(str("give `", text(value->range()), "` the layout `", origins_->spell(value->type(), layout), "`"));
  return *this;
}

LayoutFix &LayoutFix::correct(const OperandLayout &written, const Layout *layout) {
  Type type = written.op->operand(written.operand)->type();
  if (!layout || !possible_) return impossible();
  rewrite(written.place, type, layout);
  say(str("write `", fix_.edits.empty() ? std::string() : fix_.edits.back().replacement, "`"));
  return *this;
}

void LayoutFix::offer(Diagnostic &diagnostic, bool instead) {
  if (!isPossible()) return;
  // Different fixes may result in equal fix-its, of which one is enough.
  for (const FixIt &other : diagnostic.fixits)
    if (other.title == fix_.title) return;
  fix_.candidate = true;
  fix_.instead = instead;
  diagnostic.fixits.push_back(fix_);
}

void offerCheapest(Diagnostic &diagnostic, std::span<LayoutFix> fixes) {
  std::vector<LayoutFix *> order;
  for (LayoutFix &fix : fixes)
    if (fix.isPossible()) order.push_back(&fix);
  std::stable_sort(order.begin(), order.end(), [](LayoutFix *a, LayoutFix *b) { return a->bytes() < b->bytes(); });
  for (LayoutFix *fix : order) fix->offer(diagnostic);
}

// --- what to do about each rule --------------------------------------------------------------------------------------

void fixSameLayouts(Diagnostic &diagnostic, const Op &op, const LayoutOrigins &origins) {
  // A tile's layout determines its accesses, so the vectors used with it are converted instead.
  std::vector<const Layout *> targets;
  for (const Value *operand : op.operands())
    if (operand->type().isTile()) addLayout(targets, layoutOf(operand));
  if (targets.empty())
    for (size_t i = 0; i < op.resultCount(); ++i) addLayout(targets, layoutOf(op.result(i)));
  if (targets.empty() || op.operand(0)->type().isVector())
    for (const Value *operand : op.operands())
      if (operand->type().isVector() && targets.size() < 2) addLayout(targets, layoutOf(operand));
  std::vector<LayoutFix> fixes;
  for (const Layout *to : targets) {
    LayoutFix fix(origins);
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (layoutOf(op.operand(i))) fix.convertOperand(op, i, to);
    // A result without a written layout takes the new one by inference.
    const LayoutOrigin *origin = op.resultCount() == 1 ? origins.find(op.result()) : nullptr;
    if (origin && !origin->written.empty()) fix.convertResult(op, to);
    fixes.push_back(std::move(fix));
  }
  offerCheapest(diagnostic, fixes);
  // Alternatively, a value that a loop carries may be converted before the loop.
  for (const Layout *to : targets) {
    LayoutFix fix(origins);
    std::vector<const Value *> done;
    for (const Value *operand : op.operands()) {
      if (std::find(done.begin(), done.end(), operand) != done.end()) continue;
      done.push_back(operand);
      const Block *body = operand->definingBlock();
      const Op *loop = body ? body->parentOp() : nullptr;
      if (!layoutOf(operand) || layoutOf(operand) == to || !loop || loop->resultCount() == 0) continue;
      fix.convertBefore(*loop, operand->index() - carriedAt(*loop).param, to);
    }
    fix.offer(diagnostic);
  }
}

namespace {

int64_t pieceOfK(const Layout *layout, size_t operand) { return dimPieces(*layout, operand == 0 ? 1 : 0).length; }

// Returns a layout for operand 0 (`a`) or 1 (`b`) of a product. Its rows (`a`) or columns (`b`) are distributed as those of
// the result, and each subgroup holds K in pieces of `length`; null if none is found. The distributions that are tried for K
// are, in order, that of K in the other operand, that of K in this operand, that of the result's other dimension, and none:
// each subgroup holds all of K.
const Layout *mmaOperandLayout(const Op &op, size_t operand, int64_t length, const LayoutOrigins &origins) {
  const Layout *result = layoutOf(op.result());
  DimOf kept = operand == 0 ? DimOf{result, 0} : DimOf{result, 1};
  DimOf ofA{layoutOf(op.operand(0)), 1}, ofB{layoutOf(op.operand(1)), 0};
  for (DimOf k : {operand == 0 ? ofB : ofA, operand == 0 ? ofA : ofB, DimOf{result, operand == 0 ? 1 : 0}, DimOf{nullptr, 0}}) {
    std::array dims = operand == 0 ? std::array{kept, k} : std::array{k, kept};
    const Layout *layout = combined(origins.context(), dims, op.operand(operand)->type().shape());
    if (layout && pieceOfK(layout, operand) == length) return layout;
  }
  return nullptr;
}

} // namespace

void fixMmaLayouts(Diagnostic &diagnostic, const Op &op, const LayoutOrigins &origins) {
  const Layout *a = layoutOf(op.operand(0)), *b = layoutOf(op.operand(1)), *result = layoutOf(op.result());
  bool rows = sameDistribution(a, 0, result, 0), columns = sameDistribution(b, 1, result, 1);
  bool alike = pieceOfK(a, 0) == pieceOfK(b, 1);
  auto converted = [&](bool first, bool second) {
    // If both operands are converted, each subgroup gets all of K.
    int64_t length = first && second ? op.operand(0)->type().extent(1) : first ? pieceOfK(b, 1) : pieceOfK(a, 0);
    LayoutFix fix(origins);
    if (first) fix.convertOperand(op, 0, mmaOperandLayout(op, 0, length, origins));
    if (second) fix.convertOperand(op, 1, mmaOperandLayout(op, 1, length, origins));
    if (op.operandCount() > 2) fix.convertOperand(op, 2, result);
    return fix;
  };
  std::vector<LayoutFix> fixes;
  if (rows && columns && alike)
    fixes.push_back(converted(false, false));
  else if (rows && columns)
    fixes = {converted(false, true), converted(true, false), converted(true, true)};
  else
    fixes = {converted(!rows, !columns), converted(true, true)};
  // Alternatively, the result gets another layout and is converted after the op. This is not offered with an accumulator,
  // which would need a conversion in each step as well.
  if (op.operandCount() == 2 && alike) {
    LayoutFix fix(origins);
    fix.convertResult(op, combined(origins.context(), std::array{DimOf{a, 0}, DimOf{b, 1}}, op.result()->type().shape()));
    fixes.push_back(std::move(fix));
  }
  offerCheapest(diagnostic, fixes);
}

void fixDerivedLayout(Diagnostic &diagnostic, const Op &op, const Layout *expected, const LayoutOrigins &origins) {
  std::array fixes = {LayoutFix(origins), LayoutFix(origins)};
  fixes[0].convertOperand(op, 0, wantedForOperand(origins.context(), op, 0));
  fixes[1].convertResult(op, expected);
  offerCheapest(diagnostic, fixes);
}

void fixCarriedLayout(Diagnostic &diagnostic, const Op &op, size_t region, size_t index, const Layout *kept,
                      const LayoutOrigins &origins) {
  const Layout *given = layoutOf(op.region(region)->last()->operand(index + carriedAt(op).yield));
  if (!given || !kept) return;
  LayoutFix(origins).convertYielded(op, region, index, kept).offer(diagnostic);
  if (carriedAt(op).loops) {
    LayoutFix(origins).convertBefore(op, index, given).offer(diagnostic);
    return;
  }
  for (size_t other = 0; other < op.regionCount(); ++other)
    if (other != region) LayoutFix(origins).convertYielded(op, other, index, given).offer(diagnostic);
}

namespace {

// The layout whose wg_map has sg_data so small that no dimension wraps around. Null if the layout is not a wg_map, if the
// number of subgroups does not divide an extent, or if several subgroups still hold the same elements.
const Layout *withoutCopies(Context &context, const Layout *layout) {
  LayoutSpec spec = layout->spec();
  if (!spec.wg || spec.sg) return nullptr;
  for (size_t d = 0; d < spec.wg->sgData.size(); ++d) {
    int64_t extent = layout->shape()[d], subgroups = spec.wg->sgLayout[d];
    if (subgroups * spec.wg->sgData[d] <= extent) continue;
    if (extent % subgroups != 0) return nullptr;
    spec.wg->sgData[d] = extent / subgroups;
  }
  LayoutOrError made = makeLayout(context, spec, layout->shape());
  const Layout *const *unique = std::get_if<const Layout *>(&made);
  return unique && !(*unique)->isReplicated(Axis::Subgroup) ? *unique : nullptr;
}

// Adds the wg_maps that divide both extents evenly among as many subgroups as `layout` has, in descending order of the number
// of subgroups along dimension 0.
void addEvenCuts(std::vector<const Layout *> &list, const Layout *layout, Context &context) {
  std::span<const int64_t> shape = layout->shape();
  int64_t subgroups = layout->subgroups();
  if (shape.size() != 2) return;
  for (int64_t rows = subgroups; rows > 0; --rows) {
    int64_t columns = subgroups / rows;
    if (subgroups % rows != 0 || shape[0] % rows != 0 || shape[1] % columns != 0) continue;
    WgMap map;
    map.sgLayout = {rows, columns};
    map.sgData = {shape[0] / rows, shape[1] / columns};
    LayoutOrError made = makeLayout(context, LayoutSpec::of(map), shape);
    if (const Layout *const *cut = std::get_if<const Layout *>(&made); cut && !(*cut)->isReplicated(Axis::Subgroup))
      addLayout(list, *cut);
  }
}

// Adds the layouts that aliases give a value of the type, if they have `subgroups` subgroups and, with `unique`, no copies.
void addAliases(std::vector<const Layout *> &list, Type type, int64_t subgroups, bool unique, const LayoutOrigins &origins) {
  for (const LayoutAlias &alias : origins.aliases()) {
    if (alias.order && (!type.isTile() || *alias.order != type.data().order)) continue;
    LayoutOrError made = makeLayout(origins.context(), alias.spec, type.shape());
    const Layout *const *layout = std::get_if<const Layout *>(&made);
    if (layout && (*layout)->subgroups() == subgroups && !(unique && (*layout)->isReplicated(Axis::Subgroup)))
      addLayout(list, *layout);
  }
}

} // namespace

void fixTwoWriters(Diagnostic &diagnostic, const Op &op, size_t tile, const LayoutOrigins &origins) {
  const Value *target = op.operand(tile);
  std::vector<const Layout *> layouts;
  addLayout(layouts, withoutCopies(origins.context(), layoutOf(target)));
  addAliases(layouts, target->type(), layoutOf(target)->subgroups(), true, origins);
  if (layouts.empty()) addEvenCuts(layouts, layoutOf(target), origins.context());
  for (const Layout *layout : layouts) {
    LayoutFix(origins).declare(target, layout).offer(diagnostic);
    LayoutFix both(origins);
    for (const Value *operand : op.operands()) both.declare(operand, layout);
    both.offer(diagnostic, true);
  }
}

void fixWrittenLayout(Diagnostic &diagnostic, const OperandLayout &written, const LayoutOrigins &origins) {
  LayoutFix(origins).correct(written, layoutOf(written.op->operand(written.operand))).offer(diagnostic);
  LayoutFix(origins).convertOperand(*written.op, written.operand, written.layout).offer(diagnostic);
}

void fixSubgroupCounts(Diagnostic &diagnostic, const Value *value, const Value *earlier, const LayoutOrigins &origins) {
  for (auto [changed, kept] : {std::pair{value, earlier}, std::pair{earlier, value}}) {
    const Layout *model = layoutOf(kept);
    std::vector<const Layout *> layouts;
    if (std::ranges::equal(changed->type().shape(), kept->type().shape())) addLayout(layouts, model);
    addAliases(layouts, changed->type(), model->subgroups(), false, origins);
    for (size_t i = 0; i < layouts.size(); ++i) LayoutFix(origins).declare(changed, layouts[i]).offer(diagnostic, i != 0);
  }
}

} // namespace xt
