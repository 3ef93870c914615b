// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>

#include "dataset/frame_files.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/check.h"

namespace fernwood::dataset {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text_of(const std::filesystem::path& path) {
  const Bytes bytes = read_file(path);
  return {bytes.begin(), bytes.end()};
}

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ContactSheet, ShowsClassesProblemsAndThumbnails) {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c"}) add_frame(folder, name, {kFloor, kFloor, kFloor, kRed, kRed, kBlack});
  std::filesystem::resize_file(folder / "b_depth.png", 30);
  ThreadPool pool(2);
  write_contact_sheet(folder / "sheet.html", check_dataset(folder.path(), {}, pool), pool);
  const std::string page = text_of(folder / "sheet.html");
  EXPECT_THAT(page, HasSubstr("background:#073642\"></span>floor</td><td class=\"num\">9</td>"));  // 3 in each frame
  EXPECT_THAT(page, HasSubstr("b_depth.png: the PNG file is cut off"));
  EXPECT_THAT(page, HasSubstr("<div class=\"none\">depth cannot be read</div>"));
  EXPECT_EQ(count_of("<figure>", page), 3u);
  EXPECT_EQ(count_of("src=\"data:image/jpeg;base64,", page), 5u);  // 3 colour, 2 depth
  EXPECT_EQ(count_of("src=\"data:image/png;base64,", page), 3u);   // truth
}

TEST(ContactSheet, IsCompleteInItself) {
  const TestFolder folder;
  add_frame(folder, "a");
  ThreadPool pool(1);
  write_contact_sheet(folder / "sheet.html", check_dataset(folder.path(), {}, pool), pool);
  const std::string page = text_of(folder / "sheet.html");
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
}

TEST(ContactSheet, ShowsAtMostSoManyFramesEvenlySpread) {
  const TestFolder folder;
  for (const char* name : {"0", "1", "2", "3", "4", "5"}) add_color(folder, name);
  DatasetOptions options;
  options.needs_truth = false;
  ThreadPool pool(2);
  const DatasetReport report = check_dataset(folder.path(), options, pool);
  write_contact_sheet(folder / "sheet.html", report, pool, 3);
  const std::string page = text_of(folder / "sheet.html");
  EXPECT_EQ(count_of("<figure>", page), 3u);
  for (const char* name : {"0", "2", "4"})
    EXPECT_THAT(page, HasSubstr(std::string("<figcaption>") + name + "</figcaption>"));
  EXPECT_THAT(page, HasSubstr("There is no ground truth."));
}

TEST(ContactSheet, EscapesNames) {
  const TestFolder folder;
  add_frame(folder, "a<b>");
  ThreadPool pool(1);
  write_contact_sheet(folder / "sheet.html", check_dataset(folder.path(), {}, pool), pool);
  EXPECT_THAT(text_of(folder / "sheet.html"), HasSubstr("<figcaption>a&lt;b&gt;</figcaption>"));
}

TEST(ContactSheet, SaysWhereItCannotBeWritten) {
  const TestFolder folder;
  add_frame(folder, "a");
  ThreadPool pool(1);
  const DatasetReport report = check_dataset(folder.path(), {}, pool);
  expect_error([&] { write_contact_sheet(folder / "none/sheet.html", report, pool); }, ErrorKind::kRuntime,
               {"none/sheet.html"});
}

}  // namespace
}  // namespace fernwood::dataset
