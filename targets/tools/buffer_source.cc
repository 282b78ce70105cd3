#include "targets/tools/buffer_source.h"

#include "ir/base/text.h"
#include "ir/host.h"
#include "ir/print.h"
#include "targets/run/npy.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace xt {
namespace {

using Shape = std::vector<int64_t>;

// Parses "1024x512" or "1024x512xf16".
bool readShape(std::string_view text, Shape &shape, std::optional<Elem> &elem) {
  while (!text.empty()) {
    if (text[0] < '0' || text[0] > '9') {
      elem = elemFromName(text);
      return elem && !shape.empty();
    }
    int64_t extent = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc()) return false;
    shape.push_back(extent);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty()) return true;
    if (text[0] != 'x') return false;
    text.remove_prefix(1);
  }
  return false;
}

// Why a shape or type does not match the parameter; empty if it does.
std::string misfit(const Shape &shape, Elem elem, Type param) {
  if (elem != param.elem()) return str("it holds ", elemName(elem));
  if (shape.size() != param.shape().size())
    return shape.empty() ? "it is a single number" : str("its rank is ", shape.size(), ": ", shapeText(shape));
  for (size_t d = 0; d < shape.size(); ++d)
    if (param.shape()[d] != kDynamic && param.shape()[d] != shape[d]) return "it is " + shapeText(shape);
  return "";
}

Result<BufferSource> checked(const std::string &name, const std::string &text, Type param, BufferSource source) {
  if (!param.isMemRef()) return source;
  std::string why = misfit(source.shape, source.elem, param);
  if (why.empty()) return source;
  return usageMistake(str("`", text, "` does not fit ", name, ", which is ", shapedText(param), ": ", why));
}

// Accepts a word, a word followed by one pair of parentheses, or `from (i, j) => …`, with numbers, names and
// arithmetic. The text becomes part of a statement, so it must not contain anything that ends the statement.
bool isOneExpression(std::string_view what) {
  auto inWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  size_t word = 0, depth = 0, closed = 0; // closed: the end of the first pair of parentheses
  while (word < what.size() && inWord(what[word])) ++word;
  if (word == 0 || what.find("//") != std::string_view::npos) return false;
  for (size_t at = word; at < what.size(); ++at) {
    char c = what[at];
    if (!inWord(c) && std::string_view(" (),.+-*=/$<>!").find(c) == std::string_view::npos) return false;
    if (c == '(') ++depth;
    if (c == ')' && depth-- == 0) return false;
    if (c == ')' && depth == 0 && closed == 0) closed = at + 1;
  }
  if (depth != 0) return false;
  return what.substr(0, word) == "from" || word == what.size() || (what[word] == '(' && closed == what.size());
}

bool isInitializer(const std::string &what) {
  std::string word = what.substr(0, what.find_first_of("( "));
  const HostFnInfo *fn = findHostFn(word, true);
  return fn && fn->fn != HostFn::Load;
}

// The initialiser as in a test block: a bare word gets the arguments that it needs.
Result<std::string> initializerText(const SourceText &source, int index) {
  if (!isOneExpression(source.what))
    return usageMistake(str(
        "`", source.what, "` is not an initialiser: write a name, or a name with arguments in parentheses, such as fill(1.5)"));
  int64_t seed = source.seed.value_or(index);
  if (source.what == "random") return str("random(seed = ", seed, ")");
  if (source.what == "ints") return str("ints(-4, 4, seed = ", seed, ")");
  if (source.seed && source.what.ends_with(")"))
    return usageMistake(str("`", source.what, ":", seed, "`: write the seed inside the parentheses, seed = ", seed));
  if (source.seed) return usageMistake(str("`", source.what, "` takes no seed; only random and ints do"));
  if (source.what == "zeros") return std::string("fill(0)");
  if (source.what == "fill") return usageMistake("`fill` needs a value: fill(1.5), or zeros");
  return source.what;
}

Result<BufferSource> fromFile(const std::string &name, const std::string &text, const SourceText &source, Type param,
                              const std::string &folder) {
  Result<NpyHeader> header = readNpyHeader(pathIn(folder, source.what));
  if (!header) return header.error();
  if (source.seed) return usageMistake(str("`", text, "`: a file takes no seed"));
  std::optional<Elem> elem = source.elem;
  if (!elem) elem = param.isMemRef() ? param.elem() : npyElem(*header);
  if (!elem || !npyHolds(*header, *elem) || (source.shape && *source.shape != header->shape))
    return usageMistake(str(source.what, " holds ", npyText(*header), ", not ",
                            source.shape ? shapeText(*source.shape) + "x" : "",
                            elem ? elemName(*elem) : "an element type of xt", " for ", name));
  return checked(name, text, param, {"load " + quotedText(source.what), header->shape, *elem});
}

bool isInteger(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Takes `ints:-3:3:13x9` as `ints(-3, 3):13x9`; empty for other texts.
std::string boundsWithColon(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(':', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  Shape shape;
  std::optional<Elem> elem;
  bool bounds = parts.size() == 4 && parts[0] == "ints" && isInteger(parts[1]) && isInteger(parts[2]);
  if (!bounds || !readShape(parts[3], shape, elem)) return {};
  return str("ints(", parts[1], ", ", parts[2], "):", parts[3]);
}

// Accepts values without parentheses, before or after the shape: `fill:2:4x4xf32` and `fill:4x4xf32:2` are `fill(2):4x4xf32`,
// `ints:-3,3:4x4` and `ints:-3:3:4x4` are `ints(-3, 3):4x4`, and `random:4x4:7` has the seed 7.
std::string shapeLast(const std::string &text) {
  if (std::string mended = boundsWithColon(text); !mended.empty()) return mended;
  size_t first = text.find(':'), second = first == std::string::npos ? first : text.find(':', first + 1);
  if (second == std::string::npos || text.find(':', second + 1) != std::string::npos) return text;
  std::string word = text.substr(0, first), middle = text.substr(first + 1, second - first - 1),
              values = text.substr(second + 1);
  Shape shape, none;
  std::optional<Elem> elem, other;
  bool takesValues = word == "fill" || middle.find(',') != std::string::npos;
  if (isInitializer(word) && takesValues && readShape(values, none, other) && (none.size() > 1 || other))
    return str(word, "(", middle, "):", values);
  bool isShape = readShape(middle, shape, elem) && (shape.size() > 1 || elem);
  if (!isShape || !isInitializer(word) || values.empty() || (readShape(values, none, other) && (none.size() > 1 || other)))
    return text;
  bool seed = (word == "random" || word == "ints") && values.find(',') == std::string::npos;
  return seed ? str(word, ":", values, ":", middle) : str(word, "(", values, "):", middle);
}

} // namespace

std::string pathIn(const std::string &folder, const std::string &path) {
  if (folder.empty() || path.starts_with("/")) return path;
  return folder + (folder.back() == '/' ? "" : "/") + path;
}

SourceText splitSource(const std::string &text, bool rankOne) {
  SourceText source{text, {}, {}, {}};
  size_t colon = text.rfind(':');
  if (colon == std::string::npos) return source;
  Shape shape;
  std::optional<Elem> elem;
  if (!readShape(std::string_view(text).substr(colon + 1), shape, elem)) return source;
  bool number = shape.size() == 1 && !elem;
  source.what = text.substr(0, colon);
  Shape before;
  std::optional<Elem> none;
  size_t second = source.what.rfind(':');
  if (second != std::string::npos && readShape(std::string_view(source.what).substr(second + 1), before, none) &&
      before.size() == 1 && !none) {
    source.seed = before[0];
    source.what.resize(second);
  } else if (number && !rankOne) {
    source.seed = shape[0];
    return source;
  }
  source.shape = std::move(shape);
  source.elem = elem;
  return source;
}

Result<BufferSource> bufferSource(const std::string &name, const std::string &text, Type param, int index,
                                  const std::string &folder) {
  bool memref = param.isMemRef();
  SourceText source = splitSource(shapeLast(text), memref && param.rank() == 1 && !param.hasStaticShape());
  if (source.what.ends_with(".npy")) return fromFile(name, text, source, param, folder);
  if (source.what != "zeros" && !isInitializer(source.what)) {
    size_t colon = source.what.rfind(':');
    if (colon != std::string::npos && isInitializer(source.what.substr(0, colon)))
      return usageMistake(str("`", source.what.substr(colon + 1), "` is not a shape for ", name, ", which is ",
                              shapedText(param), ": write 1024x512 or 1024x512xf16"));
    return usageMistake(str("`", text, "` is not a content for ", name, ", which is ", shapedText(param),
                            ": give a .npy file, or random, ints, fill(v), zeros, iota, identity with a shape, such as "
                            "random:1024x512"));
  }
  Result<std::string> initializer = initializerText(source, index);
  if (!initializer) return initializer.error();
  if (!memref && !(source.shape && source.elem))
    return usageMistake(
        str("give the shape and type of the buffer whose address ", name, " takes: --arg ", name, "=", text, ":1024xf16"));
  if (!source.shape && !param.hasStaticShape())
    return usageMistake(str("the shape of ", name, " is not known: write it after a colon, such as --arg ", name, "=", text,
                            ":", join(std::vector<int>(param.shape().size(), 1024), "x")));
  BufferSource out{*initializer, {}, source.elem.value_or(param.elem())};
  if (source.shape)
    out.shape = *source.shape;
  else
    out.shape.assign(param.shape().begin(), param.shape().end());
  return checked(name, text, param, std::move(out));
}

Result<BufferSource> outSource(const std::string &name, const SourceText &text, Type param, const std::optional<Shape> &shape) {
  BufferSource source{"out", {}, text.elem.value_or(param.elem())};
  if (text.shape)
    source.shape = *text.shape;
  else if (param.hasStaticShape())
    source.shape.assign(param.shape().begin(), param.shape().end());
  else if (shape)
    source.shape = *shape;
  else
    return usageMistake(str("the shape of ", name, " is not known: write it after a colon, such as --out ", name, "=",
                            text.what, ":", join(std::vector<int>(param.shape().size(), 1024), "x")));
  return checked(name, "--out " + name, param, std::move(source));
}

} // namespace xt
