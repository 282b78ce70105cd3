// Tests compilations through libxt: sources, parameters, imports, targets and messages.
#include "tests/targets/api/api.h"
#include "tests/temporary_folder.h"

#include <fstream>
#include <map>

namespace xt::test {
namespace {

TEST_F(Api, CompilesAFile) {
  xt_compile_options options = XT_INIT(xt_compile_options);
  options.path = XT_SOURCE_DIR "/stdlib/softmax.xt";
  Owned<xt_program> program = compile(options);
  ASSERT_EQ(status_, XT_OK) << message();
  EXPECT_GT(xt_program_kernel_count(program.get()), 0u);
}

TEST_F(Api, NamesAFileThatCannotBeRead) {
  xt_compile_options options = XT_INIT(xt_compile_options);
  options.path = "/nonexistent/gemm.xt";
  EXPECT_FALSE(compile(options));
  EXPECT_EQ(status_, XT_ENVIRONMENT);
  EXPECT_EQ(argument(), "options.path");
  EXPECT_NE(message().find("/nonexistent/gemm.xt"), std::string::npos) << message();
  EXPECT_FALSE(diagnostics_);
}

TEST_F(Api, MessagesAreData) {
  EXPECT_FALSE(compileText("kernel @k(%A: memref<4x4xf32>) {\n  %t = init_tile %B[0, 0] -> tile<4x4xf32>\n}\n"));
  EXPECT_EQ(status_, XT_COMPILE_FAILED);
  EXPECT_NE(message().find("%B"), std::string::npos) << message();
  ASSERT_EQ(xt_diagnostics_count(diagnostics_.get()), 1u);
  const xt_diagnostic *first = xt_diagnostics_at(diagnostics_.get(), 0);
  EXPECT_EQ(first->size, sizeof(xt_diagnostic));
  EXPECT_EQ(first->severity, XT_SEVERITY_ERROR);
  EXPECT_EQ(std::string(first->code).substr(0, 2), "XT");
  EXPECT_STREQ(first->range.file, "test.xt");
  EXPECT_EQ(first->range.line, 2u);
  EXPECT_EQ(first->range.column, 18u);
  EXPECT_EQ(first->range.end - first->range.begin, 2u);
  EXPECT_NE(std::string(first->text).find("init_tile %B[0, 0]"), std::string::npos) << first->text;
  EXPECT_EQ(xt_diagnostics_at(diagnostics_.get(), 1), nullptr);
}

TEST_F(Api, FixesAreEditsThatCompile) {
  std::string text = "kernel @k(%A: menref<4x4xf32>) {\n}\n";
  EXPECT_FALSE(compileText(text));
  ASSERT_EQ(xt_diagnostics_count(diagnostics_.get()), 1u);
  const xt_diagnostic *first = xt_diagnostics_at(diagnostics_.get(), 0);
  ASSERT_EQ(first->fix_count, 1u) << first->text;
  const xt_fix &fix = first->fixes[0];
  EXPECT_NE(std::string(fix.title), "");
  for (size_t i = 0; i < fix.edit_count; ++i)
    text.replace(fix.edits[i].range.begin, fix.edits[i].range.end - fix.edits[i].range.begin, fix.edits[i].replacement);
  EXPECT_TRUE(compileText(text)) << text << message();
}

TEST_F(Api, RemarksAreThereIfAskedFor) {
  for (int32_t wanted : {0, 1}) {
    xt_compile_options options = XT_INIT(xt_compile_options);
    options.path = XT_SOURCE_DIR "/stdlib/gemm.xt";
    options.remarks = wanted;
    ASSERT_TRUE(compile(options)) << message();
    size_t remarks = 0;
    for (size_t i = 0; i < xt_diagnostics_count(diagnostics_.get()); ++i)
      remarks += xt_diagnostics_at(diagnostics_.get(), i)->severity == XT_SEVERITY_REMARK;
    EXPECT_EQ(remarks > 0, wanted != 0);
  }
}

TEST_F(Api, ParametersAreDefined) {
  const std::string text = R"(param $N : index = 4
kernel @k(%A: memref<[$N]x4xf32>) {
}
)";
  xt_compile_options options = textOptions(text);
  const xt_define define = {"N", "32"};
  options.defines = &define;
  options.define_count = 1;
  Owned<xt_program> program = compile(options);
  ASSERT_TRUE(program) << message();
  EXPECT_STREQ(xt_kernel_describe(xt_program_kernel_at(program.get(), 0))->parameters[0]->type, "memref<32x4xf32>");
  const xt_define unknown = {"M", "32"};
  options.defines = &unknown;
  EXPECT_FALSE(compile(options));
  EXPECT_EQ(status_, XT_COMPILE_FAILED);
}

using Files = std::map<std::string, std::string>;

xt_status readFrom(void *user, const char *path, xt_import *import) {
  auto &files = *static_cast<Files *>(user);
  auto file = files.find(path);
  if (file == files.end()) return XT_NOT_FOUND;
  if (file->second == "broken") return XT_ENVIRONMENT;
  xt_import_text(import, file->second.data(), file->second.size());
  return XT_OK;
}

TEST_F(Api, ImportsComeFromTheCallback) {
  Files files = {{"lib/twice.xt", "func @twice(%x: f32) -> f32 {\n  return %x + %x\n}\n"}};
  const std::string text = R"(import "lib/twice"
import "std/activations"
kernel @k(%x: f32) {
  %y = @twice(%x)
}
)";
  xt_compile_options options = textOptions(text);
  options.read_import = readFrom;
  options.read_import_user = &files;
  EXPECT_TRUE(compile(options)) << message();
  files["lib/twice.xt"] = "broken";
  EXPECT_FALSE(compile(options));
  EXPECT_NE(message().find("XT_ENVIRONMENT"), std::string::npos) << message();
  files.clear();
  EXPECT_FALSE(compile(options)) << "the callback knows no file";
}

TEST_F(Api, KeptImportsTakeNoText) {
  xt_import *kept = nullptr;
  xt_compile_options options = textOptions("import \"other\"\nkernel @k() {\n}\n");
  options.read_import = [](void *user, const char *, xt_import *import) {
    *static_cast<xt_import **>(user) = import;
    return XT_NOT_FOUND;
  };
  options.read_import_user = &kept;
  EXPECT_FALSE(compile(options));
  ASSERT_NE(kept, nullptr);
  xt_import_text(kept, "text", 4);
}

TEST_F(Api, ImportsAreFilesWithoutACallback) {
  TemporaryFolder folder;
  std::ofstream(folder / "twice.xt") << "func @twice(%x: f32) -> f32 {\n  return %x + %x\n}\n";
  const std::string text = "import \"twice\"\nkernel @k(%x: f32) {\n  %y = @twice(%x)\n}\n", path = folder / "own.xt";
  xt_compile_options options = textOptions(text);
  options.path = path.c_str();
  EXPECT_TRUE(compile(options)) << message();
}

// The software devices, where they are built, can be chosen by what the list says.
TEST_F(Api, DevicesAreListed) {
  std::vector<std::string> choices;
  auto add = [](void *user, const xt_device *device) {
    EXPECT_EQ(device->size, sizeof(xt_device));
    EXPECT_TRUE(*device->name || *device->problem);
    if (device->choice && !*device->problem) static_cast<std::vector<std::string> *>(user)->push_back(device->choice);
  };
  for (size_t n = 0; const char *name = xt_target_name(n); ++n) {
    choices.clear();
    xt_error error = XT_INIT(xt_error);
    xt_status status = xt_target_devices(name, add, &choices, &error);
    EXPECT_TRUE(status == XT_OK || (status == XT_ENVIRONMENT && *error.message)) << name << ": " << error.message;
    for (const std::string &choice : choices) {
      xt_compile_options options = textOptions(kScale);
      options.target = name;
      options.device = choice.c_str();
      EXPECT_TRUE(compile(options) || status_ == XT_UNSUPPORTED) << name << " " << choice << ": " << message();
    }
  }
  xt_error error = XT_INIT(xt_error);
  EXPECT_EQ(xt_target_devices("cpu", nullptr, nullptr, &error), XT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "found");
  EXPECT_EQ(xt_target_devices("vax", add, &choices, &error), XT_NOT_FOUND);
  EXPECT_STREQ(error.argument, "target");
}

TEST_F(Api, TargetsAreListedAndFound) {
  std::vector<std::string> names;
  for (size_t n = 0; const char *name = xt_target_name(n); ++n) {
    names.push_back(name);
    EXPECT_STRNE(xt_target_summary(n), "");
  }
  EXPECT_NE(std::find(names.begin(), names.end(), "cpu"), names.end());
  xt_compile_options options = textOptions(kScale);
  options.target = "vax";
  EXPECT_FALSE(compile(options));
  EXPECT_EQ(status_, XT_NOT_FOUND);
  EXPECT_EQ(argument(), "options.target");
  EXPECT_NE(message().find("cpu"), std::string::npos) << message();
  options.target = "cpu";
  options.device = "soft";
  EXPECT_FALSE(compile(options));
  EXPECT_EQ(argument(), "options.device");
}

TEST_F(Api, KernelsAreDescribed) {
  xt_kernel *kernel = kernelOf(kScale, "scale");
  const xt_kernel_info *info = xt_kernel_describe(kernel);
  EXPECT_STREQ(info->name, "scale");
  EXPECT_EQ(std::string(info->signature).substr(0, 13), "kernel @scale");
  EXPECT_EQ(info->grid_rank, 2);
  EXPECT_NE(std::string(info->json).find("\"workgroup\""), std::string::npos) << info->json;
  ASSERT_EQ(info->parameter_count, 3u);
  const xt_parameter &x = *info->parameters[0], &y = *info->parameters[1], &by = *info->parameters[2];
  EXPECT_STREQ(x.name, "X");
  EXPECT_STREQ(x.type, "memref<?x?xf32>");
  EXPECT_EQ(x.element, XT_F32);
  EXPECT_TRUE(x.is_array && x.reads && !x.writes);
  ASSERT_EQ(x.rank, 2);
  EXPECT_EQ(x.shape[0], XT_DYNAMIC);
  EXPECT_EQ(x.strides[0], XT_DYNAMIC);
  EXPECT_EQ(x.strides[1], 1);
  EXPECT_TRUE(y.writes && !y.reads);
  EXPECT_FALSE(by.is_array);
}

TEST_F(Api, KernelsAreFoundByName) {
  Owned<xt_program> program = compileText(kScale);
  xt_kernel *kernel = nullptr;
  EXPECT_EQ(xt_program_kernel(program.get(), "@scale", &kernel, &error_), XT_OK);
  EXPECT_EQ(kernel, xt_program_kernel_at(program.get(), 0));
  EXPECT_EQ(xt_program_kernel(program.get(), "skale", &kernel, &error_), XT_NOT_FOUND);
  EXPECT_NE(message().find("@scale"), std::string::npos) << message();
}

TEST_F(Api, TestsAndTheirInstancesAreNotCompiled) {
  Owned<xt_program> program = compileText(R"(param $N : index = 4
kernel @k(%A: memref<?xf32>) {
  %n = constant $N : index
  print "n", %n
}
test "wide" {
  %A = fill(0) : memref<8xf32>
  launch @k(%A) {N = 8}
}
)");
  ASSERT_TRUE(program) << message();
  EXPECT_EQ(xt_program_kernel_count(program.get()), 1u);
}

TEST(Elements, HaveNamesAndSizes) {
  EXPECT_STREQ(xt_element_name(XT_BF16), "bf16");
  EXPECT_EQ(xt_element_bytes(XT_BF16), 2u);
  EXPECT_EQ(xt_element_bytes(XT_INDEX), 8u);
  EXPECT_EQ(xt_element_name(static_cast<xt_element>(99)), nullptr);
  EXPECT_EQ(xt_element_bytes(static_cast<xt_element>(0)), 0u);
}

} // namespace
} // namespace xt::test
