// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>

#include "dataset/frame_files.h"
#include "fernwood/report/description.h"

namespace fernwood::report {
namespace {

using dataset::add_color, dataset::add_frame, dataset::kBlack, dataset::kFloor, dataset::kRed, dataset::TestFolder;
using testing::HasSubstr;
using testing::Not;

std::string page_of(const TestFolder& folder, std::size_t max_frames = 48,
                    const dataset::DatasetOptions& options = {}) {
  ThreadPool pool(2);
  return dataset_page(dataset::check_dataset(folder.path(), options, pool), pool, max_frames);
}

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(DatasetPage, ShowsClassesProblemsAndThumbnails) {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c"}) add_frame(folder, name, {kFloor, kFloor, kFloor, kRed, kRed, kBlack});
  std::filesystem::resize_file(folder / "b_depth.png", 30);
  const std::string page = page_of(folder);
  EXPECT_THAT(page, HasSubstr("background:#073642\"></span>floor</td><td class=\"num\">9</td>"));  // 3 in each frame
  EXPECT_THAT(page, HasSubstr("b_depth.png: the PNG file is cut off"));
  EXPECT_THAT(page, HasSubstr("<div class=\"none\">depth cannot be read</div>"));
  EXPECT_EQ(count_of("<figure>", page), 3u);
  EXPECT_EQ(count_of("src=\"data:image/jpeg;base64,", page), 5u);  // 3 colour images, 2 depth images
  EXPECT_EQ(count_of("src=\"data:image/png;base64,", page), 3u);   // ground truth
}

TEST(DatasetTable, DepthThatCouldNotBeReadHasNoFigures) {
  const TestFolder folder;
  add_frame(folder, "a");
  folder.write("a_depth.png", std::string("GIF89a"));
  ThreadPool pool(1);
  const std::string table = dataset_table(dataset::check_dataset(folder.path(), {}, pool));
  EXPECT_THAT(table, HasSubstr("none could be read"));
  EXPECT_THAT(table, Not(HasSubstr("0.00 m")));
  EXPECT_THAT(table, HasSubstr("a GIF picture; convert it to PNG"));
  EXPECT_THAT(page_of(folder), Not(HasSubstr("median depth")));
}

TEST(DatasetPage, IsCompleteInItself) {
  const TestFolder folder;
  add_frame(folder, "a");
  const std::string page = page_of(folder);
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
}

TEST(DatasetPage, HasTheNameOfAFolderThatEndsInASlash) {
  const TestFolder folder;
  add_frame(folder, "a");
  ThreadPool pool(1);
  EXPECT_THAT(dataset_page(dataset::check_dataset(folder.path() / "", {}, pool), pool, 1),
              HasSubstr("Data set " + folder.path().filename().string()));
}

TEST(DatasetPage, ShowsAtMostSoManyFramesEvenlySpread) {
  const TestFolder folder;
  for (const char* name : {"0", "1", "2", "3", "4", "5"}) add_color(folder, name);
  dataset::DatasetOptions options;
  options.needs_truth = false;
  const std::string page = page_of(folder, 3, options);
  EXPECT_EQ(count_of("<figure>", page), 3u);
  for (const char* name : {"0", "2", "4"})
    EXPECT_THAT(page, HasSubstr(std::string("<figcaption>") + name + "</figcaption>"));
  EXPECT_THAT(page, HasSubstr("There is no ground truth."));
}

TEST(DatasetPage, EscapesNames) {
  const TestFolder folder;
  add_frame(folder, "a<b>");
  EXPECT_THAT(page_of(folder), HasSubstr("<figcaption>a&lt;b&gt;</figcaption>"));
}

}  // namespace
}  // namespace fernwood::report
