#include "targets/prove/prove.h"

#include "ir/atomic_update.h"
#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "targets/prove/accesses.h"
#include "targets/prove/launched_sizes.h"
#include "targets/prove/witness.h"

#include <algorithm>
#include <map>
#include <set>

namespace xt {

namespace {
// What is not known of an access, such as a "store to `%C`".
std::string whatIsUnknown(const Access &access, const std::string &what) {
  if (access.addressKnown)
    return str("whether this ", what, " is executed depends on data, or on a loop whose iterations are not counted");
  return str("the address of this ", what,
             access.fromMemory ? " depends on data: an index comes from memory"
                               : " is not a linear function of sizes and loop counters");
}

// What a load without a padding attribute gives out of bounds.
std::string_view defaultPadding(const Op &load) { return isScale(load.result()->type().elem()) ? "2^-127" : "0"; }

class Prover {
public:
  Prover(const Module &module, const Kernel &kernel, Smt &smt, const ProveOptions &options)
      : module_(module), kernel_(kernel), smt_(smt), options_(options) {}

  KernelProof run() {
    proof_.kernel = kernel_.name;
    smt_.limitTime(options_.seconds);
    options_.progress(str("analysing the accesses of @", kernel_.name));
    accesses_ = accessesOf(kernel_, smt_);
    facts_ = accesses_.bounds;
    facts_.push_back(accesses_.validGrid);
    findSizes();
    assumeEqualSizes();
    stateConditions();
    for (const Obstacle &obstacle : accesses_.obstacles) {
      std::string_view op = obstacle.op->info().name;
      if (obstacle.atomic) continue; // proveStores() says what it means for each parameter
      if (obstacle.padded)
        line(ProofVerdict::Proved, *obstacle.op, str("where this `", op, "` is out of bounds, it reads its explicit padding"));
      else
        line(ProofVerdict::Undecided, *obstacle.op, obstacle.why);
    }
    for (const Op *op : accesses_.wrapping)
      line(ProofVerdict::Note, *op,
           str("the result of `", op->info().name, "` may overflow ", elemName(op->result()->type().elem()),
               " and wrap around"));
    for (size_t p = 0; p < kernel_.paramCount; ++p) {
      if (!kernel_.param(p)->type().isMemRef()) continue;
      proveStores(p);
      proveLoads(p);
    }
    return std::move(proof_);
  }

private:
  std::string name(size_t param) const { return "`%" + kernel_.param(param)->name() + "`"; }
  void line(ProofVerdict verdict, const Op &op, std::string text) {
    proof_.lines.push_back({verdict, op.range(), std::move(text)});
  }
  // `what` is a clause that begins with "whether".
  void undecided(const Op &op, const std::string &what) {
    line(ProofVerdict::Undecided, op,
         smt_.timeIsOver() ? str("the time limit of ", options_.seconds, " s per kernel expired before Z3 decided ", what)
                           : str("Z3 cannot decide ", what));
  }

  // --- sizes ---

  void findSizes() {
    for (size_t p = 0; p < accesses_.scalars.size(); ++p)
      if (accesses_.scalars[p]) sizes_.push_back({p, kScalar});
    for (size_t p = 0; p < accesses_.sizes.size(); ++p)
      for (size_t d = 0; d < accesses_.sizes[p].size(); ++d)
        if (kernel_.param(p)->type().shape()[d] == kDynamic) sizes_.push_back({p, d});
  }
  Term sizeOf(SizeAt at) const { return at.dim == kScalar ? accesses_.scalars[at.param] : accesses_.sizes[at.param][at.dim]; }
  std::string sizeName(SizeAt at) const {
    std::string param = "%" + kernel_.param(at.param)->name();
    return at.dim == kScalar ? param : str("dim(", param, ", ", at.dim, ")");
  }

  // Assumes that two sizes are equal if every launch in the file writes them alike and at least one uses a name, and that a
  // size is constant if every launch writes the same number for it although each leaves some other size open.
  void assumeEqualSizes() {
    std::vector<std::map<SizeAt, std::string>> launches = launchedSizes(module_, kernel_, sizes_);
    if (launches.empty()) return;
    bool open = std::all_of(launches.begin(), launches.end(), [](auto &sizes) {
      return std::any_of(sizes.begin(), sizes.end(), [](const auto &size) { return size.second.starts_with("$"); });
    });
    for (const SizeAt &at : sizes_) {
      const std::string &first = launches[0][at];
      bool number = open && !first.empty() && first[0] != '$' &&
                    std::all_of(launches.begin(), launches.end(), [&](auto &sizes) { return sizes[at] == first; });
      if (!number) continue;
      facts_.push_back(smt_.equal(sizeOf(at), smt_.integer(std::stoll(first))));
      proof_.assumptions.push_back(str(sizeName(at), " = ", first));
    }
    for (size_t i = 0; i < sizes_.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        bool named =
            std::any_of(launches.begin(), launches.end(), [&](auto &sizes) { return sizes[sizes_[i]].starts_with("$"); });
        bool alike = named && std::all_of(launches.begin(), launches.end(), [&](auto &sizes) {
                       return !sizes[sizes_[i]].empty() && sizes[sizes_[i]] == sizes[sizes_[j]];
                     });
        if (!alike) continue;
        facts_.push_back(smt_.equal(sizeOf(sizes_[i]), sizeOf(sizes_[j])));
        proof_.assumptions.push_back(str(sizeName(sizes_[i]), " = ", sizeName(sizes_[j])));
        break; // equality with one earlier size implies the rest
      }
  }

  // --- launches ---

  bool stores(size_t param) const {
    auto stored = [&](const Access &access) { return access.param == param && access.kind != Access::Kind::Load; };
    auto mayBe = [&](const Obstacle &obstacle) { return obstacle.writes[param]; };
    return std::any_of(accesses_.accesses.begin(), accesses_.accesses.end(), stored) ||
           std::any_of(accesses_.obstacles.begin(), accesses_.obstacles.end(), mayBe);
  }
  // Whether a test launches the kernel with a grid that the kernel does not have.
  bool launchedWithGrid() const {
    return std::ranges::any_of(module_.tests, [&](const HostTest &test) {
      return anyStmt(test.body, [&](const HostStmt &launch) {
        return launch.kind == HostStmt::Kind::Launch && baseName(launch.kernel) == baseName(kernel_.name) &&
               !launch.grid.empty();
      });
    });
  }
  void stateConditions() {
    std::vector<std::string> stored;
    for (size_t p = 0; p < kernel_.paramCount; ++p)
      if (stores(p)) stored.push_back(name(p));
    if (stored.size() > 1) proof_.conditions.push_back(join(stored, ", ") + " do not overlap");
    if (!stored.empty() && kernel_.grid.empty() && !accesses_.launchGrid)
      proof_.conditions.push_back("the launch has no grid: one workgroup runs");
  }

  // --- stores ---

  // The facts that hold when an access is executed: its workgroup is in the grid, and asserts hold.
  std::vector<Term> running() const {
    std::vector<Term> facts = facts_;
    facts.push_back(accesses_.inGrid);
    facts.insert(facts.end(), accesses_.asserted.begin(), accesses_.asserted.end());
    return facts;
  }
  // The condition that the access covers the element.
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

  // What updates elements of a parameter atomically.
  struct Atomics {
    std::vector<const Access *> followed;
    const Op *first = nullptr, *elsewhere = nullptr; // elsewhere: an update whose addresses are not known
    const Op *inWorkgroup = nullptr;                 // an update that is atomic within its workgroup only
  };
  Atomics atomicsOf(size_t param) const {
    Atomics atomics;
    auto add = [&](const Op *update) {
      atomics.first = update;
      if (AtomicUpdate(*update).inWorkgroup()) atomics.inWorkgroup = update;
    };
    for (const Access &access : accesses_.accesses)
      if (access.param == param && access.kind == Access::Kind::Atomic) {
        if (access.known)
          atomics.followed.push_back(&access);
        else
          atomics.elsewhere = access.op;
        add(access.op);
      }
    for (const Obstacle &obstacle : accesses_.obstacles)
      if (obstacle.atomic && obstacle.writes[param]) atomics.elsewhere = obstacle.op, add(obstacle.op);
    return atomics;
  }

  void proveStores(size_t param) {
    std::vector<const Access *> stores;
    for (const Access &access : accesses_.accesses)
      if (access.param == param && access.kind == Access::Kind::Store) stores.push_back(&access);
    for (const Obstacle &obstacle : accesses_.obstacles)
      if (obstacle.writes[param] && !obstacle.atomic) return; // no claim can be made, as the line of the obstacle says
    const Atomics atomics = atomicsOf(param);
    if (atomics.inWorkgroup)
      return line(ProofVerdict::Undecided, *atomics.inWorkgroup,
                  str("this updates ", name(param),
                      " atomically within a workgroup only, and whether other workgroups reach the same "
                      "elements is not analysed"));
    if (stores.empty()) {
      if (atomics.first)
        line(ProofVerdict::Proved, *atomics.first,
             str("if ", name(param), " is changed, it is by atomics only, which may meet"));
      return;
    }
    if (atomics.elsewhere)
      return line(ProofVerdict::Undecided, *atomics.elsewhere,
                  str("which elements of ", name(param), " this updates is unknown, and the kernel also stores some"));
    for (const Access *store : stores)
      if (!store->known) return line(ProofVerdict::Undecided, *store->op, whatIsUnknown(*store, "store to " + name(param)));
    if (kernel_.scope == Scope::Lane)
      return line(ProofVerdict::Undecided, *stores[0]->op, "stores of single lanes are not analysed");
    if (accesses_.launchGrid)
      return line(ProofVerdict::Undecided, *stores[0]->op, "the launch gives the grid, so the number of workgroups is unknown");
    if (kernel_.grid.empty() && launchedWithGrid())
      return line(ProofVerdict::Undecided, *stores[0]->op,
                  "a test launches this kernel with a grid, and each of its workgroups stores the same elements");
    const bool disjoint = proveDisjoint(param, stores);
    if (!atomics.first) return proveCovered(param, stores); // an update keeps what the launch has found in an element
    if (!disjoint) return;
    for (const Access *atomic : atomics.followed)
      for (const Access *store : stores)
        if (!proveApartFromAtomic(param, *store, *atomic)) return;
    line(ProofVerdict::Proved, *stores[0]->op,
         str("no subgroup stores an element of ", name(param), " that another one updates"));
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

  // Whether all stores are apart from each other. Otherwise a line says so.
  bool proveDisjoint(size_t param, const std::vector<const Access *> &stores) {
    for (size_t i = 0; i < stores.size(); ++i) {
      options_.progress(str("@", kernel_.name, ": overlapping stores to ", name(param), ", ", i + 1, " of ", stores.size()));
      for (size_t j = 0; j <= i; ++j)
        if (!proveApart(param, *stores[i], *stores[j])) return false;
    }
    line(ProofVerdict::Proved, *stores[0]->op, str("no two workgroups store the same element of ", name(param)));
    line(ProofVerdict::Proved, *stores[0]->op, str("no element of ", name(param), " is stored more than once"));
    return true;
  }

  // Returns an index in the range of the access along `dim`, and adds the facts that it is in this range. Unlike an element
  // between two bounds, this gives Z3 equations, which show in one step that workgroups that are far from each other do not
  // store the same element.
  Term elementOf(const Access &access, size_t dim, std::vector<Term> &facts) {
    if (access.extent[dim] == 1) return access.first[dim];
    Term offset = smt_.symbol("offset");
    facts.push_back(smt_.lessEqual(smt_.integer(0), offset));
    facts.push_back(smt_.less(offset, smt_.integer(access.extent[dim])));
    return smt_.add(access.first[dim], offset);
  }

  // The facts that hold where a store and the other access reach the same element.
  std::vector<Term> meeting(size_t param, const Access &store, const Instance &other) {
    std::vector<Term> facts = running(), element;
    for (size_t d = 0; d < store.first.size(); ++d) {
      element.push_back(elementOf(store, d, facts));
      facts.push_back(smt_.equal(element[d], elementOf(other.access, d, facts)));
    }
    for (Term fact : {inside(param, element), other.inGrid, store.when, other.access.when}) facts.push_back(fact);
    return facts;
  }
  // The condition that the other access is one of another workgroup.
  Term inAnother(const Instance &other) {
    std::span<const Term> mine = accesses_.grid, others = other.grid;
    return differ(mine.first(accesses_.gridDims), others.first(accesses_.gridDims));
  }

  // Whether no subgroup stores an element that another one updates. Otherwise adds a line that says so. Barriers, or other
  // atomics and fences, may order them where both reach one element.
  bool proveApartFromAtomic(size_t param, const Access &store, const Access &atomic) {
    Instance other = copyOf(atomic);
    std::vector<Term> facts = meeting(param, store, other);
    facts.push_back(differ(accesses_.grid, other.grid));
    Smt::Answer meet = smt_.satisfiable(facts);
    if (meet == Smt::Answer::No) return true;
    if (meet == Smt::Answer::Unknown)
      undecided(*store.op, str("whether a subgroup updates an element of ", name(param), " that another one stores"));
    else
      line(ProofVerdict::Undecided, *store.op,
           str("another subgroup updates an element of ", name(param), " that this stores", smallest(facts),
               ", and what orders them is not analysed"));
    return false;
  }

  // Whether two stores, or two executions of one store, never store the same element. Otherwise adds a line that says so.
  bool proveApart(size_t param, const Access &store, const Access &earlier) {
    Instance other = copyOf(earlier);
    std::vector<Term> facts = meeting(param, store, other), two = facts;
    std::span<const Term> mine = accesses_.grid, others = other.grid;
    two.push_back(inAnother(other));
    if (&store == &earlier) {
      Term apart[] = {differ(mine, others), differ(store.loops, other.access.loops)};
      facts.push_back(smt_.any(apart));
    }
    Smt::Answer meet = smt_.satisfiable(facts);
    if (meet == Smt::Answer::No) return true;
    Smt::Answer workgroups = smt_.satisfiable(two);
    if (workgroups != Smt::Answer::No)
      meetIn(param, store, workgroups, two, "two workgroups store the same element of ");
    else
      meetIn(param, store, meet, facts, "a workgroup stores more than once to an element of ");
    if (workgroups == Smt::Answer::Yes && !smt_.timeIsOver()) {
      proof_.showsRace = true;
      writeCounterexample("stored twice", param);
    }
    return false;
  }
  void meetIn(size_t param, const Access &store, Smt::Answer answer, const std::vector<Term> &facts, const char *what) {
    if (answer == Smt::Answer::Unknown) return undecided(*store.op, str("whether ", what, name(param)));
    line(ProofVerdict::Fails, *store.op, str(what, name(param), smallest(facts)));
  }

  void proveCovered(size_t param, const std::vector<const Access *> &stores) {
    options_.progress(str("@", kernel_.name, ": whether each element of ", name(param), " is stored"));
    std::vector<Term> element = newElement(param), facts = facts_;
    facts.push_back(inside(param, element));
    // An empty grid asserts nothing and stores nothing.
    Term runs[] = {smt_.negation(accesses_.launches), smt_.all(accesses_.asserted)};
    facts.push_back(smt_.any(runs));
    std::vector<Term> guessed = facts;
    for (const Access *store : stores) {
      std::vector<Term> symbols = accesses_.grid;
      symbols.insert(symbols.end(), store->loops.begin(), store->loops.end());
      Term both[] = {accesses_.inGrid, reaches(*store, element)}, stored = smt_.all(both);
      facts.push_back(smt_.none(symbols, stored));
      guessed.push_back(
          smt_.negation(symbols.empty() ? stored : smt_.substitute(stored, symbols, witness(*store, symbols, element, smt_))));
    }
    std::string at;
    Smt::Answer answer = smt_.satisfiable(guessed);
    if (answer == Smt::Answer::Yes) answer = confirmMissing(guessed, facts, element, at);
    if (answer == Smt::Answer::Unknown) {
      answer = smt_.satisfiable(facts);
      if (answer == Smt::Answer::Yes) at = smallest(facts);
    }
    const Op &op = *stores[0]->op;
    if (answer == Smt::Answer::No) return line(ProofVerdict::Proved, op, str("each element of ", name(param), " is stored"));
    if (answer == Smt::Answer::Unknown) return undecided(op, str("whether each element of ", name(param), " is stored"));
    line(ProofVerdict::Fails, op, str("an element of ", name(param), " is never stored", at));
    if (!smt_.timeIsOver()) writeCounterexample("never stored", param);
  }

  // Checks the smallest sizes at which no guessed workgroup stores the element: Yes if no workgroup stores it there, otherwise
  // Unknown. A question about given sizes is much simpler than one about all sizes. Guesses can only miss stores, so no smaller
  // sizes violate the claim.
  Smt::Answer confirmMissing(const std::vector<Term> &guessed, std::vector<Term> facts, std::span<const Term> element,
                             std::string &at) {
    at = smallest(guessed);
    for (const SizeAt &size : sizes_) facts.push_back(smt_.equal(sizeOf(size), smt_.integer(found_[size])));
    for (Term index : element) facts.push_back(smt_.equal(index, smt_.integer(smt_.value(index))));
    return smt_.satisfiable(facts) == Smt::Answer::Yes ? Smt::Answer::Yes : Smt::Answer::Unknown;
  }

  // --- loads ---

  void proveLoads(size_t param) {
    options_.progress(str("@", kernel_.name, ": loads of ", name(param)));
    for (const Access &access : accesses_.accesses) {
      if (access.param != param || access.kind != Access::Kind::Load) continue;
      std::vector<Term> element = newElement(param), facts = running();
      facts.push_back(reaches(access, element));
      facts.push_back(smt_.negation(inside(param, element)));
      Smt::Answer answer = smt_.satisfiable(facts);
      const Op &op = *access.op;
      if (answer == Smt::Answer::No)
        line(ProofVerdict::Proved, op, str("this load of ", name(param), " is in bounds"));
      else if (!access.known)
        unknownLoad(param, access);
      else if (answer == Smt::Answer::Unknown)
        undecided(op, str("whether this load of ", name(param), " is in bounds"));
      else if (op.kind() == OpKind::Load)
        line(ProofVerdict::Undecided, op,
             str("this load of ", name(param), " is out of bounds and reads ", defaultPadding(op), smallest(facts),
                 ", which may be intended: a load of one element has no padding attribute"));
      else if (access.paddingWritten)
        line(ProofVerdict::Proved, op,
             str("this load of ", name(param), " is out of bounds at some sizes, where it reads its explicit padding"));
      else
        line(ProofVerdict::Note, op,
             str("this load of ", name(param), " is out of bounds at some sizes, where it reads ", defaultPadding(op),
                 ", the default padding"));
    }
  }

  // A load that may be out of bounds for all that is known: it reads its padding there, whatever its address is.
  void unknownLoad(size_t param, const Access &access) {
    const Op &op = *access.op;
    if (access.paddingWritten)
      line(ProofVerdict::Proved, op,
           str("where this load of ", name(param), " is out of bounds, it reads its explicit padding"));
    else if (access.fromMemory || op.kind() == OpKind::Load)
      line(ProofVerdict::Undecided, op, whatIsUnknown(access, "load from " + name(param)));
    else
      line(ProofVerdict::Note, op,
           str("where this load of ", name(param), " is out of bounds, it reads ", defaultPadding(op),
               ", the default padding; ", whatIsUnknown(access, "load")));
  }

  // --- counterexamples ---

  // Looks for the counterexample with the smallest sum of sizes, starting from the last answer. Returns it as text,
  // such as " at dim(%A, 0) = 1, …", or "" if there are no sizes or if time ran out: the sizes would then depend on the speed
  // of the machine.
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
    Term sum = smt_.integer(0);
    for (const SizeAt &at : sizes_)
      if (at.dim != kScalar) sum = smt_.add(sum, sizeOf(at));
    while (high - low > 1) {
      int64_t middle = low + (high - low) / 2;
      std::vector<Term> bounded = facts;
      bounded.push_back(smt_.lessEqual(sum, smt_.integer(middle)));
      if (smt_.satisfiable(bounded) == Smt::Answer::Yes)
        high = std::min(middle, read());
      else
        low = middle;
    }
    if (sizes_.empty() || smt_.timeIsOver()) return "";
    std::vector<std::string> parts;
    for (const SizeAt &at : sizes_) parts.push_back(str(sizeName(at), " = ", found_[at]));
    return " at " + join(parts, ", ");
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
      const TypeData &data = param.type().data();
      std::vector<int64_t> extents = data.shape;
      for (size_t d = 0; d < extents.size(); ++d)
        if (extents[d] == kDynamic) extents[d] = found_[{p, d}];
      Type type = module_.context().memref(extents, data.elem, data.space, data.memory);
      bool written = std::any_of(accesses_.accesses.begin(), accesses_.accesses.end(),
                                 [&](const Access &a) { return a.param == p && a.kind != Access::Kind::Load; });
      text += str("  %", param.name(), " = ", written ? "out" : str("random(seed = ", p + 1, ")"), " : ", typeText(type), "\n");
      args += "%" + param.name();
    }
    const std::string &checked = kernel_.param(output)->name();
    text += str("  launch @", kernel_.name, "(", args, ")\n  check %", checked, " * 2 == %", checked, " + %", checked, "\n}\n");
    proof_.counterexample = text;
  }

  const Module &module_;
  const Kernel &kernel_;
  Smt &smt_;
  const ProveOptions &options_;
  KernelAccesses accesses_;
  KernelProof proof_;
  std::vector<SizeAt> sizes_;
  std::vector<Term> facts_;
  std::map<SizeAt, int64_t> found_;
};

} // namespace

KernelProof prove(const Module &module, const Kernel &kernel, Smt &smt, const ProveOptions &options) {
  return Prover(module, kernel, smt, options).run();
}

} // namespace xt
