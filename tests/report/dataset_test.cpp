// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>

#include "dataset/frame_files.h"
#include "fernwood/report/description.h"

namespace fernwood::report {
namespace {

using dataset::add_color, dataset::add_frame, dataset::kBlack, dataset::kFloor, dataset::kRed, dataset::TestFolder;
using testing::HasSubstr;

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
  EXPECT_EQ(table.find("0.00 m"), std::string::npos) << table;
  EXPECT_EQ(page_of(folder).find("median depth"), std::string::npos);
}

TEST(DatasetPage, EscapesNamesAndLoadsNothing) {
  const TestFolder folder;
  add_frame(folder, "a<b>");
  const std::string page = page_of(folder);
  for (const char* part : {"http://", "https://", "<script", "<link", "a<b>"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  EXPECT_THAT(page, HasSubstr("<figcaption>a&lt;b&gt;</figcaption>"));
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
    EXPECT_EQ(count_of(std::string("<figcaption>") + name + "</figcaption>", page), 1u) << name;
}

}  // namespace
}  // namespace fernwood::report
