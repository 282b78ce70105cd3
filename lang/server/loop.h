// Runs the server on two file descriptors with two threads: one reads messages, the other handles them.
#pragma once

namespace xt::lsp {

// Serves until the client sends `exit` or the input ends. Ends the process with the exit status; never returns.
int serve(int input, int output);

} // namespace xt::lsp
