// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Labels of a data set read with the classes of a model.

#include <gtest/gtest.h>

#include "dataset/frame_files.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {
namespace {

TEST(ModelClasses, AClassOfAnotherNameThanTheModelsIsRefused) {
  const TestFolder folder;
  add_frame(folder, "a", std::vector<image::Rgb>(6, kRed));
  folder.write("dataset.toml", std::string("classes = [{name = \"chair\", color = [255, 0, 0]}]"));
  const Dataset dataset = Dataset::open(folder.path());
  const auto read = [&](const std::string& name) {
    return dataset.read_labels(0, image::ClassMap{{{name, kRed}}, {}, {}});
  };
  expect_error([&] { read("sofa"); }, ErrorKind::kData,
               {"the class chair has the colour (255, 0, 0), which is that of the class sofa in the model",
                "list the classes with the model's names, order and colours: sofa (255, 0, 0)"});
  EXPECT_EQ(read("chair")(0, 0), 0);
  EXPECT_EQ(read("#ff0000")(0, 0), 0) << "the model was trained without names";
}

TEST(ModelClasses, AClassOfAnotherNameThanTheModelsOfItsNumberIsRefused) {
  const auto dataset = [](const std::string& third) {
    image::Frame frame;
    frame.color = Array2<image::Rgb>(1, 1);
    return Dataset::from_memory(
        supply_of({{frame, image::LabelImage(1, 1, 2)}}, name_classes({"floor", "wall", third})));
  };
  const image::ClassMap model{name_classes({"floor", "wall", "sofa"}), {}, {}};
  expect_error([&] { dataset("chair").read_labels(0, model); }, ErrorKind::kData,
               {"the class chair has the colour", "of the class sofa in the model"});
  EXPECT_EQ(dataset("2").read_labels(0, model)(0, 0), 2) << "a number is not a name";
}

}  // namespace
}  // namespace fernwood::dataset
