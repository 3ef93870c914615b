// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/image_io.h"

#include "dataset/test_files.h"
#include "fernwood/core/file.h"

namespace fernwood::dataset {
namespace {

/// The bytes that NumPy writes: magic, version 1.0, 118 bytes of text, numbers.
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
  expect_error([&] { write_npy(folder / "a.npy", planes); }, ErrorKind::kUsage, {"a.npy", "3 x 2", "2 x 3"});
  expect_error([&] { write_npy(folder / "a.npy", std::span<const Array2<float>>()); }, ErrorKind::kUsage,
               {"a.npy", "no planes"});
  EXPECT_FALSE(std::filesystem::exists(folder / "a.npy"));
}

TEST(Npy, WhatCannotBeWrittenIsNamed) {
  const TestFolder folder;
  expect_error([&] { write_npy(folder / "missing/a.npy", Array2<std::uint16_t>(1, 1)); }, ErrorKind::kRuntime,
               {"missing/a.npy"});
}

}  // namespace
}  // namespace fernwood::dataset
