// Fuzzes .npy files. The first byte of an input determines the kind of the rest: a whole file, a header's dictionary, or a
// dictionary and data for which a matching preamble is added.
#include "ir/elem_kinds.h"
#include "tests/fuzz/bytes.h"
#include "tests/fuzz/crash.h"

#include "targets/run/npy.h"
#include "targets/run/npy_header.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace xt;

namespace {

std::string withHead(std::string_view input, bool large) {
  size_t line = std::min(input.find('\n'), input.size());
  std::string_view dictionary = input.substr(0, line);
  std::string file = large ? std::string("\x93NUMPY\x02\x00", 8) : std::string("\x93NUMPY\x01\x00", 8);
  for (int byte = 0; byte < (large ? 4 : 2); ++byte) file += static_cast<char>(dictionary.size() >> (8 * byte) & 0xff);
  file += dictionary;
  return file += input.substr(std::min(line + 1, input.size()));
}

// A file in memory, whose path is under /proc.
class FileInMemory {
public:
  explicit FileInMemory(std::string_view bytes)
      : fd_(memfd_create("input.npy", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(fd_)) {
    for (size_t at = 0; at < bytes.size();) {
      ssize_t put = ::write(fd_, bytes.data() + at, bytes.size() - at);
      if (put <= 0) fuzz::fail("cannot write a file in memory", path_);
      at += static_cast<size_t>(put);
    }
  }
  ~FileInMemory() { ::close(fd_); }
  FileInMemory(const FileInMemory &) = delete;
  FileInMemory &operator=(const FileInMemory &) = delete;
  const std::string &path() const { return path_; }

private:
  int fd_;
  std::string path_;
};

// Reads a file in every way: with its own type, with another type, and only a corner of it.
void read(const std::string &path) {
  Result<NpyHeader> header = readNpyHeader(path);
  if (!header) return;
  npyText(*header);
  MemoryBudget budget(int64_t{1} << 24);
  for (int e = 0; e < kElemCount; ++e) {
    Elem elem = static_cast<Elem>(e);
    if (!npyHolds(*header, elem)) continue;
    Result<RawArray> array = readNpy(path, header->shape, elem, budget, 1);
    if (array && array->sizes != header->shape) fuzz::fail("an array has another shape than its file", path);
    std::vector<int64_t> corner = header->shape;
    for (int64_t &extent : corner) extent -= extent / 2;
    (void)readNpy(path, corner, elem, budget, 1, true);
  }
  (void)readNpy(path, std::vector<int64_t>{2, 2}, Elem::F32, budget, 1);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  std::string_view rest = fuzz::textOf(data + 1, size - 1);
  if (data[0] % 4 == 1) {
    (void)parseNpyHeader(rest);
    return 0;
  }
  std::string made = data[0] % 4 == 0 ? std::string(rest) : withHead(rest, data[0] % 4 == 3);
  read(FileInMemory(made).path());
  return 0;
}
