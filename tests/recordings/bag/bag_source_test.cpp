// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/source/recording.h"

#include <gtest/gtest.h>

#include "dataset/frame_files.h"
#include "fernwood/core/plugin.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/formats/import.h"
#include "fernwood/formats/open_source.h"
#include "recordings/bag/bag.h"
#include "recordings/bag/bag_writer.h"
#include "sentences.h"

namespace fernwood::recordings {

using namespace dataset;

namespace {

constexpr std::int64_t kStart = 1'700'000'000'000'000'000, kStep = 33'333'333, kLate = 4'000'000;

/// Three frames of 1 x 2 pixels: colours i, i + 1, … and, 4 ms later, depths 100 i + 1, 100 i + 2; also another topic.
std::vector<TestTopic> rgbd_topics(ros::MessageCoding coding = ros::MessageCoding::kCdr) {
  TestTopic color{"/camera/color/image_raw"}, depth{"/camera/aligned_depth_to_color/image_raw"};
  TestTopic chatter{"/chatter", "std_msgs/msg/String"}, info{"/camera/color/camera_info", "sensor_msgs/msg/CameraInfo"};
  if (coding == ros::MessageCoding::kRos1)
    for (TestTopic* topic : {&color, &depth, &info}) topic->type = ros::plain_type(topic->type);
  info.messages.emplace_back(kStart, info_message({}, coding));
  for (std::uint8_t i = 0; i < 3; ++i) {
    const std::int64_t stamp = kStart + i * kStep;
    const auto next = [&](int n) { return static_cast<std::uint8_t>(i + n); };
    const auto mm = static_cast<std::uint16_t>(100 * i);
    color.messages.emplace_back(
        stamp + 9,
        image_message({.stamp_ns = stamp, .data = {i, next(1), next(2), next(3), next(4), next(5)}}, coding));
    depth.messages.emplace_back(stamp + 99, image_message({.stamp_ns = stamp + kLate,
                                                           .encoding = "16UC1",
                                                           .data = ByteWriter()
                                                                       .number(static_cast<std::uint16_t>(mm + 1))
                                                                       .number(static_cast<std::uint16_t>(mm + 2))
                                                                       .bytes},
                                                          coding));
    chatter.messages.emplace_back(stamp + 50, Bytes{0, 1, 0, 0, 1, 0, 0, 0, 0});
  }
  return {chatter, color, depth, info};
}

std::vector<CapturedFrame> frames_of(FrameSource& source, std::size_t most = 100) {
  std::vector<CapturedFrame> frames;
  while (frames.size() < most) {
    std::optional<CapturedFrame> frame = source.next();
    if (!frame) break;
    frames.push_back(std::move(*frame));
  }
  return frames;
}

/// Expects that a source returns the first `count` frames of rgbd_topics().
void expect_frames(FrameSource& source, std::size_t count = 3) {
  const std::vector<CapturedFrame> frames = frames_of(source);
  ASSERT_EQ(frames.size(), count);
  for (std::uint8_t i = 0; i < count; ++i) {
    const auto next = [&](int n) { return static_cast<std::uint8_t>(i + n); };
    EXPECT_EQ(frames[i].frame->color, rgb_image(1, 2, {{i, next(1), next(2)}, {next(3), next(4), next(5)}}));
    const auto mm = static_cast<std::uint16_t>(100 * i);
    EXPECT_EQ(frames[i].frame->depth_mm,
              depth_image(1, 2, {static_cast<std::uint16_t>(mm + 1), static_cast<std::uint16_t>(mm + 2)}));
    EXPECT_DOUBLE_EQ(frames[i].time_s, static_cast<double>(kStart + i * kStep) / 1e9);
    EXPECT_EQ(frames[i].frame->camera, (image::Camera{2, 1, 5, 6, 0.5f, 0.25f}));
  }
}

bool tells(const FrameSource& source, const std::string& part) {
  return join(source.warnings()).find(part) != std::string::npos;
}

void expect_warnings(const FrameSource& source) { testdata::expect_sentence(join(source.warnings(), "\n")); }

bool has_bags_plugin() { return find_plugin<UnpackBytes>("bags", "fernwood_unpack") != nullptr; }

TEST(McapSource, GivesFramesAsTheyWereRecorded) {
  const TestFolder folder;
  const auto file = folder.write("a.mcap", mcap_bytes(rgbd_topics()));
  const auto source = formats::open_source("mcap:" + file.string());
  EXPECT_TRUE(source->has_color() && source->has_depth() && source->has_camera());
  EXPECT_FALSE(source->is_live());
  EXPECT_EQ(source->name(), file.string());
  expect_warnings(*source);
  expect_frames(*source);
  EXPECT_FALSE(source->next().has_value());
}

/// Changes the working directory during its lifetime.
class WorkingFolder {
 public:
  explicit WorkingFolder(const std::filesystem::path& folder) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  ~WorkingFolder() { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_;
};

TEST(McapSource, TakesANameWithoutAFolder) {
  const TestFolder folder;
  folder.write("a.mcap", mcap_bytes(rgbd_topics()));
  folder.write("dataset.toml", std::string("up = [1, 0, 0]\n"));
  const WorkingFolder there(folder.path());
  const auto source = formats::open_source("a.mcap");
  EXPECT_EQ(source->next()->frame->up, (image::Vector3{1, 0, 0}));
  EXPECT_EQ(formats::plan_import("rosbag", {.in = "a.mcap"}).frames.size(), 3u);
}

TEST(McapSource, AllLayoutsGiveTheSame) {
  for (const bool has_index : {false, true})
    for (const bool has_summary : {false, true})
      for (const std::size_t per_chunk : {0, 1, 3, 4, 100}) {
        const TestFolder folder;
        const Bytes bytes = mcap_bytes(
            rgbd_topics(), {.messages_per_chunk = per_chunk, .has_index = has_index, .has_summary = has_summary});
        const auto source = formats::open_source(folder.write("a.mcap", bytes).string());
        EXPECT_EQ(source->warnings().size(), 1u);
        expect_frames(*source);
      }
}

TEST(McapSource, ReadsMessagesOfRos1) {
  const TestFolder folder;
  expect_frames(*formats::open_source(folder
                                          .write("a.mcap", mcap_bytes(rgbd_topics(ros::MessageCoding::kRos1),
                                                                      {.messages_per_chunk = 2, .coding = "ros1"}))
                                          .string()));
}

TEST(McapSource, OfAFileThatIsCutOffWhatIsWholeIsRead) {
  for (const std::size_t per_chunk : {0, 3}) {
    const Bytes whole = mcap_bytes(rgbd_topics(), {.messages_per_chunk = per_chunk});
    const TestFolder folder;
    std::size_t most_frames = 0;
    for (std::size_t size = 8; size < whole.size() - 8; size += 7) {
      const auto file = folder.write("a.mcap", Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
      std::unique_ptr<FrameSource> source;
      const auto error = error_of([&] { source = formats::open_source(file.string()); });
      if (error) {
        EXPECT_EQ(error->kind(), ErrorKind::kData);  // no image yet, or no pair
        continue;
      }
      const std::size_t count = source->has_color() && source->has_depth() ? frames_of(*source).size() : 0;
      EXPECT_GE(count, most_frames);
      most_frames = std::max(most_frames, count);
      EXPECT_TRUE(tells(*source, "is cut off after " + std::to_string(size) + " bytes")) << whole.size();
    }
    EXPECT_EQ(most_frames, 3u);
  }
}

TEST(McapSource, CompressedChunksAreReadByThePluginAndNamedWithoutIt) {
  for (const auto& [name, pack] : {std::pair("zstd", &stored_zstd), std::pair("lz4", &stored_lz4)}) {
    const TestFolder folder;
    const auto file =
        folder.write("a.mcap", mcap_bytes(rgbd_topics(), {.messages_per_chunk = 3, .compression = name, .pack = pack}));
    if (has_bags_plugin())
      expect_frames(*formats::open_source(file.string()));
    else
      EXPECT_THROW(formats::open_source(file.string()), Error);
  }
}

TEST(McapSource, DamageIsNamed) {
  const TestFolder folder;
  for (const McapLayout& layout :
       {McapLayout{.messages_per_chunk = 3, .crc = 1}, McapLayout{.messages_per_chunk = 3, .claimed_bytes = 1},
        McapLayout{.messages_per_chunk = 3, .compression = "xz"}, McapLayout{.messages_per_chunk = 3, .index_shift = 1},
        McapLayout{.messages_per_chunk = 3, .index_shift = 1 << 20},
        McapLayout{.messages_per_chunk = 3, .compression = "zstd", .claimed_bytes = std::uint64_t{1} << 40}}) {
    const auto file = folder.write("a.mcap", mcap_bytes(rgbd_topics(), layout));
    testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(file.string()); });
  }
}

TEST(BagSource, TopicsCanBeNamed) {
  const TestFolder folder;
  const std::string file = folder.write("a.mcap", mcap_bytes(rgbd_topics())).string();
  const auto both = formats::open_source(
      "mcap:" + file + "?color=/camera/color/image_raw&depth=/camera/aligned_depth_to_color/image_raw");
  EXPECT_TRUE(both->warnings().empty());
  expect_frames(*both);
  const auto color = formats::open_source(file + "?color=/camera/color/image_raw");
  EXPECT_TRUE(color->has_color() && !color->has_depth());
  EXPECT_EQ(frames_of(*color)[2].frame->color(0, 0), (image::Rgb{2, 3, 4}));
  const auto depth = formats::open_source("rosbag:" + file + "?depth=/camera/aligned_depth_to_color/image_raw");
  EXPECT_TRUE(!depth->has_color() && depth->has_depth());
  EXPECT_EQ(frames_of(*depth)[2].frame->depth_mm(0, 1), 202);
  EXPECT_DOUBLE_EQ(
      frames_of(*formats::open_source("rosbag:" + file + "?depth=/camera/aligned_depth_to_color/image_raw"))[0].time_s,
      static_cast<double>(kStart + kLate) / 1e9);
}

TEST(BagSource, WhatCannotBeChosenIsNamedWithWhatThereIs) {
  const TestFolder folder;
  const std::string file = folder.write("a.mcap", mcap_bytes(rgbd_topics())).string();
  for (const char* behind : {"?color=/camera/color/image_rae", "?color=/camera/aligned_depth_to_color/image_raw",
                             "?depth=/camera/color/image_raw", "?colour=/x", "?color"})
    testdata::expect_refused(ErrorKind::kUsage, [&] { formats::open_source("mcap:" + file + behind); });
}

TEST(BagSource, AFileWhoseNameHasAQuestionMarkIsThatFile) {
  const TestFolder folder;
  expect_frames(*formats::open_source(folder.write("what?color=.mcap", mcap_bytes(rgbd_topics())).string()));
}

TEST(BagSource, RestartsAndDecodesBeforehand) {
  const TestFolder folder;
  const std::string file = folder.write("a.mcap", mcap_bytes(rgbd_topics())).string();
  const auto loop = formats::open_source(file, {.loop = true, .max_decoded = 2});
  const std::vector<CapturedFrame> frames = frames_of(*loop, 5);
  EXPECT_EQ(frames[4].frame, frames[0].frame);
  EXPECT_NE(frames[1].frame, frames[0].frame);
  loop->stop();
  EXPECT_FALSE(loop->next().has_value());
}

TEST(BagSource, FramesComeInTheOrderOfTheirStamps) {
  std::vector<TestTopic> topics = rgbd_topics();
  std::swap(topics[1].messages[0].second, topics[1].messages[2].second);
  std::swap(topics[2].messages[0].second, topics[2].messages[1].second);
  const TestFolder folder;
  expect_frames(*formats::open_source(folder.write("a.mcap", mcap_bytes(topics)).string()));
}

TEST(BagSource, WithoutStampsTheTimesOfRecordingCount) {
  std::vector<TestTopic> topics = rgbd_topics();
  for (auto& [time, message] : topics[1].messages) {
    message = image_message({.stamp_ns = 0});
    time += 1000;
  }
  const TestFolder folder;
  const auto source = formats::open_source(folder.write("a.mcap", mcap_bytes(topics)).string());
  expect_warnings(*source);
  const std::vector<CapturedFrame> frames = frames_of(*source);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_DOUBLE_EQ(frames[1].time_s, static_cast<double>(kStart + kStep + 1009) / 1e9);
}

TEST(BagSource, ImagesWithoutPartnerAreLeftOutAndTold) {
  std::vector<TestTopic> topics = rgbd_topics();
  topics[2].messages.erase(topics[2].messages.begin() + 1);
  const TestFolder folder;
  const auto source = formats::open_source(folder.write("a.mcap", mcap_bytes(topics)).string());
  expect_warnings(*source);
  EXPECT_EQ(frames_of(*source).size(), 2u);
  for (auto& [time, message] : topics[2].messages)
    message = image_message({.stamp_ns = 1, .encoding = "16UC1", .data = {1, 0, 2, 0}});
  testdata::expect_refused(ErrorKind::kData,
                           [&] { formats::open_source(folder.write("b.mcap", mcap_bytes(topics)).string()); });
}

TEST(BagSource, ARecordingWithoutImagesTellsWhatItHas) {
  const TestFolder folder;
  const auto expect_nothing = [&](const std::vector<TestTopic>& topics, const std::string& coding = "cdr") {
    const auto file = folder.write("a.mcap", mcap_bytes(topics, {.coding = coding}));
    testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source(file.string()); });
  };
  const Bytes message = image_message({});
  expect_nothing({{"/a", "std_msgs/msg/String", {{1, message}}}});
  expect_nothing({{"/a", "", {{1, message}}}});
  expect_nothing({{"/a", "foxglove.RawImage", {{1, message}}}}, "protobuf");
  expect_nothing({{"/a", "sensor_msgs/msg/Image", {{1, image_message({.encoding = "rgb16"})}}}});
  expect_nothing({});
}

TEST(BagSource, OtherFilesAreRefusedBySentences) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "empty");
  for (const std::filesystem::path& path :
       {folder.write("a.mcap", std::string()), folder.write("a.bag", std::string("#ROSBAG V1.2\n")),
        folder.write("b.bag", std::string("version https://git-lfs.github.com/spec/v1\n")), folder / "none.mcap",
        folder / "empty"})
    testdata::expect_refused(ErrorKind::kData, [&] { formats::open_source("rosbag:" + path.string()); });
  // What is said of these depends on the plug-in.
  for (const std::filesystem::path& path : {folder.write("twice.mcap.zstd", stored_zstd(stored_zstd({1, 2, 3}))),
                                            folder.write("a.db3", std::string("SQLite format 3\0 and more", 25))})
    EXPECT_THROW(formats::open_source("rosbag:" + path.string()), Error) << path;
}

TEST(BagSource, RecordingsAreKnownByTheirNamesWhateverPacksThem) {
  for (const char* name :
       {"a.mcap", "a.db3", "A.BAG", "a.mcap.zst", "a.mcap.zstd", "a.db3.zst", "a.bag.zst", "a.bag.lz4"})
    EXPECT_TRUE(is_bag(name)) << name;
  for (const char* name : {"a.zst", "a.png.zst", "a.mp4"}) EXPECT_FALSE(is_bag(name)) << name;
}

TEST(BagSource, AFolderOfRosbag2IsOneRecording) {
  std::vector<TestTopic> first = rgbd_topics(), second = rgbd_topics();
  for (const std::size_t topic : {1, 2}) {
    first[topic].messages.resize(1);
    second[topic].messages.erase(second[topic].messages.begin());
  }
  const TestFolder folder;
  folder.write("bag_10.mcap", mcap_bytes(second));
  folder.write("bag_9.mcap", mcap_bytes(first, {.messages_per_chunk = 2}));
  folder.write("metadata.yaml", std::string("rosbag2_bagfile_information:\n"));
  expect_frames(*formats::open_source(folder.path().string()));
}

TEST(BagSource, DatasetTomlBesideTheRecordingCountsBeforeIt) {
  const TestFolder folder;
  folder.write("dataset.toml", std::string("sensor = \"azure\"\nup = [1, 0, 0]\ndepth_scale = 2.0\n"));
  const auto source = formats::open_source(folder.write("a.mcap", mcap_bytes(rgbd_topics())).string());
  const std::vector<CapturedFrame> frames = frames_of(*source);
  EXPECT_EQ(frames[1].frame->depth_mm, depth_image(1, 2, {202, 204}));
  EXPECT_EQ(frames[1].frame->camera, image::find_sensor("azure")->camera);
  EXPECT_EQ(frames[1].frame->up, (image::Vector3{1, 0, 0}));
}

TEST(Rosbag1Source, GivesFramesWithAndWithoutAnIndex) {
  const TestFolder folder;
  const std::vector<TestTopic> topics = rgbd_topics(ros::MessageCoding::kRos1);
  const auto closed = formats::open_source(folder.write("a.bag", rosbag1_bytes(topics)).string());
  EXPECT_EQ(closed->warnings().size(), 1u);
  expect_frames(*closed);
  const auto open = formats::open_source(folder.write("b.bag", rosbag1_bytes(topics, false)).string());
  expect_warnings(*open);
  expect_frames(*open);
  const Bytes packed = rosbag1_bytes(topics, true, "lz4", &stored_lz4);
  if (has_bags_plugin()) expect_frames(*formats::open_source(folder.write("c.bag", packed).string()));
}

TEST(Rosbag1Source, ACutFileGivesWhatIsWholeOrASentence) {
  const Bytes whole = rosbag1_bytes(rgbd_topics(ros::MessageCoding::kRos1));
  const TestFolder folder;
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const auto file = folder.write("a.bag", Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    const auto error = error_of([&] {
      const auto source = formats::open_source(file.string());
      EXPECT_TRUE(tells(*source, "was cut off"));
      expect_frames(*source);
    });
    EXPECT_TRUE(!error || error->kind() == ErrorKind::kData) << error->what();
  }
}

/// The camera moves along y of "map" at 3 m/s.
std::vector<TestTopic> located_topics(const std::string& camera = "optical") {
  std::vector<TestTopic> topics = rgbd_topics();
  topics.push_back(
      {"/tf_static", "tf2_msgs/msg/TFMessage", {{kStart - 1, transforms_message({{"base", camera, {0, 0, 1}}})}}});
  topics.push_back({"/tf", "tf2_msgs/msg/TFMessage"});
  for (std::int64_t i = 0; i < 2; ++i)
    topics.back().messages.emplace_back(
        kStart + i,
        transforms_message({{"map", "base", {0, 0.1 * static_cast<double>(i), 0}, {0, 0, 0, 1}, kStart + i * kStep}}));
  return topics;
}

TEST(BagSource, PosesAreReadFromTf) {
  const TestFolder folder;
  const auto source = formats::open_source(folder.write("a.mcap", mcap_bytes(located_topics())).string());
  EXPECT_TRUE(source->has_poses());
  expect_warnings(*source);
  const std::vector<CapturedFrame> frames = frames_of(*source);
  EXPECT_EQ(frames[0].pose, (image::RigidMotion{.translation = {0, 0, 1}}));
  EXPECT_EQ(frames[1].pose, (image::RigidMotion{.translation = {0, 0.1f, 1}}));
  EXPECT_FALSE(frames[2].pose.has_value());
}

TEST(BagSource, WithoutAPathToWhatMovesFramesHaveNoPoses) {
  const TestFolder folder;
  const auto apart = formats::open_source(folder.write("a.mcap", mcap_bytes(located_topics("elsewhere"))).string());
  EXPECT_FALSE(apart->has_poses());
  expect_warnings(*apart);
  std::vector<TestTopic> still = located_topics();
  still.pop_back();
  const auto source = formats::open_source(folder.write("b.mcap", mcap_bytes(still)).string());
  EXPECT_FALSE(source->has_poses());
  EXPECT_EQ(source->warnings().size(), 1u);
}

TEST(RosbagImport, KeepsPoses) {
  const TestFolder folder;
  ThreadPool pool(1);
  formats::write_import(formats::plan_import("rosbag", {.in = folder.write("a.mcap", mcap_bytes(located_topics()))}),
                        folder / "out", pool);
  const auto source = formats::open_source("frames:" + (folder / "out").string());
  EXPECT_EQ(source->next()->pose, (image::RigidMotion{.translation = {0, 0, 1}}));
  EXPECT_EQ(source->next()->pose, (image::RigidMotion{.translation = {0, 0.1f, 1}}));
}

TEST(RosbagImport, MakesADataSetWithTheSamePixels) {
  const TestFolder folder;
  const auto file = folder.write("a.mcap", mcap_bytes(rgbd_topics()));
  ThreadPool pool(2);
  const formats::ImportPlan plan = formats::plan_import("rosbag", {.in = file});
  ASSERT_EQ(plan.frames.size(), 3u);
  EXPECT_FALSE(plan.frames[0].has_labels());
  formats::write_import(plan, folder / "out", pool);
  DatasetOptions unlabelled;
  unlabelled.needs_truth = false;
  const Dataset data = Dataset::open(folder / "out", unlabelled);
  ASSERT_EQ(data.size(), 3u);
  EXPECT_EQ(data.files(1).name, "1700000000.033333333");
  const image::Frame frame = data.read_frame(1);
  EXPECT_EQ(frame.color, rgb_image(1, 2, {{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(frame.depth_mm, depth_image(1, 2, {101, 102}));
  EXPECT_EQ(frame.camera, (image::Camera{2, 1, 5, 6, 0.5f, 0.25f}));
  const formats::ImportPlan depth =
      formats::plan_import("rosbag", {.in = file, .depth = "/camera/aligned_depth_to_color/image_raw"});
  EXPECT_TRUE(depth.frames[0].read_color == nullptr && depth.frames[0].has_depth());
}

}  // namespace
}  // namespace fernwood::recordings
