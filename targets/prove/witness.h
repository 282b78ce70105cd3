// Guesses of the workgroup and iterations that store an element, so that coverage can be shown without quantifiers.
#pragma once
#include "targets/prove/accesses.h"

namespace xt {

// Values for `symbols`, the coordinates and iteration numbers of an access, at which it is likely to cover the element. They are
// right where the first index is a sum of multiples of the symbols, larger multiples before smaller ones: of element e, first
// index 32 * i + 8 * k gives i = e / 32 and k = (e - 32 * i) / 8. A wrong guess covers nothing, and so shows nothing.
std::vector<Term> witness(const Access &access, std::span<const Term> symbols, std::span<const Term> element, Smt &smt);

} // namespace xt
