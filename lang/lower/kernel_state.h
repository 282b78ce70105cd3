// The state of the lowering of one kernel, or of one function that no kernel calls. The parts of the lowering are functions
// over this state, each with a header of its own (README.md lists them). They keep no state between two calls.
#pragma once
#include "ir/builder.h"
#include "ir/infer/layout_inference.h"
#include "lang/check/types.h"
#include "lang/lower/environment.h"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace xt {

// The state that the lowerings of a file's kernels share.
struct FileState {
  std::set<const ast::KernelDecl *> failedFunctions; // functions with errors, which have been reported
  std::set<const ast::KernelDecl *> lowered; // functions whose bodies have been lowered
  const std::vector<LayoutAlias> &aliases; // the module's aliases, for messages
  const SourceManager &sources; // for messages
  size_t statements = 0; // number of statements lowered; those of a function count once for each call
  bool repeatedTooMuch = false; // a kernel or function has more repeated statements than mayRepeat() allows
};

// The explicit yield of a region, if there is one.
struct RegionYield {
  bool written = false;
  bool lost = false; // a statement of the region could not be read: it may have been the yield
  bool ofCondition = false; // the region ends in scf.condition
  std::vector<Value *> values; // a null value is invalid, which has been reported
  std::vector<SourceRange> ranges;
};

// The functions that the parameters `@f` of a function stand for.
using FunctionArguments = std::map<std::string, const ast::KernelDecl *, std::less<>>;

// A function whose body is being lowered in place of a call.
struct CallFrame {
  const ast::KernelDecl *decl;
  bool returned;
  std::vector<Value *> values; // the values of the `return`; a null value is invalid, which has been reported
  SourceRange range; // the range of the `return`
  SourceRange call;
  FunctionArguments functions;
};

// The result of a to_simt. When the layouts are known, its shape is compared with the one that they give.
struct WrittenFragment {
  Value *value;
  std::vector<int64_t> shape;
  SourceRange range;
};

// A type of a joint matrix in a kernel whose scope is not known yet.
struct WrittenMatrix {
  bool ofWorkgroup; // the scope in the type
  SourceRange range;
};

struct KernelState {
  KernelState(Context &c, ParamScope &p, FileState &f, const ast::KernelDecl &d, std::string name);
  Diagnostics &diagnostics() const { return params.diagnostics(); }

  Context &context;
  ParamScope &params;
  FileState &file;
  const ast::KernelDecl &decl;
  TypeResolver types;
  std::unique_ptr<Kernel> kernel;
  Builder builder;
  Environment names;
  WrittenLayouts written;
  std::vector<WrittenFragment> fragments;
  std::vector<WrittenMatrix> matrices;
  int64_t sliceTiles = 0; // number of tiles of all slices that have several (slices.h)
  bool poisoned = false; // a statement is invalid, which has been reported; there will be no kernel
  bool namesLost = false; // a statement has a syntax error; unknown names are not reported, since it may have bound them
  bool anyExtents = false; // an extent was assumed for a `?` of a function that is never called
  int64_t lanes = 0; // TypeRuleInput::lanes
  std::optional<int64_t> subgroups; // the number that the kernel's header states, if it is valid
  int depth = 0; // nesting of the current expression
  size_t repeated = 0; // statements of inlined functions and of blocks that are lowered again, counted each time
  int repeats = 0; // number of blocks around the current one that are lowered again
  std::optional<SourceRange> expandedCall; // the call of the function that contains the op which is replaced by others
  std::deque<CallFrame> calls; // innermost last; a deque, because a nested call must not move the outer frames
  std::vector<RegionYield> yields; // one per region being lowered, innermost last
};

} // namespace xt
