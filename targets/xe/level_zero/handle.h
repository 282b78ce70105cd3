// An object of Level Zero that is destroyed with its owner.
#pragma once
#include <level_zero/ze_api.h>

#include <utility>

namespace xt {

template <class T> class ZeHandle {
public:
  using Destroy = ze_result_t(ZE_APICALL *)(T);

  ZeHandle() = default;
  ZeHandle(T handle, Destroy destroy) : handle_(handle), destroy_(destroy) {}
  ZeHandle(ZeHandle &&other) noexcept { swap(other); }
  ZeHandle &operator=(ZeHandle &&other) noexcept {
    ZeHandle(std::move(other)).swap(*this);
    return *this;
  }
  ~ZeHandle() {
    if (handle_) destroy_(handle_);
  }

  T get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

private:
  void swap(ZeHandle &other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(destroy_, other.destroy_);
  }
  T handle_ = nullptr;
  Destroy destroy_ = nullptr;
};

} // namespace xt
