#include "targets/soft/group_functions.h"
#include "targets/soft/products.h"
#include "targets/soft/workgroup.h"

#include "ir/base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace xt::soft {
namespace {

enum class Combine : uint8_t { Add, Multiply, Least, Most, And, Or, Xor };
// Group operations, with SPIR-V's numbers.
enum Operation : int32_t { kReduce = 0, kInclusive = 1, kExclusive = 2, kClustered = 3 };

struct Element {
  int bytes = 4;
  bool isFloat = false, isSigned = true, isBool = false;
};

// The exact value of an element: a float of any width as a double, an integer signed or unsigned.
struct Number {
  double real = 0;
  int64_t whole = 0;
};

Number load(const Element &element, const std::byte *from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<size_t>(element.bytes));
  if (element.isBool) return {0, static_cast<int64_t>(bits & 1)};
  if (element.isFloat) {
    double real = 0;
    float single = 0;
    if (element.bytes == 2)
      real = fromHalf(static_cast<uint16_t>(bits));
    else if (element.bytes == 4)
      std::memcpy(&single, from, 4), real = single;
    else
      std::memcpy(&real, from, 8);
    return {real, 0};
  }
  int unused = 64 - element.bytes * 8;
  if (element.isSigned) return {0, static_cast<int64_t>(bits << unused) >> unused};
  return {0, static_cast<int64_t>(bits)};
}

void store(const Element &element, std::byte *to, const Number &value) {
  uint64_t bits = static_cast<uint64_t>(value.whole);
  if (element.isFloat) {
    auto single = static_cast<float>(value.real);
    if (element.bytes == 2)
      bits = toHalf(single);
    else if (element.bytes == 4)
      std::memcpy(&bits, &single, 4);
    else
      std::memcpy(&bits, &value.real, 8);
  }
  std::memcpy(to, &bits, static_cast<size_t>(element.bytes));
}

double combineReal(Combine how, double a, double b) {
  switch (how) {
  case Combine::Add: return a + b;
  case Combine::Multiply: return a * b;
  case Combine::Least: return std::fmin(a, b);
  case Combine::Most: return std::fmax(a, b);
  case Combine::And:
  case Combine::Or:
  case Combine::Xor: break;
  }
  return 0;
}

int64_t combineWhole(Combine how, bool isSigned, int64_t a, int64_t b) {
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (how) {
  case Combine::Add: return static_cast<int64_t>(ua + ub);
  case Combine::Multiply: return static_cast<int64_t>(ua * ub);
  case Combine::Least: return isSigned ? std::min(a, b) : static_cast<int64_t>(std::min(ua, ub));
  case Combine::Most: return isSigned ? std::max(a, b) : static_cast<int64_t>(std::max(ua, ub));
  case Combine::And: return a & b;
  case Combine::Or: return a | b;
  case Combine::Xor: return a ^ b;
  }
  return 0;
}

Number combine(Combine how, const Element &element, const Number &a, const Number &b) {
  if (element.isFloat) return {combineReal(how, a.real, b.real), 0};
  return {0, combineWhole(how, element.isSigned, a.whole, b.whole)};
}

Number identity(Combine how, const Element &element) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  int bits = element.bytes * 8;
  int64_t least = element.isSigned ? INT64_MIN >> (64 - bits) : 0;
  int64_t most = element.isSigned ? INT64_MAX >> (64 - bits) : static_cast<int64_t>(~uint64_t{0} >> (64 - bits));
  switch (how) {
  case Combine::Add:
  case Combine::Or:
  case Combine::Xor: return {0, 0};
  case Combine::Multiply: return {1, 1};
  case Combine::Least: return {kInfinity, most};
  case Combine::Most: return {-kInfinity, least};
  case Combine::And: return {0, element.isBool ? 1 : -1};
  }
  return {};
}

void reduceElement(Meeting &meeting, Combine how, const Element &element, size_t argument, size_t offset, int32_t operation,
                   size_t cluster) {
  auto at = [&](size_t item) {
    return load(element, static_cast<const std::byte *>(meeting.argument(item, argument)) + offset);
  };
  auto put = [&](size_t item, const Number &value) {
    store(element, static_cast<std::byte *>(meeting.result(item)) + offset, value);
  };
  for (size_t begin = 0; begin < meeting.count(); begin += cluster) {
    size_t end = std::min(begin + cluster, meeting.count());
    Number sum = identity(how, element);
    std::byte rounded[8];
    for (size_t i = begin; i < end; ++i) {
      if (operation == kExclusive) put(i, sum);
      sum = i == begin ? at(i) : combine(how, element, sum, at(i));
      store(element, rounded, sum);
      sum = load(element, rounded);
      if (operation == kInclusive) put(i, sum);
    }
    for (size_t i = begin; i < end && (operation == kReduce || operation == kClustered); ++i) put(i, sum);
  }
}

struct Reduction {
  Combine how = Combine::Add;
  Element element;
  int elements = 1;
};

void reduce(Meeting &meeting, const Reduction &reduction) {
  auto operation = meeting.argument<int32_t>(0, 1);
  size_t cluster = meeting.count();
  if (operation == kClustered) cluster = meeting.argument<uint32_t>(0, 3);
  if (operation < kReduce || operation > kClustered || !cluster)
    return meeting.fail(str("no group operation has number ", operation));
  for (int e = 0; e < reduction.elements; ++e)
    reduceElement(meeting, reduction.how, reduction.element, 2, static_cast<size_t>(e * reduction.element.bytes), operation,
                  cluster);
}

// Parses "__spirv_GroupIAdd", "__spirv_GroupNonUniformSMin", "__spirv_GroupBitwiseAndKHR" …
std::optional<Reduction> parse(std::string_view text, const ValueType &value) {
  if (!takePrefix(text, "__spirv_Group")) return std::nullopt;
  takePrefix(text, "NonUniform");
  if (text.ends_with("KHR")) text.remove_suffix(3);
  struct Row {
    std::string_view name;
    Combine how;
    bool isFloat, isSigned;
  };
  static constexpr Row kRows[] = {{"IAdd", Combine::Add, false, true},        {"FAdd", Combine::Add, true, true},
                                  {"IMul", Combine::Multiply, false, true},   {"FMul", Combine::Multiply, true, true},
                                  {"SMin", Combine::Least, false, true},      {"UMin", Combine::Least, false, false},
                                  {"FMin", Combine::Least, true, true},       {"SMax", Combine::Most, false, true},
                                  {"UMax", Combine::Most, false, false},      {"FMax", Combine::Most, true, true},
                                  {"BitwiseAnd", Combine::And, false, false}, {"BitwiseOr", Combine::Or, false, false},
                                  {"BitwiseXor", Combine::Xor, false, false}, {"LogicalAnd", Combine::And, false, false},
                                  {"LogicalOr", Combine::Or, false, false},   {"LogicalXor", Combine::Xor, false, false}};
  for (const Row &row : kRows)
    if (row.name == text && row.isFloat == value.isFloat)
      return Reduction{row.how, {value.elementBytes, value.isFloat, row.isSigned, value.isBool}, value.elements};
  return std::nullopt;
}

enum class Vote : uint8_t { All, Any, AllEqual, Elect, Ballot };

void vote(Meeting &meeting, Vote how, const ValueType &value) {
  bool all = true, any = false, equal = true;
  uint32_t ballot[4] = {};
  for (size_t i = 0; i < meeting.count() && how != Vote::Elect; ++i) {
    bool yes = meeting.argument<uint8_t>(i, 1) & 1;
    all &= yes, any |= yes;
    if (how == Vote::AllEqual) equal &= std::memcmp(meeting.argument(i, 1), meeting.argument(0, 1), value.bytes()) == 0;
    if (yes && i < 128) ballot[i / 32] |= 1u << (i % 32);
  }
  for (size_t i = 0; i < meeting.count(); ++i) {
    if (how == Vote::Ballot)
      std::memcpy(meeting.result(i), ballot, sizeof ballot);
    else
      meeting.setResult<uint8_t>(i, how == Vote::All ? all : how == Vote::Any ? any : how == Vote::AllEqual ? equal : i == 0);
  }
}

} // namespace

std::optional<Collective> reduceFunction(const BuiltinName &name, const ValueType &value) {
  if (std::optional<Reduction> found = parse(name.name, value))
    return Collective{name.name, 0, [reduction = *found](Meeting &meeting) { reduce(meeting, reduction); }};
  struct Row {
    std::string_view name;
    Vote how;
  };
  static constexpr Row kVotes[] = {
      {"All", Vote::All}, {"Any", Vote::Any}, {"AllEqual", Vote::AllEqual}, {"Elect", Vote::Elect}, {"Ballot", Vote::Ballot}};
  std::string_view text = name.name;
  if (!takePrefix(text, "__spirv_Group")) return std::nullopt;
  takePrefix(text, "NonUniform");
  for (const Row &row : kVotes)
    if (row.name == text)
      return Collective{name.name, 0, [how = row.how, value](Meeting &meeting) { vote(meeting, how, value); }};
  return std::nullopt;
}

} // namespace xt::soft
