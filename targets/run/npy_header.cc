#include "targets/run/npy_header.h"

#include "ir/base/text.h"

#include <charconv>

namespace xt {

namespace {
constexpr size_t kMaxRank = 32; // numpy's own limit

class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Result<NpyHeader> parse() {
    NpyHeader header;
    bool seen[3] = {};
    if (!take('{')) return wrong("'{'");
    while (!take('}')) {
      std::string key;
      if (!quoted(key)) return wrong("a key in quotes or '}'");
      if (!take(':')) return wrong("':'");
      size_t which = key == "descr" ? 0 : key == "fortran_order" ? 1 : 2;
      if (seen[which] && (which != 2 || key == "shape"))
        return Error::environment(str("the header has the key '", key, "' twice"));
      if (key == "descr") {
        if (!quoted(header.descr)) return Error::environment("its elements are records, but only plain numbers can be read");
        seen[0] = true;
      } else if (key == "fortran_order") {
        if (word("True"))
          header.fortran = true;
        else if (!word("False"))
          return wrong("True or False");
        seen[1] = true;
      } else if (key == "shape") {
        if (!shape(header.shape)) return wrong("a shape such as (3, 4)");
        seen[2] = true;
      } else {
        return Error::environment(str("unknown key '", key, "' in the header"));
      }
      if (!take(',') && peek() != '}') return wrong("',' or '}'");
    }
    peek();
    if (at_ < text_.size()) return Error::environment(str("its header has text after the '}', at byte ", at_));
    if (!seen[0] || !seen[1] || !seen[2])
      return Error::environment(str("the header does not have '",
                                    !seen[0]   ? "descr"
                                    : !seen[1] ? "fortran_order"
                                               : "shape",
                                    "'"));
    return header;
  }

private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    peek();
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }
  bool quoted(std::string &out) {
    char quote = peek();
    if (quote != '\'' && quote != '"') return false;
    size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }
  bool shape(std::vector<int64_t> &out) {
    if (!take('(')) return false;
    bool comma = false;
    while (!take(')')) {
      if (peek() == '-') return false;
      int64_t extent = 0;
      auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0 || out.size() == kMaxRank) return false;
      at_ = static_cast<size_t>(end - text_.data());
      take('L'); // Python 2 wrote long integers with this suffix
      out.push_back(extent);
      bool here = take(',');
      comma |= here;
      if (!here && peek() != ')') return false;
    }
    return comma || out.empty(); // (3) is not a tuple, (3,) is
  }
  Error wrong(std::string_view expected) {
    return Error::environment(str("its header is not well formed: expected ", expected, " at byte ", at_));
  }

  std::string_view text_;
  size_t at_ = 0;
};
} // namespace

Result<NpyHeader> parseNpyHeader(std::string_view text) { return HeaderParser(text).parse(); }

std::string npyHead(std::string_view descr, std::span<const int64_t> shape) {
  std::string tuple = "(" + join(shape, ", ") + (shape.size() == 1 ? ",)" : ")");
  std::string dictionary = str("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", tuple, ", }");
  constexpr size_t kPrefix = 10; // magic, version, length
  size_t total = (kPrefix + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(total - kPrefix - 1, ' ');
  dictionary += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(dictionary.size() & 0xFF);
  head += static_cast<char>(dictionary.size() >> 8);
  return head + dictionary;
}

} // namespace xt
