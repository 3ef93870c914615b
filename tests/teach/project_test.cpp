// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <random>
#include <tuple>

#include "dataset/computed_frames.h"
#include "dataset/dataset_folder.h"
#include "dataset/test_files.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/forest/forest.h"
#include "fernwood/generate/generate.h"
#include "fernwood/train/train.h"
#include "sentences.h"
#include "teach/signed_journal.h"

namespace fernwood::teach {
namespace {

image::Frame plain_frame(std::size_t rows = 4, std::size_t cols = 6) {
  return {Array2<image::Rgb>(rows, cols, image::Rgb{9, 8, 7}), Array2<std::uint16_t>(rows, cols, 1234)};
}

Stroke dot_at(int col, int row, std::uint16_t class_id) {
  return {.class_id = class_id, .points = {{col * kStepsPerPixel + 4, row * kStepsPerPixel + 4}}};
}

/// Adds two frames and two classes.
void begin(Project& project) {
  project.add_frame("one", plain_frame());
  project.add_frame("two", plain_frame());
  project.add_class("floor", {10, 20, 30});
  project.add_class("wall", {40, 50, 60});
}

/// The labelled pixels, for example "0@(1, 2)".
std::vector<std::string> labels_of(const Project& project, std::size_t frame) {
  std::vector<std::string> found;
  const image::LabelImage labels = project.labels(frame);
  for (std::size_t row = 0; row < labels.rows(); ++row)
    for (std::size_t col = 0; col < labels.cols(); ++col)
      if (labels(row, col) != image::kVoid)
        found.push_back(std::to_string(labels(row, col)) + "@" + std::to_string(col) + "," + std::to_string(row));
  return found;
}

using Labels = std::vector<std::string>;

TEST(Project, StrokesAreThereAgainWhenItIsOpenedAgain) {
  const dataset::TestFolder folder;
  {
    Project project(folder / "p");
    begin(project);
    EXPECT_EQ(project.add_stroke(0, dot_at(1, 2, 0)), 1u);
    EXPECT_EQ(project.add_stroke(1, dot_at(3, 0, 1)), 2u);
    project.add_stroke(0, {.tool = Tool::kRegion, .class_id = 1, .runs = {{0, 2}}});
    project.add_stroke(0, {.tool = Tool::kPolygon, .class_id = 0, .points = {{40, 0}, {48, 0}, {48, 8}, {40, 8}}});
    project.add_stroke(0, dot_at(0, 0, kErase));
    EXPECT_EQ(project.version(), 9u);
  }
  std::filesystem::rename(folder / "p", folder / "moved");
  const Project project(folder / "moved");
  EXPECT_EQ(project.version(), 9u);
  EXPECT_EQ(labels_of(project, 0), (Labels{"1@1,0", "0@5,0", "0@1,2"}));
  EXPECT_EQ(labels_of(project, 1), Labels{"1@3,0"});
  EXPECT_EQ(project.frame(1).name, "two");
  EXPECT_EQ(project.num_strokes(0), 4u);
  EXPECT_EQ(project.live_classes()[1].name, "wall");
  EXPECT_EQ(project.read_frame(0).depth_mm(0, 0), 1234);
}

TEST(Project, FeatureMapsOfFramesAreKeptBesideThem) {
  const dataset::TestFolder folder;
  image::Frame frame = plain_frame();
  frame.maps = {2, 2, 3, {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6.5f}};
  {
    Project project(folder / "p");
    project.add_frame("one", frame);
    testdata::expect_refused(ErrorKind::kUsage, [&] { project.add_frame("two", plain_frame()); });
  }
  EXPECT_EQ(Project(folder / "p").frame_reader(0)().maps, frame.maps);
  dataset::write_maps(folder / "p" / "one_maps.npy", {1, 1, 1, {7}});
  testdata::expect_refused(ErrorKind::kData, [&] { Project(folder / "p").frame_reader(0)(); });
  std::filesystem::remove(folder / "p" / "one_maps.npy");
  testdata::expect_refused(ErrorKind::kData, [&] { Project(folder / "p"); });
}

TEST(Project, UndoAndRedoAreOfAFrameAndSurvive) {
  const dataset::TestFolder folder;
  {
    Project project(folder.path() / "p");
    begin(project);
    for (int col = 0; col < 3; ++col) project.add_stroke(0, dot_at(col, 0, 0));
    project.add_stroke(1, dot_at(5, 3, 1));
    EXPECT_EQ(project.undo(0), 3u);
    EXPECT_EQ(project.undo(0), 2u);
    EXPECT_EQ(labels_of(project, 0), Labels{"0@0,0"});
  }
  Project project(folder.path() / "p");
  EXPECT_EQ(project.redo(0), 2u);
  EXPECT_EQ(labels_of(project, 0), (Labels{"0@0,0", "0@1,0"}));
  EXPECT_EQ(labels_of(project, 1), Labels{"1@5,3"});
  project.add_stroke(0, dot_at(4, 0, 1));
  EXPECT_EQ(project.redo(0), std::nullopt) << "a new stroke ends what could be drawn again";
  EXPECT_EQ(project.undo(1), 4u);
  EXPECT_EQ(project.undo(1), std::nullopt);
}

TEST(Project, AcceptedLabelsAreOneStrokeAndDoneFramesStayDone) {
  const dataset::TestFolder folder;
  {
    Project project(folder.path() / "p");
    begin(project);
    image::LabelImage found(4, 6, image::kVoid);
    found(0, 0) = 0, found(0, 1) = 1, found(3, 5) = 1;
    const std::uint64_t stroke = project.add_stroke(0, labels_stroke(found, {0, 1}), "a-1");
    EXPECT_EQ(labels_of(project, 0), (Labels{"0@0,0", "1@1,0", "1@5,3"}));
    EXPECT_EQ(project.undo(0), stroke);
    EXPECT_EQ(labels_of(project, 0), Labels{});
    EXPECT_EQ(project.redo(0), stroke);
    const std::uint64_t drawn = project.labels_version();
    EXPECT_EQ(drawn, project.version());
    project.mark_done(1, true);
    project.mark_done(1, true);
    project.lock_class(1, true);
    EXPECT_EQ(project.version(), drawn + 2) << "what is so already is not written again";
    EXPECT_EQ(project.labels_version(), drawn);
    testdata::expect_refused(ErrorKind::kUsage, [&] { project.mark_done(2, true); });
    testdata::expect_refused(ErrorKind::kUsage, [&] { project.add_stroke(0, labels_stroke(found, {0, 2})); });
  }
  Project project(folder.path() / "p");
  EXPECT_EQ(labels_of(project, 0), (Labels{"0@0,0", "1@1,0", "1@5,3"}));
  EXPECT_FALSE(project.frame(0).is_done);
  EXPECT_TRUE(project.frame(1).is_done);
  project.mark_done(1, false);
  EXPECT_FALSE(project.frame(1).is_done);
  project.lock_class(1, false);
  project.merge_class(1, 0);
  EXPECT_EQ(labels_of(project, 0), (Labels{"0@0,0", "0@1,0", "0@5,3"}));
}

TEST(Project, AnyStrokeIsTakenBackAndComesBackToItsPlace) {
  const dataset::TestFolder folder;
  {
    Project project(folder.path() / "p");
    begin(project);
    project.add_stroke(0, dot_at(1, 0, 0));
    project.add_stroke(0, dot_at(1, 0, 1));
    project.add_stroke(1, dot_at(5, 3, 1));
    EXPECT_EQ(project.undo(0, 1), 1u);
    EXPECT_EQ(labels_of(project, 0), Labels{"1@1,0"});
    testdata::expect_refused(ErrorKind::kUsage, [&] { project.undo(0, 1); });
    testdata::expect_refused(ErrorKind::kUsage, [&] { project.undo(0, 3); });
    testdata::expect_refused(ErrorKind::kUsage, [&] { project.undo(0, 9); });
  }
  Project project(folder.path() / "p");
  EXPECT_EQ(labels_of(project, 0), Labels{"1@1,0"});
  EXPECT_EQ(project.redo(0), 1u);
  EXPECT_EQ(labels_of(project, 0), Labels{"1@1,0"}) << "the second stroke is over the first, as it was";
  project.undo(0, 2);
  EXPECT_EQ(labels_of(project, 0), Labels{"0@1,0"});
}

TEST(Project, DeletedAndMergedClassesComeBackWithTheirStrokes) {
  const dataset::TestFolder folder;
  {
    Project project(folder.path() / "p");
    begin(project);
    project.add_stroke(0, dot_at(1, 0, 0));
    project.add_stroke(0, dot_at(1, 0, 1));  // covers the first dot
    project.add_stroke(0, dot_at(5, 3, 1));
    project.lock_class(1, true);
    testdata::expect_refused(ErrorKind::kUsage, [&] { project.delete_class(1); });
    testdata::expect_refused(ErrorKind::kUsage, [&] { project.merge_class(1, 0); });
    project.lock_class(1, false);
    project.delete_class(1, "a-1");
    EXPECT_EQ(labels_of(project, 0), Labels{"0@1,0"}) << "what its strokes covered shows again";
    EXPECT_EQ(project.num_strokes(0), 1u);
    testdata::expect_refused(ErrorKind::kUsage, [&] { project.add_stroke(0, dot_at(2, 2, 1)); });
    testdata::expect_refused(ErrorKind::kUsage, [&] { project.restore_class(0); });
    EXPECT_EQ(project.undo(0), 1u) << "the newest that counts";
    EXPECT_EQ(project.undo(0), std::nullopt);
    EXPECT_EQ(project.redo(0), 1u);
  }
  Project project(folder.path() / "p");
  EXPECT_EQ(project.class_of_request("a-1"), 1);
  EXPECT_EQ(labels_of(project, 0), Labels{"0@1,0"});
  const std::uint16_t other = project.add_class(project.classes()[1].name, project.free_color());
  testdata::expect_refused(ErrorKind::kUsage, [&] { project.restore_class(1); });
  project.delete_class(other);
  project.restore_class(1);
  EXPECT_EQ(labels_of(project, 0), (Labels{"1@1,0", "1@5,3"}));
  project.merge_class(1, 0);
  EXPECT_EQ(labels_of(project, 0), (Labels{"0@1,0", "0@5,3"}));
  project.add_stroke(0, dot_at(2, 2, 0));
  project.restore_class(1);
  EXPECT_EQ(labels_of(project, 0), (Labels{"1@1,0", "0@2,2", "1@5,3"}));
}

TEST(Project, ANewColourIsLikeNoneThatMayComeBack) {
  const dataset::TestFolder folder;
  Project project(folder.path() / "p");
  for (int i = 0; i < 600; ++i) {
    const image::Rgb color = project.free_color();
    ASSERT_NE(color, image::Rgb{});
    for (const TaughtClass& one : project.classes()) ASSERT_NE(one.color, color) << i;
    const std::uint16_t number = project.add_class("c" + std::to_string(i), color);
    if (i % 5 != 0) project.delete_class(number);  // 120 remain, of at most 127
  }
}

TEST(Project, KnowsEarlierRequestsAlsoAfterARestart) {
  const dataset::TestFolder folder;
  {
    Project project(folder.path() / "p");
    begin(project);
    project.add_stroke(0, dot_at(1, 0, 0), "a-1");
    project.undo(0, {}, "a-2");
    project.redo(0, "a-3");
    project.add_stroke(0, dot_at(2, 0, 0));
  }
  const Project project(folder.path() / "p");
  for (const char* request_id : {"a-1", "a-2", "a-3"}) EXPECT_EQ(project.find_request(request_id), 1u) << request_id;
  EXPECT_EQ(project.find_request("a-4"), std::nullopt);
  EXPECT_EQ(project.find_request(""), std::nullopt);
}

TEST(Project, TellsThoseThatFollowItWhatEachActionHasChanged) {
  using What = ProjectChange::What;
  const dataset::TestFolder folder;
  Project project(folder.path() / "p");
  std::vector<std::pair<What, std::size_t>> told;
  project.follow([&](const ProjectChange& change) { told.emplace_back(change.what, change.frame); });
  begin(project);
  EXPECT_EQ(project.add_frame("three", plain_frame(), dataset::FramePose{"room", {}}), 2u);
  project.add_stroke(1, dot_at(1, 0, 0));
  project.undo(1);
  project.redo(1);
  EXPECT_EQ(project.redo(1), std::nullopt) << "nothing to tell";
  project.change_class(0, "rug", {1, 2, 3});
  project.lock_class(1, true);
  project.mark_done(0, true);
  EXPECT_EQ(told, (std::vector<std::pair<What, std::size_t>>{{What::kFrame, 0},
                                                             {What::kFrame, 1},
                                                             {What::kClassList, 0},
                                                             {What::kClassList, 0},
                                                             {What::kFrame, 2},
                                                             {What::kStrokes, 1},
                                                             {What::kStrokes, 1},
                                                             {What::kStrokes, 1},
                                                             {What::kClassNames, 0},
                                                             {What::kClassList, 0},
                                                             {What::kSetting, 0}}));
  EXPECT_TRUE(project.frame(2).pose.has_value()) << "told once, with its pose";
}

TEST(Project, MoreFramesThanAreKeptPaintedHaveTheirLabels) {
  const dataset::TestFolder folder;
  Project project(folder.path() / "p");
  begin(project);
  constexpr std::size_t kFrames = 40;
  image::Frame frame = project.read_frame(0);
  while (project.num_frames() < kFrames) project.add_frame("more" + std::to_string(project.num_frames()), frame);
  for (int col = 0; col < 2; ++col)
    for (std::size_t i = 0; i < kFrames; ++i) {
      project.add_stroke(i, dot_at(col, 0, 0));
      EXPECT_EQ(labels_of(project, i).size(), static_cast<std::size_t>(col) + 1) << i;
    }
}

TEST(Project, LockedClassesAreSparedAlsoAfterTheyAreUnlocked) {
  const dataset::TestFolder folder;
  Project project(folder.path() / "p");
  begin(project);
  project.add_stroke(0, dot_at(1, 1, 0));
  project.lock_class(0, true);
  project.add_stroke(0, {.class_id = 1, .radius = 8, .points = {{12, 12}}});
  project.lock_class(0, false);
  EXPECT_EQ(labels_of(project, 0), (Labels{"1@1,0", "1@0,1", "0@1,1", "1@2,1", "1@1,2"}));
  EXPECT_EQ(labels_of(project, 1), Labels{}) << "and the first is painted anew:";
  EXPECT_EQ(labels_of(project, 0), (Labels{"1@1,0", "1@0,1", "0@1,1", "1@2,1", "1@1,2"}));
}

TEST(Project, MergedClassesAreOneAndKeepTheirPlaceInOrder) {
  const dataset::TestFolder folder;
  Project project(folder.path() / "p");
  begin(project);
  const std::uint16_t shelf = project.add_class("shelf", {1, 1, 1});
  project.add_stroke(0, dot_at(0, 0, 0));
  project.add_stroke(0, dot_at(1, 0, 1));
  project.add_stroke(0, dot_at(2, 0, shelf));
  project.merge_class(0, shelf);
  EXPECT_EQ(labels_of(project, 0), (Labels{"1@0,0", "0@1,0", "1@2,0"}));
  EXPECT_EQ(project.live_classes().size(), 2u);
  project.change_class(shelf, "floor", {10, 20, 30});  // a merged class frees its name and colour
  testdata::expect_refused(ErrorKind::kUsage, [&] { project.add_stroke(0, dot_at(0, 0, 0)); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { project.merge_class(shelf, shelf); });
}

TEST(Project, WhatIsNotPossibleIsRefusedAndNothingChanges) {
  const dataset::TestFolder folder;
  Project project(folder.path() / "p");
  begin(project);
  const std::uint64_t version = project.version();
  const auto refused = [&](const std::function<void()>& work) { testdata::expect_refused(ErrorKind::kUsage, work); };
  refused([&] { project.add_frame("one", plain_frame()); });
  refused([&] { project.add_frame("../three", plain_frame()); });
  refused([&] { project.add_frame(".hidden", plain_frame()); });
  refused([&] { project.add_frame("three", {}); });
  image::Frame fallen = plain_frame();
  fallen.up = {};
  refused([&] { project.add_frame("three", fallen); });
  image::Frame odd = plain_frame();
  odd.camera = image::Camera{6, 4, -1, 1, 3, 2};
  refused([&] { project.add_frame("three", odd); });
  refused([&] { project.add_frame("three", {plain_frame().color, {}}); });
  refused([&] { project.add_class("floor", {1, 2, 3}); });
  refused([&] { project.add_class("door", {10, 20, 30}); });
  refused([&] { project.add_class("door", {}); });
  refused([&] { project.add_class("", {1, 2, 3}); });
  refused([&] { project.add_class("a\nb", {1, 2, 3}); });
  refused([&] { project.change_class(7, "door", {1, 2, 3}); });
  refused([&] { project.lock_class(2, true); });
  refused([&] { project.add_stroke(2, dot_at(0, 0, 0)); });
  refused([&] { project.add_stroke(0, dot_at(0, 0, 2)); });
  refused([&] { project.add_stroke(0, {}); });
  refused([&] { project.labels(9); });
  EXPECT_EQ(project.version(), version);
  testdata::expect_refused(ErrorKind::kUsage, [&] { Project again(folder.path() / "p"); });
}

TEST(Project, NamesThatAreNoTextAreRefused) {
  const dataset::TestFolder folder;
  Project project(folder.path() / "p");
  testdata::expect_refused(ErrorKind::kUsage, [&] { project.add_class("\xff\xfe", {1, 2, 3}); });
  EXPECT_EQ(project.version(), 0u);
}

TEST(Project, AForeignFolderAndADamagedJournalAreTold) {
  const dataset::TestFolder folder;
  folder.write("full/a.txt", std::string("text"));
  testdata::expect_refused(ErrorKind::kData, [&] { Project project(folder / "full"); });
  {
    Project project(folder / "p");
    begin(project);
    project.add_stroke(0, dot_at(0, 0, 0));
    project.add_stroke(0, dot_at(0, 1, 0));
  }
  std::string journal = read_text(folder / "p" / "strokes.journal");
  journal.replace(journal.find("floor"), 5, "flour");
  folder.write("p/strokes.journal", journal);
  testdata::expect_refused(ErrorKind::kData, [&] { Project project(folder / "p"); });
}

void write_pictures(const std::filesystem::path& stem) {
  const image::Frame frame = plain_frame();
  dataset::write_png(stem.string() + "_colors.png", frame.color);
  dataset::write_png16(stem.string() + "_depth.png", frame.depth_mm);
}

/// Opens a project from untrusted files: a folder with the image "a" of 6 x 4 pixels, and a journal.
void open_foreign(const dataset::TestFolder& folder, const std::string& lines, const image::LabelImage& expected = {}) {
  std::filesystem::create_directories(folder / "p");
  write_pictures(folder / "p" / "a");
  folder.write("p/strokes.journal", signed_journal(lines));
  Project project(folder / "p");
  const image::LabelImage labels = project.labels(0);
  if (!expected.empty()) {
    EXPECT_EQ(labels, expected);
  }
}

constexpr const char* kFrameA =
    R"({"frame":"a","rows":4,"cols":6,"color":true,"depth":true,"up":[0,-1,0],"camera":null})"
    "\n";
constexpr const char* kClass0 = R"({"class":0,"name":"c","color":[1,2,3]})"
                                "\n";

TEST(Project, AJournalTakesNoMemoryForPicturesThatAreNotThere) {
  const dataset::TestFolder folder;
  for (const std::string frame :
       {R"("a","rows":268435456,"cols":268435456,"color":true,"depth":true)",
        R"("a","rows":5792,"cols":5792,"color":true,"depth":true)",
        R"("b","rows":4,"cols":6,"color":true,"depth":true)", R"("a","rows":4,"cols":6,"color":false,"depth":false)"})
    testdata::expect_refused(ErrorKind::kData, [&] {
      open_foreign(folder, R"({"frame":)" + frame + R"(,"up":[0,-1,0],"camera":null})" + "\n" + kClass0);
    });
}

TEST(Project, AJournalTakesNoMoreWorkThanTeachingDoes) {
  const dataset::TestFolder folder;
  // A thousand points across the whole of a large image, in each of many strokes.
  std::string points = "0,0";
  for (int i = 1; i < 1000; ++i) points += i % 2 ? ",16383,16383" : ",0,0";
  std::string lines =
      R"({"frame":"large","rows":2048,"cols":2048,"color":true,"depth":false,"up":[0,-1,0],"camera":null})"
      "\n";
  lines += kClass0;
  for (int i = 1; i <= 100; ++i)
    lines +=
        R"({"stroke":)" + std::to_string(i) + R"(,"frame":0,"class":0,"brush":1048576,"points":[)" + points + "]}\n";
  std::filesystem::create_directories(folder / "p");
  dataset::write_png(folder / "p" / "large_colors.png", Array2<image::Rgb>(2048, 2048, image::Rgb{}));
  folder.write("p/strokes.journal", signed_journal(lines));
  testdata::expect_refused(ErrorKind::kData, [&] { Project project(folder / "p"); });
}

TEST(Project, AStrokeThatWasTakenBackAndDrawnOverNeedsNoWork) {
  const dataset::TestFolder folder;
  std::string lines =
      R"({"frame":"one","rows":1024,"cols":1024,"color":true,"depth":false,"up":[0,-1,0],"camera":null})"
      "\n";
  lines += kClass0;
  for (int i = 1; i <= 3000; ++i) {  // blocks of 2039
    const std::string number = std::to_string(i);
    lines += R"({"stroke":)" + number + R"(,"frame":0,"class":0,"region":[0,1048576]})" + "\n";
    lines += R"({"undo":)" + number + "}\n";
  }
  std::filesystem::create_directories(folder / "p");
  dataset::write_png(folder / "p" / "one_colors.png", Array2<image::Rgb>(1024, 1024, image::Rgb{}));
  folder.write("p/strokes.journal", signed_journal(lines));
  EXPECT_EQ(Project(folder / "p").num_strokes(0), 0u);
}

TEST(Project, LinesOfAJournalTakeAsLongAfterManyOthers) {
  // Each of these took seconds to hours when each line was checked against all earlier ones: a chain of merged classes
  // for every pixel, frame names, strokes undone from the first on, and colours that change.
  const dataset::TestFolder folder;
  std::string lines = kFrameA;
  constexpr int kMany = 20000;
  for (int i = 0; i < kMany; ++i) {
    const std::string number = std::to_string(i);
    lines += R"({"class":)" + number + R"(,"name":")" + number + R"(","color":[)" + std::to_string(i % 256) + "," +
             std::to_string(i / 256) + ",1]}\n";
    if (i > 0) lines += R"({"merge":)" + std::to_string(i - 1) + R"(,"into":)" + number + "}\n";
  }
  for (int i = 1; i <= kMany; ++i)
    lines += R"({"stroke":)" + std::to_string(i) + R"(,"frame":0,"labels":[)" + std::to_string(kMany - 1) + ",0,24]}\n";
  for (int i = 1; i <= kMany; ++i) lines += R"({"undo":)" + std::to_string(i) + "}\n";
  for (int i = 1; i <= kMany; ++i) lines += R"({"redo":)" + std::to_string(i) + "}\n";
  open_foreign(folder, lines, image::LabelImage(4, 6, 0));
}

TEST(Project, RefusesMoreClassesThanCanBeLearnt) {
  const dataset::TestFolder folder;
  {
    Project project(folder / "p");
    for (int i = 0; i < 127; ++i) project.add_class(std::to_string(i), {static_cast<std::uint8_t>(i + 1), 0, 0});
    EXPECT_EQ(project.too_many_classes(), "");
    testdata::expect_refused(ErrorKind::kUsage, [&] { project.add_class("more", {0, 1, 0}); });
    project.delete_class(3);
    project.add_class("more", {0, 1, 0});
    testdata::expect_refused(ErrorKind::kUsage, [&] { project.restore_class(3); });
  }
  // Written before this limit existed.
  std::string lines = kFrameA;
  for (int i = 0; i < 128; ++i)
    lines += R"({"class":)" + std::to_string(i) + R"(,"name":"c)" + std::to_string(i) + R"(","color":[1,2,)" +
             std::to_string(i) + "]}\n";
  write_pictures(folder / "p" / "a");
  folder.write("p/strokes.journal", signed_journal(lines));
  Project project(folder / "p");
  EXPECT_EQ(project.live_classes().size(), 128u);
  testdata::expect_sentence(project.too_many_classes());
  project.merge_class(0, 1);
  EXPECT_EQ(project.too_many_classes(), "");
}

/// Names and other strings with special meanings in some format.
std::string generated_text(std::mt19937& random) {
  static const std::vector<std::string> kParts = {
      "a",    "-",    "9", "\"", "\\",           "/",         " ", "\n", "\t", std::string(1, '\0'), "\x1b[2J", "\x7f",
      "\xff", "\xc3", "ü", "😀",  "\xef\xbf\xbe", "</script>", "."};
  std::string text;
  const std::size_t length = random() % 12 == 0 ? 220 : random() % 5;
  for (std::size_t i = 0; i < length; ++i) text += kParts[random() % kParts.size()];
  return text;
}

/// Everything that a project accepts is restored when it is reopened; ground truth and dataset.toml stay readable.
TEST(Project, WhateverIsAcceptedIsReadBack) {
  constexpr std::array<std::int32_t, 8> kSteps = {0, 1, -1, 47, 4000, kMaxSteps, -kMaxSteps, kMaxSteps + 1};
  constexpr std::array<float, 8> kFloats = {
      0, 1, -0.0f, 1e-6f, 1e6f, 3.4e38f, std::numeric_limits<float>::infinity(), 525.5f};
  std::size_t num_accepted = 0, num_refused = 0;
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
    const dataset::TestFolder folder;
    std::optional<Project> project(std::in_place, folder / "p");
    std::vector<std::optional<image::Camera>> cameras;
    std::vector<image::Vector3> ups;
    const auto tries = [&](const auto& act) {
      try {
        act();
        ++num_accepted;
        return true;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUsage) << error.what();
        ++num_refused;
        return false;
      }
    };
    for (std::uint32_t i = 0; i < 60; ++i) {
      const auto number = [&] { return static_cast<std::uint16_t>(below(7)); };
      const auto steps = [&] { return kSteps[below(kSteps.size())]; };
      const auto real = [&] { return kFloats[below(kFloats.size())]; };
      const std::string text = generated_text(random), request_id = below(3) == 0 ? generated_text(random) : "";
      const image::Rgb color = {static_cast<std::uint8_t>(below(4)), static_cast<std::uint8_t>(below(4)), 9};
      switch (i < 4 ? i % 2 : below(9)) {
        case 0: {
          image::Frame frame = plain_frame(1 + number(), 1 + number());
          if (below(2)) frame.camera = image::Camera{6, 4, real(), real(), real(), real()};
          if (below(2)) frame.up = {real(), real(), real()};
          if (tries([&] { project->add_frame(below(3) == 0 ? text : "f" + std::to_string(i), frame); })) {
            cameras.push_back(frame.camera);
            ups.push_back(frame.up);
          }
          break;
        }
        case 1:
          tries([&] { project->add_class(below(3) == 0 ? text : "c" + std::to_string(i), color, request_id); });
          break;
        case 2:
          tries([&] { project->change_class(number(), text, color, request_id); });
          break;
        case 3:
          tries([&] { project->merge_class(number(), number(), request_id); });
          break;
        case 4:
          tries([&] { project->delete_class(number(), request_id); });
          break;
        case 5:
          tries([&] { project->restore_class(number(), request_id); });
          break;
        case 6:
          tries([&] { below(2) ? project->undo(number(), {}, request_id) : project->redo(number(), request_id); });
          break;
        case 7:
          tries([&] { project->lock_class(number(), below(2) == 0); });
          tries([&] { project->mark_done(number(), below(2) == 0); });
          break;
        default: {
          Stroke stroke = {.tool = static_cast<Tool>(below(5)), .class_id = number(), .radius = steps()};
          const bool is_line = stroke.tool != Tool::kRegion && stroke.tool != Tool::kLabels;
          if (stroke.tool != Tool::kBrush && stroke.tool != Tool::kCut) stroke.radius = 0;
          for (std::uint32_t k = 0; is_line && k < 4; ++k) stroke.points.push_back({steps(), steps()});
          for (std::uint32_t k = 0; !is_line && k < 2; ++k) {
            stroke.runs.push_back({5 * k + below(5), 1 + below(3)});
            if (stroke.tool == Tool::kLabels) stroke.run_classes.push_back(number());
          }
          if (below(4) == 0 || stroke.tool == Tool::kLabels || stroke.tool == Tool::kCut) stroke.class_id = kErase;
          tries([&] { project->add_stroke(number(), stroke, request_id); });
        }
      }
    }
    project->write_truth();
    const auto state_of = [](const Project& one) {
      std::vector<std::tuple<std::string, std::map<std::uint64_t, Stroke>, image::LabelImage, bool>> frames;
      for (std::size_t f = 0; f < one.num_frames(); ++f) {
        std::map<std::uint64_t, Stroke> strokes;
        for (const auto& [number, stroke] : one.frame(f).strokes) strokes[number] = *stroke;
        frames.emplace_back(one.frame(f).name, std::move(strokes), one.labels(f), one.frame(f).is_done);
      }
      return std::tuple(one.version(), one.labels_version(), one.classes(), frames);
    };
    const auto before = state_of(*project);
    project.reset();
    project.emplace(folder / "p");
    EXPECT_EQ(state_of(*project), before) << seed;
    for (std::size_t f = 0; f < project->num_frames(); ++f) {
      EXPECT_EQ(project->read_frame(f).camera, cameras[f]);
      EXPECT_EQ(project->read_frame(f).up, ups[f]);
    }
    EXPECT_NO_THROW(dataset::read_dataset_config(folder / "p" / "dataset.toml")) << seed;
  }
  EXPECT_GT(num_accepted, 100u);
  EXPECT_GT(num_refused, 100u);
}

/// A project of generated rooms with a few strokes in each, chosen by the ground truth.
void teach_rooms(Project& project, std::size_t num_frames) {
  generate::GenerateOptions size;
  size.width = 64;
  size.height = 48;
  for (const image::ClassInfo& info : generate::synthetic_classes().classes) project.add_class(info.name, info.color);
  for (std::uint32_t i = 0; i < num_frames; ++i) {
    const generate::SyntheticFrame room = generate::generate_frame(size, i);
    const std::size_t frame = project.add_frame("room" + std::to_string(i), room.frame);
    if (i == 1) continue;  // one frame stays without strokes
    for (std::size_t p = 7; p < room.labels.size(); p += 61)
      if (room.labels.data()[p] != image::kVoid)
        project.add_stroke(frame, dot_at(static_cast<int>(p % 64), static_cast<int>(p / 64), room.labels.data()[p]));
  }
}

TEST(Project, TheFolderTrainsTheForestOfItsStrokes) {
  const dataset::TestFolder folder;
  Project project(folder / "p");
  teach_rooms(project, 4);
  project.write_truth();
  train::TrainOptions options = train::defaults_of(forest::ForestKind::kBoosted);
  options.trees = 3;
  options.features = 50;
  options.samples_per_frame = 100;
  const auto supply = std::make_shared<dataset::ComputedFrames>();
  supply->num_frames = project.num_frames();
  supply->frame_of = [&](std::size_t i) { return project.read_frame(i); };
  supply->labels_of = [&](std::size_t i) { return project.labels(i); };
  for (const TaughtClass& one : project.live_classes()) supply->config.classes.push_back({one.name, one.color});
  train::TrainResources one_thread;
  one_thread.threads = 1;  // a project must be used by one thread at a time
  const dataset::Dataset on_disk = dataset::Dataset::open(folder / "p");
  supply->groups = on_disk.groups();
  supply->config.camera = on_disk.config().camera;
  forest::save_forest(train::train_forest(dataset::Dataset::from_memory(supply), options, one_thread), folder / "a");
  forest::save_forest(train::train_forest(on_disk, options), folder / "b");
  EXPECT_EQ(read_file(folder / "a"), read_file(folder / "b"));
}

TEST(Project, ACutPartsTheInstancesOfAFrameAndIsTakenBackOrErased) {
  const dataset::TestFolder folder;
  std::optional<Project> project(std::in_place, folder / "p");
  begin(*project);
  project->add_frame("three", plain_frame(60, 80));
  const std::uint16_t chair = project->add_class("chair", {70, 80, 90});
  const auto steps = [](int col, int row) { return Point{col * kStepsPerPixel, row * kStepsPerPixel}; };
  const auto instances = [&] {
    project->write_truth();
    const std::filesystem::path file = folder / "p" / "three_instances.png";
    return std::filesystem::exists(file) ? dataset::read_instances(file) : image::InstanceImage();
  };
  project->add_stroke(2, {.tool = Tool::kPolygon,
                          .class_id = chair,
                          .points = {steps(10, 10), steps(70, 10), steps(70, 50), steps(10, 50)}});
  EXPECT_TRUE(instances().empty());
  project->mark_done(2, true);
  EXPECT_EQ(instances()(30, 15), 1);
  EXPECT_EQ(instances()(30, 65), 1);
  EXPECT_EQ(instances()(5, 5), image::kNoInstance);
  project->mark_done(2, false);
  project->lock_class(chair, true);
  const Stroke cut = {.tool = Tool::kCut, .radius = kStepsPerPixel, .points = {steps(55, 0), steps(55, 60)}};
  const std::vector<std::string> before = labels_of(*project, 2);
  project->add_stroke(2, cut);
  project.reset();
  project.emplace(folder / "p");
  EXPECT_EQ(labels_of(*project, 2), before) << "a cut is no label";
  EXPECT_EQ(instances()(30, 15), 1);
  EXPECT_EQ(instances()(30, 65), 2);
  EXPECT_EQ(instances()(30, 56), 2) << "its own pixels belong to a side";
  EXPECT_EQ(project->undo(2), 2u);
  EXPECT_TRUE(instances().empty());
  EXPECT_EQ(project->redo(2), 2u);
  project->add_stroke(2, {.radius = 2 * kStepsPerPixel, .points = {steps(55, 30)}});
  const Array2<std::uint8_t> cuts = project->cuts_reader(2)();
  EXPECT_EQ(cuts(5, 55), 1);
  EXPECT_EQ(cuts(30, 55), 0) << "an eraser takes it away";
}

TEST(Project, TruthIsWrittenAgainWhereItChanged) {
  const dataset::TestFolder folder;
  Project project(folder / "p");
  begin(project);
  project.add_stroke(0, dot_at(0, 0, 0));
  project.write_truth();
  const auto truth = [&](const char* name) { return folder / "p" / (std::string(name) + "_ground_truth.png"); };
  EXPECT_EQ(dataset::read_truth(truth("one"))(0, 0), (image::Rgb{10, 20, 30}));
  EXPECT_EQ(dataset::read_truth(truth("two"))(0, 0), image::Rgb{});
  std::filesystem::remove(truth("two"));
  project.change_class(1, "wall", {1, 1, 1});
  project.write_truth();
  EXPECT_TRUE(std::filesystem::exists(truth("two"))) << "a colour is in every truth";
  std::filesystem::remove(truth("two"));
  project.undo(0);
  project.write_truth();
  EXPECT_EQ(dataset::read_truth(truth("one"))(0, 0), image::Rgb{});
  EXPECT_FALSE(std::filesystem::exists(truth("two")));
}

}  // namespace
}  // namespace fernwood::teach
