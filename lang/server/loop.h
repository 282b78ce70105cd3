// The server on two file descriptors: a thread that reads, and one that works.
#pragma once

namespace xt::lsp {

// Until `exit` or the end of the input. Gives the exit status.
int serve(int input, int output);

} // namespace xt::lsp
