// Checks that the specification requires for the arguments of every function: a null handle gives
// INVALID_NULL_HANDLE, and any other null pointer INVALID_NULL_POINTER, unless the argument is optional.
#pragma once
#include <level_zero/ze_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace xt::soft {

template <class T> constexpr bool kIsHandle = false;
template <> inline constexpr bool kIsHandle<ze_driver_handle_t> = true;
template <> inline constexpr bool kIsHandle<ze_device_handle_t> = true;
template <> inline constexpr bool kIsHandle<ze_context_handle_t> = true;
template <> inline constexpr bool kIsHandle<ze_command_queue_handle_t> = true;
template <> inline constexpr bool kIsHandle<ze_command_list_handle_t> = true;
template <> inline constexpr bool kIsHandle<ze_fence_handle_t> = true;
template <> inline constexpr bool kIsHandle<ze_event_pool_handle_t> = true;
template <> inline constexpr bool kIsHandle<ze_event_handle_t> = true;
template <> inline constexpr bool kIsHandle<ze_module_handle_t> = true;
template <> inline constexpr bool kIsHandle<ze_module_build_log_handle_t> = true;
template <> inline constexpr bool kIsHandle<ze_kernel_handle_t> = true;

template <auto function, size_t... optional> struct Checked;
template <class... Args, ze_result_t (*function)(Args...), size_t... optional> struct Checked<function, optional...> {
  static ze_result_t call(Args... args) {
    if (isNull<true>(args...)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (isNull<false>(args...)) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return function(args...);
  }

private:
  // Whether any required handle (if `handles`) or other pointer (if not) is null.
  template <bool handles> static bool isNull(const Args &...args) {
    size_t index = 0;
    bool null = false;
    auto look = [&](const auto &arg) {
      using Arg = std::remove_cvref_t<decltype(arg)>;
      size_t own = index++;
      if constexpr (std::is_pointer_v<Arg> && kIsHandle<Arg> == handles) null |= !arg && !((own == optional) || ...);
    };
    (look(args), ...); // commas evaluate from left to right
    return null;
  }
};

// A function that makes these checks and then calls `function`. `optional`: positions of the arguments that may be null.
template <auto function, size_t... optional> inline constexpr auto checked = &Checked<function, optional...>::call;

// Returns INVALID_ENUMERATION if flags have bits that no version of the specification defines.
inline ze_result_t checkFlags(uint32_t flags, uint32_t known) {
  return flags & ~known ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
}

// Flags that are defined up to version 1.17, because hosts may be newer than the headers of this build.
inline constexpr uint32_t kInitFlags = 0x3, kContextFlags = 0x1, kDeviceMemoryFlags = 0x7, kHostMemoryFlags = 0x1f,
                          kFreePolicyFlags = 0x3, kQueueFlags = 0x7, kListFlags = 0x3f, kEventPoolFlags = 0xf,
                          kEventScopeFlags = 0x7, kFenceFlags = 0x1, kKernelFlags = 0x3, kIndirectFlags = 0x7,
                          kCacheFlags = 0x3;
inline constexpr uint32_t kMostAdvice = 9;
inline constexpr auto kAddressNotFound = static_cast<ze_result_t>(0x78000021); // defined since version 1.11

} // namespace xt::soft

// Returns the error code of a failed check from the calling function.
#define XT_ZE_CHECK(check)                                                                                                     \
  if (ze_result_t checkedResult = (check); checkedResult != ZE_RESULT_SUCCESS) return checkedResult
