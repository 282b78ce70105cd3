#include "targets/tools/reference.h"

#include "ir/base/diagnostics.h"
#include "ir/base/text.h"
#include "ir/host.h"
#include "ir/op_page.h"
#include "lang/parse/rank_words.h"
#include "passes/passes.h"

namespace xt {
namespace {

constexpr Dialect kDialects[] = {Dialect::XeTile, Dialect::XeGpu,  Dialect::Arith, Dialect::Math,
                                 Dialect::Vector, Dialect::Memref, Dialect::Gpu,   Dialect::Scf};

std::string_view classText(HostFnClass cls) {
  switch (cls) {
  case HostFnClass::Initializer: return "initialisers of buffers in tests";
  case HostFnClass::Elementwise: return "elementwise functions and operators of checks";
  case HostFnClass::Reduction: return "reductions of checks";
  case HostFnClass::Array: return "array functions of checks";
  }
  return "";
}

// mesh, shard, start and wait, then the communications.
std::vector<const RankWord *> allRankWords() {
  std::vector<const RankWord *> words;
  for (std::string_view name : rankWordNames(true)) words.push_back(findRankWord(name));
  return words;
}

void describe(std::string &out, const OpInfo &op) {
  out += str("  ", fullName(op), "\n      ", op.summary, "\n      ", op.example, "\n");
  for (const AttrSpec &attr : op.attrs)
    out += str("      attribute ", attr.name, attr.required ? " (required)" : "", ": ", attr.doc, "\n");
  if (op.spellings.size()) out += str("      also spelled ", join(op.spellings, ", "), "\n");
}

} // namespace

std::string listOps() {
  std::string out;
  for (Dialect d : kDialects) {
    out += str(dialectName(d), "\n");
    for (std::span<const OpInfo> table : {allOps(), allComposites()})
      for (const OpInfo &op : table)
        if (op.dialect == d) describe(out, op);
  }
  for (HostFnClass cls : {HostFnClass::Initializer, HostFnClass::Elementwise, HostFnClass::Reduction, HostFnClass::Array}) {
    out += str(classText(cls), "\n");
    for (const HostFnInfo &fn : allHostFns())
      if (fn.cls == cls)
        out += str("  ", fn.example, "\n      ", fn.summary, "\n",
                   fn.kernels.empty() ? "" : str("      also as ", fn.kernels, "\n"));
  }
  out += "statements about the ranks of a test\n";
  for (const RankWord *word : allRankWords()) out += str("  ", word->example, "\n      ", word->summary, "\n");
  return out;
}

std::string opReference() {
  std::string out = "# Ops\n\nMade by `xtc --reference=ops` from the table in this folder. `.xt` text may leave prefixes and "
                    "signatures out.\n";
  for (Dialect d : kDialects) {
    out += str("\n## ", dialectName(d), "\n");
    for (std::span<const OpInfo> table : {allOps(), allComposites()})
      for (const OpInfo &op : table)
        if (op.dialect == d) out += str("\n### ", fullName(op), "\n\n", opPage(op));
  }
  out += "\n## Host functions of tests\n";
  for (const HostFnInfo &fn : allHostFns()) out += str("\n- ", hostFnPage(fn));
  out += "\n\n## Statements about the ranks of a test\n";
  for (const RankWord *word : allRankWords()) out += str("\n- `", word->example, "`: ", word->summary);
  return out + "\n";
}

std::string codeReference() {
  std::string out = "# Messages\n\nMade by `xtc --reference=codes` from the tables in this folder; `xtc --explain XT0201` "
                    "prints one of them.\n";
  for (const DiagInfo &info : allDiagnostics())
    out += str("\n## ", codeText(info.code), ": ", info.title, "\n\n", info.explanation, "\n");
  return out;
}

std::string listPasses() {
  std::string out;
  for (const PassInfo &pass : kPasses) out += str(pass.name, "\n    ", pass.summary, "\n");
  return out;
}

std::string listCodes() {
  std::string out;
  for (const DiagInfo &info : allDiagnostics()) out += str(codeText(info.code), "  ", info.title, "\n");
  return out;
}

std::optional<std::string> explain(std::string_view code) {
  const DiagInfo *info = findDiag(code);
  if (!info) return std::nullopt;
  return str(codeText(info->code), ": ", info->title, "\n\n", info->explanation, "\n");
}

} // namespace xt
