#include "targets/run/npy.h"

#include "ir/elem_kinds.h"
#include "targets/run/npy_header.h"
#include "tests/temporary_folder.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace xt {
namespace {

class Npy : public ::testing::Test {
protected:
  std::string path(const std::string &name) const { return (folder_ / name).string(); }
  std::string put(const std::string &name, const std::string &bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string get(const std::string &name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  RawArray make(std::vector<int64_t> shape, Elem elem) {
    auto raw = RawArray::make(budget_, std::move(shape), elem, "test");
    EXPECT_TRUE(raw.ok());
    for (int64_t i = 0; i < raw->bytes.count(); ++i) raw->bytes[i] = static_cast<std::byte>(i * 37 + 11);
    if (elem == Elem::I1)
      for (std::byte &b : raw->bytes) b &= std::byte{1};
    if (elem == Elem::I4)
      for (int64_t i = 0; i < raw->count(); ++i) storeInteger(elem, &raw->bytes[i], i % 16 - 8);
    if (elem == Elem::U4 || elem == Elem::F4E2M1)
      for (std::byte &b : raw->bytes) b &= std::byte{15};
    if (elem == Elem::I4)
      for (std::byte &b : raw->bytes) b = static_cast<std::byte>(static_cast<int8_t>(loadInteger(elem, &b)));
    return std::move(*raw);
  }
  std::string errorOf(const std::string &file, std::vector<int64_t> shape, Elem elem) {
    auto raw = readNpy(file, shape, elem, budget_, 1);
    return raw ? "" : raw.error().message;
  }
  void expectError(const std::string &file, std::vector<int64_t> shape, Elem elem, const std::string &part) {
    EXPECT_NE(errorOf(file, shape, elem).find(part), std::string::npos) << errorOf(file, shape, elem);
  }
  // Returns the content of a file with a header of a given version and dictionary.
  static std::string fileText(int version, const std::string &dictionary, const std::string &data) {
    std::string head = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
    auto length = static_cast<uint32_t>(dictionary.size());
    for (int b = 0; b < (version == 1 ? 2 : 4); ++b) head += static_cast<char>(length >> (8 * b));
    return head + dictionary + data;
  }

  test::TemporaryFolder folder_;
  MemoryBudget budget_{int64_t{1} << 28};
};

TEST_F(Npy, EveryElementTypeRoundTrips) {
  for (int e = 0; e < kElemCount; ++e) {
    auto elem = static_cast<Elem>(e);
    for (std::vector<int64_t> shape : {std::vector<int64_t>{3, 5}, {7}, {}, {0, 4}, {2, 3, 4}}) {
      RawArray array = make(shape, elem);
      ASSERT_TRUE(writeNpy(path("a.npy"), array).ok());
      auto back = readNpy(path("a.npy"), shape, elem, budget_, 2);
      ASSERT_TRUE(back.ok()) << elemName(elem) << ": " << back.error().message;
      EXPECT_EQ(std::memcmp(back->bytes.data(), array.bytes.data(), static_cast<size_t>(array.bytes.count())), 0);
      EXPECT_EQ(std::filesystem::file_size(path("a.npy")) % 64, static_cast<size_t>(array.bytes.count()) % 64);
    }
  }
}

// The array is empty, and the product of its other extents overflows.
TEST_F(Npy, AnEmptyArrayMayHaveHugeExtents) {
  std::string file = put(
      "e.npy", fileText(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 5124349128, 1708116376000000, 3), }\n", ""));
  auto raw = readNpy(file, std::vector<int64_t>{0, 5124349128, 1708116376000000, 3}, Elem::U8, budget_, 1);
  ASSERT_TRUE(raw.ok()) << raw.error().message;
  EXPECT_EQ(raw->bytes.count(), 0);
}

TEST_F(Npy, VersionsOneToThree) {
  for (int version : {1, 2, 3}) {
    std::string file = put("v.npy", fileText(version, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n", "abc"));
    auto raw = readNpy(file, std::vector<int64_t>{3}, Elem::U8, budget_, 1);
    ASSERT_TRUE(raw.ok()) << raw.error().message;
    EXPECT_EQ(loadInteger(Elem::U8, raw->bytes.data() + 2), 'c');
  }
  expectError(put("v.npy", fileText(4, "{}", "")), {3}, Elem::U8, "version 4.0; versions 1, 2 and 3 can be read");
}

TEST_F(Npy, FortranOrderAndBigEndian) {
  // The file has a 2 x 3 array with elements 10*row + column, in column-major order and big-endian.
  std::string data;
  for (int column = 0; column < 3; ++column)
    for (int row = 0; row < 2; ++row) data += {'\0', static_cast<char>(10 * row + column)};
  std::string file = put("f.npy", fileText(1, "{'shape': (2L, 3L), 'fortran_order': True, 'descr': '>i2'}", data));
  auto raw = readNpy(file, std::vector<int64_t>{2, 3}, Elem::I16, budget_, 1);
  ASSERT_TRUE(raw.ok()) << raw.error().message;
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(loadInteger(Elem::I16, raw->bytes.data() + 2 * i), i / 3 * 10 + i % 3);
}

TEST_F(Npy, CornersOfLargerFiles) {
  // The file has a 3 x 4 array with elements 10*row + column, in both orders.
  std::string c, fortran;
  for (int i = 0; i < 12; ++i) c += static_cast<char>(i / 4 * 10 + i % 4);
  for (int i = 0; i < 12; ++i) fortran += static_cast<char>(i % 3 * 10 + i / 3);
  for (const char *order : {"False", "True"}) {
    std::string head = std::string("{'shape': (3, 4), 'fortran_order': ") + order + ", 'descr': '|i1'}";
    std::string file = put("a.npy", fileText(1, head, order[0] == 'T' ? fortran : c));
    for (std::vector<int64_t> shape : {std::vector<int64_t>{2, 3}, {3, 4}, {3, 1}, {0, 4}}) {
      auto raw = readNpy(file, shape, Elem::I8, budget_, 1, true);
      ASSERT_TRUE(raw.ok()) << raw.error().message;
      for (int64_t i = 0; i < raw->count(); ++i)
        EXPECT_EQ(loadInteger(Elem::I8, raw->bytes.data() + i), i / shape[1] * 10 + i % shape[1]);
    }
    for (std::vector<int64_t> shape : {std::vector<int64_t>{4, 4}, {3, 5}, {3}, {3, 4, 1}})
      EXPECT_FALSE(readNpy(file, shape, Elem::I8, budget_, 1, true).ok());
    expectError(file, {2, 3}, Elem::I8, "holds 3x4 of numpy type '|i1', but the buffer is 2x3 of i8");
  }
}

TEST_F(Npy, ForeignTypesAreRawBytes) {
  std::string file =
      put("b.npy", fileText(1, "{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}", std::string("\x80\x3f", 2)));
  auto raw = readNpy(file, std::vector<int64_t>{1}, Elem::BF16, budget_, 1);
  ASSERT_TRUE(raw.ok()) << raw.error().message;
  EXPECT_EQ(loadFloat(Elem::BF16, raw->bytes.data()), 1.0);
  file = put("c.npy", fileText(1, "{'descr': '|V1', 'fortran_order': False, 'shape': (1,)}", "\x38"));
  raw = readNpy(file, std::vector<int64_t>{1}, Elem::F8E4M3, budget_, 1);
  ASSERT_TRUE(raw.ok()) << raw.error().message;
  EXPECT_EQ(loadFloat(Elem::F8E4M3, raw->bytes.data()), 1.0);
}

TEST_F(Npy, Errors) {
  expectError(path("missing.npy"), {1}, Elem::F32, "missing.npy: No such file");
  expectError(folder_.string(), {1}, Elem::F32, "it is a folder");
  expectError(put("empty.npy", ""), {1}, Elem::F32, "fewer than 8 bytes");
  expectError(put("text.npy", "hello, this is text"), {1}, Elem::F32, "is not a .npy file");
  std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  expectError(put("cut.npy", fileText(1, good, "1234567")), {2, 3}, Elem::F32,
              "is truncated: 2x3 of f32 takes 24 bytes after the header, but the file has 7");
  expectError(put("head.npy", fileText(1, good, "").substr(0, 30)), {2, 3}, Elem::F32, "ends within its header");
  std::string data(24, 'x');
  expectError(put("shape.npy", fileText(1, good, data)), {3, 2}, Elem::F32,
              "holds 2x3 of numpy type '<f4', but the buffer is 3x2 of f32 ('<f4')");
  expectError(put("type.npy", fileText(1, good, data)), {2, 3}, Elem::I32,
              "holds 2x3 of numpy type '<f4', but the buffer is 2x3 of i32 ('<i4')");
  std::string huge = fileText(2, "", "");
  std::memcpy(huge.data() + 8, "\xff\xff\xff\x7f", 4);
  expectError(put("huge.npy", huge), {1}, Elem::F32, "claims a header of 2147483647 bytes");
  expectError(put("rec.npy", fileText(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")), {1},
              Elem::F32, "its elements are records");
  expectError(put("bad.npy", fileText(1, "{'descr': '<f4', 'shape': (1,)}", "1234")), {1}, Elem::F32,
              "does not have 'fortran_order'");
  expectError(put("bad2.npy", fileText(1, "{'descr': '<f4', 'fortran_order': Maybe}", "1234")), {1}, Elem::F32,
              "expected True or False");
  expectError(put("bad3.npy", fileText(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (-1,)}", "")), {1}, Elem::F32,
              "expected a shape");
  std::string wide = fileText(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "");
  expectError(put("wide.npy", wide), {1}, Elem::F32, "expected a shape");
  expectError(put("i4.npy", fileText(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}", "\x07\x08")), {2}, Elem::I4,
              "element [1] is 8, which i4 cannot hold");
  expectError(put("big.npy", fileText(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}", "")),
              {1000000000000}, Elem::F32, "needs 3.6 TiB");
}

TEST_F(Npy, AFailedWriteLeavesTheOldFile) {
  std::filesystem::create_directory(path("folder.npy"));
  RawArray array = make({4}, Elem::F32);
  auto written = writeNpy(path("folder.npy"), array); // a file cannot replace a folder
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("cannot write"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_directory(path("folder.npy")));
  EXPECT_FALSE(writeNpy(path("nowhere/a.npy"), array).ok());
  size_t files = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder_.path())) ++files;
  EXPECT_EQ(files, 1u) << "a temporary file was left behind";
}

// A damaged header must give an error or a header, never a crash.
TEST_F(Npy, JunkIsRefused) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  ASSERT_TRUE(parseNpyHeader(good + "   \n").ok());
  for (const std::string &behind :
       {std::string("}"), std::string("  junk\n"), std::string(" import os\n"), std::string("\0\n", 2), std::string("{}")}) {
    auto header = parseNpyHeader(good + behind);
    ASSERT_FALSE(header.ok()) << behind;
    EXPECT_NE(header.error().message.find("has text after the '}'"), std::string::npos) << header.error().message;
  }
  for (const char *bad : {"{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
                          "{'descr': '<f4', 'fortran_order': False, 'fortran_order': True, 'shape': (2,), }",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (4,), }",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (2), }",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (-0,), }",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (,), }",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
                          "{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (2,), }"})
    EXPECT_FALSE(parseNpyHeader(bad).ok()) << bad;
  expectError(put("behind.npy", fileText(1, good, std::string(8, 'x') + "junk")), {2}, Elem::F32,
              "has 4 bytes after its elements");
  EXPECT_EQ(errorOf(put("exact.npy", fileText(1, good, std::string(8, 'x'))), {2}, Elem::F32), "");
}

TEST_F(Npy, DamagedHeaders) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }          \n";
  uint64_t state = 1;
  auto next = [&](uint64_t below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % below;
  };
  const std::string_view kPieces[] = {"'", "\"", "(", ")", "{", "}", ",", ":", "[", "\\", "9", "-", "L", "True", "\0"};
  int refused = 0, rounds = 20000;
  for (int round = 0; round < rounds; ++round) {
    std::string text = good;
    for (uint64_t edits = 1 + next(4); edits > 0; --edits) {
      size_t at = next(text.size() + 1);
      switch (next(3)) {
      case 0: text.erase(at, next(8)); break;
      case 1: text.insert(at, kPieces[next(std::size(kPieces))]); break;
      default: text.resize(at); break;
      }
    }
    auto header = parseNpyHeader(text);
    refused += !header.ok();
    if (header) {
      EXPECT_LE(header->shape.size(), 32u);
      npyText(*header), npyElem(*header);
    } else {
      EXPECT_FALSE(header.error().message.empty());
    }
  }
  EXPECT_GT(refused, rounds / 2);
}

// --- numpy -----------------------------------------------------------------------------------------------------------

// Returns a Python that has numpy, or "" if there is none.
std::string pythonWithNumpy() {
  for (const char *python : {"/usr/bin/python3", "python3"})
    if (std::system((std::string(python) + " -c 'import numpy' >/dev/null 2>&1").c_str()) == 0) return python;
  return "";
}

struct NumpyType {
  Elem elem;
  const char *name; // numpy's name
};
constexpr NumpyType kNumpyTypes[] = {
    {Elem::I1, "?"},    {Elem::I8, "i1"},   {Elem::I16, "i2"},    {Elem::I32, "i4"},    {Elem::I64, "i8"},  {Elem::U8, "u1"},
    {Elem::U16, "u2"},  {Elem::U32, "u4"},  {Elem::U64, "u8"},    {Elem::F16, "f2"},    {Elem::F32, "f4"},  {Elem::F64, "f8"},
    {Elem::BF16, "V2"}, {Elem::TF32, "f4"}, {Elem::F8E4M3, "V1"}, {Elem::F8E5M2, "V1"}, {Elem::Index, "i8"}};
const std::vector<std::vector<int64_t>> kShapes = {{},     {1},    {7},       {0},       {3, 5},       {0, 4},
                                                   {4, 0}, {1, 6}, {2, 3, 4}, {2, 0, 3}, {2, 3, 2, 3}, {2, 1, 3, 2, 2}};

std::string nameOf(std::span<const int64_t> shape) {
  std::string name = "s";
  for (int64_t extent : shape) name += "_" + std::to_string(extent);
  return name;
}

// The common start of the scripts below, which builds the array of Npy::make.
const char *const kScript = R"(
import numpy as n, sys
folder = sys.argv[1]
shapes = [(), (1,), (7,), (0,), (3, 5), (0, 4), (4, 0), (1, 6), (2, 3, 4), (2, 0, 3), (2, 3, 2, 3), (2, 1, 3, 2, 2)]
def name(shape): return 's' + ''.join('_%d' % e for e in shape)
def make(type, shape):
    d = n.dtype(type)
    count = int(n.prod(shape, dtype=int))
    raw = bytes((i * 37 + 11) % 256 & (1 if type == '?' else 255) for i in range(count * d.itemsize))
    return n.frombuffer(raw, dtype=d, count=count).reshape(shape)
)";

TEST_F(Npy, NumpyReadsWhatWeWrite) {
  std::string python = pythonWithNumpy();
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy is installed";
  std::string script = kScript;
  for (const NumpyType &type : kNumpyTypes) {
    std::string prefix(elemName(type.elem));
    for (const auto &shape : kShapes) ASSERT_TRUE(writeNpy(path(prefix + nameOf(shape) + ".npy"), make(shape, type.elem)).ok());
    script += "for s in shapes:\n    a = n.load(folder + '/" + prefix + "' + name(s) + '.npy', allow_pickle=False)\n" +
              "    assert a.dtype == n.dtype('" + type.name + "') and a.shape == s, (a.dtype, a.shape, s)\n" +
              "    assert a.tobytes() == make('" + type.name + "', s).tobytes(), ('" + prefix + "', s)\n";
  }
  put("check.py", script);
  EXPECT_EQ(std::system((python + " " + path("check.py") + " " + folder_.string()).c_str()), 0);
}

TEST_F(Npy, WeReadWhatNumpyWrites) {
  std::string python = pythonWithNumpy();
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy is installed";
  std::string script = kScript;
  script += "from numpy.lib import format\ndef save(path, a, version):\n    with open(path, 'wb') as f: "
            "format.write_array(f, a, version=version, allow_pickle=False)\n"
            "def fortran(a): return n.asfortranarray(a) if a.ndim else a\n"; // asfortranarray turns scalars into arrays
  script += "for t in '? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 V1 V2'.split():\n  for s in shapes:\n    a = make(t, s)\n"
            "    b = a if a.dtype.itemsize == 1 or t[0] == 'V' else a.byteswap().view(a.dtype.newbyteorder('>'))\n"
            "    for v in (1, 2, 3):\n      base = folder + '/' + t.replace('?', 'b') + name(s) + '_v%d_' % v\n"
            "      save(base + 'c.npy', a, (v, 0))\n      save(base + 'f.npy', fortran(a), (v, 0))\n"
            "      save(base + 'big.npy', b, (v, 0))\n      save(base + 'bigf.npy', fortran(b), (v, 0))\n";
  put("make.py", script);
  ASSERT_EQ(std::system((python + " " + path("make.py") + " " + folder_.string()).c_str()), 0);
  size_t read = 0;
  for (const NumpyType &type : kNumpyTypes)
    for (const auto &shape : kShapes) {
      RawArray expected = make(shape, type.elem);
      for (int version : {1, 2, 3})
        for (const char *kind : {"c", "f", "big", "bigf"}) {
          std::string file =
              (type.name[0] == '?' ? "b" : type.name) + nameOf(shape) + "_v" + std::to_string(version) + "_" + kind + ".npy";
          auto back = readNpy(path(file), shape, type.elem, budget_, 2);
          ASSERT_TRUE(back.ok()) << back.error().message;
          ASSERT_EQ(std::memcmp(back->bytes.data(), expected.bytes.data(), static_cast<size_t>(expected.bytes.count())), 0)
              << file << " as " << elemName(type.elem);
          ++read;
        }
    }
  EXPECT_EQ(read, std::size(kNumpyTypes) * kShapes.size() * 12);
}

TEST_F(Npy, NumpysOtherTypesAreNamed) {
  std::string python = pythonWithNumpy();
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy is installed";
  put("make.py", std::string(kScript) + R"(
for key, a in {'complex': n.zeros(3, 'c8'), 'object': n.array([1, 'a', None], dtype=object), 'text': n.array(['abc'] * 3),
               'bytes': n.array([b'abc'] * 3), 'date': n.zeros(3, 'M8[D]'), 'span': n.zeros(3, 'm8[s]'),
               'record': n.zeros(3, [('a', '<f4'), ('b', '<i2')]), 'long': n.zeros(3, n.longdouble),
               'nested': n.zeros(3, [('a', '<f4', (2, 2))])}.items():
    n.save(folder + '/' + key + '.npy', a)
n.savez(folder + '/several.npz', a=n.zeros(3))
)");
  ASSERT_EQ(std::system((python + " " + path("make.py") + " " + folder_.string()).c_str()), 0);
  expectError(path("complex.npy"), {3}, Elem::F32, "holds 3 of numpy type '<c8' (complex numbers), but the buffer is");
  expectError(path("object.npy"), {3}, Elem::F32, "numpy type '|O' (Python objects), but the buffer is 3 of f32 ('<f4')");
  expectError(path("text.npy"), {3}, Elem::F32, "numpy type '<U3' (text), but the buffer is");
  expectError(path("bytes.npy"), {3}, Elem::I8, "numpy type '|S3' (text), but the buffer is");
  expectError(path("date.npy"), {3}, Elem::I64, "numpy type '<M8[D]' (dates), but the buffer is");
  expectError(path("span.npy"), {3}, Elem::I64, "numpy type '<m8[s]' (durations), but the buffer is");
  expectError(path("record.npy"), {3}, Elem::F32, "its elements are records, but only plain numbers can be read");
  expectError(path("nested.npy"), {3}, Elem::F32, "its elements are records, but only plain numbers can be read");
  expectError(path("long.npy"), {3}, Elem::F64, "(floats in a non-standard format), but the buffer is 3 of f64 ('<f8')");
  expectError(path("several.npz"), {3}, Elem::F64,
              "is a .npz archive of several arrays: unpack it and use one of the .npy files");
}

} // namespace
} // namespace xt
