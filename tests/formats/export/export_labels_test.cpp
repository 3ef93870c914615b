// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/formats/export_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "dataset/test_files.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "formats/export/formats.h"
#include "formats/label_runs.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;

constexpr std::uint16_t kNone = image::kVoid;

/// A label image with rows of digits for classes; "." is void.
image::LabelImage label_rows(const std::vector<std::string>& rows) {
  image::LabelImage labels(rows.size(), rows[0].size());
  for (std::size_t y = 0; y < labels.rows(); ++y)
    for (std::size_t x = 0; x < labels.cols(); ++x)
      labels(y, x) = rows[y][x] == '.' ? kNone : static_cast<std::uint16_t>(rows[y][x] - '0');
  return labels;
}

Dataset two_frames() {
  std::vector<LabelledFrame> frames;
  for (const auto& labels : {label_rows({"0.11", "0.11", "...."}), label_rows({"....", "....", "...."})}) {
    image::Frame frame;
    frame.color = Array2<image::Rgb>(3, 4);
    frames.push_back({frame, labels});
  }
  const auto supply = supply_of(std::move(frames), {{"floor", {10, 20, 30}}, {"wall & <door>", {40, 50, 60}}});
  supply->names = {"a", "b"};
  return Dataset::from_memory(supply);
}

LabelSource truth() {
  static const Dataset data = two_frames();
  ThreadPool pool(2);
  return truth_of(data, pool);
}

std::string exported(const std::string& format) {
  ThreadPool pool(2);
  return export_text(two_frames(), truth(), format, pool);
}

/// Decodes the compressed run lengths of COCO's tools; an independent implementation of the format.
std::vector<std::uint32_t> lengths_of(const std::string& counts) {
  std::vector<std::uint32_t> lengths;
  for (std::size_t at = 0; at < counts.size();) {
    std::int64_t value = 0;
    int shift = 0;
    char group = 0;
    do {
      group = static_cast<char>(counts[at++] - '0');
      value |= static_cast<std::int64_t>(group & 0x1f) << shift;
      shift += 5;
    } while (group & 0x20);
    if (group & 0x10) value |= -1LL << shift;
    if (lengths.size() > 2) value += lengths[lengths.size() - 2];
    lengths.push_back(static_cast<std::uint32_t>(value));
  }
  return lengths;
}

TEST(LabelRuns, OfCocoGoDownTheColumns) {
  const image::LabelImage labels = label_rows({"0.11", "0.11", "...."});
  EXPECT_THAT(lengths_of(coco_counts(labels, 1)), ElementsAre(6u, 2u, 1u, 2u, 1u));
  EXPECT_THAT(lengths_of(coco_counts(labels, 0)), ElementsAre(0u, 2u, 10u));
  // Compared with pycocotools 2.0.
  EXPECT_EQ(coco_counts(labels, 1), "62100");
  EXPECT_EQ(coco_counts(labels, 0), "02:");
}

TEST(LabelRuns, OfCocoHoldLongRunsAndShorterOnesAfter) {
  image::LabelImage labels(1000, 40, kNone);
  for (std::size_t row = 100; row < 900; ++row) labels(row, 3) = 0;
  labels(7, 20) = labels(9, 20) = 0;
  EXPECT_THAT(lengths_of(coco_counts(labels, 0)), ElementsAre(3100u, 800u, 16107u, 1u, 1u, 1u, 19990u));
}

TEST(LabelRuns, OfCvatAreWithinTheBox) {
  const image::LabelImage labels = label_rows({"....", ".0.0", ".00."});
  const RegionBox box = region_boxes(labels, 1)[0];
  EXPECT_EQ(box.left, 1u);
  EXPECT_EQ(box.top, 1u);
  EXPECT_EQ(box.width(), 3u);
  EXPECT_EQ(box.height(), 2u);
  EXPECT_EQ(box.area, 4u);
  EXPECT_EQ(cvat_runs(labels, 0, box), "0, 1, 1, 3, 1");
}

/// Decodes Label Studio's packed bytes as a reader would.
Bytes unpacked(const Bytes& packed) {
  std::size_t at = 0;
  const auto read = [&](int bits) {
    std::uint32_t value = 0;
    for (int i = 0; i < bits; ++i, ++at) value = value << 1 | ((packed.at(at / 8) >> (7 - at % 8)) & 1u);
    return value;
  };
  Bytes values(read(32));
  const int value_bits = static_cast<int>(read(5)) + 1;
  int length_bits[4];
  for (int& bits : length_bits) bits = static_cast<int>(read(4)) + 1;
  for (std::size_t i = 0; i < values.size();) {
    const bool is_run = read(1) == 1;
    const std::size_t end = i + read(length_bits[read(2)]) + 1;
    if (is_run)
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(i), values.begin() + static_cast<std::ptrdiff_t>(end),
                static_cast<std::uint8_t>(read(value_bits)));
    while (!is_run && i < end) values[i++] = static_cast<std::uint8_t>(read(value_bits));
    i = end;
  }
  return values;
}

TEST(LabelRuns, OfLabelStudioArePicturesOfFourChannels) {
  image::LabelImage labels(300, 400, kNone);
  for (std::size_t i = 500; i < 40000; ++i) labels.data()[i] = 2;
  labels(299, 399) = 2;
  const Bytes values = unpacked(brush_runs(labels, 2));
  ASSERT_EQ(values.size(), 4 * labels.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], labels.data()[i / 4] == 2 ? 255 : 0) << i;
}

TEST(ExportLabels, CocoHasImagesCategoriesAndARegionForEachClassOfAFrame) {
  const json coco = json::parse(exported("coco"));
  EXPECT_EQ(coco["images"], json::parse(R"([{"id": 1, "file_name": "a_colors.png", "width": 4, "height": 3},
                                            {"id": 2, "file_name": "b_colors.png", "width": 4, "height": 3}])"));
  EXPECT_EQ(coco["categories"][1]["name"], "wall & <door>");
  ASSERT_EQ(coco["annotations"].size(), 2u);
  const json& wall = coco["annotations"][1];
  EXPECT_EQ(wall["image_id"], 1);
  EXPECT_EQ(wall["category_id"], 2);
  EXPECT_EQ(wall["area"], 4);
  EXPECT_EQ(wall["bbox"], json({2, 0, 2, 2}));
  EXPECT_EQ(wall["segmentation"], (json{{"size", {3, 4}}, {"counts", "62100"}}));
  EXPECT_NE(wall["id"], coco["annotations"][0]["id"]);
}

TEST(ExportLabels, AnObjectOfAThingIsARegionAndStuffIsOne) {
  std::vector<LabelledFrame> frames = {{{Array2<image::Rgb>(1, 4), {}}, label_rows({"0011"})},
                                       {{Array2<image::Rgb>(1, 4), {}}, label_rows({"0011"})}};
  frames[0].instances = depth_image(1, 4, {1, 2, 7, 3});
  const Dataset data = Dataset::from_memory(supply_of(frames, {{"floor", {10, 20, 30}}, {"box", {40, 50, 60}}}));
  ThreadPool pool(1);
  const json annotations = json::parse(export_text(data, truth_of(data, pool), "coco", pool))["annotations"];
  std::vector<json> boxes;
  std::set<int> ids;
  for (const json& annotation : annotations) {
    boxes.push_back({annotation["image_id"], annotation["category_id"], annotation["bbox"][0], annotation["area"]});
    ids.insert(annotation["id"].get<int>());
  }
  EXPECT_THAT(boxes, ElementsAre(json({1, 1, 0, 2}), json({1, 2, 3, 1}), json({1, 2, 2, 1}), json({2, 1, 0, 2}),
                                 json({2, 2, 2, 2})));
  EXPECT_EQ(ids.size(), 5u);
}

TEST(ExportLabels, CvatHasMasksAndEscapesNames) {
  const std::string xml = exported("cvat");
  const std::string mask =
      R"(<mask label="wall &amp; &lt;door&gt;" source="manual" occluded="0" rle="0, 4" left="2" top="0" width="2" height="2" z_order="0">)";
  EXPECT_NE(xml.find(mask), std::string::npos) << xml;
}

TEST(ExportLabels, LabelStudioHasATaskForEachFrame) {
  const json tasks = json::parse(exported("label-studio"));
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0]["data"]["image"], "a_colors.png");
  EXPECT_FALSE(tasks[1].contains("annotations"));
  const json& floor = tasks[0]["annotations"][0]["result"][0];
  EXPECT_EQ(floor["type"], "brushlabels");
  EXPECT_EQ(floor["value"]["brushlabels"], json({"floor"}));
  const Bytes values = unpacked(floor["value"]["rle"].get<Bytes>());
  EXPECT_EQ(values[0], 255);
  EXPECT_EQ(values[4], 0);
}

TEST(ExportLabels, FoldersHaveAFileForEachFrameAndTheNames) {
  const TestFolder folder;
  ThreadPool pool(1);
  export_labels(two_frames(), truth(), "png", folder / "png", pool);
  EXPECT_EQ(read_text(folder / "png" / "classes.txt"), "floor\nwall & <door>\n");
  EXPECT_EQ(read_truth(folder / "png" / "a.png")(0, 3), (image::Rgb{40, 50, 60}));
  export_labels(two_frames(), truth(), "npy", folder / "npy", pool);
  EXPECT_NE(read_text(folder / "npy" / "b.npy").find("'<u2'"), std::string::npos);
}

TEST(ExportLabels, LabelmeHasMasksWithinTheirBoxes) {
  const TestFolder folder;
  ThreadPool pool(1);
  export_labels(two_frames(), truth(), "labelme", folder.path(), pool);
  const json file = json::parse(read_text(folder / "a_colors.json"));
  EXPECT_EQ(file["imagePath"], "a_colors.png");
  EXPECT_EQ(file["imageWidth"], 4);
  const json& door = file["shapes"][1];
  EXPECT_EQ(door["label"], "wall & <door>");
  EXPECT_EQ(door["points"], json({{2, 0}, {3, 1}})) << "the last pixel, not the one after";
  EXPECT_TRUE(json::parse(read_text(folder / "b_colors.json"))["shapes"].empty());
}

TEST(ExportLabels, SuperviselyHasBitmapsAndTheirOrigin) {
  const TestFolder folder;
  ThreadPool pool(1);
  export_labels(two_frames(), truth(), "supervisely", folder.path(), pool);
  const json meta = json::parse(read_text(folder / "meta.json"));
  EXPECT_EQ(meta["classes"][0]["color"], "#0a141e");
  const json file = json::parse(read_text(folder / "ds0/ann/a_colors.png.json"));
  EXPECT_EQ(file["size"], json({{"height", 3}, {"width", 4}}));
  EXPECT_EQ(file["objects"][1]["classTitle"], "wall & <door>");
  EXPECT_EQ(file["objects"][1]["bitmap"]["origin"], json({2, 0}));
}

TEST(ExportLabels, VocHasAPaletteWithItsVoidAndRefusesNamesThatItsListsCannotHold) {
  const TestFolder folder;
  ThreadPool pool(1);
  export_labels(two_frames(), truth(), "voc", folder.path(), pool);
  EXPECT_EQ(read_text(folder / "labelmap.txt"),
            "# label:color_rgb:parts:actions\nfloor:10,20,30::\nwall & <door>:40,50,60::\n");
  EXPECT_EQ(read_text(folder / "ImageSets/Segmentation/trainval.txt"), "a\nb\n");
  const Array2<image::Rgb> labels = read_truth(folder / "SegmentationClass/a.png");
  EXPECT_EQ(labels(0, 2), (image::Rgb{40, 50, 60}));
  EXPECT_EQ(labels(2, 0), (image::Rgb{224, 224, 192})) << "255 of VOC's colour map";
  LabelSource named = truth();
  named.classes.classes[0].name = "a:b";
  testdata::expect_refused(ErrorKind::kData, [&] { export_labels(two_frames(), named, "voc", folder / "x", pool); });
}

/// Exports into the folder of an earlier export.
class ExportToAnEarlierFolder : public testing::TestWithParam<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Formats, ExportToAnEarlierFolder,
                         testing::Values(std::pair("png", "classes.txt"), std::pair("npy", "classes.txt"),
                                         std::pair("voc", "labelmap.txt"), std::pair("supervisely", "meta.json")));

TEST_P(ExportToAnEarlierFolder, ContinuesTheSameClassesAndRefusesOthers) {
  const std::string format = GetParam().first, list = GetParam().second;
  const TestFolder folder;
  ThreadPool pool(1);
  const Dataset data = two_frames();
  export_labels(data, truth(), format, folder.path(), pool);
  EXPECT_NO_THROW(export_labels(data, truth(), format, folder.path(), pool));
  const auto read_all = [&] {
    std::map<std::string, std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder.path()))
      if (entry.is_regular_file()) files[entry.path().string()] = read_text(entry.path());
    return files;
  };
  const std::map<std::string, std::string> before = read_all();
  LabelSource others = truth();
  std::swap(others.classes.classes[0].name, others.classes.classes[1].name);
  testdata::expect_refused(ErrorKind::kUsage, [&] { export_labels(data, others, format, folder.path(), pool); });
  EXPECT_EQ(read_all(), before) << "nothing is replaced";
}

TEST(ExportLabels, EveryFolderFormatHasAListOfClassesButLabelmeWhoseFilesNameThem) {
  for (const ExportFormat& format : export_formats())
    EXPECT_EQ(format.class_file != nullptr, !format.is_one_file() && format.name != "labelme") << format.name;
}

/// Exports into a folder of another user, in which each name may be a link.
class ExportToAForeignFolder : public testing::TestWithParam<std::string> {
 protected:
  ExportToAForeignFolder() {
    for (const char* name : {"a", "b"})
      for (const char* suffix : {"_colors.png", "_ground_truth.png"})
        write_png(frames_ / (std::string(name) + suffix), Array2<image::Rgb>(3, 4, {200, 0, 0}));
    frames_.write("dataset.toml", "[[classes]]\nname = \"floor\"\ncolor = [200, 0, 0]\n");
    export_to(folder_ / "clean");
  }
  void export_to(const fs::path& out) {
    const Dataset data = Dataset::open(frames_.path());
    export_labels(data, truth_of(data, pool_), GetParam(), out, pool_);
  }
  /// Entries of this type in a regular export, relative to its folder.
  std::vector<fs::path> names(fs::file_type type) const {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_ / "clean"))
      if (entry.status().type() == type) found.push_back(entry.path().lexically_relative(folder_ / "clean"));
    std::ranges::sort(found);
    return found;
  }
  /// Creates an output folder in which `name` is a link to `victim`.
  void lay_link(const fs::path& name) const {
    fs::remove_all(folder_ / "out");
    fs::create_directories((folder_ / "out" / name).parent_path());
    fs::create_symlink(folder_ / "victim", folder_ / "out" / name);
  }

  const TestFolder frames_, folder_;
  ThreadPool pool_{1};
};
INSTANTIATE_TEST_SUITE_P(Formats, ExportToAForeignFolder,
                         testing::Values("labelme", "supervisely", "voc", "png", "npy"));

TEST_P(ExportToAForeignFolder, ReplacesLinksUnderNamesOfFiles) {
  folder_.write("victim", "of value");
  const std::vector<fs::path> files = names(fs::file_type::regular);
  ASSERT_GE(files.size(), 2u);
  for (const fs::path& name : files) {
    lay_link(name);
    export_to(folder_ / "out");
    EXPECT_EQ(read_text(folder_ / "victim"), "of value") << name;
    EXPECT_EQ(read_file(folder_ / "out" / name), read_file(folder_ / "clean" / name)) << name;
  }
}

TEST_P(ExportToAForeignFolder, RefusesLinksUnderNamesOfFolders) {
  fs::create_directory(folder_ / "victim");
  for (const char* name : {"a_colors.png", "a.png", "trainval.txt"})
    folder_.write("victim/" + std::string(name), "of value");
  for (const fs::path& name : names(fs::file_type::directory)) {
    lay_link(name);
    testdata::expect_refused(ErrorKind::kRuntime, [&] { export_to(folder_ / "out"); });
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "victim"))
      EXPECT_EQ(read_text(entry.path()), "of value") << name << " " << entry.path();
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "victim"), fs::directory_iterator()), 3) << name;
  }
}

class ExportOfNamedFrames : public testing::TestWithParam<std::string> {
 protected:
  void export_named(const std::string& a, const std::string& b) {
    image::Frame frame;
    frame.color = Array2<image::Rgb>(1, 1);
    const LabelledFrame labelled = {frame, label_rows({"0"})};
    const auto supply = supply_of({labelled, labelled}, {{"floor", {1, 2, 3}}});
    supply->names = {a, b};
    const Dataset data = Dataset::from_memory(supply);
    export_labels(data, truth_of(data, pool_), GetParam(), folder_ / "out", pool_);
  }

  const TestFolder folder_;
  ThreadPool pool_{1};
};
INSTANTIATE_TEST_SUITE_P(Formats, ExportOfNamedFrames, testing::ValuesIn(label_formats()));

TEST_P(ExportOfNamedFrames, RefusesEqualNamesAndNamesThatAreNotFileNames) {
  testdata::expect_refused(ErrorKind::kData, [&] { export_named("a", "a"); });
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  if (!is_one_file(GetParam()))
    for (const std::string name : {"../a", "/etc/a", "a/b", "..", ""})
      testdata::expect_refused(ErrorKind::kData, [&] { export_named("b", name); });
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  EXPECT_NO_THROW(export_named("a", "b"));
}

TEST(ExportLabels, AnotherFormatIsTold) {
  const TestFolder folder;
  ThreadPool pool(1);
  testdata::expect_refused(ErrorKind::kUsage,
                           [&] { export_labels(two_frames(), truth(), "coko", folder / "x", pool); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { export_text(two_frames(), truth(), "npy", pool); });
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
}

std::uint32_t number_at(const std::string& bytes, std::size_t at, int num_bytes) {
  std::uint32_t number = 0;
  for (int i = num_bytes; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return number;
}

/// Names and contents of an archive's files, read through its directory.
std::map<std::string, std::string> files_of(const std::string& archive) {
  std::map<std::string, std::string> files;
  const std::size_t end = archive.size() - 22;
  EXPECT_EQ(number_at(archive, end, 4), 0x06054b50u);
  std::size_t at = number_at(archive, end + 16, 4);
  for (std::uint32_t i = 0; i < number_at(archive, end + 10, 2); ++i) {
    const std::size_t name_length = number_at(archive, at + 28, 2), size = number_at(archive, at + 24, 4);
    const std::size_t local = number_at(archive, at + 42, 4);
    EXPECT_EQ(archive.substr(at + 16, 12), archive.substr(local + 14, 12)) << "checksum and sizes, twice";
    const std::string name = archive.substr(at + 46, name_length);
    EXPECT_EQ(archive.substr(local + 30, name_length), name);
    files[name] = archive.substr(local + 30 + name_length, size);
    at += 46 + name_length;
  }
  EXPECT_EQ(at, end);
  return files;
}

TEST(ExportLabels, AnArchiveHasTheFilesOfTheFolder) {
  const TestFolder folder;
  ThreadPool pool(2);
  for (const auto& [format, num_files] :
       {std::pair{"png", 3u}, {"npy", 3u}, {"labelme", 2u}, {"supervisely", 3u}, {"voc", 4u}}) {
    const auto files = files_of(export_archive(two_frames(), truth(), format, pool));
    export_labels(two_frames(), truth(), format, folder / format, pool);
    ASSERT_EQ(files.size(), num_files) << format;
    for (const auto& [name, content] : files) EXPECT_EQ(content, read_text(folder / format / name)) << name;
  }
  testdata::expect_refused(ErrorKind::kUsage, [&] { export_archive(two_frames(), truth(), "coco", pool); });
}

}  // namespace
}  // namespace fernwood::formats
