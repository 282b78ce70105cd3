// Errors in words and characters that shaping detects.
#pragma once
#include "lang/parse/item_state.h"

#include <span>

namespace xt {

// Reports that token i, which `why` describes, is not allowed here.
void notHere(ItemState &state, size_t i, std::string_view why);
// Emits the word at i as a token of this type. Reports that it is the misspelt keyword `meant` or, without `misspelt`, that
// `meant` was expected instead of it.
void takeWordAs(ItemState &state, size_t i, size_t type, std::string_view meant, bool misspelt = true);
// Takes the word at i as the most similar one of `candidates`, whose types are `types`. Returns false if none is similar.
bool tryMisspelt(ItemState &state, size_t i, std::span<const std::string_view> candidates, std::span<const size_t> types);
// Reports `acc = …` and `int acc = …`, and treats them as `%acc = …`. Returns false if token i starts neither.
bool takeUntypedName(ItemState &state, size_t i);
// Reports `%c32tile<256x32xf16>`, which lacks the colon before the signature's type and the blank.
void gluedName(ItemState &state, size_t i);
// Reports the missing `<` of `vector8x16xf32>` and `memref?x8xf32>`.
void missingAngle(ItemState &state, size_t i);
// Reports `{padding: 1.0}` and treats the `:` as `=`, unless the `:` starts a signature after an unclosed bracket.
bool takeKeyColon(ItemState &state, size_t i);
// Whether the `(` at i contains an op with a signature, as in `sitofp (index_cast %i : index -> i32) : …`; reports it.
bool opInParens(ItemState &state, size_t i);
// Reports an op in place of a value, as in `%x + broadcast %y [0] -> …` or `max(%x, load_tile %t)`. Emits it as the token of an
// op, so that the parser rejects the statement. The parser reports nothing, because shaping has reported the error.
bool opInExpression(ItemState &state, size_t i);
// Reports characters that belong to no token, a run of them as one error.
void takeStray(ItemState &state, size_t i);

} // namespace xt
