#include "lang/lower/uncalled_function.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/infer/type_rules.h"
#include "lang/lower/call_lowering.h"
#include "lang/lower/instance.h"

#include <algorithm>
#include <cctype>

namespace xt {
namespace {

// The extent assumed for `?`. Most block sizes divide it, and a matrix of this many rows and columns is as large as a vector
// may be.
constexpr int64_t kAnyExtent = 46080;
constexpr int kMostRank = 3; // so that the number of elements fits 64 bits

// The arguments' types of a check without a call, null for layouts: an extent is assumed for `?`. Nullopt: an error was
// reported, or the function cannot be checked.
std::optional<std::vector<Type>> assumedTypes(KernelState &state) {
  size_t before = state.diagnostics().errorCount();
  std::vector<Type> types;
  for (const ast::Param &param : state.decl.params)
    types.push_back(param.isLayout ? Type() : state.types.resolvePattern(param.type));
  for (const ast::TypeExpr &result : state.decl.results) state.types.resolvePattern(result);
  if (state.diagnostics().errorCount() != before) return std::nullopt;
  for (size_t i = 0; i < types.size(); ++i) {
    Type &type = types[i];
    if (!type && !state.decl.params[i].isLayout) return std::nullopt;
    if (!type || type.isScalar() || type.hasStaticShape()) continue;
    bool shaped = type.isVector() || type.isTile() || type.isTensorDesc();
    if (shaped && type.rank() > kMostRank) return std::nullopt;
    state.anyExtents = true;
    TypeData data = type.data();
    if (!type.isMemRef()) std::replace(data.shape.begin(), data.shape.end(), kDynamic, kAnyExtent);
    type = state.context.intern(std::move(data));
  }
  return types;
}

// Lowers the body for one set of arguments, only to report its errors. Returns true if extents were assumed for `?`; then only
// errors that are independent of extents are valid. A generic name that may be a float or an integer type is `elem`.
bool checkBody(KernelState &state, Elem elem) {
  std::vector<Value *> arguments;
  state.names.push();
  state.lanes = kAnyLanes; // the caller determines the number of lanes
  // What a function does with a function that it is given is checked where it is called.
  if (std::ranges::any_of(state.decl.params, &ast::Param::isFunction)) return false;
  Instance instance(state, state.decl);
  state.anyExtents |= instance.assume(kAnyExtent, elem);
  Instance::Scope scope(instance);
  std::optional<std::vector<Type>> types = assumedTypes(state);
  if (!types) return false;
  for (size_t i = 0; i < types->size(); ++i) {
    const ast::Name &name = state.decl.params[i].name;
    arguments.push_back((*types)[i] ? state.kernel->body.addParam((*types)[i], name.text, name.range) : nullptr);
  }
  state.file.lowered.insert(&state.decl);
  lowerFunctionBody(state, state.decl, arguments, state.decl.name.range);
  if (NameIndex *index = state.params.symbols().index()) index->settle();
  return state.anyExtents;
}

// Whether an error is independent of extents, as errors in names, counts, kinds and element types are.
bool isOfAnyExtent(DiagCode code) {
  static constexpr DiagCode kCodes[] = {
      DiagCode::UnknownOp,          DiagCode::UnknownValue,   DiagCode::UnknownAlias,  DiagCode::UnknownType,
      DiagCode::UnknownParam,       DiagCode::DuplicateName,  DiagCode::RebindFixed,   DiagCode::UnknownFunction,
      DiagCode::UnknownAttribute,   DiagCode::UnknownKind,    DiagCode::NotHere,       DiagCode::NotSupported,
      DiagCode::CircularDefinition, DiagCode::RecursiveCall,  DiagCode::CallMismatch,  DiagCode::FunctionResult,
      DiagCode::OperandCount,       DiagCode::OperandType,    DiagCode::TypeMismatch,  DiagCode::ResultTypeNeeded,
      DiagCode::LiteralValue,       DiagCode::NotConstant,    DiagCode::ConditionType, DiagCode::CastInvalid,
      DiagCode::MmaTypes,           DiagCode::OffsetCount,    DiagCode::GridRange,     DiagCode::SignatureCount,
      DiagCode::ResultCount,        DiagCode::ExpressionType,
  };
  return std::find(std::begin(kCodes), std::end(kCodes), code) != std::end(kCodes);
}

// Whether an error is one whatever `#l` stands for. It may be a layout, but also the attribute of a memref or of a scatter
// tile, so that only errors in names and counts are.
bool isOfAnyLayout(DiagCode code) {
  static constexpr DiagCode kCodes[] = {DiagCode::UnknownOp,     DiagCode::UnknownValue,      DiagCode::UnknownAlias,
                                        DiagCode::UnknownType,   DiagCode::UnknownParam,      DiagCode::DuplicateName,
                                        DiagCode::RebindFixed,   DiagCode::UnknownFunction,   DiagCode::UnknownAttribute,
                                        DiagCode::UnknownKind,   DiagCode::CallMismatch,      DiagCode::FunctionResult,
                                        DiagCode::RecursiveCall, DiagCode::OperandCount,      DiagCode::LiteralValue,
                                        DiagCode::ResultCount,   DiagCode::CircularDefinition};
  return std::ranges::find(kCodes, code) != std::end(kCodes);
}

// Replaces the assumed extent by `?`, as in the source.
std::string withQuestionMarks(std::string text) {
  const std::string number = str(kAnyExtent);
  for (size_t at = text.find(number); at != std::string::npos; at = text.find(number, at + 1)) {
    size_t end = at + number.size();
    bool part = (at > 0 && std::isdigit(static_cast<unsigned char>(text[at - 1]))) ||
                (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])));
    if (!part) text.replace(at, number.size(), "?");
  }
  return text;
}

// The errors of the function whose generic names of floats or integers are of this type.
std::vector<Diagnostic> errorsOf(Context &context, const ParamScope &params, FileState &file, const ast::KernelDecl &decl,
                                 Elem elem) {
  Diagnostics scratch;
  ParamScope quiet(params, scratch);
  // Use a copy of the state: a function that fails here may succeed when it is called with other extents.
  FileState own = file;
  KernelState body(context, quiet, own, decl, decl.name.text);
  bool anyExtents = checkBody(body, elem);
  const bool someLayout = std::ranges::any_of(decl.params, &ast::Param::isLayout);
  if (someLayout)
    file.lowered.insert(&decl); // what it calls is checked by itself, where no layout is assumed
  else
    file.lowered = std::move(own.lowered);
  file.repeatedTooMuch = own.repeatedTooMuch;
  file.statements = own.statements;
  std::vector<Diagnostic> errors;
  auto inside = [&](SourceRange range) {
    return range.file == decl.range.file && range.begin >= decl.range.begin && range.end <= decl.range.end;
  };
  for (Diagnostic diagnostic : scratch.all()) {
    if (someLayout && !(isOfAnyLayout(diagnostic.code) && inside(diagnostic.range))) continue;
    if (anyExtents) {
      if (!isOfAnyExtent(diagnostic.code)) continue;
      diagnostic.message = withQuestionMarks(std::move(diagnostic.message));
      diagnostic.label = withQuestionMarks(std::move(diagnostic.label));
      for (Label &label : diagnostic.labels) label.text = withQuestionMarks(std::move(label.text));
      for (std::string &note : diagnostic.notes) note = withQuestionMarks(std::move(note));
    }
    errors.push_back(std::move(diagnostic));
  }
  return errors;
}

} // namespace

void checkUncalledFunction(Context &context, const ParamScope &params, FileState &file, const ast::KernelDecl &decl,
                           Diagnostics &diagnostics) {
  std::vector<Diagnostic> errors = errorsOf(context, params, file, decl, Elem::F32);
  // What is wrong for floats may be right for integers.
  if (!errors.empty() && !decl.generics.empty() && errorsOf(context, params, file, decl, Elem::I32).empty()) return;
  for (const Diagnostic &error : errors) diagnostics.report(error.code, error.range, error.message) = error;
}

} // namespace xt
