#include "targets/llvm/object_cache.h"
#include "targets/llvm/machine.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace xt {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
protected:
  void SetUp() override { fs::remove_all(directory); }
  void TearDown() override { fs::remove_all(directory); }
  size_t files() const { // beside them LLVM notes when it looked last
    size_t count = 0;
    for (const auto &entry : fs::directory_iterator(directory)) count += entry.path().filename() != "llvmcache.timestamp";
    return count;
  }
  std::string directory = testing::TempDir() + "xt_cache_" + std::to_string(getpid()) + "/inner";
};

TEST_F(CacheTest, GivesWhatWasKept) {
  ObjectCache cache(directory);
  EXPECT_EQ(cache.find("a1"), std::nullopt);
  std::string object("\0code\n\xff", 7);
  cache.keep("a1", object);
  EXPECT_EQ(cache.find("a1"), object);
  EXPECT_EQ(ObjectCache(directory).find("a1"), object);
  EXPECT_EQ(cache.find("a2"), std::nullopt);
  cache.keep("a1", "other");
  EXPECT_EQ(cache.find("a1"), "other");
  EXPECT_EQ(files(), 1U); // nothing temporary is left
}

TEST_F(CacheTest, DamagedEntriesAreNotThere) {
  ObjectCache cache(directory);
  std::string object(1000, 'x');
  cache.keep("k", object);
  auto size = static_cast<int64_t>(fs::file_size(cache.fileOf("k")));
  ASSERT_GT(size, 1000);
  for (int64_t at = 0; at < size; at += at < 60 ? 1 : 97) { // a bit of each part
    cache.keep("k", object);
    std::fstream file(cache.fileOf("k"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    auto byte = static_cast<char>(file.get() ^ 4);
    file.seekp(at).put(byte);
    file.close();
    EXPECT_EQ(cache.find("k"), std::nullopt) << "byte " << at;
    EXPECT_FALSE(fs::exists(cache.fileOf("k")));
  }
  for (int64_t length : {int64_t{0}, int64_t{5}, int64_t{12}, int64_t{43}, int64_t{44}, size - 1}) {
    cache.keep("k", object);
    fs::resize_file(cache.fileOf("k"), static_cast<uintmax_t>(length));
    EXPECT_EQ(cache.find("k"), std::nullopt) << length;
  }
}

// An entry under another's name.
TEST_F(CacheTest, AnEntryBelongsToItsKey) {
  ObjectCache cache(directory);
  cache.keep("one", "object");
  fs::rename(cache.fileOf("one"), cache.fileOf("two"));
  EXPECT_EQ(cache.find("two"), std::nullopt);
}

TEST_F(CacheTest, TheLongestUnusedGo) {
  ObjectCache cache(directory, 10'000);
  std::string object(3000, 'x');
  auto old = fs::file_time_type::clock::now() - std::chrono::hours(2);
  cache.keep("a", object);
  cache.keep("b", object);
  cache.keep("c", object);
  for (const char *key : {"a", "b", "c"}) fs::last_write_time(cache.fileOf(key), old);
  EXPECT_TRUE(cache.find("a")); // used: b and c are older now
  cache.keep("d", object);
  EXPECT_EQ(files(), 3U);
  EXPECT_TRUE(cache.find("a"));
  EXPECT_TRUE(cache.find("d"));
}

TEST_F(CacheTest, WhatCannotBeWrittenIsLeft) {
  ObjectCache none("");
  none.keep("k", "object");
  EXPECT_EQ(none.find("k"), std::nullopt);
  fs::create_directories(fs::path(directory).parent_path());
  std::ofstream(directory) << "a file where the directory should be";
  ObjectCache cache(directory);
  cache.keep("k", "object");
  EXPECT_EQ(cache.find("k"), std::nullopt);
  EXPECT_TRUE(fs::is_regular_file(directory));
}

TEST(ObjectKey, TellsModulesAndProcessorsApart) {
  llvm::LLVMContext context;
  llvm::Module one("xt", context), two("xt", context);
  two.getOrInsertFunction("f", llvm::Type::getVoidTy(context));
  auto older = makeTargetMachine("x86_64-pc-linux-gnu", "x86-64-v3", ""), newer = makeTargetMachine("x86_64-pc-linux-gnu", "x86-64-v4", ""),
       special = makeTargetMachine("x86_64-pc-linux-gnu", "x86-64-v3", "+avx512f");
  ASSERT_TRUE(older.ok() && newer.ok() && special.ok());
  std::string bitcode = moduleBitcode(one), key = objectKey(bitcode, **older);
  EXPECT_EQ(key.size(), 64U);
  EXPECT_EQ(key, objectKey(bitcode, **older));
  EXPECT_NE(key, objectKey(moduleBitcode(two), **older));
  EXPECT_NE(key, objectKey(bitcode, **newer));
  EXPECT_NE(key, objectKey(bitcode, **special));
}

} // namespace
} // namespace xt
