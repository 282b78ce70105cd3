// Tests writing to each kind of output file: whether it is written into or replaced, and that links, mode and owner are kept.
#include "ir/base/output_file.h"
#include "ir/base/temporary_files.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <thread>
#include <unistd.h>

namespace xt {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
protected:
  void TearDown() override { fs::permissions(folder_.path(), fs::perms::owner_all); }
  std::string path(const std::string &name) const { return folder_ / name; }
  static std::string text(const std::string &file) {
    std::ostringstream out;
    out << std::ifstream(file, std::ios::binary).rdbuf();
    return out.str();
  }
  static struct stat info(const std::string &file) {
    struct stat found{};
    EXPECT_EQ(lstat(file.c_str(), &found), 0) << file << ": " << std::strerror(errno);
    return found;
  }
  std::string makeFile(const std::string &name, const std::string &content, mode_t mode = 0644) const {
    std::ofstream(path(name)) << content;
    chmod(path(name).c_str(), mode);
    return path(name);
  }
  // Runs `work` in a child process as a user without privileges; `work` gives the exit status.
  template <class F> static int asNobody(F work) {
    pid_t child = fork();
    if (child == 0) {
      constexpr uid_t kNobody = 65534;
      if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(99);
      _exit(work());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  size_t filesThere() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
  static std::string message(const Result<void> &result) { return result ? "" : result.error().message; }

  test::TemporaryFolder folder_;
};

TEST_F(OutputFile, ANewFileHasTheModeOfNewFiles) {
  mode_t mask = umask(027);
  EXPECT_EQ(message(writeOutputFile(path("new"), {"one ", "", "two"})), "");
  umask(mask);
  EXPECT_EQ(text(path("new")), "one two");
  EXPECT_EQ(info(path("new")).st_mode & 07777, 0640U);
  EXPECT_EQ(filesThere(), 1U); // no temporary file is left
}

TEST_F(OutputFile, AReplacedFileKeepsItsModeAndOwner) {
  std::string file = makeFile("old", "a longer text than the new one", 0751);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(file.c_str(), 12, 34), 0);
  }
  struct stat before = info(file);
  EXPECT_EQ(message(writeOutputFile(file, {"new"})), "");
  struct stat after = info(file);
  EXPECT_EQ(text(file), "new");
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_gid, before.st_gid);
  EXPECT_NE(after.st_ino, before.st_ino); // the whole file was replaced
  EXPECT_EQ(filesThere(), 1U);
}

TEST_F(OutputFile, SymbolicLinksAreFollowed) {
  fs::create_directory(path("elsewhere"));
  makeFile("elsewhere/target", "old");
  fs::create_symlink("elsewhere/target", path("one"));
  fs::create_symlink(path("one"), path("two"));
  EXPECT_EQ(message(writeOutputFile(path("two"), {"new"})), "");
  EXPECT_TRUE(fs::is_symlink(path("two")));
  EXPECT_TRUE(fs::is_symlink(path("one")));
  EXPECT_EQ(text(path("elsewhere/target")), "new");
  // A dangling link creates the file that it names.
  fs::create_symlink("elsewhere/absent", path("dangling"));
  EXPECT_EQ(message(writeOutputFile(path("dangling"), {"made"})), "");
  EXPECT_TRUE(fs::is_symlink(path("dangling")));
  EXPECT_EQ(text(path("elsewhere/absent")), "made");
  fs::create_symlink("loop", path("loop"));
  EXPECT_EQ(message(writeOutputFile(path("loop"), {"x"})), "cannot write " + path("loop") + ": " + std::strerror(ELOOP));
}

TEST_F(OutputFile, AllNamesOfAFileSeeTheNewContent) {
  std::string file = makeFile("one", "a longer text than the new one");
  fs::create_hard_link(file, path("two"));
  EXPECT_EQ(message(writeOutputFile(file, {"new"})), "");
  EXPECT_EQ(text(path("two")), "new");
  EXPECT_EQ(info(file).st_nlink, 2U);
}

TEST_F(OutputFile, AttributesAreKept) {
  std::string file = makeFile("one", "a longer text than the new one");
  if (setxattr(file.c_str(), "user.xt", "kept", 4, 0) != 0)
    GTEST_SKIP() << "this file system has no extended attributes: " << std::strerror(errno);
  EXPECT_EQ(message(writeOutputFile(file, {"new"})), "");
  char value[8] = {};
  EXPECT_EQ(getxattr(file.c_str(), "user.xt", value, sizeof value), 4);
  EXPECT_EQ(text(file), "new");
}

TEST_F(OutputFile, ADeviceStaysADevice) {
  std::string device = path("null"), full = path("full");
  if (mknod(device.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 || mknod(full.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0)
    GTEST_SKIP() << "this user makes no devices: " << std::strerror(errno);
  Result<void> written = writeOutputFile(device, {"gone"});
  if (!written) GTEST_SKIP() << "devices cannot be opened here: " << written.error().message;
  EXPECT_TRUE(S_ISCHR(info(device).st_mode));
  fs::create_symlink("null", path("link"));
  EXPECT_EQ(message(writeOutputFile(path("link"), {"gone"})), "");
  EXPECT_TRUE(S_ISCHR(info(device).st_mode));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  // /dev/full: every write fails as on a full disk.
  EXPECT_EQ(message(writeOutputFile(full, {"x"})), "cannot write " + full + ": " + std::strerror(ENOSPC));
  EXPECT_TRUE(S_ISCHR(info(full).st_mode));
  EXPECT_EQ(filesThere(), 3U);
}

TEST_F(OutputFile, APipeIsWrittenInto) {
  std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = text(pipe); });
  std::string many(200'000, 'x'); // more than a pipe holds
  EXPECT_EQ(message(writeOutputFile(pipe, {many, "end"})), "");
  reader.join();
  EXPECT_EQ(got, many + "end");
  EXPECT_TRUE(S_ISFIFO(info(pipe).st_mode));
}

TEST_F(OutputFile, APathOfAnOpenDescriptorIsThatDescriptor) {
  std::string file = path("out");
  int descriptor = open(file.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(descriptor, 0);
  ino_t number = info(file).st_ino;
  EXPECT_EQ(write(descriptor, "before ", 7), 7);
  for (const char *folder : {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"})
    EXPECT_EQ(message(writeOutputFile(folder + std::to_string(descriptor), {"x"})), "");
  EXPECT_EQ(write(descriptor, " after", 6), 6);
  close(descriptor);
  EXPECT_EQ(text(file), "before xxx after");
  EXPECT_EQ(info(file).st_ino, number);
  EXPECT_NE(message(writeOutputFile("/dev/fd/987654", {"x"})), "");
  EXPECT_NE(message(writeOutputFile("/dev/fd/no", {"x"})), "");
}

TEST_F(OutputFile, WhatCannotBeWrittenSaysWhy) {
  EXPECT_EQ(message(writeOutputFile(folder_.string(), {"x"})), "cannot write " + folder_.string() + ": it is a folder");
  EXPECT_EQ(message(writeOutputFile(path("no/such"), {"x"})), "cannot write " + path("no/such") + ": " + std::strerror(ENOENT));
  EXPECT_EQ(message(writeOutputFile("", {"x"})), std::string("cannot write : ") + std::strerror(ENOENT));
  std::string file = makeFile("file", "");
  EXPECT_EQ(message(writeOutputFile(file + "/inner", {"x"})), "cannot write " + file + "/inner: " + std::strerror(ENOTDIR));
}

// If a name has the maximum length that the file system accepts, no suffix can be appended to it.
TEST_F(OutputFile, ALongNameIsNoMatter) {
  std::string file = path(std::string(255, 'n'));
  EXPECT_EQ(message(writeOutputFile(file, {"x"})), "");
  EXPECT_EQ(message(writeOutputFile(file, {"y"})), "");
  EXPECT_EQ(text(file), "y");
}

TEST_F(OutputFile, AFileInAFolderThatIsReadOnlyIsWrittenInPlace) {
  std::string file = makeFile("mine", "a longer text than the new one", 0666);
  chmod(folder_.path().c_str(), 0755);
  if (geteuid() != 0) chmod(folder_.path().c_str(), 0555);
  ino_t number = info(file).st_ino;
  EXPECT_EQ(asNobody([&] { return writeOutputFile(file, {"new"}) ? 0 : 1; }), 0);
  EXPECT_EQ(text(file), "new");
  EXPECT_EQ(info(file).st_ino, number);
  // A new file cannot be created in the folder.
  EXPECT_EQ(asNobody([&] {
              return message(writeOutputFile(path("other"), {"x"})) ==
                             "cannot write " + path("other") + ": " + std::strerror(EACCES)
                         ? 0
                         : 1;
            }),
            0);
}

TEST_F(OutputFile, AFileThatIsReadOnlyStays) {
  std::string file = makeFile("theirs", "old", 0444);
  chmod(folder_.path().c_str(), 0777);
  EXPECT_EQ(asNobody([&] {
              return message(writeOutputFile(file, {"new"})) == "cannot write " + file + ": " + std::strerror(EACCES) ? 0 : 1;
            }),
            0);
  EXPECT_EQ(text(file), "old");
}

// A file of another user that everyone may write to: a new file in its place would have the wrong owner.
TEST_F(OutputFile, AFileOfAnotherUserKeepsItsOwner) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes files of other users";
  std::string file = makeFile("theirs", "a longer text than the new one", 0666);
  ASSERT_EQ(chown(file.c_str(), 12, 34), 0);
  chmod(folder_.path().c_str(), 0777);
  EXPECT_EQ(asNobody([&] { return writeOutputFile(file, {"new"}) ? 0 : 1; }), 0);
  EXPECT_EQ(text(file), "new");
  EXPECT_EQ(info(file).st_uid, 12U);
  EXPECT_EQ(filesThere(), 1U);
}

// Links, pipes and files that another user has put into a folder like /tmp: none may redirect or receive the output.
TEST_F(OutputFile, WhatOthersPutIntoASharedFolderIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes files of other users";
  constexpr uid_t kOther = 65534;
  fs::create_directory(path("shared"));
  chmod(path("shared").c_str(), 01777);
  std::string mine = makeFile("mine", "old"), absent = path("absent");
  for (const std::string &target : {mine, absent}) {
    std::string link = path("shared/link");
    fs::create_symlink(target, link);
    ASSERT_EQ(lchown(link.c_str(), kOther, kOther), 0);
    EXPECT_EQ(message(writeOutputFile(link, {"new"})),
              "cannot write " + link + ": it is a symbolic link of another user in a world-writable folder");
    // This also holds if a link of this user leads to that link.
    fs::remove(path("first"));
    fs::create_symlink("shared/link", path("first"));
    EXPECT_NE(message(writeOutputFile(path("first"), {"new"})), "");
    ASSERT_EQ(lchown(link.c_str(), 0, 0), 0);
    EXPECT_EQ(message(writeOutputFile(link, {"new"})), "");
    EXPECT_EQ(text(target), "new");
    fs::remove(link);
  }
  std::string pipe = path("shared/pipe"), file = makeFile("shared/file", "old", 0666);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0666), 0);
  ASSERT_EQ(chown(pipe.c_str(), kOther, kOther), 0);
  ASSERT_EQ(chown(file.c_str(), kOther, kOther), 0);
  EXPECT_EQ(message(writeOutputFile(pipe, {"new"})),
            "cannot write " + pipe + ": it is a pipe of another user in a world-writable folder");
  EXPECT_EQ(message(writeOutputFile(file, {"new"})),
            "cannot write " + file + ": it is a file of another user in a world-writable folder");
  EXPECT_EQ(text(file), "old");
  // Files of the folder's owner are trusted, as Linux does (fs.protected_regular).
  ASSERT_EQ(chown(path("shared").c_str(), kOther, kOther), 0);
  EXPECT_EQ(message(writeOutputFile(file, {"new"})), "");
  EXPECT_EQ(text(file), "new");
}

// The temporary files of a process with the same number, in another container that shares the folder.
TEST_F(OutputFile, TemporaryFilesOfOthersStay) {
  for (int i = 0; i < 300; ++i) makeFile(".xt-" + std::to_string(getpid()) + "-" + std::to_string(i) + ".tmp", "theirs");
  EXPECT_EQ(message(writeOutputFile(path("new"), {"x"})), "");
  EXPECT_EQ(filesThere(), 301U);
}

// The old content stays if there is no room for the new one.
TEST_F(OutputFile, AFileThatGrowsTooLargeLeavesTheOldOne) {
  std::string file = makeFile("old", "old");
  EXPECT_EQ(asNobody([] { return 0; }), 0);
  pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    bool right =
        message(writeOutputFile(file, {std::string(5000, 'x')})) == "cannot write " + file + ": " + std::strerror(EFBIG);
    _exit(right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text(file), "old");
  EXPECT_EQ(filesThere(), 1U);
}

// Signals arrive during writing, at ten different moments.
TEST_F(OutputFile, ASignalLeavesTheOldFileAndNothingElse) {
  std::string file = makeFile("old", "old");
  std::string large(32 << 20, 'x');
  for (int i = 0; i < 10; ++i) {
    pid_t child = fork();
    if (child == 0) {
      removeTemporariesOnSignals();
      for (;;) (void)writeOutputFile(path("other"), {large}).ok();
    }
    while (filesThere() < (i == 0 ? 2U : 3U)) std::this_thread::yield();
    kill(child, i % 2 ? SIGINT : SIGTERM);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    for (const auto &entry : fs::directory_iterator(folder_.path()))
      EXPECT_FALSE(entry.path().filename().string().starts_with(".xt-")) << entry.path();
    EXPECT_EQ(text(file), "old");
    if (!fs::exists(path("other"))) std::ofstream(path("other")) << "old";
  }
}

TEST_F(OutputFile, IsCheckedBeforeItIsWritten) {
  EXPECT_TRUE(checkOutputFile(path("new")));
  EXPECT_FALSE(fs::exists(path("new")));
  makeFile("old", "text");
  EXPECT_TRUE(checkOutputFile(path("old")));
  EXPECT_EQ(text(path("old")), "text");
  Result<void> absent = checkOutputFile(path("absent/new"));
  ASSERT_FALSE(absent);
  EXPECT_FALSE(checkOutputFile(""));
  EXPECT_FALSE(checkOutputFile(folder_.string()));
  EXPECT_NE(absent.error().message.find("No such file"), std::string::npos) << absent.error().message;
}

} // namespace
} // namespace xt
