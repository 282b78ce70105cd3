// Runs each operation on arrays with and without gaps, and compares the results with what one process computes.
#include "check.hpp"

namespace {

using xt::Array;
using xt::mpi::Kind;
using xt::mpi::kNone;
using xt::mpi::Ranks;

// Values that differ by place and rank.
std::vector<float> values(size_t count, int rank) {
  std::vector<float> all(count);
  for (size_t i = 0; i < count; ++i) all[i] = static_cast<float>(i) + 1000.0f * static_cast<float>(rank);
  return all;
}

void reduces(const Ranks &ranks) {
  const int n = ranks.count();
  std::vector<float> own = values(7, ranks.rank()), sum(7), strided(14, -1.0f);
  DONE(ranks.allReduce(Array(own, {7}), Array(sum, {7})));
  DONE(ranks.allReduce(Array(own, {7}), Array(strided, {7}, {2}), Kind::Max));
  DONE(ranks.allReduce(Array(own, {7}), Kind::Min));
  for (size_t i = 0; i < 7; ++i) {
    CHECK(sum[i] == static_cast<float>(i) * static_cast<float>(n) + 1000.0f * static_cast<float>(n * (n - 1) / 2));
    CHECK(strided[2 * i] == static_cast<float>(i) + 1000.0f * static_cast<float>(n - 1) && strided[2 * i + 1] == -1.0f);
    CHECK(own[i] == static_cast<float>(i));
  }
  std::vector<int64_t> products = {2}, empty;
  DONE(ranks.allReduce(Array(products, {}), Kind::Mul));
  CHECK(products[0] == int64_t{1} << n);
  DONE(ranks.allReduce(Array(empty, {0, 3})));
}

// An array whose columns are divided is gathered into itself, and its rows into another one.
void gathers(const Ranks &ranks) {
  const int64_t n = ranks.count();
  const std::vector<float> all = values(static_cast<size_t>(6 * n * n), 0);
  std::vector<float> whole = all, rows(static_cast<size_t>(6 * n));
  const Array view(whole, {2 * n, 3 * n});
  for (size_t i = 0; i < whole.size(); ++i)
    if (static_cast<int64_t>(i) % (3 * n) / 3 != ranks.rank()) whole[i] = -1;
  auto columns = ranks.shard(view, {1});
  CHECK(columns.has_value());
  DONE(ranks.allGather(*columns, {1}, Array(rows, {2, 3 * n}), {0})); // from columns to rows
  for (size_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == all[i + rows.size() * static_cast<size_t>(ranks.rank())]);
  DONE(ranks.allGather(*columns, {1}, view));
  CHECK(whole == all);
  std::vector<float> again(all.size()), slice(4);
  DONE(ranks.allGather(Array(rows, {2, 3 * n}), {0}, Array(again, {2 * n, 3 * n})));
  CHECK(again == all);
  DONE(ranks.broadcastSlice(Array(rows, {2, 3 * n}), {0}, {n - 1, 1}, Array(slice, {2, 2})));
  for (size_t i = 0; i < 4; ++i)
    CHECK(slice[i] == all[(static_cast<size_t>(n) - 1 + i / 2) * static_cast<size_t>(3 * n) + 1 + i % 2]);
}

void scatters(const Ranks &ranks) {
  const int64_t n = ranks.count();
  std::vector<float> own = values(static_cast<size_t>(4 * n), ranks.rank()), part(4);
  DONE(ranks.reduceScatter(Array(own, {4, n}), Array(part, {4, 1}), {1}));
  for (int64_t i = 0; i < 4; ++i)
    CHECK(part[static_cast<size_t>(i)] == static_cast<float>((i * n + ranks.rank()) * n + 1000 * n * (n - 1) / 2));
}

void passes(const Ranks &ranks) {
  const int n = ranks.count(), own = ranks.rank();
  std::vector<int> value = {own, own}, root = value, right(2), message(1, own), received(1, -1);
  DONE(ranks.broadcast(Array(root, {2}), n - 1));
  CHECK(root[0] == n - 1 && root[1] == n - 1);
  DONE(ranks.shift(Array(value, {2}), Array(right, {2}), 1));
  CHECK(right[0] == (own + n - 1) % n);
  DONE(ranks.shift(Array(value, {2}), -1));
  CHECK(value[1] == (own + 1) % n);
  DONE(ranks.send(Array(message, {1}), own + 1 < n ? own + 1 : kNone));
  DONE(ranks.recv(Array(received, {1}), own > 0 ? own - 1 : kNone));
  CHECK(received[0] == own - 1);
}

// Operations along the axes of a grid, and two that go on at the same time.
void usesTheMesh(const Ranks &ranks) {
  DONE(ranks.mesh({0, 0}));
  const int rows = ranks.extent(0), columns = ranks.extent(1);
  CHECK(rows * columns == ranks.count() && rows >= columns && ranks.extent(2) == 0);
  CHECK(ranks.position(0) * columns + ranks.position(1) == ranks.rank());
  std::vector<int> alongRow = {1}, alongColumn = {ranks.rank()};
  auto first = ranks.startAllReduce(Array(alongRow, {1}), Kind::Add, 1);
  auto second = ranks.startBroadcast(Array(alongColumn, {1}), 0, 0);
  CHECK(first.has_value() && second.has_value());
  DONE(second->wait());
  DONE(first->wait());
  CHECK(first->wait().has_value());
  CHECK(alongRow[0] == columns && alongColumn[0] == ranks.position(1));
  std::vector<float> a(static_cast<size_t>(2 * rows * 3 * columns));
  auto part = ranks.shard(Array(a, {2 * rows, 3 * columns}), {0, 1});
  CHECK(part.has_value() && part->argument().shape[0] == 2 && part->argument().shape[1] == 3);
  CHECK(part->argument().data == &a[static_cast<size_t>(2 * ranks.position(0) * 3 * columns + 3 * ranks.position(1))]);
  DONE(ranks.mesh({ranks.count()}));
}

void countsTraffic(const Ranks &ranks) {
  auto before = ranks.traffic();
  std::vector<double> own(static_cast<size_t>(ranks.count()) * 8);
  DONE(ranks.allReduce(Array(own, {ranks.count() * 8})));
  auto after = ranks.traffic();
  CHECK(before.has_value() && after.has_value());
  CHECK(after->operations == before->operations + 1);
  const int64_t bytes = 2 * (ranks.count() - 1) * 8 * 8; // 2 (n - 1) / n of the array
  CHECK(after->sent == before->sent + bytes && after->received == before->received + bytes);
}

} // namespace

int main() {
  auto ranks = Ranks::create({.seconds = 60});
  if (!ranks) return std::puts(ranks.error().message.c_str()), 2;
  reduces(*ranks);
  gathers(*ranks);
  scatters(*ranks);
  passes(*ranks);
  usesTheMesh(*ranks);
  countsTraffic(*ranks);
  return report(*ranks);
}
