// Signature help: the parameters of the op, function or kernel whose operands are being typed.
#include "ir/base/text.h"
#include "ir/op_page.h"
#include "lang/server/features.h"

namespace xt::lsp {
namespace {

struct Call {
  std::string_view name; // the name of an op or of a host function, or @kernel
  bool parenthesised = false;
  uint32_t argument = 0; // index of the argument at the cursor
};

// Returns the innermost call around the cursor, such as `name(a, b`, or else the op of the statement.
std::optional<Call> callAt(Piece &piece, const std::vector<RoleToken> &tokens, uint32_t at) {
  auto spelled = [&](size_t i) { return piece.text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin); };
  size_t end = 0;
  while (end < tokens.size() && tokens[end].end <= at) ++end;
  uint32_t commas = 0, depth = 0;
  for (size_t i = end; i-- > 0;) {
    std::string_view text = spelled(i);
    if (text == ")" || text == "]" || text == "}") ++depth;
    if (text == "(" || text == "[" || text == "{") {
      if (depth > 0)
        --depth;
      else if (text == "(" && i > 0 && (tokens[i - 1].role == TokenRole::Word || tokens[i - 1].role == TokenRole::Symbol))
        return Call{spelled(i - 1), true, commas};
      else if (text == "{")
        return std::nullopt;
      else
        commas = 0; // a list is one operand
    }
    if (depth > 0) continue;
    commas += text == ",";
    bool start = tokens[i].firstOnLine || (i > 0 && spelled(i - 1) == "=");
    if (start && tokens[i].role == TokenRole::Word && i + 1 <= end && findOp(text)) return Call{text, false, commas};
    if (tokens[i].firstOnLine) return std::nullopt;
  }
  return std::nullopt;
}

Json signature(const std::string &label, const std::vector<std::string> &parameters, const std::string &doc, uint32_t active) {
  Json list = Json::array();
  size_t from = label.find_first_of(" (");
  for (const std::string &parameter : parameters) {
    size_t begin = label.find(parameter, from == std::string::npos ? 0 : from);
    if (begin == std::string::npos) continue;
    list.push_back({{"label", {begin, begin + parameter.size()}}});
    from = begin + parameter.size();
  }
  Json one = {{"label", label}, {"parameters", std::move(list)}, {"documentation", {{"kind", "markdown"}, {"value", doc}}}};
  uint32_t last = parameters.empty() ? 0 : static_cast<uint32_t>(parameters.size() - 1);
  return {{"signatures", Json::array({std::move(one)})}, {"activeSignature", 0}, {"activeParameter", std::min(active, last)}};
}

Json ofOp(const OpInfo &op, const Call &call) {
  std::vector<std::string> parameters;
  std::string label(op.name);
  if (op.clause == Clause::Kind) label += " <kind>";
  for (const OperandSpec &spec : op.operands) {
    std::string name = str(spec.arity == Arity::Optional ? "[" : "", spec.name, spec.arity == Arity::Optional ? "]" : "");
    label += str(parameters.empty() ? " " : ", ", name);
    parameters.push_back(name);
  }
  if (op.clause == Clause::Base && call.argument > 1) return signature(label, parameters, opPage(op), 1);
  return signature(label, parameters, opPage(op), call.argument);
}

Json ofKernel(const Query &query, std::string_view name, const Call &call) {
  for (const Document *file : query.analysis.files)
    for (size_t p = 0; p < file->pieceCount(); ++p)
      for (const ast::KernelDecl &kernel : file->piece(p).parsed.tree.kernels) {
        if (kernel.name.text != name) continue;
        std::vector<std::string> parameters;
        for (const ast::Param &param : kernel.params)
          parameters.push_back(kernel.ofTests     ? "%" + param.name.text
                               : param.isFunction ? "@" + param.name.text
                               : param.isLayout   ? "#" + param.name.text
                                                  : str("%", param.name.text, ": ", query.written(param.type.range)));
        return signature(str("@", name, "(", join(parameters, ", "), ")"), parameters,
                         kernel.ofTests      ? "function of tests"
                         : kernel.isFunction ? "function"
                                             : "kernel",
                         call.argument);
      }
  return nullptr;
}

} // namespace

Json signatureHelp(const Query &query, uint32_t offset) {
  size_t index = query.document.pieceAt(offset);
  Piece &piece = query.document.piece(index);
  std::optional<Call> call = callAt(piece, piece.tokens, offset - query.document.pieceStart(index));
  if (!call) return nullptr;
  if (call->name.starts_with("@")) return ofKernel(query, call->name.substr(1), *call);
  if (call->parenthesised)
    for (bool initializer : {true, false})
      if (const HostFnInfo *fn = findHostFn(call->name, initializer);
          fn && testAt(piece, offset - query.document.pieceStart(index)))
        return signature(std::string(fn->example), {}, hostFnPage(*fn), call->argument);
  const OpInfo *op = findOp(call->name);
  return op ? ofOp(*op, *call) : Json();
}

} // namespace xt::lsp
