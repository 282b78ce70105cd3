#include "targets/run/npy.h"

#include "targets/run/npy_header.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace xt {
namespace {

class Npy : public ::testing::Test {
protected:
  void SetUp() override {
    const auto *info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(XT_BINARY_DIR) / "npy_test" / info->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
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
  // A file with a header of a given version and dictionary.
  static std::string fileText(int version, const std::string &dictionary, const std::string &data) {
    std::string head = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
    auto length = static_cast<uint32_t>(dictionary.size());
    for (int b = 0; b < (version == 1 ? 2 : 4); ++b) head += static_cast<char>(length >> (8 * b));
    return head + dictionary + data;
  }

  std::filesystem::path folder_;
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

TEST_F(Npy, VersionsOneToThree) {
  for (int version : {1, 2, 3}) {
    std::string file =
        put("v.npy", fileText(version, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n", "abc"));
    auto raw = readNpy(file, std::vector<int64_t>{3}, Elem::U8, budget_, 1);
    ASSERT_TRUE(raw.ok()) << raw.error().message;
    EXPECT_EQ(loadInteger(Elem::U8, raw->bytes.data() + 2), 'c');
  }
  expectError(put("v.npy", fileText(4, "{}", "")), {3}, Elem::U8, "version 4.0; versions 1, 2 and 3 can be read");
}

TEST_F(Npy, FortranOrderAndBigEndian) {
  // 2 x 3 with elements 10*row + column, column by column, big-endian.
  std::string data;
  for (int column = 0; column < 3; ++column)
    for (int row = 0; row < 2; ++row) data += {'\0', static_cast<char>(10 * row + column)};
  std::string file = put("f.npy", fileText(1, "{'shape': (2L, 3L), 'fortran_order': True, 'descr': '>i2'}", data));
  auto raw = readNpy(file, std::vector<int64_t>{2, 3}, Elem::I16, budget_, 1);
  ASSERT_TRUE(raw.ok()) << raw.error().message;
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(loadInteger(Elem::I16, raw->bytes.data() + 2 * i), i / 3 * 10 + i % 3);
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
  expectError(path("missing.npy"), {1}, Elem::F32, "missing.npy: cannot be opened: No such file");
  expectError(folder_.string(), {1}, Elem::F32, "cannot be read");
  expectError(put("empty.npy", ""), {1}, Elem::F32, "fewer than 8 bytes");
  expectError(put("text.npy", "hello, this is text"), {1}, Elem::F32, "is not a .npy file");
  std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  expectError(put("cut.npy", fileText(1, good, "1234567")), {2, 3}, Elem::F32,
              "is truncated: 2x3 of f32 takes 24 bytes after the header, the file has 7");
  expectError(put("head.npy", fileText(1, good, "").substr(0, 30)), {2, 3}, Elem::F32, "ends within its header");
  std::string data(24, 'x');
  expectError(put("shape.npy", fileText(1, good, data)), {3, 2}, Elem::F32,
              "holds 2x3 of numpy type '<f4', but the buffer is 3x2 of f32 ('<f4')");
  expectError(put("type.npy", fileText(1, good, data)), {2, 3}, Elem::I32,
              "holds 2x3 of numpy type '<f4', but the buffer is 2x3 of i32 ('<i4')");
  std::string huge = fileText(2, "", "");
  std::memcpy(huge.data() + 8, "\xff\xff\xff\x7f", 4);
  expectError(put("huge.npy", huge), {1}, Elem::F32, "claims a header of 2147483647 bytes");
  expectError(put("rec.npy", fileText(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")),
              {1}, Elem::F32, "its elements are records");
  expectError(put("bad.npy", fileText(1, "{'descr': '<f4', 'shape': (1,)}", "1234")), {1}, Elem::F32,
              "lacks 'fortran_order'");
  expectError(put("bad2.npy", fileText(1, "{'descr': '<f4', 'fortran_order': Maybe}", "1234")), {1}, Elem::F32,
              "expected True or False");
  expectError(put("bad3.npy", fileText(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (-1,)}", "")), {1},
              Elem::F32, "expected a shape");
  std::string wide = fileText(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "");
  expectError(put("wide.npy", wide), {1}, Elem::F32, "expected a shape");
  expectError(put("i4.npy", fileText(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}", "\x07\x08")), {2},
              Elem::I4, "element [1] is 8, which i4 cannot hold");
  expectError(put("big.npy", fileText(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}", "")),
              {1000000000000}, Elem::F32, "needs 3.6 TiB");
}

TEST_F(Npy, AFailedWriteLeavesTheOldFile) {
  std::filesystem::create_directory(path("folder.npy"));
  RawArray array = make({4}, Elem::F32);
  auto written = writeNpy(path("folder.npy"), array); // a file cannot replace a folder
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("cannot be written"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_directory(path("folder.npy")));
  EXPECT_FALSE(writeNpy(path("nowhere/a.npy"), array).ok());
  size_t files = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 1u) << "a temporary file was left behind";
}

// A Python with numpy, or "" where none is found.
std::string pythonWithNumpy() {
  for (const char *python : {"/usr/bin/python3", "python3"})
    if (std::system((std::string(python) + " -c 'import numpy' >/dev/null 2>&1").c_str()) == 0) return python;
  return "";
}

TEST_F(Npy, NumpyReadsAndWritesTheSame) {
  std::string python = pythonWithNumpy();
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy is installed";
  const std::pair<Elem, const char *> kTypes[] = {
      {Elem::F16, "float16"}, {Elem::F32, "float32"}, {Elem::F64, "float64"}, {Elem::I8, "int8"},
      {Elem::I16, "int16"},   {Elem::I32, "int32"},   {Elem::I64, "int64"},   {Elem::U8, "uint8"},
      {Elem::U16, "uint16"},  {Elem::U32, "uint32"},  {Elem::U64, "uint64"},  {Elem::I1, "bool"}};
  for (auto [elem, name] : kTypes) {
    RawArray array = make({3, 4}, elem);
    if (isFloat(elem))
      for (int64_t i = 0; i < array.count(); ++i)
        storeFloat(elem, &array.bytes[i * array.elemBytes()], 0.25 * static_cast<double>(i) - 1);
    ASSERT_TRUE(writeNpy(path("ours.npy"), array).ok());
    std::string script = "import numpy as n; a = n.load('" + path("ours.npy") + "'); assert a.dtype == n.dtype('" +
                         name + "') and a.shape == (3, 4); n.save('" + path("c.npy") + "', a); n.save('" +
                         path("f.npy") + "', n.asfortranarray(a)); n.save('" + path("b.npy") +
                         "', a.astype(a.dtype.newbyteorder('>')))";
    ASSERT_EQ(std::system((python + " -c \"" + script + "\"").c_str()), 0) << name;
    for (const char *file : {"c.npy", "f.npy", "b.npy"}) {
      auto back = readNpy(path(file), array.sizes, elem, budget_, 1);
      ASSERT_TRUE(back.ok()) << back.error().message;
      EXPECT_EQ(std::memcmp(back->bytes.data(), array.bytes.data(), static_cast<size_t>(array.bytes.count())), 0)
          << name << file;
    }
  }
}

} // namespace
} // namespace xt
