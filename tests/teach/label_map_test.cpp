// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/label_map.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "dataset/test_files.h"
#include "image/registration.h"
#include "map/voxel_formulas.h"
#include "report/map_points.h"
#include "teach/mapped_sequence.h"

namespace fernwood::teach {
namespace {

using generate::SyntheticFrame;

/// A project with two classes, one of them drawn on a frame.
struct DrawnRoom {
  explicit DrawnRoom(const std::filesystem::path& folder) : project(folder) {
    for (const SyntheticFrame& one : frames) project.add_frame(std::to_string(project.num_frames()), one.frame);
    project.add_class("other", {1, 1, 1});
    project.add_class("drawn", {2, 2, 2});
    project.add_stroke(kDrawnOn, rectangle(1, kLeft, kTop, kRight, kBottom));
  }
  MappedLabels map(int num_threads) const {
    LabelMap labels(infos);
    ThreadPool pool(num_threads);
    for (std::size_t i = 0; i < frames.size(); ++i)
      labels.add(frames[i].frame, frames[i].pose, i == kDrawnOn ? project.labels(i) : image::LabelImage(), pool);
    return labels.mapped();
  }

  static constexpr std::size_t kDrawnOn = 2;
  static constexpr int kLeft = 50, kTop = 60, kRight = 110, kBottom = 100;
  const std::vector<SyntheticFrame> frames = mapped_sequence(6);
  const std::vector<image::ClassInfo> infos = {{"other", {1, 1, 1}}, {"drawn", {2, 2, 2}}};
  Project project;
};

/// Whether a map integrates the pixel: pixels at depth edges, which mix two surfaces, are excluded.
bool is_taken(const Array2<std::uint16_t>& depth_mm, std::size_t row, std::size_t col) {
  constexpr std::size_t kStep = map::kEdgeStep;
  const std::int32_t depth = depth_mm(row, col);
  const auto is_edge = [&](std::size_t other_row, std::size_t other_col) {
    return map::is_edge(depth, depth_mm(other_row, other_col));
  };
  return depth > 0 && !is_edge(row - kStep, col) && !is_edge(row + kStep, col) && !is_edge(row, col - kStep) &&
         !is_edge(row, col + kStep);
}

std::array<int, 3> voxel_of(const image::Vector3& place, double voxel_m) {
  const auto along = [&](float coordinate) { return static_cast<int>(std::floor(coordinate / voxel_m)); };
  return {along(place.x), along(place.y), along(place.z)};
}

TEST(LabelMap, AStrokeOnOneFrameLabelsThePlacesThatItCoversAndNoOthers) {
  const dataset::TestFolder folder;
  const DrawnRoom room(folder / "p");
  const MappedLabels mapped = room.map(1);
  const SyntheticFrame& seen = room.frames[DrawnRoom::kDrawnOn];
  const image::LabelImage drawn = room.project.labels(DrawnRoom::kDrawnOn);
  const image::DepthView view = depth_view(seen.frame);
  std::set<std::array<int, 3>> covered;
  for (std::size_t row = 0; row < drawn.rows(); ++row)
    for (std::size_t col = 0; col < drawn.cols(); ++col)
      if (drawn(row, col) == 1 && is_taken(view.depth_mm, row, col))
        covered.insert(voxel_of(seen.pose(view.place(row, col)), mapped.voxel_m));
  std::size_t num_right = 0, num_missing = 0, num_wrong = 0;
  for (const map::MapPoint& point : mapped.points) {
    const bool is_covered = covered.contains(voxel_of(point.place, mapped.voxel_m));
    num_right += is_covered && point.label == 1;
    num_missing += is_covered && point.label == image::kVoid;
    num_wrong += point.label != image::kVoid && (point.label != 1 || !is_covered);
  }
  EXPECT_GT(num_right, 300u);
  EXPECT_LT(100 * num_missing, num_right) << "five other frames see these places, and do not vote";
  EXPECT_LT(100 * num_wrong, num_right) << "but for those between two voxels";
  EXPECT_GT(mapped.points.size(), 5 * num_right);
  EXPECT_EQ(mapped.num_labelled, num_right + num_wrong);
  EXPECT_EQ(mapped.num_points, (std::vector<std::size_t>{0, num_right + num_wrong}));
  EXPECT_EQ(mapped.refused_share, 0);
  EXPECT_GT(mapped.up.z, 2 * std::abs(mapped.up.x)) << "as generated rooms are";
  EXPECT_GT(mapped.up.z, std::abs(mapped.up.y));
}

TEST(LabelMap, ThreadsChangeNoByte) {
  const dataset::TestFolder folder;
  const DrawnRoom room(folder / "p");
  const auto bytes = [&](int num_threads) {
    const MappedLabels mapped = room.map(num_threads);
    return report::pack_points(mapped.points, mapped.voxel_m, mapped.up, mapped.points.size()).records;
  };
  const auto first = bytes(1);
  EXPECT_GT(first.size(), 16u * 1000);
  for (const int num_threads : {2, 5}) EXPECT_EQ(bytes(num_threads), first) << num_threads;
}

TEST(LabelMap, WithoutClassesAndColoursARoomIsGreyAndNotLabelled) {
  SyntheticFrame seen = mapped_sequence(1)[0];
  seen.frame.color = {};
  LabelMap labels({});
  ThreadPool pool(1);
  labels.add(seen.frame, seen.pose, {}, pool);
  const MappedLabels mapped = labels.mapped();
  EXPECT_EQ(mapped.num_labelled, 0u);
  EXPECT_TRUE(mapped.num_points.empty());
  ASSERT_GT(mapped.points.size(), 1000u);
  for (const map::MapPoint& point : mapped.points) {
    EXPECT_EQ(point.label, image::kVoid);
    EXPECT_EQ(point.color, (image::Rgb{160, 160, 160}));
  }
}

TEST(LabelMap, TheMemoryBudgetBoundsItAndWhatHasNoRoomIsTold) {
  const std::vector<SyntheticFrame> frames = mapped_sequence(2);
  map::MapOptions options = LabelMap::default_options();
  options.memory_budget_bytes = std::size_t{1} << 20;
  LabelMap labels({{"one", {1, 1, 1}}}, options);
  ThreadPool pool(2);
  for (const SyntheticFrame& one : frames)
    labels.add(one.frame, one.pose, image::LabelImage(one.frame.rows(), one.frame.cols(), 0), pool);
  const MappedLabels mapped = labels.mapped();
  EXPECT_GT(mapped.refused_share, 0.1);
  EXPECT_LT(mapped.refused_share, 1);
  EXPECT_EQ(mapped.num_labelled, mapped.points.size());
  EXPECT_GT(mapped.num_labelled, 0u);
}

}  // namespace
}  // namespace fernwood::teach
