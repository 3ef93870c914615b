// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/check.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "dataset/frame_files.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

namespace fs = std::filesystem;

DatasetReport check(const fs::path& folder, const DatasetOptions& options = {}, int num_threads = 2) {
  ThreadPool pool(num_threads);
  return check_dataset(folder, options, pool);
}
void expect_problems(const TestFolder& folder) {
  testdata::expect_sentence(messages_of(check(folder.path()).problems));
}

/// A frame of 20 x 20 pixels whose upper half is floor; enough pixels of each class to avoid the warning about rare
/// classes.
void add_good_frame(const TestFolder& folder, const std::string& name, std::uint16_t depth_mm = 2000) {
  std::vector<image::Rgb> truth(400, kProp);
  std::fill_n(truth.begin(), 200, kFloor);
  add_color(folder, name, 20, 20, {static_cast<std::uint8_t>(name.back()), 1, 2});
  add_depth(folder, name, 20, 20, depth_mm);
  add_truth(folder, name, truth, 20, 20);
}

TEST(CheckDataset, CountsWhatIsThereAndFindsNothingWrong) {
  const TestFolder folder;
  add_good_frame(folder, "a", 1000);
  add_good_frame(folder, "b", 3000);
  add_good_frame(folder, "c", 4000);
  std::vector<image::Rgb> truth(400, kProp);
  truth[0] = kBlack;
  add_truth(folder, "c", truth, 20, 20);
  const DatasetReport report = check(folder.path());
  EXPECT_THAT(report.problems, testing::IsEmpty());
  EXPECT_EQ(report.frames.size(), 3u);
  EXPECT_TRUE(report.has_color && report.has_depth && report.has_truth);
  EXPECT_EQ(report.sizes, (std::vector<DatasetReport::SizeCount>{{20, 20, 3}}));
  ASSERT_EQ(report.classes.size(), 2u);
  EXPECT_EQ(report.classes[0].info, (image::ClassInfo{"floor", kFloor}));
  EXPECT_EQ(report.classes[0].num_pixels, 400u);
  EXPECT_EQ(report.classes[0].num_frames, 2u);
  EXPECT_EQ(report.classes[1].num_pixels, 799u);  // 200 + 200 + 399
  EXPECT_EQ(report.classes[1].num_frames, 3u);
  EXPECT_EQ(report.void_pixels, 1u);
  EXPECT_EQ(report.truth_pixels(), 1200u);
  EXPECT_EQ(report.depth.min_m, 1.0);
  EXPECT_EQ(report.depth.median_m, 3.0);
  EXPECT_EQ(report.depth.max_m, 4.0);
}

TEST(CheckDataset, SizesComeMostFrequentFirst) {
  const TestFolder folder;
  for (const char* name : {"a", "b"}) add_good_frame(folder, name);
  add_color(folder, "0", 1, 2);
  add_depth(folder, "0", 1, 2);
  add_truth(folder, "0", {kFloor, kProp}, 1, 2);
  EXPECT_EQ(check(folder.path()).sizes, (std::vector<DatasetReport::SizeCount>{{20, 20, 2}, {2, 1, 1}}));
}

TEST(CheckDataset, FindsEveryProblemAtOnce) {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"})
    add_good_frame(folder, name, static_cast<std::uint16_t>(2000 + name[0]));
  fs::remove(folder / "a_depth.png");
  fs::resize_file(folder / "b_colors.png", 40);
  add_depth(folder, "c", 5, 4);
  folder.write("d_depth.png", PngFile(1, 1, 8, PngFile::kGrey).pixels({{9}}).finish());
  folder.write("e_ground_truth.png", PngFile(1, 1, 8, PngFile::kGrey).pixels({{9}}).finish());
  add_depth(folder, "f", 20, 20, 0);
  fs::copy_file(folder / "g_colors.png", folder / "h_colors.png", fs::copy_options::overwrite_existing);
  fs::remove(folder / "h_ground_truth.png");
  const std::vector<DatasetProblem> problems = check(folder.path()).problems;
  testdata::expect_sentence(messages_of(problems));
  EXPECT_EQ(problems.size(), 8u);
  EXPECT_EQ(check(folder.path()).num_errors(), 6u);
  EXPECT_EQ(problems.back().severity, Severity::kWarning);  // errors come first
}

TEST(CheckDataset, AllOfItDoesNotDependOnTheNumberOfThreads) {
  const TestFolder folder;
  for (char name = 'a'; name < 'q'; ++name) add_good_frame(folder, std::string(1, name));
  for (const char* name : {"c", "k", "d"}) fs::resize_file(folder / (std::string(name) + "_depth.png"), 50);
  add_truth(folder, "m", std::vector<image::Rgb>(400, kRed), 20, 20);
  add_truth(folder, "e", std::vector<image::Rgb>(400, kRed), 20, 20);
  folder.write("dataset.toml", std::string("classes = [{name = \"f\", color = [7, 54, 66]}]"));
  const DatasetReport one = check(folder.path(), {}, 1), many = check(folder.path(), {}, 5);
  EXPECT_EQ(one.problems, many.problems);
  EXPECT_EQ(one.checksums, many.checksums);
  ASSERT_EQ(many.unknown_colors.size(), 2u);
  EXPECT_EQ(many.unknown_colors[1].first_file, folder / "e_ground_truth.png");
}

TEST(CheckDataset, CountsUnknownColorsAndNamesTheRemedy) {
  const TestFolder folder;
  for (const char* name : {"a", "b"}) add_good_frame(folder, name);
  folder.write("dataset.toml", std::string("classes = [{name = \"floor\", color = [7, 54, 66]}]"));
  const DatasetReport report = check(folder.path());
  ASSERT_EQ(report.unknown_colors.size(), 1u);
  EXPECT_EQ(report.unknown_colors[0].color, kProp);
  EXPECT_EQ(report.unknown_colors[0].num_pixels, 400u);
  EXPECT_EQ(report.unknown_colors[0].num_frames, 2u);
  EXPECT_EQ(report.unknown_pixels, 400u);
  testdata::expect_sentence(messages_of(report.problems));
  DatasetOptions options;
  options.ignored_colors = {kProp};
  EXPECT_THAT(check(folder.path(), options).problems, testing::IsEmpty());
  EXPECT_EQ(check(folder.path(), options).void_pixels, 400u);
}

TEST(CheckDataset, WarnsOfClassesWithNoOrFewPixels) {
  const TestFolder folder;
  add_good_frame(folder, "a");
  std::vector<image::Rgb> truth(400, kFloor);
  truth[7] = kRed;
  add_truth(folder, "a", truth, 20, 20);
  expect_problems(folder);
  folder.write("dataset.toml", std::string("ignored_colors = [[255, 0, 0]]\nclasses = [{name = \"floor\", color = "
                                           "[7, 54, 66]}, {name = \"sky\", color = [1, 2, 3]}]"));
  expect_problems(folder);
}

TEST(CheckDataset, MeasuresMissingDepth) {
  const TestFolder folder;
  for (const char* name : {"a", "b"}) add_good_frame(folder, name);
  std::vector<std::uint16_t> depth(400, 2000);
  std::fill_n(depth.begin(), 100, 0);
  write_png16(folder / "b_depth.png", depth_image(20, 20, depth));
  const DatasetReport::Depth found = check(folder.path()).depth;
  EXPECT_EQ(found.worst_missing_share, 0.25);
  EXPECT_EQ(found.missing_share, 0.125);
  EXPECT_EQ(found.worst_frame, "b");
}

TEST(CheckDataset, UnlabelledFramesAreAWarningOnly) {
  const TestFolder folder;
  add_color(folder, "a");
  expect_problems(folder);
  DatasetOptions options;
  options.needs_truth = false;
  EXPECT_THAT(check(folder.path(), options).problems, testing::IsEmpty());
}

TEST(CheckDataset, GoesOnAfterABadTomlOrBackground) {
  const TestFolder folder;
  add_good_frame(folder, "a");
  folder.write("dataset.toml", std::string("depth_scal = 3"));
  expect_problems(folder);
  folder.write("dataset.toml", std::string("background = \"sky\""));
  const DatasetReport report = check(folder.path());
  testdata::expect_sentence(messages_of(report.problems));
  EXPECT_EQ(report.classes.size(), 2u);
}

TEST(CheckDataset, FindsFilesThatSayNoDirection) {
  const TestFolder folder;
  add_frame(folder, "a");
  folder.write("a_up.txt", std::string("0 0 0"));
  expect_problems(folder);
}

TEST(CheckDataset, FindsInstancesThatDoNotFit) {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c"}) add_frame(folder, name);
  write_png16(folder / "a_instances.png", Array2<std::uint16_t>(2, 3, 7));
  write_png16(folder / "b_instances.png", Array2<std::uint16_t>(3, 2, 7));
  write_png(folder / "c_instances.png", Array2<image::Rgb>(2, 3));
  const DatasetReport report = check(folder.path());
  EXPECT_TRUE(report.has_instances);
  EXPECT_EQ(report.num_errors(), 2u);
  testdata::expect_sentence(messages_of(report.problems));
}

TEST(CheckDataset, FindsMapsThatDoNotFit) {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c", "d"}) add_frame(folder, name);
  write_maps(folder / "a_maps.npy", {2, 1, 1, {1, 2}});
  write_maps(folder / "b_maps.npy", {3, 1, 1, {1, 2, 3}});
  write_maps(folder / "c_maps.npy", {2, 900, 1, std::vector<float>(1800)});
  folder.write("d_maps.npy", std::string("no array"));
  const DatasetReport report = check(folder.path());
  EXPECT_TRUE(report.has_maps);
  testdata::expect_sentence(messages_of(report.problems));
}

TEST(CheckDataset, TellsProgressAndStopsWhenAskedTo) {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c"}) add_good_frame(folder, name);
  ThreadPool pool(2);
  std::vector<std::size_t> done;
  check_dataset(folder.path(), {}, pool, [&](std::size_t num_done, std::size_t total) {
    EXPECT_EQ(total, 3u);
    done.push_back(num_done);
  });
  EXPECT_EQ(done, (std::vector<std::size_t>{1, 2, 3}));
  const auto stop = [](std::size_t, std::size_t) { throw Error(ErrorKind::kInterrupted, "stopped"); };
  testdata::expect_refused(ErrorKind::kInterrupted, [&] { check_dataset(folder.path(), {}, pool, stop); });
}

}  // namespace
}  // namespace fernwood::dataset
