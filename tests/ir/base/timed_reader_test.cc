#include "ir/base/timed_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <filesystem>
#include <future>
#include <unistd.h>

namespace xt {
namespace {

TEST(TimedReader, AnswersAreGivenOn) {
  TimedReader reader(TimedReader::kLimit, [](const std::string &path, int64_t most) -> Result<std::string> {
    if (path == "absent") return Error::environment("cannot read absent");
    return path + std::to_string(most);
  });
  Result<std::string> text = reader.read("a", 7), absent = reader.read("absent", 7);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "a7");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message, "cannot read absent");
}

// The read ends when the test lets it, so that the reader gives up first however slow the machine is.
TEST(TimedReader, WhatDoesNotAnswerIsGivenUp) {
  auto released = std::make_shared<std::promise<void>>();
  std::shared_future<void> release = released->get_future().share();
  auto reads = std::make_shared<std::atomic<int>>(0), ended = std::make_shared<std::atomic<int>>(0);
  TimedReader reader(std::chrono::milliseconds(20), [=](const std::string &path, int64_t) -> Result<std::string> {
    if (path != "hangs") return path;
    ++*reads;
    release.wait();
    ++*ended;
    return path;
  });
  for (int i = 0; i < 3; ++i) {
    Result<std::string> text = reader.read("hangs", 1);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().kind, Error::Kind::Environment);
    EXPECT_EQ(text.error().message, "cannot read hangs: no answer within 0 seconds");
  }
  EXPECT_LE(*reads, 1); // the path has one thread
  released->set_value();
  while (*ended == 0) usleep(1000);
}

TEST(TimedReader, StampsAreOfFiles) {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("xt-stamp-" + std::to_string(getpid()));
  TimedReader reader;
  EXPECT_EQ(reader.stamp(path), TimedReader::Stamp());
  std::ofstream(path) << "four";
  TimedReader::Stamp stamp = reader.stamp(path);
  EXPECT_EQ(stamp.bytes, 4);
  EXPECT_GT(stamp.nanoseconds, 0);
  std::filesystem::remove(path);
}

} // namespace
} // namespace xt
