// Finds the ops that create the windows (tiles, tensor_descs) that a value may hold.
#pragma once
#include "ir/module.h"

#include <unordered_map>
#include <vector>

namespace xt {

class WindowOrigins {
public:
  explicit WindowOrigins(const Kernel &kernel); // the kernel must outlive the object
  // The init_tile, create_nd_tdesc and create_tdesc ops that create the windows that `window` may hold, in a deterministic
  // order.
  const std::vector<const Op *> &of(const Value *window) const;

private:
  void visit(const Op &op);
  void flow(const Value *from, const Value *to);
  std::unordered_map<const Value *, std::vector<const Op *>> makers_; // used for lookup only
  bool changed_ = false;
};

} // namespace xt
