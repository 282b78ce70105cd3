#include "ir/base/text.h"
#include "targets/api/boundary/failure.h"
#include "targets/api/program.h"
#include "targets/compile/cache_directory.h"
#include "targets/compile/version.h"

using namespace xt;

const char *xt_version() { return kVersion; }

const char *xt_status_name(xt_status status) {
  switch (status) {
  case XT_STATUS_MAX: break;
#define XT_STATUS(name)                                                                                                        \
  case name: return #name;
    XT_STATUS(XT_OK)
    XT_STATUS(XT_INVALID_ARGUMENT)
    XT_STATUS(XT_COMPILE_FAILED)
    XT_STATUS(XT_NOT_FOUND)
    XT_STATUS(XT_UNSUPPORTED)
    XT_STATUS(XT_KERNEL_FAILED)
    XT_STATUS(XT_ENVIRONMENT)
    XT_STATUS(XT_INTERNAL)
    XT_STATUS(XT_STOPPED)
#undef XT_STATUS
  }
  return "?";
}

xt_status xt_context_create(const xt_context_options *options, xt_context **context, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (!context) return invalid("context", "is NULL");
    xt_context_options given = XT_INIT(xt_context_options);
    if (Failure bad = readVersioned(options, given, "options")) return bad;
    auto made = std::make_unique<xt_context>();
    made->cacheDirectory = given.cache_directory ? given.cache_directory : cacheDirectory();
    Result<uint64_t> limit = cacheLimit();
    if (!limit) return {XT_ENVIRONMENT, limit.error().message};
    made->cacheBytes = *limit;
    *context = made.release();
    return {};
  });
}

void xt_context_free(xt_context *context) { freeHandle(context, HandleKind::Context); }
