// Parses the initial content of a kernel's buffer from the command line: --arg B=random:7:1024x512xf16.
#pragma once
#include "ir/base/result.h"
#include "ir/elem_kinds.h"
#include "ir/type.h"

#include <optional>
#include <string>

namespace xt {

// The parts between the colons: the initialiser, a seed, a shape.
struct SourceText {
  std::string what; // "random", "ints(-4, 4)", "a.npy"
  std::optional<int64_t> seed;
  std::optional<std::vector<int64_t>> shape;
  std::optional<Elem> elem; // given after the shape
};
// Splits "what[:seed][:shape]", with the shape as 1024x512 or 1024x512xf16. A single number is the shape if `rankOne`
// is set, else the seed. Any other part stays in `what`.
SourceText splitSource(const std::string &text, bool rankOne);

struct BufferSource {
  std::string initializer; // as in a test block: `random(seed = 7)`, `load "a.npy"`; empty for a plain `out`
  std::vector<int64_t> shape;
  Elem elem = Elem::F32;
};

// A command-line error: an Error of kind Diagnosed that carries the text of the usage error.
inline Error usageMistake(std::string text) { return {Error::Kind::Diagnosed, std::move(text)}; }

// Parses `--arg name=text` for a memref, or for an i64 or u64 that takes an address (then `text` must give shape and type).
//   x.npy          the file's shape, and its type
//   random[:seed]  ints[:seed] iota identity zeros fill(v) out, or any initialiser of test blocks with its arguments
// `index` numbers the buffers and is the default seed. Paths are relative to `folder`. The Error is usageMistake's,
// or (environment) for a file that cannot be read.
Result<BufferSource> bufferSource(const std::string &name, const std::string &text, Type param, int index,
                                  const std::string &folder);
// The source of an output that starts with poison: from `--out name=path:1024x512`, or a static parameter. `shape` is
// the shape of the expected content, used where neither the text nor the parameter gives one.
Result<BufferSource> outSource(const std::string &name, const SourceText &text, Type param,
                               const std::optional<std::vector<int64_t>> &shape);

// "folder/path", or the path itself if it is absolute or the folder is empty.
std::string pathIn(const std::string &folder, const std::string &path);

} // namespace xt
