// xt-lsp: the language server on standard input and output.
#include "ir/base/process.h"
#include "lang/server/loop.h"

#include <cstdio>
#include <string_view>
#include <unistd.h>

int main(int argc, char **argv) {
  xt::startProcess("xt-lsp");
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    if (option == "--stdio") continue; // some clients pass it; it is the only mode
    bool help = option == "--help";
    std::fprintf(help ? stdout : stderr, "usage: xt-lsp [--stdio]\n"
                                         "Language server for .xt files: LSP 3.17 over standard input and output.\n"
                                         "XT_STDLIB: folder of the standard library.\n");
    return xt::endProcess(help ? 0 : 64);
  }
  return xt::lsp::serve(STDIN_FILENO, STDOUT_FILENO);
}
