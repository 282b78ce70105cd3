// Guesses the workgroup and iterations that store an element, so that coverage can be shown without quantifiers.
#pragma once
#include "targets/prove/accesses.h"

namespace xt {

// Returns values for `symbols`, the coordinates and iteration numbers of an access, at which it is likely to cover the element.
// They are right if the first index is a sum of multiples of the symbols, where larger multiples come before smaller ones: for
// the element e, the first index 32 * i + 8 * k gives i = e / 32 and k = (e - 32 * i) / 8. A wrong guess covers nothing, and so
// shows nothing.
std::vector<Term> witness(const Access &access, std::span<const Term> symbols, std::span<const Term> element, Smt &smt);

} // namespace xt
