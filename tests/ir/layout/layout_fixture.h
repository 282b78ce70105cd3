// Functions, and a fixture, that create layouts in tests.
#pragma once
#include "tests/ir/layout/layout_reference.h"

#include <gtest/gtest.h>

namespace xt {

inline LayoutSpec wg(Extents layout, Extents data) { return LayoutSpec::of(WgMap{std::move(layout), std::move(data)}); }
inline LayoutSpec sg(Extents layout, Extents data) {
  LayoutSpec spec;
  spec.sg = SgMap{std::move(layout), std::move(data)};
  return spec;
}
inline LayoutSpec xe(LayoutSpec groups, LayoutSpec lanes) {
  groups.sg = std::move(lanes.sg);
  return groups;
}
inline LayoutSpec xe(Extents sgLayout, Extents sgData, Extents wiLayout, Extents wiData) {
  return xe(wg(std::move(sgLayout), std::move(sgData)), sg(std::move(wiLayout), std::move(wiData)));
}

inline LayoutSpec nested(NestedLayout map) {
  LayoutSpec spec;
  spec.nested = std::move(map);
  return spec;
}

class LayoutTest : public ::testing::Test {
protected:
  const Layout *make(const LayoutSpec &spec, const Extents &shape) {
    LayoutOrError made = makeLayout(context_, spec, shape);
    if (const LayoutError *error = std::get_if<LayoutError>(&made)) {
      ADD_FAILURE() << spec.text() << ": " << error->message;
      return nullptr;
    }
    return std::get<const Layout *>(made);
  }
  // Returns "message @dim", or "no error".
  std::string errorOf(const LayoutSpec &spec, const Extents &shape) {
    LayoutOrError made = makeLayout(context_, spec, shape);
    const LayoutError *error = std::get_if<LayoutError>(&made);
    return error ? error->message + " @" + std::to_string(error->dim) : "no error";
  }
  Context context_;
};

} // namespace xt
