// What the command lines of xtc and xtrun have in common.
#pragma once
#include "ir/base/text.h"
#include "targets/tools/options.h"

#include <boost/program_options.hpp>

#include <sstream>

namespace xt {

namespace po = boost::program_options;

constexpr const char *kExtensions = "auto|intel|inline-assembly|none"; // the values of --spirv-extensions

// Whether `word` is one of `words`, which are separated by '|'.
bool isOneOf(std::string_view word, std::string_view words);

// `formats`: the formats of messages that the tool has.
po::options_description commonOptions(const char *formats);
po::options_description passOptions();

// These set `options`, `extensions` or `seconds`, and return what is wrong with the command line; nullopt: nothing.
std::optional<std::string> readCommon(const po::variables_map &map, std::string_view formats, CommonOptions &options);
std::optional<std::string> readExtensions(const po::variables_map &map, SpirvExtensions &extensions); // --spirv-extensions
std::optional<std::string> readSeconds(const po::variables_map &map, const char *name, double &seconds);

// A positive number of seconds; nullopt if the text is not such a number.
std::optional<double> secondsOf(const std::string &text);

// The text and exit status of a command that ends after its options are parsed: help, the version, or an error.
struct EndOfCommand {
  std::string text;
  int status;
};
// Parses the arguments into `map`. Nullopt if the command goes on.
std::optional<EndOfCommand> readCommand(const std::vector<std::string> &arguments, std::string_view tool,
                                        std::string_view usage, std::string_view epilog, const po::options_description &visible,
                                        po::variables_map &map);
// The usage error "xtc: MESSAGE", followed by a line that refers to --help.
EndOfCommand usageError(std::string_view tool, std::string_view message);

} // namespace xt
