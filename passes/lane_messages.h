// Internal to the pass distribute-to-lanes: block messages, which all lanes of a subgroup send together.
#pragma once
#include "passes/fragment_exchange.h"
#include "passes/fragment_values.h"

namespace xt {

class LaneMessages {
public:
  LaneMessages(Builder &builder, FragmentValues &values, const LaneLayouts &layouts, FragmentExchange &exchange)
      : b_(builder), values_(values), layouts_(layouts), exchange_(exchange) {}

  void load(const Op &op);
  void store(const Op &op);

private:
  Value *loadBlock(const Op &op, const Layout *layout);

  Builder &b_;
  FragmentValues &values_;
  const LaneLayouts &layouts_;
  FragmentExchange &exchange_;
};

} // namespace xt
