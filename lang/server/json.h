// JSON without exceptions: what a client sends may lack anything, or have another type than it should.
#pragma once
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace xt::lsp {

using Json = nlohmann::json;

// A member; null where there is none.
const Json &member(const Json &object, std::string_view key);
template <class... Keys> const Json &member(const Json &object, std::string_view key, Keys... more) {
  return member(member(object, key), more...);
}
// "" and `otherwise` for what is no text, no number, no bool.
std::string textOf(const Json &json);
int64_t intOf(const Json &json, int64_t otherwise = 0);
bool boolOf(const Json &json, bool otherwise = false);

// Null where the text is no JSON.
bool parseJson(std::string_view text, Json &out);
// On one line; bytes that are not UTF-8 are replaced.
std::string jsonText(const Json &json);

} // namespace xt::lsp
