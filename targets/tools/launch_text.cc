#include "targets/tools/launch_text.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/print.h"
#include "targets/run/npy.h"
#include "targets/tools/buffer_source.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace xt {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

const std::string *find(const Pairs &pairs, const std::string &name) {
  for (const auto &[key, value] : pairs)
    if (key == name) return &value;
  return nullptr;
}

std::optional<int64_t> integerOf(const std::string &text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}
std::optional<double> numberOf(const std::string &text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string memrefText(const std::vector<int64_t> &shape, Elem elem, const MemoryLayout &memory) {
  return str("memref<", join(shape, "x"), "x", elemName(elem), memoryText(memory), ">");
}

class LaunchText {
public:
  LaunchText(const XtrunOptions &options, const Kernel &kernel) : options_(options), kernel_(kernel) {}

  Result<std::string> text(const std::string &file) {
    for (const Result<void> &checked : {knownNames(), tolerance(), grid()})
      if (!checked) return checked.error();
    std::string launch;
    for (size_t i = 0; i < kernel_.paramCount; ++i) {
      Result<std::string> argument = argumentText(*kernel_.param(i));
      if (!argument) return argument.error();
      launch += (i ? ", " : "") + *argument;
    }
    return str("import ", quotedText(file), "\ntest ", quotedText("@" + kernel_.name), " {\n", buffers_, "  launch ",
               symbolText(kernel_.name), "(", launch, ")", gridText_, "\n", checks_, saves_, "}\n");
  }

private:
  Result<void> knownNames() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < kernel_.paramCount; ++i) names.push_back(kernel_.param(i)->name());
    for (const Pairs *pairs : {&options_.args, &options_.outs, &options_.expects})
      for (const auto &[name, value] : *pairs)
        if (std::find(names.begin(), names.end(), name) == names.end())
          return usageMistake(str("@", kernel_.name, " has no parameter `", name, "`; it has ", join(names, ", ")));
    return {};
  }

  Result<void> tolerance() {
    std::vector<std::string> parts;
    for (const auto &[name, value] : options_.tolerances) {
      std::optional<double> number = numberOf(value);
      if (!number || !(*number >= 0) || std::isinf(*number))
        return usageMistake(str("--", name, " takes a non-negative number, not `", value, "`"));
      parts.push_back(str(name, " = ", floatText(*number)));
      if (name == "ulp" && options_.tolerances.size() > 1)
        return usageMistake("--ulp cannot be combined with --rtol or --atol");
    }
    if (!parts.empty()) tolerance_ = " within " + join(parts, ", ");
    return {};
  }

  Result<void> grid() {
    if (options_.grid.empty()) return {};
    if (!kernel_.grid.empty()) return usageMistake(str("@", kernel_.name, " declares its own grid, so --grid is not allowed"));
    if (options_.grid.size() > 3) return usageMistake("--grid takes up to three numbers, such as 4,2,1");
    for (const std::string &extent : options_.grid)
      if (std::optional<int64_t> count = integerOf(extent); !count || *count < 0)
        return usageMistake(str("--grid takes numbers of workgroups, not `", extent, "`"));
    gridText_ = " grid (" + join(options_.grid, ", ") + ")";
    return {};
  }

  Result<std::string> argumentText(const Value &param) {
    const std::string *given = find(options_.args, param.name());
    bool memref = param.type().isMemRef();
    bool address = param.type().isAddress() && given && !integerOf(*given);
    if (memref) return bufferText(param, given);
    if (address && !numberOf(*given)) {
      Result<std::string> buffer = bufferText(param, given);
      return buffer ? str("address(", *buffer, ")") : buffer;
    }
    for (const Pairs *pairs : {&options_.outs, &options_.expects})
      if (find(*pairs, param.name()))
        return usageMistake(str(param.name(), " is ", shapedText(param.type()), ": only buffers can be outputs"));
    if (!given) return missing(param, "");
    return scalarText(param, *given);
  }

  Error missing(const Value &param, std::string_view orOut) const {
    return usageMistake(
        str("--arg ", param.name(), "=…", orOut, " is missing: @", kernel_.name, " takes ", shapedText(param.type())));
  }

  Result<std::string> scalarText(const Value &param, const std::string &given) const {
    Elem elem = param.type().elem();
    auto wrong = [&](const std::string &why) {
      return usageMistake(str("--arg ", param.name(), "=", given, ": ", why, " for ", shapedText(param.type())));
    };
    std::optional<int64_t> integer = integerOf(given);
    if (integer && isInteger(elem)) {
      bool fits = elem == Elem::U64 ? *integer >= 0 : fitsInteger(elem, *integer);
      return fits ? Result<std::string>(given) : wrong("out of range");
    }
    if (uint64_t wide = 0;
        elem == Elem::U64 &&
        std::from_chars(given.data(), given.data() + given.size(), wide).ptr == given.data() + given.size() && wide != 0)
      return given;
    std::optional<double> number = numberOf(given);
    if (!number) return wrong("this is not a number");
    if (isInteger(elem)) return wrong(*number == std::rint(*number) ? "out of range" : "this is not an integer");
    return floatText(*number);
  }

  // Adds the statements that define, check and save a buffer. Returns its name, which is the argument of the launch.
  Result<std::string> bufferText(const Value &param, const std::string *given) {
    const std::string &name = param.name();
    const std::string *out = find(options_.outs, name), *expect = find(options_.expects, name);
    if (!given && !out && !expect) return missing(param, str(" or --out ", name, "=…"));
    std::optional<NpyHeader> expected;
    if (expect) {
      Result<NpyHeader> header = readNpyHeader(pathIn(options_.dataDir, *expect));
      if (!header) return header.error();
      expected = std::move(*header);
    }
    SourceText outText = splitSource(out ? *out : "", true);
    Result<BufferSource> source =
        given ? bufferSource(name, *given, param.type(), ++buffer_, options_.dataDir)
              : outSource(name, outText, param.type(), expected ? std::optional(expected->shape) : std::nullopt);
    if (!source) return source.error();
    if (given && outText.shape && *outText.shape != source->shape)
      return usageMistake(
          str("--arg gives ", name, " the shape ", shapeText(source->shape), ", but --out gives ", shapeText(*outText.shape)));
    MemoryLayout memory = param.type().isMemRef() ? param.type().data().memory : MemoryLayout{};
    buffers_ += str("  %", name, " = ", source->initializer, " : ", memrefText(source->shape, source->elem, memory), "\n");
    if (expected)
      if (Result<void> added = addCheck(name, *source, *expect, *expected); !added) return added.error();
    if (out) saves_ += str("  save %", name, " ", quotedText(outText.what), "\n");
    return "%" + name;
  }

  Result<void> addCheck(const std::string &name, const BufferSource &source, const std::string &path, const NpyHeader &header) {
    // A reference may have a wider type than the buffer that is compared with it.
    Elem elem = source.elem;
    if (std::optional<Elem> own = npyElem(header); !npyHolds(header, elem) && own && isFloat(*own) && isFloat(elem))
      elem = *own;
    if (!npyHolds(header, elem) || header.shape != source.shape)
      return usageMistake(
          str(path, " holds ", npyText(header), ", but ", name, " is ", shapeText(source.shape), "x", elemName(source.elem)));
    std::string expected = name + "_expected";
    auto taken = [&](const std::string &text) {
      for (size_t i = 0; i < kernel_.paramCount; ++i)
        if (kernel_.param(i)->name() == text) return true;
      return false;
    };
    while (taken(expected)) expected += "_";
    buffers_ += str("  %", expected, " = load ", quotedText(path), " : ", memrefText(header.shape, elem, {}), "\n");
    checks_ += str("  check %", name, " == %", expected, tolerance_.empty() ? " exactly" : tolerance_, "\n");
    return {};
  }

  const XtrunOptions &options_;
  const Kernel &kernel_;
  std::string buffers_, checks_, saves_, tolerance_, gridText_;
  int buffer_ = 0;
};

} // namespace

bool launchesKernel(const XtrunOptions &options) {
  return !options.kernel.empty() || !options.args.empty() || !options.outs.empty() || !options.expects.empty();
}

Result<std::string> launchText(const XtrunOptions &options, const Module &module, const std::string &file) {
  Result<const Kernel *> kernel = kernelNamed(module, options.kernel, file);
  if (!kernel) return kernel.error();
  return LaunchText(options, **kernel).text(file);
}

Result<const Kernel *> kernelNamed(const Module &module, const std::string &name, const std::string &file) {
  std::string wanted = name.starts_with("@") ? name.substr(1) : name;
  std::vector<std::string> names;
  const Kernel *found = nullptr;
  for (const auto &kernel : module.kernels) {
    if (kernel->name.find('$') != std::string::npos) continue; // specialised for a test
    names.push_back("@" + kernel->name);
    if (kernel->name == wanted || (wanted.empty() && !found)) found = kernel.get();
  }
  if (names.empty()) return usageMistake("no kernel in " + file);
  if (!found) return usageMistake(str("no kernel of ", file, " is called `", name, "`; there are ", join(names, ", ")));
  if (wanted.empty() && names.size() > 1) return usageMistake(str("--kernel is missing: ", file, " has ", join(names, ", ")));
  return found;
}

} // namespace xt
