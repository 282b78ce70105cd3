// JSON without exceptions: a client may leave out any member or send it with the wrong type.
#pragma once
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace xt::lsp {

using Json = nlohmann::json;

// The member `key`; null if `object` is not an object or has no such member.
const Json &member(const Json &object, std::string_view key);
template <class... Keys> const Json &member(const Json &object, std::string_view key, Keys... more) {
  return member(member(object, key), more...);
}
// The value of a string, number or bool; "" or `otherwise` for JSON of any other type.
std::string textOf(const Json &json);
int64_t intOf(const Json &json, int64_t otherwise = 0);
bool boolOf(const Json &json, bool otherwise = false);

// Returns false if the text is not valid JSON.
bool parseJson(std::string_view text, Json &out);
// Prints JSON on one line; replaces bytes that are not valid UTF-8.
std::string jsonText(const Json &json);

} // namespace xt::lsp
