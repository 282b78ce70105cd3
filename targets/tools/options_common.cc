#include "targets/tools/options_common.h"

#include "targets/compile/version.h"

#include <charconv>

namespace xt {
namespace {

// Options for the format of messages. xtc's plain `--format` rewrites files, hence the second name.
constexpr const char *kMessageOptions[] = {"format", "diagnostics-format"};

} // namespace

bool isOneOf(std::string_view word, std::string_view words) {
  for (size_t begin = 0; begin <= words.size();) {
    size_t end = std::min(words.find('|', begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

po::options_description commonOptions(const char *formats) {
  po::options_description options("Input and messages");
  auto add = options.add_options();
  add("tuning", po::value<std::string>()->value_name("FILE"),
      "the file of `xtrun --tune` with the fastest values of parameters, for --kernel and --emit=lib; default: "
      "FILE.xt.tune beside the file; `none`: no file");
  add("define,D", po::value<std::vector<std::string>>()->value_name("NAME=VALUE"),
      "set a parameter of the file; of xtrun, VALUE,VALUE runs with each of them");
  add("format", po::value<std::string>()->value_name(formats), "format of messages; default: text");
  add("diagnostics-format", po::value<std::string>()->value_name(formats), "the same as --format");
  add("color", po::value<std::string>()->value_name("auto|always|never"), "colours in messages; default: auto");
  add("help,h", "print this and exit");
  add("version", "print the version and exit");
  return options;
}

po::options_description passOptions() {
  po::options_description options("Debugging the compiler");
  auto add = options.add_options();
  add("dump-after", po::value<std::vector<std::string>>()->value_name("PASS[,PASS]|all"),
      "print the module after these passes; each dump is a valid .xt file");
  add("dump-dir", po::value<std::string>()->value_name("DIR"), "write the dumps to numbered files in DIR");
  add("time-passes", "print the time of each step");
  add("remarks", "report the cost of layouts (elements that move, with bytes and barriers), what passes remove or move, and "
                 "how each op is compiled for the CPU");
  add("verify-each", "verify the module after each pass");
  return options;
}

std::optional<std::string> readExtensions(const po::variables_map &map, SpirvExtensions &extensions) {
  if (!map.count("spirv-extensions")) return std::nullopt;
  const std::string &text = map["spirv-extensions"].as<std::string>();
  for (SpirvExtensions known : {SpirvExtensions::None, SpirvExtensions::Intel, SpirvExtensions::InlineAssembly})
    if (text == extensionsName(known)) extensions = known;
  if (!isOneOf(text, kExtensions)) return str("--spirv-extensions must be ", kExtensions, ", not `", text, "`");
  return std::nullopt;
}

std::optional<std::string> readCommon(const po::variables_map &map, std::string_view formats, CommonOptions &options) {
  if (map.count("file")) options.files = map["file"].as<std::vector<std::string>>();
  if (map.count("define"))
    for (const std::string &text : map["define"].as<std::vector<std::string>>()) {
      size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0) return "-D takes NAME=VALUE, not `" + text + "`";
      options.defines.emplace_back(text.substr(text[0] == '$' ? 1 : 0, equals - (text[0] == '$' ? 1 : 0)),
                                   text.substr(equals + 1));
    }
  if (map.count("tuning")) options.tuning = map["tuning"].as<std::string>();
  for (const char *name : kMessageOptions) {
    if (!map.count(name)) continue;
    std::string format = map[name].as<std::string>();
    if (!isOneOf(format, formats)) return str("--", name, " must be ", formats, ", not `", format, "`");
    options.json = format == "json";
    options.sarif = format == "sarif";
  }
  if (map.count("color")) {
    std::string color = map["color"].as<std::string>();
    if (color == "always")
      options.color = ColorMode::Always;
    else if (color == "never")
      options.color = ColorMode::Never;
    else if (color != "auto")
      return "--color must be auto, always or never, not `" + color + "`";
  }
  if (map.count("dump-after")) options.dumpAfter = splitCommas(map["dump-after"].as<std::vector<std::string>>());
  if (map.count("dump-dir")) options.dumpDir = map["dump-dir"].as<std::string>();
  options.timePasses = map.count("time-passes") != 0;
  options.verifyEach = map.count("verify-each") != 0;
  options.remarks = map.count("remarks") != 0;
  return std::nullopt;
}

std::optional<double> secondsOf(const std::string &text) {
  constexpr double kMostSeconds = 1e9; // 30 years
  double seconds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc() && std::string_view(end) == "s") ++end; // "60s"
  bool good = error == std::errc() && end == text.data() + text.size() && seconds > 0 && seconds <= kMostSeconds;
  return good ? std::optional(seconds) : std::nullopt;
}

std::optional<std::string> readSeconds(const po::variables_map &map, const char *name, double &seconds) {
  if (!map.count(name)) return std::nullopt;
  const std::string &text = map[name].as<std::string>();
  std::optional<double> given = secondsOf(text);
  if (!given) return str("--", name, " takes a number of seconds above 0 and up to 1e9, not `", text, "`");
  seconds = *given;
  return std::nullopt;
}

EndOfCommand usageError(std::string_view tool, std::string_view message) {
  return {str(tool, ": ", message, "\nTry `", tool, " --help`.\n"), kExitUsage};
}

std::optional<EndOfCommand> readCommand(const std::vector<std::string> &arguments, std::string_view tool,
                                        std::string_view usage, std::string_view epilog, const po::options_description &visible,
                                        po::variables_map &map) {
  po::options_description all;
  all.add(visible);
  all.add_options()("file", po::value<std::vector<std::string>>(), "");
  po::positional_options_description positional;
  positional.add("file", -1);
  try {
    po::store(po::command_line_parser(arguments).options(all).positional(positional).run(), map);
    po::notify(map);
  } catch (const po::error &error) {
    return usageError(tool, error.what());
  }
  if (map.count("help")) {
    std::ostringstream out;
    out << usage << visible << epilog;
    return EndOfCommand{out.str(), 0};
  }
  if (map.count("version")) return EndOfCommand{std::string(kVersion) + "\n", 0};
  return std::nullopt;
}

std::vector<Defines> combinations(const Defines &defines, size_t most) {
  std::vector<Defines> all = {{}};
  for (const auto &[name, list] : defines) {
    std::vector<std::string> values = splitCommas({list});
    if (values.empty()) values = {list}; // `-D BM=` is refused when the file is read
    if (all.size() * values.size() > most) return {};
    std::vector<Defines> longer;
    for (const Defines &before : all)
      for (const std::string &value : values) {
        longer.push_back(before);
        longer.back().emplace_back(name, value);
      }
    all = std::move(longer);
  }
  return all;
}

std::vector<std::string> splitCommas(const std::vector<std::string> &texts) {
  std::vector<std::string> parts;
  for (const std::string &text : texts) {
    size_t begin = 0;
    while (begin <= text.size()) {
      size_t comma = text.find(',', begin);
      if (comma == std::string::npos) comma = text.size();
      if (comma > begin) parts.push_back(text.substr(begin, comma - begin));
      begin = comma + 1;
    }
  }
  return parts;
}

std::string notAvailableText(std::string_view option, std::string_view target,
                             const std::function<bool(const Target &)> &takes) {
  std::vector<std::string_view> names;
  for (const Target *other : allTargets())
    if (takes(*other)) names.push_back(other->name());
  return str(option, " is not available for the target `", target, "`, only for ", join(names, ", "));
}

} // namespace xt
