// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/recordings/frame_source.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "dataset/frame_files.h"
#include "fernwood/core/text.h"
#include "fernwood/formats/open_source.h"
#include "sentences.h"

namespace fernwood::recordings {

using namespace dataset;

namespace {

using Names = std::vector<std::string>;

std::vector<CapturedFrame> all_of(FrameSource& source, std::size_t most = 100) {
  std::vector<CapturedFrame> frames;
  while (frames.size() < most) {
    std::optional<CapturedFrame> frame = source.next();
    if (!frame) break;
    frames.push_back(std::move(*frame));
  }
  return frames;
}

Names names_of(const std::vector<CapturedFrame>& frames) {
  Names names;
  for (const CapturedFrame& frame : frames) names.push_back(frame.name);
  return names;
}

std::string url(const char* kind, const TestFolder& folder) { return std::string(kind) + ":" + folder.path().string(); }

class OneMap final : public encoder::Encoder {
 public:
  const encoder::EncoderInfo& info() const override { return info_; }

 protected:
  image::SuppliedMaps compute(const image::Frame&) const override { return {1, 1, 1, {0.5f}}; }

 private:
  encoder::EncoderInfo info_ = {"one", ""};
};

TEST(FramesSource, DeliversTheNativeLayoutInOrderOfNamesWithoutTruth) {
  const TestFolder folder;
  for (const std::string name : {"b", "a", "c"}) {
    add_color(folder, name, 2, 3, {static_cast<std::uint8_t>(name.back()), 1, 2});
    add_depth(folder, name, 2, 3, 1500);
  }
  const auto source = formats::open_source(url("frames", folder));
  EXPECT_TRUE(source->has_color() && source->has_depth());
  EXPECT_FALSE(source->is_live());
  const std::vector<CapturedFrame> frames = all_of(*source);
  EXPECT_EQ(names_of(frames), (Names{"a", "b", "c"}));
  EXPECT_EQ(frames[1].frame->color(1, 2), (image::Rgb{'b', 1, 2}));
  EXPECT_EQ(frames[1].frame->depth_mm(1, 2), 1500);
  EXPECT_DOUBLE_EQ(frames[2].time_s, 2 / 30.0);  // without times: 30 frames per second
  EXPECT_FALSE(source->next().has_value()) << "the end stays the end";
}

TEST(FramesSource, DatasetTomlScalesDepth) {
  const TestFolder folder;
  add_depth(folder, "a", 2, 3, 7);
  folder.write("dataset.toml", std::string("depth_scale = 100.0\n"));
  const auto source = formats::open_source(url("frames", folder));
  EXPECT_FALSE(source->has_color());
  EXPECT_EQ(source->next()->frame->depth_mm(0, 0), 700);
}

TEST(FramesSource, DatasetTomlTellsTheCamera) {
  const TestFolder folder;
  add_depth(folder, "a");
  add_depth(folder, "b");
  EXPECT_FALSE(formats::open_source(url("frames", folder))->has_camera());
  EXPECT_FALSE(formats::open_source(url("frames", folder))->next()->frame->camera.has_value());
  folder.write("dataset.toml", std::string("sensor = \"azure\"\nup = [1, 0, 0]\n"));
  folder.write("b_up.txt", std::string("0 0 1"));
  const auto source = formats::open_source(url("frames", folder));
  EXPECT_TRUE(source->has_camera());
  const std::vector<CapturedFrame> frames = all_of(*source);
  EXPECT_EQ(frames[0].frame->camera, image::find_sensor("azure")->camera);
  EXPECT_EQ(frames[0].frame->up, (image::Vector3{1.0f, 0.0f, 0.0f}));
  EXPECT_EQ(frames[1].frame->up, (image::Vector3{0.0f, 0.0f, 1.0f}));
}

TEST(FramesSource, DatasetTomlTellsTheCameraOfPairs) {
  const TestFolder folder;
  write_png(folder / "frame-0.color.png", Array2<image::Rgb>(2, 2));
  write_png16(folder / "frame-0.depth.png", Array2<std::uint16_t>(2, 2, 900));
  folder.write("dataset.toml", std::string("sensor = \"kinect\"\n"));
  EXPECT_EQ(formats::open_source(url("frames", folder))->next()->frame->camera, image::find_sensor("kinect")->camera);
}

image::RigidMotion moved_to(float x, float y, float z) { return {.translation = {x, y, z}}; }

TEST(FramesSource, PosesAreThoseOfPosesTxtByNames) {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c"}) add_depth(folder, name);
  EXPECT_FALSE(formats::open_source(url("frames", folder))->has_poses());
  folder.write("poses.txt", std::string("c 4 5 6 0 0 0 1\na 1 0 0 1 0 1 0 2 0 0 1 3 0 0 0 1\n"));
  const auto with_poses = formats::open_source(url("frames", folder), {.loop = true, .max_decoded = 3});
  EXPECT_TRUE(with_poses->has_poses());
  EXPECT_TRUE(with_poses->warnings().empty());
  const std::vector<CapturedFrame> frames = all_of(*with_poses, 6);
  EXPECT_EQ(frames[0].pose, moved_to(1, 2, 3));
  EXPECT_FALSE(frames[1].pose.has_value());
  EXPECT_EQ(frames[5].pose, moved_to(4, 5, 6));
  const auto mapped = with_encoder(formats::open_source(url("frames", folder)), std::make_shared<OneMap>(), 1);
  EXPECT_TRUE(mapped->has_poses());
  const std::optional<CapturedFrame> frame = mapped->next();
  EXPECT_EQ(frame->pose, moved_to(1, 2, 3));
  EXPECT_EQ(frame->frame->maps, (image::SuppliedMaps{1, 1, 1, {0.5f}}));
}

TEST(FramesSource, NamesInPosesTxtThatAreOfNoFrameAreTold) {
  const TestFolder folder;
  add_depth(folder, "a");
  folder.write("poses.txt", std::string("a 1 2 3 0 0 0 1\nx 1 2 3 0 0 0 1\n"));
  const auto source = formats::open_source(url("frames", folder));
  testdata::expect_sentence(join(source->warnings(), "\n"));
  folder.write("poses.txt", std::string("b 1 2 3 0 0 0 1\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("frames", folder)); });
}

TEST(FramesSource, PosesOfRecordingsInTheFolderAreToldToBeUnread) {
  const TestFolder folder;
  for (const std::string recording : {"a", "b"}) {
    folder.write(recording + "/times.txt", std::string("f 0\n"));
    folder.write(recording + "/poses.txt", std::string("f 1 2 3 0 0 0 1\n"));
    add_depth(folder, recording + "/f");
  }
  const auto source = formats::open_source(url("frames", folder));
  EXPECT_FALSE(source->has_poses());
  testdata::expect_sentence(join(source->warnings(), "\n"));
  for (const char* slash : {"", "/"}) {
    const auto one = formats::open_source("frames:" + (folder / "a").string() + slash);
    EXPECT_TRUE(one->has_poses());
    EXPECT_TRUE(one->warnings().empty());
  }
}

TEST(FramesSource, PairsHavePosesInFilesOfTheirOwn) {
  const TestFolder folder;
  for (const std::string name : {"frame-000000", "frame-000001", "frame-000002"}) {
    write_png(folder / (name + ".color.png"), Array2<image::Rgb>(2, 2));
    write_png16(folder / (name + ".depth.png"), Array2<std::uint16_t>(2, 2, 900));
  }
  folder.write("frame-000001.pose.txt", std::string("1 0 0 1.5\n0 1 0 -2\n0 0 1 0.25\n0 0 0 1\n"));
  folder.write("frame-000002.pose.txt", std::string("-inf -inf -inf -inf\n"));
  const auto source = formats::open_source(url("frames", folder));
  EXPECT_TRUE(source->has_poses());
  testdata::expect_sentence(join(source->warnings(), "\n"));
  const std::vector<CapturedFrame> frames = all_of(*source);
  EXPECT_FALSE(frames[0].pose.has_value());
  EXPECT_EQ(frames[1].pose, moved_to(1.5f, -2, 0.25f));
  EXPECT_FALSE(frames[2].pose.has_value());
}

TEST(FramesSource, IntrinsicsBesideTheFramesAreTheCameraWhereDatasetTomlNamesNone) {
  const TestFolder folder;
  add_depth(folder, "a", 2, 3, 900);
  folder.write("camera-intrinsics.txt", std::string("5.85e+01 0 1.5\n0 5.9e+01 1\n0 0 1\n"));
  const auto source = formats::open_source(url("frames", folder));
  EXPECT_EQ(source->next()->frame->camera, (image::Camera{3, 2, 58.5f, 59, 1.5f, 1}));
  const auto config = Dataset::open(folder.path(), {.ignored_colors = {}, .needs_truth = false}).config();
  EXPECT_EQ(config.camera, (image::Camera{3, 2, 58.5f, 59, 1.5f, 1})) << "the same for a data set";
  EXPECT_TRUE(config.camera_origin.ends_with("camera-intrinsics.txt"));
  folder.write("camera-intrinsics.txt", std::string("5 0 1 0 5 1 0 0\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("frames", folder)); });
  for (const std::string word : {"5,0", "5px"}) {
    folder.write("camera-intrinsics.txt", "5 0 1 0 5 1 0 0 1 " + word + "\n");
    testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("frames", folder)); });
  }
  folder.write("camera-intrinsics.txt", std::string("0 0 1 0 5 1 0 0 1\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("frames", folder)); });
  folder.write("dataset.toml", std::string("sensor = \"kinect\"\n"));
  EXPECT_EQ(formats::open_source(url("frames", folder))->next()->frame->camera, image::find_sensor("kinect")->camera);
}

TEST(FramesSource, ListsMaySpellNamesOtherwise) {
  const TestFolder folder;
  for (const char* name : {"f1", "f2"}) add_color(folder, name, 2, 2, {1, 2, 3});
  folder.write("times.txt", std::string("rgb\\f1.png 0.5\nF2_colors.png 0.75\n"));
  folder.write("poses.txt", std::string("F1 0 0 1 0 0 0 1\nrgb/f2.png 0 0 2 0 0 0 1\n"));
  const auto source = formats::open_source("frames:" + folder.path().string());
  EXPECT_EQ(source->next()->time_s, 0.5);
  EXPECT_EQ(source->next()->pose->translation.z, 2);
}

TEST(FramesSource, OrientationTagsAreWarnedOf) {
  const TestFolder folder;
  folder.write("f0_colors.jpg", with_exif(encode_jpeg(Array2<image::Rgb>(2, 2)), exif_of(3)));
  testdata::expect_sentence(join(formats::open_source("frames:" + folder.path().string())->warnings(), "\n"));
}

TEST(FramesSource, DeliversPairs) {
  const TestFolder folder;
  for (const std::string name : {"frame-000000", "frame-000001"}) {
    write_png(folder / (name + ".color.png"), Array2<image::Rgb>(2, 2, {9, 8, 7}));
    write_png16(folder / (name + ".depth.png"), Array2<std::uint16_t>(2, 2, 65535));  // unknown depth in 7-Scenes
  }
  const std::vector<CapturedFrame> frames = all_of(*formats::open_source(url("frames", folder)));
  EXPECT_EQ(names_of(frames), (Names{"frame-000000", "frame-000001"}));
  EXPECT_EQ(frames[0].frame->color(0, 0), (image::Rgb{9, 8, 7}));
  EXPECT_EQ(frames[0].frame->depth_mm(0, 0), 0);
  std::filesystem::remove(folder / "frame-000001.depth.png");
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("frames", folder)); });
}

TEST(FramesSource, LoopBeginsAgain) {
  const TestFolder folder;
  add_depth(folder, "a");
  add_depth(folder, "b");
  const auto source = formats::open_source(url("frames", folder), {.loop = true});
  EXPECT_EQ(names_of(all_of(*source, 5)), (Names{"a", "b", "a", "b", "a"}));
  source->stop();
  EXPECT_FALSE(source->next().has_value());
}

TEST(FramesSource, DecodedBeforehandNeedsTheFilesNoMore) {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c"}) add_depth(folder, name, 2, 3, 1234);
  const auto source = formats::open_source(url("frames", folder), {.loop = true, .max_decoded = 2});
  for (const char* name : {"a", "b", "c"}) std::filesystem::remove(folder / (std::string(name) + "_depth.png"));
  const std::vector<CapturedFrame> frames = all_of(*source, 4);
  EXPECT_EQ(names_of(frames), (Names{"a", "b", "a", "b"}));
  EXPECT_EQ(frames[0].frame, frames[2].frame) << "not copied";
  EXPECT_EQ(frames[3].frame->depth_mm(0, 0), 1234);
}

TEST(FramesSource, DamagedFrameIsAnErrorWhenItIsReached) {
  const TestFolder folder;
  add_depth(folder, "a");
  folder.write("b_depth.png", std::string("no image"));
  const auto source = formats::open_source(url("frames", folder));
  EXPECT_TRUE(source->next().has_value());
  testdata::expect_refused(ErrorKind::kData, [&] { source->next(); });
}

TEST(FramesSource, NothingThereIsASentence) {
  const TestFolder folder;
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source("frames:" + (folder / "none").string()); });
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("frames", folder)); });
}

/// A TUM recording; depth image i is i + 1 metres away.
void add_tum(const TestFolder& folder, const std::vector<double>& color_times, const std::vector<double>& depth_times) {
  std::filesystem::create_directories(folder / "rgb");
  std::filesystem::create_directories(folder / "depth");
  std::ofstream colors(folder / "rgb.txt"), depths(folder / "depth.txt");
  for (std::ofstream* file : {&colors, &depths}) file->imbue(std::locale::classic());
  colors << "# color images\n# timestamp filename\n";
  for (std::size_t i = 0; i < color_times.size(); ++i) {
    colors << color_times[i] << " rgb/c" << i << ".png\n";
    write_png(folder / ("rgb/c" + std::to_string(i) + ".png"), Array2<image::Rgb>(2, 2));
  }
  for (std::size_t i = 0; i < depth_times.size(); ++i) {
    depths << depth_times[i] << " depth/d" << i << ".png\n";
    write_png16(folder / ("depth/d" + std::to_string(i) + ".png"),
                Array2<std::uint16_t>(2, 2, static_cast<std::uint16_t>(5000 * (i + 1))));
  }
}

TEST(TumSource, AssociatesNearestTimesOnceEach) {
  const TestFolder folder;
  // c0 is nearest to d1 (2 ms), not d0 (15 ms); c1 is also nearest to d1, but c0 is nearer, so c1 gets d2 (10 ms); c2
  // has no partner within 20 ms.
  add_tum(folder, {1.000, 1.010, 2.000}, {0.985, 1.002, 1.020, 2.021});
  const auto source = formats::open_source(url("tum", folder));
  const std::vector<CapturedFrame> frames = all_of(*source);
  EXPECT_EQ(names_of(frames), (Names{"c0", "c1"}));
  EXPECT_EQ(frames[0].frame->depth_mm(0, 0), 2000);  // d1: 10000 steps of 1/5000 m
  EXPECT_EQ(frames[1].frame->depth_mm(0, 0), 3000);  // d2: 15000 steps
  EXPECT_DOUBLE_EQ(frames[1].time_s, 1.010);
  testdata::expect_sentence(join(source->warnings(), "\n"));
}

TEST(TumSource, PosesAreTheNearestOfGroundtruthTxt) {
  const TestFolder folder;
  add_tum(folder, {1.0, 2.0}, {1.0, 2.0});
  EXPECT_FALSE(formats::open_source(url("tum", folder))->has_poses());
  folder.write("groundtruth.txt", std::string("# t x y z qx qy qz qw\n0.99 9 9 9 0 0 0 1\n1.004 1 2 3 0 0 0 1\n"));
  const auto source = formats::open_source(url("tum", folder));
  EXPECT_TRUE(source->has_poses());
  EXPECT_EQ(source->next()->pose, moved_to(1, 2, 3));
  EXPECT_FALSE(source->next()->pose.has_value());
}

TEST(TumSource, DatasetTomlTellsTheCamera) {
  const TestFolder folder;
  add_tum(folder, {1.0}, {1.0});
  folder.write("dataset.toml", std::string("camera = {width = 4, height = 2, fx = 3, fy = 3, cx = 1, cy = 1}\n"));
  const auto source = formats::open_source(url("tum", folder));
  EXPECT_TRUE(source->has_camera());
  const CapturedFrame frame = *source->next();
  EXPECT_EQ(frame.frame->camera, (image::Camera{4, 2, 3.0f, 3.0f, 1.0f, 1.0f}));
  EXPECT_EQ(frame.frame->depth_mm(0, 0), 1000) << "depth stays that of TUM";
  folder.write("dataset.toml", std::string("sensor = \"sonar\"\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("tum", folder)); });
}

TEST(FileSources, ACameraThatIsProbablyMistakenIsToldOnceHoweverItIsGiven) {
  const std::string toml = "camera = {width = 3, height = 2, fx = 0.1, fy = 3, cx = 1, cy = 1}\n";
  const auto count_of = [](const char* kind, const TestFolder& folder) {
    int count = 0;
    for (const std::string& warning : formats::open_source(url(kind, folder))->warnings())
      count += warning.find("the camera's fx is 0.1 for a width of ") != std::string::npos ? 1 : 0;
    return count;
  };
  const TestFolder native, matrix, pairs, tum;
  add_depth(native, "a", 2, 3, 900);
  native.write("dataset.toml", toml);
  EXPECT_EQ(count_of("frames", native), 1);
  add_depth(matrix, "a", 2, 3, 900);
  matrix.write("camera-intrinsics.txt", std::string("0.1 0 1\n0 3 1\n0 0 1\n"));
  EXPECT_EQ(count_of("frames", matrix), 1);
  write_png(pairs / "f.color.png", Array2<image::Rgb>(2, 3));
  write_png16(pairs / "f.depth.png", Array2<std::uint16_t>(2, 3, 900));
  pairs.write("dataset.toml", toml);
  EXPECT_EQ(count_of("frames", pairs), 1);
  add_tum(tum, {1.0}, {1.0});
  tum.write("dataset.toml", toml);
  EXPECT_EQ(count_of("tum", tum), 1);
}

TEST(TumSource, WhatIsWrongIsASentence) {
  const TestFolder folder;
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("tum", folder)); });
  add_tum(folder, {1, 2}, {5, 6, 7});
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("tum", folder)); });
  folder.write("depth.txt", std::string("# comment\n\n1.0\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("tum", folder)); });
  folder.write("depth.txt", std::string("1,0 depth/1.0.png\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("tum", folder)); });
  for (const std::string outside : {"../other.png", "/etc/passwd", "rgb/../../other.png"}) {
    folder.write("rgb.txt", "1.0 " + outside + "\n");
    testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("tum", folder)); });
  }
  folder.write("rgb.txt", std::string("1.0 rgb/link.png\n"));
  folder.write("depth.txt", std::string("1.0 depth/d0.png\n"));
  write_png(folder / "rgb" / "near.png", Array2<image::Rgb>(2, 2));
  std::filesystem::create_symlink("near.png", folder / "rgb" / "link.png");
  EXPECT_NO_THROW(formats::open_source(url("tum", folder)));
  const TestFolder elsewhere;
  write_png(elsewhere / "private.png", Array2<image::Rgb>(2, 2));
  std::filesystem::remove(folder / "rgb" / "link.png");
  std::filesystem::create_symlink(elsewhere / "private.png", folder / "rgb" / "link.png");
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("tum", folder)); });
  std::string equal_times;
  for (int i = 0; i < 20000; ++i) equal_times += "1.0 a.png\n";
  folder.write("rgb.txt", equal_times);
  folder.write("depth.txt", equal_times);
  testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(url("tum", folder)); });
}

TEST(OpenSource, UnknownKindsAreUsageErrors) {
  for (const char* place : {"somewhere", "sonar:0", "../sonar:0"})
    EXPECT_EQ(error_of([&] { formats::open_source(place); }).value().kind(), ErrorKind::kUsage) << place;
}

}  // namespace
}  // namespace fernwood::recordings
