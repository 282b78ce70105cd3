#include "lang/server/json.h"

namespace xt::lsp {

const Json &member(const Json &object, std::string_view key) {
  static const Json none;
  if (!object.is_object()) return none;
  auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string textOf(const Json &json) {
  const std::string *text = json.get_ptr<const std::string *>();
  return text ? *text : std::string();
}

int64_t intOf(const Json &json, int64_t otherwise) {
  if (const int64_t *number = json.get_ptr<const int64_t *>()) return *number;
  if (const double *number = json.get_ptr<const double *>(); number && *number >= -1e15 && *number <= 1e15)
    return static_cast<int64_t>(*number);
  return otherwise;
}

bool boolOf(const Json &json, bool otherwise) {
  const bool *value = json.get_ptr<const bool *>();
  return value ? *value : otherwise;
}

bool parseJson(std::string_view text, Json &out) {
  out = Json::parse(text, nullptr, false);
  return !out.is_discarded();
}

std::string jsonText(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

} // namespace xt::lsp
