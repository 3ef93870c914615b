// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dataset/frame_files.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_of(const Dataset& dataset) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < dataset.size(); ++i) names.push_back(dataset.files(i).name);
  return names;
}

DatasetOptions without_truth() {
  DatasetOptions options;
  options.needs_truth = false;
  return options;
}

TEST(Dataset, ListsFramesSortedByName) {
  const TestFolder folder;
  for (const char* name : {"b_2", "a10", "a9"}) add_frame(folder, name);
  folder.write("notes.txt", std::string("x"));
  folder.write("._a9_colors.png", std::string("a copy made by some file systems"));
  const Dataset dataset = Dataset::open(folder.path());
  EXPECT_EQ(names_of(dataset), (std::vector<std::string>{"a10", "a9", "b_2"}));
  EXPECT_EQ(dataset.files(2).depth, folder / "b_2_depth.png");
  EXPECT_TRUE(dataset.has_color());
  EXPECT_TRUE(dataset.has_depth());
}

TEST(Dataset, ReadsColorAndDepthInMillimeters) {
  const TestFolder folder;
  add_frame(folder, "a");
  folder.write("dataset.toml", std::string("depth_scale = 0.2\ndepth_missing = 7\n"));
  write_png16(folder / "a_depth.png", depth_image(2, 3, {0, 7, 10, 100, 1000, 10000}));
  const image::Frame frame = Dataset::open(folder.path()).read_frame(0);
  EXPECT_EQ(frame.color, Array2<image::Rgb>(2, 3, image::Rgb{'a', 1, 2}));
  EXPECT_EQ(frame.depth_mm, depth_image(2, 3, {0, 0, 2, 20, 200, 2000}));
}

TEST(Dataset, FramesKnowTheirCameraAndWhereUpIs) {
  const TestFolder folder;
  add_frame(folder, "a");
  add_frame(folder, "b");
  EXPECT_FALSE(Dataset::open(folder.path()).read_frame(0).camera.has_value());
  EXPECT_EQ(Dataset::open(folder.path()).read_frame(0).up, image::kImageUp);
  folder.write("dataset.toml", std::string("sensor = \"nyu\"\nup = [0, 1, 0]\n"));
  folder.write("b_up.txt", std::string("0.5 -2 0\n"));
  const Dataset dataset = Dataset::open(folder.path());
  ASSERT_EQ(dataset.size(), 2u);
  for (const std::size_t i : {0u, 1u}) EXPECT_EQ(dataset.read_frame(i).camera, image::find_sensor("nyu")->camera);
  EXPECT_EQ(dataset.read_frame(0).up, (image::Vector3{0.0f, 1.0f, 0.0f}));
  EXPECT_EQ(dataset.read_frame(1).up, (image::Vector3{0.5f, -2.0f, 0.0f})) << "the frame's own file wins";
  folder.write("b_up.txt", std::string("0 0 0\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { dataset.read_frame(1); });
}

const image::ClassMap kFloorAlone{{{"floor", kFloor}}, {}, {}};

TEST(Dataset, FilesThatSayOtherwiseOfUpArePartOfTheChecksum) {
  const TestFolder folder;
  add_frame(folder, "a");
  ThreadPool pool(1);
  const auto checksum_now = [&] { return Dataset::open(folder.path()).read_all(pool, {kFloorAlone}).checksum; };
  const std::uint64_t without = checksum_now();
  folder.write("a_up.txt", std::string("0 -1 0\n"));  // the default
  EXPECT_EQ(checksum_now(), without);
  folder.write("a_up.txt", std::string("0 -1 0.1\n"));
  EXPECT_NE(checksum_now(), without);
}

TEST(Dataset, TellsTheSizeOfAFrame) {
  const TestFolder folder;
  add_depth(folder, "a", 5, 7);
  const FrameSize size = Dataset::open(folder.path(), without_truth()).frame_size(0);
  EXPECT_EQ(size.rows, 5u);
  EXPECT_EQ(size.cols, 7u);
}

TEST(Dataset, TakesJpegColorButRatherThePngBesideIt) {
  const TestFolder folder;
  folder.write("a_colors.jpg", encode_jpeg(Array2<image::Rgb>(2, 3)));
  folder.write("b_colors.JPEG", encode_jpeg(Array2<image::Rgb>(2, 3)));
  folder.write("c_colors.jpg", encode_jpeg(Array2<image::Rgb>(2, 3)));
  add_color(folder, "c");
  const Dataset dataset = Dataset::open(folder.path(), without_truth());
  ASSERT_EQ(dataset.size(), 3u);
  EXPECT_EQ(dataset.files(0).color, folder / "a_colors.jpg");
  EXPECT_EQ(dataset.files(1).color, folder / "b_colors.JPEG");
  EXPECT_EQ(dataset.files(2).color, folder / "c_colors.png");
  EXPECT_EQ(dataset.read_frame(0).color.cols(), 3u);
}

TEST(Dataset, ColorOnlyAndDepthOnlySetsWork) {
  const TestFolder folder;
  fs::create_directories(folder / "color");
  fs::create_directories(folder / "depth");
  add_color(folder, "color/a");
  add_depth(folder, "depth/a");
  add_truth(folder, "depth/a", std::vector<image::Rgb>(6, kFloor));
  const Dataset color = Dataset::open(folder / "color", without_truth());
  const Dataset depth = Dataset::open(folder / "depth");
  EXPECT_FALSE(color.has_depth());
  EXPECT_TRUE(color.read_frame(0).depth_mm.empty());
  EXPECT_EQ(color.read_frame(0).rows(), 2u);
  EXPECT_FALSE(depth.has_color());
  EXPECT_TRUE(depth.read_frame(0).color.empty());
  EXPECT_EQ(depth.read_frame(0).depth_mm, Array2<std::uint16_t>(2, 3, 2000));
  ThreadPool pool(2);
  EXPECT_EQ(depth.scan_truth(pool).class_pixels, (std::vector<std::uint64_t>{6}));
}

TEST(Dataset, FramesMayDifferInSize) {
  const TestFolder folder;
  add_frame(folder, "a");
  add_color(folder, "b", 1, 4);
  add_depth(folder, "b", 1, 4);
  add_truth(folder, "b", std::vector<image::Rgb>(4, kProp), 1, 4);
  const Dataset dataset = Dataset::open(folder.path());
  EXPECT_EQ(dataset.read_frame(0).cols(), 3u);
  EXPECT_EQ(dataset.read_frame(1).cols(), 4u);
  ThreadPool pool(2);
  EXPECT_EQ(dataset.scan_truth(pool).class_pixels, (std::vector<std::uint64_t>{6, 4}));
}

TEST(Dataset, FindsTheFolderOfASplit) {
  const TestFolder folder;
  fs::create_directories(folder / "train");
  fs::create_directories(folder / "val");
  add_frame(folder, "train/a");
  add_frame(folder, "val/b");
  EXPECT_EQ(names_of(Dataset::open(folder.path(), {}, "train")), std::vector<std::string>{"a"});
  EXPECT_EQ(Dataset::open(folder.path(), {}, "test").folder(), folder / "val");
  EXPECT_EQ(names_of(Dataset::open(folder / "val", {}, "train")), std::vector<std::string>{"b"});
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()); });
  fs::create_directories(folder / "test");
  add_frame(folder, "test/c");
  EXPECT_EQ(names_of(Dataset::open(folder.path(), {}, "test")), std::vector<std::string>{"c"});
}

TEST(Dataset, TakesFramesEvenly) {
  const TestFolder folder;
  for (const char* name : {"0", "1", "2", "3", "4", "5", "6"}) add_frame(folder, name);
  DatasetOptions options;
  options.max_frames = 3;  // 0 * 7 / 3, 1 * 7 / 3, 2 * 7 / 3
  EXPECT_EQ(names_of(Dataset::open(folder.path(), options)), (std::vector<std::string>{"0", "2", "4"}));
  options.max_frames = 8;
  EXPECT_EQ(Dataset::open(folder.path(), options).size(), 7u);
}

TEST(Dataset, TomlOfTheFolderComesBeforeItsParents) {
  const TestFolder folder;
  fs::create_directories(folder / "train");
  add_frame(folder, "train/a");
  folder.write("dataset.toml", std::string("depth_scale = 2\n"));
  EXPECT_EQ(Dataset::open(folder.path() / "train/").config().depth_scale_to_mm, 2.0);
  folder.write("train/dataset.toml", std::string("depth_scale = 3\n"));
  EXPECT_EQ(Dataset::open(folder.path() / "train").config().depth_scale_to_mm, 3.0);
}

TEST(Dataset, FoldersWithoutFramesAreNamedWithWhatIsExpected) {
  const TestFolder folder;
  const auto file = folder.write("file.txt", std::string("x"));
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder / "none"); });
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(file); });
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path(), {}, "test"); });
}

TEST(Dataset, AMissingPartnerIsNamedWithTheRemedy) {
  const TestFolder folder;
  for (const char* name : {"a", "b"}) add_frame(folder, name);
  fs::remove(folder / "b_depth.png");
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()); });
  add_depth(folder, "b");
  fs::remove(folder / "a_colors.png");
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()); });
  add_color(folder, "a");
  fs::remove(folder / "a_ground_truth.png");
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()); });
  const Dataset unlabelled = Dataset::open(folder.path(), without_truth());
  EXPECT_EQ(unlabelled.size(), 2u);
  testdata::expect_refused(ErrorKind::kData, [&] { unlabelled.read_labels(0, image::ClassMap{}); });
}

TEST(Dataset, GroundTruthAloneIsNoFrame) {
  const TestFolder folder;
  add_truth(folder, "a", std::vector<image::Rgb>(6, kFloor));
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()); });
}

TEST(Dataset, SizesThatDifferWithinAFrameAreNamed) {
  const TestFolder folder;
  add_frame(folder, "a");
  add_depth(folder, "a", 4, 5);
  const Dataset dataset = Dataset::open(folder.path());
  testdata::expect_refused(ErrorKind::kData, [&] { dataset.read_frame(0); });
  add_truth(folder, "a", std::vector<image::Rgb>(20, kFloor), 4, 5);
  const image::ClassMap classes{{{"floor", kFloor}}, {}, {}};
  testdata::expect_refused(ErrorKind::kData, [&] { dataset.read_labels(0, classes); });
  ThreadPool pool(1);
  testdata::expect_refused(ErrorKind::kData, [&] { dataset.scan_truth(pool); });
}

TEST(Dataset, InstancesAreReadWhereAFrameHasThem) {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c"}) add_frame(folder, name);
  const Array2<std::uint16_t> numbers = depth_image(2, 3, {0, 1, 1, 0, 65535, 0});
  write_png16(folder / "b_instances.png", numbers);
  write_png16(folder / "c_instances.png", Array2<std::uint16_t>(3, 2, 1));
  const Dataset dataset = Dataset::open(folder.path());
  EXPECT_EQ(dataset.size(), 3u);
  EXPECT_TRUE(dataset.has_instances());
  EXPECT_FALSE(dataset.with_frames({0}).has_instances());
  EXPECT_EQ(dataset.with_frames({1}).read_instances(0), numbers);
  for (const std::size_t frame : {0u, 2u})
    testdata::expect_refused(ErrorKind::kData, [&] { dataset.read_instances(frame); });
}

TEST(Dataset, LabelsAreClassIndicesAndVoid) {
  const TestFolder folder;
  add_frame(folder, "a", {kProp, kProp, kBlack, kFloor, kRed, kProp});
  const image::ClassMap classes{{{"prop", kProp}, {"floor", kFloor}}, {kRed}, {}};
  const Dataset dataset = Dataset::open(folder.path());
  EXPECT_EQ(dataset.read_labels(0, classes), depth_image(2, 3, {0, 0, image::kVoid, 1, image::kVoid, 0}));
}

TEST(Dataset, AnUnknownColorIsNamedWithItsPlace) {
  const TestFolder folder;
  add_frame(folder, "a", {kFloor, kFloor, kFloor, kFloor, kFloor, kRed});
  const image::ClassMap classes{{{"floor", kFloor}}, {}, {}};
  const Dataset dataset = Dataset::open(folder.path());
  const std::vector<std::string> parts = {
      "a_ground_truth.png",      "pixel (2, 1)", "(255, 0, 0)", "floor (7, 54, 66)", "list it in dataset.toml",
      "--ignored-colors 255,0,0"};
  testdata::expect_refused(ErrorKind::kData, [&] { dataset.read_labels(0, classes); });
  ThreadPool pool(2);
  testdata::expect_refused(ErrorKind::kData, [&] { dataset.scan_truth(pool, &classes); });
  folder.write("dataset.toml", std::string("classes = [{name = \"floor\", color = [7, 54, 66]}]"));
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()).scan_truth(pool); });
}

TEST(Dataset, ScanDiscoversClassesInAscendingOrderOfColor) {
  const TestFolder folder;
  add_frame(folder, "a", {kRed, kRed, kBlack, kProp, kFloor, kFloor});
  add_frame(folder, "b", {kFloor, kFloor, kFloor, kFloor, kBlack, {0, 0, 1}});
  ThreadPool pool(2);
  const Dataset::Scan scan = Dataset::open(folder.path()).scan_truth(pool);
  // 0x000001, 0x073642, 0xb58900, 0xff0000; two of these are colours of NYU Depth v2.
  EXPECT_EQ(scan.classes.classes, (std::vector<image::ClassInfo>{
                                      {"#000001", {0, 0, 1}}, {"floor", kFloor}, {"prop", kProp}, {"#ff0000", kRed}}));
  EXPECT_EQ(scan.class_pixels, (std::vector<std::uint64_t>{1, 6, 1, 2}));
  EXPECT_EQ(scan.void_pixels, 2u);
  EXPECT_EQ(scan.classes.void_colors, std::vector<image::Rgb>{kBlack});
  EXPECT_FALSE(scan.classes.background.has_value());
}

TEST(Dataset, ScanKeepsTheOrderOfTheTomlAndClassesWithoutPixels) {
  const TestFolder folder;
  add_frame(folder, "a", {kProp, kProp, kBlack, kProp, kFloor, kRed});
  folder.write("dataset.toml", std::string(R"(
background = "floor"
ignored_colors = [[255, 0, 0]]
classes = [{name = "stuff", color = [181, 137, 0]}, {name = "rare", color = [9, 9, 9]},
           {name = "floor", color = [7, 54, 66]}]
)"));
  ThreadPool pool(2);
  const Dataset::Scan scan = Dataset::open(folder.path()).scan_truth(pool);
  EXPECT_EQ(scan.classes.classes,
            (std::vector<image::ClassInfo>{{"stuff", kProp}, {"rare", {9, 9, 9}}, {"floor", kFloor}}));
  EXPECT_EQ(scan.class_pixels, (std::vector<std::uint64_t>{3, 0, 1}));
  EXPECT_EQ(scan.void_pixels, 2u);
  EXPECT_EQ(scan.classes.background, std::optional<std::uint16_t>(2));
}

TEST(Dataset, IgnoredColorsAreVoidEvenForAModelsClasses) {
  const TestFolder folder;
  add_frame(folder, "a", {kProp, kProp, kRed, kProp, kFloor, kRed});
  DatasetOptions options;
  options.ignored_colors = {kRed, kProp};
  const Dataset dataset = Dataset::open(folder.path(), options);
  ThreadPool pool(1);
  const Dataset::Scan scan = dataset.scan_truth(pool);
  EXPECT_EQ(scan.classes.classes, (std::vector<image::ClassInfo>{{"floor", kFloor}}));
  EXPECT_EQ(scan.classes.void_colors, (std::vector<image::Rgb>{kBlack, kRed, kProp}));
  EXPECT_EQ(scan.void_pixels, 5u);
  const image::ClassMap model{{{"prop", kProp}, {"floor", kFloor}}, {kBlack}, {}};
  EXPECT_EQ(dataset.scan_truth(pool, &model).class_pixels, (std::vector<std::uint64_t>{0, 1}));
}

TEST(Dataset, BlackMayBeAClass) {
  const TestFolder folder;
  add_frame(folder, "a", {kBlack, kBlack, kFloor, kFloor, kFloor, kFloor});
  folder.write("dataset.toml",
               std::string("classes = [{name = \"f\", color = [7, 54, 66]}, {name = \"b\", color = [0, 0, 0]}]"));
  ThreadPool pool(1);
  const Dataset::Scan scan = Dataset::open(folder.path()).scan_truth(pool);
  EXPECT_EQ(scan.class_pixels, (std::vector<std::uint64_t>{4, 2}));
  EXPECT_EQ(scan.void_pixels, 0u);
}

TEST(Dataset, ScanRefusesTruthWithoutLabelsAndUnknownBackgrounds) {
  const TestFolder folder;
  add_frame(folder, "a", std::vector<image::Rgb>(6, kBlack));
  ThreadPool pool(1);
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()).scan_truth(pool); });
  add_frame(folder, "a");
  folder.write("dataset.toml", std::string("background = \"sky\""));
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()).scan_truth(pool); });
}

TEST(Dataset, ScanRefusesAPhotographAsTruth) {
  const TestFolder folder;
  Array2<image::Rgb> photo(64, 65);  // 4160 colours in one frame
  for (std::size_t i = 0; i < photo.size(); ++i)
    photo.data()[i] = {1, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)};
  add_color(folder, "a", 64, 65);
  write_png(folder / "a_ground_truth.png", photo);
  ThreadPool pool(2);
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()).scan_truth(pool); });
  // Half of the colours in each of two frames: only the whole set has too many.
  for (const char* name : {"a", "b"}) {
    Array2<image::Rgb> half(32, 65);
    std::copy_n(photo.data() + (*name == 'a' ? 0 : half.size()), half.size(), half.data());
    add_color(folder, name, 32, 65);
    write_png(folder / (std::string(name) + "_ground_truth.png"), half);
  }
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()).scan_truth(pool); });
}

TEST(Dataset, ResultsAndErrorsDoNotDependOnTheNumberOfThreads) {
  const TestFolder folder;
  for (int i = 0; i < 20; ++i)
    add_frame(folder, std::string(1, static_cast<char>('a' + i)), {kRed, kFloor, kProp, kProp, kBlack, kFloor});
  ThreadPool one(1), two(2), seven(7);
  const Dataset dataset = Dataset::open(folder.path());
  const Dataset::Scan scan = dataset.scan_truth(one);
  EXPECT_EQ(scan.class_pixels, (std::vector<std::uint64_t>{40, 40, 20}));
  EXPECT_EQ(dataset.scan_truth(seven).class_pixels, scan.class_pixels);
  EXPECT_EQ(dataset.scan_truth(seven).classes, scan.classes);
  EXPECT_EQ(dataset.scan_truth(seven, &scan.classes).class_pixels, scan.class_pixels);
  EXPECT_EQ(dataset.read_all(one, {scan.classes}).checksum, dataset.read_all(two, {scan.classes}).checksum);
  for (const char* name : {"c", "d", "s"}) add_truth(folder, name, std::vector<image::Rgb>(6, image::Rgb{1, 1, 1}));
  for (ThreadPool* pool : {&one, &two, &seven})
    testdata::expect_refused(ErrorKind::kData, [&] { dataset.scan_truth(*pool, &scan.classes); });
}

TEST(Dataset, GroundTruthThatWasReadForItsClassesIsNotReadAgain) {
  const TestFolder folder;
  for (const char* name : {"a", "b"}) add_frame(folder, name, {kRed, kFloor, kProp, kProp, kBlack, kFloor});
  ThreadPool pool(2);
  const Dataset dataset = Dataset::open(folder.path());
  Dataset::FoundClasses found = dataset.find_classes(pool);
  const Dataset::Scan scan = dataset.scan_truth(pool);
  EXPECT_EQ(found.classes, scan.classes);
  const std::vector<image::LabelImage> expected = {dataset.read_labels(0, scan.classes),
                                                   dataset.read_labels(1, scan.classes)};
  const std::uint64_t read_again = dataset.read_all(pool, {scan.classes}).checksum;
  for (const char* name : {"a_ground_truth.png", "b_ground_truth.png"}) std::filesystem::remove(folder / name);
  std::vector<image::LabelImage> labels(2);
  const Dataset::Content content = dataset.read_all(
      pool, std::move(found), nullptr, [&](std::size_t i, LabelledFrame read) { labels[i] = std::move(read.labels); });
  EXPECT_EQ(labels, expected);
  EXPECT_EQ(content.checksum, read_again);
  for (std::size_t frame = 0; frame < 2; ++frame)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(2 * content.class_pixels(frame, c), scan.class_pixels[c]);
}

TEST(Dataset, ChecksumSeesEveryPixelAndNoName) {
  const TestFolder folder;
  ThreadPool pool(2);
  const auto checksum_now = [&] { return Dataset::open(folder.path()).read_all(pool, {kFloorAlone}).checksum; };
  for (const char* name : {"a", "b"}) add_frame(folder, name);
  const std::uint64_t before = checksum_now();
  EXPECT_EQ(checksum_now(), before);
  add_depth(folder, "b", 2, 3, 2001);
  const std::uint64_t changed = checksum_now();
  EXPECT_NE(changed, before);
  add_depth(folder, "b");
  EXPECT_EQ(checksum_now(), before);
  for (const char* suffix : {"_colors.png", "_depth.png", "_ground_truth.png"})
    fs::rename(folder / (std::string("b") + suffix), folder / (std::string("c") + suffix));
  EXPECT_EQ(checksum_now(), before);
  add_truth(folder, "c", {kFloor, kFloor, kFloor, kFloor, kFloor, kBlack});
  EXPECT_NE(checksum_now(), before);
}

}  // namespace
}  // namespace fernwood::dataset
