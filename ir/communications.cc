#include "ir/host.h"

namespace xt {
namespace {

using Into = CommunicationInfo::Into;
constexpr CommunicationInfo kCommunications[] = {
#define XT_COMMUNICATION(kind_, ...) CommunicationInfo{.kind = Communication::kind_, __VA_ARGS__},
#include "ir/ops/communications.def"
};

constexpr std::string_view kCombineKinds[] = {"add", "mul", "max", "min"};

} // namespace

std::span<const CommunicationInfo> allCommunications() { return kCommunications; }
const CommunicationInfo &communicationInfo(Communication kind) { return kCommunications[static_cast<size_t>(kind)]; }
const CommunicationInfo *findCommunication(std::string_view name) {
  for (const CommunicationInfo &info : kCommunications)
    if (info.name == name) return &info;
  return nullptr;
}
std::span<const std::string_view> combineKinds() { return kCombineKinds; }

} // namespace xt
