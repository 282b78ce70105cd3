// Objects that the code generator has made, as code of this process.
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

struct ExternalSymbol { // that an object may use
  std::string name;
  void *address;
};

// Safe from any thread.
class LinkedObject {
public:
  // The object needs no initialisers, and sees these symbols only.
  static Result<std::unique_ptr<LinkedObject>> link(llvm::StringRef object, llvm::ArrayRef<ExternalSymbol> symbols);
  ~LinkedObject(); // its code is gone then
  LinkedObject(const LinkedObject &) = delete;
  LinkedObject &operator=(const LinkedObject &) = delete;

  // Where a function or a variable of the object lies.
  Result<void *> find(const std::string &symbol) const;

private:
  explicit LinkedObject(llvm::orc::JITDylib &library) : library_(library) {}
  llvm::orc::JITDylib &library_;
};

} // namespace xt
