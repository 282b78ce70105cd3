#include "ir/base/input_file.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

namespace xt {
namespace {

namespace fs = std::filesystem;

class InputFile : public testing::Test {
protected:
  std::string path(const std::string &name) const { return folder_ / name; }
  static std::string message(const std::string &file, int64_t most = 100) {
    Result<std::string> text = readInputFile(file, most);
    return text ? "read: " + *text : text.error().message;
  }
  test::TemporaryFolder folder_;
};

TEST_F(InputFile, RegularFilesAreRead) {
  std::ofstream(path("file")) << "content";
  fs::create_symlink("file", path("link"));
  EXPECT_EQ(message(path("file")), "read: content");
  EXPECT_EQ(message(path("link")), "read: content");
  EXPECT_EQ(message(path("file"), 7), "read: content");
  EXPECT_EQ(message(path("file"), 6), "cannot read " + path("file") + ": it has more than 6 bytes");
  EXPECT_EQ(message("/proc/self/comm").substr(0, 6), "read: "); // the system reports the size 0 for this file
}

// None of these blocks the reader.
TEST_F(InputFile, OthersAreRefused) {
  EXPECT_EQ(message(path("absent")), "cannot read " + path("absent") + ": No such file or directory");
  EXPECT_EQ(message(folder_.string()), "cannot read " + folder_.string() + ": it is a folder");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(message(path("pipe")), "cannot read " + path("pipe") + ": it is a pipe, not a regular file");
  EXPECT_EQ(message("/dev/zero"), "cannot read /dev/zero: it is a device, not a regular file");
  fs::create_symlink("/dev/zero", path("zero"));
  EXPECT_EQ(message(path("zero")), "cannot read " + path("zero") + ": it is a device, not a regular file");
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  EXPECT_EQ(message(path("socket")), "cannot read " + path("socket") + ": it is a socket, not a regular file");
  close(listener);
}

} // namespace
} // namespace xt
