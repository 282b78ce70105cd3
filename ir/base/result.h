// Result<T>: a value or an Error. A user's mistake is reported to the Diagnostics engine where it is found and returned
// as Error::diagnosed(); a failure of the environment (a file, a driver) carries its own message.
#pragma once
#include "ir/base/check.h"
#include "ir/base/source.h"

#include <string>
#include <utility>
#include <variant>

namespace xt {

struct [[nodiscard]] Error {
  enum class Kind : unsigned char {
    Diagnosed,   // already in the Diagnostics engine; the message is empty
    Environment, // a file, a device or a limit failed; the message says which and why
    Kernel,      // a kernel did something forbidden: a failed assert, a race, an access that is reported
  };
  Kind kind = Kind::Diagnosed;
  std::string message;
  SourceRange range = {}; // the source range of the code that was running, if known

  static Error diagnosed() { return {}; }
  static Error environment(std::string text, SourceRange range = {}) { return {Kind::Environment, std::move(text), range}; }
  static Error kernel(std::string text, SourceRange range = {}) { return {Kind::Kernel, std::move(text), range}; }
};

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T &operator*() { return value(); }
  const T &operator*() const { return value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }
  T &value() {
    XT_CHECK(ok(), "value() of a failed Result");
    return std::get<0>(state_);
  }
  const T &value() const {
    XT_CHECK(ok(), "value() of a failed Result");
    return std::get<0>(state_);
  }
  const Error &error() const {
    XT_CHECK(!ok(), "error() of a good Result");
    return std::get<1>(state_);
  }

private:
  std::variant<T, Error> state_;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}
  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error &error() const {
    XT_CHECK(!ok_, "error() of a good Result");
    return error_;
  }

private:
  Error error_;
  bool ok_ = true;
};

} // namespace xt
