#include "targets/xe/emit/debug_scopes.h"

#include "targets/xe/library/spirv_numbers.h"

#include <llvm/IR/DebugInfoMetadata.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace xt {
namespace {

using namespace spirv;

using Words = std::vector<uint32_t>;
// OpenCL.DebugInfo.100
constexpr uint32_t kCompilationUnit = 1, kTypeFunction = 8, kDebugFunction = 20, kLexicalBlock = 21, kScope = 23, kSource = 35;
constexpr uint32_t kVersion = 0x10000, kDwarfVersion = 4, kLanguageOpenClC = 3, kIsDefinition = 1 << 3, kIsOptimized = 1 << 13;

void add(Words &out, Opcode opcode, std::initializer_list<uint32_t> operands) {
  out.push_back(firstWord(operands.size() + 1, opcode));
  out.insert(out.end(), operands);
}

void addText(Words &out, Opcode opcode, uint32_t id, llvm::StringRef text) {
  const size_t begin = out.size();
  out.insert(out.end(), {0, id});
  addLiteral(out, std::string_view(text));
  out[begin] = firstWord(out.size() - begin, opcode);
}

class ScopeWriter {
public:
  ScopeWriter(Words words, const llvm::Module &module) : in_(std::move(words)), module_(module) {}

  Words write() {
    look();
    if (functions_.empty() || !void_) return in_;
    next_ = in_[kBoundWord];
    set_ = next_++, empty_ = next_++, type_ = next_++;
    for (auto &[id, function] : functions_) function.name = next_++, function.scope = next_++;
    Words out(in_.begin(), in_.begin() + kHeaderWords);
    eachInstruction(in_, [&](Opcode opcode, std::span<const uint32_t> words) { copy(opcode, words, out); });
    out[kBoundWord] = next_;
    return out;
  }

private:
  struct Function {
    uint32_t name = 0, scope = 0; // ids
    const llvm::DISubprogram *program = nullptr;
  };

  // Finds the functions that have lines, and the ids of the void type and of all strings.
  void look() {
    std::map<uint32_t, std::string> entries;
    uint32_t function = 0;
    eachInstruction(in_, [&](Opcode opcode, std::span<const uint32_t> words) {
      if (opcode == OpEntryPoint) entries[words[2]] = literal(words.subspan(3));
      if (opcode == OpTypeVoid) void_ = words[1];
      if (opcode == OpString) strings_[words[1]] = literal(words.subspan(2));
      if (opcode == OpFunction) function = words[2];
      if (opcode != OpLine || !entries.count(function)) return;
      const llvm::Function *made = module_.getFunction(entries[function]);
      if (made && made->getSubprogram()) functions_[function].program = made->getSubprogram();
    });
  }

  void copy(Opcode opcode, std::span<const uint32_t> words, Words &out) {
    if (opcode == OpMemoryModel) addText(out, OpExtInstImport, set_, "OpenCL.DebugInfo.100");
    if (opcode == OpString && !stringsDone_) {
      stringsDone_ = true;
      addText(out, OpString, empty_, "");
      for (const auto &[id, function] : functions_) addText(out, OpString, function.name, function.program->getName());
    }
    if (opcode == OpFunction) {
      if (!typesDone_) describe(out);
      typesDone_ = true;
      auto found = functions_.find(words[2]);
      current_ = found == functions_.end() ? nullptr : &found->second;
    }
    if (opcode == OpLabel) inScope_ = 0;
    if (opcode == OpLine && current_) {
      uint32_t scope = scopeOf(*current_, words[1]);
      if (scope != inScope_) add(out, OpExtInst, {void_, next_++, set_, kScope, scope});
      inScope_ = scope;
    }
    out.insert(out.end(), words.begin(), words.end());
  }

  // The scope for the lines of a function in a file; `file` is the id of a string. Each function has its own ids for files;
  // equal strings denote the same file.
  uint32_t scopeOf(const Function &function, uint32_t file) const {
    const std::string &name = strings_.at(file);
    if (name == function.program->getFilename()) return function.scope;
    auto found = blocks_.find({&function, name});
    return found == blocks_.end() ? function.scope : found->second;
  }

  void describe(Words &out) {
    auto info = [&](uint32_t id, uint32_t kind, std::initializer_list<uint32_t> operands) {
      out.push_back(firstWord(operands.size() + 5, OpExtInst));
      out.insert(out.end(), {void_, id, set_, kind});
      out.insert(out.end(), operands);
    };
    std::map<std::string, uint32_t> files; // by name: the id of one of the strings with this name
    for (const auto &[id, text] : strings_) files.emplace(text, id);
    std::map<std::string, uint32_t> made;
    auto sourceOf = [&](const std::string &file) {
      uint32_t &id = made[file];
      if (!id) info(id = next_++, kSource, {files.at(file), empty_});
      return id;
    };
    uint32_t unit = 0;
    for (auto &[id, function] : functions_) {
      std::string file = function.program->getFilename().str();
      if (!files.count(file)) file = files.begin()->first;
      uint32_t own = sourceOf(file), line = function.program->getLine();
      if (!unit) {
        info(unit = next_++, kCompilationUnit, {kVersion, kDwarfVersion, own, kLanguageOpenClC});
        info(type_, kTypeFunction, {0, void_});
      }
      info(function.scope, kDebugFunction,
           {function.name, type_, own, line, 1, unit, empty_, kIsDefinition | kIsOptimized, line, id});
    }
    // Lines of other files come from functions that were inlined.
    for (const Inlined &each : otherFiles()) {
      uint32_t other = sourceOf(each.file), block = next_++;
      info(block, kLexicalBlock, {other, each.line, 1, each.function->scope});
      blocks_[{each.function, each.file}] = block;
    }
  }

  struct Inlined {
    const Function *function;
    std::string file;
    uint32_t line; // the first line that was found
  };
  std::vector<Inlined> otherFiles() const {
    std::set<std::pair<uint32_t, std::string>> seen;
    std::vector<Inlined> found;
    uint32_t function = 0;
    eachInstruction(in_, [&](Opcode opcode, std::span<const uint32_t> words) {
      if (opcode == OpFunction) function = words[2];
      if (opcode != OpLine || !functions_.count(function)) return;
      const std::string &file = strings_.at(words[1]);
      if (file == functions_.at(function).program->getFilename() || !seen.insert({function, file}).second) return;
      found.push_back({&functions_.at(function), file, words[2]});
    });
    return found;
  }

  const Words in_;
  const llvm::Module &module_;
  std::map<uint32_t, Function> functions_;
  std::map<uint32_t, std::string> strings_;
  std::map<std::pair<const Function *, std::string>, uint32_t> blocks_; // scopes of a function in files other than its own
  const Function *current_ = nullptr;
  uint32_t void_ = 0, next_ = 0, set_ = 0, empty_ = 0, type_ = 0, inScope_ = 0;
  bool stringsDone_ = false, typesDone_ = false;
};

} // namespace

std::string withDebugScopes(const std::string &spirv, const llvm::Module &module) {
  Words words(spirv.size() / 4);
  std::memcpy(words.data(), spirv.data(), words.size() * 4);
  if (words.size() <= kHeaderWords) return spirv;
  Words out = ScopeWriter(std::move(words), module).write();
  return {reinterpret_cast<const char *>(out.data()), out.size() * 4};
}

} // namespace xt
