// Tests the editor support in the editors: in headless Neovim, in Emacs in batch mode, and in VS Code's grammar engine and
// language client under node. If xt-lsp is built, the tests use it as the server.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

namespace xt {
namespace {

const std::string kTests = XT_SOURCE_DIR "/tests/lang/server/editors", kEditorFolder = XT_SOURCE_DIR "/lang/server/editors";
const std::string kPackages = XT_BINARY_DIR "/node/node_modules"; // the packages that tests/run installs

bool has(const std::string &program) { return test::runTool("command -v " + program).status == 0; }

// Runs a script of this folder with an empty home folder, the tools in PATH, and the server if it is built.
void expectGood(const std::string &command) {
  std::string server =
      std::filesystem::exists(XT_BINARY_DIR "/bin/xt-lsp") ? "export XT_LSP=%bin/xt-lsp && " : "unset XT_LSP && ";
  test::TemporaryFolder home;
  test::ToolRun run = test::runTool(server + "export HOME=" + home.string() +
                                    " XT_ROOT=%src PATH=%bin:$PATH NODE_PATH=" + kPackages + " && cd $HOME && " + command);
  EXPECT_TRUE(run.output == "ok\n" || run.output.ends_with("\nok\n")) << command << '\n' << run.output;
}

TEST(Editors, Neovim) {
  if (!has("nvim")) GTEST_SKIP() << "the package neovim is not installed";
  expectGood("nvim --headless -u NONE -i NONE --cmd 'set rtp^=" + kEditorFolder +
             "/nvim' -c 'filetype plugin indent on | syntax on' -c 'luafile " + kTests + "/nvim_test.lua' 2>messages");
}

// The picture in the READMEs equals what Neovim and the server show now.
TEST(Editors, PictureOfAnError) {
  if (!has("nvim")) GTEST_SKIP() << "the package neovim is not installed";
  if (!std::filesystem::exists(XT_BINARY_DIR "/bin/xt-lsp")) GTEST_SKIP() << "xt-lsp is not built";
  test::TemporaryFolder folder;
  std::string made = (folder / "error.svg").string();
  expectGood("export XT_PICTURE=" + made + " && nvim --headless -u NONE -i NONE --cmd 'set rtp^=" + kEditorFolder +
             "/nvim' -c 'filetype plugin indent on | syntax on' -c 'luafile " + kEditorFolder +
             "/nvim/picture.lua' -c 'qall!' 2>messages");
  std::string picture = test::readText(made);
  for (const char *part : {"have different distributions", "one cell = 8x64", "one cell = 16x32"})
    EXPECT_NE(picture.find(part), std::string::npos) << part;
  // Other versions may place the message elsewhere.
  if (test::runTool("nvim --version | head -1").output == "NVIM v0.7.2\n")
    test::expectGolden(kEditorFolder + "/nvim/error.svg", picture);
}

TEST(Editors, Emacs) {
  if (!has("emacs")) GTEST_SKIP() << "the package emacs-nox is not installed";
  expectGood("emacs --batch -L " + kEditorFolder + "/emacs -l " + kTests + "/emacs_test.el 2>messages");
}

// The byte compiler gives no warning.
TEST(Editors, EmacsModeCompiles) {
  if (!has("emacs")) GTEST_SKIP() << "the package emacs-nox is not installed";
  expectGood("cp " + kEditorFolder +
             "/emacs/xt-mode.el . && emacs --batch --eval '(setq byte-compile-error-on-warn t)' -f batch-byte-compile "
             "xt-mode.el >messages 2>&1 "
             "&& echo ok || cat messages");
}

TEST(Editors, TextMateGrammar) {
  if (!has("node") || !std::filesystem::exists(kPackages + "/vscode-textmate"))
    GTEST_SKIP() << "node and the package vscode-textmate are not installed";
  expectGood("node " + kTests + "/grammar_test.js");
}

TEST(Editors, VsCodeClient) {
  if (!has("node") || !std::filesystem::exists(kPackages + "/vscode-languageclient"))
    GTEST_SKIP() << "node and the package vscode-languageclient are not installed";
  expectGood("node " + kTests + "/extension_test.js 2>messages");
}

// Builds the extension as vscode/README.md describes: the .vsix must contain everything that the extension needs, and its main
// file must load from there.
TEST(Editors, VsCodePackage) {
  const std::string vsce = XT_BINARY_DIR "/vsce/node_modules/.bin/vsce";
  if (!has("node") || !std::filesystem::exists(vsce)) GTEST_SKIP() << "node and the package @vscode/vsce are not installed";
  if (!std::filesystem::exists(kPackages + "/vscode-languageclient"))
    GTEST_SKIP() << "the package vscode-languageclient is not installed";
  expectGood("cp -r " + kEditorFolder + "/vscode v && cp %src/LICENSE v && cp -rL " + kPackages +
             " v/node_modules && cd v && npm prune --offline --no-audit --no-fund >../messages 2>&1 && " + vsce +
             " package --allow-missing-repository >>../messages 2>&1 || cat ../messages; node " + kTests +
             "/package_test.js xt-0.1.0.vsix");
}

// If the input does not come from a client, a message must say so.
TEST(Editors, InputThatIsNone) {
  if (!std::filesystem::exists(XT_BINARY_DIR "/bin/xt-lsp")) GTEST_SKIP() << "xt-lsp is not built";
  auto answer = [](const std::string &input) {
    test::ToolRun run = test::runTool("printf '" + input + "' | %bin/xt-lsp 2>&1 >/dev/null");
    EXPECT_EQ(run.status, 1) << input;
    return run.output;
  };
  EXPECT_EQ(
      answer("garbage"),
      "xt-lsp: no message came: each begins with `Content-Length: N` and an empty line (an editor starts this program)\n");
  EXPECT_EQ(answer("Content-Length: 2\\r\\n\\r\\n{}"), "xt-lsp: the input ended before `exit`\n");
  EXPECT_EQ(answer("Content-Length: 2\\r\\n\\r\\n{}Content-Length: 20\\r\\n\\r\\n{"),
            "xt-lsp: the input ended in the middle of a message\n");
}

} // namespace
} // namespace xt
