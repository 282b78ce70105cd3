#include "targets/ranks/communicator.h"

#include "ir/base/text.h"
#include "targets/ranks/combine_parts.h"

#include <algorithm>
#include <cstring>

namespace xt {

// What a rank is about to do, of the same size on all ranks.
struct Communicator::Description {
  enum class Kind : int32_t { Begin, Agree, Run, Finish, Stopped, Left };
  static constexpr size_t kMostDims = 8;
  Kind kind = Kind::Begin;
  int32_t communication = 0, elem = 0, axis = -1;
  int64_t peer = 0; // Agree: a hash of what the ranks must have in common
  int32_t hasPeer = 0, dims = 0, intoDims = 0;
  int32_t isDiagnosed = 0; // Stopped: the program is wrong, and not its run
  std::array<int64_t, kMostDims> shape{}, begin{}, into{};
  std::array<int32_t, kMostDims> shards{}, intoShards{};
  std::array<char, 16> combine{};
  std::array<char, 240> text{}; // without padding before it: descriptions are compared as bytes

  void setText(std::string_view what) { what.copy(text.data(), text.size() - 1); }
  std::string_view textView() const { return text.data(); }

  // Whether two ranks agree. Send and recv may have different peers, and each rank's message a type and a size of its own.
  bool matches(const Description &other) const {
    Description a = *this, b = other;
    a.text = b.text = {};
    bool pairs = kind == Kind::Run && (communication == static_cast<int32_t>(Communication::Send) ||
                                       communication == static_cast<int32_t>(Communication::Recv));
    if (kind == Kind::Begin) return other.kind == Kind::Begin && textView() == other.textView();
    if (pairs) {
      a.peer = b.peer = 0;
      a.elem = b.elem = a.dims = b.dims = a.intoDims = b.intoDims = 0;
      a.shape = b.shape = a.into = b.into = {};
    }
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
};

namespace {

using Message = Transport::Message;

std::string rankText(size_t rank) { return str("rank ", rank); }

// Elements of an array that a rank divides with others: the same number for each, except for the last ones.
Box chunkOf(int64_t elements, int count, int index) {
  int64_t each = (elements + count - 1) / count, begin = std::min(elements, each * index);
  return {{begin}, {std::min(each, elements - begin)}};
}

} // namespace

// --- agreement -------------------------------------------------------------------------------------------------------

Error Communicator::ended(std::string why) {
  open_ = false;
  sent_.clear();
  return Error::kernel(std::move(why));
}

// Tells all ranks what this one does, and returns what they do. Fails on all ranks if one has stopped, or if they disagree.
Result<std::vector<Communicator::Description>> Communicator::describe(const Description &own) {
  if (broken_) return Error::environment("the ranks no longer reach each other");
  std::vector<Description> all(static_cast<size_t>(count()));
  auto done = transport_.allGather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  if (!done) {
    broken_ = true;
    open_ = false;
    return done.error();
  }
  for (const Description &one : all) broken_ |= one.kind == Description::Kind::Left;
  if (own.kind == Description::Kind::Stopped || own.kind == Description::Kind::Left) return all;
  if (auto same = compare(all); !same) return same.error();
  return all;
}

Result<void> Communicator::compare(const std::vector<Description> &all) {
  for (size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank].kind == Description::Kind::Stopped) {
      otherHasStopped_ = true;
      Error error = ended(str(rankText(rank), " has stopped: ", all[rank].textView()));
      if (all[rank].isDiagnosed) error.kind = Error::Kind::Diagnosed;
      return error;
    }
  for (size_t rank = 1; rank < all.size(); ++rank) {
    if (all[0].matches(all[rank])) continue;
    bool sameText = all[0].textView() == all[rank].textView();
    return ended(str("the ranks do different things: rank 0 is at ", all[0].textView(), " and ", rankText(rank), " at ",
                     all[rank].textView(), sameText ? ", with other sizes or arguments" : ""));
  }
  return {};
}

Result<void> Communicator::begin(const std::string &name, Mesh mesh) {
  mesh_ = std::move(mesh);
  traffic_ = {};
  sent_.clear();
  open_ = otherHasStopped_ = false;
  Description own;
  own.setText(name);
  if (auto all = describe(own); !all) return all.error();
  open_ = true;
  return {};
}

bool Communicator::agree(std::string_view where, std::string_view content) {
  Description own;
  own.kind = Description::Kind::Agree;
  own.peer = static_cast<int64_t>(std::hash<std::string_view>()(content));
  own.setText(where);
  return describe(own).ok();
}

Result<void> Communicator::finish() {
  if (!open_) return {};
  Description own;
  own.kind = Description::Kind::Finish;
  own.setText("the end of the test");
  if (auto all = describe(own); !all) return all.error();
  open_ = false;
  if (sent_.empty()) return {};
  const Sent first = std::move(sent_.front());
  return ended(str("rank ", first.from, " has sent to rank ", first.to, ", which has received nothing"));
}

void Communicator::stop(const std::string &why, bool isDiagnosed) {
  if (!open_) return;
  open_ = false;
  sent_.clear();
  Description own;
  own.kind = Description::Kind::Stopped;
  own.isDiagnosed = isDiagnosed;
  own.setText(why);
  (void)describe(own).ok();
}

void Communicator::leave() {
  if (broken_) return;
  Description own;
  own.kind = Description::Kind::Left;
  own.setText("its end");
  (void)describe(own).ok();
  broken_ = true;
}

// --- data ------------------------------------------------------------------------------------------------------------

Result<void> Communicator::run(const RankExchange &exchange, bool counted) {
  if (!open_) return Error::environment("the ranks have stopped");
  counted_ = counted;
  Description own;
  own.kind = Description::Kind::Run;
  own.communication = static_cast<int32_t>(exchange.kind);
  own.elem = static_cast<int32_t>(exchange.source.elem);
  own.axis = exchange.axis.value_or(-1);
  own.peer = exchange.peer.value_or(0);
  own.hasPeer = exchange.peer.has_value();
  // Messages are between two ranks, whose buffers may be divided in different ways.
  const bool isMessage = exchange.kind == Communication::Send || exchange.kind == Communication::Recv;
  const std::vector<int64_t> shape = isMessage ? exchange.source.part(mesh_, rank()).extent : exchange.source.shape;
  own.dims = static_cast<int32_t>(shape.size());
  own.intoDims = static_cast<int32_t>(exchange.destination.shape.size());
  std::ranges::copy(shape, own.shape.begin());
  std::ranges::copy(exchange.slice.begin, own.begin.begin());
  std::ranges::copy(exchange.destination.shape, own.into.begin());
  own.shards.fill(-1);
  own.intoShards.fill(-1);
  std::ranges::copy(exchange.source.sharding.dims, own.shards.begin());
  std::ranges::copy(exchange.destination.sharding.dims, own.intoShards.begin());
  exchange.combine.copy(own.combine.data(), own.combine.size() - 1);
  own.setText(exchange.text);
  auto all = describe(own);
  if (!all) return all.error();
  if (std::string why = whyNotPossible(exchange); !why.empty()) return ended(str(exchange.text, ": ", why));
  if (counted) ++traffic_.communications;
  auto moved = [&]() -> Result<void> {
    switch (exchange.kind) {
    case Communication::AllGather: return redistribute(exchange, wholeOf(exchange.source.shape));
    case Communication::Broadcast: return exchange.peer ? broadcastFromRoot(exchange) : redistribute(exchange, exchange.slice);
    case Communication::Shift: return shift(exchange);
    case Communication::AllReduce: return allReduce(exchange);
    case Communication::ReduceScatter: return reduceScatter(exchange);
    case Communication::Send: return send(exchange, *all);
    case Communication::Recv: return receive(exchange, *all);
    }
    XT_UNREACHABLE("communication");
  }();
  if (!moved && moved.error().kind == Error::Kind::Environment) broken_ = true, open_ = false;
  return moved;
}

// Why an exchange has no meaning, which is the same on all ranks; "" if it has one.
std::string Communicator::whyNotPossible(const RankExchange &exchange) {
  const bool fromRoot = exchange.kind == Communication::Broadcast && exchange.peer;
  const Distributed &source = exchange.source, &destination = exchange.destination;
  const bool whole = exchange.slice.extent.empty() || exchange.slice.extent == source.shape;
  if (fromRoot && (!whole || source.shape != destination.shape || source.sharding.axes() != destination.sharding.axes()))
    return "a root gives what it holds, so both arrays have the same shape and are divided in the same way";
  if (!fromRoot && exchange.kind != Communication::AllReduce) return "";
  for (int axis : source.sharding.axes())
    if (!exchange.axis || *exchange.axis == axis)
      return str("axis ", axis, " of the mesh divides the array, so these ranks hold different parts of it");
  return "";
}

// Sends and receives messages, without those that are empty, and counts them.
Result<void> Communicator::move(std::span<const Message> sends, std::span<const Message> receives) {
  Outgoing kept;
  for (const Message &message : sends)
    if (message.bytes) kept.sends.push_back(message);
  for (const Message &message : receives)
    if (message.bytes) kept.receives.push_back(message);
  if (auto done = transport_.exchange(kept.sends, kept.receives); !done) return done;
  if (!counted_) return {};
  for (const Message &message : kept.sends) traffic_.sent += message.bytes, ++traffic_.messages;
  for (const Message &message : kept.receives) traffic_.received += message.bytes;
  return {};
}

// Gives each rank its part of the destination, which is a slice of the source.
Result<void> Communicator::redistribute(const RankExchange &exchange, const Box &slice) {
  const int64_t bytes = elemInfo(exchange.source.elem).storageBytes;
  const Box held = exchange.source.part(mesh_, rank());
  Box wanted = exchange.destination.part(mesh_, rank()); // in coordinates of the source
  for (size_t d = 0; d < wanted.begin.size(); ++d) wanted.begin[d] += slice.begin[d];
  std::vector<std::vector<std::byte>> packed;
  std::vector<Message> sends, receives;
  std::vector<Box> boxes; // of `receives`
  for (const MovedBox &piece : redistribution(exchange.source, slice, exchange.destination, mesh_)) {
    if (piece.from == rank() && piece.to == rank()) {
      copyBox(piece.box, held, exchange.from, wanted, exchange.into, bytes);
      continue;
    }
    if (piece.from != rank() && piece.to != rank()) continue;
    packed.emplace_back(static_cast<size_t>(piece.box.elements() * bytes));
    Message message = {piece.from == rank() ? piece.to : piece.from, packed.back().data(), std::ssize(packed.back())};
    if (piece.from == rank()) {
      copyBox(piece.box, held, exchange.from, piece.box, message.data, bytes);
      sends.push_back(message);
    } else {
      receives.push_back(message);
      boxes.push_back(piece.box);
    }
  }
  if (auto done = move(sends, receives); !done) return done;
  for (size_t i = 0; i < receives.size(); ++i) copyBox(boxes[i], boxes[i], receives[i].data, wanted, exchange.into, bytes);
  return {};
}

Result<void> Communicator::broadcastFromRoot(const RankExchange &exchange) {
  const std::vector<int> group = mesh_.group(rank(), exchange.axis);
  const int64_t peer = *exchange.peer;
  if (peer < 0 || peer >= std::ssize(group))
    return ended(str(exchange.text, ": the root ", peer, " is not one of ", group.size(), " ranks"));
  const int root = group[static_cast<size_t>(peer)];
  const int64_t bytes = exchange.source.part(mesh_, rank()).elements() * elemInfo(exchange.source.elem).storageBytes;
  std::vector<Message> sends, receives;
  if (rank() != root) receives.push_back({root, exchange.into, bytes});
  for (int member : group)
    if (rank() == root && member != root) sends.push_back({member, const_cast<std::byte *>(exchange.from), bytes});
  if (rank() == root && exchange.into != exchange.from) std::copy_n(exchange.from, bytes, exchange.into);
  return move(sends, receives);
}

Result<void> Communicator::shift(const RankExchange &exchange) {
  const std::vector<int> group = mesh_.group(rank(), exchange.axis);
  const int64_t size = std::ssize(group), by = ((exchange.peer.value_or(0) % size) + size) % size;
  const int64_t own = std::ranges::find(group, rank()) - group.begin();
  const int64_t bytes = exchange.source.part(mesh_, rank()).elements() * elemInfo(exchange.source.elem).storageBytes;
  std::vector<std::byte> outgoing(exchange.from, exchange.from + bytes);
  if (by == 0) {
    std::ranges::copy(outgoing, exchange.into);
    return {};
  }
  const Message send = {group[static_cast<size_t>((own + by) % size)], outgoing.data(), bytes};
  const Message receive = {group[static_cast<size_t>((own + size - by) % size)], exchange.into, bytes};
  return move({&send, 1}, {&receive, 1});
}

// Each rank of the group combines one chunk of the elements and gives it to the others: each rank moves 2 (n - 1) / n of the array,
// the least that is possible (Patarasu and Yuan, Bandwidth optimal all-reduce algorithms, 2009).
Result<void> Communicator::allReduce(const RankExchange &exchange) {
  const std::vector<int> group = mesh_.group(rank(), exchange.axis);
  const int count = static_cast<int>(group.size());
  const int64_t elements = exchange.source.part(mesh_, rank()).elements(), size = elemInfo(exchange.source.elem).storageBytes;
  const int own = static_cast<int>(std::ranges::find(group, rank()) - group.begin());
  const int64_t ownBytes = chunkOf(elements, count, own).extent[0] * size;
  std::vector<std::vector<std::byte>> parts(group.size());
  std::vector<const std::byte *> terms(group.size());
  std::vector<Message> sends, receives;
  auto chunk = [&](int index) { return chunkOf(elements, count, index); };
  for (int i = 0; i < count; ++i) {
    auto at = static_cast<size_t>(i);
    if (i == own) {
      terms[at] = exchange.from + chunk(own).begin[0] * size;
      continue;
    }
    parts[at].resize(static_cast<size_t>(ownBytes));
    terms[at] = parts[at].data();
    receives.push_back({group[at], parts[at].data(), ownBytes});
    sends.push_back({group[at], const_cast<std::byte *>(exchange.from) + chunk(i).begin[0] * size, chunk(i).extent[0] * size});
  }
  if (auto done = move(sends, receives); !done) return done;
  std::vector<std::byte> combined(static_cast<size_t>(ownBytes));
  combineParts(exchange.combine, exchange.source.elem, terms, chunk(own).extent[0], combined.data());
  std::ranges::copy(combined,
                    exchange.into + chunk(own).begin[0] * size); // which may be nothing, in an array without an address
  sends.clear();
  receives.clear();
  for (int i = 0; i < count; ++i) {
    if (i == own) continue;
    sends.push_back({group[static_cast<size_t>(i)], combined.data(), ownBytes});
    receives.push_back({group[static_cast<size_t>(i)], exchange.into + chunk(i).begin[0] * size, chunk(i).extent[0] * size});
  }
  return move(sends, receives);
}

// Each rank gets its part of the destination from all ranks, and combines them in their order.
Result<void> Communicator::reduceScatter(const RankExchange &exchange) {
  const int64_t size = elemInfo(exchange.source.elem).storageBytes;
  const Box whole = wholeOf(exchange.source.shape), own = exchange.destination.part(mesh_, rank());
  auto ranks = static_cast<size_t>(count());
  std::vector<std::vector<std::byte>> parts(ranks), packed(ranks);
  std::vector<const std::byte *> terms(ranks);
  std::vector<Message> sends, receives;
  for (size_t i = 0; i < ranks; ++i) {
    const Box box = exchange.destination.part(mesh_, static_cast<int>(i));
    const int peer = static_cast<int>(i);
    packed[i].resize(static_cast<size_t>(box.elements() * size));
    copyBox(box, whole, exchange.from, box, packed[i].data(), size);
    parts[i].resize(static_cast<size_t>(own.elements() * size));
    terms[i] = peer == rank() ? packed[i].data() : parts[i].data();
    if (peer == rank()) continue;
    sends.push_back({peer, packed[i].data(), std::ssize(packed[i])});
    receives.push_back({peer, parts[i].data(), std::ssize(parts[i])});
  }
  if (auto done = move(sends, receives); !done) return done;
  combineParts(exchange.combine, exchange.source.elem, terms, own.elements(), exchange.into);
  return {};
}

// --- messages --------------------------------------------------------------------------------------------------------

// A message stays with its sender until all ranks are at the statement that receives it.
Result<void> Communicator::send(const RankExchange &exchange, const std::vector<Description> &all) {
  for (size_t from = 0; from < all.size(); ++from) {
    const int64_t to = all[from].peer;
    if (to == -1) continue;
    if (to < 0 || to >= count())
      return ended(str(exchange.text, ": rank ", from, " sends to rank ", to, ", but there are ", count(), " ranks"));
    Sent &sent = sent_.emplace_back();
    sent.from = static_cast<int>(from);
    sent.to = static_cast<int>(to);
    sent.array.shape.assign(all[from].shape.begin(), all[from].shape.begin() + all[from].dims);
    sent.array.elem = static_cast<Elem>(all[from].elem);
    if (sent.from != rank()) continue;
    const int64_t bytes = exchange.source.part(mesh_, rank()).elements() * elemInfo(exchange.source.elem).storageBytes;
    sent.data.assign(exchange.from, exchange.from + bytes);
  }
  return {};
}

Result<void> Communicator::receive(const RankExchange &exchange, const std::vector<Description> &all) {
  std::vector<Message> sends, receives;
  std::vector<Sent> matched; // keeps the data of `sends`
  for (size_t to = 0; to < all.size(); ++to) {
    const int64_t from = all[to].peer;
    if (from == -1) continue;
    auto first =
        std::ranges::find_if(sent_, [&](const Sent &sent) { return sent.from == from && sent.to == static_cast<int>(to); });
    if (first == sent_.end())
      return ended(str(exchange.text, ": rank ", to, " receives from rank ", from, ", which has sent it nothing"));
    const std::vector<int64_t> shape(all[to].shape.begin(), all[to].shape.begin() + all[to].dims);
    if (first->array.shape != shape || static_cast<int32_t>(first->array.elem) != all[to].elem)
      return ended(str(exchange.text, ": rank ", to, " receives ", join(shape, "x"), "x",
                       elemName(static_cast<Elem>(all[to].elem)), ", but rank ", from, " has sent ",
                       join(first->array.shape, "x"), "x", elemName(first->array.elem)));
    matched.push_back(std::move(*first));
    sent_.erase(first);
  }
  for (Sent &sent : matched) {
    if (sent.from == rank() && sent.to == rank())
      std::ranges::copy(sent.data, exchange.into);
    else if (sent.from == rank())
      sends.push_back({sent.to, sent.data.data(), std::ssize(sent.data)});
    else if (sent.to == rank())
      receives.push_back(
          {sent.from, exchange.into,
           exchange.destination.part(mesh_, rank()).elements() * elemInfo(exchange.destination.elem).storageBytes});
  }
  return move(sends, receives);
}

} // namespace xt
