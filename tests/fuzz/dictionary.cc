// Prints the dictionary for libFuzzer: fuzz_dictionary grammar/XtLexer.g4
#include "tests/fuzz/words.h"

#include <cstdio>
#include <fstream>
#include <sstream>

int main(int argc, char **argv) {
  std::ifstream in(argc == 2 ? argv[1] : "");
  if (!in) {
    std::fprintf(stderr, "usage: fuzz_dictionary grammar/XtLexer.g4\n");
    return 64;
  }
  std::ostringstream grammar;
  grammar << in.rdbuf();
  std::fputs(xt::fuzz::dictionaryText(xt::fuzz::grammarWords(grammar.str())).c_str(), stdout);
  std::fputs(xt::fuzz::dictionaryText(xt::fuzz::tableWords()).c_str(), stdout);
}
