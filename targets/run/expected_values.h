// The sides of checks that do not depend on what launches write. They take most of the time of a run on a fast target, and are
// the same in all runs of a test with the same initial contents.
#pragma once
#include "targets/run/functions.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace xt {

class ExpectedValues {
public:
  struct Side {
    std::shared_ptr<const HostArray> value; // its memory counts against the budget of the run that has computed it
    std::vector<WeakBound> weak;
  };

  // `key`: the text of the test, its sizes, and which side of which statement it is. Null if it has not been kept.
  const Side *find(const std::string &key) const {
    auto found = sides_.find(key);
    return found == sides_.end() ? nullptr : &found->second;
  }
  void keep(const std::string &key, Side side) { sides_.insert_or_assign(key, std::move(side)); }

private:
  std::map<std::string, Side> sides_;
};

} // namespace xt
