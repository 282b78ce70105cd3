// Loads the files that a file imports, directly or indirectly.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "lang/ast.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace xt {

// The result of reading a path that names no file: an Error without a message.
inline Error noSuchFile() { return Error::environment(""); }

struct ImportOptions {
  // Returns a file's text, or noSuchFile(), or an Error with the reason why it cannot be read. Not set: imports always fail.
  std::function<Result<std::string>(const std::string &path)> read = {};
  std::string stdlib = {}; // the folder that `std/` names
  // Returns the names of the files in a folder, for suggestions. Not set: there are none.
  std::function<std::vector<std::string>(const std::string &folder)> list = {};
};

// A parsed file, as one tree or as the trees of consecutive pieces.
struct SourceUnit {
  std::string name;
  std::vector<const ast::File *> pieces;
};

// Provides the imported files.
class UnitLoader {
public:
  virtual ~UnitLoader() = default;
  // Returns the unit, which is valid as long as the loader exists, or an Error as in ImportOptions::read.
  virtual Result<const SourceUnit *> load(const std::string &path) = 0;
  // The names of the files in a folder, for suggestions.
  virtual std::vector<std::string> list(const std::string &folder) = 0;
};

// The paths where an import is searched, in order. "std/gemm" is gemm.xt in the standard library; any other relative path
// starts at the importing file's folder. ".xt" may be left out.
std::vector<std::string> importCandidates(const std::string &path, const std::string &importer, const std::string &stdlib);

// Returns the files that `root` imports directly or indirectly, each once, in breadth-first order. Reports files that cannot be
// read, and a cycle of imports.
std::vector<const SourceUnit *> loadUnits(const SourceUnit &root, UnitLoader &loader, const std::string &stdlib,
                                          Diagnostics &diagnostics);

// Reads and parses the files that `root`, which is a whole file, imports directly or indirectly. Reports errors as loadUnits()
// does.
std::vector<std::unique_ptr<ast::File>> loadImports(const ast::File &root, SourceManager &sources, const ImportOptions &options,
                                                    Diagnostics &diagnostics);

} // namespace xt
