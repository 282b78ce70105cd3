#include "targets/prove/prove.h"

#include "ir/base/text.h"
#include "targets/prove/accesses.h"

#include <algorithm>
#include <map>
#include <set>

namespace xt {

namespace {
constexpr int kMilliseconds = 10000; // time limit of each query to Z3
constexpr int64_t kMostSize = int64_t{1} << 31;

// A quantity that only a launch defines: the extent of a dimension of a parameter, or the value of an integer.
constexpr size_t kScalar = ~size_t{0};
struct SizeAt {
  size_t param = 0, dim = 0; // kScalar: an integer parameter
  bool operator<(const SizeAt &other) const { return std::pair(param, dim) < std::pair(other.param, other.dim); }
};

// The spelling of an extent of a test's buffer; "" if it is neither a number nor a name.
std::string extentText(const HostExpr &extent) {
  if (extent.kind == HostExpr::Kind::Int) return std::to_string(extent.integer);
  return extent.kind == HostExpr::Kind::Size ? "$" + extent.text : "";
}

// A kernel is specialised for each set of parameters: "gemm$BM=128" is a specialisation of "gemm".
std::string_view baseName(std::string_view kernel) { return kernel.substr(0, kernel.find('$')); }

class Prover {
public:
  Prover(const Module &module, const Kernel &kernel, Smt &smt)
      : module_(module), kernel_(kernel), smt_(smt), accesses_(accessesOf(kernel, smt)) {}

  KernelProof run() {
    proof_.kernel = kernel_.name;
    boundSizes();
    facts_.insert(facts_.end(), accesses_.asserted.begin(), accesses_.asserted.end());
    assumeEqualSizes();
    for (const Obstacle &obstacle : accesses_.obstacles)
      line(obstacle.writes ? ProofVerdict::Undecided : ProofVerdict::Proved, *obstacle.op, obstacle.why);
    for (size_t p = 0; p < kernel_.paramCount; ++p) {
      if (!kernel_.param(p)->type().isMemRef()) continue;
      proveStores(p);
      proveLoads(p);
    }
    return std::move(proof_);
  }

private:
  std::string name(size_t param) const { return "`%" + kernel_.param(param)->name() + "`"; }
  void line(ProofVerdict verdict, const Op &op, std::string text) { proof_.lines.push_back({verdict, op.range(), std::move(text)}); }

  // --- sizes ---

  void boundSizes() {
    for (size_t p = 0; p < accesses_.scalars.size(); ++p)
      if (accesses_.scalars[p]) {
        sizes_.push_back({p, kScalar});
        facts_.push_back(smt_.lessEqual(smt_.integer(-kMostSize), accesses_.scalars[p]));
        facts_.push_back(smt_.lessEqual(accesses_.scalars[p], smt_.integer(kMostSize)));
      }
    for (size_t p = 0; p < accesses_.sizes.size(); ++p)
      for (size_t d = 0; d < accesses_.sizes[p].size(); ++d) {
        if (kernel_.param(p)->type().shape()[d] != kDynamic) continue;
        Term size = accesses_.sizes[p][d];
        sizes_.push_back({p, d});
        facts_.push_back(smt_.lessEqual(smt_.integer(0), size));
        facts_.push_back(smt_.lessEqual(size, smt_.integer(kMostSize)));
      }
  }
  Term sizeOf(SizeAt at) const { return at.dim == kScalar ? accesses_.scalars[at.param] : accesses_.sizes[at.param][at.dim]; }
  std::string sizeName(SizeAt at) const {
    std::string param = "%" + kernel_.param(at.param)->name();
    return at.dim == kScalar ? param : str("dim(", param, ", ", at.dim, ")");
  }

  // The extents, as written, of the buffers in each launch of the kernel, with any parameters.
  std::vector<std::map<SizeAt, std::string>> launchedSizes() const {
    std::vector<std::map<SizeAt, std::string>> all;
    for (const HostTest &test : module_.tests)
      for (const HostStmt &launch : test.body) {
        if (launch.kind != HostStmt::Kind::Launch || baseName(launch.kernel) != baseName(kernel_.name)) continue;
        std::map<SizeAt, std::string> &sizes = all.emplace_back();
        for (const SizeAt &at : sizes_) {
          if (at.param >= launch.args.size()) continue;
          if (at.dim == kScalar) sizes[at] = extentText(launch.args[at.param]);
          for (const HostStmt &buffer : test.body)
            if (buffer.kind == HostStmt::Kind::Buffer && buffer.name == launch.args[at.param].text && at.dim < buffer.type.extents.size())
              sizes[at] = extentText(buffer.type.extents[at.dim]);
        }
      }
    return all;
  }

  // Assumes that two sizes are equal if every launch in the file writes them alike and at least one uses a name, and
  // that a size is constant if every launch writes the same number for it although all leave other sizes open.
  void assumeEqualSizes() {
    std::vector<std::map<SizeAt, std::string>> launches = launchedSizes();
    if (launches.empty()) return;
    bool open = std::all_of(launches.begin(), launches.end(), [](auto &sizes) {
      return std::any_of(sizes.begin(), sizes.end(), [](const auto &size) { return size.second.starts_with("$"); });
    });
    for (const SizeAt &at : sizes_) {
      const std::string &first = launches[0][at];
      bool number = open && !first.empty() && first[0] != '$' && std::all_of(launches.begin(), launches.end(), [&](auto &sizes) { return sizes[at] == first; });
      if (!number) continue;
      facts_.push_back(smt_.equal(sizeOf(at), smt_.integer(std::stoll(first))));
      proof_.assumptions.push_back(str(sizeName(at), " = ", first));
    }
    for (size_t i = 0; i < sizes_.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        bool named = std::any_of(launches.begin(), launches.end(), [&](auto &sizes) { return sizes[sizes_[i]].starts_with("$"); });
        bool alike = named && std::all_of(launches.begin(), launches.end(), [&](auto &sizes) {
          return !sizes[sizes_[i]].empty() && sizes[sizes_[i]] == sizes[sizes_[j]];
        });
        if (!alike) continue;
        facts_.push_back(smt_.equal(sizeOf(sizes_[i]), sizeOf(sizes_[j])));
        proof_.assumptions.push_back(str(sizeName(sizes_[i]), " = ", sizeName(sizes_[j])));
        break; // equality with one earlier size implies the rest
      }
  }

  // --- stores ---

  // A condition: the access covers the element.
  Term reaches(const Access &access, std::span<const Term> element) {
    std::vector<Term> all = {access.when};
    for (size_t d = 0; d < element.size(); ++d) {
      all.push_back(smt_.lessEqual(access.first[d], element[d]));
      all.push_back(smt_.less(element[d], smt_.add(access.first[d], smt_.integer(access.extent[d]))));
    }
    return smt_.all(all);
  }
  std::vector<Term> newElement(size_t param) {
    std::vector<Term> element;
    for (size_t d = 0; d < accesses_.sizes[param].size(); ++d) element.push_back(smt_.symbol("element"));
    return element;
  }
  Term inside(size_t param, std::span<const Term> element) {
    std::vector<Term> all;
    for (size_t d = 0; d < element.size(); ++d) {
      all.push_back(smt_.lessEqual(smt_.integer(0), element[d]));
      all.push_back(smt_.less(element[d], accesses_.sizes[param][d]));
    }
    return smt_.all(all);
  }

  void proveStores(size_t param) {
    std::vector<const Access *> stores;
    const Access *atomic = nullptr;
    for (const Access &access : accesses_.accesses) {
      if (access.param != param) continue;
      if (access.kind == Access::Kind::Store) stores.push_back(&access);
      if (access.kind == Access::Kind::Atomic) atomic = &access;
    }
    if (atomic) return line(ProofVerdict::Undecided, *atomic->op, str(name(param), " is updated by atomics, which may meet in one element on purpose"));
    if (stores.empty()) return;
    for (const Access *store : stores)
      if (!store->known)
        return line(ProofVerdict::Undecided, *store->op, str("where this stores to ", name(param), " depends on data, or is not linear in sizes and loops"));
    if (kernel_.scope == Scope::Lane)
      return line(ProofVerdict::Undecided, *stores[0]->op, "what each lane stores is not followed");
    if (accesses_.launchGrid)
      return line(ProofVerdict::Undecided, *stores[0]->op, "the grid is the launch's own, so how many workgroups there are is not known");
    proveDisjoint(param, stores);
    proveCovered(param, stores);
  }

  // A copy of an access with separate symbols for the workgroup and the iterations.
  struct Instance {
    Access access;
    std::vector<Term> grid;
    Term inGrid;
  };
  Instance copyOf(const Access &access) {
    std::vector<Term> from = accesses_.grid, to;
    for (size_t i = 0; i < from.size(); ++i) to.push_back(smt_.symbol("other workgroup"));
    Instance instance{access, to, {}};
    for (Term &loop : instance.access.loops) {
      from.push_back(loop);
      to.push_back(loop = smt_.symbol("other iteration"));
    }
    auto replaced = [&](Term term) { return from.empty() ? term : smt_.substitute(term, from, to); };
    for (Term &first : instance.access.first) first = replaced(first);
    instance.access.when = replaced(instance.access.when);
    instance.inGrid = replaced(accesses_.inGrid);
    return instance;
  }
  Term differ(std::span<const Term> a, std::span<const Term> b) {
    std::vector<Term> any;
    for (size_t i = 0; i < a.size(); ++i) any.push_back(smt_.negation(smt_.equal(a[i], b[i])));
    return smt_.any(any);
  }

  void proveDisjoint(size_t param, const std::vector<const Access *> &stores) {
    bool workgroups = true, once = true;
    for (size_t i = 0; i < stores.size(); ++i)
      for (size_t j = 0; j <= i; ++j) {
        Instance other = copyOf(*stores[j]);
        std::vector<Term> element = newElement(param), facts = facts_;
        for (Term fact : {inside(param, element), accesses_.inGrid, other.inGrid, reaches(*stores[i], element), reaches(other.access, element)})
          facts.push_back(fact);
        std::span<const Term> mine = accesses_.grid, others = other.grid;
        std::vector<Term> two = facts;
        two.push_back(differ(mine.first(accesses_.gridDims), others.first(accesses_.gridDims)));
        if (!decide(two, param, *stores[i], workgroups, true)) return;
        if (i == j) {
          Term apart[] = {differ(mine, others), differ(stores[i]->loops, other.access.loops)};
          facts.push_back(smt_.any(apart));
        }
        if (!decide(facts, param, *stores[i], once, false)) return;
      }
    if (workgroups) line(ProofVerdict::Proved, *stores[0]->op, str("no two workgroups store the same element of ", name(param)));
    if (once) line(ProofVerdict::Proved, *stores[0]->op, str("no element of ", name(param), " is stored more than once"));
  }

  // Returns false if the parameter needs no further queries.
  bool decide(const std::vector<Term> &facts, size_t param, const Access &store, bool &holds, bool workgroupsMeet) {
    const char *what = workgroupsMeet ? "two workgroups store the same element of " : "a workgroup stores an element more than once to ";
    Smt::Answer answer = smt_.satisfiable(facts, kMilliseconds);
    if (answer == Smt::Answer::No) return true;
    holds = false;
    if (answer == Smt::Answer::Unknown) {
      line(ProofVerdict::Undecided, *store.op, str("Z3 does not decide in ", kMilliseconds / 1000, " s whether ", what, name(param)));
      return false;
    }
    std::string sizes = smallest(facts);
    line(ProofVerdict::Fails, *store.op, str(what, name(param), sizes.empty() ? "" : " at " + sizes));
    if (!workgroupsMeet) return false; // no run of a test shows this
    proof_.showsRace = true;
    writeCounterexample("stored twice", param);
    return false;
  }

  void proveCovered(size_t param, const std::vector<const Access *> &stores) {
    std::vector<Term> element = newElement(param), facts = facts_;
    facts.push_back(inside(param, element));
    for (const Access *store : stores) {
      std::vector<Term> symbols = accesses_.grid;
      symbols.insert(symbols.end(), store->loops.begin(), store->loops.end());
      Term both[] = {accesses_.inGrid, reaches(*store, element)};
      facts.push_back(smt_.none(symbols, smt_.all(both)));
    }
    Smt::Answer answer = smt_.satisfiable(facts, kMilliseconds);
    const Op &op = *stores[0]->op;
    if (answer == Smt::Answer::No) return line(ProofVerdict::Proved, op, str("each element of ", name(param), " is stored"));
    if (answer == Smt::Answer::Unknown)
      return line(ProofVerdict::Undecided, op, str("Z3 does not decide in ", kMilliseconds / 1000, " s whether each element of ", name(param), " is stored"));
    std::string sizes = smallest(facts);
    line(ProofVerdict::Fails, op, str("an element of ", name(param), " is never stored", sizes.empty() ? "" : " at " + sizes));
    writeCounterexample("never stored", param);
  }

  // --- loads ---

  void proveLoads(size_t param) {
    for (const Access &access : accesses_.accesses) {
      if (access.param != param || access.kind != Access::Kind::Load) continue;
      std::vector<Term> element = newElement(param), facts = facts_;
      facts.push_back(accesses_.inGrid);
      facts.push_back(reaches(access, element));
      facts.push_back(smt_.negation(inside(param, element)));
      Smt::Answer answer = smt_.satisfiable(facts, kMilliseconds);
      bool single = access.op->kind() == OpKind::Load;
      if (answer == Smt::Answer::No) {
        line(ProofVerdict::Proved, *access.op, str("this load of ", name(param), " stays inside"));
      } else if (answer == Smt::Answer::Unknown) {
        line(ProofVerdict::Undecided, *access.op, str("Z3 does not decide in ", kMilliseconds / 1000, " s whether this load of ", name(param), " stays inside"));
      } else if (!access.known) {
        line(ProofVerdict::Undecided, *access.op, str("where this loads from ", name(param), " depends on data, or is not linear in sizes and loops"));
      } else {
        line(ProofVerdict::Proved, *access.op, str("this load of ", name(param), " reaches outside at some sizes, where it reads ",
                                              single ? "0" : access.paddingWritten ? "the padding that it names" : "0, the default padding"));
      }
    }
  }

  // --- counterexamples ---

  // Minimises the sum of the sizes in the last answer: "dim(%A, 0) = 1, …".
  std::string smallest(const std::vector<Term> &facts) {
    auto read = [&] {
      found_.clear();
      int64_t sum = 0;
      for (const SizeAt &at : sizes_) {
        found_[at] = smt_.value(sizeOf(at));
        if (at.dim != kScalar) sum += found_[at];
      }
      return sum;
    };
    int64_t high = read(), low = -1; // the facts hold with a sum of `high`, but not with `low`
    while (high - low > 1) {
      int64_t middle = low + (high - low) / 2;
      Term sum = smt_.integer(0);
      for (const SizeAt &at : sizes_)
        if (at.dim != kScalar) sum = smt_.add(sum, sizeOf(at));
      std::vector<Term> bounded = facts;
      bounded.push_back(smt_.lessEqual(sum, smt_.integer(middle)));
      if (smt_.satisfiable(bounded, kMilliseconds) == Smt::Answer::Yes) high = std::min(middle, read());
      else low = middle;
    }
    std::vector<std::string> parts;
    for (const SizeAt &at : sizes_) parts.push_back(str(sizeName(at), " = ", found_[at]));
    return join(parts, ", ");
  }

  void writeCounterexample(const char *what, size_t output) {
    if (!proof_.counterexample.empty()) return;
    std::string text = str("test \"", kernel_.name, ": ", what, "\" {\n"), args;
    for (size_t p = 0; p < kernel_.paramCount; ++p) {
      const Value &param = *kernel_.param(p);
      args += p ? ", " : "";
      if (!param.type().isMemRef()) {
        args += isFloat(param.type().elem()) ? "1.0" : accesses_.scalars[p] ? std::to_string(found_[{p, kScalar}]) : "1";
        continue;
      }
      std::vector<int64_t> extents(param.type().shape().begin(), param.type().shape().end());
      for (size_t d = 0; d < extents.size(); ++d)
        if (extents[d] == kDynamic) extents[d] = found_[{p, d}];
      bool written = std::any_of(accesses_.accesses.begin(), accesses_.accesses.end(), [&](const Access &a) { return a.param == p && a.kind != Access::Kind::Load; });
      text += str("  %", param.name(), " = ", written ? "out" : str("random(seed = ", p + 1, ")"), " : memref<", join(extents, "x"), "x", elemName(param.type().elem()), ">\n");
      args += "%" + param.name();
    }
    const std::string &checked = kernel_.param(output)->name();
    text += str("  launch @", kernel_.name, "(", args, ")\n  check %", checked, " * 2 == %", checked, " + %", checked, "\n}\n");
    proof_.counterexample = text;
  }

  const Module &module_;
  const Kernel &kernel_;
  Smt &smt_;
  KernelAccesses accesses_;
  KernelProof proof_;
  std::vector<SizeAt> sizes_;
  std::vector<Term> facts_;
  std::map<SizeAt, int64_t> found_;
};

std::string_view verdictText(ProofVerdict verdict) {
  switch (verdict) {
  case ProofVerdict::Proved: return "proved";
  case ProofVerdict::Undecided: return "undecided";
  case ProofVerdict::Fails: return "fails";
  }
  return "";
}
} // namespace

ProofVerdict KernelProof::verdict() const {
  ProofVerdict worst = ProofVerdict::Proved;
  for (const ProofLine &line : lines) worst = std::max(worst, line.verdict);
  return worst;
}

std::vector<KernelProof> prove(const Module &module, Smt &smt) {
  std::vector<KernelProof> proofs;
  for (const auto &kernel : module.kernels) proofs.push_back(Prover(module, *kernel, smt).run());
  return proofs;
}

std::string proofText(const KernelProof &proof, const SourceManager &sources) {
  std::string out = str(verdictText(proof.verdict()), "  @", proof.kernel, "\n");
  if (!proof.assumptions.empty()) out += str("  where ", join(proof.assumptions, ", "), ", as in all tests\n");
  for (const ProofLine &line : proof.lines)
    out += str("  line ", sources.file(line.range.file).lineColumn(line.range.begin).line, ": ",
               line.verdict == ProofVerdict::Proved ? "" : str(verdictText(line.verdict), ": "), line.text, "\n");
  if (!proof.counterexample.empty()) out += str("  a test that shows it", proof.showsRace ? " when run with --check=race" : "", ":\n\n", proof.counterexample, "\n");
  return out;
}

} // namespace xt
