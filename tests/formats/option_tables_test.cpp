// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/option_table.h"

#include <gmock/gmock.h>

#include "dataset/test_files.h"
#include "fernwood/formats/import.h"
#include "fernwood/recordings/frame_source.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

using testing::Contains;
using testing::ElementsAre;

template <typename Options>
void expect_defaults_are_values() {
  const Options defaults;
  for (const Option<Options>& row : Options::table()) {
    if (to_text(row.get(defaults)).empty()) continue;  // without a default
    Options options;
    EXPECT_NO_THROW(set_option(std::string(row.name), to_text(row.get(defaults)), options)) << row.name;
    EXPECT_EQ(to_text(row.get(options)), to_text(row.get(defaults))) << row.name;
  }
  EXPECT_NO_THROW(check_options(Options::table(), defaults));
}

TEST(DatasetOptionTables, EachDefaultIsAValueThatTheOptionTakes) {
  expect_defaults_are_values<DatasetOptions>();
  expect_defaults_are_values<recordings::SourceOptions>();
  expect_defaults_are_values<ImportOptions>();
  expect_defaults_are_values<ImportNyuOptions>();
  expect_defaults_are_values<SplitOptions>();
}

TEST(DatasetOptionTables, ColoursAreNumbersOrHexadecimalInOneList) {
  DatasetOptions options;
  set_option("ignored-colors", "181,137,0,#010203,4,5,6", options);
  EXPECT_THAT(options.ignored_colors, ElementsAre(image::Rgb{181, 137, 0}, image::Rgb{1, 2, 3}, image::Rgb{4, 5, 6}));
  EXPECT_EQ(to_text(find_option(DatasetOptions::table(), "ignored-colors")->get(options)), "#b58900,#010203,#040506");
  for (const char* text : {"1,2,#010203", "#010203,7,8,900", "#0102", "1,2,3,4"})
    testdata::expect_refused(ErrorKind::kUsage, [&] { set_option("ignored-colors", text, options); });
}

TEST(DatasetOptionTables, FormatsOfImportsHaveOptionsOfTheTable) {
  const std::vector<std::string> names = names_of_options(ImportOptions::table());
  for (const ImportFormat& format : import_formats()) {
    EXPECT_TRUE(format.has("depth-scale")) << format.name;
    for (const std::string_view option : format.own_options) EXPECT_THAT(names, Contains(option)) << format.name;
  }
}

TEST(DatasetOptionTables, WhatIsOutOfItsRangeNamesOptionValueAndRange) {
  for (const ImportOptions& options :
       {ImportOptions{.in = "scan", .min_confidence = 3}, ImportOptions{.in = "scan", .min_confidence = -1},
        ImportOptions{.in = "scan", .depth_scale_to_mm = 0}})
    testdata::expect_refused(ErrorKind::kUsage, [&] { plan_import("record3d", options); });
  for (const SplitOptions& options : {SplitOptions{.test = 1}, SplitOptions{.val = -0.5}})
    testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
}

}  // namespace
}  // namespace fernwood::formats
