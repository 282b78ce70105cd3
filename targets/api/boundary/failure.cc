#include "targets/api/boundary/failure.h"

#include "ir/base/reports.h"
#include "ir/base/text.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace xt {
namespace {

// Copies a text into an array, cut at a whole character.
template <size_t N> void copyText(char (&out)[N], const std::string &text) {
  std::string cut = cutText(text, N - 4); // leaves room for the `…` of three bytes and the end
  std::memcpy(out, cut.c_str(), std::min(cut.size(), N - 1) + 1);
  out[N - 1] = 0;
}

[[noreturn]] void throwBug(std::string_view what) {
  CompilerBug bug{};
  std::memcpy(bug.what, what.data(), std::min(what.size(), sizeof bug.what - 1));
  throw bug;
}

} // namespace

Failure invalid(std::string argument, std::string message) {
  return {XT_INVALID_ARGUMENT, str("`", argument, "` ", message), std::move(argument)};
}

xt_status report(xt_error *error, const Failure &failure) {
  constexpr size_t kFirstVersion = offsetof(xt_error, message) + sizeof error->message;
  if (!error || error->size < kFirstVersion) return failure.status; // not initialised: no member can be relied on
  error->status = failure.status;
  error->index = failure.index;
  copyText(error->argument, failure.argument);
  copyText(error->message, failure.message);
  return failure.status;
}

BugsAreThrown::BugsAreThrown() {
  setCheckEnd([](std::string_view what) { throwBug(what); });
}

Failure checkHandle(const Handle *handle, HandleKind kind, const char *name) {
  const char *why = whyNotUsable(handle, kind);
  return why ? invalid(name, why) : Failure{};
}

// The size that the caller has set.
static Failure readSize(const void *given, const char *name, size_t &size) {
  constexpr size_t kMostBytes = 1 << 16;
  std::memcpy(&size, given, sizeof size);
  if (size >= sizeof size && size <= kMostBytes) return {};
  return invalid(str(name, ".size"), str("is ", size, ", which is not the size of the structure"));
}

Failure readVersioned(const void *given, void *out, size_t bytes, const char *name) {
  size_t size = 0;
  if (Failure bad = readSize(given, name, size)) return bad;
  std::memcpy(out, given, std::min(size, bytes));
  const auto *all = static_cast<const unsigned char *>(given);
  if (size > bytes && std::any_of(all + bytes, all + size, [](unsigned char byte) { return byte != 0; }))
    return {XT_UNSUPPORTED, str("`", name, "` has members that this version of libxt does not know"), name};
  return {};
}

Failure writeVersioned(const void *made, void *out, size_t bytes, const char *name) {
  size_t size = 0;
  if (Failure bad = readSize(out, name, size)) return bad;
  const size_t copied = std::min(size, bytes);
  std::memcpy(static_cast<char *>(out) + sizeof size, static_cast<const char *>(made) + sizeof size, copied - sizeof size);
  return {};
}

} // namespace xt
