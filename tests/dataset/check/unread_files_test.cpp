// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/check/unread_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "dataset/frame_files.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/check.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

using testing::IsEmpty;

const Bytes kAnyBytes = {1, 2, 3};

std::string warnings_of(const TestFolder& folder, bool needs_truth = true) {
  return join(Dataset::open(folder.path(), {.ignored_colors = {}, .needs_truth = needs_truth}).input_warnings(), "\n");
}

/// Two frames with colour and ground truth.
void add_color_frames(const TestFolder& folder) {
  for (const char* frame : {"f0", "f1"}) {
    add_color(folder, frame, 2, 3, {static_cast<std::uint8_t>(frame[1]), 1, 2});
    add_truth(folder, frame, std::vector<image::Rgb>(6, kFloor));
  }
}

TEST(UnreadFiles, DepthUnderAnyOtherNameIsToldInOneSentence) {
  for (const std::string name :
       {"_depth.npz", "_depth.h5",     "_depth.dpt", "_depth.mat",  "_depth.raw", "_depth.jpg",     "_Depth.png",
        "_DEPTH.png", "_depths.png",   "_dpt.png",   "-depth.png",  ".depth.png", "Depth.png",      "_dpeth.png",
        "_depth",     "_depth.png.gz", "_depth.txt", ".npy",        ".dpt",       "_depth_raw.png", "_raw.npy",
        "_depth.tga", "_disp.png",     "depth.png",  "_depth16.png"}) {
    const TestFolder folder;
    add_color_frames(folder);
    for (const char* frame : {"f0", "f1"}) folder.write(frame + name, kAnyBytes);
    testdata::expect_sentence(warnings_of(folder));
  }
}

TEST(UnreadFiles, DepthIsFoundByItsHeaderWhereTheNameSaysNothing) {
  const TestFolder folder;
  add_color_frames(folder);
  write_png16(folder / "f0_kinect.png", Array2<std::uint16_t>(2, 3, 2000));
  write_png16(folder / "f1.png", Array2<std::uint16_t>(2, 3, 2000));
  testdata::expect_sentence(warnings_of(folder));
}

TEST(UnreadFiles, NamesOfOtherFramesAndPrefixesAreRecognised) {
  const TestFolder folder;
  add_color_frames(folder);
  for (const char* name : {"depth_0001.png", "depth_0002.png", "x7_d.jpg"}) folder.write(name, kAnyBytes);
  testdata::expect_sentence(warnings_of(folder));
}

TEST(UnreadFiles, ColourUnderAnyOtherNameIsToldInOneSentence) {
  for (const std::string name :
       {"_color.png", "_rgb.png", "_image.jpg", "_img.jpg", "_Colors.png", "-colors.jpeg", ".color.jpg", ".jpg",
        "_colors.heic", "_colours.png", "_clors.png", "_colors.gif", "_left.jpg", "_photo.webp", "_leftImg8bit.png"}) {
    const TestFolder folder;
    for (const char* frame : {"f0", "f1"}) {
      add_depth(folder, frame);
      add_truth(folder, frame, std::vector<image::Rgb>(6, kFloor));
      folder.write(frame + name, kAnyBytes);
    }
    testdata::expect_sentence(warnings_of(folder));
  }
}

TEST(UnreadFiles, TruthUnderAnotherNameIsNamedWhereItIsMissing) {
  for (const std::string name :
       {"_label.png", "_labels.png", "_mask.png", "_gt.png", "_truth.png", "_seg.png", "_groundtruth.png", "-gt.png",
        "_GroundTruth.png", "_ground_truth.jpg", "_ground_truth.jpeg", "_ground_truth.npz", "_ground_truth.json",
        "_gtFine_color.png", "_label_img.png", "_ground_turth.png", ".json", "_ground_truth.gif"}) {
    const TestFolder folder;
    add_color(folder, "f0");
    folder.write("f0" + name, kAnyBytes);
    testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()); });
    EXPECT_THAT(warnings_of(folder, /*needs_truth=*/false), IsEmpty()) << name;
  }
}

TEST(UnreadFiles, JpegTruthIsRefusedSinceItChangesColours) {
  const TestFolder folder;
  add_color(folder, "f0");
  folder.write("f0_ground_truth.jpg", kAnyBytes);
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()); });
  ThreadPool pool(1);
  const DatasetReport report = check_dataset(folder.path(), {}, pool);
  EXPECT_EQ(report.num_errors(), 1u);
  testdata::expect_sentence(messages_of(report.problems));
}

TEST(UnreadFiles, AFrameThatLacksAPartIsToldWhatIsThereInItsPlace) {
  const TestFolder folder;
  for (const char* frame : {"f0", "f1"}) add_frame(folder, frame);
  std::filesystem::rename(folder / "f1_depth.png", folder / "f1_Depth.png");
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()); });
  std::filesystem::rename(folder / "f1_Depth.png", folder / "f1_depth.png");
  std::filesystem::rename(folder / "f1_colors.png", folder / "f1_rgb.png");
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()); });
}

TEST(UnreadFiles, AWholeFrameUnderOtherNamesIsNamed) {
  const TestFolder folder;
  add_frame(folder, "f0");
  for (const char* name : {"f9_color.png", "f9_gt.png", "f9_dpt.png"}) folder.write(name, kAnyBytes);
  testdata::expect_sentence(warnings_of(folder));
}

/// The note on a journal: its size of 52 bytes and the checksum of its last line.
constexpr const char* kNoteOfJournal = "52 0123456789abcdef\n";
void write_journal(const TestFolder& folder) {
  folder.write("strokes.journal", "fernwood strokes 1\n0123456789abcdef {\"frame\": \"f0\"}\n");
  folder.write("dataset.toml", "");
}

TEST(UnreadFiles, TruthThatIsOlderThanTheStrokesIsRefused) {
  const TestFolder folder;
  add_frame(folder, "f0");
  write_journal(folder);
  for (const char* noted : {"", "52\n", "53 0123456789abcdef\n", "52 0123456789abcdee\n", "x"}) {
    folder.write("strokes.truth", noted);
    testdata::expect_refused(ErrorKind::kData, [&] { warnings_of(folder); });
  }
  folder.write("strokes.truth", kNoteOfJournal);
  EXPECT_THAT(warnings_of(folder), IsEmpty());
}

TEST(UnreadFiles, FramesOfSubFoldersBesideThoseThatAreReadAreNamed) {
  const TestFolder folder;
  add_frame(folder, "f0");
  std::filesystem::create_directories(folder / "room");
  add_frame(folder, "room/f1");
  testdata::expect_sentence(warnings_of(folder));
}

TEST(UnreadFiles, WhatBelongsToSomethingElseIsNotNamed) {
  const TestFolder folder;
  add_frame(folder, "f0");
  add_frame(folder, "f1");
  std::filesystem::create_directories(folder / "test");
  std::istringstream names(
      "README README.md notes.txt Thumbs.db .f0_depth.npy ._f0_colors.png classes.txt times strokes.journal "
      "strokes.journal.torn report.html model.fernwood f0_labels.png f0_labels.npy f0_overlay.png f0_panel.png "
      "f0_view.png f0_probabilities.npy f0_probability_floor.png f0_mask.png f0_colors.jpg f0_depth.npy f0.json "
      "f0_normals.png preview.png roi_mask.png logo_image.png model.report.json names.txt lines.txt rooms.txt "
      "train.toml datasheet.txt LICENSE convert.py test/f0_depth.npy");
  for (std::string name; names >> name;) folder.write(name, kAnyBytes);
  write_journal(folder);
  folder.write("strokes.truth", kNoteOfJournal);
  std::filesystem::remove(folder / "times");
  EXPECT_THAT(warnings_of(folder), IsEmpty());
  EXPECT_THAT(warnings_of(folder, /*needs_truth=*/false), IsEmpty());
}

TEST(UnreadFiles, OutputsBesideColourAloneAreNotTakenForDepth) {
  const TestFolder folder;
  add_color_frames(folder);
  for (const char* name : {"f0_labels.npy", "f0_probabilities.npy", "f0_probability_floor.png", "f0_overlay.png",
                           "model.pt", "weights.h5", "results.npz", "run.dat"})
    folder.write(name, kAnyBytes);
  EXPECT_THAT(warnings_of(folder), IsEmpty());
}

TEST(UnreadFiles, FoldersOfWhatFramesLackAreNamed) {
  const TestFolder folder;
  add_color_frames(folder);
  for (const char* name : {"depth/train/f0.png", "rgb/f0.png", "labels/f0.png", "scratch/f0.png"})
    folder.write(name, kAnyBytes);
  testdata::expect_sentence(warnings_of(folder));
}

TEST(UnreadFiles, MisspeltTextsAreNamed) {
  for (const char* name :
       {"Dataset.toml",    "dataset.TOML", "dataset.toml.txt", "poses.txt.txt",  "Times.txt.txt", "groups.txt.TXT",
        "dataset.tml",     "datset.toml",  "datasets.toml",    "dataset.json",   "dataset.yaml",  "group.txt",
        "groups.csv",      "Groups.txt",   "time.txt",         "timestamps.txt", "Poses.TXT",     "pose.csv",
        "intrinsics.json", "f0_up.csv",    "f0_Up.txt"}) {
    const TestFolder folder;
    add_frame(folder, "f0");
    folder.write(name, kAnyBytes);
    testdata::expect_sentence(warnings_of(folder));
  }
}

TEST(UnreadFiles, FramesThatTimesDoesNotNameAreToldWhenTheyAreWhole) {
  const TestFolder folder;
  for (const char* frame : {"f0", "f1", "f2"}) add_frame(folder, frame);
  add_color(folder, "f3");
  folder.write("times.txt", std::string("f0 0.1\n"));
  testdata::expect_sentence(warnings_of(folder));
}

TEST(UnreadFiles, AFolderWithoutFramesSaysWhatItHolds) {
  const std::vector<std::vector<std::string>> cases = {{"f0_color.png", "f1_color.png", "f0_Depth.png"},
                                                       {"SegmentationClass/1.png", "JPEGImages/1.jpg"},
                                                       {"rgb/1.png", "depth/1.png", "rgb.txt"},
                                                       {"0001.png", "0002.png"},
                                                       {"kitchen/f0_colors.png"},
                                                       {"kitchen/f0_colors.png", "hall/f0_colors.png", "notes/a.txt"},
                                                       {"a/f0_colors.png", "b/f0_colors.png", "c/f0_colors.png",
                                                        "d/f0_colors.png", "e/f0_colors.png", "f/f0_colors.png"},
                                                       {"0001.jpg"}};
  for (const std::vector<std::string>& names : cases) {
    const TestFolder folder;
    for (const std::string& name : names) folder.write(name, kAnyBytes);
    testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path(), {}, "train"); });
  }
}

}  // namespace
}  // namespace fernwood::dataset
