// One instance of a generic function: what its generic names stand for, which follows from the arguments of a call.
#pragma once
#include "lang/lower/call_lowering.h"

namespace xt {

// What the constraint of a generic name admits, such as "a float type"; "" for an unknown word.
std::string_view constraintText(std::string_view word);

class Instance {
public:
  Instance(KernelState &state, const ast::KernelDecl &decl) : state_(state), decl_(decl) {}
  Instance(const Instance &) = delete;

  // While a scope exists, the generic names and the given layouts are those of the instance and no others. A caller's names mean
  // nothing in the function that it calls.
  class Scope {
  public:
    explicit Scope(const Instance &instance)
        : params_(instance.state_.params), outer_(params_.setGenerics(instance.names_)),
          outerLayouts_(params_.setLayouts(instance.layouts)) {}
    Scope(const Scope &) = delete;
    ~Scope() {
      params_.setGenerics(std::move(outer_));
      params_.setLayouts(std::move(outerLayouts_));
    }

  private:
    ParamScope &params_;
    ParamScope::Generics outer_;
    ParamScope::Layouts outerLayouts_;
  };

  // Takes the values of names in the type of a parameter from the type of its argument, at `range`. Returns false if an error was
  // reported: a name stands for something else already, or for a type that its constraint excludes.
  bool bind(const ast::TypeExpr &param, Type argument, SourceRange range);
  bool complete() const { return values_.size() >= decl_.generics.size(); }
  // Whether the arguments decide every name; otherwise reports an error at the call.
  bool decided(SourceRange call);
  // Gives the names values for a check without a call: f32 for floats, i32 for integers, `open` for names that may be both,
  // this extent, and some layout for parameters that are layouts. Returns whether an extent was assumed.
  bool assume(int64_t extent, Elem open);
  std::string text() const; // " with $T = f16, $M = 8"; "" if the function is not generic

  FunctionArguments functions; // of the parameters that are functions
  ParamScope::Layouts layouts; // of those that are layouts

private:
  const ast::Generic *find(std::string_view name) const;
  bool set(const ast::Generic &generic, const ConstValue &value, SourceRange range);
  bool allowed(const ast::Generic &generic, const ConstValue &value, SourceRange range);
  bool bindElement(const ast::TypeExpr &element, Type argument, SourceRange range);

  struct Bound {
    ConstValue value;
    SourceRange range; // the argument that decided it
  };
  KernelState &state_;
  const ast::KernelDecl &decl_;
  std::map<std::string, Bound, std::less<>> values_;
  ParamScope::Generics names_;
};

} // namespace xt
