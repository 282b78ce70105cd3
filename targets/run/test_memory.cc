// What the memory of a test run shows after its launches: damaged guard bytes, changed inputs, elements that are unwritten or differ
// between the two rounds.
#include "targets/run/test_run.h"

#include "ir/base/text.h"
#include "targets/run/check.h"
#include "targets/run/verify.h"

#include <algorithm>
#include <cstring>

namespace xt {

namespace {

std::string elementOf(const RawArray &array, int64_t i) {
  const std::byte *at = array.bytes.data() + i * array.elemBytes();
  return isFloat(array.elem) ? valueText(loadFloat(array.elem, at), array.elem) : str(loadInteger(array.elem, at));
}
bool sameElement(const RawArray &a, const RawArray &b, int64_t i) {
  return std::memcmp(a.bytes.data() + i * a.elemBytes(), b.bytes.data() + i * a.elemBytes(),
                     static_cast<size_t>(a.elemBytes())) == 0;
}
bool holdsPoison(const RawArray &array, int64_t i, std::byte poison) {
  const std::byte *at = array.bytes.data() + i * array.elemBytes();
  return std::all_of(at, at + array.elemBytes(), [&](std::byte b) { return b == poison; });
}
bool sameBytes(const RawArray &a, const RawArray &b) {
  return a.bytes.empty() || std::memcmp(a.bytes.data(), b.bytes.data(), static_cast<size_t>(a.bytes.count())) == 0;
}
std::string countOf(int64_t n, int64_t of) { return str(n, " of ", of, of == 1 ? " element" : " elements"); }

} // namespace

void TestRun::findDamage(TestBuffer &buffer) {
  std::string damage = buffer.device->guardReport();
  if (!damage.empty())
    fail(buffer.stmt->nameRange, str("out-of-bounds write near `%", buffer.stmt->name, "`: ", damage),
         {"a kernel wrote out of bounds of this buffer"});
}

Result<void> TestRun::findChanges(TestBuffer &buffer) {
  auto content = contentOf(buffer, false);
  if (!content) return content.error();
  const RawArray &initial = buffer.initialOfPart();
  if (sameBytes(*content, initial)) return {};
  int64_t changed = 0, first = -1;
  for (int64_t i = 0; i < content->count(); ++i)
    if (!sameElement(*content, initial, i)) {
      if (changed++ == 0) first = i;
    }
  fail(buffer.stmt->nameRange,
       str("`%", buffer.stmt->name, "` changed, though no launched kernel writes it: ", countOf(changed, content->count()),
           ", the first at ", indexText(indexOf(first, initial.sizes)), ", from ", elementOf(initial, first), " to ",
           elementOf(*content, first)));
  return {};
}

Result<void> TestRun::compareRounds() {
  for (auto &buffer : state_.buffers()) {
    if (buffer->written()) {
      if (auto done = compareRounds(*buffer); !done) return done;
    } else if (buffer->isOut && elementCount(buffer->sizes).value_or(0) > 0) {
      fail(buffer->stmt->nameRange, str("no launched kernel writes the `out` buffer `%", buffer->stmt->name, "`"));
    }
  }
  return {};
}

Result<void> TestRun::compareRounds(TestBuffer &buffer) {
  const RawArray &first = *buffer.firstRun, &second = buffer.contents.at(buffer.writers.back());
  if (sameBytes(first, second)) return {}; // the poison values differ in every byte, so everything is written
  int64_t differing = 0, at = -1, unwritten = 0;
  for (int64_t i = 0; i < first.count(); ++i) {
    if (sameElement(first, second, i)) continue;
    if (buffer.isOut && holdsPoison(first, i, kPoison[0]) && holdsPoison(second, i, kPoison[1]))
      ++unwritten;
    else if (differing++ == 0)
      at = i;
  }
  if (unwritten)
    if (auto done = reportUnwritten(buffer, second); !done) return done;
  if (!differing || buffer.order != OrderCause::None) return {};
  runsDiffer_ = true;
  std::vector<std::string> notes;
  if (buffer.isOut)
    notes.push_back(
        "`out` buffers hold a different poison value in each run: the kernel may read elements that it has not written");
  fail(buffer.stmt->nameRange,
       str("two runs differ in `%", buffer.stmt->name, "`: ", countOf(differing, first.count()), ", the first at ",
           indexText(indexOf(at, buffer.sizes)), ", ", elementOf(first, at), " and ", elementOf(second, at)),
       std::move(notes));
  return {};
}

Result<void> TestRun::reportUnwritten(const TestBuffer &buffer, const RawArray &last) {
  auto mask = Elements<uint8_t>::make(*options_.budget, last.count(), "the map of unwritten elements");
  if (!mask) return mask.error();
  int64_t unwritten = 0, first = -1;
  for (int64_t i = 0; i < last.count(); ++i) {
    (*mask)[i] = holdsPoison(*buffer.firstRun, i, kPoison[0]) && holdsPoison(last, i, kPoison[1]) ? 1 : 0;
    if ((*mask)[i] && unwritten++ == 0) first = i;
  }
  fail(buffer.stmt->nameRange,
       str(countOf(unwritten, last.count()), " of `%", buffer.stmt->name, "` were never written, the first at ",
           indexText(indexOf(first, buffer.sizes)), regionText(*mask, buffer.sizes)));
  return {};
}

} // namespace xt
