// Tests golden conversations: transcripts/NAME.in has the client's messages, one per line, and NAME.out the server's answers. A
// text "file:NAME" stands for the contents of that file, and ROOT for the URI of the folder.
#include "tests/golden.h"

#include "ir/base/uri.h"
#include "lang/server/server.h"

namespace xt::lsp {
namespace {

const std::string kFolder = std::string(XT_SOURCE_DIR) + "/tests/lang/server/transcripts";

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

void addTexts(Json &json) {
  if (json.is_string() && textOf(json).starts_with("file:") && !textOf(json).starts_with("file:///"))
    json = test::readText(kFolder + "/" + textOf(json).substr(5));
  else if (json.is_structured())
    for (auto &item : json) addTexts(item);
}

// Prints JSON: a value that fits on a line is printed on one line.
void print(const Json &json, size_t indent, std::string &out) {
  constexpr size_t kLine = 120;
  std::string flat = jsonText(json);
  if (!json.is_structured() || indent + flat.size() <= kLine) {
    out += flat;
    return;
  }
  bool first = true;
  out += json.is_object() ? "{" : "[";
  for (const auto &item : json.items()) {
    out += (first ? "\n" : ",\n") + std::string(indent + 2, ' ');
    if (json.is_object()) out += "\"" + item.key() + "\": ";
    print(item.value(), indent + 2, out);
    first = false;
  }
  out += json.is_object() ? "}" : "]";
}

std::string answersTo(const std::string &conversation) {
  std::string out;
  Server server([&](const Json &message) {
    // Paths are replaced before lines are broken, so that breaks do not depend on where the tree is.
    std::string text = replaced(replaced(jsonText(message), uriOfPath(kFolder), "ROOT"), kFolder, "FOLDER");
    text = replaced(replaced(text, uriOfPath(XT_SOURCE_DIR), "SOURCE"), XT_SOURCE_DIR, "SOURCE");
    Json shown;
    if (!parseJson(text, shown)) ADD_FAILURE() << text;
    print(shown, 0, out);
    out += "\n";
  });
  std::istringstream lines(conversation);
  int id = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with("//")) continue;
    Json message;
    if (!parseJson(replaced(line, "ROOT", uriOfPath(kFolder)), message)) {
      ADD_FAILURE() << line;
      continue;
    }
    addTexts(message);
    std::string method = textOf(member(message, "method"));
    if (message.is_object()) message["jsonrpc"] = "2.0";
    bool notification = method.find("/did") != std::string::npos || method == "initialized" || method == "exit";
    if (message.is_object() && !notification && !message.contains("id")) message["id"] = ++id;
    out += "> " + line + "\n";
    server.handle(message);
    if (server.hasUnpublished()) server.publish();
  }
  return out;
}

TEST(Transcripts, AreAnsweredAsWritten) {
  setenv("XT_STDLIB", (std::string(XT_SOURCE_DIR) + "/stdlib").c_str(), 1);
  for (const auto &path : test::filesIn("lang/server/transcripts", ".in")) {
    SCOPED_TRACE(path.filename());
    std::filesystem::path golden = path;
    test::expectGolden(golden.replace_extension(".out"), answersTo(test::readText(path)));
  }
}

} // namespace
} // namespace xt::lsp
