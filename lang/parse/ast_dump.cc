#include "lang/ast.h"
namespace xt::ast {
std::string dump(const File &, const SourceFile &) { return {}; }
}
