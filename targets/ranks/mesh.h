// The arrangement of ranks in a grid, and which part of an array each of them holds.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace xt {

// Ranks in a grid, numbered along its last axis first.
class Mesh {
public:
  // One axis of all ranks.
  explicit Mesh(int ranks) : extents_{ranks} {}
  // A grid with these extents, whose product is the number of ranks. Extents of 0 are chosen as equal as possible, the first one
  // largest. Otherwise the text says why there is no such grid.
  static std::optional<Mesh> make(std::span<const int64_t> extents, int ranks, std::string &why);

  int axes() const { return static_cast<int>(extents_.size()); }
  int extent(int axis) const { return extents_[static_cast<size_t>(axis)]; }
  int ranks() const;
  int position(int rank, int axis) const;
  // The rank that differs from `rank` by its position along one axis.
  int moved(int rank, int axis, int position) const;
  // The ranks that differ from `rank` along an axis only, by their positions; without an axis, all ranks.
  std::vector<int> group(int rank, std::optional<int> axis) const;

private:
  Mesh() = default;
  std::vector<int> extents_;
};

// One of the ranks of a test.
struct RankInMesh {
  Mesh mesh{1};
  int rank = 0;
};

// A part of an array: the first index and the extent in each dimension.
struct Box {
  std::vector<int64_t> begin, extent;
  int64_t elements() const;
  friend bool operator==(const Box &, const Box &) = default;
};
// What two boxes have in common; nullopt if that is nothing.
std::optional<Box> intersection(const Box &a, const Box &b);

// How an array is divided: for each axis of the mesh, the dimension that it divides, or -1. Axes at the end may be left out.
struct Sharding {
  std::vector<int> dims = {};
  bool any() const;
  // The axes of the mesh that divide the array.
  std::vector<int> axes() const;
};

// Why an array cannot be divided: an extent that is no multiple of the number of parts. Empty if it can.
std::string unevenShards(std::span<const int64_t> shape, const Sharding &sharding, const Mesh &mesh);
// The part that a rank holds. The array can be divided.
Box partOf(std::span<const int64_t> shape, const Sharding &sharding, const Mesh &mesh, int rank);

} // namespace xt
