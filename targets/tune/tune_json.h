// What the tuner found for a test, as JSON.
#pragma once
#include "targets/tune/tuner.h"

#include <nlohmann/json_fwd.hpp>

namespace xt {

nlohmann::ordered_json tuneJson(const std::string &file, const TuneReport &report);

} // namespace xt
