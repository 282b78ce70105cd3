// Where the compiler's own code is: in a program, or in libxt.so, which any program may have loaded.
#pragma once
#include <string>

namespace xt {

std::string ownCode();       // the path of the file that contains this code: of libxt.so, or of the program
std::string ownCodeFolder(); // the folder of that file

} // namespace xt
