// Tests attacks on the tools' inputs and outputs: outputs that are not regular files, full disks, limits, signals, endless
// inputs. All outputs are in a separate folder; devices are nodes in it.
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <vector>

namespace xt::test {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
  void SetUp() override { chmod(folder_.path().c_str(), 0777); } // commands that run as other users write to it
  void TearDown() override { fs::permissions(folder_.path(), fs::perms::owner_all); }
  std::string path(const std::string &name) const { return folder_ / name; }
  // Runs the command in the folder and stops it if it hangs.
  ToolRun run(const std::string &command) const {
    return runTool("cd " + folder_.string() + " && export XT_CACHE_DIR= TMPDIR=$PWD && " + command);
  }
  // A prefix that runs a command as an unprivileged user if this user is root.
  static std::string asNobody() { return geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""; }
  static std::string text(const std::string &file) {
    std::ostringstream out;
    out << std::ifstream(file, std::ios::binary).rdbuf();
    return out.str();
  }
  static void expectNoCrash(const std::string &command, const ToolRun &run) {
    EXPECT_LT(run.status, 65) << command << '\n' << run.output;
    for (const char *word : {"compiler bug", "terminate called", "Aborted", "Segmentation", "core dumped", "LLVM ERROR"})
      EXPECT_EQ(run.output.find(word), std::string::npos) << command << '\n' << run.output;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto &entry : fs::directory_iterator(folder_.path())) found.push_back(entry.path().filename());
    return found;
  }
  TemporaryFolder folder_;
};

// All commands by which the tools print something.
const char *const kPrinting[] = {
    "%bin/xtc --help",
    "%bin/xtc --version",
    "%bin/xtc --list-ops",
    "%bin/xtc --list-passes",
    "%bin/xtc --list-codes",
    "%bin/xtc --reference ops",
    "%bin/xtc --explain XT0402",
    "%bin/xtc --emit=ast %in/good.xt",
    "%bin/xtc --emit=ir %in/good.xt",
    "%bin/xtc --emit=llvm %in/good.xt",
    "%bin/xtc --emit=asm %in/good.xt",
    "%bin/xtc --emit=obj %in/good.xt",
    "%bin/xtc --target=xe-pvc --emit=spirv %in/good.xt",
    "%bin/xtc --target=xe-pvc --report %in/good.xt",
    "%bin/xtc --dump-after=all %in/good.xt",
    "%bin/xtc --format=json %in/good.xt",
    "%bin/xtc --format=sarif %in/good.xt",
    "%bin/xtc --format - <%in/good.xt",
    "echo 'kernel  @k()  {}' >k.xt; %bin/xtc --format --check k.xt",
    "%bin/xtc --query xe-pvc",
    "%bin/xtc --query xe-pvc --format=json",
    "%bin/xtc --show-layout '#wg_map<sg_layout = [2, 2], sg_data = [8, 8]>' --shape 16x16",
    "%bin/xtrun --help",
    "%bin/xtrun --version",
    "%bin/xtrun %in/good.xt",
    "%bin/xtrun --json %in/good.xt",
    "%bin/xtrun --describe %in/good.xt",
    "%bin/xtrun --describe --json %in/good.xt",
    "%bin/xtrun --devices",
    "%bin/xtrun --devices --json",
    "%bin/xt-lsp --help",
};

TEST_F(Files, WhatCannotBePrintedIsStatus3) {
  // Nobody reads this pipe. The commands use its number as a shell descriptor.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  for (std::string command : kPrinting) {
    std::string tool = command.find("xt-lsp") != std::string::npos  ? "xt-lsp"
                       : command.find("xtrun") != std::string::npos ? "xtrun"
                                                                    : "xtc";
    ToolRun full = run("{ " + command + "; } >/dev/full");
    EXPECT_EQ(full.status, 3) << command << '\n' << full.output;
    EXPECT_NE(full.output.find(tool + ": cannot write standard output"), std::string::npos) << command << '\n' << full.output;
    ToolRun closed = run("{ " + command + "; } >&-");
    EXPECT_EQ(closed.status, 3) << command << '\n' << closed.output;
    // There must be no message, as with `| head -1`.
    ToolRun gone = run("{ " + command + "; } >&" + std::to_string(ends[1]));
    EXPECT_EQ(gone.status, 3) << command << '\n' << gone.output;
    EXPECT_EQ(gone.output.find("standard output"), std::string::npos) << command << '\n' << gone.output;
  }
  close(ends[1]);
}

// If nothing is printed, an unusable standard output is not an error.
TEST_F(Files, AStandardOutputThatIsNotUsedIsNoMatter) {
  for (const char *to : {"/dev/full", "&-"}) {
    EXPECT_EQ(run("%bin/xtc %in/good.xt >" + std::string(to)).status, 0);
    EXPECT_EQ(run("%bin/xtc --emit=ir -o out.xt %in/good.xt >" + std::string(to)).status, 0);
    EXPECT_EQ(run("%bin/xtc --nonsense >" + std::string(to)).status, 64);
  }
  // A file that is opened must not get the number of a closed standard stream.
  EXPECT_EQ(run("%bin/xtc --emit=ir -o out.xt %in/absent.xt 2>&- >&- <&-").status, 3);
  EXPECT_EQ(run("%bin/xtrun --kernel double --arg A=iota:16x16 --out C=c.npy:16x16 %in/good.xt >&- 2>&-").status, 3);
  EXPECT_EQ(text(path("c.npy")).find("passed"), std::string::npos);
}

struct Writer {
  const char *command; // writes `out`
  const char *begins;  // beginning of the output
};
const Writer kWriters[] = {
    {"%bin/xtc --emit=ir -o out %in/good.xt", "kernel @double"},
    {"%bin/xtc --emit=obj -o out %in/good.xt", "\x7f"
                                               "ELF"},
    {"%bin/xtc --target=xe-pvc --emit=spirv -o out %in/good.xt", "\x03\x02\x23\x07"},
    {"%bin/xtc --format -o out unformatted.xt", "kernel @k() {"},
    {"%bin/xtc --show-layout '#wg_map<sg_layout = [2, 2], sg_data = [8, 8]>' --shape 16x16 -o out", "#wg_map"},
    {"%bin/xtc --show-layout '#wg_map<sg_layout = [2, 2], sg_data = [8, 8]>' --shape 16x16 --svg out", "<svg"},
    {"%bin/xtrun --kernel double --arg A=iota:16x16 --out C=out:16x16 --data-dir . %in/good.xt", "\x93NUMPY"},
    {"%bin/xtrun --data-dir . save.xt", "\x93NUMPY"},
    {"%bin/xtrun --bench --bench-time 0.05 --roofline out %in/good.xt", "<svg"},
};

// All commands by which the tools write a file are tested.
TEST_F(Files, EachOutputFollowsLinksAndWritesIntoWhatIsNoFile) {
  std::ofstream(path("unformatted.xt")) << "kernel   @k( )  {  }\n";
  std::ofstream(path("save.xt")) << "test \"t\" {\n  %A = random(seed = 1) : memref<4x4xf32>\n  save %A \"out\"\n}\n";
  bool device = mknod(path("device").c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0 &&
                std::ofstream(path("device")).put('x').flush().good();
  for (const Writer &writer : kWriters) {
    SCOPED_TRACE(writer.command);
    auto written = [&](const std::string &file) {
      EXPECT_EQ(text(file).substr(0, std::string(writer.begins).size()), writer.begins);
    };
    // The output is a link to a file with a different mode.
    std::ofstream(path("target")) << "old";
    chmod(path("target").c_str(), 0640);
    fs::create_symlink("target", path("out"));
    ToolRun linked = run(writer.command);
    EXPECT_EQ(linked.status, 0) << linked.output;
    EXPECT_TRUE(fs::is_symlink(path("out")));
    written(path("target"));
    struct stat info{};
    EXPECT_EQ(stat(path("target").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0640U);
    fs::remove(path("out"));
    // The output is a pipe.
    ASSERT_EQ(mkfifo(path("out").c_str(), 0600), 0);
    ToolRun piped = run("{ timeout 60 cat out >piped & " + std::string(writer.command) + "; status=$?; wait; exit $status; }");
    EXPECT_EQ(piped.status, 0) << piped.output;
    EXPECT_TRUE(fs::is_fifo(path("out")));
    written(path("piped"));
    fs::remove(path("out"));
    if (!device) continue;
    fs::create_symlink("device", path("out"));
    ToolRun nowhere = run(writer.command);
    EXPECT_EQ(nowhere.status, 0) << nowhere.output;
    EXPECT_TRUE(fs::is_symlink(path("out")));
    EXPECT_TRUE(fs::is_character_file(path("device")));
    fs::remove(path("out"));
  }
  for (const std::string &name : names()) EXPECT_EQ(name.find(".tmp"), std::string::npos) << name;
}

// --format writes to the file that it reads.
TEST_F(Files, FormattingKeepsLinksAndModes) {
  std::ofstream(path("target.xt")) << "kernel   @k( )  {  }\n";
  chmod(path("target.xt").c_str(), 0604);
  fs::create_symlink("target.xt", path("link.xt"));
  fs::create_hard_link(path("target.xt"), path("other.xt"));
  EXPECT_EQ(run("%bin/xtc --format link.xt").status, 0);
  EXPECT_TRUE(fs::is_symlink(path("link.xt")));
  EXPECT_EQ(text(path("target.xt")), "kernel @k() {}\n");
  EXPECT_EQ(text(path("other.xt")), text(path("target.xt")));
  struct stat info{};
  EXPECT_EQ(stat(path("target.xt").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0604U);
}

TEST_F(Files, StandardOutputAsAFile) {
  ToolRun piped = run("%bin/xtc --emit=ir -o /dev/stdout %in/good.xt");
  EXPECT_EQ(piped.status, 0);
  EXPECT_EQ(piped.output, run("%bin/xtc --emit=ir %in/good.xt").output);
  // The output must be placed after existing output and before later output.
  EXPECT_EQ(run("{ echo before; %bin/xtc --emit=ir -o /dev/stdout %in/good.xt; echo after; } >all").status, 0);
  EXPECT_EQ(text(path("all")), "before\n" + piped.output + "after\n");
  ToolRun array = run(
      "%bin/xtrun --quiet --kernel double --arg A=iota:16x16 --out C=/dev/stdout:16x16 %in/good.xt | head -c 6 | tail -c 5");
  EXPECT_EQ(array.output, "NUMPY");
}

TEST_F(Files, AFullDiskLeavesTheOldFile) {
  fs::create_directory(path("disk"));
  if (mount("none", path("disk").c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "this user mounts no file systems";
  std::ofstream(path("disk/c.npy")) << "old";
  std::ofstream(path("disk/o.xt")) << "old";
  std::ofstream(path("disk/fill")) << std::string(70'000, 'x');
  ToolRun array = run("%bin/xtrun --kernel double --arg A=iota:128x128 --out C=disk/c.npy:128x128 --data-dir . %in/good.xt");
  EXPECT_EQ(array.status, 3) << array.output;
  EXPECT_NE(array.output.find("No space left on device"), std::string::npos) << array.output;
  ToolRun text_ = run("%bin/xtc --emit=ir -o disk/o.xt %in/good.xt");
  EXPECT_EQ(text_.status, 3) << text_.output;
  EXPECT_EQ(text(path("disk/c.npy")), "old");
  EXPECT_EQ(text(path("disk/o.xt")), "old");
  size_t left = 0;
  for (const auto &entry : fs::directory_iterator(path("disk"))) left += entry.path().filename().string().starts_with(".xt-");
  EXPECT_EQ(left, 0U);
  umount(path("disk").c_str());
}

TEST_F(Files, AFileThatGrowsTooLarge) {
  for (const char *command :
       {"ulimit -f 0; %bin/xtc --emit=ir -o out %in/good.xt", "ulimit -f 1; %bin/xtc --list-ops >out",
        "ulimit -f 1; %bin/xtrun --kernel double --arg A=iota:128x128 --out C=out:128x128 --data-dir . %in/good.xt"}) {
    ToolRun run_ = run(command);
    EXPECT_EQ(run_.status, 3) << command << '\n' << run_.output;
    EXPECT_NE(run_.output.find("File too large"), std::string::npos) << command << '\n' << run_.output;
  }
}

TEST_F(Files, AFolderThatIsReadOnly) {
  fs::create_directory(path("closed"));
  std::ofstream(path("closed/mine")) << "old";
  chmod(path("closed/mine").c_str(), 0666);
  chmod(path("closed").c_str(), 0555);
  ToolRun fresh = run(asNobody() + "%bin/xtc --emit=ir -o closed/out %in/good.xt");
  EXPECT_EQ(fresh.status, 3) << fresh.output;
  EXPECT_NE(fresh.output.find("xtc: cannot write closed/out: Permission denied"), std::string::npos) << fresh.output;
  ToolRun there = run(asNobody() + "%bin/xtc --emit=ir -o closed/mine %in/good.xt");
  EXPECT_EQ(there.status, 0) << there.output;
  EXPECT_EQ(text(path("closed/mine")).substr(0, 7), "kernel ");
  chmod(path("closed").c_str(), 0755);
}

TEST_F(Files, AWorkingDirectoryThatIsGone) {
  for (const char *command :
       {"%bin/xtc --emit=ir %in/good.xt", "%bin/xtc --emit=ir -o out %in/good.xt", "%bin/xtc absent.xt",
        "%bin/xtc --format absent.xt", "%bin/xtrun %in/good.xt", "%bin/xtrun --json %in/good.xt",
        "%bin/xtrun --target=interp,xe %in/good.xt", "%bin/xtc --dump-after=all --dump-dir dumps %in/good.xt",
        "%bin/xtrun --kernel double --arg A=iota:16x16 --out C=c.npy:16x16 --data-dir . %in/good.xt",
        "XT_CACHE_DIR=cache %bin/xtrun %in/good.xt"}) {
    ToolRun run_ = run("mkdir gone && cd gone && rmdir ../gone && " + std::string(command));
    expectNoCrash(command, run_);
    bool writes = std::string_view(command).find("out") != std::string_view::npos ||
                  std::string_view(command).find("dumps") != std::string_view::npos ||
                  std::string_view(command).find("absent") != std::string_view::npos;
    EXPECT_EQ(run_.status, writes ? 3 : 0) << command << '\n' << run_.output;
  }
}

// The status is 127 if not even the libraries fit in memory. The system reports this.
TEST_F(Files, LittleMemoryIsAMessage) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers need much address space";
#endif
  int refused = 0;
  for (const char *command : {"%bin/xtc --emit=asm %in/good.xt >out", "%bin/xtrun %in/good.xt >out",
                              "%bin/xtrun --target=interp %in/good.xt >out", "%bin/xtrun --target=xe %in/good.xt >out"})
    for (int kib = 150'000; kib < 1'000'000; kib += kib / 6) {
      std::string line = "ulimit -v " + std::to_string(kib) + "; " + command;
      ToolRun run_ = run(line);
      if (run_.status == 127) continue;
      expectNoCrash(line, run_);
      EXPECT_TRUE(run_.status == 0 || run_.status == 3) << line << ": " << run_.status << '\n' << run_.output;
      if (run_.status == 3) {
        EXPECT_GT(run_.output.size(), 10U) << line;
      }
      refused += run_.status == 3;
    }
  EXPECT_GT(refused, 0);
}

TEST_F(Files, FewThreadsAreAMessage) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer starts a thread of its own";
#endif
  for (const char *arguments : {"--threads 4 --target=cpu", "--target=xe", "--target=interp --time-limit 100"}) {
    std::string line = asNobody() +
                       "bash -c 'export ASAN_OPTIONS=detect_leaks=0; ulimit -u 1; exec %bin/xtrun " + // the leak check forks
                       arguments + " %src/examples/06_unaligned.xt --small'";
    ToolRun run_ = run(line);
    expectNoCrash(line, run_);
    EXPECT_TRUE(run_.status == 0 || run_.status == 3) << line << '\n' << run_.output;
    if (run_.status == 3) {
      EXPECT_GT(run_.output.size(), 10U) << line;
    }
  }
}

// Intel's compiler works on files in a separate temporary folder, which must be removed.
TEST_F(Files, ASignalRemovesTemporaries) {
  fs::create_directory(path("programs"));
  std::ofstream(path("programs/ocloc")) << "#!/bin/sh\ntouch more; touch ../started; exec sleep 10 >/dev/null 2>&1\n";
  chmod(path("programs/ocloc").c_str(), 0755);
  for (const char *signal : {"INT", "TERM"}) {
    fs::create_directory(path("temporary"));
    // A program in the background would ignore SIGINT, so the process that sends the signal runs in the background instead.
    ToolRun run_ =
        run("env --default-signal=INT,TERM bash -c '(for i in $(seq 100); do [ -e temporary/started ] && break; sleep 0.1; "
            "done; ls temporary; kill -" +
            std::string(signal) +
            " $$) & TMPDIR=$PWD/temporary PATH=$PWD/programs:$PATH exec %bin/xtc --target=xe-dg2 --emit=isa %in/good.xt'");
    EXPECT_NE(run_.output.find("xt-"), std::string::npos) << run_.output;
    EXPECT_EQ(run_.status, signal == std::string_view("INT") ? 130 : 143) << run_.output;
    fs::remove(path("temporary/started"));
    EXPECT_TRUE(fs::is_empty(path("temporary"))) << signal;
    fs::remove_all(path("temporary"));
  }
}

TEST_F(Files, InputsThatAreNoFilesAreRefused) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::ofstream(path("load.xt")) << "test \"t\" {\n  %A = load \"pipe\" : memref<4x4xf32>\n  save %A \"a.npy\"\n}\n";
  for (const std::string &input : {path("pipe"), std::string("/dev/zero"), std::string("/dev/stdin"), folder_.string()})
    for (const std::string &command :
         {"%bin/xtc " + input, "%bin/xtc --format " + input, "%bin/xtc --format --check " + input, "%bin/xtrun " + input,
          "%bin/xtc --show-layout '#a' --shape 16x16 " + input, "%bin/xtrun --describe " + input,
          "%bin/xtrun --bench --compare " + input + " %in/good.xt",
          "%bin/xtrun --kernel double --arg A=" + input + "/../pipe.npy %in/good.xt",
          std::string("%bin/xtrun --kernel double --arg A=in.npy --out C=c.npy:4x4 --data-dir . %in/good.xt"),
          std::string("%bin/xtrun --kernel double --arg A=iota:4x4 --expect C=in.npy --data-dir . %in/good.xt")}) {
      fs::remove(path("in.npy"));
      fs::create_symlink(input, path("in.npy"));
      ToolRun run_ = run("timeout 60 " + command);
      EXPECT_EQ(run_.status, 3) << command << '\n' << run_.output;
      EXPECT_NE(run_.output.find("cannot read "), std::string::npos) << command << '\n' << run_.output;
    }
  ToolRun loaded = run("timeout 60 %bin/xtrun load.xt");
  EXPECT_EQ(loaded.status, 3) << loaded.output;
  EXPECT_NE(loaded.output.find("it is a pipe, not a regular file"), std::string::npos) << loaded.output;
}

TEST_F(Files, InputsBeyondTheLimitAreRefused) {
  std::ofstream(path("large.xt")).put('\n');
  fs::resize_file(path("large.xt"), (uint64_t{1} << 30) + 1); // a sparse file without blocks
  ToolRun run_ = run("timeout 60 %bin/xtc large.xt");
  EXPECT_EQ(run_.status, 3) << run_.output;
  EXPECT_NE(run_.output.find("it has more than 1024 MiB"), std::string::npos) << run_.output;
}

} // namespace
} // namespace xt::test
