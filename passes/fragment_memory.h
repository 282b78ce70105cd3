// Internal to the pass distribute-to-lanes: loads, stores and atomic ops. Each lane accesses its own elements, and waits if
// another lane may access the same elements.
#pragma once
#include "passes/fragment_exchange.h"
#include "passes/fragment_windows.h"
#include "passes/lane_hazards.h"

#include <unordered_map>

namespace xt {

class FragmentMemory {
public:
  FragmentMemory(Builder &builder, FragmentValues &values, const LaneLayouts &layouts, LanePlaces &places,
                 FragmentExchange &exchange, LaneHazards &hazards, const TargetInfo &target)
      : b_(builder), values_(values), layouts_(layouts), places_(places), exchange_(exchange), hazards_(hazards),
        windows_(builder, values, places), target_(target) {}

  void loadTile(const Op &op);
  void storeTile(const Op &op);
  void gather(const Op &op);
  void scatter(const Op &op);
  void atomic(const Op &op);
  void storeScalar(const Op &op);
  void asyncCopy(const Op &op);
  void asyncCommit(const Op &op);
  void asyncWait(const Op &op);

  // Emits a barrier before the op if a lane may read before another lane has written, or after another lane has overwritten
  // the element. `layout`: which lane accesses which element; null: each lane may access any element.
  void before(const Op &op, const Layout *layout);

private:
  using Piece = FragmentWindows::Piece;

  const Layout *matrixLayout(const Op &op, const Value *value) const;
  const Layout *loadedLayout(const Op &op) const;
  const Layout *rowsLayout(const Op &op) const;
  Value *matrixBlock(const Value *tile, const Layout *layout);
  Value *assembled(Type type, const Value *tile, const Layout *layout, const std::function<Value *(const Piece &)> &load);

  Builder &b_;
  FragmentValues &values_;
  const LaneLayouts &layouts_;
  LanePlaces &places_;
  FragmentExchange &exchange_;
  LaneHazards &hazards_;
  FragmentWindows windows_;
  const TargetInfo &target_;
  std::unordered_map<const Value *, std::vector<Value *>> copies_; // the lane's copies for one of the subgroup; for lookup only
};

} // namespace xt
