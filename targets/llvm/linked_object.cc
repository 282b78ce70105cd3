#include "targets/llvm/linked_object.h"

#include "ir/base/text.h"
#include "targets/llvm/guard.h"

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/TargetParser/Host.h>

#include <atomic>

namespace xt {
namespace {

namespace orc = llvm::orc;

Error failure(const char *what, llvm::Error error) {
  return Error::environment(str(what, ": ", llvm::toString(std::move(error))));
}

Result<orc::LLJIT *> makeLinker() {
  initialiseLlvm();
  llvm::Triple triple(llvm::sys::getProcessTriple());
  auto made = orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(orc::JITTargetMachineBuilder(triple))
                  .setDataLayout(llvm::DataLayout(triple.computeDataLayout()))
                  .setLinkProcessSymbolsByDefault(false)
                  .setPlatformSetUp([](orc::LLJIT &) -> llvm::Expected<orc::JITDylibSP> { return nullptr; })
                  .create();
  if (!made) return failure("cannot start LLVM's linker", made.takeError());
  return made->release();
}

// One linker for the process, in which each object has its own library, because starting a linker takes longer than
// linking. It is never destroyed, because objects may exist until the process ends.
const Result<orc::LLJIT *> &linker() {
  static const auto *made = new Result<orc::LLJIT *>(makeLinker());
  return *made;
}

} // namespace

Result<std::unique_ptr<LinkedObject>> LinkedObject::link(llvm::StringRef object, llvm::ArrayRef<ExternalSymbol> symbols) {
  const Result<orc::LLJIT *> &jit = linker();
  if (!jit) return jit.error();
  static std::atomic<uint64_t> number{0};
  auto library = (*jit)->createJITDylib(str("xt.", number.fetch_add(1)));
  if (!library) return failure("cannot allocate memory for compiled kernels", library.takeError());
  std::unique_ptr<LinkedObject> linked(new LinkedObject(*library));
  orc::SymbolMap known;
  for (const ExternalSymbol &symbol : symbols)
    known[(*jit)->mangleAndIntern(symbol.name)] = {orc::ExecutorAddr::fromPtr(symbol.address),
                                                   llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (llvm::Error error = library->define(orc::absoluteSymbols(std::move(known))))
    return failure("cannot define the runtime's symbols", std::move(error));
  if (llvm::Error error = (*jit)->addObjectFile(*library, llvm::MemoryBuffer::getMemBufferCopy(object)))
    return failure("cannot load the compiled kernels", std::move(error));
  return linked;
}

LinkedObject::~LinkedObject() { llvm::consumeError(library_.getExecutionSession().removeJITDylib(library_)); }

Result<void *> LinkedObject::find(const std::string &symbol) const {
  const Result<orc::LLJIT *> &jit = linker();
  if (!jit) return jit.error();
  auto address = (*jit)->lookup(library_, symbol);
  if (!address) return failure("cannot link the compiled kernels", address.takeError());
  return address->toPtr<void *>();
}

} // namespace xt
