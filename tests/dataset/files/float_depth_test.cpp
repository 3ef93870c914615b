// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Depth as floating-point numbers in image files: TIFF, PFM and OpenEXR.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "dataset/files/image_file.h"
#include "dataset/frame_files.h"
#include "fernwood/core/plugin.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

using testing::ElementsAre;

bool has(const char* plugin) { return find_plugin_function(plugin, "fernwood_decode_image") != nullptr; }

/// Appends numbers in little-endian order.
class ByteText {
 public:
  template <typename T>
  ByteText& add(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    text_.append(bytes, sizeof(T));
    return *this;
  }
  ByteText& add_text(const std::string& text) {
    text_ += text;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Depths in metres, in rows of two pixels.
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const std::vector<float> kMetres = {1.25f, kNan, 0.0004f, 40.0f, 2.0f, -1.0f};

std::string tiff_of(const std::vector<float>& values) {
  ByteText file;
  file.add_text(std::string("II*\0", 4)).add<std::uint32_t>(8).add<std::uint16_t>(10);
  const auto tag = [&](std::uint16_t number, std::uint16_t type, std::uint32_t value) {
    file.add(number).add(type).add<std::uint32_t>(1).add(value);
  };
  const auto rows = static_cast<std::uint32_t>(values.size() / 2);
  constexpr std::uint16_t kShort = 3, kLong = 4;
  tag(256, kLong, 2), tag(257, kLong, rows), tag(258, kShort, 32), tag(259, kShort, 1), tag(262, kShort, 1);
  tag(273, kLong, 8 + 2 + 10 * 12 + 4), tag(277, kShort, 1), tag(278, kLong, rows), tag(279, kLong, 8 * rows);
  tag(339, kShort, 3);
  file.add<std::uint32_t>(0);
  for (const float value : values) file.add(value);
  return file.text();
}

std::string pfm_of(const std::vector<float>& values) {
  ByteText file;
  file.add_text("Pf\n2 " + std::to_string(values.size() / 2) + "\n-1.0\n");
  for (std::size_t row = values.size() / 2; row-- > 0;) file.add(values[2 * row]).add(values[2 * row + 1]);
  return file.text();
}

std::string exr_of(const std::vector<float>& values, std::int32_t last_col = 1) {
  const auto rows = static_cast<std::int32_t>(values.size() / 2);
  ByteText file;
  file.add<std::uint32_t>(20000630).add<std::uint32_t>(2);
  const auto attribute = [&](const std::string& name, const std::string& type, const std::string& value) {
    file.add_text(name + '\0' + type + '\0').add(static_cast<std::uint32_t>(value.size())).add_text(value);
  };
  const std::string window = ByteText().add(0).add(0).add(last_col).add(rows - 1).text();
  attribute(
      "channels", "chlist",
      ByteText().add_text(std::string("Z\0", 2)).add(2).add(0).add(1).add(1).add_text(std::string(1, '\0')).text());
  attribute("compression", "compression", std::string(1, '\0'));
  attribute("dataWindow", "box2i", window);
  attribute("displayWindow", "box2i", window);
  attribute("lineOrder", "lineOrder", std::string(1, '\0'));
  attribute("pixelAspectRatio", "float", ByteText().add(1.0f).text());
  attribute("screenWindowCenter", "v2f", ByteText().add(0.0f).add(0.0f).text());
  attribute("screenWindowWidth", "float", ByteText().add(1.0f).text());
  file.add_text(std::string(1, '\0'));
  const std::size_t table = file.text().size();
  for (std::int32_t row = 0; row < rows; ++row)
    file.add(static_cast<std::uint64_t>(table + 8 * values.size() / 2 + 16 * static_cast<std::size_t>(row)));
  for (std::int32_t row = 0; row < rows; ++row)
    file.add(row)
        .add(8)
        .add(values[static_cast<std::size_t>(2 * row)])
        .add(values[static_cast<std::size_t>(2 * row + 1)]);
  return file.text();
}

struct FloatFile {
  const char *extension, *plugin;
  std::string bytes;
};
std::vector<FloatFile> float_files() {
  return {{".tiff", "images", tiff_of(kMetres)}, {".pfm", "images", pfm_of(kMetres)}, {".exr", "exr", exr_of(kMetres)}};
}

TEST(FloatDepth, IsMetresUnlessItIsSaid) {
  const TestFolder folder;
  for (const FloatFile& kind : float_files()) {
    if (!has(kind.plugin)) continue;
    SCOPED_TRACE(kind.extension);
    const auto file = folder.write(std::string("a_depth") + kind.extension, kind.bytes);
    const Array2<std::uint16_t> depth = read_depth(file);
    ASSERT_EQ(depth.rows(), 3u);
    EXPECT_THAT(std::vector<std::uint16_t>(depth.begin(), depth.end()), ElementsAre(1250, 0, 0, 0, 2000, 0));
    EXPECT_EQ(read_depth(file, 100.0)(1, 1), 4000) << "tenths of a metre";
    EXPECT_EQ(read_image_header(file).numbers, NumberKind::kFloat);
  }
}

TEST(FloatDepth, OfAFolderIsToldWhereNothingSaysTheUnit) {
  for (const FloatFile& kind : float_files()) {
    if (!has(kind.plugin)) continue;
    const TestFolder folder;
    add_color(folder, "a", 3, 2, {1, 2, 3});
    folder.write(std::string("a_depth") + kind.extension, kind.bytes);
    DatasetOptions options;
    options.needs_truth = false;
    const Dataset data = Dataset::open(folder.path(), options, "test");
    EXPECT_EQ(data.read_frame(0).depth_mm(0, 0), 1250);
    EXPECT_EQ(data.file_warnings().size(), 1u);
  }
}

TEST(FloatDepth, DamageIsASentence) {
  const TestFolder folder;
  for (const FloatFile& kind : float_files()) {
    if (!has(kind.plugin)) continue;
    for (const std::size_t length : {kind.bytes.size() - 9, kind.bytes.size() / 2}) {
      const auto file = folder.write(std::string("a") + kind.extension, kind.bytes.substr(0, length));
      try {
        read_depth(file);  // a decoder may accept a missing end
      } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::kData) << failure.what();
      }
    }
  }
  if (!has("exr")) return;
  const auto large = folder.write("large.exr", exr_of(kMetres, 1 << 30));
  testdata::expect_refused(ErrorKind::kData, [&] { read_depth(large); });
  const auto cut = folder.write("cut.exr", exr_of(kMetres).substr(0, exr_of(kMetres).size() - 20));
  testdata::expect_refused(ErrorKind::kData, [&] { read_depth(cut); });
  const auto color = folder.write("a_colors.exr", exr_of(kMetres));
  testdata::expect_refused(ErrorKind::kData, [&] { read_color(color); });
}

}  // namespace
}  // namespace fernwood::dataset
