// Completion. The tokens before the cursor decide what is offered, so that text with syntax errors gets completions too; the
// tree and the name index add names and types.
#include "ir/base/text.h"
#include "ir/elem.h"
#include "ir/elem_kinds.h"
#include "ir/op_page.h"
#include "ir/print.h"
#include "lang/check/param_targets.h"
#include "lang/lower/disk.h"
#include "lang/server/cursor.h"
#include "lang/server/features.h"
#include "lang/server/spell.h"
#include "lang/server/tree.h"

#include <algorithm>
#include <filesystem>
#include <functional>

namespace xt::lsp {
namespace {

// CompletionItemKind of the protocol.
enum class ItemKind : uint8_t {
  Method = 2,
  Function = 3,
  Variable = 6,
  Module = 9,
  Property = 10,
  Keyword = 14,
  File = 17,
  EnumMember = 20,
  Constant = 21,
  Struct = 22,
  TypeParameter = 25
};

constexpr size_t kMostValues = 200;

// The mapping attributes, each with a snippet of its entries.
struct Mapping {
  std::string_view name, detail, entries;
};
constexpr Mapping kMappings[] = {
    {"#wg_map", "assigns elements to subgroups", "sg_layout = [${1:8}, ${2:4}], sg_data = [${3:32}, ${4:32}]"},
    {"#sg_map", "assigns elements to lanes", "wi_layout = [${1:1}, ${2:16}], wi_data = [${3:1}, ${4:1}]"},
    {"#xe_map", "wg_map and sg_map together", "wg = ${1:#wg_map<>}, sg = ${2:#sg_map<>}"},
};

// An example as a snippet, in which the names of values are filled in.
std::string exampleSnippet(std::string_view example) {
  std::string text;
  int holes = 0;
  bool open = false;
  for (char c : example) {
    bool name = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (open && !name) text += "}";
    open = open && name;
    text += c;
    if (c != '%') continue;
    text += str("${", ++holes, ":");
    open = true;
  }
  return open ? text + "}" : text;
}

class Completion {
public:
  Completion(const Query &query, uint32_t offset, bool snippets)
      : query_(query), place_(cursorAt(query, offset)), offset_(offset), snippets_(snippets), speller_(query) {}

  Json run() {
    if (place_.inText)
      imports();
    else if (!place_.prefix.empty() && place_.prefix[0] == '%')
      values();
    else if (!place_.prefix.empty() && place_.prefix[0] == '#')
      aliases();
    else if (!place_.prefix.empty() && place_.prefix[0] == '!')
      declared(NameKind::TypeAlias, ItemKind::TypeParameter);
    else if (!place_.prefix.empty() && place_.prefix[0] == '$')
      params();
    else if (!place_.prefix.empty() && place_.prefix[0] == '@')
      callees();
    else
      words();
    return {{"isIncomplete", incomplete_}, {"items", std::move(items_)}};
  }

private:
  // Adds an item. `page` is the kind of documentation page that completionPage() looks up; null if there is none.
  void item(const std::string &label, ItemKind kind, const std::string &detail, const std::string &text = {},
            const char *page = nullptr) {
    if (!seen_.insert(label).second) return;
    bool snippet = snippets_ && text.find('$') != std::string::npos && text != label;
    Json json = {{"label", label}, {"kind", static_cast<int>(kind)}};
    if (!detail.empty()) json["detail"] = detail;
    if (page) json["data"] = page;
    if (snippet) json["insertTextFormat"] = 2;
    auto prefix = static_cast<uint32_t>(place_.prefix.size());
    if (range_.is_null() || prefix != ranged_) range_ = query_.range({offset_ - prefix, offset_}), ranged_ = prefix;
    json["textEdit"] = {{"range", range_},
                        {"newText", snippet || (!text.empty() && text.find('$') == std::string::npos) ? text : label}};
    items_.push_back(std::move(json));
  }

  // --- names ---------------------------------------------------------------------------------------------------------

  void values() {
    std::vector<ast::Name> names;
    if (const ast::KernelDecl *kernel = kernelAt(*place_.piece, place_.at))
      names = valuesInScope(*kernel, place_.at);
    else if (const ast::TestDecl *test = testAt(*place_.piece, place_.at))
      names = valuesInScope(*test, place_.at);
    // Offers only the latest kMostValues bindings; the incomplete flag makes the client repeat the request as typing goes on.
    bool many = names.size() > kMostValues;
    incomplete_ |= many;
    size_t left = kMostValues;
    for (size_t i = names.size(); i-- > 0 && left > 0;) { // the latest binding of a name has the current type
      if (many && (!mayBecome("%" + names[i].text) || seen_.contains("%" + names[i].text))) continue;
      --left;
      const NameUse *use = query_.definitionAt(names[i].range);
      item("%" + names[i].text, ItemKind::Variable, use && use->type ? speller_.type(use->type) : "");
    }
    if (names.empty()) // a syntax error left no tree
      for (const RoleToken &token : place_.before)
        if (token.role == TokenRole::Value) item(std::string(place_.spelled(token)), ItemKind::Variable, "");
  }

  // Whether the typed characters occur in the name in the same order; case does not matter.
  bool mayBecome(std::string_view name) const {
    size_t at = 0;
    for (char c : place_.prefix) {
      while (at < name.size() &&
             std::tolower(static_cast<unsigned char>(name[at])) != std::tolower(static_cast<unsigned char>(c)))
        ++at;
      if (at++ >= name.size()) return false;
    }
    return true;
  }

  // Kernels call functions; tests launch kernels, which have no results, and call functions of tests.
  void callees() {
    auto fits = [&](const NameUse &use) {
      for (const Document *file : query_.analysis.files)
        for (size_t i = 0; i < file->pieceCount(); ++i)
          for (const ast::KernelDecl &decl : file->piece(i).parsed.tree.kernels)
            if (decl.name.range == use.target)
              return place_.inKernel ? decl.isFunction && !decl.ofTests : !place_.inTest || decl.results.empty();
      return true;
    };
    declared(NameKind::Kernel, ItemKind::Function, fits);
  }

  // Lists declarations of this document in text order, then those of each imported file.
  void declared(NameKind kind, ItemKind as, const std::function<bool(const NameUse &)> &fits = {}) {
    std::vector<std::pair<std::pair<size_t, Span>, const NameUse *>> order;
    const std::vector<const Document *> &files = query_.analysis.files;
    for (const NameUse &use : query_.analysis.checked.names.uses()) {
      if (use.kind != kind || !use.isDefinition || (fits && !fits(use))) continue;
      Place place = query_.workspace.locate(use.target);
      order.push_back({{std::find(files.begin(), files.end(), place.document) - files.begin(), place.span}, &use});
    }
    std::sort(order.begin(), order.end());
    for (const auto &[place, use] : order) item(std::string(query_.written(use->target)), as, "");
  }

  void aliases() {
    declared(NameKind::Alias, ItemKind::Struct);
    for (const Mapping &mapping : kMappings)
      item(std::string(mapping.name), ItemKind::Struct, std::string(mapping.detail),
           str(mapping.name, "<", mapping.entries, ">"));
  }

  // Offers the keys of the mapping attribute around the cursor. After `=`, an entry of #xe_map takes an alias; entries of
  // the other mappings take numbers, for which nothing is offered. Returns false outside of a mapping.
  bool mappingEntries() {
    if (place_.bracket != "<" || place_.bracketAt == 0) return false;
    std::string_view opener = place_.spelled(place_.before[place_.bracketAt - 1]);
    for (const Mapping &mapping : kMappings) {
      if (mapping.name != opener) continue;
      if (place_.last() == "=") {
        if (mapping.name == "#xe_map") aliases();
        return true;
      }
      std::string_view rest = mapping.entries;
      for (size_t at = rest.find(" = "); at != std::string_view::npos; at = rest.find(" = ")) {
        size_t begin = rest.rfind(' ', at - 1) == std::string_view::npos ? 0 : rest.rfind(' ', at - 1) + 1;
        std::string key(rest.substr(begin, at - begin));
        item(key, ItemKind::Property, "", key + " = ${1}");
        rest.remove_prefix(at + 3);
      }
      return true;
    }
    return false;
  }

  void params() {
    declared(NameKind::Param, ItemKind::Constant);
    if (const ast::TestDecl *test = testAt(*place_.piece, place_.at))
      for (const ast::SizeDecl &size : test->sizes) item("$" + size.name.text, ItemKind::Constant, "size of the test");
  }

  // --- words ---------------------------------------------------------------------------------------------------------

  void words() {
    if (mappingEntries()) return;
    if (inType()) return types();
    if (place_.op && place_.bracket == "{") return attributes();
    if (place_.op && place_.bracket == "<" && place_.op->clause == Clause::Kind) return kinds();
    if (!place_.inKernel && !place_.inTest) return fileLevel();
    bool start = place_.lineFirst >= place_.before.size(), value = place_.last() == "=";
    if (place_.inTest) {
      if (start) return testStatements();
      bool started = place_.last() == "start" && place_.lineFirst + 1 == place_.before.size();
      if (started) return rankStatements(false);
      rankArguments();
      return hostFunctions(value);
    }
    if (inOperands()) return place_.op->clause == Clause::Literal ? params() : operands();
    if (start || value) ops(value);
    if (start) statements();
    if (value || !start) functions();
    if (!start) values();
  }

  void operands() {
    values();
    params();
  }

  // Whether the cursor follows the op's name or a comma between its operands, where no function call is allowed.
  bool inOperands() const {
    if (!place_.op || !place_.bracket.empty() || place_.before.size() <= place_.lineFirst) return false;
    return place_.last() == "," || findOp(place_.last()) == place_.op;
  }

  bool inType() const {
    std::string_view last = place_.last();
    if (place_.bracket == "<") {
      const RoleToken *opener = place_.bracketAt > 0 ? &place_.before[place_.bracketAt - 1] : nullptr;
      return opener && (opener->role == TokenRole::Constructor || opener->role == TokenRole::TypeAlias);
    }
    return last == ":" || last == "->" || last == "into" || (last == "," && place_.op && place_.bracket.empty() && hasColon());
  }
  bool hasColon() const {
    for (size_t i = place_.lineFirst; i < place_.before.size(); ++i)
      if (place_.spelled(place_.before[i]) == ":") return true;
    return false;
  }

  void types() {
    if (place_.bracket == "<") {
      declared(NameKind::Alias, ItemKind::Struct);
      declared(NameKind::Param, ItemKind::Constant);
    } else {
      for (std::string_view name : {"memref", "vector", "tile", "joint_matrix", "tensor_desc"})
        item(std::string(name), ItemKind::Struct, "",
             str(name, name == "memref" ? "<${1:?}x${2:?}x${3:f32}>" : "<${1:32}x${2:32}x${3:f32}>"));
      for (const TypeWord &word : kTypeWords) item(std::string(word.text), ItemKind::Struct, "");
      declared(NameKind::TypeAlias, ItemKind::TypeParameter);
    }
    for (int i = 0; i < kElemCount; ++i)
      item(std::string(elemName(static_cast<Elem>(i))), ItemKind::TypeParameter, "element type");
  }

  void attributes() {
    if (place_.last() == "=") return attributeValues(place_.last(2));
    for (const AttrSpec &attr : place_.op->attrs)
      if (attr.kind != AttrKind::Kind)
        item(std::string(attr.name), ItemKind::Property, std::string(attr.doc),
             attr.kind == AttrKind::Flag ? std::string(attr.name) : str(attr.name, " = ${1}"));
    aliases();
  }

  void attributeValues(std::string_view key) {
    for (const AttrSpec &attr : place_.op->attrs) {
      if (attr.name != key && attr.spelling != key) continue;
      if (attr.kind == AttrKind::Kind || attr.kind == AttrKind::Word) return listed(attr);
      if (attr.kind == AttrKind::Number)
        for (const char *number : {"0.0", "nan", "inf"}) item(number, ItemKind::Constant, "");
    }
    params();
  }

  // Offers the words that an attribute allows.
  void listed(const AttrSpec &attr) {
    std::string_view rest = attr.doc;
    while (!rest.empty()) {
      size_t blank = std::min(rest.find(' '), rest.size());
      if (blank > 0) item(std::string(rest.substr(0, blank)), ItemKind::EnumMember, "");
      rest.remove_prefix(std::min(blank + 1, rest.size()));
    }
  }

  void kinds() {
    for (const AttrSpec &attr : place_.op->attrs)
      if (attr.kind == AttrKind::Kind) listed(attr);
  }

  void ops(bool value) {
    for (std::span<const OpInfo> table : {allOps(), allComposites()})
      for (const OpInfo &op : table) {
        if (op.clause == Clause::Structure || (op.results > 0) != value) continue;
        item(std::string(op.name), ItemKind::Method, std::string(op.summary), snippet(op), "op");
      }
  }

  // A snippet such as "load_tile ${1:%tile}".
  static std::string snippet(const OpInfo &op) {
    std::string text(op.name);
    int place = 0;
    auto hole = [&](std::string_view what) { return str("${", ++place, ":", what, "}"); };
    if (op.clause == Clause::Kind) text += str(" <", hole("add"), ">");
    if (op.clause == Clause::Literal) text += str(" ", hole("0.0"), " : ", hole("vector<32x32xf32>"));
    if (op.clause == Clause::Text) text += str(" \"", hole("text"), "\"");
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const OperandSpec &spec = op.operands[i];
      if (spec.arity == Arity::Optional) break;
      if (op.clause == Clause::Base && i == 1) {
        text += str("[", hole("%i"), ", ", hole("%j"), "]");
        break;
      }
      text += str(i ? ", " : " ", hole(str("%", spec.name)));
    }
    if (op.typeRule == TypeRule::InitTile) text += str(" -> tile<", hole("32x32xf16"), ">");
    return text;
  }

  void statements() {
    item("for", ItemKind::Keyword, "a loop", "for %${1:k} = ${2:0} to ${3:%n} step ${4:32} {\n  $0\n}");
    item("if", ItemKind::Keyword, "a branch", "if ${1:%c} {\n  $0\n}");
    item("while", ItemKind::Keyword, "a loop with a condition", "while ${1:%c} {\n  $0\n}");
    item("return", ItemKind::Keyword, "ends a function");
    declared(NameKind::Kernel, ItemKind::Function);
  }

  void functions() {
    for (std::string_view name :
         {"dim", "stride", "same_shape", "min", "max", "ceildiv", "abs", "subgroup_id", "lane_id", "workgroup_id"})
      item(std::string(name), ItemKind::Function, "");
    for (const OpInfo &op : allOps())
      if (op.elementwise && op.typeRule == TypeRule::Elementwise)
        item(std::string(op.name), ItemKind::Function, std::string(op.summary), {}, "op");
  }

  void testStatements() {
    item("launch", ItemKind::Keyword, "runs a kernel", "launch @${1:kernel}(${2:%A})");
    item("check", ItemKind::Keyword, "compares a result with an expected value", "check %${1:C} == ${2:matmul(%A, %B)}");
    item("save", ItemKind::Keyword, "writes a .npy file", "save %${1:C} \"${2:c.npy}\"");
    rankStatements(true);
  }

  // Offers the words of statements about ranks, or after `start` only the communications.
  void rankStatements(bool all) {
    for (std::string_view name : rankWordNames(all)) {
      const RankWord &word = *findRankWord(name);
      item(std::string(name), ItemKind::Keyword, std::string(word.summary), exampleSnippet(word.example), "statement");
    }
  }

  // The words that the parentheses of a statement about ranks may hold, beside expressions.
  void rankArguments() {
    if (place_.bracket != "(" || place_.lineFirst >= place_.before.size()) return;
    size_t first = place_.lineFirst;
    if (place_.spelled(place_.before[first]) == "start" && first + 1 < place_.before.size()) ++first;
    std::string_view word = place_.spelled(place_.before[first]);
    if (word == "shard") item("none", ItemKind::Keyword, "the axis of the mesh divides no dimension");
    const CommunicationInfo *info = findCommunication(word);
    if (!info) return;
    for (std::string_view name : argumentNames(info->named)) {
      if (name == "kind")
        for (std::string_view kind : combineKinds()) item(std::string(kind), ItemKind::EnumMember, "");
      item(std::string(name), ItemKind::Property, "", str(name, " = ${1}"));
    }
  }

  void hostFunctions(bool initialises) {
    for (const HostFnInfo &fn : allHostFns())
      if (!fn.name.empty() && (fn.cls == HostFnClass::Initializer) == initialises)
        item(std::string(fn.name), ItemKind::Function, std::string(fn.summary), {}, initialises ? "initializer" : "function");
    if (!initialises) values();
  }

  // What follows the value of `param $n : type = value`.
  void paramClauses() {
    bool valued = false, forTargets = false;
    if (place_.spelled(place_.before[place_.lineFirst]) != "param") return;
    for (size_t i = place_.lineFirst; i < place_.before.size(); ++i) {
      valued |= place_.spelled(place_.before[i]) == "=";
      forTargets |= place_.spelled(place_.before[i]) == "for";
    }
    if (!valued || !place_.bracket.empty()) return;
    if (forTargets && (place_.last() == "for" || place_.last() == ","))
      for (std::string_view target : paramTargets())
        item(quotedText(target), ItemKind::Constant, "the value on this target", str(quotedText(target), " = ${1:128}"));
    if (forTargets) return;
    item("in", ItemKind::Keyword, "the values that `xtrun --tune` tries", "in [${1:64}, ${2:128}]");
    item("for", ItemKind::Keyword, "the value on a target", "for \"${1:xe-dg2}\" = ${2:128}");
  }

  // Whether the cursor is inside the parentheses of a clause of a header.
  bool inClause() const {
    if (place_.bracket != "(" || place_.bracketAt == 0) return false;
    std::string_view word = place_.spelled(place_.before[place_.bracketAt - 1]);
    return word == "grid" || word == "requires" || word == "subgroups" || word == "lanes";
  }

  void fileLevel() {
    if (inClause()) return values(), functions(), params();
    if (place_.last() == ")") { // after a parameter list, a kernel's header may continue
      item("grid", ItemKind::Keyword, "", "grid (%${1:i} = 0 to ${2:dim(%A, 0)} step ${3:32})");
      item("requires", ItemKind::Keyword, "", "requires (${1:dim(%B, 0) == dim(%A, 1)})");
      item("subgroups", ItemKind::Keyword, "", "subgroups(${1:8})");
      item("lanes", ItemKind::Keyword, "", "lanes(${1:16})");
    }
    if (place_.lineFirst < place_.before.size()) { // an item has begun
      if (place_.last() != "=") return paramClauses();
      TokenRole first = place_.before[place_.lineFirst].role;
      return first == TokenRole::TypeAlias ? types() : first == TokenRole::Alias ? aliases() : params();
    }
    item("kernel", ItemKind::Keyword, "",
         "kernel @${1:name}(%${2:A}: memref<?x?xf32>) grid (%i = 0 to dim(%${2:A}, 0) step ${3:32}) {\n  $0\n}");
    item("func", ItemKind::Keyword, "", "func @${1:name}(%${2:x}: vector<?x?xf32>) -> vector<?x?xf32> {\n  return $0\n}");
    item("test", ItemKind::Keyword, "",
         "test \"${1:name}\" {\n  %A = random(seed = 1) : memref<${2:64x64xf32}>\n  launch @${3:kernel}(%A)\n  $0\n}");
    item("param", ItemKind::Keyword, "", "param \\$${1:BM} : index = ${2:256}");
    item("import", ItemKind::Keyword, "", "import \"${1:std/gemm}\"");
    aliases();
  }

  // --- imports -------------------------------------------------------------------------------------------------------

  void imports() {
    if (place_.last(2) != "import" && place_.last() != "import") return;
    // The prefix is the whole path typed so far, because '/' does not end it.
    const RoleToken &text = place_.before.back();
    std::string_view typed = place_.piece->text.substr(text.begin + 1, place_.at - text.begin - 1);
    place_.prefix = typed;
    auto folder = [&](const std::string &path, const std::string &before) {
      std::set<std::string> names;
      for (const std::filesystem::path name : namesIn(path))
        if (name.extension() == ".xt" && path / name != query_.document.path()) names.insert(before + name.stem().string());
      for (const std::string &name : names) item(name, ItemKind::File, "");
    };
    if (!query_.workspace.stdlib().empty()) folder(query_.workspace.stdlib(), "std/");
    size_t slash = query_.document.path().rfind('/'), inside = typed.rfind('/');
    std::string below = inside == std::string_view::npos ? "" : std::string(typed.substr(0, inside + 1));
    if (slash != std::string::npos && !below.starts_with("std/"))
      folder(query_.document.path().substr(0, slash + 1) + below, below);
  }

  const Query &query_;
  Cursor place_;
  uint32_t offset_;
  bool snippets_;
  TypeSpeller speller_;
  std::set<std::string> seen_;
  bool incomplete_ = false;
  Json range_; // the range of a prefix of `ranged_` bytes
  uint32_t ranged_ = 0;
  Json items_ = Json::array();
};

} // namespace

Json completion(const Query &query, uint32_t offset, bool snippets) { return Completion(query, offset, snippets).run(); }

Json completionPage(Json item) {
  std::string label = textOf(member(item, "label")), data = textOf(member(item, "data"));
  std::string page;
  if (const OpInfo *op = data == "op" ? findOp(label) : nullptr) page = opPage(*op);
  for (const HostFnInfo &fn : allHostFns())
    if (fn.name == label && data == (fn.cls == HostFnClass::Initializer ? "initializer" : "function")) page = hostFnPage(fn);
  if (const RankWord *word = data == "statement" ? findRankWord(label) : nullptr) page = rankWordPage(*word);
  if (!page.empty()) item["documentation"] = {{"kind", "markdown"}, {"value", page}};
  return item;
}

} // namespace xt::lsp
