#include "targets/llvm/machine.h"
#include "targets/llvm/object_cache.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace xt {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
protected:
  size_t files() const {
    size_t count = 0;
    for (const auto &entry : fs::directory_iterator(directory))
      count += entry.path().filename().string().starts_with("llvmcache-");
    return count;
  }
  test::TemporaryFolder folder;
  std::string directory = (folder / "outer/inner").string(); // the cache makes both
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
  EXPECT_EQ(files(), 1U); // no temporary file is left
}

TEST_F(CacheTest, DamagedEntriesAreNotThere) {
  ObjectCache cache(directory);
  std::string object(1000, 'x');
  cache.keep("k", object);
  auto size = static_cast<int64_t>(fs::file_size(cache.fileOf("k")));
  ASSERT_GT(size, 1000);
  for (int64_t at = 0; at < size; at += at < 60 ? 1 : 97) { // inverts one bit in each part of the file
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

// The file is an entry that has the name of another one.
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
  EXPECT_TRUE(cache.find("a")); // this marks it as used, so that b and c are older
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

// --- attacks: none of these entries may be found ----------------------------------------------------------------------

mode_t modeOf(const std::string &path) {
  struct stat info{};
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

TEST_F(CacheTest, OnlyTheUserReadsTheKeyAndTheEntries) {
  mode_t mask = umask(0);
  ObjectCache cache(directory);
  cache.keep("k", "object");
  umask(mask);
  EXPECT_EQ(modeOf(directory), 0700U);
  EXPECT_EQ(modeOf(directory + "/key"), 0600U);
  EXPECT_EQ(modeOf(cache.fileOf("k")), 0600U);
  EXPECT_EQ(fs::file_size(directory + "/key"), 32U);
}

// These entries were made without knowledge of the secret: without a digest, with an unkeyed digest, and with the digest of
// another user's directory.
TEST_F(CacheTest, APlantedEntryIsNotFound) {
  ObjectCache cache(directory), other(directory + "-other");
  cache.keep("k", "good");
  other.keep("k", "evil");
  for (const std::string &text :
       {std::string("evil"), std::string("xt object 2\n") + std::string(32, '\0') + "evil", std::string("xt object 2\n")}) {
    std::ofstream(cache.fileOf("k"), std::ios::binary) << text;
    EXPECT_EQ(cache.find("k"), std::nullopt);
  }
  fs::copy_file(other.fileOf("k"), cache.fileOf("k"), fs::copy_options::overwrite_existing);
  EXPECT_EQ(cache.find("k"), std::nullopt);
}

TEST_F(CacheTest, AnEntryThatIsNoFileOfTheUsersIsNotFound) {
  ObjectCache cache(directory);
  cache.keep("k", "object");
  cache.keep("target", "object");
  fs::remove(cache.fileOf("k"));
  fs::create_symlink(cache.fileOf("target"), cache.fileOf("k"));
  EXPECT_EQ(cache.find("k"), std::nullopt);
  cache.keep("k", "object");
  EXPECT_FALSE(fs::is_symlink(cache.fileOf("k")));
  EXPECT_EQ(cache.find("k"), "object");
  fs::remove(cache.fileOf("k"));
  ASSERT_EQ(mkfifo(cache.fileOf("k").c_str(), 0600), 0); // opening it would block
  EXPECT_EQ(cache.find("k"), std::nullopt);
  fs::create_directory(cache.fileOf("d"));
  EXPECT_EQ(cache.find("d"), std::nullopt);
  cache.keep("d", "object");
  EXPECT_EQ(cache.find("d"), std::nullopt);
  if (geteuid() != 0) GTEST_SKIP() << "only root can change the owner of a file";
  cache.keep("theirs", "object");
  ASSERT_EQ(chown(cache.fileOf("theirs").c_str(), 65534, 65534), 0);
  EXPECT_EQ(cache.find("theirs"), std::nullopt);
}

TEST_F(CacheTest, ASecretThatOthersMayKnowIsMadeAnew) {
  ObjectCache(directory).keep("k", "object");
  std::string key = directory + "/key";
  auto secret = [&] {
    std::ostringstream text;
    text << std::ifstream(key, std::ios::binary).rdbuf();
    return text.str();
  };
  std::string before = secret();
  EXPECT_EQ(ObjectCache(directory).find("k"), "object");
  auto isMadeAnew = [&](const char *what) {
    EXPECT_EQ(ObjectCache(directory).find("k"), std::nullopt) << what;
    EXPECT_EQ(modeOf(key), 0600U) << what;
    EXPECT_EQ(secret().size(), 32U) << what;
    EXPECT_NE(secret(), before) << what;
    ObjectCache(directory).keep("k", "object");
    EXPECT_EQ(ObjectCache(directory).find("k"), "object") << what;
    before = secret();
  };
  chmod(key.c_str(), 0644);
  isMadeAnew("readable");
  fs::resize_file(key, 31);
  isMadeAnew("cut");
  std::ofstream(key, std::ios::binary | std::ios::app) << "more";
  isMadeAnew("longer");
  fs::remove(key);
  isMadeAnew("gone");
  std::ofstream(directory + "/elsewhere") << std::string(32, 'k');
  chmod((directory + "/elsewhere").c_str(), 0600);
  fs::remove(key);
  fs::create_symlink("elsewhere", key);
  isMadeAnew("a link");
  EXPECT_FALSE(fs::is_symlink(key));
  if (geteuid() != 0) GTEST_SKIP() << "only root can change the owner of a file";
  ASSERT_EQ(chown(key.c_str(), 65534, 65534), 0);
  isMadeAnew("another user's");
}

TEST_F(CacheTest, ADirectoryThatOthersWriteToIsRefused) {
  ObjectCache(directory).keep("k", "object");
  for (mode_t mode : {0777, 0770, 0720, 0702, 01777}) {
    chmod(directory.c_str(), mode);
    ObjectCache cache(directory);
    EXPECT_FALSE(cache);
    EXPECT_NE(cache.refusal().find("other users can write to " + fs::canonical(directory).string()), std::string::npos)
        << cache.refusal();
    EXPECT_EQ(cache.find("k"), std::nullopt);
    cache.keep("other", "object");
    EXPECT_EQ(files(), 1U);
  }
  chmod(directory.c_str(), 0755); // others may read, which is harmless
  EXPECT_EQ(ObjectCache(directory).find("k"), "object");
  // A parent directory to which others may write is rejected, because they could replace the directory. A parent with the
  // sticky bit, like /tmp, is accepted.
  std::string parent = fs::path(directory).parent_path();
  chmod(parent.c_str(), 0777);
  EXPECT_NE(ObjectCache(directory).refusal(), "");
  chmod(parent.c_str(), 01777);
  EXPECT_EQ(ObjectCache(directory).find("k"), "object");
  chmod(parent.c_str(), 0755);
  // The link leads to the same directory.
  fs::create_directory_symlink(directory, parent + "/link");
  EXPECT_EQ(ObjectCache(parent + "/link").find("k"), "object");
  chmod(directory.c_str(), 0777);
  EXPECT_NE(ObjectCache(parent + "/link").refusal(), "");
  chmod(directory.c_str(), 0700);
}

TEST_F(CacheTest, ADirectoryOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives directories away";
  ObjectCache(directory).keep("k", "object");
  ASSERT_EQ(chown(directory.c_str(), 65534, 65534), 0);
  EXPECT_NE(ObjectCache(directory).refusal().find("belongs to another user (uid 65534)"), std::string::npos);
  EXPECT_EQ(ObjectCache(directory).find("k"), std::nullopt);
  ASSERT_EQ(chown(directory.c_str(), 0, 0), 0);
  std::string parent = fs::path(directory).parent_path();
  ASSERT_EQ(chown(parent.c_str(), 65534, 65534), 0);
  EXPECT_NE(ObjectCache(directory).refusal(), "");
  ASSERT_EQ(chown(parent.c_str(), 0, 0), 0);
  EXPECT_EQ(ObjectCache(directory).find("k"), "object");
}

// Each of 200 processes stores its own entries and a common one, and reads those of all. Every entry found must be correct.
TEST_F(CacheTest, TwoHundredProcessesAtOnce) {
  constexpr int kProcesses = 200, kRounds = 5;
  auto objectOf = [](int i) { return std::string(static_cast<size_t>(1000 + i), static_cast<char>('a' + i % 26)); };
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    pid_t child = fork();
    if (child == 0) {
      ObjectCache cache(directory, 100'000); // room for half of the entries
      int wrong = cache ? 0 : 1;
      for (int round = 0; round < kRounds; ++round) {
        cache.keep(std::to_string(i), objectOf(i));
        cache.keep("all", "the same");
        for (int j : {i, (i * 7 + round) % kProcesses})
          if (auto found = cache.find(std::to_string(j)); found && *found != objectOf(j)) wrong = 2;
        if (auto found = cache.find("all"); found && *found != "the same") wrong = 3;
      }
      _exit(wrong);
    }
    ASSERT_GT(child, 0);
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  ObjectCache cache(directory, 100'000);
  cache.keep("last", "object");
  EXPECT_EQ(cache.find("last"), "object");
  ObjectCache::Use use = cache.use();
  EXPECT_LE(use.bytes, 100'000);
  EXPECT_GT(use.entries, 20);
  for (const auto &entry : fs::directory_iterator(directory))
    EXPECT_EQ(entry.path().string().find("-new-"), std::string::npos) << entry.path();
}

// Processes that create the secret at the same time must end up with the same secret, because otherwise the entries of some
// would be lost. Each process opens the cache, and stores its entry when all processes have opened it.
TEST_F(CacheTest, ProcessesThatMakeTheKeyAtOnceShareIt) {
  constexpr int kProcesses = 24, kRounds = 12;
  for (int round = 0; round < kRounds; ++round) {
    fs::remove_all(directory);
    fs::create_directories(directory);
    fs::permissions(directory, fs::perms::owner_all);
    if (round % 2) std::ofstream(directory + "/key") << "too short"; // this key must be replaced
    int start[2], made[2], go[2];
    ASSERT_TRUE(pipe(start) == 0 && pipe(made) == 0 && pipe(go) == 0);
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
      pid_t child = fork();
      if (child == 0) {
        char byte = 0;
        close(start[1]), close(go[1]);
        (void)!read(start[0], &byte, 1);
        ObjectCache cache(directory);
        (void)!write(made[1], &byte, 1);
        (void)!read(go[0], &byte, 1);
        cache.keep(std::to_string(i), "object");
        _exit(cache ? 0 : 1);
      }
      children.push_back(child);
    }
    close(start[0]), close(start[1]); // now all processes begin
    for (int i = 0; i < kProcesses; ++i) {
      char byte = 0;
      ASSERT_EQ(read(made[0], &byte, 1), 1);
    }
    for (int end : {go[0], go[1], made[0], made[1]}) close(end);
    for (pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    ObjectCache cache(directory);
    for (int i = 0; i < kProcesses; ++i) ASSERT_EQ(cache.find(std::to_string(i)), "object") << i << " in round " << round;
  }
}

// A process without a free file descriptor cannot read the key. The key must not be replaced for this reason.
TEST_F(CacheTest, AFileThatCannotBeReadThisTimeIsNotBad) {
  ObjectCache(directory).keep("k", "object");
  PrivateDirectory opened(directory);
  std::string text;
  pid_t child = fork();
  if (child == 0) {
    rlimit none{0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    _exit(opened.read("key", 100, text) == PrivateDirectory::Found::Unknown ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(opened.read("key", 100, text), PrivateDirectory::Found::Good);
  EXPECT_EQ(text.size(), 32U);
  EXPECT_EQ(opened.read("none", 100, text), PrivateDirectory::Found::Missing);
  EXPECT_EQ(opened.read("key", 31, text), PrivateDirectory::Found::Bad);
  chmod((directory + "/key").c_str(), 0640);
  EXPECT_EQ(opened.read("key", 100, text), PrivateDirectory::Found::Good);
  EXPECT_EQ(opened.read("key", 100, text, true), PrivateDirectory::Found::Bad);
}

// While another process replaces a bad key, this process must not remove the file that the other one writes.
TEST_F(CacheTest, ALockedDirectoryKeepsItsKey) {
  fs::create_directories(directory);
  fs::permissions(directory, fs::perms::owner_all);
  std::ofstream(directory + "/key") << "too short";
  PrivateDirectory other(directory);
  ASSERT_TRUE(other.lock());
  ObjectCache cache(directory);
  EXPECT_FALSE(cache);
  EXPECT_TRUE(fs::exists(directory + "/key"));
  other.unlock();
  EXPECT_TRUE(ObjectCache(directory));
}

TEST_F(CacheTest, TheLimitHolds) {
  ObjectCache none(directory, 0);
  none.keep("k", "object");
  EXPECT_FALSE(none);
  EXPECT_FALSE(fs::exists(directory));
  ObjectCache cache(directory, 10'000);
  cache.keep("small", "object");
  cache.keep("large", std::string(20'000, 'x')); // this entry would evict all others
  EXPECT_EQ(cache.find("large"), std::nullopt);
  EXPECT_EQ(cache.find("small"), "object");
}

TEST(ObjectKey, TellsModulesAndProcessorsApart) {
  llvm::LLVMContext context;
  llvm::Module one("xt", context), two("xt", context);
  two.getOrInsertFunction("f", llvm::Type::getVoidTy(context));
  auto older = makeTargetMachine("x86_64-pc-linux-gnu", "x86-64-v3", ""),
       newer = makeTargetMachine("x86_64-pc-linux-gnu", "x86-64-v4", ""),
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
