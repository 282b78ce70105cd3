#include "targets/tune/tuned_kernels.h"

#include "ir/base/text.h"
#include "targets/tune/device_name.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace xt {
namespace {

bool signaturesAgree(const Kernel &a, const Kernel &b) {
  bool agree = a.paramCount == b.paramCount && a.grid.size() == b.grid.size();
  for (size_t i = 0; agree && i < a.paramCount; ++i) agree = a.param(i)->type() == b.param(i)->type();
  return agree;
}

// What a module's tune file says of its kernels.
class TuneApplication {
public:
  TuneApplication(const Module &module, const TuneUse &use) : module_(module), use_(use) {}

  // Reads the records that concern this compilation.
  Result<std::vector<TuneRecord>> records() const {
    Result<std::vector<TuneRecord>> all = use_.contents ? *use_.contents : readTuneFile(use_.path);
    if (!all) return all.error();
    std::vector<TuneRecord> records;
    for (TuneRecord &record : *all)
      if (concerns(record)) records.push_back(std::move(record));
    if (records.empty()) return records;
    // Devices are listed only where there is a reason to: that may start a driver.
    Result<std::string> device = deviceName(*use_.target, use_.device);
    if (!device) return device.error();
    std::erase_if(records, [&](const TuneRecord &record) { return record.device != *device; });
    dropOtherThreads(records);
    return records;
  }

  // The values of a record that differ from the module's.
  TuneValues changes(const TuneRecord &record) const {
    TuneValues changes;
    for (const auto &[parameter, value] : record.values)
      if (const ModuleParam *of = param(parameter); !of || of->value != value) changes.emplace_back(parameter, value);
    return changes;
  }

  // Adds the kernel of a record to the module.
  Result<void> add(Module &module, const TuneRecord &record, TunedKernels &tuned) const {
    TuneValues values = changes(record);
    std::string name = record.kernel;
    for (const auto &[parameter, value] : values) name += str("$", parameter, "=", value);
    tuned.add({record.kernel, name, record.arrays});
    if (module.findKernel(name)) return {};
    Result<std::unique_ptr<Module>> made = use_.load(values);
    if (!made)
      return unfit(record, made.error().message.empty() ? "the file does not compile with these values" : made.error().message);
    auto kernel = std::ranges::find((*made)->kernels, record.kernel, [](const auto &of) { return of->name; });
    if (kernel == (*made)->kernels.end() || !signaturesAgree(**kernel, *module.findKernel(record.kernel)))
      return unfit(record, "with these values its parameters are others");
    (*kernel)->name = name;
    module.kernels.push_back(std::move(*kernel));
    return {};
  }

private:
  const ModuleParam *param(const std::string &name) const {
    auto found = std::ranges::find(module_.params, name, &ModuleParam::name);
    return found == module_.params.end() ? nullptr : &*found;
  }

  // Whether the record is for a kernel of this module as it is compiled here.
  bool concerns(const TuneRecord &record) const {
    auto same = [&](const auto &value) {
      const ModuleParam *of = param(value.first);
      return of && of->value == value.second;
    };
    auto isSet = [&](const auto &value) {
      return std::ranges::find(use_.defines, value.first, &TuneValues::value_type::first) != use_.defines.end() && !same(value);
    };
    const Kernel *kernel = module_.findKernel(record.kernel);
    return record.target == use_.target->name() && kernel && hasArraysOf(record, *kernel) &&
           std::ranges::all_of(record.given, same) && std::ranges::none_of(record.values, isSet);
  }

  // Whether the record has the extents of each array that the kernel takes. Others are left out: the file was edited, or the
  // kernel has changed.
  static bool hasArraysOf(const TuneRecord &record, const Kernel &kernel) {
    std::vector<size_t> ranks;
    for (size_t i = 0; i < kernel.paramCount; ++i)
      if (Type type = kernel.param(i)->type(); type.isMemRef()) ranks.push_back(static_cast<size_t>(type.rank()));
    return std::ranges::equal(record.arrays, ranks, {}, &std::vector<int64_t>::size);
  }

  // Of records that differ in the number of threads alone, keeps those for the nearest number.
  void dropOtherThreads(std::vector<TuneRecord> &records) const {
    auto distance = [&](const TuneRecord &record) {
      return record.threads == use_.threads ? 0 : std::abs(record.threads - use_.threads) + 1;
    };
    using Key = std::pair<std::string, std::vector<std::vector<int64_t>>>;
    std::map<Key, int> nearest;
    for (const TuneRecord &record : records) {
      auto [of, isNew] = nearest.insert({{record.kernel, record.arrays}, distance(record)});
      if (!isNew) of->second = std::min(of->second, distance(record));
    }
    std::erase_if(records,
                  [&](const TuneRecord &record) { return distance(record) != nearest.at({record.kernel, record.arrays}); });
  }

  Error unfit(const TuneRecord &record, const std::string &why) const {
    return Error::environment(str(use_.path, " does not fit the kernels any more: @", record.kernel, " with ",
                                  valuesText(record.values), ": ", why, "; tune again, or delete the file"));
  }

  const Module &module_;
  const TuneUse &use_;
};

} // namespace

const std::string &TunedKernels::choose(const std::string &kernel, const std::vector<std::vector<int64_t>> &arrays) const {
  const TunedKernel *nearest = nullptr;
  double least = 0;
  for (const TunedKernel &of : all_) {
    if (of.kernel != kernel) continue;
    double distance = sizeDistance(of.arrays, arrays);
    if (!std::isfinite(distance) || (nearest && distance >= least)) continue; // infinite: the file was edited
    nearest = &of, least = distance;
  }
  return nearest ? nearest->name : kernel;
}

Result<TuneValues> tunedValues(const Module &module, const TuneUse &use, const std::string &kernel,
                               const std::vector<std::vector<int64_t>> &arrays) {
  TuneApplication application(module, use);
  Result<std::vector<TuneRecord>> records = application.records();
  if (!records) return records.error();
  const TuneRecord *nearest = nullptr;
  for (const TuneRecord &record : *records)
    if (record.kernel == kernel && std::isfinite(sizeDistance(record.arrays, arrays)) &&
        (!nearest || sizeDistance(record.arrays, arrays) < sizeDistance(nearest->arrays, arrays)))
      nearest = &record;
  return nearest ? application.changes(*nearest) : TuneValues();
}

Result<TunedKernels> addTunedKernels(Module &module, const TuneUse &use) {
  TuneApplication application(module, use);
  Result<std::vector<TuneRecord>> records = application.records();
  if (!records) return records.error();
  TunedKernels tuned;
  for (const TuneRecord &record : *records)
    if (Result<void> added = application.add(module, record, tuned); !added) return added.error();
  return tuned;
}

} // namespace xt
