#include "ir/base/timed_reader.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <unistd.h>

namespace xt {
namespace {

using File = TimedReader::File;
using Stamp = TimedReader::Stamp;

TEST(TimedReader, AnswersArePassedOn) {
  TimedReader reader(TimedReader::kLimit,
                     [](const std::string &path, int64_t most, std::optional<Stamp> known) -> Result<File> {
                       if (path == "absent") return Error::environment("cannot read absent");
                       return File{{most, known ? known->bytes : 0}, path};
                     });
  Result<File> file = reader.read("a", 7, Stamp{1, 2}), absent = reader.read("absent", 7);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->text, "a");
  EXPECT_EQ(file->stamp, (Stamp{7, 2}));
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message, "cannot read absent");
}

// The read ends only when the test allows it, so that the reader's time limit comes first on any machine.
TEST(TimedReader, AReadWithoutAnAnswerIsGivenUp) {
  auto released = std::make_shared<std::promise<void>>();
  std::shared_future<void> release = released->get_future().share();
  auto reads = std::make_shared<std::atomic<int>>(0);
  TimedReader reader(std::chrono::milliseconds(20),
                     [=](const std::string &path, int64_t, std::optional<Stamp>) -> Result<File> {
                       ++*reads;
                       release.wait();
                       return File{{}, path};
                     });
  for (int i = 0; i < 3; ++i) {
    Result<File> file = reader.read("hangs", 1);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind, Error::Kind::Environment);
    EXPECT_EQ(file.error().message, "cannot read hangs: no answer within 0 seconds");
  }
  while (*reads == 0) usleep(1000); // the thread may start late
  EXPECT_EQ(*reads, 1);             // only one thread reads the path
  released->set_value();
  while (!reader.read("hangs", 1)) usleep(1000); // once that thread has ended, the path is read again
  EXPECT_GE(*reads, 2);
}

TEST(TimedReader, FilesAreReadWhenTheyHaveChanged) {
  test::TemporaryFolder parent;
  std::filesystem::path path = parent / "file";
  TimedReader reader;
  Result<File> absent = reader.read(path, 100);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message, "");
  Result<File> folder = reader.read(parent.string(), 100);
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("it is a folder"), std::string::npos) << folder.error().message;
  std::ofstream(path) << "four";
  Result<File> file = reader.read(path, 100);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->text, "four");
  EXPECT_EQ(file->stamp.bytes, 4);
  Result<File> same = reader.read(path, 100, file->stamp);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->text, std::nullopt);
  std::ofstream(path) << "longer";
  Result<File> changed = reader.read(path, 100, file->stamp);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->text, "longer");
}

} // namespace
} // namespace xt
