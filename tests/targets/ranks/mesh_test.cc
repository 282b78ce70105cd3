// Tests meshes of ranks, and which part of an array each rank holds.
#include "targets/ranks/mesh.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

std::vector<int> extentsOf(std::vector<int64_t> wanted, int ranks) {
  std::string why;
  std::optional<Mesh> mesh = Mesh::make(wanted, ranks, why);
  std::vector<int> extents;
  for (int axis = 0; mesh && axis < mesh->axes(); ++axis) extents.push_back(mesh->extent(axis));
  return extents;
}
std::string whyNot(std::vector<int64_t> wanted, int ranks) {
  std::string why;
  EXPECT_FALSE(Mesh::make(wanted, ranks, why));
  return why;
}

TEST(Mesh, takesWhatIsLeft) {
  EXPECT_EQ(extentsOf({2, 0}, 6), (std::vector{2, 3}));
  EXPECT_EQ(extentsOf({0, 0}, 6), (std::vector{3, 2}));
  EXPECT_EQ(extentsOf({0, 0}, 7), (std::vector{7, 1}));
  EXPECT_EQ(extentsOf({0, 0, 0}, 8), (std::vector{2, 2, 2}));
  EXPECT_EQ(extentsOf({0, 0, 0}, 12), (std::vector{3, 2, 2}));
  EXPECT_EQ(extentsOf({0, 0}, 1), (std::vector{1, 1}));
  EXPECT_EQ(extentsOf({4}, 4), (std::vector{4}));
}

TEST(Mesh, saysWhyItDoesNotFit) {
  EXPECT_EQ(whyNot({2, 2}, 3), "a mesh of 2 x 2 does not have 3 ranks");
  EXPECT_EQ(whyNot({2, 0}, 3), "a mesh of 2 x 0 does not divide 3 ranks");
  EXPECT_EQ(whyNot({-1}, 3), "an extent of a mesh must not be negative: -1");
  EXPECT_EQ(whyNot({INT64_MAX, 4}, 1), "a mesh of 9223372036854775807 x 4 does not have 1 rank");
}

TEST(Mesh, numbersTheLastAxisFirst) {
  std::string why;
  Mesh mesh = *Mesh::make(std::vector<int64_t>{2, 3}, 6, why);
  for (int rank = 0; rank < 6; ++rank) {
    EXPECT_EQ(mesh.position(rank, 0), rank / 3);
    EXPECT_EQ(mesh.position(rank, 1), rank % 3);
  }
  EXPECT_EQ(mesh.moved(1, 0, 1), 4);
  EXPECT_EQ(mesh.moved(5, 1, 0), 3);
  EXPECT_EQ(mesh.group(4, 0), (std::vector{1, 4}));
  EXPECT_EQ(mesh.group(4, 1), (std::vector{3, 4, 5}));
  EXPECT_EQ(mesh.group(4, std::nullopt), (std::vector{0, 1, 2, 3, 4, 5}));
}

TEST(Mesh, dividesArrays) {
  std::string why;
  Mesh mesh = *Mesh::make(std::vector<int64_t>{2, 3}, 6, why);
  std::vector<int64_t> shape = {12, 8, 5};
  EXPECT_EQ(partOf(shape, {{1, 0}}, mesh, 4), (Box{{4, 4, 0}, {4, 4, 5}}));
  EXPECT_EQ(partOf(shape, {{-1, 0}}, mesh, 4), (Box{{4, 0, 0}, {4, 8, 5}}));
  EXPECT_EQ(partOf(shape, {}, mesh, 4), (Box{{0, 0, 0}, {12, 8, 5}}));
  EXPECT_EQ(unevenShards(shape, {{1, 0}}, mesh), "");
  EXPECT_EQ(unevenShards(shape, {{2}}, mesh),
            "the extent 5 of dimension 2 is no multiple of the 2 parts that axis 0 of the mesh "
            "divides it into; the nearest are 4 and 6");
}

TEST(Box, intersects) {
  EXPECT_EQ(intersection({{0, 0}, {4, 4}}, {{2, 3}, {4, 4}}), (Box{{2, 3}, {2, 1}}));
  EXPECT_EQ(intersection({{0, 0}, {4, 4}}, {{4, 0}, {4, 4}}), std::nullopt);
}

} // namespace
} // namespace xt
