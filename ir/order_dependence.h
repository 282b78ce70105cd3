// Finds the buffers of a kernel whose content may depend on the execution order of workgroups, subgroups or lanes.
#pragma once
#include "ir/module.h"

#include <string_view>
#include <vector>

namespace xt {

// Why the content of a buffer may depend on the order. If several causes apply, one of them is given.
enum class OrderCause : uint8_t {
  None,
  Before,     // one of its inputs depended on the order before the launch
  OldValue,   // an old value that an atomic returns is stored, or decides where or whether something is stored
  Midway,     // it is computed from a buffer that atomics of the same kernel change
  LastWriter, // atomic `assign`s: the last one determines the value
  Kinds,      // atomics of several kinds (addi and maxs) change it
  Rounding,   // atomics that round (addf): each order has its own sum
};
// Describes a cause for a message: "old values of atomics".
std::string_view orderCauseText(OrderCause cause);

// For each buffer, returns the cause that follows from the kernel's possible writes into it, or None. `memoryOf` maps each
// parameter to the number of its buffer, below `before.size()` (equal for two parameters that share a buffer); `before` gives
// the causes known for the buffers' contents when the kernel starts. The analysis assumes that barriers and fences order the
// accesses that they are meant to order, and that plain stores go to different elements: a race is a separate error, which the
// interpreter reports.
std::vector<OrderCause> orderDependence(const Kernel &kernel, const std::vector<size_t> &memoryOf,
                                        const std::vector<OrderCause> &before);
// Whether the content of some buffer may depend on the order, if each parameter is a separate buffer.
bool dependsOnOrder(const Kernel &kernel);

} // namespace xt
