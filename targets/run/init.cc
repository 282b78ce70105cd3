#include "targets/run/init.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/integer_text.h"
#include "targets/run/chunk.h"
#include "targets/run/npy.h"

#include <limits>
#include <numbers>

namespace xt {

uint64_t splitMix64(uint64_t seed, uint64_t index) {
  uint64_t x = seed + (index + 1) * 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

namespace {
// A number in [0, 1).
double unitNumber(uint64_t output) { return static_cast<double>(output >> 11) * 0x1p-53; }

// A number from the standard normal distribution in [low, high). If the range is so improbable that no draw is in it,
// returns its end nearest to 0.
double normalNumber(uint64_t seed, double low, double high) {
  constexpr uint64_t kMostDraws = 64;
  for (uint64_t draw = 0; draw < kMostDraws; ++draw) {
    double radius = 1 - unitNumber(splitMix64(seed, 2 * draw)), angle = unitNumber(splitMix64(seed, 2 * draw + 1));
    double value = std::sqrt(-2 * std::log(radius)) * std::cos(2 * std::numbers::pi * angle);
    if (value >= low && value < high) return value;
  }
  return std::clamp(0.0, low, high);
}

constexpr std::string_view kWhat = "the content of a buffer";

class Initializer {
public:
  Initializer(const HostExpr &init, std::span<const int64_t> sizes, Elem elem, InitContext &context)
      : init_(init), sizes_(sizes.begin(), sizes.end()), elem_(elem), context_(context),
        evaluator_(context.site, context.source, sizes_) {
    site_ = &context_.site;
  }

  Result<RawArray> run() {
    auto bound = bindArguments(init_, *site_);
    if (!bound) return bound.error();
    args_ = *bound;
    switch (init_.fn) {
    case HostFn::Random: return random();
    case HostFn::Ints: return ints();
    case HostFn::Fill: return expression(*args_[0]);
    case HostFn::From: return expression(*args_[0]);
    case HostFn::Iota: return generated([](int64_t i) { return i; });
    case HostFn::Identity: return identity();
    case HostFn::Load: return load();
    default: break;
    }
    XT_UNREACHABLE("not an initialiser of content");
  }

private:
  EvalSite at(const HostExpr &expr) const {
    EvalSite here = *site_;
    here.range = expr.range;
    return here;
  }
  std::string atIndex(int64_t i) const { return sizes_.empty() ? "" : " at index " + indexText(indexOf(i, sizes_)); }

  // Whether the element type has this value. fitsInteger() accepts any 64 bits for u64, but u64 has no negative values.
  bool holds(int64_t value) const { return fitsInteger(elem_, value) && (elem_ != Elem::U64 || value >= 0); }

  // The integer that a float is, as the element type holds it; nullopt if it is none, or none that the type has.
  std::optional<int64_t> integerOf(double value) const {
    if (value != std::rint(value)) return std::nullopt;
    if (elem_ == Elem::U64 && value >= 0x1p63 && value < 0x1p64)
      return static_cast<int64_t>(static_cast<uint64_t>(value)); // its bits
    if (!(value >= -0x1p63 && value < 0x1p63)) return std::nullopt;
    auto integer = static_cast<int64_t>(value);
    return holds(integer) ? std::optional(integer) : std::nullopt;
  }

  // Calls store(i, to) for each element, in parallel.
  template <class F> Result<RawArray> filled(F store) {
    auto raw = RawArray::make(site_->budget, sizes_, elem_, kWhat);
    if (!raw) return raw;
    int64_t size = raw->elemBytes();
    parallelFor(raw->count(), 1 << 15, site_->threads, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) store(i, raw->bytes.data() + i * size);
    });
    return raw;
  }

  // Fills the buffer with integer values computed from the linear index.
  template <class F> Result<RawArray> generated(F value) {
    if (isFloat(elem_)) return filled([&](int64_t i, std::byte *to) { storeFloat(elem_, to, static_cast<double>(value(i))); });
    FirstIndex failed;
    auto raw = filled([&](int64_t i, std::byte *to) {
      int64_t v = value(i);
      if (!holds(v)) failed.put(i);
      storeInteger(elem_, to, v);
    });
    if (failed.get() >= 0) return doesNotFit(str(value(failed.get())), failed.get(), init_);
    return raw;
  }
  Error doesNotFit(const std::string &value, int64_t i, const HostExpr &where) {
    return at(where).fail(DiagCode::HostValueOutOfRange,
                          str("the value", atIndex(i), " is ", value, ", which ", elemName(elem_), " cannot hold"));
  }

  Result<uint64_t> seed(const HostExpr *arg) {
    if (!arg) return context_.defaultSeed;
    auto given = evaluator_.integer(*arg);
    if (!given) return given.error();
    return static_cast<uint64_t>(*given);
  }

  Result<RawArray> random() {
    auto start = seed(args_[0]);
    if (!start) return start.error();
    auto normal = isNormal();
    if (!normal) return normal.error();
    auto bounds = rangeOf();
    if (!bounds) return bounds.error();
    const HostExpr *low = bounds->first, *high = bounds->second;
    return isInteger(elem_) ? randomIntegers(*start, low, high) : randomFloats(*start, low, high, *normal);
  }

  Result<bool> isNormal() {
    if (!args_[1]) return false;
    const std::string &dist = args_[1]->text;
    if (args_[1]->kind != HostExpr::Kind::Text || (dist != "uniform" && dist != "normal"))
      return at(*args_[1]).fail(DiagCode::HostBadArgument,
                                str("dist must be \"uniform\" or \"normal\"; without names the arguments of `random` are ",
                                    hostFnInfo(HostFn::Random).named));
    if (dist == "normal" && isInteger(elem_))
      return at(*args_[1]).fail(DiagCode::HostBadArgument, "\"normal\" is for floats; integers are always uniform");
    return dist == "normal";
  }

  // The lower and the upper bound, null where not given.
  Result<std::pair<const HostExpr *, const HostExpr *>> rangeOf() {
    const HostExpr *range = args_[2];
    if (!range) return std::pair(args_[3], args_[4]);
    if (args_[3] || args_[4])
      return at(*range).fail(DiagCode::HostBadArgument, "`range` replaces `low` and `high`: give one or the other");
    if (range->kind != HostExpr::Kind::List || range->args.size() != 2)
      return at(*range).fail(DiagCode::HostBadArgument, "a range must be two numbers, such as range = [-2, 3]");
    return std::pair(&range->args[0], &range->args[1]);
  }

  Result<RawArray> randomIntegers(uint64_t start, const HostExpr *lowest, const HostExpr *above) {
    if (!lowest && !above)
      return filled([&](int64_t i, std::byte *to) {
        storeInteger(elem_, to, static_cast<int64_t>(splitMix64(start, static_cast<uint64_t>(i))));
      });
    if (!lowest || !above)
      return at(init_).fail(DiagCode::HostBadArgument, "`random` of integers takes both `low` and `high`, or neither");
    auto low = evaluator_.integer(*lowest), high = evaluator_.integer(*above);
    if (!low) return low.error();
    if (!high) return high.error();
    if (*high <= *low) return emptyRange(str(*low), str(*high));
    return uniform(start, *low, *high - 1);
  }
  Error emptyRange(const std::string &low, const std::string &high) {
    return at(init_).fail(DiagCode::HostBadArgument, str("the range of `random`, [", low, ", ", high, "), is empty"));
  }

  // Without bounds: uniform in [-1, 1), or normal from minus to plus infinity.
  Result<RawArray> randomFloats(uint64_t start, const HostExpr *lowest, const HostExpr *above, bool normal) {
    double infinity = std::numeric_limits<double>::infinity(), low = normal ? -infinity : -1, high = -low;
    if (isScale(elem_)) low = 0; // it has no negative numbers
    for (auto [arg, bound] : {std::pair(lowest, &low), std::pair(above, &high)}) {
      if (!arg) continue;
      auto given = evaluator_.number(*arg);
      if (!given) return given.error();
      *bound = *given;
    }
    if (!(low < high) && !(low == high && !normal)) return emptyRange(floatText(low), floatText(high));
    auto raw = RawArray::make(site_->budget, sizes_, elem_, kWhat);
    if (!raw) return raw;
    int64_t size = raw->elemBytes();
    parallelFor(raw->count(), 1 << 15, site_->threads, [&](int64_t begin, int64_t end) {
      double values[kMaxRun];
      for (int64_t at = begin; at < end; at += kMaxRun) {
        int64_t count = std::min(kMaxRun, end - at);
        for (int64_t i = 0; i < count; ++i) {
          uint64_t output = splitMix64(start, static_cast<uint64_t>(at + i));
          values[i] = normal ? normalNumber(output, low, high) : low + (high - low) * unitNumber(output);
        }
        fromDoubles(elem_, values, count, raw->bytes.data() + at * size, 1);
      }
    });
    return raw;
  }

  // Uniform integers in [low, high].
  Result<RawArray> uniform(uint64_t start, int64_t low, int64_t high) {
    uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1; // 0: all 2^64
    for (int64_t end : {low, high})
      if (isInteger(elem_) && !holds(end))
        return at(init_).fail(DiagCode::HostValueOutOfRange,
                              str("values from ", low, " to ", high, ", but ", elemName(elem_), " cannot hold ", end));
    return generated([=](int64_t i) {
      uint64_t x = splitMix64(start, static_cast<uint64_t>(i));
      uint64_t step = span ? static_cast<uint64_t>((static_cast<unsigned __int128>(x) * span) >> 64) : x;
      return static_cast<int64_t>(static_cast<uint64_t>(low) + step);
    });
  }

  Result<RawArray> ints() {
    auto low = evaluator_.integer(*args_[0]), high = evaluator_.integer(*args_[1]);
    if (!low) return low.error();
    if (!high) return high.error();
    auto start = seed(args_[2]);
    if (!start) return start.error();
    if (*high < *low)
      return at(init_).fail(DiagCode::HostBadArgument, str("the range of `ints`, ", *low, " to ", *high, ", is empty"));
    return uniform(*start, *low, *high);
  }

  Result<RawArray> identity() {
    if (sizes_.size() < 2) return at(init_).fail(DiagCode::HostBadArgument, "`identity` needs at least two dimensions");
    int64_t columns = sizes_.back(), rows = sizes_[sizes_.size() - 2];
    return generated([=](int64_t i) { return int64_t{i / columns % rows == i % columns}; });
  }

  Result<RawArray> load() {
    if (args_[0]->kind != HostExpr::Kind::Text)
      return at(*args_[0]).fail(DiagCode::HostBadArgument, "`load` takes the path of a .npy file in quotes");
    return readNpy(context_.resolvePath(args_[0]->text), sizes_, elem_, site_->budget, site_->threads, context_.small);
  }

  // Fills the buffer from an expression with one value, or with one for each element.
  Result<RawArray> expression(const HostExpr &expr) {
    auto value = evaluator_.evaluate(expr);
    if (!value) return value.error();
    auto shape = broadcastShape(value->shape, sizes_);
    if (!shape || *shape != sizes_)
      return at(expr).fail(DiagCode::HostShapeMismatch,
                           str("the value is ", shapeWords(value->shape), ", but the buffer is ", shapeWords(sizes_)));
    bool sameBits = value->elem == elem_;
    auto raw = RawArray::make(site_->budget, sizes_, elem_, kWhat);
    if (!raw) return raw;
    FirstIndex failed;
    const std::span<const int64_t> shapes[] = {value->shape};
    int64_t size = raw->elemBytes();
    forEachRun(sizes_, shapes, site_->threads, [&](const BroadcastRun &run) {
      std::byte *to = raw->bytes.data() + run.out * size;
      if (value->integer && isInteger(elem_)) {
        IntChunk chunk;
        const int64_t *v = chunk.values(*value, run.offset[0], run.step[0], run.count);
        for (int64_t i = 0; i < run.count; ++i, to += size) {
          bool wide = value->elem == Elem::U64 && v[i] < 0; // 2^63 or more, which no other type holds
          if (!sameBits && (wide || !holds(v[i]))) failed.put(run.out + i);
          storeInteger(elem_, to, v[i]);
        }
        return;
      }
      Chunk chunk;
      const double *v = chunk.values(*value, run.offset[0], run.step[0], run.count);
      if (isFloat(elem_)) return fromDoubles(elem_, v, run.count, to, 1);
      for (int64_t i = 0; i < run.count; ++i, to += size) {
        std::optional<int64_t> integer = integerOf(v[i]);
        if (!integer) failed.put(run.out + i);
        storeInteger(elem_, to, integer.value_or(0));
      }
    });
    if (failed.get() < 0) return raw;
    return doesNotFit(valueText(*value, failed.get()), failed.get(), expr);
  }

  std::string valueText(const HostArray &value, int64_t linear) const {
    std::vector<int64_t> index = indexOf(linear, sizes_), strides = broadcastStrides(value.shape, sizes_);
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
    if (!value.integer) return floatText(value.values[offset]);
    return integerText(value.elem.value_or(Elem::I64), value.ints[offset]);
  }

  const HostExpr &init_;
  std::vector<int64_t> sizes_;
  Elem elem_;
  InitContext &context_;
  EvalSite *site_ = nullptr;
  Evaluator evaluator_;
  std::vector<const HostExpr *> args_;
};
} // namespace

Result<RawArray> initialContent(const HostExpr &init, std::span<const int64_t> sizes, Elem elem, InitContext &context) {
  context.site.trackErrors = false;
  context.site.range = init.range;
  return Initializer(init, sizes, elem, context).run();
}

} // namespace xt
