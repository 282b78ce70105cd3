// libxt for C++20: xt.h with destructors, spans and results.
//
//   auto program = xt::compile("gemm.xt", {.defines = {{"BM", "128"}}});
//   if (!program) return fail(program.error().message);
//   auto kernel = program->kernel("gemm");
//   auto done = kernel->launch(xt::Array(a, {m, k}), xt::Array(b, {k, n}), xt::Array(c, {m, n}));
//
// Contracts, errors and thread safety are those of xt.h. Nothing here throws, except what std::vector and std::string throw.
// Objects are moved, not copied, and free what they own. Header only; needs no exceptions and no RTTI.
#ifndef XT_XT_HPP
#define XT_XT_HPP

#include <xt/xt.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace xt {
inline namespace v0 {

// A place in a file: bytes of its text, half open; lines and columns from 1.
struct Range {
  std::string file; // "": no place
  uint32_t begin = 0, end = 0, line = 0, column = 0, endLine = 0, endColumn = 0;
};
struct Label {
  Range range;
  std::string text;
};
struct Edit { // replaces a range
  Range range;
  std::string replacement;
};
struct Fix {
  std::string title;
  std::vector<Edit> edits; // from the last position to the first
};
// A message of a compilation; the text is what xtc prints, with excerpts of the source.
struct Diagnostic {
  xt_severity severity = XT_SEVERITY_ERROR;
  std::string code, message, text;
  Range range; // the smallest range that is wrong
  std::string label, picture; // what the message says at the range, and preformatted lines
  std::vector<Label> labels = {}; // other places
  std::vector<std::string> notes = {};
  std::vector<Fix> fixes = {}; // each compiles
};

struct Error {
  xt_status status = XT_OK;
  std::string message;
  std::string argument; // the parameter that is wrong; "": none
  int index = -1;       // of the wrong argument of a kernel; -1: none
  std::vector<Diagnostic> diagnostics = {};
};

// A value or an Error, as std::expected<T, Error>. Access to what is not there ends the process.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T &value() & { return has_value() ? *std::get_if<0>(&state_) : (std::abort(), *std::get_if<0>(&state_)); }
  const T &value() const & { return has_value() ? *std::get_if<0>(&state_) : (std::abort(), *std::get_if<0>(&state_)); }
  T &&value() && { return std::move(value()); }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(value()); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }
  const Error &error() const { return has_value() ? (std::abort(), *std::get_if<1>(&state_)) : *std::get_if<1>(&state_); }

private:
  std::variant<T, Error> state_;
};
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  const Error &error() const { return error_ ? *error_ : (std::abort(), *error_); }

private:
  std::optional<Error> error_;
};

// The element type of C++'s number types. Specialise it for your own types of 8 and 16 bits.
template <class T> inline constexpr xt_element elementOf = xt_element{};
template <std::same_as<bool> T> inline constexpr xt_element elementOf<T> = XT_I1;
template <> inline constexpr xt_element elementOf<float> = XT_F32;
template <> inline constexpr xt_element elementOf<double> = XT_F64;
#ifdef __FLT16_MANT_DIG__
template <> inline constexpr xt_element elementOf<_Float16> = XT_F16;
#endif
template <std::integral T>
  requires(!std::same_as<T, bool>)
inline constexpr xt_element elementOf<T> = sizeof(T) == 1   ? (std::is_signed_v<T> ? XT_I8 : XT_U8)
                                           : sizeof(T) == 2 ? (std::is_signed_v<T> ? XT_I16 : XT_U16)
                                           : sizeof(T) == 4 ? (std::is_signed_v<T> ? XT_I32 : XT_U32)
                                                            : (std::is_signed_v<T> ? XT_I64 : XT_U64);
template <class T>
concept Element = elementOf<std::remove_const_t<T>> != xt_element{};

// A view of an array for a launch: element [0, …, 0], extents, and strides in elements (none: row-major without gaps). Arrays of
// constants are read-only.
class Array {
public:
  using Numbers = std::initializer_list<int64_t>;
  template <Element T>
  Array(T *data, Numbers shape, Numbers strides = {})
      : Array(const_cast<std::remove_const_t<T> *>(data), elementOf<std::remove_const_t<T>>, std::span(shape),
              std::span(strides), std::is_const_v<T>) {}
  template <Element T, size_t N>
  Array(std::span<T, N> all, Numbers shape, Numbers strides = {}) : Array(all.data(), shape, strides) {}
  template <Element T> Array(std::vector<T> &all, Numbers shape, Numbers strides = {}) : Array(all.data(), shape, strides) {}
  template <Element T>
  Array(const std::vector<T> &all, Numbers shape, Numbers strides = {}) : Array(all.data(), shape, strides) {}
  template <Element T, size_t N> Array(std::span<T, N> all) : Array(all.data(), {static_cast<int64_t>(all.size())}) {}
  Array(void *data, xt_element element, std::span<const int64_t> shape, std::span<const int64_t> strides = {},
        bool readOnly = false)
      : data_(data), element_(element), rank_(static_cast<int32_t>(shape.size())), readOnly_(readOnly),
        strided_(!strides.empty()) {
    if (strided_ && strides.size() != shape.size()) rank_ = -1; // refused by the launch
    std::copy_n(shape.begin(), std::min(shape.size(), shape_.size()), shape_.begin());
    std::copy_n(strides.begin(), std::min(strides.size(), strides_.size()), strides_.begin());
  }

  // Valid as long as this object is.
  xt_argument argument() const {
    xt_argument out = XT_INIT(xt_argument);
    out.kind = XT_ARRAY;
    out.element = element_;
    out.rank = rank_;
    out.read_only = readOnly_;
    out.data = data_;
    out.shape = shape_.data();
    out.strides = strided_ ? strides_.data() : nullptr;
    return out;
  }

private:
  void *data_;
  xt_element element_;
  int32_t rank_;
  bool readOnly_, strided_;
  std::array<int64_t, XT_MAX_RANK> shape_{}, strides_{};
};

// An argument of a launch: an Array, a span (an array of rank 1), or a number.
inline xt_argument argumentOf(const Array &array) { return array.argument(); }
template <std::integral T> xt_argument argumentOf(T number) {
  xt_argument out = XT_INIT(xt_argument);
  out.kind = XT_INTEGER;
  out.integer = static_cast<int64_t>(number);
  return out;
}
template <std::floating_point T> xt_argument argumentOf(T number) {
  xt_argument out = XT_INIT(xt_argument);
  out.kind = XT_FLOAT;
  out.number = static_cast<double>(number);
  return out;
}
template <class T>
concept Argument = requires(const T &given) { argumentOf(given); };

namespace detail {
// What an xt_argument points to, for as long as a launch needs it: a span becomes an Array here, a number stays one.
template <class T> using Kept = std::conditional_t<std::is_convertible_v<const T &, Array>, Array, T>;

// Calls `use` with the arguments as the array that xt.h takes.
template <class Use, class... Args> auto withArguments(const Use &use, const Args &...args) {
  return [&](const Kept<Args> &...kept) {
    const std::array<xt_argument, sizeof...(Args)> all = {argumentOf(kept)...};
    return use(all.data(), all.size());
  }(args...);
}
} // namespace detail

// Workgroups in x, y and z, for a kernel without a grid of its own.
struct Grid {
  int64_t x = 1, y = 1, z = 1;
};

// How a launch runs (xt_launch_options).
struct LaunchOptions {
  std::optional<Grid> grid = {};
  double seconds = 0; // 0: no limit. The CPU ends a launch that takes longer with XT_STOPPED
  const int32_t *stop = nullptr; // a number that another thread sets to end the launch; it must exist in each run
  double *kernelSeconds = nullptr; // receives the seconds that the kernel ran; it must exist in each run
};

namespace detail {
struct Free {
  void operator()(xt_context *handle) const { xt_context_free(handle); }
  void operator()(xt_program *handle) const { xt_program_free(handle); }
  void operator()(xt_prepared *handle) const { xt_prepared_free(handle); }
  void operator()(xt_diagnostics *handle) const { xt_diagnostics_free(handle); }
  void operator()(xt_buffer *handle) const { xt_buffer_free(handle); }
  void operator()(xt_stream *handle) const { xt_stream_free(handle); }
  void operator()(xt_event *handle) const { xt_event_free(handle); }
};
template <class T> using Owned = std::unique_ptr<T, Free>;

inline Error errorOf(const xt_error &error) { return {error.status, error.message, error.argument, error.index}; }

// Calls a function of xt.h with a pointer to an xt_error.
template <class Call> Result<void> done(const Call &call) {
  xt_error error = XT_INIT(xt_error);
  if (call(&error) == XT_OK) return {};
  return errorOf(error);
}
// The same for one that also gives a handle, of which an object is made.
template <class Object, class Handle, class Call> Result<Object> made(const Call &call) {
  xt_error error = XT_INIT(xt_error);
  Handle *handle = nullptr;
  if (call(&handle, &error) == XT_OK) return Object(handle);
  return errorOf(error);
}

// Views of texts for calls of xt.h, valid as long as the texts.
inline const char *textOrNull(const std::string &text) { return text.empty() ? nullptr : text.c_str(); }
inline std::vector<xt_define> definesOf(const std::vector<std::pair<std::string, std::string>> &values) {
  std::vector<xt_define> defines;
  for (const auto &[name, value] : values) defines.push_back({name.c_str(), value.c_str()});
  return defines;
}

inline Range rangeOf(const xt_range &from) {
  return {from.file, from.begin, from.end, from.line, from.column, from.end_line, from.end_column};
}
inline Fix fixOf(const xt_fix &from) {
  Fix fix{from.title, {}};
  for (const xt_edit &edit : std::span(from.edits, from.edit_count))
    fix.edits.push_back({rangeOf(edit.range), edit.replacement});
  return fix;
}
inline Diagnostic diagnosticOf(const xt_diagnostic &from) {
  Diagnostic made{from.severity, from.code, from.message, from.text, rangeOf(from.range), from.label, from.picture};
  for (const xt_label &label : std::span(from.labels, from.label_count))
    made.labels.push_back({rangeOf(label.range), label.text});
  made.notes.assign(from.notes, from.notes + from.note_count);
  for (const xt_fix &fix : std::span(from.fixes, from.fix_count)) made.fixes.push_back(fixOf(fix));
  return made;
}
inline std::vector<Diagnostic> diagnosticsOf(const xt_diagnostics *list) {
  std::vector<Diagnostic> all;
  for (size_t i = 0; i < xt_diagnostics_count(list); ++i) all.push_back(diagnosticOf(*xt_diagnostics_at(list, i)));
  return all;
}
} // namespace detail

// A kernel with arguments that have been checked. The memory of its arrays must exist in each run.
class Prepared {
public:
  explicit Prepared(xt_prepared *handle) : handle_(handle) {}
  Result<void> run() const {
    return detail::done([&](xt_error *error) { return xt_prepared_run(handle_.get(), error); });
  }
  xt_prepared *handle() const { return handle_.get(); }

private:
  detail::Owned<xt_prepared> handle_;
};

// Memory of the device that runs a program: launches on it copy nothing.
class Buffer {
public:
  explicit Buffer(xt_buffer *handle) : handle_(handle) {}
  void *data() const { return xt_buffer_data(handle_.get()); }
  size_t bytes() const { return xt_buffer_bytes(handle_.get()); }
  xt_buffer *handle() const { return handle_.get(); }

  // An argument of a launch: an array that begins at the buffer's first byte.
  template <Element T> Array array(Array::Numbers shape, Array::Numbers strides = {}) const {
    return Array(static_cast<T *>(data()), shape, strides);
  }
  template <class T, size_t N> Result<void> write(std::span<T, N> from, size_t offset = 0) const {
    return detail::done(
        [&](xt_error *error) { return xt_buffer_write(handle(), offset, from.data(), from.size_bytes(), error); });
  }
  template <class T, size_t N> Result<void> read(std::span<T, N> to, size_t offset = 0) const {
    return detail::done([&](xt_error *error) { return xt_buffer_read(handle(), offset, to.data(), to.size_bytes(), error); });
  }

private:
  detail::Owned<xt_buffer> handle_;
};

// A point between the work of a stream.
class Event {
public:
  explicit Event(xt_event *handle) : handle_(handle) {}
  bool done() const { return xt_event_done(handle_.get()) != 0; }
  void wait() const { xt_event_wait(handle_.get(), nullptr); }
  // The seconds to a later event; both are done.
  Result<double> secondsTo(const Event &later) const {
    xt_error error = XT_INIT(xt_error);
    double seconds = 0;
    if (xt_event_seconds(handle_.get(), later.handle_.get(), &seconds, &error) == XT_OK) return seconds;
    return detail::errorOf(error);
  }
  xt_event *handle() const { return handle_.get(); }

private:
  detail::Owned<xt_event> handle_;
};

// Work that runs in order while the program goes on. Memory that it uses, and Programs that print, must exist until it is done; the
// destructor waits for it.
class Stream {
public:
  explicit Stream(xt_stream *handle) : handle_(handle) {}
  Result<void> run(const Prepared &launch) const {
    return detail::done([&](xt_error *error) { return xt_stream_run(handle_.get(), launch.handle(), error); });
  }
  template <class T, size_t N> Result<void> write(const Buffer &buffer, std::span<T, N> from, size_t offset = 0) const {
    return detail::done([&](xt_error *error) {
      return xt_stream_write(handle_.get(), buffer.handle(), offset, from.data(), from.size_bytes(), error);
    });
  }
  template <class T, size_t N> Result<void> read(const Buffer &buffer, std::span<T, N> to, size_t offset = 0) const {
    return detail::done([&](xt_error *error) {
      return xt_stream_read(handle_.get(), buffer.handle(), offset, to.data(), to.size_bytes(), error);
    });
  }
  // Later work begins after the event, which may be one of another stream.
  Result<void> wait(const Event &event) const {
    return detail::done([&](xt_error *error) { return xt_stream_wait(handle_.get(), event.handle(), error); });
  }
  Result<Event> record() const {
    return detail::made<Event, xt_event>(
        [&](xt_event **event, xt_error *error) { return xt_stream_record(handle_.get(), event, error); });
  }
  // Waits for all work, and returns the first failure.
  Result<void> finish() const {
    return detail::done([&](xt_error *error) { return xt_stream_finish(handle_.get(), error); });
  }

private:
  detail::Owned<xt_stream> handle_;
};

// Valid as long as its program.
class Kernel {
public:
  explicit Kernel(xt_kernel *handle) : handle_(handle) {}
  // Has an empty name if the kernel's program does not exist any more.
  const xt_kernel_info &info() const {
    static constexpr xt_kernel_info kGone = {sizeof(xt_kernel_info), "", "", nullptr, 0, 0, "{}"};
    const xt_kernel_info *info = xt_kernel_describe(handle_);
    return info ? *info : kGone;
  }
  xt_kernel *handle() const { return handle_; }

  // Runs the kernel on its arguments, in the order of its parameters, and waits for the end.
  template <Argument... Args> Result<void> launch(const Args &...args) const { return launchOn(nullptr, args...); }
  template <Argument... Args> Result<void> launch(Grid grid, const Args &...args) const {
    return launch(LaunchOptions{grid}, args...);
  }
  template <Argument... Args> Result<void> launch(const LaunchOptions &how, const Args &...args) const {
    xt_launch_options options = optionsOf(how);
    return launchOn(&options, args...);
  }
  // Checks the arguments once for many runs.
  template <Argument... Args> Result<Prepared> prepare(const Args &...args) const { return prepareOn(nullptr, args...); }
  template <Argument... Args> Result<Prepared> prepare(Grid grid, const Args &...args) const {
    return prepare(LaunchOptions{grid}, args...);
  }
  template <Argument... Args> Result<Prepared> prepare(const LaunchOptions &how, const Args &...args) const {
    xt_launch_options options = optionsOf(how);
    return prepareOn(&options, args...);
  }

private:
  static xt_launch_options optionsOf(const LaunchOptions &how) {
    xt_launch_options options = XT_INIT(xt_launch_options);
    options.grid_rank = how.grid ? 3 : 0;
    const Grid grid = how.grid.value_or(Grid{});
    options.grid[0] = grid.x;
    options.grid[1] = grid.y;
    options.grid[2] = grid.z;
    options.seconds = how.seconds;
    options.stop = how.stop;
    options.kernel_seconds = how.kernelSeconds;
    return options;
  }
  template <class... Args> Result<void> launchOn(const xt_launch_options *options, const Args &...args) const {
    return detail::done([&](xt_error *error) {
      auto launch = [&](const xt_argument *all, size_t count) { return xt_launch(handle_, all, count, options, error); };
      return detail::withArguments(launch, args...);
    });
  }
  template <class... Args> Result<Prepared> prepareOn(const xt_launch_options *options, const Args &...args) const {
    return detail::made<Prepared, xt_prepared>([&](xt_prepared **made, xt_error *error) {
      auto prepare = [&](const xt_argument *all, size_t count) {
        return xt_prepare(handle_, all, count, options, made, error);
      };
      return detail::withArguments(prepare, args...);
    });
  }

  xt_kernel *handle_;
};

struct CompileOptions {
  std::string target = {}, device = {}; // "": "cpu", the first available device
  std::vector<std::pair<std::string, std::string>> defines = {}; // values of the file's parameters: {"BM", "128"}
  // Returns the text of an import; nullopt: there is no such file. Empty: imports are files. Must not throw.
  std::function<std::optional<std::string>(const std::string &path)> imports = {};
  // Receives what kernels print, in whole lines. Empty: prints are dropped. Must not throw.
  std::function<void(std::string_view text)> print = {};
  int threads = 0; // that run a launch on the CPU; 0: one per processor
  bool remarks = false, optimise = true;
  const int32_t *stop = nullptr; // a number that another thread sets to stop the compilation
  void *nativeContext = nullptr, *nativeDevice = nullptr, *nativeQueue = nullptr; // as in xt_compile_options
  std::optional<std::string> tuning = {}; // a file with the fastest values of parameters; "": none; nullopt: beside the kernels
};

// How Context::tune() searches (xt_tune_options in xt.h).
struct TuneOptions {
  std::string target = {}, device = {}; // as in CompileOptions
  std::vector<std::pair<std::string, std::string>> defines = {}; // parameters that keep these values
  std::vector<std::string> tests = {}; // names; none: all
  double seconds = 0; // longest time for each test; 0: 60
  int threads = 0; // that run a launch on the CPU; 0: one per processor
  bool smallSizes = false; // time the small sizes of tests
  std::optional<std::string> output = {}; // the file for the results; nullopt: beside the kernels
  // Receive the state of the search, and each result as a JSON object; false ends the search. Must not throw.
  std::function<bool(std::string_view)> progress = {}, report = {};
};

// The compiled kernels of one file.
class Program {
public:
  // The kernel of this name, with or without @.
  Result<Kernel> kernel(const std::string &name) const {
    return detail::made<Kernel, xt_kernel>(
        [&](xt_kernel **found, xt_error *error) { return xt_program_kernel(handle_.get(), name.c_str(), found, error); });
  }
  std::vector<Kernel> kernels() const {
    std::vector<Kernel> all;
    for (size_t i = 0; i < xt_program_kernel_count(handle_.get()); ++i)
      all.emplace_back(xt_program_kernel_at(handle_.get(), i));
    return all;
  }
  Result<Buffer> buffer(size_t bytes) const {
    return detail::made<Buffer, xt_buffer>(
        [&](xt_buffer **made, xt_error *error) { return xt_buffer_create(handle_.get(), bytes, made, error); });
  }
  // Warnings, and remarks if they were asked for.
  const std::vector<Diagnostic> &diagnostics() const { return diagnostics_; }

private:
  friend class Context;
  using Print = std::function<void(std::string_view)>;
  Program(std::unique_ptr<Print> print, xt_program *handle, std::vector<Diagnostic> diagnostics)
      : print_(std::move(print)), handle_(handle), diagnostics_(std::move(diagnostics)) {}

  std::unique_ptr<Print> print_; // destroyed after the program
  detail::Owned<xt_program> handle_;
  std::vector<Diagnostic> diagnostics_;
};

class Context {
public:
  // `cacheDirectory`: where compiled code is kept for later processes; "": nowhere; nullopt: as the environment says.
  static Result<Context> create(const std::optional<std::string> &cacheDirectory = std::nullopt) {
    xt_context_options options = XT_INIT(xt_context_options);
    if (cacheDirectory) options.cache_directory = cacheDirectory->c_str();
    xt_error error = XT_INIT(xt_error);
    xt_context *handle = nullptr;
    if (xt_context_create(&options, &handle, &error) == XT_OK) return Context(handle);
    return detail::errorOf(error);
  }

  Result<Program> compile(const std::string &path, const CompileOptions &options = {}) const {
    return compileText(path, nullptr, 0, options);
  }
  Result<Stream> stream() const {
    return detail::made<Stream, xt_stream>(
        [&](xt_stream **made, xt_error *error) { return xt_stream_create(handle_.get(), made, error); });
  }
  // Compiles a text; `name` is its name in messages, from whose folder imports start.
  Result<Program> compile(const std::string &name, std::string_view text, const CompileOptions &options = {}) const {
    return compileText(name, text.empty() ? "" : text.data(), text.size(), options);
  }

  // Finds the fastest values of a file's parameters and writes them to a file, which later compilations read.
  Result<void> tune(const std::string &path, const TuneOptions &options = {}) const {
    std::vector<xt_define> defines = detail::definesOf(options.defines);
    std::vector<const char *> tests;
    for (const std::string &test : options.tests) tests.push_back(test.c_str());
    xt_tune_options given = XT_INIT(xt_tune_options);
    given.path = path.c_str();
    given.target = detail::textOrNull(options.target);
    given.device = detail::textOrNull(options.device);
    given.defines = defines.data();
    given.define_count = defines.size();
    given.tests = tests.empty() ? nullptr : tests.data();
    given.test_count = tests.size();
    given.seconds = options.seconds;
    given.threads = options.threads;
    given.small_sizes = options.smallSizes;
    given.output = options.output ? options.output->c_str() : nullptr;
    TuneOptions called = options; // its functions are called by what C calls
    given.user = &called;
    if (options.progress) given.progress = tell<&TuneOptions::progress>;
    if (options.report) given.report = tell<&TuneOptions::report>;
    return detail::done([&](xt_error *error) { return xt_tune(handle_.get(), &given, error); });
  }

private:
  explicit Context(xt_context *handle) : handle_(handle) {}

  template <auto Member> static int32_t tell(void *user, const char *text, size_t bytes) noexcept {
    return !(static_cast<TuneOptions *>(user)->*Member)(std::string_view(text, bytes));
  }

  static xt_status import(void *user, const char *path, xt_import *into) noexcept {
    std::optional<std::string> text = static_cast<const CompileOptions *>(user)->imports(path);
    if (!text) return XT_NOT_FOUND;
    xt_import_text(into, text->data(), text->size());
    return XT_OK;
  }
  static void print(void *user, const char *text, size_t bytes) noexcept {
    (*static_cast<Program::Print *>(user))(std::string_view(text, bytes));
  }

  Result<Program> compileText(const std::string &path, const char *text, size_t bytes, const CompileOptions &options) const {
    auto printer = std::make_unique<Program::Print>(options.print);
    std::vector<xt_define> defines = detail::definesOf(options.defines);
    xt_compile_options given = XT_INIT(xt_compile_options);
    given.path = path.c_str();
    given.text = text;
    given.text_bytes = bytes;
    given.target = detail::textOrNull(options.target);
    given.device = detail::textOrNull(options.device);
    given.defines = defines.data();
    given.define_count = defines.size();
    given.read_import = options.imports ? &Context::import : nullptr;
    given.read_import_user = const_cast<CompileOptions *>(&options);
    given.print = options.print ? &Context::print : nullptr;
    given.print_user = printer.get();
    given.threads = options.threads;
    given.remarks = options.remarks;
    given.skip_optimiser = !options.optimise;
    given.stop = options.stop;
    given.native_context = options.nativeContext;
    given.native_device = options.nativeDevice;
    given.native_queue = options.nativeQueue;
    given.tuning = options.tuning ? options.tuning->c_str() : nullptr;
    xt_error error = XT_INIT(xt_error);
    xt_program *program = nullptr;
    xt_diagnostics *messages = nullptr;
    xt_status status = xt_compile(handle_.get(), &given, &program, &messages, &error);
    detail::Owned<xt_diagnostics> owned(messages);
    if (status == XT_OK) return Program(std::move(printer), program, detail::diagnosticsOf(messages));
    Error failed = detail::errorOf(error);
    failed.diagnostics = detail::diagnosticsOf(messages);
    return failed;
  }

  detail::Owned<xt_context> handle_;
};

// What kernels can be compiled for: the names that CompileOptions::target takes, and what each is, in a line.
struct Target {
  std::string name, summary;
};
inline std::vector<Target> targets() {
  std::vector<Target> all;
  for (size_t n = 0; xt_target_name(n); ++n) all.push_back({xt_target_name(n), xt_target_summary(n)});
  return all;
}

// A device that a target may run on (xt_device in xt.h).
struct Device {
  std::string name, driver;
  std::optional<std::string> choice; // what CompileOptions::device takes to select it
  std::string hardware, problem;
  int64_t memoryBytes = 0;
  bool software = false;
};
inline Result<std::vector<Device>> devices(const std::string &target = "cpu") {
  std::vector<Device> all;
  auto add = [](void *user, const xt_device *found) {
    auto choice = found->choice ? std::optional<std::string>(found->choice) : std::nullopt;
    static_cast<std::vector<Device> *>(user)->push_back({found->name, found->driver, std::move(choice), found->hardware,
                                                         found->problem, found->memory_bytes, found->software != 0});
  };
  xt_error error = XT_INIT(xt_error);
  if (xt_target_devices(target.c_str(), add, &all, &error) != XT_OK) return detail::errorOf(error);
  return all;
}

// Compile in a context of their own.
inline Result<Program> compile(const std::string &path, const CompileOptions &options = {}) {
  Result<Context> context = Context::create();
  if (!context) return context.error();
  return context->compile(path, options);
}
inline Result<Program> compile(const std::string &name, std::string_view text, const CompileOptions &options = {}) {
  Result<Context> context = Context::create();
  if (!context) return context.error();
  return context->compile(name, text, options);
}
// Tunes in a context of its own.
inline Result<void> tune(const std::string &path, const TuneOptions &options = {}) {
  Result<Context> context = Context::create();
  if (!context) return context.error();
  return context->tune(path, options);
}

} // namespace v0
} // namespace xt

#endif
