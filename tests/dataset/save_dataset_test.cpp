// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "dataset/computed_frames.h"
#include "dataset/dataset_folder.h"
#include "dataset/test_files.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

using testing::ElementsAre;

constexpr image::Vector3 kLeft = {1, 0, 0};

/// Frames of 2 x 3 pixels whose colours encode their numbers; up is kLeft in the first one.
std::shared_ptr<ComputedFrames> numbered(std::size_t num_frames) {
  auto supply = std::make_shared<ComputedFrames>();
  supply->num_frames = num_frames;
  supply->frame_of = [](std::size_t i) {
    image::Frame frame;
    frame.color = Array2<image::Rgb>(2, 3, {static_cast<std::uint8_t>(i), 1, 2});
    frame.depth_mm = Array2<std::uint16_t>(2, 3, 1500);
    if (i == 0) frame.up = kLeft;
    return frame;
  };
  supply->labels_of = [](std::size_t i) {
    image::LabelImage labels(2, 3, static_cast<std::uint16_t>(i % 2));
    labels(0, 0) = image::kVoid;
    return labels;
  };
  supply->config.classes = {{"floor", {10, 20, 30}}, {"a \"wall\" \\", {40, 50, 60}}};
  return supply;
}

std::vector<std::uint32_t> all_of(const Dataset& data) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < data.size(); ++i) all.push_back(i);
  return all;
}

Dataset saved(const Dataset& data, const std::filesystem::path& folder) {
  ThreadPool pool(2);
  save_dataset(data, all_of(data), folder, pool);
  return Dataset::open(folder);
}

std::uint64_t content(const Dataset& data) {
  ThreadPool pool(2);
  return data.read_all(pool, data.find_classes(pool)).checksum;
}

TEST(SaveDataset, PixelsClassesAndGroupsComeBack) {
  const TestFolder folder;
  const auto supply = numbered(12);  // names are numbers; sorted as text, "10" would precede "2"
  supply->groups = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
  supply->config.camera = image::Camera{3, 2, 4, 5, 1, 0.5};
  const Dataset data = Dataset::from_memory(supply), back = saved(data, folder / "out");
  EXPECT_EQ(content(back), content(data));
  EXPECT_EQ(back.config().classes, data.config().classes);
  EXPECT_EQ(back.config().camera, data.config().camera);
  EXPECT_EQ(back.groups(), data.groups());
  EXPECT_EQ(back.read_frame(0).up, kLeft);
  EXPECT_EQ(back.read_frame(1).up, image::kImageUp);
}

TEST(SaveDataset, InstancesOfLabelledFramesComeBack) {
  const TestFolder folder;
  std::vector<LabelledFrame> frames(3, {{Array2<image::Rgb>(1, 2), depth_image(1, 2, {1000, 2000})},
                                        depth_image(1, 2, {0, image::kVoid}),
                                        depth_image(1, 2, {300, 0})});
  frames[1].instances = {};
  ThreadPool pool(1);
  const Dataset data = Dataset::from_memory(supply_of(frames, {{"ball", {255, 0, 0}}}));
  save_dataset(data, {0, 1}, folder / "out", pool);
  DatasetOptions options;
  options.needs_truth = false;
  const Dataset back = Dataset::open(folder / "out", options);
  EXPECT_EQ(back.read_instances(0), frames[0].instances);
  EXPECT_FALSE(back.has_instances(1));
  EXPECT_FALSE(back.has_instances(2)) << "the frame has no labels";
}

TEST(SaveDataset, AFrameMayBeUprightWhereOthersAreNot) {
  const TestFolder folder;
  const auto supply = numbered(2);
  supply->config.up = kLeft;
  const Dataset data = Dataset::from_memory(supply), back = saved(data, folder / "out");
  EXPECT_EQ(back.config().up, kLeft);
  EXPECT_EQ(back.read_frame(1).up, image::kImageUp);
  EXPECT_EQ(content(back), content(data));
}

TEST(SaveDataset, EachFrameKeepsItsCamera) {
  const TestFolder folder;
  const auto supply = numbered(2);
  supply->frame_of = [frame = supply->frame_of](std::size_t i) {
    image::Frame one = frame(i);
    one.camera = image::Camera{2, 1, 3.1f + static_cast<float>(i), 4, 1, 0};
    return one;
  };
  const Dataset data = Dataset::from_memory(supply), back = saved(data, folder / "out");
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(back.read_frame(i).camera, data.read_frame(i).camera);
}

TEST(SaveDataset, KeepsNamesThatAreFileNamesInOrder) {
  const TestFolder folder;
  const auto names_of = [&](const char* out, const std::vector<std::string>& names) {
    const auto supply = numbered(names.size());
    supply->names = names;
    const Dataset back = saved(Dataset::from_memory(supply), folder / out);
    std::vector<std::string> found;
    for (std::size_t i = 0; i < back.size(); ++i) found.push_back(back.files(i).name);
    return found;
  };
  EXPECT_THAT(names_of("a", {"bath", "hall", "sink-2"}), ElementsAre("bath", "hall", "sink-2"));
  EXPECT_THAT(names_of("b", {"sink", "../bath"}), ElementsAre("0000_sink", "0001"));
  EXPECT_THAT(names_of("c", {"same", "same"}), ElementsAre("0000_same", "0001_same"));
}

TEST(SaveDataset, RefusesAFolderInUseAndClassesThatCannotBeRead) {
  const TestFolder folder;
  const Dataset data = Dataset::from_memory(numbered(1));
  saved(data, folder / "out");
  testdata::expect_refused(ErrorKind::kUsage, [&] { saved(data, folder / "out"); });
  const auto black = numbered(1);
  black->config.classes[0].color = {};
  testdata::expect_refused(ErrorKind::kUsage, [&] { saved(Dataset::from_memory(black), folder / "black"); });
  write_file_atomically(folder / "file", NamedBy::kUser, [](std::ostream& file) { file << "a file"; });
  try {
    saved(data, folder / "file");
    FAIL() << "a file was taken for a folder";
  } catch (const FileError& error) {
    EXPECT_EQ(error.path(), folder / "file");
    EXPECT_NE(error.error_number(), 0);
    testdata::expect_sentence(error.what());
  }
}

TEST(SaveDataset, AnErrorLeavesNoFolderSoThatTheNextTryIsNotRefused) {
  const TestFolder folder;
  const auto supply = numbered(2), broken = std::make_shared<ComputedFrames>(*supply);
  broken->frame_of = [frame = supply->frame_of](std::size_t i) {
    FW_CHECK(i == 0, Data, "a frame that cannot be read");
    return frame(i);
  };
  std::filesystem::create_directory(folder / "there");
  for (const char* out : {"new", "there"}) {
    testdata::expect_refused(ErrorKind::kData, [&] { saved(Dataset::from_memory(broken), folder / out); });
    EXPECT_EQ(saved(Dataset::from_memory(supply), folder / out).size(), 2u);
  }
}

/// Random valid configurations round-trip through the writer and the reader.
TEST(ConfigText, WhateverIsWrittenIsReadBack) {
  static const std::vector<std::string> kParts = {"a",    "\"",      "\\",
                                                  "'",    "#",       "\n",
                                                  "\r",   "\t",      "\x1b",
                                                  "\x7f", "\x01",    "\b",
                                                  "ü",    "😀",       "\u0085",
                                                  "]]",   "= ",      "\xef\xbf\xbe",
                                                  " ",    "\\u0041", std::string(1, '\0')};
  constexpr std::array<float, 8> kFloats = {1, -0.0f, 1e-6f, 1e6f, 525.25f, 0.001f, 1.17549435e-38f, 0.1f};
  std::mt19937 random(7);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  const auto real = [&] { return kFloats[below(kFloats.size())]; };
  std::size_t num_read = 0;
  for (int i = 0; i < 500; ++i) {
    DatasetConfig config;
    for (std::size_t c = 0, count = below(4); c < count; ++c) {
      std::string name = std::to_string(c);
      for (std::size_t k = 0, length = below(50) == 0 ? 5000 : below(4); k < length; ++k)
        name += kParts[below(kParts.size())];
      if (printable(name) != name) continue;  // refused where names come from
      config.classes.push_back({name, {static_cast<std::uint8_t>(c + 1), static_cast<std::uint8_t>(below(256)), 0}});
    }
    const bool states_things = below(2) != 0;
    for (image::ClassInfo& info : config.classes)
      if (states_things) info.stated_thing = below(2) != 0;
    if (!config.classes.empty() && below(2)) config.background = config.classes[0].name;
    if (below(2)) config.camera = image::Camera{640, 480, real(), real(), real(), real()};
    if (config.camera && !image::problem_of(*config.camera).empty()) config.camera.reset();
    if (below(2)) config.up = {real(), real(), real()};
    if (!image::is_direction(config.up)) config.up = image::kImageUp;
    const std::string text = config_text(config);
    DatasetConfig read;
    ASSERT_NO_THROW(read = parse_dataset_config(text, "dataset.toml")) << text;
    EXPECT_EQ(read.classes, config.classes);
    EXPECT_EQ(read.background, config.background);
    EXPECT_EQ(read.camera, config.camera) << text;
    EXPECT_EQ(read.up, config.up) << text;
    ++num_read;
  }
  EXPECT_EQ(num_read, 500u);
}

}  // namespace
}  // namespace fernwood::dataset
