#include "tests/bench/cpu/operators.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "lang/lower/disk.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace xt::bench {
namespace {

struct Parts {
  std::string name, elem;
  std::vector<int64_t> sizes;
};

std::optional<Parts> partsOf(std::string_view cell) {
  char name[16] = "", elem[8] = "";
  long long sizes[3] = {0, 0, 0};
  std::string text(cell);
  Parts parts;
  int count = 3;
  if (std::sscanf(text.c_str(), "%15[a-z]:%lldx%lldx%lld:%7s", name, &sizes[0], &sizes[1], &sizes[2], elem) != 5) {
    count = 2;
    if (std::sscanf(text.c_str(), "%15[a-z]:%lldx%lld:%7s", name, &sizes[0], &sizes[1], elem) != 4) return std::nullopt;
  }
  parts.sizes.assign(sizes, sizes + count);
  for (int64_t size : parts.sizes)
    if (size < 1) return std::nullopt;
  parts.name = name, parts.elem = elem;
  return parts;
}

} // namespace

std::optional<Operator> makeOperator(std::string_view cell) {
  std::optional<Parts> parts = partsOf(cell);
  if (!parts) return std::nullopt;
  const std::vector<int64_t> &s = parts->sizes;
  std::string shape = str(parts->name, " ", s.size());
  if (parts->elem == "f32" && shape == "softmax 2") return makeSoftmax(s[0], s[1]);
  if (parts->elem == "f32" && shape == "layernorm 2") return makeLayerNorm(s[0], s[1]);
  if (parts->elem != "f32" && parts->elem != "bf16") return std::nullopt;
  Elem elem = parts->elem == "f32" ? Elem::F32 : Elem::BF16;
  if (shape == "gelu 3") return makeGelu(elem, s[0], s[1], s[2]);
  if (shape == "attention 3") return makeAttention(elem, s[0], s[1], s[2]);
  return std::nullopt;
}

double sumBound(int64_t terms) { return kSumBound * std::sqrt(static_cast<double>(terms)) * kRound; }

KernelText standardKernel(const std::string &name) {
  std::string path = str(XT_SOURCE_DIR "/stdlib/", name, ".xt");
  Result<std::string> text = readFile(path);
  if (!text.ok()) {
    std::fprintf(stderr, "%s\n", text.error().message.c_str());
    std::exit(1);
  }
  return {path, std::move(*text), name};
}

std::string whatIsWrong(const Operator &op, const Side &side) {
  uint64_t seed = 3;
  constexpr int kRows = 8;
  for (int i = 0; i < kRows; ++i) {
    int64_t row = i == 0 ? 0 : i == 1 ? op.rows - 1 : static_cast<int64_t>(nextRandom(seed) % static_cast<uint64_t>(op.rows));
    std::vector<Expected> expected = op.expected(row);
    for (int64_t column = 0; column < op.columns; ++column) {
      const Expected &e = expected[static_cast<size_t>(column)];
      double got = side.result.at(row, column);
      if (!(std::fabs(got - e.value) <= e.bound)) // also true for NaN
        return str(side.name, " [", row, ", ", column, "] is ", got, " and should be ", e.value, ", within ", e.bound);
    }
  }
  return "";
}

void addOurs(const Operator &op, int threads, std::vector<Side> &sides, std::string &why) {
  Side side{"xt", makeMatrix(Elem::F32, op.rows, op.columns), {}};
  side.call = launchOf(op.kernel, op.args(side.result), threads, why);
  if (side.call) sides.push_back(std::move(side));
}

} // namespace xt::bench
