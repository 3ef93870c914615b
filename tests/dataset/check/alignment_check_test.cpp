// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/check/alignment_check.h"

#include <gmock/gmock.h>

#include "dataset/frame_files.h"
#include "fernwood/dataset/check.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

namespace fs = std::filesystem;

struct Scene {
  Array2<image::Rgb> color;
  Array2<std::uint16_t> depth_mm;
};

/// Boxes in front of a wall at 4 m, each with its own colour and depth.
/// @param right, down    Shift of the depth image in pixels.
/// @param size_percent  Size of the objects in the depth image, in percent of that in the colour image.
Scene boxes(std::uint32_t seed, int right = 0, int down = 0, int size_percent = 100, int rows = 120, int cols = 160) {
  const auto next = [&](int count) {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<int>((seed >> 8) % static_cast<std::uint32_t>(count));
  };
  const auto height = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(cols);
  Scene scene{{height, width, image::Rgb{90, 90, 90}}, {height, width, 4000}};
  const auto paint = [&](auto& image, int x, int y, int w, int h, auto value) {
    for (int row = std::max(0, y); row < std::min(rows, y + h); ++row)
      for (int col = std::max(0, x); col < std::min(cols, x + w); ++col)
        image(static_cast<std::size_t>(row), static_cast<std::size_t>(col)) = value;
  };
  for (int box = 0; box < 12; ++box) {
    const int x = next(cols), y = next(rows), w = 12 + next(cols / 3), h = 12 + next(rows / 3);
    const auto part = [&] { return static_cast<std::uint8_t>(next(256)); };
    paint(scene.color, x, y, w, h, image::Rgb{part(), part(), part()});
    const auto scaled = [&](int length) { return length * size_percent / 100; };
    paint(scene.depth_mm, scaled(x - cols / 2) + cols / 2 + right, scaled(y - rows / 2) + rows / 2 + down, scaled(w),
          scaled(h), static_cast<std::uint16_t>(3500 - 200 * box));
  }
  return scene;
}

template <typename MakeScene>
std::optional<Misalignment> misalignment_of(std::uint32_t num_frames, const MakeScene& make) {
  std::vector<EdgeAgreement> frames;
  for (std::uint32_t i = 0; i < num_frames; ++i) {
    const Scene scene = make(i);
    frames.push_back(edge_agreement(scene.color, scene.depth_mm));
  }
  return find_misalignment(frames);
}

TEST(AlignmentCheck, FindsWhereDepthWasMoved) {
  for (const auto& [right, down] : {std::pair{-10, 0}, {7, 0}, {0, 5}, {0, -12}, {-6, 3}, {2, 1}}) {
    const auto found =
        misalignment_of(6, [right = right, down = down](std::uint32_t i) { return boxes(i, right, down); });
    ASSERT_TRUE(found) << right << ", " << down;
    EXPECT_NEAR(found->right_px, right, 0.5);
    EXPECT_NEAR(found->down_px, down, 0.5);
    EXPECT_EQ(found->magnification, 1);
    EXPECT_EQ(found->num_frames, 6u);
  }
}

TEST(AlignmentCheck, ShiftsAreInPixelsOfAnySize) {
  const auto found = misalignment_of(6, [](std::uint32_t i) { return boxes(i, -10, 16, 100, 480, 640); });
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->right_px, -10, 1);
  EXPECT_NEAR(found->down_px, 16, 1);
}

TEST(AlignmentCheck, FindsDepthThatShowsThingsLarger) {
  const auto found = misalignment_of(8, [](std::uint32_t i) { return boxes(i, 6, 0, 112); });
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->magnification, 1.12, 0.021);  // the check's step is 2 %
  EXPECT_NEAR(found->right_px, 6, 1.5);            // colour pixels
  EXPECT_NEAR(found->down_px, 0, 1);
}

TEST(AlignmentCheck, SoundDepthIsPassedOver) {
  EXPECT_FALSE(misalignment_of(6, [](std::uint32_t i) { return boxes(i); }));
  EXPECT_FALSE(misalignment_of(6, [](std::uint32_t i) { return boxes(i, 1, -1); })) << "labels are not more exact";
  EXPECT_FALSE(misalignment_of(6, [](std::uint32_t) { return boxes(3); })) << "a camera that stands still";
}

TEST(AlignmentCheck, WithoutEvidenceNothingIsSaid) {
  EXPECT_FALSE(misalignment_of(4, [](std::uint32_t i) { return boxes(i, 10, 0); })) << "too few frames";
  EXPECT_FALSE(misalignment_of(0, [](std::uint32_t i) { return boxes(i); }));
  const auto changed = [](const auto& change) {
    return misalignment_of(6, [&](std::uint32_t i) {
      Scene scene = boxes(i, 10, 0);
      change(i, &scene);
      return scene;
    });
  };
  EXPECT_FALSE(changed([](auto, Scene* s) { std::ranges::fill(s->depth_mm, std::uint16_t{0}); })) << "no depth";
  EXPECT_FALSE(changed([](auto, Scene* s) { std::ranges::fill(s->depth_mm, std::uint16_t{2000}); })) << "flat depth";
  EXPECT_FALSE(changed([](auto, Scene* s) { std::ranges::fill(s->color, image::Rgb{9, 9, 9}); })) << "flat colour";
  EXPECT_FALSE(changed([](auto i, Scene* s) { s->depth_mm = boxes(i + 100).depth_mm; })) << "depth of other images";
  EXPECT_FALSE(misalignment_of(6, [](std::uint32_t i) { return boxes(i, 2, 0, 100, 30, 40); })) << "too small";
}

TEST(AlignmentCheck, SaysWhichWayAndHowFar) {
  for (const Misalignment& found :
       {Misalignment{-10.2, 0.3, 1, 24}, {4.6, -0.9, 1, 5}, {0, 3.2, 1, 5}, {8, 0, 1.104, 24}, {0, 0, 0.9, 24}})
    testdata::expect_sentence(to_string(found));
}

void write_scenes(const TestFolder& folder, int right) {
  for (std::uint32_t i = 0; i < 6; ++i) {
    const Scene scene = boxes(i, right);
    write_png(folder / ("f" + std::to_string(i) + "_colors.png"), scene.color);
    write_png16(folder / ("f" + std::to_string(i) + "_depth.png"), scene.depth_mm);
  }
}

std::string problems_of(const fs::path& folder) {
  DatasetOptions options;
  options.needs_truth = false;
  ThreadPool pool(2);
  return messages_of(check_dataset(folder, options, pool).problems);
}

TEST(AlignmentCheck, ACheckNamesTheRemedy) {
  const TestFolder folder;
  write_scenes(folder, 0);
  EXPECT_THAT(problems_of(folder.path()), testing::IsEmpty());
  write_scenes(folder, -10);
  testdata::expect_sentence(problems_of(folder.path()));
  folder.write("dataset.toml",
               std::string("camera = {width = 160, height = 120, fx = 131, fy = 131, cx = 80, cy = 60}\n"
                           "depth_camera = {width = 160, height = 120, fx = 131, fy = 131, cx = 80, cy = 60}\n"
                           "depth_to_color = {rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1], translation = [0, 0, 0]}\n"));
  testdata::expect_sentence(problems_of(folder.path()));
}

}  // namespace
}  // namespace fernwood::dataset
