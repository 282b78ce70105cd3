// The devices that work in objects of the caller: one for the same objects, so that all programs with them take turns on its queue.
#pragma once
#include "targets/gpu/device.h"
#include "targets/target.h"

namespace xt {

class AdoptedDevices {
public:
  // The device with these objects; `make` makes it, a Result of a std::unique_ptr, if there is none.
  template <class Make> Result<std::shared_ptr<GpuDevice>> get(const NativeObjects &native, Make make) {
    std::erase_if(known_, [](const Known &known) { return known.device.expired(); });
    for (const Known &known : known_)
      if (std::shared_ptr<GpuDevice> device = known.native == native ? known.device.lock() : nullptr) return device;
    auto made = make();
    if (!made) return made.error();
    std::shared_ptr<GpuDevice> device = std::move(*made);
    known_.push_back({native, device});
    return device;
  }

private:
  struct Known {
    NativeObjects native;
    std::weak_ptr<GpuDevice> device;
  };
  std::vector<Known> known_;
};

} // namespace xt
