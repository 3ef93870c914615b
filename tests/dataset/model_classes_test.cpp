// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Labels of a data set read with the classes of a model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/frame_files.h"
#include "fernwood/dataset/dataset.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

constexpr image::Rgb kGreen{0, 255, 0}, kBlue{0, 0, 255};

TEST(ModelClasses, AreMatchedByNameWhereverTheirColours) {
  const TestFolder folder;
  add_frame(folder, "a", {kRed, kGreen, kRed, kBlue, kRed, kGreen});
  folder.write("dataset.toml", std::string("classes = [{name = \"chair\", color = [255, 0, 0]},\n"
                                           "{name = \"sofa\", color = [0, 255, 0]},\n"
                                           "{name = \"lamp\", color = [0, 0, 255]}]"));
  const Dataset dataset = Dataset::open(folder.path());
  const image::ClassMap model{{{"sofa", kRed}, {"table", kBlue}, {"chair", {9, 9, 9}}}, {}, {}};
  const image::LabelImage labels = dataset.read_labels(0, model);
  EXPECT_THAT(std::vector(labels.begin(), labels.end()), testing::ElementsAre(2, 0, 2, image::kVoid, 2, 0));
  ThreadPool pool(1);
  testdata::expect_sentence(join(dataset.class_warnings(pool, model), "\n"));
  const image::ClassMap more{{{"lamp", kRed}, {"x", kGreen}, {"sofa", kBlue}, {"chair", {1, 1, 1}}}, {}, {}};
  EXPECT_THAT(dataset.class_warnings(pool, more), testing::IsEmpty());
  testdata::expect_refused(ErrorKind::kData, [&] {
    dataset.read_labels(0, image::ClassMap{{{"floor", kRed}}, {}, {}});
  });
  EXPECT_EQ(dataset.read_labels(0, image::ClassMap{{{"#ff0000", kRed}}, {}, {}})(0, 0), 0)
      << "the model was trained without names";
}

TEST(ModelClasses, InMemoryAreMatchedByNameToo) {
  const auto label = [](const std::string& third) {
    image::Frame frame;
    frame.color = Array2<image::Rgb>(1, 1);
    const Dataset dataset =
        Dataset::from_memory(supply_of({{frame, image::LabelImage(1, 1, 2)}}, name_classes({"floor", "wall", third})));
    return dataset.read_labels(0, {name_classes({"wall", "floor", "sofa"}), {}, {}})(0, 0);
  };
  EXPECT_EQ(label("chair"), image::kVoid);
  EXPECT_EQ(label("sofa"), 2);
  EXPECT_EQ(label("2"), 2) << "a number is not a name";
}

}  // namespace
}  // namespace fernwood::dataset
