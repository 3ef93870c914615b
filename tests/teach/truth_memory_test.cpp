// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Memory of a session for strokes: a project may have thousands of frames.

#include <gtest/gtest.h>
#include <malloc.h>

#include "core/sanitizers.h"
#include "dataset/test_files.h"
#include "fernwood/teach/teaching.h"
#include "teach/painting.h"

#if !defined(FERNWOOD_ADDRESS_SANITIZER) && !defined(FERNWOOD_THREAD_SANITIZER)

namespace fernwood::teach {
namespace {

constexpr std::size_t kTruthRows = 480, kTruthCols = 640;
/// Numbers of frames, both larger than the number that a project keeps painted (kMaxShown, 32).
constexpr std::size_t kFewFrames = 40, kManyFrames = 120;

std::size_t allocated_bytes() {
  const struct mallinfo2 now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

/// A line back and forth.
Stroke drawn_line(std::size_t seed, std::uint16_t class_id) {
  const auto at = [](std::size_t steps, std::size_t most) { return static_cast<std::int32_t>(steps % (8 * most)); };
  Stroke line = {.class_id = class_id, .radius = 80};
  for (std::size_t i = 20 * seed; i < 20 * seed + 20; ++i)
    line.points.push_back({at(1999 * i, kTruthCols), at(811 * i, kTruthRows)});
  return line;
}

/// Bytes allocated by a session with this many frames, each with a stroke. With a single class there is no training,
/// which would allocate its own memory.
std::size_t bytes_of_session(const std::filesystem::path& folder, std::size_t num_frames) {
  Project project(folder);
  const std::uint16_t floor = project.add_class("floor", {1, 2, 3});
  image::Frame frame;
  frame.color = Array2<image::Rgb>(kTruthRows, kTruthCols, image::Rgb{9, 9, 9});
  for (std::size_t f = 0; f < num_frames; ++f) {
    project.add_frame("f" + std::to_string(f), frame);
    project.add_stroke(f, drawn_line(f, floor));
  }
  const std::size_t before = allocated_bytes();
  LearnerOptions learning;
  learning.resources.device = learning.predict.device = "cpu";
  learning.predict.threads = 1;
  const Teaching session(project, learning, {});
  return allocated_bytes() - before;
}

TEST(TruthMemory, OfAFrameIsThatOfItsRuns) {
  const dataset::TestFolder folder;
  bytes_of_session(folder / "first", 1);  // allocations made only once
  const std::size_t few = bytes_of_session(folder / "few", kFewFrames);
  const std::size_t many = bytes_of_session(folder / "many", kManyFrames);
  const double of_a_frame = (static_cast<double>(many) - static_cast<double>(few)) / (kManyFrames - kFewFrames);
  EXPECT_LT(of_a_frame, 60e3) << "an image takes " << 2 * kTruthRows * kTruthCols;
  EXPECT_GT(of_a_frame, 1e3) << "it is measured";
}

}  // namespace
}  // namespace fernwood::teach

#endif
