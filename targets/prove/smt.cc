#include "targets/prove/smt.h"

#include "ir/base/shared_library.h"
#include "ir/base/text.h"

#include <algorithm>
#include <unordered_set>
#include <z3.h>

namespace xt {

// The functions of Z3's C interface that are used, by their names.
// clang-format off
#define XT_Z3_FUNCTIONS(X) \
  X(Z3_mk_config) X(Z3_del_config) X(Z3_mk_context) X(Z3_del_context) X(Z3_set_error_handler) X(Z3_mk_int_sort) \
  X(Z3_mk_bool_sort) X(Z3_mk_fresh_const) X(Z3_mk_int64) X(Z3_mk_true) X(Z3_mk_false) X(Z3_mk_add) X(Z3_mk_sub) \
  X(Z3_mk_mul) X(Z3_mk_div) X(Z3_mk_ite) X(Z3_mk_lt) X(Z3_mk_le) X(Z3_mk_eq) X(Z3_mk_not) X(Z3_mk_and) X(Z3_mk_or) \
  X(Z3_mk_forall_const) X(Z3_to_app) X(Z3_substitute) X(Z3_simplify) X(Z3_get_bool_value) X(Z3_get_numeral_int64) \
  X(Z3_is_numeral_ast) X(Z3_get_ast_kind) X(Z3_get_app_num_args) X(Z3_get_app_arg) X(Z3_get_quantifier_body) \
  X(Z3_mk_solver) X(Z3_mk_simple_solver) X(Z3_solver_inc_ref) X(Z3_solver_dec_ref) X(Z3_mk_params) X(Z3_params_inc_ref) \
  X(Z3_params_dec_ref) X(Z3_params_set_uint) X(Z3_mk_string_symbol) X(Z3_solver_set_params) X(Z3_solver_assert) \
  X(Z3_solver_check) X(Z3_solver_get_model) X(Z3_model_inc_ref) X(Z3_model_dec_ref) X(Z3_model_eval)
// clang-format on

struct Smt::Library {
#define X(name) decltype(&::name) name = nullptr;
  XT_Z3_FUNCTIONS(X)
#undef X
};

struct Smt::State {
  Library z3;
  Z3_context context = nullptr;
  Z3_sort integers = nullptr, truths = nullptr;
  Z3_model model = nullptr;
};

namespace {
Z3_ast ast(Term term) { return static_cast<Z3_ast>(term.ast); }
std::vector<Z3_ast> asts(std::span<const Term> terms) {
  std::vector<Z3_ast> all;
  for (Term term : terms) all.push_back(ast(term));
  return all;
}
constexpr unsigned kMostWork = 10000000; // maximum work for one question, in Z3's own unit (rlimit); about 5 s

void ignoreError(Z3_context, Z3_error_code) {} // without a handler Z3 would end the process; the answer is Unknown
} // namespace

Result<std::unique_ptr<Smt>> Smt::open() {
  Result<SharedLibrary> library = SharedLibrary::open("Z3, which --prove needs,", "libz3.so.4", "libz3-4");
  if (!library) return library.error();
  auto state = std::make_unique<State>();
#define X(name)                                                                                                                \
  if (Result<void> found = library->find(#name, state->z3.name); !found) return found.error();
  XT_Z3_FUNCTIONS(X)
#undef X
  return std::unique_ptr<Smt>(new Smt(std::move(state)));
}

Smt::Smt(std::unique_ptr<State> state) : state_(std::move(state)) {
  Z3_config config = state_->z3.Z3_mk_config();
  state_->context = state_->z3.Z3_mk_context(config);
  state_->z3.Z3_del_config(config);
  state_->z3.Z3_set_error_handler(state_->context, ignoreError);
  state_->integers = state_->z3.Z3_mk_int_sort(state_->context);
  state_->truths = state_->z3.Z3_mk_bool_sort(state_->context);
}

Smt::~Smt() {
  if (state_->model) state_->z3.Z3_model_dec_ref(state_->context, state_->model);
  state_->z3.Z3_del_context(state_->context);
}

#define Z3(name, ...) state_->z3.Z3_##name(state_->context, __VA_ARGS__)

Term Smt::integer(int64_t value) { return {Z3(mk_int64, value, state_->integers)}; }
Term Smt::symbol(const std::string &name) { return {Z3(mk_fresh_const, name.c_str(), state_->integers)}; }
Term Smt::truthSymbol(const std::string &name) { return {Z3(mk_fresh_const, name.c_str(), state_->truths)}; }
Term Smt::truth(bool value) {
  return {value ? state_->z3.Z3_mk_true(state_->context) : state_->z3.Z3_mk_false(state_->context)};
}
Term Smt::add(Term a, Term b) {
  Z3_ast both[] = {ast(a), ast(b)};
  return {Z3(mk_add, 2, both)};
}
Term Smt::sub(Term a, Term b) {
  Z3_ast both[] = {ast(a), ast(b)};
  return {Z3(mk_sub, 2, both)};
}
Term Smt::multiply(Term a, Term b) {
  Z3_ast both[] = {ast(a), ast(b)};
  return {Z3(mk_mul, 2, both)};
}
Term Smt::floorDiv(Term a, Term b) { return {Z3(mk_div, ast(a), ast(b))}; }
Term Smt::powerOfTwo(int exponent) {
  constexpr int kWord = 62;
  Term power = integer(int64_t{1} << (exponent % kWord));
  for (; exponent >= kWord; exponent -= kWord) power = multiply(power, integer(int64_t{1} << kWord));
  return {Z3(simplify, ast(power))};
}
Term Smt::choose(Term condition, Term a, Term b) { return {Z3(mk_ite, ast(condition), ast(a), ast(b))}; }
Term Smt::less(Term a, Term b) { return {Z3(mk_lt, ast(a), ast(b))}; }
Term Smt::lessEqual(Term a, Term b) { return {Z3(mk_le, ast(a), ast(b))}; }
Term Smt::equal(Term a, Term b) { return {Z3(mk_eq, ast(a), ast(b))}; }
Term Smt::negation(Term a) { return {Z3(mk_not, ast(a))}; }
Term Smt::nary(bool conjunction, std::span<const Term> terms) {
  if (terms.empty()) return truth(conjunction);
  std::vector<Z3_ast> all = asts(terms);
  auto count = static_cast<unsigned>(all.size());
  return {conjunction ? Z3(mk_and, count, all.data()) : Z3(mk_or, count, all.data())};
}
Term Smt::all(std::span<const Term> terms) { return nary(true, terms); }
Term Smt::any(std::span<const Term> terms) { return nary(false, terms); }

Term Smt::none(std::span<const Term> symbols, Term body) {
  if (symbols.empty()) return negation(body);
  std::vector<Z3_app> bound;
  for (Term symbol : symbols) bound.push_back(Z3(to_app, ast(symbol)));
  return {Z3(mk_forall_const, 0, static_cast<unsigned>(bound.size()), bound.data(), 0, nullptr, ast(negation(body)))};
}

Term Smt::substitute(Term term, std::span<const Term> from, std::span<const Term> to) {
  std::vector<Z3_ast> olds = asts(from), news = asts(to);
  return {Z3(substitute, ast(term), static_cast<unsigned>(olds.size()), olds.data(), news.data())};
}

std::optional<int64_t> Smt::constant(Term term) {
  Z3_ast simple = Z3(simplify, ast(term));
  int64_t value = 0;
  if (!Z3(is_numeral_ast, simple) || !Z3(get_numeral_int64, simple, &value)) return std::nullopt;
  return value;
}

bool Smt::holds(Term condition) { return Z3(get_bool_value, Z3(simplify, ast(condition))) == Z3_L_TRUE; }

bool Smt::mentions(Term term, std::span<const Term> symbols) {
  std::vector<Z3_ast> todo = {ast(term)}, all = asts(symbols);
  std::unordered_set<Z3_ast> seen, wanted(all.begin(), all.end());
  while (!todo.empty()) {
    Z3_ast next = todo.back();
    todo.pop_back();
    if (!seen.insert(next).second) continue;
    if (wanted.count(next)) return true;
    Z3_ast_kind kind = Z3(get_ast_kind, next);
    if (kind == Z3_QUANTIFIER_AST) todo.push_back(Z3(get_quantifier_body, next));
    if (kind != Z3_APP_AST) continue;
    Z3_app app = Z3(to_app, next);
    for (unsigned i = 0; i < Z3(get_app_num_args, app); ++i) todo.push_back(Z3(get_app_arg, app, i));
  }
  return false;
}

void Smt::limitTime(double seconds) {
  end_ = std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

bool Smt::timeIsOver() const { return end_ && std::chrono::steady_clock::now() >= *end_; }

Smt::Answer Smt::satisfiable(std::span<const Term> facts) {
  if (timeIsOver()) return Answer::Unknown;
  bool quantified =
      std::any_of(facts.begin(), facts.end(), [&](Term fact) { return Z3(get_ast_kind, ast(fact)) == Z3_QUANTIFIER_AST; });
  // The general solver eliminates quantifiers, but spends seconds on transformations before it tries simple questions.
  Z3_solver solver = quantified ? state_->z3.Z3_mk_solver(state_->context) : state_->z3.Z3_mk_simple_solver(state_->context);
  Z3(solver_inc_ref, solver);
  Z3_params params = state_->z3.Z3_mk_params(state_->context);
  Z3(params_inc_ref, params);
  Z3(params_set_uint, params, Z3(mk_string_symbol, "rlimit"), kMostWork);
  if (end_) {
    constexpr int64_t kMostMilliseconds = int64_t{1} << 31;
    int64_t left = std::chrono::ceil<std::chrono::milliseconds>(*end_ - std::chrono::steady_clock::now()).count();
    Z3(params_set_uint, params, Z3(mk_string_symbol, "timeout"),
       static_cast<unsigned>(std::clamp<int64_t>(left, 1, kMostMilliseconds)));
  }
  Z3(solver_set_params, solver, params);
  Z3(params_dec_ref, params);
  for (Term fact : facts) Z3(solver_assert, solver, ast(fact));
  Z3_lbool found = Z3(solver_check, solver);
  if (found == Z3_L_TRUE) {
    if (state_->model) Z3(model_dec_ref, state_->model);
    state_->model = Z3(solver_get_model, solver);
    if (state_->model) Z3(model_inc_ref, state_->model);
  }
  Z3(solver_dec_ref, solver);
  return found == Z3_L_TRUE ? Answer::Yes : found == Z3_L_FALSE ? Answer::No : Answer::Unknown;
}

int64_t Smt::value(Term symbol) {
  Z3_ast found = nullptr;
  int64_t number = 0;
  if (state_->model && Z3(model_eval, state_->model, ast(symbol), true, &found)) Z3(get_numeral_int64, found, &number);
  return number;
}

} // namespace xt
