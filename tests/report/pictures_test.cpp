// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "report/pictures.h"

#include <gtest/gtest.h>

#include "dataset/dataset_folder.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/image/labels.h"
#include "page/charts.h"

namespace fernwood::report {
namespace {

TEST(Pictures, NameTheirTypeAndContent) {
  const Array2<image::Rgb> picture(2, 2, image::Rgb{1, 2, 3});
  EXPECT_TRUE(photo(picture, "a \"b\"").starts_with("<img alt=\"a &quot;b&quot;\" src=\"data:image/jpeg;base64,"));
  EXPECT_EQ(flat_picture(picture, "x"),
            "<img alt=\"x\" src=\"" + page::data_address(dataset::encode_png(picture), "image/png") + "\">");
}

TEST(Pictures, ChartsHaveTheColoursOfClasses) {
  ASSERT_EQ(page::kNumSeriesColors, image::kNumChartColors);
  for (std::size_t i = 0; i < page::kNumSeriesColors; ++i)
    EXPECT_EQ(page::series_color(i), dataset::to_hex(image::class_palette()[i]));
}

}  // namespace
}  // namespace fernwood::report
