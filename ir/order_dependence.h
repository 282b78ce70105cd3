// Which of a kernel's buffers may hold something else where its workgroups, subgroups or lanes come in another order.
#pragma once
#include "ir/module.h"

#include <string_view>
#include <vector>

namespace xt {

// Why the content of a buffer may depend on the order; the first that applies.
enum class OrderCause : uint8_t {
  None,
  Before,     // what it is computed from depended on the order before the launch
  OldValue,   // an old value that an atomic returns is stored, or decides where or whether something is stored
  Midway,     // it is computed from a buffer that atomics of the same kernel change
  LastWriter, // an atomic `assign`: the last one counts
  Kinds,      // atomics of several kinds (addi and maxs) meet in it
  Rounding,   // atomics that round (addf): each order has its own sum
};
// "old values of atomics": what the content depends on, for a message.
std::string_view orderCauseText(OrderCause cause);

// For each buffer, by what the kernel may write into it: a cause, or None. `memoryOf` names the buffer of each parameter
// by a number below `before.size()` (the same for two parameters that are one buffer); `before` says what is known of
// the buffers' contents when the kernel starts. Barriers and fences are trusted to order what they are written for, and
// plain stores to different elements: a race is another fault, which the interpreter reports.
std::vector<OrderCause> orderDependence(const Kernel &kernel, const std::vector<size_t> &memoryOf,
                                        const std::vector<OrderCause> &before);
// Whether some buffer may, where each parameter is a buffer of its own.
bool dependsOnOrder(const Kernel &kernel);

} // namespace xt
