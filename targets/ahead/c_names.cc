#include "targets/ahead/c_names.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace xt {
namespace {

// Keywords of C and C++, and macros that compilers and the headers of the library define.
constexpr std::string_view kTaken =
    " NULL alignas alignof and and_eq asm auto bitand bitor bool break case catch char class co_await co_return co_yield compl"
    " concept const const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum"
    " explicit export extern false float for friend goto i386 if inline int linux long mutable namespace new noexcept not "
    "not_eq"
    " nullptr offsetof operator or or_eq private protected public register reinterpret_cast requires restrict return short "
    "signed"
    " sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename"
    " typeof typeof_unqual union unix unsigned using virtual void volatile while xor xor_eq ";

// Whether a name may mean something else where the library's header is included: a word of the languages, a type (`int8_t`), a
// limit (`INT8_MAX`), or a name of the run time.
bool isTaken(const std::string &name) {
  if (kTaken.find(" " + name + " ") != std::string_view::npos || name.ends_with("_t") || name.starts_with("xt")) return true;
  constexpr std::string_view kEndsOfLimits[] = {"_MIN", "_MAX", "_C", "_WIDTH"};
  return std::ranges::any_of(kEndsOfLimits, [&](std::string_view end) { return name.ends_with(end); });
}

} // namespace

std::string cIdentifier(std::string_view name) {
  std::string out;
  for (char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
}

std::vector<std::string> cParameterNames(const Kernel &kernel) {
  std::set<std::string> used = {"message", "message_bytes"};
  std::vector<std::string> names;
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    std::string name = cIdentifier(kernel.param(i)->name());
    if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0])) || isTaken(name)) name = "p_" + name;
    while (!used.insert(name).second) name += "_";
    names.push_back(std::move(name));
  }
  return names;
}

} // namespace xt
