// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/memory.h"
#include "dataset/test_files.h"
#include "forest/model_parts.h"
#ifdef FERNWOOD_HAS_MATIO
#include "formats/mat_writer.h"
#endif

namespace fernwood::apps {
namespace {

class FrameMemory : public Memory {
 protected:
  /// A check of a copy of the test frames in which the file `name` is replaced.
  Command check_dataset(const std::string& name) {
    const fs::path data = folder_ / "frames";
    fs::remove_all(data);
    fs::copy(rooms() / "test", data);
    return [data, name](const fs::path& file) {
      fs::copy_file(file, data / name, fs::copy_options::overwrite_existing);
      return Words{"dataset", "check", "--data", data.string()};
    };
  }
};

// Models.

std::string with_long_options(forest::Forest forest) {
  forest.options_json = long_options();
  return chars_of(forest::model_bytes(forest));
}

TEST_F(FrameMemory, OfModelsOfPixels) {
  forest::Forest classes = forest::empty_forest(14000), leaves = forest::empty_forest(50);
  classes.labelling_trees() = {forest::heap_tree(1, 14000), forest::heap_tree(1, 14000)};
  leaves.labelling_trees() = {forest::heap_tree(4200, 50)};
  const std::vector<Worst> worst = {{"14000 classes", chars_of(forest::model_bytes(classes))},
                                    {"4200 leaves of 50 classes", chars_of(forest::model_bytes(leaves))},
                                    {"options of empty objects", with_long_options(forest::small_forest())}};
  const std::string data = (rooms() / "test").string();
  for (const Words& words : std::vector<Words>{{"describe"},
                                               {"predict", "--data", data, "--out", beside("labels")},
                                               {"evaluate", "--data", data},
                                               {"explain", "--data", data, "--frame", "scene0004", "--at", "3,3"},
                                               {"importance", "--data", data}})
    expect_bounded(chars_of(forest::model_bytes(forest::small_forest())), worst, [&](const fs::path& file) {
      Words all = words;
      all.insert(all.end(), {"--model", file.string()});
      return all;
    });
}

TEST_F(FrameMemory, OfCheckpoints) {
  const std::string small = chars_of(forest::model_bytes(forest::small_forest()));
  const Worst worst = {"options of empty objects", with_long_options(forest::small_forest())};
  expect_bounded(small, {worst}, [&](const fs::path& file) {
    fs::copy_file(file, folder_ / "model.checkpoint", fs::copy_options::overwrite_existing);
    return small_training(rooms() / "train", folder_ / "model", {"--resume"});
  });
}

// Images.

/// A zlib stream of `size` zeros with deflate's fixed codes: literals, then runs of 258.
Bytes zlib_of_zeros(std::size_t size) {
  Bytes stream = {0x78, 0x01};
  std::uint32_t pending = 0;
  int num_pending = 0;
  const auto put = [&](std::uint32_t code, int bits) {  // codes start with their most significant bit
    for (int bit = bits - 1; bit >= 0; --bit) {
      pending |= (code >> bit & 1) << num_pending++;
      if (num_pending < 8) continue;
      stream.push_back(static_cast<std::uint8_t>(pending));
      pending = 0, num_pending = 0;
    }
  };
  put(0b110, 3);  // final block with fixed codes
  std::size_t left = size;
  for (; left % 258 != 0; --left) put(0b00110000, 8);
  for (; left > 0; left -= 258) put(0b1100010100000, 13);
  put(0, 7);
  put(0, 7);  // fills the byte
  const std::size_t b = size % 65521;
  for (const std::size_t byte : {b >> 8, b & 255, std::size_t{0}, std::size_t{1}})
    stream.push_back(static_cast<std::uint8_t>(byte));
  return stream;
}

std::string zeros_png(std::uint32_t width, std::uint32_t height, int bits, dataset::PngFile::ColorType type,
                      std::size_t pixel_bytes, bool interlaced = false) {
  dataset::PngFile file(width, height, bits, type, interlaced);
  return chars_of(file.chunk("IDAT", zlib_of_zeros(height * (width * pixel_bytes + 1))).finish());
}

/// A progressive JPEG, for which decoders keep all coefficients; one bit per block.
std::string progressive_jpeg(int width, int height, int num_channels) {
  const auto big_endian = [](int value) {
    return Bytes{static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
  };
  Bytes file = {0xff, 0xd8};
  const auto segment = [&](std::uint8_t marker, const Bytes& content) {
    file.insert(file.end(), {0xff, marker});
    for (const Bytes& part : {big_endian(static_cast<int>(content.size()) + 2), content})
      file.insert(file.end(), part.begin(), part.end());
  };
  Bytes quantisation(65, 1);
  quantisation[0] = 0;
  segment(0xdb, quantisation);
  Bytes frame = {8}, scan = {static_cast<std::uint8_t>(num_channels)};
  for (const int size : {height, width})
    for (const std::uint8_t byte : big_endian(size)) frame.push_back(byte);
  frame.push_back(static_cast<std::uint8_t>(num_channels));
  for (int c = 1; c <= num_channels; ++c) {
    frame.insert(frame.end(), {static_cast<std::uint8_t>(c), 0x11, 0});
    scan.insert(scan.end(), {static_cast<std::uint8_t>(c), 0});
  }
  segment(0xc2, frame);
  Bytes code(18);
  code[1] = 1;  // a single one-bit code, for a difference of 0
  segment(0xc4, code);
  scan.insert(scan.end(), {0, 0, 0});
  segment(0xda, scan);
  file.resize(file.size() +
              static_cast<std::size_t>(width) * static_cast<std::size_t>(height) / 64 *
                  static_cast<std::size_t>(num_channels) / 8 +
              1);
  file.insert(file.end(), {0xff, 0xd9});
  return chars_of(file);
}

TEST_F(FrameMemory, OfPictures) {
  using dataset::PngFile;
  const std::string small_color = zeros_png(64, 48, 8, PngFile::kRgb, 3);
  const std::string small_depth = zeros_png(32, 48, 16, PngFile::kGrey, 2);  // size mismatch: nothing is labelled
  folder_.write("color.png", small_color);
  folder_.write("depth.png", small_depth);
  const auto predict = [&](const std::string& color, const std::string& depth) {
    return Words{"predict", "--model", model().string(), "--color", color, "--depth", depth, "--out", beside("labels")};
  };
  expect_bounded(small_color,
                 {{"2^25 pixels of 4 bytes", zeros_png(8192, 4096, 8, PngFile::kRgba, 4)},
                  {"2^24 pixels of 8 bytes", zeros_png(4096, 4096, 16, PngFile::kRgba, 8)},
                  {"2^25 pixels, one long row", zeros_png(1 << 25, 1, 8, PngFile::kRgb, 3)},
                  {"progressive JPEG of 2^25 pixels", progressive_jpeg(8192, 4096, 3)},
                  {"progressive JPEG of four channels", progressive_jpeg(8192, 4096, 4)}},
                 [&](const fs::path& file) { return predict(file.string(), beside("depth.png")); });
  expect_bounded(small_depth, {{"depth of 2^25 pixels", zeros_png(8192, 4096, 16, PngFile::kGrey, 2)}},
                 [&](const fs::path& file) { return predict(beside("color.png"), file.string()); });
  expect_bounded(small_color, {{"truth of 2^25 pixels", zeros_png(8192, 4096, 8, PngFile::kRgba, 4)}},
                 check_dataset("scene0004_ground_truth.png"));
}

#ifdef FERNWOOD_HAS_MATIO

class MemoryOfMatlab : public Memory, public testing::WithParamInterface<mat_ft> {
 protected:
  /// A file like NYU Depth v2's labelled part, with two black frames.
  std::string labelled(std::size_t rows, std::size_t cols, const std::vector<std::string>& names) const {
    const fs::path path = folder_ / "labelled.mat";
    {
      formats::MatWriter mat(path, GetParam(), MAT_COMPRESSION_ZLIB);
      mat.array<std::uint8_t>("images", {rows, cols, 3, 2}, Bytes(rows * cols * 6));
      mat.array<float>("depths", {rows, cols, 2}, std::vector<float>(rows * cols * 2));
      mat.array<std::uint16_t>("labels", {rows, cols, 2}, std::vector<std::uint16_t>(rows * cols * 2));
      if (!names.empty()) mat.strings("names", names);
    }
    return apps::text_of(path);
  }
};
INSTANTIATE_TEST_SUITE_P(Versions, MemoryOfMatlab, testing::Values(MAT_FT_MAT5, MAT_FT_MAT73),
                         [](const auto& info) { return info.param == MAT_FT_MAT5 ? "V5" : "V73"; });

TEST_P(MemoryOfMatlab, IsBounded) {
  {
    formats::MatWriter splits(folder_ / "splits.mat", MAT_FT_MAT5);
    splits.array<double>("trainNdxs", {1, 1}, {1});
    splits.array<double>("testNdxs", {1, 1}, {2});
  }
  std::vector<Worst> worst = {{"frames of 2^21 pixels", labelled(2048, 1024, {})}};
  if (GetParam() == MAT_FT_MAT5) {  // text is not compressed in version 7.3
    const std::vector<std::string> names(60, std::string(4000000, 'a'));
    worst.insert(worst.end(),
                 {{"frames of 2^23 pixels", labelled(4096, 2048, {})}, {"60 names of 4 MB", labelled(4, 4, names)}});
  }
  expect_bounded(labelled(4, 4, {}), worst, [&](const fs::path& file) {
    fs::remove_all(folder_ / "nyu");
    return Words{"dataset", "import",     "nyu", "--labeled", file.string(), "--splits", beside("splits.mat"),
                 "--out",   beside("nyu")};
  });
}

#endif

// Lists, settings and reports.

TEST_F(FrameMemory, OfSettings) {
  const auto dotted = [](std::size_t i) {
    return "k" + std::to_string(i) + ".b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.1.2.3.4.5=1\n";
  };
  const std::vector<Worst> worst = {
      {"dotted keys", filled("", dotted)},
      {"empty lists", filled("a=[", "[],", "[]]\n")},
      {"empty tables", filled("a=[", "{},", "{}]\n")},
      {"small tables", filled("a=[", "{a=1},", "{}]\n")},
      {"numbers", filled("a=[", "1,", "1]\n")},
      {"sections", filled("", [](std::size_t i) { return "[" + std::to_string(i) + "]\n"; })},
      {"nested lists", filled("a=", "[")}};
  expect_bounded("name = \"a\"\n", worst, check_dataset("dataset.toml"));
  expect_bounded("[train]\n", worst, [](const fs::path& file) { return Words{"--config", file.string(), "doctor"}; });
}

TEST_F(FrameMemory, OfLists) {
  const auto numbered = [](std::size_t i) { return std::to_string(i) + " a\n"; };
  const std::vector<Worst> worst = {{"lines alike", filled("", "1 a\n")}, {"lines", filled("", numbered)}};
  const std::string ordinary = "scene0004 a\nscene0005 b\n";
  const std::string data = beside("frames");
  check_dataset("");  // only to create its folder
  expect_bounded(ordinary, worst, [&](const fs::path& file) {
    fs::copy_file(file, fs::path(data) / "groups.txt", fs::copy_options::overwrite_existing);
    return small_training(data, folder_ / "model");
  });
  expect_bounded(ordinary, worst, [&](const fs::path& file) {
    fs::copy_file(file, fs::path(data) / "times.txt", fs::copy_options::overwrite_existing);
    return Words{"live", "--model", model().string(), "--source", "frames:" + data, "--headless", "--every-frame"};
  });
  expect_bounded("0 -1 0\n", worst, check_dataset("scene0004_up.txt"));
  fs::create_directories(folder_ / "tum");
  expect_bounded("1 a\n", worst, [&](const fs::path& file) {
    for (const char* name : {"rgb.txt", "depth.txt"})
      fs::copy_file(file, folder_ / "tum" / name, fs::copy_options::overwrite_existing);
    return Words{"live", "--model", model().string(), "--source", "tum:" + beside("tum"), "--headless"};
  });
}

}  // namespace
}  // namespace fernwood::apps
