// Where the running program is.
#pragma once
#include <string>

namespace xt {

std::string ownProgram();       // the path of its file; "" if the system does not provide it
std::string ownProgramFolder(); // the folder of that file

} // namespace xt
