// Types as the file would write them.
#pragma once
#include "lang/server/query.h"

namespace xt::lsp {

// Keeps what it has spelled: the values of a kernel are of few types.
class TypeSpeller {
public:
  explicit TypeSpeller(const Query &query) : query_(query) {}
  // "#mp_b", or the layout written out where no alias of the file owns alike; "" where the type has none.
  const std::string &layout(Type type) { return spell(type).layout; }
  // "vector<256x32xf16, #mp_a>".
  const std::string &type(Type type) { return spell(type).type; }

private:
  struct Spelled {
    std::string layout, type;
  };
  const Spelled &spell(Type type);
  const Query &query_;
  std::map<const TypeData *, Spelled> known_; // only to find
};

} // namespace xt::lsp
