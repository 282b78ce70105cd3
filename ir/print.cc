#include "ir/print.h"

namespace xt {
namespace {

void printAlias(std::string &out, const LayoutAlias &alias) {
  out += "#" + alias.name + " = ";
  if (!alias.order) {
    out += alias.spec.text() + "\n";
    return;
  }
  out += "#tile_attr<";
  if (!(alias.spec == LayoutSpec())) out += "wg = " + alias.spec.text() + ", ";
  out += *alias.order == Order::RowMajor ? "order = [1, 0]>\n" : "order = [0, 1]>\n";
}

} // namespace

std::string print(const Module &module) {
  std::string out;
  for (const LayoutAlias &alias : module.aliases) printAlias(out, alias);
  for (const auto &kernel : module.kernels) {
    if (!out.empty()) out += "\n";
    printKernel(out, *kernel, &module);
  }
  for (const HostTest &test : module.tests) {
    if (!out.empty()) out += "\n";
    printTest(out, test);
  }
  return out;
}

std::string print(const Kernel &kernel, const Module &module) {
  std::string out;
  printKernel(out, kernel, &module);
  return out;
}

} // namespace xt
