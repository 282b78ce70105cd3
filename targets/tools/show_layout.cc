#include "targets/tools/show_layout.h"

#include "ir/base/text.h"
#include "ir/drawing/layout_drawing.h"
#include "ir/layout/distributed_shape.h"
#include "lang/check/types.h"
#include "lang/lower/imports.h"
#include "lang/parse/parse.h"
#include "targets/compile/compile_for.h"
#include "targets/tools/session.h"
#include "targets/tools/tool_process.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace xt {
namespace {

constexpr int64_t kMaxExtent = int64_t{1} << 40;

// The option's text is parsed as the value of an alias.
constexpr std::string_view kBefore = "#shown = ";

int fail(const Error &error) {
  std::fprintf(stderr, "xtc: %s\n", error.message.c_str());
  return kExitEnvironment;
}

const ast::Attr *onlyAlias(const ast::File &file) {
  bool only = file.attrAliases.size() == 1 && file.kernels.empty() && file.tests.empty() && file.params.empty() &&
              file.typeAliases.empty() && file.imports.empty();
  return only ? &file.attrAliases[0].value : nullptr;
}

void overrideParams(const XtcOptions &options, const FileSymbols &symbols, ParamScope &params) {
  for (const auto &[name, text] : options.defines) {
    const ast::ParamDecl *param = symbols.param(name);
    std::optional<ConstValue> value = param ? paramFromText(*param, text) : std::nullopt;
    if (value)
      params.override(name, *value);
    else if (param)
      params.diagnostics().report(DiagCode::LiteralValue, param->name.range,
                                  str("-D ", name, "=", text, ": `", text, "` is not a value of this parameter's type"));
    else
      params.diagnostics().report(DiagCode::UnknownParam, {},
                                  str("-D ", name, "=", text, ": the file has no parameter `$", name, "`"));
  }
}

// Finds the layout that the options name, and how it is written. Returns null after reporting an error.
const Layout *findLayout(const XtcOptions &options, Session &session, std::string text, std::span<const int64_t> shape,
                         LayoutSpec &written) {
  Diagnostics &diagnostics = session.diagnostics();
  ast::File file;
  std::vector<std::unique_ptr<ast::File>> imports;
  if (!options.files.empty()) {
    file = parse(session.sources(), session.sources().add(options.files[0], std::move(text)), diagnostics);
    imports = loadImports(file, session.sources(), importsFromDisk(), diagnostics);
  }
  // The shell may have removed the '#'; no other layout starts with a letter.
  bool bare = std::isalpha(static_cast<unsigned char>(options.showLayout[0])) || options.showLayout[0] == '_';
  std::string value = str(kBefore, bare ? "#" : "", options.showLayout, "\n");
  uint32_t index = session.sources().add("--show-layout", std::move(value));
  ast::File option = parse(session.sources(), index, diagnostics);
  if (diagnostics.hasErrors()) return nullptr;
  const ast::Attr *attr = onlyAlias(option);
  if (!attr) {
    SourceRange all{index, static_cast<uint32_t>(kBefore.size()),
                    static_cast<uint32_t>(session.sources().file(index).text().size() - 1)};
    diagnostics.report(DiagCode::LayoutExpected, all, "--show-layout takes one layout, or the name of one");
    return nullptr;
  }
  std::vector<const ast::File *> files = {&file};
  for (const auto &import : imports) files.push_back(import.get());
  FileSymbols symbols(files, 1, false, diagnostics);
  ParamScope params(symbols, diagnostics);
  if (const Target *target = findTarget(options.target)) params.setTarget(namedHardwareName(*target));
  overrideParams(options, symbols, params);
  if (diagnostics.hasErrors()) return nullptr;
  TypeResolver types(session.context(), params);
  const Layout *layout = types.layoutFor(*attr, shape);
  if (ShapedAttrs attrs; layout && types.resolveAttr(*attr, attrs) && attrs.layout) written = *attrs.layout;
  if (layout) return layout;
  if (options.files.empty() && attr->kind == ast::Attr::Kind::Alias)
    diagnostics.noteErrorAfter(0, "give the file that defines it: xtc --show-layout '#name' --shape 256x256 file.xt");
  else if (attr->kind == ast::Attr::Kind::Alias && symbols.attrAliasNames().empty())
    diagnostics.noteErrorAfter(
        0, str(options.files[0], imports.empty() ? " defines no alias" : " and its imports define no alias"));
  else if (attr->kind == ast::Attr::Kind::Alias && !symbols.attrAlias(attr->name.text))
    diagnostics.noteErrorAfter(0,
                               str("the aliases of ", options.files[0], imports.empty() ? " are #" : " and its imports are #",
                                   join(symbols.attrAliasNames(), ", #")));
  return nullptr;
}

// The shape of what one owner holds under a nested_layout, in both forms. Layouts in other notations have only the collapsed
// form, which the summary below a drawing states.
std::string heldText(const NestedLayout &map, const Layout &layout) {
  return str("each ", layout.axisSize(Axis::Lane) > 1 ? "lane" : "subgroup", " holds vector<", shapeText(distributedShape(map)),
             ">, collapsed vector<", shapeText(collapsedShape(layout)), ">\n");
}

bool colorOnOutput(const XtcOptions &options) {
  if (options.color != ColorMode::Auto) return options.color == ColorMode::Always;
  return (options.output.empty() || options.output == "-") && isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
}

} // namespace

std::optional<std::vector<int64_t>> shapeFromText(std::string_view text) {
  std::vector<int64_t> shape;
  int64_t extent = 0;
  bool digits = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] >= '0' && text[i] <= '9') {
      extent = extent * 10 + (text[i] - '0');
      digits = true;
      if (extent > kMaxExtent) return std::nullopt;
      continue;
    }
    if (!digits || extent == 0 || (i < text.size() && text[i] != 'x')) return std::nullopt;
    shape.push_back(std::exchange(extent, 0));
    digits = false;
  }
  if (shape.size() > size_t{kMaxRank}) return std::nullopt;
  return shape;
}

int showLayout(const XtcOptions &options) {
  std::optional<std::vector<int64_t>> shape = shapeFromText(options.shape);
  if (!shape) {
    std::fprintf(stderr, "xtc: --shape takes one to %zu positive extents, such as 256x256, not `%s`\n", size_t{kMaxRank},
                 options.shape.c_str());
    return kExitUsage;
  }
  std::string text;
  if (!options.files.empty()) {
    Result<std::string> read = readFile(options.files[0]);
    if (!read) return fail(read.error());
    text = std::move(*read);
  }
  Session session(options);
  LayoutSpec written;
  const Layout *layout = findLayout(options, session, std::move(text), *shape, written);
  if (!session.diagnostics().all().empty()) session.printDiagnostics();
  if (!layout) return kExitCompile;
  DrawingOptions drawing{options.lanes, options.registers, colorOnOutput(options)};
  std::string spelled = written.text(), title = str(spelled, " on ", shapeText(*shape));
  std::string known = spelled == layout->text() ? "" : str("equal to ", layout->text(), "\n");
  if (written.nested) known += heldText(*written.nested, *layout);
  std::string out = str(title, "\n", known, "\n", layoutText(*layout, drawing));
  if (options.output.empty() || options.output == "-") {
    std::fwrite(out.data(), 1, out.size(), stdout);
  } else if (Result<void> saved = writeOutputFile(options.output, {out}); !saved) {
    return fail(saved.error());
  }
  if (options.svg.empty()) return 0;
  Result<void> saved = writeOutputFile(options.svg, {layoutSvg(*layout, title, drawing)});
  return saved ? 0 : fail(saved.error());
}

} // namespace xt
