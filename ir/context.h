// Owns interned types and layouts. An object that holds a Type or a Layout must not outlive its Context.
#pragma once
#include "ir/layout/layout_table.h"
#include "ir/type.h"

#include <memory>

namespace xt {

class Context : public LayoutTable {
public:
  Context();
  ~Context();

  Type intern(TypeData data);
  using LayoutTable::intern;

  Type scalar(Elem elem);
  Type index() { return scalar(kIndexElem); }
  Type i1();
  Type ofKind(TypeKind kind); // NBarrier and Token, which have no other properties
  Type vector(std::vector<int64_t> shape, Elem elem, const Layout *layout = nullptr);
  Type tile(std::vector<int64_t> shape, Elem elem, const Layout *layout = nullptr, Order order = Order::RowMajor,
            MemorySpace space = MemorySpace::Global);
  Type memref(std::vector<int64_t> shape, Elem elem, MemorySpace space = MemorySpace::Global, MemoryLayout layout = {});
  Type withLayout(Type vectorOrTile, const Layout *layout);
  Type withElem(Type type, Elem elem);
  Type plain(Type type); // without what only the checker distinguishes (TypeData::matrix, TypeData::fragment)

private:
  struct Types;
  std::unique_ptr<Types> types_;
};

} // namespace xt
