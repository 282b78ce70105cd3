// Times the language server on traces of edits: from the bytes of a message to the bytes of its answer, in percentiles. With
// --cpu it measures CPU time instead of wall-clock time, which is the time on an idle machine. The argument `many`, `one` or
// `big` restricts it to that file.
//   cmake --build --preset release --target xt_bench_lsp && build/release/bin/xt_bench_lsp
#include "ir/base/text.h"
#include "lang/lower/disk.h"
#include "lang/server/frames.h"
#include "lang/server/server.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace xt::lsp {
namespace {

bool processorTime = false;

double milliseconds() {
  timespec now{};
  clock_gettime(processorTime ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Returns a kernel of about `lines` lines.
std::string kernel(int number, int lines) {
  std::string text =
      str("kernel @k", number,
          "(%A: memref<?x?xf32>, %B: memref<?x?xf32>) grid (%i = 0 to dim(%A, 0) step 64, %j = 0 to dim(%A, 1) step 64) {\n"
          "  %ta = init_tile %A[%i, %j] -> tile<64x64xf32, #map>\n"
          "  %x0 = load_tile %ta\n");
  int last = 0;
  for (int line = 6; line < lines; ++line) {
    text += str("  %x", last + 1, " = ",
                line % 3 == 0   ? str("exp(%x", last, ")")
                : line % 3 == 1 ? str("%x", last, " * 0.5 + %x0")
                                : str("max(%x", last, ", %x0)"),
                "\n");
    ++last;
  }
  return text + str("  %tb = init_tile %B[%i, %j] -> tile<64x64xf32, #map>\n  store_tile %x", last, ", %tb\n}\n\n");
}

std::string file(int kernels, int lines) {
  std::string text = "#map = #wg_map<sg_layout = [4, 2], sg_data = [16, 32]>\n\n";
  for (int i = 0; i < kernels; ++i) text += kernel(i, lines);
  return text;
}

class Bench {
public:
  explicit Bench(const char *name, std::string text)
      : name_(name), server_([this](const Json &m) { sent_ += framed(jsonText(m)).size(); }), text_(std::move(text)) {
    ask("initialize", {{"capabilities", Json::object()}});
    notify("textDocument/didOpen",
           {{"textDocument", {{"uri", kUri}, {"languageId", "xt"}, {"version", 1}, {"text", text_.str()}}}});
    std::printf("%s: %u lines, %zu bytes; opened in %.1f ms\n", name_, text_.lineCount() - 1, text_.str().size(), last_);
  }

  // Replaces a range of bytes, and waits for the diagnostics.
  void edit(Span span, const std::string &with) {
    Json params = {{"textDocument", {{"uri", kUri}, {"version", ++version_}}},
                   {"contentChanges", Json::array({{{"range", text_.range(span, Encoding::Utf16)}, {"text", with}}})}};
    text_.replace(span, with);
    notify("textDocument/didChange", params);
    times_.push_back(last_);
    for (const char *method : {"textDocument/completion", "textDocument/hover"}) {
      ask(method, {{"textDocument", {{"uri", kUri}}},
                   {"position", text_.position(span.begin + static_cast<uint32_t>(with.size()), Encoding::Utf16)}});
      (method[13] == 'c' ? completions_ : hovers_).push_back(last_);
    }
  }
  const Text &text() const { return text_; }

  void report(const char *trace) {
    row(trace, "didChange to diagnostics", times_);
    row(trace, "completion", completions_);
    row(trace, "hover", hovers_);
  }

private:
  static constexpr const char *kUri = "untitled:bench.xt";

  void notify(const char *method, const Json &params) { take({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}); }
  void ask(const char *method, const Json &params) {
    take({{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}});
  }
  void take(const Json &message) {
    std::string bytes = framed(jsonText(message));
    double start = milliseconds();
    FrameReader reader;
    reader.add(bytes);
    Json parsed;
    if (std::optional<Frame> frame = reader.next(); frame && parseJson(frame->body, parsed)) server_.handle(parsed);
    if (server_.hasUnpublished()) server_.publish();
    last_ = milliseconds() - start;
    server_.tidy();
  }

  static void row(const char *trace, const char *what, std::vector<double> &times) {
    std::sort(times.begin(), times.end());
    auto at = [&](double share) { return times[static_cast<size_t>(share * static_cast<double>(times.size() - 1))]; };
    std::printf("  %-10s %-26s n %5zu  p50 %7.2f  p90 %7.2f  p99 %7.2f  max %7.2f ms\n", trace, what, times.size(), at(0.5),
                at(0.9), at(0.99), times.back());
    times.clear();
  }

  const char *name_;
  Server server_;
  Text text_;
  size_t sent_ = 0;
  int id_ = 0, version_ = 1;
  double last_ = 0;
  std::vector<double> times_, completions_, hovers_;
};

// Types statements in the middle of a kernel, one character at a time, so that most states have errors.
void typing(Bench &bench, int statements) {
  for (int i = 0; i < statements; ++i) {
    uint32_t line = bench.text().lineCount() / 2 + static_cast<uint32_t>(i);
    uint32_t at = bench.text().lineStart(line);
    std::string statement = str("  %y", i, " = exp(%x0) + 1.0\n");
    for (char c : statement) bench.edit({at, at}, std::string(1, c)), ++at;
  }
  bench.report("typing");
}

void deleting(Bench &bench, int characters) {
  uint32_t line = bench.text().lineCount() / 2;
  uint32_t at = bench.text().lineEnd(line);
  for (int i = 0; i < characters && at > 0; ++i, --at) bench.edit({at - 1, at}, "");
  bench.report("deleting");
}

void pasting(Bench &bench, const char *trace, const std::string &pasted, int times) {
  for (int i = 0; i < times; ++i) {
    uint32_t at = bench.text().size();
    bench.edit({at, at}, pasted);
    bench.edit({at, bench.text().size()}, ""); // undo
  }
  bench.report(trace);
}

void memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS") || line.starts_with("VmHWM")) std::printf("%s\n", line.c_str());
}

// Returns the first 500 lines of the standard library, which differ from those of the file and from one another.
std::string library() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(stdlibFolder()))
    if (entry.path().extension() == ".xt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string text;
  int lines = 0;
  for (const std::filesystem::path &path : files) {
    std::ifstream in(path);
    for (std::string line; lines < 500 && std::getline(in, line); ++lines) text += line + "\n";
  }
  return text;
}

void many(int typed) {
  Bench bench("5 000 lines in kernels of 40", file(125, 39));
  memory();
  typing(bench, typed);
  deleting(bench, 400);
  std::string pasted;
  for (int i = 0; i < 12; ++i) pasted += kernel(1000 + i, 41);
  pasting(bench, "paste", pasted, 50);
  pasting(bench, "library", library(), 50);
  memory();
}

void one(int typed) {
  Bench bench("one kernel of 1 500 lines", file(1, 1500));
  typing(bench, typed);
  deleting(bench, 200);
  memory();
}

void big(int typed) {
  Bench bench("10 000 lines in kernels of 40", file(250, 39));
  typing(bench, typed);
}

// Each file runs in a separate process, to measure its memory separately.
int run(std::string_view which) {
  struct Row {
    std::string_view name;
    void (*bench)(int);
    int typed;
  };
  constexpr Row kRows[] = {{"many", many, 40}, {"one", one, 20}, {"big", big, 10}};
  for (const Row &row : kRows) {
    if (!which.empty() && which != row.name) continue;
    std::fflush(stdout);
    pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
      row.bench(row.typed);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return 1;
  }
  return 0;
}

} // namespace
} // namespace xt::lsp

int main(int argc, char **argv) {
  std::string_view which;
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--cpu")
      xt::lsp::processorTime = true;
    else
      which = argv[i];
  return xt::lsp::run(which);
}
