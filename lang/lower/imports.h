// The files that a file imports, and theirs.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "lang/ast.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xt {

// What reading gives where a path names nothing: an Error without a message.
inline Error noSuchFile() { return Error::environment(""); }

struct ImportOptions {
  // A file's text, or noSuchFile(), or why it cannot be read. None: nothing can be imported.
  std::function<Result<std::string>(const std::string &path)> read = {};
  std::string stdlib = {}; // the folder that `std/` stands for
};

// A parsed file, in one piece or in several that follow one another.
struct SourceUnit {
  std::string name;
  std::vector<const ast::File *> pieces;
};

// Where files come from that are imported.
class UnitLoader {
public:
  virtual ~UnitLoader() = default;
  // The unit, good as long as the loader, or an Error as of ImportOptions::read.
  virtual Result<const SourceUnit *> load(const std::string &path) = 0;
};

// The places where an import is looked for, in this order: "std/gemm" is gemm.xt in the standard library; another path
// starts at the importing file's folder. ".xt" may be left out.
std::vector<std::string> importCandidates(const std::string &path, const std::string &importer, const std::string &stdlib);

// The files that `root` imports, directly or not, each once, in the order in which they are met; reports those
// that cannot be read and those that import each other in a circle.
std::vector<const SourceUnit *> loadUnits(const SourceUnit &root, UnitLoader &loader, const std::string &stdlib,
                                          Diagnostics &diagnostics);

// The same for a file in one piece: parses what is imported.
std::vector<std::unique_ptr<ast::File>> loadImports(const ast::File &root, SourceManager &sources,
                                                    const ImportOptions &options, Diagnostics &diagnostics);

} // namespace xt
