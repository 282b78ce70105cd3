// The files that a file imports, and theirs.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/ast.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xt {

struct ImportOptions {
  // A file's text; nullopt where there is none. None: nothing can be imported.
  std::function<std::optional<std::string>(const std::string &path)> read = {};
  std::string stdlib = {}; // the folder that `std/` stands for
};

// The places where an import is looked for, in this order: "std/gemm" is gemm.xt in the standard library; another path
// starts at the importing file's folder. ".xt" may be left out.
std::vector<std::string> importCandidates(const std::string &path, const std::string &importer, const std::string &stdlib);

// Parses the files that `root` imports, directly or not, each once, in the order in which they are met; reports those
// that cannot be read and those that import each other in a circle.
std::vector<std::unique_ptr<ast::File>> loadImports(const ast::File &root, SourceManager &sources,
                                                    const ImportOptions &options, Diagnostics &diagnostics);

} // namespace xt
