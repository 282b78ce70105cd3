// Helpers for tests of libxt, which use it as a program does: through xt.h.
#pragma once
#include "tests/effort.h"
#include "tests/shell.h"

#include <xt/xt.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace xt::test {

struct FreeHandle {
  void operator()(xt_context *handle) const { xt_context_free(handle); }
  void operator()(xt_program *handle) const { xt_program_free(handle); }
  void operator()(xt_prepared *handle) const { xt_prepared_free(handle); }
  void operator()(xt_diagnostics *handle) const { xt_diagnostics_free(handle); }
  void operator()(xt_buffer *handle) const { xt_buffer_free(handle); }
  void operator()(xt_stream *handle) const { xt_stream_free(handle); }
  void operator()(xt_event *handle) const { xt_event_free(handle); }
};
template <class T> using Owned = std::unique_ptr<T, FreeHandle>;

inline constexpr const char *kScale = R"(kernel @scale(%X: memref<?x?xf32>, %Y: memref<?x?xf32>, %by: f32)
    grid (%i = 0 to dim(%X, 0) step 16, %j = 0 to dim(%X, 1) step 64) {
  %tx = init_tile %X[%i, %j] -> tile<16x64xf32>
  %x  = load_tile %tx
  %ty = init_tile %Y[%i, %j] -> tile<16x64xf32>
  store_tile (%x * %by), %ty
}
)";

// The text must outlive the options.
inline xt_compile_options textOptions(std::string_view text) {
  xt_compile_options options = XT_INIT(xt_compile_options);
  options.path = "test.xt";
  options.text = text.data();
  options.text_bytes = text.size();
  options.threads = 2;
  return options;
}

// An array argument over a vector's elements, row-major.
struct Array {
  template <class T>
  Array(std::vector<T> &elements, xt_element element, std::vector<int64_t> extents, std::vector<int64_t> steps = {})
      : shape(std::move(extents)), strides(std::move(steps)), argument(XT_INIT(xt_argument)) {
    argument.kind = XT_ARRAY;
    argument.element = element;
    argument.rank = static_cast<int32_t>(shape.size());
    argument.data = elements.data();
  }
  xt_argument get() {
    argument.shape = shape.data();
    argument.strides = strides.empty() ? nullptr : strides.data();
    return argument;
  }
  std::vector<int64_t> shape, strides;
  xt_argument argument;
};

inline xt_argument number(double value) {
  xt_argument argument = XT_INIT(xt_argument);
  argument.kind = XT_FLOAT;
  argument.number = value;
  return argument;
}
inline xt_argument integer(int64_t value) {
  xt_argument argument = XT_INIT(xt_argument);
  argument.kind = XT_INTEGER;
  argument.integer = value;
  return argument;
}

// Why nothing can run on the software GPU; "" if it can.
inline std::string whyNoSoftwareGpu() {
  if (kSanitized) return "the software device is sanitized in tests of its own";
  if (access(XT_BINARY_DIR "/lib/libze_xt_soft.so", R_OK) != 0) return "the software device is not built";
  if (runShell("command -v llvm-spirv-15").status != 0) return "llvm-spirv-15 is not installed";
  if (runShell("ldconfig -p 2>&1 | grep libze_loader.so.1").status != 0) return "libze1 is not installed";
  return "";
}

class Api : public testing::Test {
protected:
  void SetUp() override {
    xt_context *context = nullptr;
    xt_context_options options = XT_INIT(xt_context_options);
    options.cache_directory = "";
    ASSERT_EQ(xt_context_create(&options, &context, &error_), XT_OK) << error_.message;
    context_.reset(context);
  }

  // Null, with the failure in error_ and the messages in diagnostics_, if the compilation fails.
  Owned<xt_program> compile(const xt_compile_options &options) {
    xt_program *program = nullptr;
    xt_diagnostics *diagnostics = nullptr;
    status_ = xt_compile(context_.get(), &options, &program, &diagnostics, &error_);
    diagnostics_.reset(diagnostics);
    return Owned<xt_program>(program);
  }
  Owned<xt_program> compileText(const std::string &text) { return compile(textOptions(text)); }

  // Compiles a text that has to be right, and returns the kernel of this name.
  xt_kernel *kernelOf(const std::string &text, const char *name, const char *target = nullptr) {
    xt_compile_options options = textOptions(text);
    options.target = target;
    program_ = compile(options);
    EXPECT_EQ(status_, XT_OK) << error_.message;
    xt_kernel *kernel = nullptr;
    EXPECT_EQ(xt_program_kernel(program_.get(), name, &kernel, &error_), XT_OK) << error_.message;
    return kernel;
  }

  xt_status launch(xt_kernel *kernel, std::vector<xt_argument> arguments, const xt_launch_options *options = nullptr) {
    error_ = XT_INIT(xt_error);
    return xt_launch(kernel, arguments.data(), arguments.size(), options, &error_);
  }
  Owned<xt_buffer> buffer(size_t bytes) {
    xt_buffer *made = nullptr;
    EXPECT_EQ(xt_buffer_create(program_.get(), bytes, &made, &error_), XT_OK) << error_.message;
    return Owned<xt_buffer>(made);
  }
  Owned<xt_prepared> prepare(xt_kernel *kernel, std::vector<xt_argument> arguments,
                             const xt_launch_options *options = nullptr) {
    xt_prepared *made = nullptr;
    EXPECT_EQ(xt_prepare(kernel, arguments.data(), arguments.size(), options, &made, &error_), XT_OK) << error_.message;
    return Owned<xt_prepared>(made);
  }
  std::string message() const { return error_.message; }
  std::string argument() const { return error_.argument; }

  xt_error error_ = XT_INIT(xt_error);
  xt_status status_ = XT_OK;
  Owned<xt_context> context_;
  Owned<xt_program> program_;
  Owned<xt_diagnostics> diagnostics_;
};

} // namespace xt::test
