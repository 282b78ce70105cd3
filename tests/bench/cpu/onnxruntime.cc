// The node package of onnxruntime, which contains the library without headers: a script in this folder times it in a separate
// process and writes the result to a file.
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "tests/bench/cpu/operators.h"
#include "tests/temporary_folder.h"

#include <cstdio>
#include <fstream>

namespace xt::bench {
namespace {

constexpr const char *kScript = XT_SOURCE_DIR "/tests/bench/cpu/onnxruntime.js";

bool write(const std::string &path, const Matrix &matrix) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char *>(matrix.data.get()), matrix.bytes());
  return file.good();
}

bool read(const std::string &path, const Matrix &matrix) {
  std::ifstream file(path, std::ios::binary);
  return static_cast<bool>(file.read(static_cast<char *>(matrix.data.get()), matrix.bytes()));
}

// Returns the number that the script prints, or 0 if it prints none.
double millisecondsOf(const std::string &command) {
  FILE *output = popen(command.c_str(), "r");
  if (!output) return 0;
  double milliseconds = 0;
  if (std::fscanf(output, "%lf", &milliseconds) != 1) milliseconds = 0;
  pclose(output);
  return milliseconds;
}

} // namespace

void addOnnxRuntime(const Operator &op, int threads, std::vector<Side> &sides, std::string &why) {
  if (op.kind != Operator::Kind::Attention || op.elem != Elem::F32) return;
  test::TemporaryFolder folder;
  bool written = true;
  for (size_t i = 0; i < op.inputs.size(); ++i) written = written && write(str(folder.string(), "/", "qkv"[i]), op.inputs[i]);
  constexpr int kRounds = 15;
  Side side{"onnxruntime", makeMatrix(Elem::F32, op.rows, op.columns), {}};
  if (written)
    side.seconds = 1e-3 * millisecondsOf(str("node '", kScript, "' '", folder.string(), "' ", op.size(0), " ", op.size(1), " ",
                                             op.size(2), " ", threads, " ", kRounds, " 2>/dev/null"));
  if (side.seconds > 0 && read(folder.string() + "/o", side.result))
    sides.push_back(std::move(side));
  else
    why += "onnxruntime is not there\n";
}

} // namespace xt::bench
