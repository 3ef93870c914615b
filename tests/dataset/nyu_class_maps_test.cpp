// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/nyu_class_maps.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "dataset/dataset_folder.h"
#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// Maps label names to class names.
std::map<std::string, std::string> class_names(int num_classes) {
  const NyuClasses classes = nyu_classes(num_classes);
  std::map<std::string, std::string> names;
  for (const auto& [label, index] : classes.class_of_label) names[label] = classes.classes.at(index).name;
  return names;
}

/// Number of the 894 labels in each class.
std::map<std::string, int> labels_per_class(int num_classes) {
  const std::map<std::string, std::string> class_of = class_names(num_classes);
  std::map<std::string, int> counts;
  for (const std::string& label : nyu_label_names()) ++counts[class_of.at(label)];
  return counts;
}

TEST(NyuClassMaps, The894LabelsHaveTheirStandardNumbers) {
  const std::vector<std::string> names = nyu_label_names();
  ASSERT_EQ(names.size(), 894u);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 894u);
  EXPECT_EQ(names[1 - 1], "book");
  EXPECT_EQ(names[11 - 1], "floor");
  EXPECT_EQ(names[21 - 1], "wall");
  EXPECT_EQ(names[331 - 1], "person");
  EXPECT_EQ(names[446 - 1], "stacked bins  boxes");
  EXPECT_EQ(names[894 - 1], "torah");
}

TEST(NyuClassMaps, EveryLabelHasAClassAndTheClassesTheirNumberOfLabels) {
  EXPECT_THAT(labels_per_class(4),
              ElementsAre(Pair("floor", 1), Pair("furniture", 95), Pair("prop", 721), Pair("structure", 77)));
  EXPECT_THAT(labels_per_class(13),
              ElementsAre(Pair("bed", 1), Pair("books", 1), Pair("ceiling", 1), Pair("chair", 1), Pair("floor", 2),
                          Pair("furniture", 89), Pair("objects", 789), Pair("picture", 1), Pair("sofa", 1),
                          Pair("table", 2), Pair("tv", 1), Pair("wall", 2), Pair("window", 3)));
  std::map<std::string, int> expected = {{"otherstructure", 68}, {"otherfurniture", 82}, {"otherprop", 707}};
  for (const image::ClassInfo& info : nyu_classes(40).classes) expected.emplace(info.name, 1);  // classes of one label
  EXPECT_EQ(labels_per_class(40), expected);
}

// Two tables from different sources, Gupta's and Silberman's groups, agree wherever both define a class.
TEST(NyuClassMaps, TheOtherClassesOfFortyAreTheStructuralClasses) {
  const std::map<std::string, std::string> structural = {
      {"otherstructure", "structure"}, {"otherfurniture", "furniture"}, {"otherprop", "prop"}};
  const std::map<std::string, std::string> four = class_names(4);
  for (const auto& [label, forty] : class_names(40)) {
    const auto other = structural.find(forty);
    if (other == structural.end())
      EXPECT_EQ(forty, label);  // the 37 classes of one label have its name
    else
      EXPECT_EQ(four.at(label), other->second) << label;
  }
}

TEST(NyuClassMaps, ThirteenClassesGatherForty) {
  const std::map<std::string, std::string> thirteen = class_names(13);
  std::map<std::string, std::set<std::string>> gathered;
  for (const auto& [label, forty] : class_names(40)) gathered[forty].insert(thirteen.at(label));
  for (const auto& [forty, classes] : gathered) EXPECT_EQ(classes.size(), 1u) << forty;
  EXPECT_EQ(thirteen.at("door"), "wall");
  EXPECT_EQ(thirteen.at("desk"), "table");
  EXPECT_EQ(thirteen.at("curtain"), "window");
  EXPECT_EQ(thirteen.at("floor mat"), "floor");
  EXPECT_EQ(thirteen.at("whiteboard"), "objects");
  EXPECT_EQ(thirteen.at("counter"), "furniture");
}

TEST(NyuClassMaps, ColoursAreAsDocumented) {
  EXPECT_THAT(nyu_classes(4).classes,
              ElementsAre(image::ClassInfo{"floor", {7, 54, 66}}, image::ClassInfo{"structure", {147, 161, 161}},
                          image::ClassInfo{"furniture", {203, 75, 22}}, image::ClassInfo{"prop", {181, 137, 0}}));
  EXPECT_EQ(nyu_classes(13).classes[0], (image::ClassInfo{"bed", {0, 0, 255}}));
  EXPECT_EQ(nyu_classes(13).classes[12], (image::ClassInfo{"window", {225, 228, 194}}));
  // Pascal VOC's colour 40 = binary 101 000: the low three bits are 0; the next three, 101, set 64 in red and blue.
  EXPECT_EQ(nyu_classes(40).classes[39], (image::ClassInfo{"otherprop", {64, 0, 64}}));
}

TEST(NyuClassMaps, ThePalettesAreValidDatasetFiles) {
  // A package has the source folder elsewhere.
  const char* const root = std::getenv("FERNWOOD_SOURCE_DIR");
  const auto folder = std::filesystem::path(root ? root : FERNWOOD_SOURCE_DIR) / "datasets" / "nyu";
  for (const int num_classes : {4, 13, 40}) {
    const DatasetConfig config = read_dataset_config(folder / ("classes" + std::to_string(num_classes) + ".toml"));
    EXPECT_EQ(config.camera, image::find_sensor("nyu")->camera);
    EXPECT_EQ(config.classes.size(), static_cast<std::size_t>(num_classes));
    EXPECT_EQ(config.classes, nyu_classes(num_classes).classes);
  }
}

TEST(NyuClassMaps, AnotherNumberOfClassesIsRefused) {
  testdata::expect_refused(ErrorKind::kUsage, [] { nyu_classes(37); });
}

}  // namespace
}  // namespace fernwood::dataset
