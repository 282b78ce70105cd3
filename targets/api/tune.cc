#include "ir/base/output_file.h"
#include "ir/base/own_code.h"
#include "ir/base/text.h"
#include "targets/api/boundary/failure.h"
#include "targets/api/program.h"
#include "targets/api/targets.h"
#include "targets/tune/tune_json.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace xt;

namespace {

// A search as the structure of xt.h describes it.
class TuneCall {
public:
  TuneCall(const xt_context &context, const xt_tune_options &given) : given_(given) {
    options_.cacheDirectory = context.cacheDirectory;
    options_.cacheBytes = context.cacheBytes;
  }

  Failure run() {
    for (Failure bad : {readProgram(), readDefines(), readTests()})
      if (bad) return bad;
    output_ = given_.output ? given_.output : tunePath(options_.path);
    Result<std::vector<TuneRecord>> records = readTuneFile(output_);
    if (!records) return {XT_ENVIRONMENT, records.error().message, "options.output"};
    if (Result<void> writable = checkOutputFile(output_); !writable)
      return {XT_ENVIRONMENT, writable.error().message, "options.output"};
    records_ = std::move(*records);
    options_.stopped = [this] { return stopped_; };
    options_.progress = [this](const std::string &stage) { tell(given_.progress, stage); };
    options_.imports = [] { return importsFromDisk(ownCode()); };
    options_.guard = [](const std::function<void()> &compile) {
      xt_error ignored = XT_INIT(xt_error); // a combination on which the compiler fails cannot be used
      (void)guarded(&ignored, [&]() -> Failure { return compile(), Failure{}; });
    };
    SourceManager sources;
    Diagnostics diagnostics;
    Result<std::vector<TuneReport>> reports =
        tune(options_, sources, diagnostics, [this](const TuneReport &report) { add(report); });
    if (!reports) return failureOf(reports.error(), sources, diagnostics);
    if (!written_) return {XT_ENVIRONMENT, written_.error().message, "options.output"};
    return missingTest(*reports);
  }

private:
  Failure readProgram() {
    if (!given_.path) return invalid("options.path", "is NULL");
    if (given_.threads < 0) return invalid("options.threads", "is negative");
    if (!(given_.seconds >= 0) || std::isinf(given_.seconds)) return invalid("options.seconds", "is not a time");
    if (given_.seconds > 0) options_.seconds = given_.seconds;
    options_.path = given_.path;
    options_.threads = given_.threads;
    if (Failure bad = readTarget(given_.target, "options.target", options_.target)) return bad;
    if (given_.device) {
      std::optional<DeviceChoice> choice = deviceChoiceNamed(given_.device);
      if (!choice) return {XT_NOT_FOUND, str("unknown device `", given_.device, "`"), "options.device"};
      options_.device = *choice;
    }
    options_.small = given_.small_sizes != 0 || options_.target->wantsSmallSizes(options_.device);
    return {};
  }

  Failure readDefines() {
    if (given_.define_count > 0 && !given_.defines) return invalid("options.defines", "is NULL");
    for (size_t i = 0; i < given_.define_count; ++i) {
      const xt_define &define = given_.defines[i];
      if (!define.name || !define.value) return invalid(str("options.defines[", i, "]"), "has a member that is NULL");
      options_.defines.emplace_back(define.name, define.value);
    }
    return {};
  }

  Failure readTests() {
    if (given_.test_count > 0 && !given_.tests) return invalid("options.tests", "is NULL");
    for (size_t i = 0; i < given_.test_count; ++i) {
      if (!given_.tests[i]) return invalid(str("options.tests[", i, "]"), "is NULL");
      options_.tests.emplace_back(given_.tests[i]);
    }
    return {};
  }

  void tell(xt_tune_text receiver, const std::string &text) {
    if (receiver && receiver(given_.user, text.c_str(), text.size()) != 0) stopped_ = true;
  }

  void add(const TuneReport &report) {
    for (const TuneRecord &record : report.records) addRecord(records_, record);
    if (!report.records.empty() && written_) written_ = writeOutputFile(output_, {tuneText(records_)});
    using Json = nlohmann::ordered_json;
    tell(given_.report, tuneJson(options_.path, report).dump(2, ' ', false, Json::error_handler_t::replace));
  }

  Failure missingTest(const std::vector<TuneReport> &reports) const {
    for (size_t i = 0; i < options_.tests.size() && !stopped_; ++i)
      if (std::ranges::find(reports, options_.tests[i], &TuneReport::test) == reports.end())
        return {XT_NOT_FOUND, str("no test of ", options_.path, " is called \"", options_.tests[i], "\""),
                str("options.tests[", i, "]")};
    return {};
  }

  static Failure failureOf(const Error &error, const SourceManager &sources, const Diagnostics &diagnostics) {
    if (error.kind != Error::Kind::Diagnosed) return {XT_ENVIRONMENT, error.message};
    for (const Diagnostic *diagnostic : diagnostics.sorted())
      if (diagnostic->severity == Severity::Error) return {XT_COMPILE_FAILED, renderText(*diagnostic, sources, false)};
    return {XT_COMPILE_FAILED, "the program is wrong"};
  }

  const xt_tune_options &given_;
  TuneOptions options_;
  std::string output_;
  std::vector<TuneRecord> records_;
  Result<void> written_;
  bool stopped_ = false;
};

} // namespace

xt_status xt_tune(xt_context *context, const xt_tune_options *options, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(context, HandleKind::Context, "context")) return bad;
    if (!options) return invalid("options", "is NULL");
    xt_tune_options given = XT_INIT(xt_tune_options);
    if (Failure bad = readVersioned(options, given, "options")) return bad;
    return TuneCall(*context, given).run();
  });
}
