#include "lang/server/frames.h"

#include <gtest/gtest.h>

namespace xt::lsp {
namespace {

std::vector<std::string> read(FrameReader &reader) {
  std::vector<std::string> all;
  while (std::optional<Frame> frame = reader.next()) all.push_back(frame->problem.empty() ? frame->body : "problem");
  return all;
}

TEST(Frames, ComeInPieces) {
  std::string bytes = framed("{\"a\":1}") + framed("") + framed("[]");
  FrameReader reader;
  std::vector<std::string> all;
  for (char c : bytes) {
    reader.add({&c, 1});
    for (std::string &body : read(reader)) all.push_back(std::move(body));
  }
  EXPECT_EQ(all, (std::vector<std::string>{"{\"a\":1}", "", "[]"}));
  EXPECT_FALSE(reader.isInside());
}

TEST(Frames, HeadersThatAreWrongAreSkipped) {
  for (const char *header :
       {"Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n",
        "Content-Type: a\r\n\r\n", "nonsense\n\n", "Content-Length: 3000000000\r\n\r\n"}) {
    FrameReader reader;
    reader.add(header + framed("{}"));
    EXPECT_EQ(read(reader), (std::vector<std::string>{"problem", "{}"})) << header;
  }
}

TEST(Frames, OtherSpellings) {
  FrameReader reader;
  reader.add("content-length:2\nContent-Type: application/vscode-jsonrpc; charset=utf-8\n\n{}");
  EXPECT_EQ(read(reader), (std::vector<std::string>{"{}"}));
}

TEST(Frames, TruncatedOnesWait) {
  FrameReader reader;
  reader.add("Content-Length: 10\r\n\r\n{}");
  EXPECT_TRUE(read(reader).empty());
  EXPECT_TRUE(reader.isInside());
}

TEST(Frames, EndlessHeadersEnd) {
  FrameReader reader;
  reader.add(std::string(100000, 'x'));
  EXPECT_EQ(read(reader), (std::vector<std::string>{"problem"}));
}

} // namespace
} // namespace xt::lsp
