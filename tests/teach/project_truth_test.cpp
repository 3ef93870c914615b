// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Ground truth of a project that does not match its strokes is rewritten or refused, never used.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "dataset/test_files.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/check.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/teach/project.h"
#include "sentences.h"

namespace fernwood::teach {
namespace {

namespace fs = std::filesystem;

class ProjectTruth : public testing::Test {
 protected:
  ProjectTruth() { make("p", 1); }

  /// A project of two frames, each with a dot of the first class in this column.
  void make(const char* name, int column) {
    Project project(folder_ / name);
    project.add_class("floor", {200, 0, 0});
    image::Frame frame;
    frame.color = Array2<image::Rgb>(6, 8, {1, 2, 3});
    for (const char* frame_name : {"one", "two"}) draw(project, project.add_frame(frame_name, frame), column);
    project.write_truth();
  }
  static void draw(Project& project, std::size_t frame, int column) {
    project.add_stroke(frame, {.class_id = 0, .points = {{column * kStepsPerPixel + 4, kStepsPerPixel + 4}}});
  }
  fs::path truth(const char* frame) const { return folder_ / "p" / (std::string(frame) + "_ground_truth.png"); }
  std::string refusal() const {
    try {
      dataset::Dataset::open(folder_ / "p");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      return error.what();
    }
    return "";
  }

  /// [name] Contents of the files of a folder.
  std::map<std::string, std::vector<std::uint8_t>> files_in(const char* name) const {
    std::map<std::string, std::vector<std::uint8_t>> files;
    for (const auto& entry : fs::directory_iterator(folder_ / name))
      files[entry.path().filename().string()] = read_file(entry.path());
    return files;
  }

  const dataset::TestFolder folder_;
};

TEST_F(ProjectTruth, IsTakenWhereItIsThatOfTheStrokes) {
  EXPECT_EQ(refusal(), "");
  bring_truth_up_to_date(folder_ / "p");
  EXPECT_EQ(refusal(), "");
}

TEST_F(ProjectTruth, OfAnotherJournalOfTheSameLengthIsWrittenAgain) {
  make("q", 5);
  const fs::path journal = folder_ / "p" / "strokes.journal", other = folder_ / "q" / "strokes.journal";
  ASSERT_EQ(fs::file_size(journal), fs::file_size(other));
  fs::copy_file(other, journal, fs::copy_options::overwrite_existing);
  testdata::expect_sentence(refusal());
  bring_truth_up_to_date(folder_ / "p");
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(read_file(truth("one")), read_file(folder_ / "q" / "one_ground_truth.png"));
}

TEST_F(ProjectTruth, ThatWasRemovedIsWrittenAgain) {
  for (const fs::path& file : {truth("two"), folder_ / "p" / "dataset.toml", folder_ / "p" / "strokes.truth"}) {
    const std::vector<std::uint8_t> before = read_file(file);
    fs::remove(file);
    testdata::expect_sentence(refusal());
    bring_truth_up_to_date(folder_ / "p");
    EXPECT_EQ(refusal(), "") << file;
    EXPECT_EQ(read_file(file), before);
  }
}

/// A changed file may be the user's work: it must be neither overwritten nor taken for the strokes' labels.
TEST_F(ProjectTruth, ThatSomebodyChangedIsRefusedAndStays) {
  dataset::write_png(truth("two"), Array2<image::Rgb>(6, 8, {200, 0, 0}));
  const std::vector<std::uint8_t> changed = read_file(truth("two"));
  bring_truth_up_to_date(folder_ / "p");
  EXPECT_EQ(read_file(truth("two")), changed);
  testdata::expect_sentence(refusal());
  ThreadPool pool(1);
  EXPECT_GT(dataset::check_dataset(folder_ / "p", {}, pool).num_errors(), 0u);
  fs::rename(folder_ / "p" / "strokes.journal", folder_ / "away");
  EXPECT_EQ(refusal(), "") << "as the sentence says";
  fs::rename(folder_ / "away", folder_ / "p" / "strokes.journal");
  fs::remove(truth("two"));
  bring_truth_up_to_date(folder_ / "p");
  EXPECT_EQ(refusal(), "") << "as the sentence says, too";
}

TEST_F(ProjectTruth, IsNotWrittenToAFolderThatTookTheProjectsPlace) {
  make("q", 5);
  const auto before = files_in("q");
  image::Frame frame;
  frame.color = Array2<image::Rgb>(6, 8, {1, 2, 3});
  for (const int num_written : {0, 1, 2, 3}) {  // dataset.toml, two pictures; then the note
    Project project(folder_ / "p");
    draw(project, 0, 2);
    for (int i = 0; i < num_written; ++i) EXPECT_TRUE(project.write_some_truth());
    fs::rename(folder_ / "p", folder_ / "away");
    fs::rename(folder_ / "q", folder_ / "p");
    testdata::expect_refused(ErrorKind::kRuntime, [&] { project.write_some_truth(); });
    testdata::expect_refused(ErrorKind::kRuntime, [&] { project.add_frame("three", frame); });
    EXPECT_EQ(files_in("p"), before) << num_written;
    fs::rename(folder_ / "p", folder_ / "q");
    fs::rename(folder_ / "away", folder_ / "p");
    project.write_truth();
    EXPECT_EQ(refusal(), "") << "once the project is back";
  }
}

TEST_F(ProjectTruth, ThatCannotBeWrittenIsToldWhenTheProjectIsOpened) {
  for (const char* name : {"dataset.toml", "poses.txt", "strokes.truth", "two_ground_truth.png"}) {
    fs::remove(folder_ / "p" / name);
    fs::create_directory(folder_ / "p" / name);
    testdata::expect_refused(ErrorKind::kRuntime, [&] { Project project(folder_ / "p"); });
    fs::remove(folder_ / "p" / name);
  }
  Project project(folder_ / "p");
  fs::create_directory(folder_ / "p" / "three_ground_truth.png");
  image::Frame frame;
  frame.color = Array2<image::Rgb>(6, 8, {1, 2, 3});
  testdata::expect_refused(ErrorKind::kRuntime, [&] { project.add_frame("three", frame); });
  EXPECT_FALSE(fs::exists(folder_ / "p" / "three_colors.png"));
}

/// A killed run must leave nothing that looks like a change by the user.
TEST_F(ProjectTruth, HasNoNoteWhileItIsWritten) {
  Project project(folder_ / "p");
  EXPECT_TRUE(fs::exists(folder_ / "p" / "strokes.truth"));
  while (project.write_some_truth()) {
    EXPECT_FALSE(fs::exists(folder_ / "p" / "strokes.truth"));
    testdata::expect_sentence(refusal());
  }
  EXPECT_EQ(refusal(), "");
  draw(project, 0, 3);
  testdata::expect_sentence(refusal());
}

/// Readers that need no ground truth get none, rather than that of other strokes.
TEST_F(ProjectTruth, ThatIsOldIsNotThereForThoseWhoDoWithout) {
  const dataset::DatasetOptions options = {.ignored_colors = {}, .needs_truth = false};
  const dataset::Dataset current = dataset::Dataset::open(folder_ / "p", options);
  EXPECT_EQ(current.files(0).truth, truth("one"));
  EXPECT_NO_THROW(current.check_truth_is_current());
  {
    Project project(folder_ / "p");
    draw(project, 0, 3);
  }
  const dataset::Dataset old = dataset::Dataset::open(folder_ / "p", options);
  for (const std::size_t frame : {0, 1}) EXPECT_TRUE(old.files(frame).truth.empty());
  testdata::expect_sentence(old.truth_problem());
  EXPECT_THROW(old.check_truth_is_current(), Error);
}

}  // namespace
}  // namespace fernwood::teach
