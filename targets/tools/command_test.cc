#include "targets/tools/command_test.h"

#include "ir/base/text.h"
#include "ir/print.h"
#include "targets/run/npy.h"

#include <algorithm>

namespace xt {
namespace {

Error problem(std::string text) { return {Error::Kind::Diagnosed, std::move(text)}; }

using Pairs = std::vector<std::pair<std::string, std::string>>;

const std::string *find(const Pairs &pairs, const std::string &name) {
  for (const auto &[key, value] : pairs)
    if (key == name) return &value;
  return nullptr;
}

// "1024x512xf16" or "1024x512" as extents; the element type is checked against the parameter's.
std::optional<std::vector<int64_t>> parseShape(const std::string &text, Elem elem) {
  std::vector<int64_t> shape;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find('x', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    if (!part.empty() && part.find_first_not_of("0123456789") == std::string::npos && part.size() < 13) {
      shape.push_back(std::stoll(part));
      continue;
    }
    bool last = begin > text.size();
    if (!last || elemFromName(part) != elem) return std::nullopt;
  }
  return shape;
}

class CommandTest {
public:
  CommandTest(const XtrunOptions &options, const Kernel &kernel) : options_(options), kernel_(kernel) {}

  Result<std::string> text(const std::string &file) {
    if (Result<void> known = knownNames(); !known) return known.error();
    std::string launch;
    for (size_t i = 0; i < kernel_.paramCount; ++i) {
      Result<std::string> argument = argumentText(*kernel_.param(i));
      if (!argument) return argument.error();
      launch += (i ? ", " : "") + *argument;
    }
    std::string grid = options_.grid.empty() ? "" : " grid (" + join(options_.grid, ", ") + ")";
    return str("import ", quotedText(file), "\ntest \"", kCommandLine, "\" {\n", buffers_, "  launch ", symbolText(kernel_.name), "(", launch, ")", grid,
               "\n", checks_, saves_, "}\n");
  }

private:

  Result<void> knownNames() const {
    for (const Pairs *pairs : {&options_.args, &options_.outs, &options_.expects})
      for (const auto &[name, value] : *pairs) {
        bool known = false;
        std::vector<std::string> names;
        for (size_t i = 0; i < kernel_.paramCount; ++i) {
          known |= kernel_.param(i)->name() == name;
          names.push_back(kernel_.param(i)->name());
        }
        if (!known) return problem(str("@", kernel_.name, " has no parameter `", name, "`; it has ", join(names, ", ")));
      }
    return {};
  }

  Result<std::string> argumentText(const Value &param) {
    const std::string &name = param.name();
    const std::string *given = find(options_.args, name);
    if (param.type().isMemRef()) return bufferText(param, given);
    if (given) return *given;
    return problem(str("--arg ", name, "=… is missing: @", kernel_.name, " takes ", shapedText(param.type())));
  }

  // Statements that make the buffer, check and save it; the argument is its name.
  Result<std::string> bufferText(const Value &param, const std::string *given) {
    const std::string &name = param.name();
    const std::string *out = find(options_.outs, name), *expect = find(options_.expects, name);
    if (!given && !out && !expect)
      return problem(str("--arg ", name, "=… or --out ", name, "=… is missing: @", kernel_.name, " takes ", shapedText(param.type())));
    std::string initializer = "out", shapeSource, outPath;
    std::optional<std::vector<int64_t>> shape;
    if (out) splitShape(*out, param.type().elem(), outPath, shape);
    if (given) {
      if (given->ends_with(".npy")) {
        initializer = "load " + quotedText(*given);
        Result<std::vector<int64_t>> read = shapeOfFile(*given);
        if (!read) return read.error();
        shape = *read;
      } else {
        splitShape(*given, param.type().elem(), initializer, shape);
        if (initializer == "random") initializer = str("random(seed = ", ++seed_, ")");
        if (initializer == "zeros") initializer = "fill(0)";
      }
    }
    if (!shape && expect) {
      Result<std::vector<int64_t>> read = shapeOfFile(*expect);
      if (!read) return read.error();
      shape = *read;
    }
    if (!shape && param.type().hasStaticShape()) shape = std::vector<int64_t>(param.type().shape().begin(), param.type().shape().end());
    const std::string &text = given ? *given : out ? *out : *expect;
    if (size_t colon = text.rfind(':'); !shape && colon != std::string::npos && text.find_first_of("0123456789", colon) == colon + 1)
      return problem(str("`", text.substr(colon + 1), "` is no shape of ", elemName(param.type().elem()), " for ", name, ", which is ",
                         shapedText(param.type())));
    if (!shape)
      return problem(str("the shape of ", name, " is not known: write it behind a colon, such as --", given ? "arg " : "out ", name, "=", text, ":1024x512"));
    std::string type = str("memref<", join(*shape, "x"), "x", elemName(param.type().elem()), memoryText(param.type().data().memory), ">");
    buffers_ += str("  %", name, " = ", initializer, " : ", type, "\n");
    if (expect) {
      buffers_ += str("  %", name, "_expected = load ", quotedText(*expect), " : memref<", join(*shape, "x"), "x", elemName(param.type().elem()), ">\n");
      checks_ += str("  check %", name, " == %", name, "_expected ", toleranceText(), "\n");
    }
    if (out) saves_ += str("  save %", name, " ", quotedText(outPath), "\n");
    return "%" + name;
  }

  // "random:8x16xf32" is "random" and a shape; without one, or where it is none, everything is the first part.
  static void splitShape(const std::string &text, Elem elem, std::string &first, std::optional<std::vector<int64_t>> &shape) {
    size_t colon = text.rfind(':');
    if (colon != std::string::npos) shape = parseShape(text.substr(colon + 1), elem);
    first = shape ? text.substr(0, colon) : text;
  }

  static Result<std::vector<int64_t>> shapeOfFile(const std::string &path) {
    Result<NpyHeader> header = readNpyHeader(path);
    if (!header) return header.error();
    return header->shape;
  }

  std::string toleranceText() const {
    if (options_.tolerances.empty()) return "exactly";
    std::vector<std::string> parts;
    for (const auto &[name, value] : options_.tolerances) parts.push_back(str(name, " = ", value));
    return "within " + join(parts, ", ");
  }

  const XtrunOptions &options_;
  const Kernel &kernel_;
  std::string buffers_, checks_, saves_;
  int seed_ = 0;
};

} // namespace

bool launchesKernel(const XtrunOptions &options) {
  return !options.kernel.empty() || !options.args.empty() || !options.outs.empty() || !options.expects.empty();
}

Result<std::string> commandTest(const XtrunOptions &options, const Module &module, const std::string &file) {
  std::vector<std::string> names;
  const Kernel *kernel = nullptr;
  for (const auto &k : module.kernels) {
    if (k->name.find('$') != std::string::npos) continue; // made by a test
    names.push_back("@" + k->name);
    std::string wanted = options.kernel.starts_with("@") ? options.kernel.substr(1) : options.kernel;
    if (k->name == wanted || (wanted.empty() && !kernel)) kernel = k.get();
  }
  if (names.empty()) return problem("there is no kernel in " + file);
  if (!kernel) return problem(str("no kernel of ", file, " is called `", options.kernel, "`; there are ", join(names, ", ")));
  if (options.kernel.empty() && names.size() > 1)
    return problem(str("--kernel is missing: ", file, " has ", join(names, ", ")));
  return CommandTest(options, *kernel).text(file);
}

} // namespace xt
