// Libraries of other packages that are opened at run time.
#pragma once
#include "ir/base/result.h"

#include <string>
#include <string_view>

namespace xt {

// An open library. It stays open until the end of the process.
class SharedLibrary {
public:
  // `what` names the library in messages: "the OpenCL loader". If the library cannot be opened, `otherPath` is tried,
  // unless it is "". The Error names Debian's package that contains the library.
  static Result<SharedLibrary> open(std::string what, std::string path, std::string_view package,
                                    const std::string &otherPath = {});

  // Sets a function pointer to the library's function of this name. An Error if the library lacks the function.
  template <class F> Result<void> find(const char *name, F *&function) const {
    function = reinterpret_cast<F *>(symbol(name));
    if (function) return {};
    return lacks(name);
  }
  void *symbol(const char *name) const; // null if the library lacks it

private:
  SharedLibrary(std::string what, std::string path, void *handle)
      : what_(std::move(what)), path_(std::move(path)), handle_(handle) {}
  Error lacks(const char *name) const;

  std::string what_, path_;
  void *handle_;
};

// Opens a library and closes it again. Returns why it cannot be opened, else "".
std::string whyNotOpened(const char *path);

} // namespace xt
