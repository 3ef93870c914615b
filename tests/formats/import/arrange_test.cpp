// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/formats/import.h"

#include <gmock/gmock.h>

#include <set>

#include "dataset/frame_files.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/frame_poses.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

/// Frames of up to two classes: all have floor, one in three also has a prop.
Dataset rooms(const TestFolder& folder, int count, const std::string& groups = "") {
  for (int i = 0; i < count; ++i)
    add_frame(folder, "f" + std::to_string(10 + i),
              {kFloor, kFloor, i % 3 == 0 ? kProp : kFloor, kBlack, kFloor, kFloor});
  if (!groups.empty()) folder.write("groups.txt", groups);
  return Dataset::open(folder.path());
}

/// A frame f of two pixels in a folder within.
void add_labelled_pixels(const TestFolder& folder, const std::string& within) {
  fs::create_directories(folder / within);
  write_png(folder / (within + "/f_colors.png"), Array2<image::Rgb>(1, 2, {1, 2, 3}));
  write_png(folder / (within + "/f_ground_truth.png"), rgb_image(1, 2, {kRed, kFloor}));
}

std::map<std::string, std::vector<std::string>> splits_of(const ImportPlan& plan) {
  std::map<std::string, std::vector<std::string>> splits;
  for (const ImportedFrame& frame : plan.frames) splits[frame.split].push_back(frame.name);
  return splits;
}

TEST(Split, HasTheSharesAndTheClassesInEachPart) {
  const TestFolder folder;
  const Dataset data = rooms(folder, 15);
  ThreadPool pool(2);
  const ImportPlan plan = plan_split(data, {.test = 0.2, .val = 0.2}, pool);
  const auto splits = splits_of(plan);
  EXPECT_EQ(splits.at("train").size(), 9u);
  EXPECT_EQ(splits.at("test").size(), 3u);
  EXPECT_EQ(splits.at("val").size(), 3u);
  const TestFolder out;
  write_import(plan, out / "parted", pool);
  for (const char* split : {"train", "test", "val"}) {
    const Dataset::Scan scan = Dataset::open(out / "parted" / split).scan_truth(pool);
    ASSERT_EQ(scan.classes.size(), 2u);
    EXPECT_EQ(scan.class_pixels[1], split == std::string("train") ? 3u : 1u)
        << "a third of the frames of each part: " << split;
  }
  const fs::path truth = out / "parted" / "test" / (splits.at("test")[0] + "_ground_truth.png");
  EXPECT_EQ(fs::hard_link_count(truth), 2u) << "links";
  EXPECT_EQ(splits_of(plan_split(data, {.test = 0.2, .val = 0.2}, pool)), splits_of(plan)) << "the same seed";
}

TEST(Split, KeepsGroupsTogether) {
  const TestFolder folder;
  std::string groups;
  for (int i = 0; i < 12; ++i) groups += "f" + std::to_string(10 + i) + " scene" + std::to_string(i / 3) + "\n";
  const Dataset data = rooms(folder, 12, groups);
  ThreadPool pool(1);
  const ImportPlan plan = plan_split(data, {.test = 0.25}, pool);
  std::map<std::string, std::set<std::string>> splits_of_group;
  for (const ImportedFrame& frame : plan.frames) splits_of_group[frame.group].insert(frame.split);
  for (const auto& [group, splits] : splits_of_group) EXPECT_EQ(splits.size(), 1u) << group;
  EXPECT_EQ(splits_of(plan).at("test").size(), 3u);
}

TEST(Split, SharesThatLeaveNothingAreASentence) {
  const TestFolder folder;
  const Dataset data = rooms(folder, 3);
  ThreadPool pool(1);
  testdata::expect_refused(ErrorKind::kUsage, [&] { plan_split(data, {.test = 1.5}, pool); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { plan_split(data, {.test = 0.5, .val = 0.5}, pool); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { plan_sample(data, 4, pool); });
}

TEST(Sample, TakesFramesEvenly) {
  const TestFolder folder;
  ThreadPool pool(1);
  EXPECT_THAT(splits_of(plan_sample(rooms(folder, 10), 3, pool)).at(""), ElementsAre("f10", "f13", "f16"));
}

TEST(Sample, KeepsInstancesAndThingsAsRemapDoes) {
  const TestFolder folder;
  add_frame(folder, "f", {kFloor, kProp, kProp, kFloor, kFloor, kFloor});
  const Array2<std::uint16_t> numbers = depth_image(2, 3, {0, 1, 2, 0, 0, 0});
  write_png16(folder / "f_instances.png", numbers);
  folder.write("dataset.toml", std::string("things = [\"floor\"]\nclasses = [{name = \"floor\", color = [7, 54, 66]}, "
                                           "{name = \"prop\", color = [181, 137, 0]}]\n"));
  ThreadPool pool(1);
  const Dataset data = Dataset::open(folder.path());
  write_import(plan_sample(data, 1, pool), folder / "sample", pool);
  write_import(plan_remap(data, {{"prop", "box"}}, pool), folder / "remap", pool);
  for (const char* out : {"sample", "remap"}) {
    const Dataset kept = Dataset::open(folder / out);
    EXPECT_EQ(kept.read_instances(0), numbers);
    EXPECT_TRUE(kept.config().classes[0].is_thing());
    EXPECT_FALSE(kept.config().classes[1].is_thing());
  }
}

TEST(Sample, KeepsPosesOfOneFolderAndMergeOfNone) {
  const TestFolder folder;
  folder.write("poses.txt", std::string("f11 1 2 3 0 0 0 1\n"));
  const Dataset data = rooms(folder, 2);
  ThreadPool pool(1);
  const ImportPlan plan = plan_sample(data, 2, pool);
  EXPECT_FALSE(plan.frames[0].pose.has_value());
  ASSERT_TRUE(plan.frames[1].pose.has_value());
  EXPECT_THAT(plan.frames[1].pose->position_m, ElementsAre(1, 2, 3));
  for (const ImportedFrame& frame : plan_merge({data, data}, pool).frames) EXPECT_FALSE(frame.pose.has_value());
}

TEST(Sample, KeepsPosesOfARecordingInsideAndOfSeveralNone) {
  const TestFolder folder;
  const auto add_frame = [&](const std::string& recording) {
    add_labelled_pixels(folder, recording);
    folder.write(recording + "/times.txt", std::string("f 0\n"));
    folder.write(recording + "/poses.txt", std::string("f 1 2 3 0 0 0 1\n"));
  };
  ThreadPool pool(1);
  add_frame("a");
  const ImportPlan one = plan_sample(Dataset::open(folder.path()), 1, pool);
  ASSERT_TRUE(one.frames.at(0).pose.has_value());
  EXPECT_THAT(one.frames[0].pose->position_m, ElementsAre(1, 2, 3));
  add_frame("b");
  const ImportPlan two = plan_sample(Dataset::open(folder.path()), 2, pool);
  for (const ImportedFrame& frame : two.frames) EXPECT_FALSE(frame.pose.has_value());
  testdata::expect_sentence(join(two.notes, "\n"));
}

TEST(Sample, NamesOfRecordingsBecomeNamesOfFiles) {
  const TestFolder folder;
  for (const std::string recording : {"My Room", "My_Room", "#2"}) {
    add_labelled_pixels(folder, recording);
    folder.write(recording + "/times.txt", std::string("f 0\n"));
  }
  ThreadPool pool(1);
  const ImportPlan plan = plan_sample(Dataset::open(folder.path()), 3, pool);
  EXPECT_THAT(splits_of(plan).at(""), ElementsAre("0__2_f", "1_My_Room_f", "2_My_Room_f"));
  EXPECT_THAT(plan.notes, ElementsAre("frames are renamed where a name is not a plain file name: #2_f, My Room_f"));
  write_import(plan, folder / "out", pool);
  EXPECT_EQ(Dataset::open(folder / "out").groups().size(), 3u) << "groups.txt is read";
}

TEST(Sample, NamesInOtherLettersStay) {
  const TestFolder folder;
  for (const char* name : {"K\u00fcche_1", "\u5ba2\u5385"}) add_frame(folder, name);
  ThreadPool pool(1);
  const ImportPlan plan = plan_sample(Dataset::open(folder.path()), 2, pool);
  EXPECT_THAT(splits_of(plan).at(""), ElementsAre("K\u00fcche_1", "\u5ba2\u5385"));
  EXPECT_THAT(plan.notes, ElementsAre());
  write_import(plan, folder / "out", pool);
  EXPECT_EQ(Dataset::open(folder / "out").files(1).name, "\u5ba2\u5385");
}

TEST(Sample, PosesStayWithARecordingWhoseNameIsNotThatOfAFile) {
  const TestFolder folder;
  fs::create_directories(folder / "#2");
  write_png(folder / "#2/f_colors.png", Array2<image::Rgb>(1, 2, {1, 2, 3}));
  folder.write("#2/times.txt", std::string("f 0\n"));
  folder.write("#2/poses.txt", std::string("f 1 2 3 0 0 0 1\n"));
  ThreadPool pool(1);
  DatasetOptions options;
  options.needs_truth = false;
  write_import(plan_sample(Dataset::open(folder.path(), options), 1, pool), folder / "out", pool);
  const auto poses = find_poses(Dataset::open(folder / "out", options), "room");
  ASSERT_TRUE(poses.at(0).has_value());
  EXPECT_EQ(poses[0]->pose.translation.z, 3);
}

TEST(Merge, NamesDoNotDependOnHowFoldersAreSpelled) {
  const TestFolder folder;
  for (const std::string room : {"rooms/train", "rooms/test", "other/train"}) {
    add_labelled_pixels(folder, room);
  }
  ThreadPool pool(1);
  const auto names = [&](const fs::path& root) {
    std::vector<Dataset> all;
    for (const char* room : {"rooms/train", "rooms/test", "other/train"}) all.push_back(Dataset::open(root / room));
    return splits_of(plan_merge(all, pool)).at("");
  };
  const std::vector<std::string> expected = {"rooms_train_f", "rooms_test_f", "other_train_f"};
  EXPECT_EQ(names(folder.path()), expected);
  EXPECT_EQ(names(fs::relative(folder.path())), expected);
  EXPECT_EQ(names(folder / "rooms" / ".."), expected);
}

TEST(Merge, FramesWithoutTruthMayComeFirst) {
  const TestFolder folder;
  for (const std::string frame : {"a/f1", "a/f2", "b/f1"}) {
    fs::create_directories((folder / frame).parent_path());
    write_png(folder / (frame + "_colors.png"), Array2<image::Rgb>(1, 2, {1, 2, 3}));
  }
  write_png(folder / "a/f2_ground_truth.png", rgb_image(1, 2, {kRed, kFloor}));
  ThreadPool pool(1);
  DatasetOptions options;
  options.needs_truth = false;
  const ImportPlan plan =
      plan_merge({Dataset::open(folder / "a", options), Dataset::open(folder / "b", options)}, pool);
  ASSERT_EQ(plan.frames.size(), 3u);
  EXPECT_EQ(plan.config.classes.size(), 2u);
  EXPECT_TRUE(plan.frames[1].has_labels());
  write_import(plan, folder / "both", pool);
  const Dataset both = Dataset::open(folder / "both", options);
  EXPECT_TRUE(both.files(0).truth.empty());
  EXPECT_FALSE(both.files(1).truth.empty());
  EXPECT_EQ(plan_sample(Dataset::open(folder / "a", options), 2, pool).config.classes.size(), 2u);
}

TEST(Merge, FoldersOfOneNameAreGroupsOfTheirOwn) {
  const TestFolder folder;
  for (const char* room : {"kitchen/train", "office/train"}) {
    add_labelled_pixels(folder, room);
  }
  ThreadPool pool(1);
  for (const char* slash : {"", "/"}) {
    const std::string end = std::string("/train") + slash;
    const ImportPlan plan = plan_merge(
        {Dataset::open(folder.path() / ("kitchen" + end)), Dataset::open(folder.path() / ("office" + end))}, pool);
    EXPECT_EQ(plan.frames.at(0).group, "kitchen_train");
    EXPECT_EQ(plan.frames.at(1).group, "office_train");
  }
}

TEST(Merge, FramesKeepTheCamerasOfTheirFolders) {
  const TestFolder folder;
  for (const char* room : {"a", "b"}) {
    add_labelled_pixels(folder, room);
  }
  folder.write("a/camera-intrinsics.txt", std::string("3 0 1 0 3 0 0 0 1"));
  folder.write("b/frame_cameras.txt", std::string("f 2 1 4 4 1 0\n"));
  ThreadPool pool(1);
  write_import(plan_merge({Dataset::open(folder / "a"), Dataset::open(folder / "b")}, pool), folder / "both", pool);
  const Dataset both = Dataset::open(folder / "both");
  EXPECT_EQ(both.read_frame(0).camera, (image::Camera{2, 1, 3, 3, 1, 0}));
  EXPECT_EQ(both.read_frame(1).camera, (image::Camera{2, 1, 4, 4, 1, 0}));
}

TEST(Merge, ClassesOfOneNameAreOneAndFoldersAreGroups) {
  const TestFolder folder;
  fs::create_directories(folder / "a");
  fs::create_directories(folder / "b");
  for (const char* scene : {"a", "b"}) {
    write_png(folder / (std::string(scene) + "/f_colors.png"),
              Array2<image::Rgb>(1, 2, {1, 2, static_cast<std::uint8_t>(scene[0])}));
    write_png(folder / (std::string(scene) + "/f_ground_truth.png"), rgb_image(1, 2, {kRed, kFloor}));
  }
  folder.write(
      "a/dataset.toml",
      std::string("classes = [{name = \"x\", color = [255, 0, 0]}, {name = \"floor\", color = [7, 54, 66]}]\n"));
  folder.write(
      "b/dataset.toml",
      std::string("classes = [{name = \"floor\", color = [255, 0, 0]}, {name = \"y\", color = [7, 54, 66]}]\n"));
  ThreadPool pool(1);
  const ImportPlan plan = plan_merge({Dataset::open(folder / "a"), Dataset::open(folder / "b")}, pool);
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_EQ(plan.frames[0].name, "a_f");
  EXPECT_EQ(plan.frames[1].group, "b");
  testdata::expect_sentence(join(plan.notes, "\n"));
  write_import(plan, folder / "both", pool);
  const Dataset both = Dataset::open(folder / "both");
  const image::ClassMap classes = both.scan_truth(pool).classes;
  std::vector<std::string> names;
  for (const image::ClassInfo& info : classes.classes) names.push_back(info.name);
  EXPECT_THAT(names, ElementsAre("x", "floor", "y"));
  EXPECT_EQ(both.read_labels(1, classes)(0, 0), 1) << "b's red is floor";
  EXPECT_EQ(both.groups().size(), 2u);
  folder.write("b/dataset.toml", std::string("depth_scale = 0.2\n"));
  testdata::expect_refused(ErrorKind::kData, [&] {
    plan_merge({Dataset::open(folder / "a"), Dataset::open(folder / "b")}, pool);
  });
}

TEST(Remap, RenamesMergesAndMakesVoid) {
  const TestFolder folder;
  add_frame(folder, "f", {kFloor, kProp, kRed, kBlack, kRed, kProp});
  folder.write("map.csv", std::string("# old, new\nprop -> thing\n#ff0000\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { read_class_table(folder / "map.csv"); });
  folder.write("map.json", std::string(R"({"prop": "thing", "#ff0000": "thing", "floor": null})"));
  const auto table = read_class_table(folder / "map.json");
  ThreadPool pool(1);
  const Dataset data = Dataset::open(folder.path());
  write_import(plan_remap(data, table, pool), folder / "out", pool);
  const Dataset out = Dataset::open(folder / "out");
  const image::ClassMap classes = out.scan_truth(pool).classes;
  ASSERT_EQ(classes.size(), 1u);
  EXPECT_EQ(classes.classes[0].name, "thing");
  const image::LabelImage labels = out.read_labels(0, classes);
  EXPECT_THAT(std::vector(labels.begin(), labels.end()), ElementsAre(image::kVoid, 0, 0, image::kVoid, 0, 0));
  testdata::expect_refused(ErrorKind::kUsage, [&] { plan_remap(data, {{"flor", "x"}}, pool); });
  folder.write("map.csv", std::string("prop,thing\nfloor\tground\n"));
  EXPECT_THAT(read_class_table(folder / "map.csv"),
              ElementsAre(testing::Pair("floor", "ground"), testing::Pair("prop", "thing")));
}

}  // namespace
}  // namespace fernwood::formats
