#include "lang/lower/kernel_state.h"

namespace xt {

KernelState::KernelState(Context &c, ParamScope &p, FileState &f, const ast::KernelDecl &d, std::string name)
    : context(c), params(p), file(f), decl(d), types(c, p), kernel(std::make_unique<Kernel>()), builder(c, kernel->body),
      names(p.symbols().index()) {
  kernel->name = std::move(name);
  kernel->range = d.range;
  kernel->nameRange = d.name.range;
}

} // namespace xt
