// Tests that after any sequence of edits, the server reports the same messages as a fresh check of the text.
#include "ir/base/uri.h"
#include "tests/lang/server/check_again.h"
#include "tests/lang/server/random_edits.h"

namespace xt {
namespace {

namespace fs = std::filesystem;
using test::programs;

// A program, and another one in the same folder that it may import as "b".
class Editing {
public:
  explicit Editing(const fs::path &path) : path_(path), otherPath_(path.parent_path() / "b.xt") {
    workspace_.setStdlib(imports().stdlib);
    document_ = &workspace_.open(uriOfPath(path_), 1, "");
    other_ = &workspace_.open(uriOfPath(otherPath_), 1, "");
  }
  lsp::Document &document() { return *document_; }
  lsp::Document &other() { return *other_; }
  void set(lsp::Document &document, const std::string &text) {
    workspace_.change(document, document.version() + 1, lsp::Text(text));
  }
  void replace(lsp::Document &document, const test::RandomEdit &edit) {
    lsp::Text text = document.text();
    text.replace({static_cast<uint32_t>(edit.begin), static_cast<uint32_t>(edit.end)}, edit.with);
    workspace_.change(document, document.version() + 1, std::move(text));
  }
  const std::string &text() const { return document_->text().str(); }
  void check() { workspace_.analyse(*document_); }

  // Checks that the messages equal those of a fresh check; stops the test if they differ.
  void compare() {
    ASSERT_EQ(test::fromServer(workspace_, *document_, false), test::fromScratch(path_, text(), imports(), false))
        << path_ << "\n"
        << text() << "\n-- b.xt\n"
        << other_->text().str();
  }

private:
  ImportOptions imports() const {
    ImportOptions options = importsFromDisk();
    options.stdlib = test::sourceFolder() / "stdlib";
    options.read = [this, disk = options.read](const std::string &path) {
      return path == otherPath_ ? Result<std::string>(other_->text().str())
             : path == path_    ? Result<std::string>(text())
                                : disk(path);
    };
    return options;
  }

  std::string path_, otherPath_;
  lsp::Workspace workspace_;
  lsp::Document *document_, *other_;
};

// Types a program in steps of `step` bytes, with a check after each.
void type(Editing &editing, std::string_view text, size_t step) {
  for (size_t at = 0; at < text.size(); at += step) {
    editing.replace(editing.document(), {at, at, std::string(text.substr(at, step))});
    editing.check();
  }
}

// With XT_TYPE_EVERY_CHARACTER set, types the characters one by one.
TEST(ServerEdits, TypingEachProgram) {
  const bool every = std::getenv("XT_TYPE_EVERY_CHARACTER") != nullptr;
  for (const fs::path &path : programs()) {
    Editing editing(path);
    std::string text = test::readText(path);
    type(editing, text, every ? 1 : std::max<size_t>(17, text.size() / 40));
    ASSERT_EQ(editing.text(), text);
    editing.compare();
    if (HasFatalFailure()) return;
  }
}

// Texts for which the results once differed, both inserted at once and typed. A file may have several texts in sequence.
TEST(ServerEdits, WhatOnceDiffered) {
  constexpr std::string_view kThen = "// then\n";
  for (const fs::path &path : test::filesIn("lang/server/found", ".xt")) {
    std::string all = test::readText(path);
    Editing editing(path);
    for (size_t begin = 0, end = 0; begin < all.size(); begin = end + kThen.size()) {
      end = std::min(all.find(kThen, begin), all.size());
      std::string text = all.substr(begin, end - begin);
      editing.set(editing.document(), text);
      editing.compare();
      if (HasFatalFailure()) return;
    }
    editing.set(editing.document(), "");
    for (size_t at = 0; at < all.size(); ++at) {
      editing.replace(editing.document(), {at, at, std::string(1, all[at])});
      editing.compare();
      if (HasFatalFailure()) return;
    }
  }
}

TEST(ServerEdits, RandomEditsGiveWhatAFreshCheckGives) {
  std::vector<fs::path> files = programs();
  test::RandomEdits random(test::wantedSeed());
  constexpr size_t kEditsOfOne = 25, kMostBytes = 100000;
  for (size_t done = 0; done < test::wantedEdits(); done += kEditsOfOne) {
    Editing editing(files[random.below(files.size())]);
    editing.set(editing.document(), test::readText(editing.document().path()));
    if (random.below(4) == 0) {
      editing.set(editing.other(), test::readText(files[random.below(files.size())]));
      editing.replace(editing.document(), {0, 0, "import \"b\"\n"});
    }
    std::string saved = editing.text();
    for (size_t i = 0; i < kEditsOfOne; ++i) {
      SCOPED_TRACE(str("seed ", test::wantedSeed(), ", edit ", done + i));
      lsp::Document &edited = random.below(5) == 0 ? editing.other() : editing.document();
      if (random.below(8) == 0)
        editing.set(editing.document(), saved); // undo
      else
        editing.replace(edited, random.edit(edited.text().str()));
      if (random.below(8) == 0) saved = editing.text();
      if (edited.text().size() > kMostBytes) editing.set(edited, "");
      if (i + 1 == kEditsOfOne || random.below(5) == 0)
        editing.compare();
      else
        editing.check();
      if (HasFatalFailure()) return;
    }
  }
}

} // namespace
} // namespace xt
