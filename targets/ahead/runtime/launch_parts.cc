#include "targets/ahead/runtime/launch_parts.h"

#include "ir/base/extents.h"
#include "targets/cpu/runtime/launch_abi.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace xt {
namespace {

const char *whyUnfit(const xtrt_parameter &parameter, const int64_t *sizes, const int64_t *strides, const void *data) {
  const auto rank = static_cast<size_t>(parameter.rank);
  bool empty = false;
  __int128 reach = 1;
  for (size_t d = 0; d < rank; ++d) {
    if (sizes[d] < 0) return "an extent is negative";
    if (parameter.shape[d] != XTRT_DYNAMIC && sizes[d] != parameter.shape[d])
      return "an extent is not that of the parameter's type";
    empty |= sizes[d] == 0;
    reach += static_cast<__int128>(std::max<int64_t>(sizes[d], 1) - 1) *
             (strides[d] < 0 ? -static_cast<__int128>(strides[d]) : strides[d]);
    if (reach >> 59) return "64-bit addresses cannot reach its elements";
  }
  for (size_t d = 0; d < rank && !empty; ++d) {
    if (sizes[d] <= 1) continue;
    if (parameter.strides[d] != XTRT_DYNAMIC && strides[d] != parameter.strides[d])
      return "a stride is not that of the parameter's type";
    if (strides[d] < 0) return "a stride is negative";
  }
  if (!empty && !data) return "its address is NULL";
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(parameter.elementBytes) != 0)
    return "its address is not a multiple of an element's bytes";
  if (parameter.written && !empty && !haveDistinctPlaces({sizes, rank}, {strides, rank}))
    return "several of its indices have the same element, but the kernel writes it";
  return nullptr;
}

// How far the extents of a launch are from those of a variant: the sum of |log2| of their ratios, as in targets/tune.
double distanceOf(const xtrt_kernel &kernel, const xtrt_argument *arguments, const xtrt_variant &variant) {
  double sum = 0;
  size_t at = 0;
  for (size_t i = 0; i < kernel.parameterCount; ++i) {
    const auto rank = static_cast<size_t>(std::max(kernel.parameters[i].rank, 0));
    for (size_t d = 0; d < rank && at < variant.extentCount; ++d, ++at) {
      const int64_t extent = static_cast<const int64_t *>(arguments[i])[1 + d];
      sum += std::fabs(std::log2(static_cast<double>(std::max<int64_t>(extent, 1))) -
                       std::log2(static_cast<double>(std::max<int64_t>(variant.extents[at], 1))));
    }
  }
  return sum;
}

} // namespace

int Message::fail(LibraryStatus status, const char *format, ...) const {
  va_list values;
  va_start(values, format);
  if (text && bytes > 0) std::vsnprintf(text, bytes, format, values);
  va_end(values);
  return status;
}

int readArguments(const xtrt_kernel &kernel, const xtrt_argument *arguments, const Message &message,
                  std::vector<uint64_t> &frame) {
  for (size_t i = 0; i < kernel.parameterCount; ++i) {
    const xtrt_parameter &parameter = kernel.parameters[i];
    if (!arguments[i]) return message.fail(kInvalidArgument, "argument `%s` of %s: it is NULL", parameter.name, kernel.name);
    const auto *words = static_cast<const uint64_t *>(arguments[i]);
    if (parameter.rank < 0) {
      frame.push_back(*words);
      continue;
    }
    const auto rank = static_cast<size_t>(parameter.rank);
    const auto *sizes = static_cast<const int64_t *>(arguments[i]) + 1;
    const void *data = reinterpret_cast<const void *>(static_cast<uintptr_t>(*words));
    if (const char *why = whyUnfit(parameter, sizes, sizes + rank, data))
      return message.fail(kInvalidArgument, "argument `%s` of %s: %s", parameter.name, kernel.name, why);
    frame.insert(frame.end(), words, words + 1 + 2 * rank);
  }
  return kOk;
}

namespace {

int checkRequirements(const xtrt_kernel &kernel, const Message &message, const int64_t *computed) {
  for (size_t i = 0; i < kernel.requirementCount; ++i) {
    const xtrt_requirement &required = kernel.requirements[i];
    const int64_t *of = computed + 3 * i;
    if (of[0]) continue;
    if (!required.compares)
      return message.fail(kInvalidArgument, "%s requires %s, but it does not hold", kernel.name, required.text);
    return message.fail(kInvalidArgument, "%s requires %s, but the sides are %lld and %lld", kernel.name, required.text,
                        static_cast<long long>(of[1]), static_cast<long long>(of[2]));
  }
  return kOk;
}

} // namespace

// Runs the kernel that computes the header. Its parameters are those of this one, and an array for what it computes.
int runHeader(const xtrt_kernel &kernel, const Message &message, std::vector<uint64_t> &frame, void *scratch,
              std::vector<GridRange> &grid) {
  if (!kernel.header) return kOk;
  const size_t rank = static_cast<size_t>(kernel.gridRank);
  std::vector<int64_t> computed(3 * (rank + kernel.requirementCount));
  const size_t own = frame.size();
  for (uint64_t word :
       {static_cast<uint64_t>(reinterpret_cast<uintptr_t>(computed.data())), uint64_t{computed.size()}, uint64_t{1}})
    frame.push_back(word);
  uint64_t &numbers = frame[kGridWords + kNumbersWord];
  const uint64_t before = numbers;
  numbers = reinterpret_cast<uintptr_t>(kernel.header->numbers);
  kernel.header->run(frame.data(), 0, 1, scratch);
  numbers = before;
  frame.resize(own);
  if (int status = checkRequirements(kernel, message, computed.data() + 3 * rank)) return status;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t *of = computed.data() + 3 * d;
    if (of[2] <= 0) return message.fail(kInvalidArgument, "a step of the grid of %s is not positive", kernel.name);
    grid.push_back(gridRange(of[0], of[1], of[2]));
  }
  if (workgroupCount(grid)) return kOk;
  return message.fail(kInvalidArgument, "the grid of %s has more than 2^31 workgroups", kernel.name);
}

const xtrt_kernel &servingKernel(const xtrt_kernel &kernel, const xtrt_argument *arguments) {
  const xtrt_kernel *nearest = &kernel;
  for (size_t i = 0; i < kernel.parameterCount; ++i)
    if (!arguments[i]) return kernel;
  double least = HUGE_VAL;
  for (size_t i = 0; i < kernel.variantCount; ++i) {
    double distance = distanceOf(kernel, arguments, kernel.variants[i]);
    if (distance < least) least = distance, nearest = kernel.variants[i].kernel;
  }
  return *nearest;
}

} // namespace xt
