// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/formats/import.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"

#ifdef FERNWOOD_HAS_MATIO
#include "dataset/test_files.h"
#include "formats/import/mat_file.h"
#include "formats/mat_writer.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRows = 6, kCols = 8, kFrames = 3;
constexpr image::Rgb kVoidColor{0, 0, 0}, kFloorOfNyu{7, 54, 66}, kStructure{147, 161, 161}, kFurniture{203, 75, 22},
    kPropOfNyu{181, 137, 0};

/// A value for each index, in MATLAB's order: the row index changes fastest.
template <typename T, typename Value>
std::vector<T> fill(std::size_t planes, const Value& value_at) {
  std::vector<T> values;
  for (std::size_t plane = 0; plane < planes; ++plane)
    for (std::size_t col = 0; col < kCols; ++col)
      for (std::size_t row = 0; row < kRows; ++row) values.push_back(static_cast<T>(value_at(row, col, plane)));
  return values;
}

// Each pixel of each frame has a distinct colour: red 20 n + 8 row + col (frame n = 0, 1, 2), green 60 more, blue 120.
std::uint8_t red(std::size_t row, std::size_t col, std::size_t n) {
  return static_cast<std::uint8_t>(20 * n + 8 * row + col);
}
std::vector<std::uint8_t> images() {
  return fill<std::uint8_t>(3 * kFrames, [](std::size_t row, std::size_t col, std::size_t plane) {
    return red(row, col, plane / 3) + 60 * (plane % 3);
  });
}

// 0.5 m + 1 m per frame + 0.01 m per row + 0.1 m per column.
std::size_t filled_mm(std::size_t row, std::size_t col, std::size_t n) { return 500 + 1000 * n + 10 * row + 100 * col; }
std::vector<float> depths() {
  return fill<float>(kFrames, [](std::size_t row, std::size_t col, std::size_t n) {
    return static_cast<float>(filled_mm(row, col, n)) / 1000.0f;
  });
}
/// The filled depths plus 3 mm, with typical sensor values for unknown depth in the first frame.
std::vector<float> raw_depths() {
  std::vector<float> values = depths();
  for (float& value : values) value += 0.003f;
  values[2 + 3 * kRows] = 0;                                        // row 2, column 3
  values[0 + 1 * kRows] = std::numeric_limits<float>::quiet_NaN();  // row 0, column 1
  values[5 + 7 * kRows] = 40;                                       // row 5, column 7: beyond the format's range
  values[4 + 0 * kRows] = -1;                                       // row 4, column 0
  return values;
}

// Wall (21), except in every frame: (0, 0) unlabelled, (1, 2) floor (11), (3, 4) chair (5), (5, 7) book (1), (5, 0)
// floor mat (143).
std::vector<std::uint16_t> labels() {
  return fill<std::uint16_t>(kFrames, [](std::size_t row, std::size_t col, std::size_t) {
    const std::size_t place = 10 * row + col;
    return place == 0 ? 0 : place == 12 ? 11 : place == 34 ? 5 : place == 57 ? 1 : place == 50 ? 143 : 21;
  });
}

class ImportNyu : public testing::TestWithParam<mat_ft> {
 protected:
  void SetUp() override { write_splits({3, 1}, {2}); }

  void write_labeled(const std::vector<std::uint16_t>& label_values = labels(),
                     const std::vector<std::string>& names = {},
                     matio_compression compression = MAT_COMPRESSION_ZLIB) const {
    MatWriter mat(options_.labeled_mat, GetParam(), compression);
    mat.array<std::uint8_t>("images", {kRows, kCols, 3, kFrames}, images());
    mat.array<float>("depths", {kRows, kCols, kFrames}, depths());
    mat.array<float>("rawDepths", {kRows, kCols, kFrames}, raw_depths());
    mat.array<std::uint16_t>("labels", {kRows, kCols, kFrames}, label_values);
    if (!names.empty()) mat.strings("names", names);
  }
  void write_splits(const std::vector<double>& train, const std::vector<double>& test) const {
    MatWriter mat(options_.splits_mat, MAT_FT_MAT5);
    mat.array<double>("trainNdxs", {train.size(), 1}, train);
    mat.array<double>("testNdxs", {test.size(), 1}, test);
  }
  void import() { import_nyu(options_, pool_); }
  fs::path train(const std::string& name) const { return options_.out / "train" / name; }

  /// Expects that the import is refused and leaves no folder.
  void expect_bad_data() {
    testdata::expect_refused(ErrorKind::kData, [&] { import(); });
    EXPECT_FALSE(fs::exists(options_.out));
  }

  const TestFolder folder_;
  ImportNyuOptions options_{
      .labeled_mat = folder_ / "labeled.mat", .splits_mat = folder_ / "splits.mat", .out = folder_ / "out"};
  ThreadPool pool_{2};
};

INSTANTIATE_TEST_SUITE_P(MatFormats, ImportNyu, testing::Values(MAT_FT_MAT5, MAT_FT_MAT73),
                         [](const auto& info) { return info.param == MAT_FT_MAT5 ? "V5" : "V73"; });

TEST_P(ImportNyu, ColourAndDepthKeepTheirPlaces) {
  write_labeled();
  import();
  for (const auto& [name, n] : {std::pair("0001", 0u), std::pair("0003", 2u)}) {
    const Array2<image::Rgb> color = read_color(train(name + std::string("_colors.png")));
    const Array2<std::uint16_t> depth = read_depth(train(name + std::string("_depth.png")));
    ASSERT_EQ(color.rows(), kRows);
    ASSERT_EQ(color.cols(), kCols);
    ASSERT_EQ(depth.rows(), kRows);
    ASSERT_EQ(depth.cols(), kCols);
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t col = 0; col < kCols; ++col) {
        const std::uint8_t r = red(row, col, n);
        ASSERT_EQ(color(row, col),
                  (image::Rgb{r, static_cast<std::uint8_t>(r + 60), static_cast<std::uint8_t>(r + 120)}));
        ASSERT_EQ(depth(row, col), filled_mm(row, col, n));
      }
  }
  // By hand for frame 3 at row 4, column 1: red 20 * 2 + 8 * 4 + 1 = 73; depth 500 + 2000 + 40 + 100 = 2640 mm.
  EXPECT_EQ(read_color(train("0003_colors.png"))(4, 1), (image::Rgb{73, 133, 193}));
  EXPECT_EQ(read_depth(train("0003_depth.png"))(4, 1), 2640);
}

TEST_P(ImportNyu, RawDepthKeepsItsHoles) {
  write_labeled();
  options_.raw_depth = true;
  import();
  const Array2<std::uint16_t> depth = read_depth(train("0001_depth.png"));
  EXPECT_EQ(depth(2, 3), 0);
  EXPECT_EQ(depth(0, 1), 0);
  EXPECT_EQ(depth(5, 7), 0);
  EXPECT_EQ(depth(4, 0), 0);
  EXPECT_EQ(depth(3, 2), 733);  // 500 + 30 + 200 + 3
  EXPECT_EQ(read_depth(train("0003_depth.png"))(2, 3), 2823);
}

TEST_P(ImportNyu, SplitsDecideTheFolderAndNumbersTheName) {
  write_labeled();
  write_splits({3}, {2});
  std::vector<std::pair<std::size_t, std::size_t>> reports;
  import_nyu(options_, pool_, [&](std::size_t done, std::size_t total) { reports.emplace_back(done, total); });
  EXPECT_TRUE(fs::exists(train("0003_colors.png")));
  EXPECT_TRUE(fs::exists(options_.out / "test" / "0002_colors.png"));
  EXPECT_FALSE(fs::exists(train("0001_colors.png")));  // not in any split
  EXPECT_FALSE(fs::exists(options_.out / "test" / "0001_colors.png"));
  EXPECT_EQ(reports, (std::vector<std::pair<std::size_t, std::size_t>>{{2, 2}}));
}

TEST_P(ImportNyu, LabelsBecomeTheColoursOfTheirClass) {
  write_labeled();
  import();
  const Array2<image::Rgb> four = read_truth(train("0001_ground_truth.png"));
  EXPECT_EQ(four(0, 0), kVoidColor);
  EXPECT_EQ(four(1, 2), kFloorOfNyu);
  EXPECT_EQ(four(3, 4), kFurniture);
  EXPECT_EQ(four(5, 7), kPropOfNyu);
  EXPECT_EQ(four(5, 0), kPropOfNyu);  // a floor mat is a prop among four classes, floor among thirteen
  EXPECT_EQ(four(2, 1), kStructure);

  options_.classes = 13;
  options_.out = folder_ / "out13";
  import();
  const Array2<image::Rgb> thirteen = read_truth(train("0001_ground_truth.png"));
  EXPECT_EQ(thirteen(0, 0), kVoidColor);
  EXPECT_EQ(thirteen(1, 2), (image::Rgb{222, 241, 23}));  // floor
  EXPECT_EQ(thirteen(5, 0), (image::Rgb{222, 241, 23}));  // floor mat is floor
  EXPECT_EQ(thirteen(3, 4), (image::Rgb{148, 0, 240}));   // chair
  EXPECT_EQ(thirteen(5, 7), (image::Rgb{0, 223, 228}));   // book is objects
  EXPECT_EQ(thirteen(2, 1), (image::Rgb{249, 139, 0}));   // wall

  options_.classes = 40;
  options_.out = folder_ / "out40";
  import();
  const Array2<image::Rgb> forty = read_truth(train("0001_ground_truth.png"));
  EXPECT_EQ(forty(0, 0), kVoidColor);
  EXPECT_EQ(forty(2, 1), (image::Rgb{128, 0, 0}));    // wall, 1
  EXPECT_EQ(forty(1, 2), (image::Rgb{0, 128, 0}));    // floor, 2
  EXPECT_EQ(forty(3, 4), (image::Rgb{128, 0, 128}));  // chair, 5 = binary 101: red and blue
  EXPECT_EQ(forty(5, 0), (image::Rgb{0, 64, 128}));   // floor mat, 20 = binary 010 100: blue 128, green 64
  EXPECT_EQ(forty(5, 7), (image::Rgb{64, 0, 64}));    // book is otherprop, 40
}

TEST_P(ImportNyu, NamesInTheFileGoBeforeTheStandardNumbers) {
  std::vector<std::uint16_t> values(kRows * kCols * kFrames, 2);
  values[1] = 1;  // row 1, column 0
  write_labeled(values, {"coffee table", "ceiling"});
  import();
  const Array2<image::Rgb> truth = read_truth(train("0001_ground_truth.png"));
  EXPECT_EQ(truth(1, 0), kFurniture);
  EXPECT_EQ(truth(0, 1), kStructure);
}

TEST_P(ImportNyu, TheResultOpensAsADataset) {
  write_labeled();
  import();
  const Dataset data = Dataset::open(options_.out, {}, "train");
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data.files(0).name, "0001");
  EXPECT_EQ(data.files(1).name, "0003");
  ASSERT_EQ(data.config().classes.size(), 4u);
  EXPECT_EQ(data.config().classes[2], (image::ClassInfo{"furniture", kFurniture}));
  const Dataset::Scan scan = data.scan_truth(pool_);
  // Per frame of 48 pixels: 1 void, 1 floor, 1 furniture (chair), 2 prop (book, floor mat), 43 structure (wall).
  EXPECT_EQ(scan.class_pixels, (std::vector<std::uint64_t>{2, 86, 2, 4}));
  EXPECT_EQ(scan.void_pixels, 2u);
  const image::LabelImage labels = data.read_labels(1, scan.classes);
  EXPECT_EQ(labels(0, 0), image::kVoid);
  EXPECT_EQ(labels(3, 4), 2);
}

TEST_P(ImportNyu, OneFrameMayLackTheLastDimension) {
  {
    MatWriter mat(options_.labeled_mat, GetParam());
    mat.array<std::uint8_t>("images", {1, 2, 3}, {10, 20, 30, 40, 50, 60});
    mat.array<float>("depths", {1, 2}, {1.5f, 2.0f});
    mat.array<std::uint16_t>("labels", {1, 2}, {11, 21});
  }
  write_splits({1}, {});
  import();
  const Array2<image::Rgb> color = read_color(train("0001_colors.png"));
  ASSERT_EQ(color.cols(), 2u);
  EXPECT_EQ(color(0, 0), (image::Rgb{10, 30, 50}));
  EXPECT_EQ(color(0, 1), (image::Rgb{20, 40, 60}));
  EXPECT_EQ(read_truth(train("0001_ground_truth.png"))(0, 1), kStructure);
}

TEST_P(ImportNyu, VariablesThatAreMissingOrOtherwiseAreNamed) {
  const std::vector<std::size_t> size = {kRows, kCols, kFrames}, turned = {kCols, kRows, kFrames};
  const auto write = [&](const auto& rest) {
    MatWriter mat(options_.labeled_mat, GetParam());
    mat.array<std::uint8_t>("images", {kRows, kCols, 3, kFrames}, images());
    rest(mat);
  };
  write([](MatWriter&) {});
  expect_bad_data();
  write([&](MatWriter& mat) {
    mat.array<double>("depths", size, std::vector<double>(kRows * kCols * kFrames, 1.0));
    mat.array<std::uint16_t>("labels", size, labels());
  });
  expect_bad_data();
  write([&](MatWriter& mat) {
    mat.array<float>("depths", size, depths());
    mat.array<std::uint16_t>("labels", turned, labels());
  });
  expect_bad_data();
}

TEST_P(ImportNyu, SplitsOutsideTheFramesAreRefused) {
  write_labeled();
  write_splits({1, 4}, {2});
  expect_bad_data();
  write_splits({1}, {0});
  expect_bad_data();
  write_splits({1.5}, {2});
  expect_bad_data();
  write_splits({std::nan("")}, {2});
  expect_bad_data();
  write_splits({1, 2}, {2});
  expect_bad_data();
}

TEST_P(ImportNyu, UnknownLabelsAreNamed) {
  std::vector<std::uint16_t> values(kRows * kCols * kFrames, 895);
  write_labeled(values);
  expect_bad_data();
  fs::remove_all(options_.out);
  write_labeled(std::vector<std::uint16_t>(kRows * kCols * kFrames, 1), {"flying carpet"});
  expect_bad_data();
}

TEST_P(ImportNyu, ACutOffFileIsReported) {
  for (const matio_compression compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    write_labeled(labels(), {"book", "floor"}, compression);
    const std::uintmax_t size = fs::file_size(options_.labeled_mat);
    for (std::uintmax_t eighths = 8; eighths-- > 0;) {
      fs::resize_file(options_.labeled_mat, size * eighths / 8);
      EXPECT_EQ(error_of([&] { import(); }).value().kind(), ErrorKind::kData);
      EXPECT_FALSE(fs::exists(options_.out));
    }
  }
}

TEST_P(ImportNyu, SomethingElseThanAMatFileIsReported) {
  std::ofstream(options_.labeled_mat) << std::string(1000, 'x');
  expect_bad_data();
  fs::remove(options_.labeled_mat);
  expect_bad_data();
  fs::create_directories(options_.labeled_mat);
  expect_bad_data();
}

TEST_P(ImportNyu, AnOutputFolderInUseIsLeftAlone) {
  write_labeled();
  fs::create_directories(options_.out / "test");
  std::ofstream(options_.out / "test" / "mine.txt") << "keep";
  testdata::expect_refused(ErrorKind::kUsage, [&] { import(); });
  EXPECT_FALSE(fs::exists(train("0001_colors.png")));
  EXPECT_TRUE(fs::exists(options_.out / "test" / "mine.txt"));

  options_.out = options_.splits_mat / "out";  // inside a file
  testdata::expect_refused(ErrorKind::kRuntime, [&] { import(); });
}

TEST(MatFile, CellsWithoutWholeSizesAreDamaged) {
  const fs::path path = fs::path(testing::TempDir()) / "short_sizes.mat";
  MatWriter(path, MAT_FT_MAT5).strings("names", {"floor", "prop"});
  std::vector<std::uint8_t> bytes = read_file(path);
  const std::vector<std::uint8_t> sizes_tag = {5, 0, 0, 0, 8, 0, 0, 0};  // 32-bit integers, 8 bytes
  const auto sizes = std::search(bytes.begin(), bytes.end(), sizes_tag.begin(), sizes_tag.end());
  ASSERT_NE(sizes, bytes.end());
  const auto expect_damaged = [&](int num_bytes) {
    sizes[4] = static_cast<std::uint8_t>(num_bytes);
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    testdata::expect_refused(ErrorKind::kData, [&] { MatFile(path).read_strings("names"); });
  };
  for (const int num_bytes : {1, 3, 5}) expect_damaged(num_bytes);
  bytes.erase(sizes + 8, sizes + 16);
  bytes[128 + 4] -= 8;  // the variable is truncated
  expect_damaged(0);
  fs::remove(path);
}

/// A version 7.3 file with one compressed array of 512 x 512 incompressible bytes, whose header states this chunk
/// size. @param rows, cols  Stated size of the chunks.
fs::path with_chunks(std::uint32_t rows, std::uint32_t cols) {
  const fs::path path = fs::path(testing::TempDir()) / "chunks.mat";
  constexpr std::uint32_t kSide = 512;
  std::vector<std::uint8_t> noise(kSide * kSide);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  MatWriter(path, MAT_FT_MAT73, MAT_COMPRESSION_ZLIB).array("noise", {kSide, kSide}, noise);
  std::vector<std::uint8_t> bytes = read_file(path);
  // The layout message (HDF5 File Format 2.0, IV.A.2.i): version 3, chunked, the array's number of dimensions plus one
  // for the element size, an address, and the sizes.
  std::size_t num_changed = 0;
  for (std::size_t at = 0; at + 23 <= bytes.size(); ++at) {
    if (bytes[at] != 3 || bytes[at + 1] != 2 || bytes[at + 2] != 3) continue;
    std::uint32_t sizes[3];
    std::memcpy(sizes, &bytes[at + 11], sizeof(sizes));
    if (sizes[0] == 0 || sizes[0] > kSide || sizes[1] == 0 || sizes[1] > kSide || sizes[2] != 1) continue;
    const std::uint32_t changed[2] = {cols, rows};
    std::memcpy(&bytes[at + 11], changed, sizeof(changed));
    ++num_changed;
  }
  EXPECT_EQ(num_changed, 1u);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  return path;
}

TEST(MatFile, ChunksOfVersion73AreLookedAtBeforeMemoryIsTaken) {
  EXPECT_EQ(error_of([] { MatFile(with_chunks(40000, 40000)); }).value().kind(), ErrorKind::kData);
  EXPECT_EQ(error_of([] { MatFile(with_chunks(16, 16)); }).value().kind(), ErrorKind::kData);
  EXPECT_NO_THROW(MatFile(with_chunks(64, 64))) << "what they are";
}

TEST(ImportNyuOptions, EveryFieldIsChecked) {
  const ImportNyuOptions good{"labeled.mat", "splits.mat", "out", 40, true};
  EXPECT_NO_THROW(good.check());
  for (const ImportNyuOptions& options :
       {ImportNyuOptions{"a", "b", "c", 37, false}, ImportNyuOptions{"", "b", "c", 4, false},
        ImportNyuOptions{"a", "", "c", 4, false}, ImportNyuOptions{"a", "b", "", 4, false}})
    testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
}

}  // namespace
}  // namespace fernwood::formats

#else

namespace fernwood::formats {

TEST(ImportNyu, NeedsMatio) {
  ThreadPool pool(1);
  EXPECT_THROW(import_nyu({"labeled.mat", "splits.mat", testing::TempDir() + "import_nyu", 4, false}, pool), Error);
}

}  // namespace fernwood::formats

#endif
