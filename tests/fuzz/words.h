// The words of the language, from the tables that define it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace xt {
struct OpInfo;
}

namespace xt::fuzz {

// The ops of the table and the composites: all that a text may contain.
std::vector<const OpInfo *> writtenOps();

// Returns the texts in single quotes in the lexer's grammar (grammar/XtLexer.g4): keywords and punctuation.
std::vector<std::string> grammarWords(std::string_view grammar);
// Returns the names of ops with and without their dialects, attributes and their words, element types, forms and host
// functions, and some longer texts such as layouts. Sorted, without duplicates.
std::vector<std::string> tableWords();

// Returns a dictionary in libFuzzer's format: one word per line, in double quotes.
std::string dictionaryText(const std::vector<std::string> &words);

} // namespace xt::fuzz
