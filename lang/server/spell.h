// Prints types as the file would write them, with its layout aliases.
#pragma once
#include "lang/server/query.h"

namespace xt::lsp {

// Caches the spellings: the values of a kernel have few distinct types.
class TypeSpeller {
public:
  explicit TypeSpeller(const Query &query) : query_(query) {}
  // An alias such as "#mp_b", or the layout written out if no alias of the file has the same ownership; "" for a type
  // without layout.
  const std::string &layout(Type type) { return spell(type).layout; }
  // The whole type, such as "vector<256x32xf16, #mp_a>".
  const std::string &type(Type type) { return spell(type).type; }

private:
  struct Spelled {
    std::string layout, type;
  };
  const Spelled &spell(Type type);
  const Query &query_;
  std::map<const TypeData *, Spelled> known_; // used for lookup only; iteration order would not be deterministic
};

} // namespace xt::lsp
