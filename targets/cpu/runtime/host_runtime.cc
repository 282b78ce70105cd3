#include "targets/cpu/runtime/host_runtime.h"

#include "ir/interp/print_value.h"

namespace xt {

void LaunchOutput::print(int64_t place, int64_t workgroup, int64_t subgroup, const void *data) {
  const PrintPlace &what = kernel_.prints[static_cast<size_t>(place)];
  std::string text;
  if (!what.type) {
    text = printedText(what.text);
  } else {
    std::vector<Number> elements;
    int64_t bytes = elemInfo(what.shape.elem).storageBytes;
    for (int64_t row = 0; row < what.shape.rows; ++row)
      for (int64_t column = 0; column < what.shape.columns; ++column)
        elements.push_back(
            loadNumber(what.shape.elem, static_cast<const unsigned char *>(data) + row * what.shape.pitch + column * bytes));
    text = printedValue(what.text, what.type, elements);
  }
  std::lock_guard lock(mutex_);
  std::vector<Printed> &own = printed_[workgroup];
  own.push_back({subgroup, std::move(text)});
}

void LaunchOutput::assertFailed(int64_t workgroup, int64_t subgroup, int64_t element) {
  std::lock_guard lock(mutex_);
  failedAsserts_[workgroup] = {element, subgroup};
}

void LaunchOutput::diverged(int64_t workgroup, const FiberGroup::Divergence &divergence) {
  std::lock_guard lock(mutex_);
  divergences_[workgroup] = divergence;
}

void LaunchOutput::faulted(int64_t workgroup, int64_t end, const MemoryFault &fault) {
  std::lock_guard lock(mutex_);
  faults_[workgroup] = {fault, end - workgroup};
}

void LaunchOutput::flush(const PrintSink &sink, int64_t lastWorkgroup, const Prefix &prefix) const {
  if (!sink) return;
  for (const auto &[workgroup, all] : printed_) {
    if (workgroup > lastWorkgroup) return;
    std::string text;
    for (const Printed &one : all) text += prefix(workgroup, one.subgroup) + one.text;
    sink(text);
  }
}

LaunchOutput::FailedAssert LaunchOutput::failedAssert(int64_t workgroup) const {
  auto found = failedAsserts_.find(workgroup);
  return found == failedAsserts_.end() ? FailedAssert() : found->second;
}

const FiberGroup::Divergence *LaunchOutput::divergence(int64_t workgroup) const {
  auto found = divergences_.find(workgroup);
  return found == divergences_.end() ? nullptr : &found->second;
}

const LaunchOutput::Fault *LaunchOutput::fault(int64_t workgroup) const {
  auto found = faults_.find(workgroup);
  return found == faults_.end() ? nullptr : &found->second;
}

} // namespace xt

void xt_print(void *launch, int64_t place, int64_t workgroup, int64_t subgroup, const void *data) {
  static_cast<xt::LaunchOutput *>(launch)->print(place, workgroup, subgroup, data);
}
void xt_assert_failed(void *launch, int64_t workgroup, int64_t subgroup, int64_t element) {
  static_cast<xt::LaunchOutput *>(launch)->assertFailed(workgroup, subgroup, element);
}
