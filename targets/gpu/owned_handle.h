// An owning handle: it destroys the object of the driver when it is destroyed itself.
#pragma once
#include <utility>

namespace xt {

inline bool alwaysDestroys() { return true; }

// `Code` is the return type of the function that destroys the object. While `mayDestroy` returns false, objects are leaked on
// purpose.
template <class T, class Code, bool (*mayDestroy)() = alwaysDestroys> class OwnedHandle {
public:
  using Destroy = Code (*)(T);

  OwnedHandle() = default;
  OwnedHandle(T handle, Destroy destroy) : handle_(handle), destroy_(destroy) {}
  OwnedHandle(OwnedHandle &&other) noexcept { swap(other); }
  OwnedHandle &operator=(OwnedHandle &&other) noexcept {
    OwnedHandle(std::move(other)).swap(*this);
    return *this;
  }
  ~OwnedHandle() {
    if (handle_ && mayDestroy()) destroy_(handle_);
  }

  T get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

private:
  void swap(OwnedHandle &other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(destroy_, other.destroy_);
  }
  T handle_ = nullptr;
  Destroy destroy_ = nullptr;
};

} // namespace xt
