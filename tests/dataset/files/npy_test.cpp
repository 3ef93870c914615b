// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/image_io.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "dataset/test_files.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

/// A file as written by NumPy: magic, version 1.0, 118 bytes of text, numbers.
Bytes npy(const std::string& text, const Bytes& numbers) {
  const std::string file = std::string("\x93NUMPY\x01\0\x76\0", 10) + text + std::string(117 - text.size(), ' ') +
                           "\n" + std::string(numbers.begin(), numbers.end());
  return {file.begin(), file.end()};
}

TEST(Npy, LabelsAreLittleEndianRows) {
  const TestFolder folder;
  write_npy(folder / "a.npy", depth_image(2, 3, {0, 1, 2, 0x1234, 300, 0xffff}));
  EXPECT_EQ(read_file(folder / "a.npy"), npy("{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }",
                                             {0, 0, 1, 0, 2, 0, 0x34, 0x12, 0x2c, 1, 0xff, 0xff}));
}

TEST(Npy, PlanesStandSideBySideInEachPixel) {
  const TestFolder folder;
  std::vector<Array2<float>> planes(2, Array2<float>(1, 2));
  planes[0](0, 0) = 1.0f;   // 0x3f800000
  planes[0](0, 1) = 0.5f;   // 0x3f000000
  planes[1](0, 0) = -2.0f;  // 0xc0000000
  write_npy(folder / "a.npy", planes);
  EXPECT_EQ(read_file(folder / "a.npy"), npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 2), }",
                                             {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f, 0, 0, 0, 0}));
}

TEST(Npy, FilesReplaceALinkUnderTheirName) {
  const TestFolder folder;
  folder.write("victim", std::string("of value"));
  const std::vector<Array2<float>> planes(2, Array2<float>(1, 2));
  const std::array<std::function<void(const std::filesystem::path&)>, 2> writers = {
      [&](const std::filesystem::path& path) { write_npy(path, planes); },
      [](const std::filesystem::path& path) { write_npy(path, Array2<std::uint16_t>(1, 1)); }};
  for (const auto& write : writers) {
    std::filesystem::remove(folder / "a.npy");
    std::filesystem::create_symlink(folder / "victim", folder / "a.npy");
    write(folder / "a.npy");
    EXPECT_FALSE(std::filesystem::is_symlink(folder / "a.npy"));
    EXPECT_EQ(read_text(folder / "victim"), "of value");
  }
}

/// A file of maps with an unusual header.
Bytes maps_file(const std::string& descr, const std::string& shape, const Bytes& numbers,
                const std::string& order = "False") {
  return npy("{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }", numbers);
}

TEST(Npy, MapsComeBack) {
  const TestFolder folder;
  const image::SuppliedMaps maps = {2, 1, 3, {1.5f, -2, 3e38f, 0, 1e-40f, 7}};
  write_maps(folder / "a_maps.npy", maps);
  EXPECT_EQ(read_maps(folder / "a_maps.npy"), maps);
}

TEST(Npy, MapsOfAllTypesOfNumbersAreRead) {
  const auto values = [](const std::string& descr, const Bytes& numbers) {
    return decode_maps("a.npy", maps_file(descr, "(1, 1, 2)", numbers)).values;
  };
  const std::vector<float> wanted = {1, -2};
  EXPECT_EQ(values("<f2", {0, 0x3c, 0, 0xc0}), wanted);
  EXPECT_EQ(values("<f4", {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}), wanted);
  EXPECT_EQ(values("<f8", {0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0}), wanted);
  EXPECT_EQ(values("|i1", {1, 0xfe}), wanted);
  EXPECT_EQ(values("<i2", {1, 0, 0xfe, 0xff}), wanted);
  EXPECT_EQ(values("<i4", {1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff}), wanted);
  EXPECT_EQ(values("|u1", {1, 254}), (std::vector<float>{1, 254}));
  EXPECT_EQ(values("<u2", {1, 0, 254, 1}), (std::vector<float>{1, 510}));
  EXPECT_EQ(values("<u4", {1, 0, 0, 0, 0, 0, 0, 0x80}), (std::vector<float>{1, 2147483648.0f}));
  EXPECT_EQ(values("|b1", {1, 0}), (std::vector<float>{1, 0}));
}

TEST(Npy, HalvesAreExact) {
  const auto half = [](int bits) {
    const Bytes numbers = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8)};
    return decode_maps("a.npy", maps_file("<f2", "(1, 1, 1)", numbers)).values[0];
  };
  EXPECT_EQ(half(0x3555), 0.333251953125f);
  EXPECT_EQ(half(0x0001), 0x1p-24f);
  EXPECT_EQ(half(0x0400), 0x1p-14f);
  EXPECT_EQ(half(0x7bff), 65504.0f);
  EXPECT_EQ(half(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(half(0x7e00)));
}

TEST(Npy, APlaneIsOneMap) {
  EXPECT_EQ(decode_maps("a.npy", maps_file("|u1", "(1, 2)", {3, 4})), (image::SuppliedMaps{1, 1, 2, {3, 4}}));
}

TEST(Npy, OtherArraysAreASentence) {
  Bytes cut = maps_file("|u1", "(1, 1, 2)", {});
  cut.resize(60);
  for (const Bytes& file :
       {Bytes{1, 2, 3}, Bytes{}, cut, maps_file("|u1", "(1, 1, 2)", {1}), maps_file("|u1", "(1, 1, 2)", {1, 2, 3}),
        maps_file(">f4", "(1, 1, 2)", Bytes(8)), maps_file("<c8", "(1, 1, 1)", Bytes(8)),
        maps_file("|u1", "(1, 1, 2)", {1, 2}, "True"), maps_file("|u1", "(2,)", {1, 2}),
        maps_file("|u1", "(0, 1, 2)", {}), maps_file("|u1", "(1, 99999, 2)", {}), maps_file("|u1", "(1, -1, 2)", {}),
        maps_file("|u1", "(99999999999999999999, 1, 2)", {})})
    testdata::expect_refused(ErrorKind::kData, [&] { decode_maps("f_maps.npy", file); });
}

TEST(Npy, NumbersBeginAtAMultipleOf64Bytes) {
  const TestFolder folder;
  for (const std::size_t cols : {1, 9, 10, 99, 100, 12345}) {
    write_npy(folder / "a.npy", Array2<std::uint16_t>(1, cols));
    EXPECT_EQ(read_file(folder / "a.npy").size(), 128 + 2 * cols) << cols;
  }
}

TEST(Npy, PlanesOfDifferentSizesAndNoPlanesAreRefused) {
  const TestFolder folder;
  const std::vector<Array2<float>> planes = {Array2<float>(2, 3), Array2<float>(3, 2)};
  testdata::expect_refused(ErrorKind::kUsage, [&] { write_npy(folder / "a.npy", planes); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { write_npy(folder / "a.npy", std::span<const Array2<float>>()); });
  EXPECT_FALSE(std::filesystem::exists(folder / "a.npy"));
}

TEST(Npy, WhatCannotBeWrittenIsNamed) {
  const TestFolder folder;
  testdata::expect_refused(ErrorKind::kRuntime,
                           [&] { write_npy(folder / "missing/a.npy", Array2<std::uint16_t>(1, 1)); });
}

TEST(Npy, DepthOfFloatsIsMetresAndOfWholeNumbersMillimetres) {
  const TestFolder folder;
  // 2.5, NaN, -1, 40 m, 0.0004 m
  const auto floats =
      folder.write("f.npy", maps_file("<f4", "(1, 5)", {0,    0,    0x20, 0x40, 0,    0,    0xc0, 0x7f, 0,    0,
                                                        0x80, 0xbf, 0,    0,    0x20, 0x42, 0x17, 0xb7, 0xd1, 0x39}));
  EXPECT_EQ(read_depth(floats), depth_image(1, 5, {2500, 0, 0, 0, 0}));
  EXPECT_EQ(read_depth(floats, 1.0), depth_image(1, 5, {3, 0, 0, 40, 0})) << "a scale that is given counts";
  const auto whole =
      folder.write("i.npy", maps_file("<i4", "(1, 3)", {0xc4, 9, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 1, 0}));
  EXPECT_EQ(read_depth(whole), depth_image(1, 3, {2500, 0, 0}));
  EXPECT_EQ(read_depth(whole, 2.0, 2500), depth_image(1, 3, {0, 0, 0}));
  testdata::expect_refused(ErrorKind::kData, [&] {
    read_depth(folder.write("a.npy", maps_file("<f4", "(1, 1, 1)", {0, 0, 0, 0})));
  });
  testdata::expect_refused(ErrorKind::kData, [&] {
    read_depth(folder.write("a.npy", maps_file("<f4", "(1, 2)", {0, 0, 0, 0})));
  });
}

TEST(Npy, LabelsAreWholeNumbers) {
  DatasetConfig config;
  config.labels = LabelEncoding::kIndex;
  const TestFolder folder;
  const auto read = [&](const std::string& type, const Bytes& numbers) {
    return read_truth(folder.write("a.npy", maps_file(type, "(1, 2)", numbers)), config);
  };
  EXPECT_EQ(read("|u1", {3, 4}), read("<i2", {3, 0, 4, 0}));
  EXPECT_EQ(read("<i8", {3, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
            read("<u2", {3, 0, 0xff, 0xff}))
      << "below 0 is void";
  EXPECT_EQ(read("|i1", {3, 0xff}), read("<u2", {3, 0, 0xff, 0xff}));
  testdata::expect_refused(ErrorKind::kData, [&] { read("|i1", {3, 200}); });
  testdata::expect_refused(ErrorKind::kData, [&] { read("<f4", {0, 0, 0, 0, 0, 0, 0, 0}); });
  testdata::expect_refused(ErrorKind::kData, [&] { read("<u4", {0, 0, 0, 0, 0, 0, 1, 0}); });
}

}  // namespace
}  // namespace fernwood::dataset
