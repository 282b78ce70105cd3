#include "targets/run/npy.h"

#include "ir/base/input_file.h"
#include "ir/base/output_file.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/run/npy_header.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace xt {

namespace {
constexpr uint32_t kMaxHeaderBytes = 1 << 20; // numpy itself rejects more than 10000 by default

std::string causeText(int code) { return std::strerror(code); }
Error fileError(const std::string &path, const std::string &text) { return Error::environment(path + ": " + text); }

// A file descriptor that is closed on destruction.
class File {
public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  int fd() const { return fd_; }

  // Reads exactly `bytes` bytes; false at the end of the file or on an error (then errno is not 0).
  bool read(void *to, int64_t bytes) {
    auto *at = static_cast<char *>(to);
    errno = 0;
    while (bytes > 0) {
      ssize_t got = ::read(fd_, at, static_cast<size_t>(std::min<int64_t>(bytes, 1 << 30)));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      bytes -= got;
    }
    return true;
  }

private:
  int fd_;
};

// Reads the magic, the version, the length and the dictionary.
Result<NpyHeader> readHeader(File &file, const std::string &path) {
  unsigned char prefix[12] = {};
  if (!file.read(prefix, 8)) {
    if (errno) return fileError(path, "cannot be read: " + causeText(errno));
    return fileError(path, "is not a .npy file: it has fewer than 8 bytes");
  }
  if (std::memcmp(prefix, "PK\x03\x04", 4) == 0)
    return fileError(path, "is a .npz archive of several arrays: unpack it and use one of the .npy files");
  if (std::memcmp(prefix, "\x93NUMPY", 6) != 0) return fileError(path, "is not a .npy file: it does not start with \\x93NUMPY");
  int major = prefix[6];
  if (major < 1 || major > 3)
    return fileError(path, str("has .npy version ", major, ".", int{prefix[7]}, "; versions 1, 2 and 3 can be read"));
  int lengthBytes = major == 1 ? 2 : 4;
  if (!file.read(prefix + 8, lengthBytes)) return fileError(path, "ends within its header");
  uint32_t length = prefix[8] | static_cast<uint32_t>(prefix[9]) << 8;
  if (lengthBytes == 4) length |= static_cast<uint32_t>(prefix[10]) << 16 | static_cast<uint32_t>(prefix[11]) << 24;
  if (length > kMaxHeaderBytes)
    return fileError(path, str("claims a header of ", length, " bytes; at most ", kMaxHeaderBytes, " are read"));
  std::string text(length, '\0');
  if (!file.read(text.data(), length)) return fileError(path, "ends within its header");
  auto header = parseNpyHeader(text);
  if (!header) return fileError(path, header.error().message);
  header->dataOffset = 8 + lengthBytes + length;
  return header;
}

std::string arrayText(std::span<const int64_t> shape, std::string_view type) {
  return str(shape.empty() ? "a scalar" : shapeText(shape), " of ", type);
}

// "<f4" without its byte order; empty if the text is not a type string.
std::string_view kindAndSize(std::string_view descr) {
  bool good = descr.size() >= 3 && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
  return good ? descr.substr(1) : std::string_view();
}

// Describes the content of dtypes that correspond to no element type.
std::string_view foreignKind(std::string_view descr) {
  if (descr.size() < 2) return "";
  switch (descr[1]) {
  case 'c': return "complex numbers";
  case 'O': return "Python objects";
  case 'S':
  case 'a':
  case 'U': return "text";
  case 'M': return "dates";
  case 'm': return "durations";
  case 'f': return descr.size() == 3 ? "" : "floats in a non-standard format";
  default: return "";
  }
}

// numpy has no floats of these widths: ml_dtypes' types are bytes without a kind.
bool isNarrowFloat(Elem elem) { return elemInfo(elem).isFloat && elemInfo(elem).bits <= 8; }

void swapBytes(std::byte *data, int64_t count, int64_t size) {
  for (int64_t i = 0; i < count; ++i) std::reverse(data + i * size, data + (i + 1) * size);
}

// For types narrower than their storage byte: a value that does not fit is an error and is not truncated.
Result<void> checkNarrow(const RawArray &array, const std::string &path) {
  const ElemInfo &info = elemInfo(array.elem);
  if (info.bits >= 8) return {};
  bool isSigned = !info.isFloat && !info.isUnsigned; // the bits of a float are a number from 0 on
  for (int64_t i = 0; i < array.count(); ++i) {
    auto byte = static_cast<uint8_t>(array.bytes[i]);
    int value = isSigned ? static_cast<int8_t>(byte) : byte;
    if (isSigned ? !fitsInteger(array.elem, value) : value >> info.bits != 0)
      return fileError(path, str("element ", indexText(indexOf(i, array.sizes)), " is ", value, ", which ",
                                 elemName(array.elem), " cannot hold"));
  }
  return {};
}

// The elements at the lowest indices, in C order. In Fortran order the first index varies fastest in the file.
Result<RawArray> rearranged(const RawArray &file, bool fortran, std::span<const int64_t> shape, MemoryBudget &budget,
                            const std::string &path, int threads) {
  auto array = RawArray::make(budget, {shape.begin(), shape.end()}, file.elem, path);
  if (!array) return array;
  std::vector<int64_t> strides = denseStrides(file.sizes);
  if (fortran)
    for (size_t d = 0; d < strides.size(); ++d) strides[d] = d == 0 ? 1 : strides[d - 1] * file.sizes[d - 1];
  copyStrided(shape, file.elemBytes(), file.bytes.data(), strides, array->bytes.data(), denseStrides(shape), threads);
  return array;
}

bool covers(std::span<const int64_t> file, std::span<const int64_t> shape) {
  return std::ranges::equal(file, shape, [](int64_t has, int64_t wanted) { return has >= wanted; });
}
} // namespace

std::string npyDescr(Elem elem) {
  const ElemInfo &info = elemInfo(elem);
  char order = info.storageBytes == 1 ? '|' : '<';
  char kind = info.isFloat ? 'f' : info.isUnsigned ? 'u' : 'i';
  if (elem == Elem::I1) kind = 'b';
  if (elem == Elem::BF16 || isNarrowFloat(elem)) kind = 'V';
  return str(order, kind, info.storageBytes);
}

bool npyHolds(const NpyHeader &header, Elem elem) {
  std::string_view type = kindAndSize(header.descr);
  if (type.empty()) return false;
  if (type == kindAndSize(npyDescr(elem))) return true;
  if (elem == Elem::I1) return type == "i1" || type == "u1";
  if (elem == Elem::I4 || elem == Elem::U4) return type == "V1";
  if (isNarrowFloat(elem)) return type == "V1" || type == "u1" || type == "f1";
  return elem == Elem::BF16 && (type == "V2" || type == "u2");
}

std::optional<Elem> npyElem(const NpyHeader &header) {
  std::string_view type = kindAndSize(header.descr);
  for (Elem elem : {Elem::I1, Elem::I8, Elem::I16, Elem::I32, Elem::I64, Elem::U8, Elem::U16, Elem::U32, Elem::U64, Elem::F16,
                    Elem::F32, Elem::F64})
    if (!type.empty() && type == kindAndSize(npyDescr(elem))) return elem;
  return std::nullopt;
}

std::string npyText(const NpyHeader &header) {
  std::string_view kind = foreignKind(header.descr);
  return arrayText(header.shape, str("numpy type '", header.descr, "'", kind.empty() ? "" : str(" (", kind, ")")));
}

Result<NpyHeader> readNpyHeader(const std::string &path) {
  Result<int> opened = openInputFile(path);
  if (!opened) return opened.error();
  File file(*opened);
  return readHeader(file, path);
}

Result<RawArray> readNpy(const std::string &path, std::span<const int64_t> shape, Elem elem, MemoryBudget &budget, int threads,
                         bool corner) {
  Result<int> opened = openInputFile(path);
  if (!opened) return opened.error();
  File file(*opened);
  auto header = readHeader(file, path);
  if (!header) return header.error();
  bool same = std::ranges::equal(header->shape, shape);
  if (!npyHolds(*header, elem) || !(same || (corner && covers(header->shape, shape))))
    return fileError(path, str("holds ", npyText(*header), ", but the buffer is ", arrayText(shape, elemName(elem)), " ('",
                               npyDescr(elem), "')"));
  auto array = RawArray::make(budget, header->shape, elem, path);
  if (!array) return array;
  if (!file.read(array->bytes.data(), array->bytes.count())) {
    if (errno) return fileError(path, "cannot be read: " + causeText(errno));
    struct stat status{};
    int64_t size = ::fstat(file.fd(), &status) == 0 ? static_cast<int64_t>(status.st_size) : 0;
    return fileError(path, str("is truncated: ", arrayText(header->shape, elemName(elem)), " takes ", array->bytes.count(),
                               " bytes after the header, but the file has ", std::max<int64_t>(0, size - header->dataOffset)));
  }
  struct stat whole{};
  if (::fstat(file.fd(), &whole) == 0 && S_ISREG(whole.st_mode) && whole.st_size > header->dataOffset + array->bytes.count())
    return fileError(path, str("has ", whole.st_size - header->dataOffset - array->bytes.count(), " bytes after its elements, ",
                               arrayText(header->shape, elemName(elem))));
  bool raw = header->descr[1] == 'V'; // raw bytes have no byte order
  if (header->descr[0] == '>' && !raw) swapBytes(array->bytes.data(), array->count(), array->elemBytes());
  if (auto narrow = checkNarrow(*array, path); !narrow) return narrow.error();
  if (same && (!header->fortran || shape.size() < 2)) return array;
  return rearranged(*array, header->fortran, shape, budget, path, threads);
}

Result<void> writeNpy(const std::string &path, const RawArray &array) {
  std::string head = npyHead(npyDescr(array.elem), array.sizes);
  std::string_view data(reinterpret_cast<const char *>(array.bytes.data()), static_cast<size_t>(array.bytes.count()));
  return writeOutputFile(path, {head, data});
}

} // namespace xt
