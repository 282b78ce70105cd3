// Where the content of a kernel's buffer comes from, as the command line says it: --arg B=random:7:1024x512xf16.
#pragma once
#include "ir/base/result.h"
#include "ir/type.h"

#include <optional>
#include <string>

namespace xt {

// What stands behind the colons: a seed, then a shape.
struct SourceText {
  std::string what; // "random", "ints(-4, 4)", "a.npy"
  std::optional<int64_t> seed;
  std::optional<std::vector<int64_t>> shape;
  std::optional<Elem> elem; // of the shape, where it is written
};
// Takes "what[:seed][:shape]" apart, the shape as 1024x512 or 1024x512xf16. A lone number is the shape if `rankOne`,
// else the seed. Whatever is neither stays in `what`.
SourceText splitSource(const std::string &text, bool rankOne);

struct BufferSource {
  std::string initializer; // of a test block: `random(seed = 7)`, `load "a.npy"`; empty for a plain `out`
  std::vector<int64_t> shape;
  Elem elem = Elem::F32;
};

// A mistake of the command line: an Error of kind Diagnosed that carries its text, for a usage error.
inline Error usageMistake(std::string text) { return {Error::Kind::Diagnosed, std::move(text)}; }

// Reads `--arg name=text` for a memref, or for an i64 that takes an address (then text says shape and type).
//   x.npy          the file's shape, and its type
//   random[:seed]  ints[:seed] iota identity zeros fill(v) out, or any initialiser of test blocks with its arguments
// `index` numbers the buffers: the seed where none is given. Paths start at `folder`.
// The Error is usageMistake's, or of the environment for a file that cannot be read.
Result<BufferSource> bufferSource(const std::string &name, const std::string &text, Type param, int index,
                                  const std::string &folder);
// The source of an output that starts poisoned: `--out name=path:1024x512`, or a static parameter. `shape`: of what is
// expected of it, where the text and the parameter say none.
Result<BufferSource> outSource(const std::string &name, const SourceText &text, Type param,
                               const std::optional<std::vector<int64_t>> &shape);

// "folder/path", or the path itself where it is absolute or there is no folder.
std::string pathIn(const std::string &folder, const std::string &path);

} // namespace xt
