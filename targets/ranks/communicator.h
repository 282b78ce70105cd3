// Communications between ranks: gathers, sums, broadcasts and messages on parts of arrays.
//
// All ranks call the same operations in the same order. Before data moves, each rank tells the others what it is about to do. If
// that differs, if a rank waits for what nobody has sent, or if a rank has failed, all ranks get an error; none waits forever.
#pragma once
#include "ir/host.h"
#include "targets/ranks/moves.h"
#include "targets/ranks/transport.h"

#include <deque>
#include <string>
#include <vector>

namespace xt {

// A communication that a rank takes part in. All ranks give the same values, except for their own data and, for Send and Recv, the peer.
struct RankExchange {
  Communication kind{};
  std::string text; // for messages: "`all_reduce %C`"
  Distributed source = {}, destination = {}; // the same array where the result replaces what is sent
  Box slice = {}; // Broadcast without root: the part of the source that becomes the destination
  std::string combine = "add"; // AllReduce, ReduceScatter: a kind of combineKinds()
  std::optional<int> axis = {}; // only among ranks that differ along this axis of the mesh
  // Broadcast: the root, a position along the axis. Send, Recv: the rank, or -1. Shift: how far.
  std::optional<int64_t> peer = {};
  const std::byte *from = nullptr; // the dense part of the source that this rank holds
  std::byte *into = nullptr; // the dense part of the destination that this rank holds; may be `from`
};

// The bytes of data that a rank has moved, without the descriptions of communications.
struct Traffic {
  int64_t communications = 0, messages = 0, sent = 0, received = 0;
};

class Communicator {
public:
  explicit Communicator(Transport &transport) : transport_(transport), mesh_(transport.count()) {}

  int rank() const { return transport_.rank(); }
  int count() const { return transport_.count(); }
  const Mesh &mesh() const { return mesh_; }
  // Whether this is inside of a sequence in which nothing has failed.
  bool isOpen() const { return open_; }
  // Whether the last sequence ended because another rank has stopped.
  bool otherHasStopped() const { return otherHasStopped_; }

  // Begins a sequence of communications. `name` must be the same on all ranks. Resets the traffic.
  Result<void> begin(const std::string &name, Mesh mesh);
  // Whether all ranks are here, outside of a sequence, with the same content. `where` is for messages: "the end of a test".
  bool agree(std::string_view where, std::string_view content);
  // `counted`: whether the bytes count as traffic.
  Result<void> run(const RankExchange &exchange, bool counted = true);
  // Ends the sequence: the other ranks have ended it too, and all messages have been received.
  Result<void> finish();
  // Tells the other ranks that this one stops; they get an error at their next communication. Does nothing after the end of the
  // sequence, and after an error, which all ranks have got. `isDiagnosed`: the error of the others is Error::Kind::Diagnosed too.
  void stop(const std::string &why, bool isDiagnosed = false);
  // Ends all communication, before this rank leaves the program.
  void leave();

  const Traffic &traffic() const { return traffic_; }

private:
  struct Description;
  struct Sent { // by `send`, until it is received
    int from = 0, to = 0;
    Distributed array; // what the rank holds, as an array that is not divided
    std::vector<std::byte> data; // on the rank that sent it
  };
  struct Outgoing {
    std::vector<Transport::Message> sends, receives;
  };

  Result<std::vector<Description>> describe(const Description &own);
  Result<void> compare(const std::vector<Description> &all);
  Error ended(std::string why);
  static std::string whyNotPossible(const RankExchange &exchange);
  Result<void> redistribute(const RankExchange &exchange, const Box &slice);
  Result<void> broadcastFromRoot(const RankExchange &exchange);
  Result<void> shift(const RankExchange &exchange);
  Result<void> allReduce(const RankExchange &exchange);
  Result<void> reduceScatter(const RankExchange &exchange);
  Result<void> send(const RankExchange &exchange, const std::vector<Description> &all);
  Result<void> receive(const RankExchange &exchange, const std::vector<Description> &all);
  Result<void> move(std::span<const Transport::Message> sends, std::span<const Transport::Message> receives);

  Transport &transport_;
  Mesh mesh_;
  Traffic traffic_;
  std::deque<Sent> sent_;
  bool open_ = false; // inside of a sequence in which nothing has failed
  bool otherHasStopped_ = false;
  bool broken_ = false; // no further communication is possible
  bool counted_ = true;
};

} // namespace xt
