#include "ir/base/own_code.h"
#include "ir/base/text.h"
#include "lang/lower/disk.h"
#include "passes/pass_manager.h"
#include "passes/passes.h"
#include "targets/api/boundary/failure.h"
#include "targets/api/program.h"
#include "targets/api/targets.h"
#include "targets/compile/front_end.h"

#include <optional>
#include <unistd.h>
#include <utility>

using namespace xt;

struct xt_import {
  std::optional<std::string> text;
};

namespace {

// While it exists, the program's reader, which this thread calls, may set the text of an import. The reader may compile.
class SettableImport {
public:
  explicit SettableImport(xt_import &import) : outer_(std::exchange(current_, &import)) {}
  SettableImport(const SettableImport &) = delete;
  ~SettableImport() { current_ = outer_; }
  static bool is(const xt_import *import) { return import && import == current_; }

private:
  static thread_local xt_import *current_;
  xt_import *outer_;
};
thread_local xt_import *SettableImport::current_ = nullptr;

} // namespace

// Does nothing with an import that was kept after the call to which it belonged.
void xt_import_text(xt_import *import, const char *text, size_t bytes) {
  if (SettableImport::is(import) && text) import->text.emplace(text, bytes);
}

namespace {

// Reads imports through the caller's function, and the standard library from disk where that function does not find it.
ImportOptions importsOf(const xt_compile_options &options) {
  ImportOptions imports = importsFromDisk(ownCode());
  if (!options.read_import) return imports;
  imports.list = [stdlib = imports.stdlib](const std::string &folder) { // the caller's files cannot be listed
    return !stdlib.empty() && folder == stdlib + "/" ? namesIn(folder) : std::vector<std::string>();
  };
  imports.read = [given = options.read_import, user = options.read_import_user, fromDisk = imports.read,
                  stdlib = imports.stdlib](const std::string &path) -> Result<std::string> {
    xt_import import;
    SettableImport settable(import);
    xt_status status = given(user, path.c_str(), &import);
    if (status == XT_OK && import.text) return std::move(*import.text);
    if (status == XT_OK) return Error::environment("the program's reader of imports set no text");
    if (status != XT_NOT_FOUND)
      return Error::environment(str("the program's reader of imports returned ", xt_status_name(status)));
    return !stdlib.empty() && path.starts_with(stdlib + "/") ? fromDisk(path) : noSuchFile();
  };
  return imports;
}

class Compilation {
public:
  Compilation(const xt_context &context, const xt_compile_options &options)
      : context_(context), options_(options), program_(std::make_shared<LoadedProgram>()) {
    diagnostics_.wantRemarks(options.remarks != 0);
  }

  Failure run() {
    for (Failure bad : {readTarget(options_.target, "options.target", target_), readDevice(), readNativeObjects(), readSource(),
                        readDefines()})
      if (bad) return bad;
    if (stopped()) return failureOf(Error::environment("compilation was stopped"));
    lowering_.target = hardware();
    Result<std::unique_ptr<Module>> module = loadModule(program_->sources, file_, program_->context, lowering_, diagnostics_);
    frontRan_ = true;
    if (!module) return failureOf(module.error());
    dropTests(**module);
    for (const auto &kernel : (*module)->kernels) program_->kernels.emplace_back(*kernel, **module, program_->sources);
    if (Failure bad = addTuned(**module)) return bad;
    CompileSteps steps;
    steps.runPasses = [this](Module &of, const TargetInfo *hardware) {
      return runPipeline(*target_, of, hardware, diagnostics_, [this] { return stopped(); });
    };
    Result<CompiledModule> compiled =
        compileFor(*target_, std::move(*module), program_->sources, codeOptions(), steps, diagnostics_);
    if (!compiled) return failureOf(compiled.error());
    program_->compiled = std::move(*compiled);
    return {};
  }

  bool frontRan() const { return frontRan_; }
  std::shared_ptr<LoadedProgram> program() { return std::move(program_); }
  std::unique_ptr<DiagnosticList> diagnostics() const {
    return std::make_unique<DiagnosticList>(diagnostics_, program_->sources);
  }

private:
  Failure readDevice() {
    if (!options_.device) return {};
    std::optional<DeviceChoice> choice = deviceChoiceNamed(options_.device);
    if (!choice) return {XT_NOT_FOUND, str("unknown device `", options_.device, "`"), "options.device"};
    if (!target_->takesDeviceChoice())
      return invalid("options.device", str("is given, but the target ", target_->name(), " has one device"));
    device_ = *choice;
    return {};
  }

  Failure readNativeObjects() {
    native_ = {options_.native_context, options_.native_device, options_.native_queue};
    if (!native_.context) {
      for (const auto &[object, name] :
           {std::pair(native_.device, "options.native_device"), std::pair(native_.queue, "options.native_queue")})
        if (object) return invalid(name, "is given without options.native_context");
      return {};
    }
    if (!target_->takesNativeObjects())
      return invalid("options.native_context", str("is given, but the target ", target_->name(), " runs on no GPU"));
    if (options_.device) return invalid("options.device", "is given together with options.native_context");
    return {};
  }

  bool stopped() const { return options_.stop && __atomic_load_n(options_.stop, __ATOMIC_RELAXED) != 0; }

  Failure readSource() {
    if (!options_.path) return invalid("options.path", "is NULL");
    if (options_.text) {
      if (options_.text_bytes > static_cast<size_t>(kMostSourceBytes))
        return invalid("options.text_bytes", str("is above ", kMostSourceBytes));
      file_ = program_->sources.add(options_.path, {options_.text, options_.text_bytes});
      return {};
    }
    Result<std::string> text = readFile(options_.path);
    if (!text) return {XT_ENVIRONMENT, text.error().message, "options.path"};
    file_ = program_->sources.add(options_.path, std::move(*text));
    return {};
  }

  Failure readDefines() {
    if (options_.define_count > 0 && !options_.defines) return invalid("options.defines", "is NULL");
    for (size_t i = 0; i < options_.define_count; ++i) {
      const xt_define &define = options_.defines[i];
      if (!define.name || !define.value) return invalid(str("options.defines[", i, "]"), "has a member that is NULL");
      lowering_.defines.emplace_back(define.name, define.value);
    }
    lowering_.imports = importsOf(options_);
    lowering_.imports.read = [program = program_.get(), read = lowering_.imports.read](const std::string &path) {
      Result<std::string> text = read(path);
      if (text) program->imported[path] = *text;
      return text;
    };
    return {};
  }

  // Adds kernels with the values that the tune file says are the fastest.
  Failure addTuned(Module &module) {
    if (options_.tuning ? !*options_.tuning : options_.text != nullptr) return {};
    if (options_.tuning && access(options_.tuning, F_OK) != 0)
      return {XT_NOT_FOUND, str("there is no file ", options_.tuning), "options.tuning"};
    tuning_ = options_.tuning ? options_.tuning : tunePath(options_.path);
    Result<std::vector<TuneRecord>> contents = readTuneFile(tuning_);
    if (!contents) return {XT_ENVIRONMENT, contents.error().message, "options.tuning"};
    tuneContents_ = std::move(*contents);
    Result<TunedKernels> tuned = addTunedKernels(module, tuneUse());
    if (!tuned) return {XT_ENVIRONMENT, tuned.error().message, "options.tuning"};
    program_->tuned = std::move(*tuned);
    return {};
  }

  TuneUse tuneUse() const {
    TuneUse use;
    use.path = tuning_;
    use.contents = tuneContents_;
    use.target = target_;
    use.device = device_;
    use.threads = options_.threads;
    use.defines = lowering_.defines;
    use.load = [program = program_.get(), file = file_, lowering = lowering_](const TuneValues &values) {
      LowerOptions changed = lowering;
      changed.defines.insert(changed.defines.end(), values.begin(), values.end());
      Diagnostics repeated;
      repeated.wantRemarks(false);
      return loadModule(program->sources, file, program->context, changed, repeated);
    };
    return use;
  }

  std::string hardware() const {
    CompileOptions where;
    where.device = device_;
    where.native = native_;
    return hardwareName(*target_, where);
  }

  // Returns a function that compiles a kernel again for other hardware. A launch calls it if its buffers break a rule of the
  // first code, such as alignment. It takes the texts of imports as they were read: the caller's reader may not exist any more.
  std::function<Result<std::unique_ptr<Module>>(const TargetInfo &, std::string_view)> again() {
    LowerOptions lowering = lowering_;
    lowering.imports.read = [program = program_.get()](const std::string &path) -> Result<std::string> {
      auto text = program->imported.find(path);
      return text == program->imported.end() ? noSuchFile() : Result<std::string>(text->second);
    };
    lowering_ = lowering; // the file has been read
    TuneUse use;
    if (!tuning_.empty()) use = tuneUse();
    return [program = program_.get(), file = file_, lowering, target = target_, use](const TargetInfo &hardware,
                                                                                     std::string_view kernel) {
      return compileAgain(*program, file, lowering, *target, use, hardware, kernel);
    };
  }

  static Result<std::unique_ptr<Module>> compileAgain(LoadedProgram &program, uint32_t file, const LowerOptions &lowering,
                                                      Target &target, const TuneUse &use, const TargetInfo &hardware,
                                                      std::string_view kernel) {
    Diagnostics repeated;
    repeated.wantRemarks(false);
    LowerOptions changed = lowering;
    changed.target = hardware.name;
    Result<std::unique_ptr<Module>> module = loadModule(program.sources, file, program.context, changed, repeated);
    if (!module) return module.error();
    dropTests(**module);
    if (!use.path.empty() && !(*module)->findKernel(kernel))
      if (Result<TunedKernels> tuned = addTunedKernels(**module, use); !tuned) return tuned.error();
    if (Result<void> kept = keepKernel(**module, kernel); !kept) return kept.error();
    if (Result<void> ran = runPipeline(target, **module, &hardware, repeated); !ran) return ran.error();
    return std::move(*module);
  }

  CompileOptions codeOptions() {
    CompileOptions options;
    options.threads = options_.threads;
    if (options_.print)
      options.print = [print = options_.print, user = options_.print_user](std::string_view text) {
        print(user, text.data(), text.size());
      };
    options.device = device_;
    options.native = native_;
    options.again = again();
    options.optimise = options_.skip_optimiser == 0;
    options.cacheDirectory = context_.cacheDirectory;
    options.cacheBytes = context_.cacheBytes;
    options.sources = &program_->sources;
    return options;
  }

  Failure failureOf(const Error &error) const {
    if (stopped() && error.kind == Error::Kind::Environment) return {XT_STOPPED, error.message};
    if (error.kind != Error::Kind::Diagnosed) return {XT_ENVIRONMENT, program_->placeText(error.range) + error.message};
    for (const Diagnostic *diagnostic : diagnostics_.sorted())
      if (diagnostic->severity == Severity::Error)
        return {XT_COMPILE_FAILED, renderText(*diagnostic, program_->sources, false)};
    return {XT_COMPILE_FAILED, "the program is wrong"};
  }

  const xt_context &context_;
  const xt_compile_options &options_;
  std::shared_ptr<LoadedProgram> program_;
  Diagnostics diagnostics_;
  LowerOptions lowering_;
  Target *target_ = nullptr;
  DeviceChoice device_ = DeviceChoice::Any;
  NativeObjects native_;
  uint32_t file_ = 0;
  std::string tuning_; // the tune file that is read; "": none
  std::vector<TuneRecord> tuneContents_;
  bool frontRan_ = false;
};

} // namespace

xt_status xt_compile(xt_context *context, const xt_compile_options *options, xt_program **program, xt_diagnostics **diagnostics,
                     xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (diagnostics) *diagnostics = nullptr;
    if (Failure bad = checkHandle(context, HandleKind::Context, "context")) return bad;
    if (!options) return invalid("options", "is NULL");
    if (!program) return invalid("program", "is NULL");
    xt_compile_options given = XT_INIT(xt_compile_options);
    if (Failure bad = readVersioned(options, given, "options")) return bad;
    if (given.threads < 0) return invalid("options.threads", "is negative");
    Compilation compilation(*context, given);
    Failure failure = compilation.run();
    if (diagnostics && compilation.frontRan()) *diagnostics = new xt_diagnostics(context->yard, compilation.diagnostics());
    if (!failure) *program = new xt_program(context->yard, compilation.program());
    return failure;
  });
}
