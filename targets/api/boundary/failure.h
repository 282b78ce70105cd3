// How functions of the library fail, and the boundary that nothing but a status crosses.
#pragma once
#include "ir/base/check_end.h"
#include "ir/base/result.h"
#include "targets/api/boundary/handle.h"
#include "targets/api/include/xt/xt.h"

#include <exception>
#include <new>
#include <string>

namespace xt {

struct [[nodiscard]] Failure {
  xt_status status = XT_OK;
  std::string message = {}, argument = {};
  int32_t index = -1;

  explicit operator bool() const { return status != XT_OK; }
};

Failure invalid(std::string argument, std::string message);

// Writes a failure, or XT_OK, to the caller's structure if there is one, and returns the status.
xt_status report(xt_error *error, const Failure &failure);

// Thrown in place of the end of the process when a check of the compiler fails.
struct CompilerBug {
  char what[1024];
};

// While one exists, a failed XT_CHECK of this thread throws a CompilerBug.
class BugsAreThrown {
public:
  BugsAreThrown();
  ~BugsAreThrown() { setCheckEnd(nullptr); }
};

// Runs the body of a function of the library. Exceptions, which come from the standard library for lack of memory and from the
// caller's callbacks, become statuses.
template <class Body> xt_status guarded(xt_error *error, const Body &body) noexcept {
  try {
    BugsAreThrown bugs;
    if (Failure failure = body()) return report(error, failure);
    return XT_OK;
  } catch (const CompilerBug &bug) {
    return report(error, {XT_INTERNAL, std::string("a bug of xt: ") + bug.what});
  } catch (const std::bad_alloc &) {
    return report(error, {XT_ENVIRONMENT, "no memory"});
  } catch (const std::exception &thrown) {
    return report(error, {XT_INTERNAL, std::string("an exception: ") + thrown.what()});
  } catch (...) {
    return report(error, {XT_INTERNAL, "an exception of an unknown type"});
  }
}

// Fails if the handle is not usable; `name` is that of the function's parameter.
Failure checkHandle(const Handle *handle, HandleKind kind, const char *name);

// Copies a versioned structure of the caller. What the caller's version lacks stays 0; what this version does not know must be 0.
Failure readVersioned(const void *given, void *out, size_t bytes, const char *name);
template <class T> Failure readVersioned(const T *given, T &out, const char *name) {
  return given ? readVersioned(given, &out, sizeof(T), name) : Failure{};
}
// Fills a versioned structure of the caller, as far as the caller's version goes.
Failure writeVersioned(const void *made, void *out, size_t bytes, const char *name);
template <class T> Failure writeVersioned(const T &made, T *out, const char *name) {
  return out ? writeVersioned(&made, out, sizeof(T), name) : invalid(name, "is NULL");
}

} // namespace xt
