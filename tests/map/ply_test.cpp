// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "dataset/test_files.h"
#include "fernwood/core/file.h"
#include "map/mapped_room.h"
#include "sentences.h"

namespace fernwood::map {
namespace {

struct PlyFile {
  explicit PlyFile(const std::filesystem::path& path) : text(read_text(path)) { body = text.find("end_header\n") + 11; }
  template <typename Value>
  Value take() {
    Value value;
    std::memcpy(&value, text.data() + body, sizeof(value));
    body += sizeof(value);
    return value;
  }
  std::string text;
  std::size_t body;
};

TEST(Ply, APointsNumbersAreThere) {
  const dataset::TestFolder folder;
  const std::vector<MapPoint> points = {{{1, 2, 3}, {0, 0, -1}, {10, 20, 30}, 1, 0.75f}};
  Array2<float> probabilities(1, 2, 0.25f);
  write_ply(folder / "p.ply", points, named({"wall", "a b"}), probabilities);
  PlyFile ply(folder / "p.ply");
  testdata::expect_sentence(ply.text.substr(0, ply.body));
  for (const float expected : {1.0f, 2.0f, 3.0f, 0.0f, 0.0f, -1.0f}) EXPECT_EQ(ply.take<float>(), expected);
  for (const int expected : {10, 20, 30, 1}) EXPECT_EQ(ply.take<std::uint8_t>(), expected);
  EXPECT_EQ(ply.take<float>(), 0.75f);
  EXPECT_EQ(ply.take<float>(), 0.25f);
  EXPECT_EQ(ply.take<float>(), 0.25f);
  EXPECT_EQ(ply.body, ply.text.size());
}

TEST(Ply, ObjectsOfPointsStandBehindTheirProbability) {
  const dataset::TestFolder folder;
  std::vector<MapPoint> points(2);
  points[1].probability = 0.5f;
  points[1].object = 70000;
  write_ply(folder / "p.ply", points, named({"cup"}), Array2<float>(2, 1, 0.25f));
  PlyFile ply(folder / "p.ply");
  EXPECT_NE(ply.text.find("property float probability\nproperty uint object\nproperty float p_cup\n"),
            std::string::npos);
  ply.body += 32;
  EXPECT_EQ(ply.take<std::uint32_t>(), 0u);
  ply.body += 4 + 28;
  EXPECT_EQ(ply.take<float>(), 0.5f);
  EXPECT_EQ(ply.take<std::uint32_t>(), 70000u);
}

TEST(Ply, ManyClassesTakeTwoBytesAndVoidIsTheOneBehindThem) {
  const dataset::TestFolder folder;
  MapPoint point;
  point.label = image::kVoid;
  write_ply(folder / "p.ply", {point}, named(std::vector<std::string>(300, "same")));
  PlyFile ply(folder / "p.ply");
  EXPECT_NE(ply.text.find("property ushort class\n"), std::string::npos);
  ply.body += 27;
  EXPECT_EQ(ply.take<std::uint16_t>(), 300);
}

TEST(Ply, NamesOfPropertiesDiffer) {
  const dataset::TestFolder folder;
  write_ply(folder / "p.ply", {MapPoint{}}, named({"a b", "a_b", "t\xc3\xbcr"}), Array2<float>(1, 3));
  const PlyFile ply(folder / "p.ply");
  testdata::expect_sentence(ply.text.substr(0, ply.body));
}

TEST(Ply, AMeshIsASurfaceThatLooksTowardsTheCameras) {
  VoxelMap map({.min_weight = 1}, wall_classes());
  ThreadPool pool(2);
  for (int i = 0; i < 6; ++i) {
    const image::RigidMotion pose = room_pose(0.03f * static_cast<float>(i), 0, 0.5f);
    image::Frame frame = room_frame(pose);
    for (std::size_t p = 0; p < frame.depth_mm.size(); ++p)  // only the end wall has depth
      if (!(frame.color.data()[p] == wall_classes().classes[2].color)) frame.depth_mm.data()[p] = 0;
    map.integrate({frame, pose, wall_probabilities(frame)}, pool);
  }
  const MapMesh mesh = map.mesh();
  ASSERT_GT(mesh.triangles.size(), 1000u);
  float area = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const image::Vector3 &p = mesh.vertices[a].place, &q = mesh.vertices[b].place, &r = mesh.vertices[c].place;
    const float twice = (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    EXPECT_LE(twice, 0.0f);  // its front faces the cameras, which are towards -z
    area -= twice / 2;
  }
  for (const MapPoint& vertex : mesh.vertices) {
    EXPECT_NEAR(vertex.place.z, 2.21f, 0.002f);
    EXPECT_EQ(vertex.label, 2);
  }
  // The wall is 1.72 m wide and 1.12 m high; a margin of 2 cm has no normals.
  EXPECT_NEAR(area, 1.68f * 1.08f, 0.06f);
  EXPECT_NEAR(class_areas_m2(mesh, 3)[2], area, 0.01);

  const dataset::TestFolder folder;
  write_ply(folder / "m.ply", mesh, map.classes());
  PlyFile ply(folder / "m.ply");
  EXPECT_EQ(ply.text.size() - ply.body, mesh.vertices.size() * 32 + mesh.triangles.size() * 13);
}

TEST(Ply, AnUnwritablePlaceIsSaid) {
  EXPECT_THROW(write_ply("/nowhere/p.ply", std::vector<MapPoint>(), named({"a"})), Error);
}

}  // namespace
}  // namespace fernwood::map
