// Links generated objects as code of this process.
#pragma once
#include "ir/base/result.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <memory>
#include <string>

namespace llvm::orc {
class JITDylib;
}

namespace xt {

struct ExternalSymbol { // a symbol that an object may use
  std::string name;
  void *address;
};

// Thread-safe.
class LinkedObject {
public:
  // The object must need no initialisers. Only these symbols are visible to it.
  static Result<std::unique_ptr<LinkedObject>> link(llvm::StringRef object, llvm::ArrayRef<ExternalSymbol> symbols);
  ~LinkedObject(); // unloads the code
  LinkedObject(const LinkedObject &) = delete;
  LinkedObject &operator=(const LinkedObject &) = delete;

  // The address of a function or a variable of the object.
  Result<void *> find(const std::string &symbol) const;

private:
  explicit LinkedObject(llvm::orc::JITDylib &library) : library_(library) {}
  llvm::orc::JITDylib &library_;
};

} // namespace xt
