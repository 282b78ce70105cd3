// Commands shown above kernels and tests. Each is the command line of one of the tools; the client runs it.
#include "lang/server/features.h"

namespace xt::lsp {
namespace {

struct Line {
  const Query &query;
  Json &list;
  void add(SourceRange range, const char *title, const char *tool, std::vector<std::string> arguments) {
    arguments.push_back(query.document.path());
    Json command = {{"title", title}, {"command", "xt.run"}, {"arguments", {tool, arguments}}};
    list.push_back({{"range", query.range(query.span(range))}, {"command", std::move(command)}});
  }
};

} // namespace

Json codeLenses(const Query &query) {
  Json list = Json::array();
  if (query.document.path() == query.document.uri()) return list; // the document is not a file that a tool could read
  Line line{query, list};
  for (size_t p = 0; p < query.document.pieceCount(); ++p) {
    const ast::File &tree = query.document.piece(p).parsed.tree;
    for (const ast::KernelDecl &kernel : tree.kernels) {
      if (!kernel.name || kernel.isFunction) continue;
      line.add(kernel.name.range, "show IR", "xtc", {"--emit=ir"});
      line.add(kernel.name.range, "show the code of a subgroup", "xtc",
               {"--run=infer-layouts,distribute-to-subgroups", "--emit=ir"});
      line.add(kernel.name.range, "show assembly", "xtc", {"--emit=asm"});
      line.add(kernel.name.range, "report for xe-pvc", "xtc", {"--target=xe-pvc", "--report"});
    }
    for (const ast::TestDecl &test : tree.tests) line.add(test.nameRange, "run test", "xtrun", {"--test=" + test.name});
  }
  return list;
}

} // namespace xt::lsp
