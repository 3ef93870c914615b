// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/name_lookup.h"

#include <gmock/gmock.h>

#include "dataset/dataset_folder.h"
#include "dataset/frame_files.h"
#include "fernwood/dataset/frame_poses.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NameLookup, TheNearestFoldersDecide) {
  const NameLookup lookup({"a.png", "left/a.png", "right/a.png", "right/b.JPG", "b/c.png", "B/c.png"}, "/data/front");
  EXPECT_THAT(lookup.find("a.png"), ElementsAre("a.png")) << "the path itself";
  EXPECT_THAT(lookup.find("front/a.png"), ElementsAre("a.png")) << "from above the folder";
  EXPECT_THAT(lookup.find("x\\Right\\A.png"), ElementsAre("right/a.png"));
  EXPECT_THAT(lookup.find("back/a.png"), ElementsAre("a.png", "left/a.png", "right/a.png")) << "not told apart";
  EXPECT_THAT(lookup.find("B/c.png"), ElementsAre("B/c.png"));
  EXPECT_THAT(lookup.find("b"), ElementsAre("right/b.JPG")) << "a frame of a video has no ending";
  EXPECT_THAT(lookup.find("b.png"), IsEmpty()) << "another file";
  EXPECT_THAT(lookup.find(""), IsEmpty());
  EXPECT_THAT(lookup.find("100%"), IsEmpty());
}

TEST(NameLookup, BothUnicodeFormsAreOneName) {
  const NameLookup lookup({"\u1ec7\u0451\u304c\ud55c", "K\u00f6che", "\xff.png"});
  EXPECT_THAT(lookup.find("e\u0323\u0302\u0435\u0308\u304b\u3099\u1112\u1161\u11ab"),
              ElementsAre("\u1ec7\u0451\u304c\ud55c"));
  EXPECT_THAT(lookup.find("KO\u0308CHE.png"), ElementsAre("K\u00f6che"));
  EXPECT_THAT(lookup.find("K\u00fcche"), IsEmpty());
  EXPECT_THAT(lookup.find("\xff.PNG"), ElementsAre("\xff.png"));
}

TEST(NameLookup, ListsOfFramesMaySpellTheirNamesOtherwise) {
  const TestFolder folder;
  for (const char* name : {"f1", "f2"}) {
    add_color(folder, name, 2, 2, {1, 2, 3});
    add_depth(folder, name, 2, 2);
  }
  folder.write("times.txt", std::string("rgb\\f1.png 0.5\nF2_colors.png 0.75\n"));
  folder.write("poses.txt", std::string("F1 0 0 1 0 0 0 1\nrgb/f2.png 0 0 2 0 0 0 1\n"));
  folder.write("groups.txt", std::string("f1.jpg a\nF2 b\n"));
  DatasetOptions options;
  options.needs_truth = false;
  const Dataset data = Dataset::open(folder.path(), options);
  ASSERT_EQ(data.size(), 2u);
  EXPECT_THAT(data.groups(), ElementsAre(0, 1));
  const auto poses = find_poses(data, "room");
  EXPECT_EQ(poses.at(0)->pose.translation.z, 1);
  EXPECT_EQ(poses.at(1)->pose.translation.z, 2);
  EXPECT_THAT(pose_warnings(data), IsEmpty());
  EXPECT_EQ(read_times(folder.path(), {"f1", "f2"}).at("f2"), 0.75);
  testdata::expect_refused(ErrorKind::kData, [&] { parse_groups("f1 a\nF1 b\n", "groups.txt", {"f1"}); });
  testdata::expect_refused(ErrorKind::kData, [&] { parse_groups("f1.png a\nF1 b\n", "groups.txt", {"f1", "F1"}); });
}

}  // namespace
}  // namespace fernwood::dataset
